/*
 * message.h: the messages between the server and a worker.
 *
 * The worker protocol, version 1, is described for engine authors in
 * docs/worker-protocol.md; this is its only C implementation, used by the
 * server (endpoint.c) and by engines in C (src/engine).
 *
 * A message is a 12-byte header and a payload, all little-endian:
 *
 *   u32 payload length | u16 type | u16 zero | u32 job | payload
 *
 * A string in a payload is a u32 length and UTF-8 bytes, without a NUL.  A
 * payload may be longer than the fields that the reader knows: it skips the
 * rest, so fields can be added without a new version.
 */
#ifndef WORKERS_MESSAGE_H
#define WORKERS_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

#define MESSAGE_VERSION 1
#define MESSAGE_HEADER_LEN 12
/* The longest messages are SPEAK and REPLAY with their text; an AUDIO has only a fraction of a
 * second. */
#define MESSAGE_PAYLOAD_MAX (1u << 20)
/* The most spans with phonemes in a SPEAK, more than a chunk has words, and the length of one span,
 * more than any word needs.  All of them together fit into a payload with the longest text. */
#define MESSAGE_PHONEMES_MAX 1000u
#define MESSAGE_IPA_MAX 800u /* bytes */
/* The most texts that a worker is given to replay before it continues a turn, and the most bytes of
 * their payloads together.  A text is about a sentence, so this is about five minutes of speech:
 * models remember no more than that, replaying more would take longer than a listener waits, and all
 * of it fits many times into what may wait for a worker (endpoint.h).  Of a longer turn, the last
 * texts are replayed. */
#define MESSAGE_REPLAY_MAX 64u
#define MESSAGE_REPLAY_BYTES_MAX 65536u
/* Audio that a worker listens to, or decodes, has this many samples per second, and one probability of
 * speech for each frame of this many samples. */
#define MESSAGE_HEARING_RATE 16000u
#define MESSAGE_FRAME_SAMPLES 512u
/* The most audio of one job that a worker has to keep: it never grants ROOM for more. */
#define MESSAGE_KEPT_MAX (120u * MESSAGE_HEARING_RATE)
/* Positions in audio stay below this, five hundred years, so that no arithmetic with them overflows. */
#define MESSAGE_SAMPLE_MAX (UINT64_C(1) << 48)
/* The most bytes of a file that a worker decodes: it never grants ROOM for more.  25 MB is what clients
 * of transcription services are used to; compressed speech of hours fits. */
#define MESSAGE_FILE_MAX (25u << 20)
/* The most words in one WORDS: more than anybody says in the longest piece. */
#define MESSAGE_WORDS_MAX 2000u

enum message_type {
	/* server to worker */
	MESSAGE_HELLO = 1, /* the first message: the protocol versions that the server knows */
	MESSAGE_SPEAK = 2, /* a new job */
	MESSAGE_CREDIT = 3, /* how many more samples may be sent for a job */
	MESSAGE_CANCEL = 4, /* end a job; answered by DONE with MESSAGE_DONE_CANCELLED */
	MESSAGE_END_TURN = 5, /* the state of a turn is not needed any more; no answer */
	MESSAGE_REPLAY =
		6, /* a text that was spoken elsewhere, to rebuild a turn's state; no answer */
	MESSAGE_LISTEN = 7, /* a new job: audio that is to be recognized */
	MESSAGE_SAMPLES = 8, /* audio of a LISTEN, which continues where the last one ended */
	MESSAGE_RECOGNIZE = 9, /* a piece of the audio; answered by one WORDS */
	MESSAGE_RELEASE = 10, /* audio before this sample is not needed any more; no answer */
	MESSAGE_FINISH = 11, /* no more SAMPLES or BYTES follow; answered by DONE */
	MESSAGE_DECODE = 12, /* a new job: a file that is to be turned into samples */
	MESSAGE_BYTES = 13, /* the next bytes of the file of a DECODE */
	/* worker to server */
	MESSAGE_READY = 16, /* the answer to HELLO: what the engine can do */
	MESSAGE_VOICE = 17, /* one per voice, before READY */
	MESSAGE_AUDIO = 18, /* samples of a job, never more than its credit */
	MESSAGE_WORD = 19, /* when a word of a job is spoken */
	MESSAGE_DONE = 20, /* the last message of a job */
	MESSAGE_NOTE = 21, /* before READY: something that the operator should know */
	MESSAGE_MADE = 22, /* how many samples of a job exist and wait only for credit */
	MESSAGE_MODEL = 23, /* one per model, before READY, the default one first */
	MESSAGE_ROOM = 24, /* how much more SAMPLES or BYTES may be sent for a job */
	MESSAGE_ACTIVITY = 25, /* how probable it is that somebody speaks, for each frame */
	MESSAGE_WORDS = 26, /* what was said in a piece: the answer to RECOGNIZE */
};

/* Capabilities in READY. */
enum {
	MESSAGE_DETERMINISTIC = 1 << 0, /* the same chunk gives the same samples */
	MESSAGE_WORD_TIMES = 1 << 1,
	MESSAGE_OWN_SPEED = 1 << 2, /* the engine uses speak.speed */
	MESSAGE_TEMPERATURE = 1 << 3, /* the engine uses speak.temperature and speak.seed */
	MESSAGE_PHONEMES = 1 << 4, /* the engine speaks speak.phonemes in place of the text there */
	MESSAGE_OWN_PITCH = 1 << 5, /* the engine uses speak.pitch */
	MESSAGE_VARIANTS = 1 << 6, /* the engine uses speak.variant */
	MESSAGE_TURN_STATE = 1 << 7, /* keeps state between the texts of a turn: only such a worker
				      * is sent END_TURN and REPLAY */
	MESSAGE_LISTENS = 1 << 8, /* it is sent LISTEN, and no SPEAK */
	MESSAGE_DECODES = 1 << 9, /* it is sent DECODE, and no SPEAK */
};

/* What a LISTEN wants to know in addition to the text. */
enum {
	MESSAGE_WANT_TIMES = 1 << 0, /* when each word is said */
};

/* Capabilities in MODEL. */
enum {
	MESSAGE_MODEL_TIMES = 1 << 0, /* it knows when words are said */
	MESSAGE_MODEL_TIMES_APPROXIMATE = 1 << 1, /* but these times are estimates */
	MESSAGE_MODEL_PROBABILITIES = 1 << 2, /* it knows how probable each word is */
	MESSAGE_MODEL_DETECTS_LANGUAGE = 1 << 3,
	MESSAGE_MODEL_PARTIALS = 1 << 4, /* it is fast enough for words while somebody speaks */
};

/* Flags in WORDS. */
enum {
	MESSAGE_WORDS_APPROXIMATE = 1 << 0, /* the times of the words are estimates */
};

/* How a job ended, in DONE. */
enum message_done {
	MESSAGE_DONE_OK = 0,
	MESSAGE_DONE_CANCELLED = 1,
	MESSAGE_DONE_FAILED = 2, /* this chunk cannot be spoken, or this file decoded; detail says
				  * why */
	MESSAGE_DONE_UNKNOWN_VOICE = 3, /* or an unknown model, or an unknown format of a file */
};

/* A string in a message.  It is not NUL-terminated.  In a message that was decoded it points into
 * the encoded bytes. */
struct message_str {
	const char *bytes;
	uint32_t len;
};

/* Points to a NUL-terminated string, which is not copied. */
struct message_str message_str_of(const char *string);

/* Copies as many whole characters of a string as fit, and a NUL; the rest of the room is zero. */
void message_str_copy(char *to, size_t size, const struct message_str *from);

struct message_hello {
	uint16_t version_min;
	uint16_t version_max;
};

/* How bytes [byte_start, byte_end) of speak.text are pronounced. */
struct message_phonemes {
	uint32_t byte_start;
	uint32_t byte_end;
	struct message_str ipa;
};

/* All phonemes of a text, or all words that were heard, in order and encoded: see
 * message_phonemes_put, message_phonemes_take, message_heard_put and message_heard_take. */
struct message_spans {
	const unsigned char *bytes;
	uint32_t len;
	uint16_t count;
};

struct message_speak {
	struct message_str voice; /* a name from the engine's VOICE messages */
	struct message_str language; /* code of the text's language, may be empty */
	struct message_str text;
	struct message_str text_before; /* the previous chunk of the turn; not to be spoken */
	uint64_t turn; /* the same for all chunks of a turn; 0: the text is a turn by itself */
	uint64_t skip_samples; /* received from an earlier try: must not be sent again */
	uint32_t credit_samples; /* how many samples may be sent at once */
	uint32_t deadline_ms; /* from now until the listener runs out of audio */
	float speed; /* 1 is the voice's own; beyond a range, the server stretches the audio */
	float temperature;
	bool want_words;
	struct message_spans phonemes;
	float pitch; /* semitones above the voice's own */
	struct message_str variant; /* of the voice; empty: none */
	uint64_t seed; /* selects one of several readings; the same for all tries of a job */
};

struct message_voice {
	struct message_str name; /* the engine's own name, used in SPEAK */
	struct message_str language; /* code such as "en", "de", "yue" */
	struct message_str title; /* for people */
	uint32_t sample_rate;
	uint8_t sex; /* 0 unknown, 1 female, 2 male */
	uint8_t quality; /* 0 low, 1 mid, 2 high */
	struct message_str licence; /* of the data that it is made from; empty: not known */
};

struct message_note {
	struct message_str about; /* what it is about, such as a file's name; may be empty */
	struct message_str text; /* for people */
};

struct message_ready {
	uint16_t version;
	uint16_t jobs_max; /* jobs that may run on this socket at once */
	uint32_t capabilities;
	struct message_str engine; /* "espeak" */
	/* How many jobs the worker makes together in about the time of one; 0: each job takes time on
	 * a core that it shares with all other work of the machine. */
	uint16_t batch;
	uint16_t turns; /* how many turns it can keep the state of; 0: the server decides */
};

struct message_audio {
	uint32_t busy_us; /* the engine's time for the job so far, without waiting */
	uint32_t sample_rate; /* in Hz; the same in all messages of the job */
	const unsigned char *samples; /* s16le, perhaps not aligned */
	size_t count;
};

struct message_word {
	uint32_t byte_start; /* in speak.text */
	uint32_t byte_end;
	uint64_t sample_start; /* from the job's first sample, including skipped ones */
	uint64_t sample_end;
};

struct message_listen {
	struct message_str
		model; /* a name from the engine's MODEL messages; empty: the first one */
	struct message_str language; /* empty: the model's own, or detected */
	uint64_t first_sample; /* the position of the first sample that follows */
	uint32_t wants; /* MESSAGE_WANT_... */
	struct message_str prompt; /* what was said before, or names to expect; may be ignored */
};

struct message_samples {
	const unsigned char *samples; /* s16le, perhaps not aligned */
	size_t count;
};

/* Samples [from_sample, to_sample) of a LISTEN, which have been sent and not been released. */
struct message_recognize {
	uint32_t number; /* of the WORDS that answers it */
	uint64_t from_sample;
	uint64_t to_sample;
	bool is_final; /* somebody waits for it: it comes before all that are not */
	uint32_t deadline_ms; /* from now until the answer is wanted */
};

struct message_decode {
	struct message_str format; /* such as "pcm_8000"; empty: the bytes say what they are */
	uint32_t credit_samples; /* how many samples may be sent at once */
};

struct message_model {
	struct message_str name; /* the engine's own name, used in LISTEN */
	struct message_str title; /* for people */
	struct message_str languages; /* codes, separated by blanks; empty: any */
	struct message_str licence; /* of the model; empty: not known */
	uint32_t capabilities; /* MESSAGE_MODEL_... */
	uint32_t piece_max; /* the longest piece that it recognizes, in samples */
};

struct message_activity {
	uint64_t first_sample; /* of the first frame */
	const unsigned char *probabilities; /* of speech, times 255; one for each frame */
	size_t count;
};

/* A word that was heard: its bytes in the text, its samples in the stream. */
struct message_heard {
	struct message_word word;
	float probability; /* 0 to 1; means nothing without MESSAGE_MODEL_PROBABILITIES */
};

struct message_words {
	uint32_t number; /* of the RECOGNIZE that it answers */
	uint32_t busy_us; /* the engine's time for this piece */
	struct message_str language; /* what was spoken; empty: not known */
	float language_probability; /* 0 to 1 */
	uint32_t flags; /* MESSAGE_WORDS_... */
	struct message_str text; /* empty: nothing was said */
	struct message_spans words; /* in the order of the text; none if no times are wanted */
};

/* The bytes of a file, or the payload of a message whose type is not known here. */
struct message_bytes {
	const unsigned char *bytes;
	size_t len;
};

struct message_done_report {
	uint32_t status; /* enum message_done; other values count as failed */
	uint32_t busy_us;
	uint64_t samples; /* of the whole chunk, including skipped ones */
	struct message_str detail;
};

struct message {
	uint16_t type;
	uint32_t job; /* 0: the message is not about a job */
	union {
		struct message_hello hello;
		struct message_speak speak; /* SPEAK and REPLAY */
		struct message_listen listen;
		struct message_samples samples;
		struct message_recognize recognize;
		uint64_t release_sample;
		struct message_decode decode;
		struct message_bytes bytes; /* BYTES */
		/* FINISH of a file whose format became known only now; it replaces that in DECODE, unless
		 * it is empty. */
		struct message_str finish_format;
		uint32_t credit_samples;
		uint64_t turn; /* END_TURN */
		struct message_ready ready;
		struct message_voice voice;
		struct message_note note;
		uint32_t made_samples;
		struct message_audio audio;
		struct message_word word;
		struct message_done_report done;
		struct message_model model;
		uint32_t room; /* samples of a LISTEN, bytes of a DECODE */
		struct message_activity activity;
		struct message_words words;
		struct message_bytes other;
	};
};

/* Whether a span is valid in a message: it consists of whole characters of the text at byte `from` or
 * later, and its IPA is valid UTF-8, not empty and not too long. */
bool message_phonemes_fit(const struct message_phonemes *phonemes, const struct message_str *text,
			  uint32_t from);

/* Appends a span to the bytes of a message_spans.  ENOBUFS, ENOMEM. */
int message_phonemes_put(struct buf *spans, const struct message_phonemes *phonemes);

/* Takes the first span off a list that was decoded.  False: the list was empty. */
bool message_phonemes_take(struct message_phonemes *phonemes, struct message_spans *spans);

/* Appends a word to the words of a WORDS.  ENOBUFS, ENOMEM. */
int message_heard_put(struct buf *words, const struct message_heard *heard);

/* Takes the first word off a list that was decoded.  False: the list was empty. */
bool message_heard_take(struct message_heard *heard, struct message_spans *words);

/* Appends a message.  ENOBUFS: it does not fit into the buffer, or is too long; ENOMEM. */
int message_encode(struct buf *out, const struct message *message);

/* Encodes an AUDIO up to its samples, for a writer that sends these without a copy (writev). */
#define MESSAGE_AUDIO_HEAD_LEN (MESSAGE_HEADER_LEN + 8)
void message_encode_audio_head(unsigned char head[MESSAGE_AUDIO_HEAD_LEN], uint32_t job,
			       const struct message_audio *audio);

/* Decodes the message at the beginning of n bytes.  *used is its length, and its strings point into
 * the bytes.  EAGAIN: the message is not complete; EPROTO: the bytes are not a message (its length
 * exceeds the maximum, a field exceeds the payload, a string is not UTF-8).  The payload of an unknown
 * type is `other`: the caller may ignore it or decode it. */
int message_decode(struct message *message, size_t *used, const void *bytes, size_t n);

/* How many bytes are missing, given the first n bytes of a message: the rest of the header while that
 * is not complete, then the rest of the payload.  0: the message is complete, or the bytes are not a
 * message. */
size_t message_missing(const void *bytes, size_t n);

#endif
