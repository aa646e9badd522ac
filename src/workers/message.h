/*
 * message.h: what the server and a worker say to each other.
 *
 * The worker protocol, version 1, is described for engine authors in
 * docs/worker-protocol.md; this is its only C implementation, used by the
 * server (endpoint.c) and by engines in C (engine/main.c).
 *
 * A message is a 12-byte header and a payload, all little-endian:
 *
 *   u32 payload length | u16 type | u16 zero | u32 job | payload
 *
 * Strings in a payload are u32 length and UTF-8 bytes, without a NUL.  A
 * payload may be longer than its version's fields: readers skip the rest, so
 * fields can be added without a second version.
 */
#ifndef WORKERS_MESSAGE_H
#define WORKERS_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

#define MESSAGE_VERSION 1
#define MESSAGE_HEADER_LEN 12
/* The longest is SPEAK with its text, or a voice list; audio comes in pieces
 * of a fraction of a second. */
#define MESSAGE_PAYLOAD_MAX (1u << 20)
/* Of a SPEAK: more spans than a chunk has words, longer ones than any word;
 * all together fit into a payload beside the longest text. */
#define MESSAGE_PHONEMES_MAX 1000u
#define MESSAGE_IPA_MAX 800u /* bytes */

enum message_type {
	/* server to worker */
	MESSAGE_HELLO = 1, /* first: the versions the server speaks */
	MESSAGE_SPEAK = 2, /* a new job */
	MESSAGE_CREDIT = 3, /* so many samples more may be sent for a job */
	MESSAGE_CANCEL = 4, /* end a job; answered by DONE with MESSAGE_DONE_CANCELLED */
	/* worker to server */
	MESSAGE_READY = 16, /* answer to HELLO: what the engine can do */
	MESSAGE_VOICE = 17, /* one per voice, before READY */
	MESSAGE_AUDIO = 18, /* samples of a job, never more than its credit */
	MESSAGE_WORD = 19, /* when a word of a job is spoken */
	MESSAGE_DONE = 20, /* the last message of a job */
	MESSAGE_NOTE = 21, /* before READY: something the operator should know */
	MESSAGE_MADE = 22, /* samples of a job that are made and only wait for credit */
};

/* Capabilities in READY. */
enum {
	MESSAGE_DETERMINISTIC = 1 << 0, /* the same chunk gives the same samples */
	MESSAGE_WORD_TIMES = 1 << 1,
	MESSAGE_OWN_SPEED = 1 << 2, /* speak.speed is done by the engine */
	MESSAGE_TEMPERATURE = 1 << 3, /* speak.temperature and speak.seed are used */
	MESSAGE_PHONEMES = 1 << 4, /* speak.phonemes are spoken, not the text there */
	MESSAGE_OWN_PITCH = 1 << 5, /* speak.pitch is heard */
	MESSAGE_VARIANTS = 1 << 6, /* speak.variant too */
};

/* How a job ended, in DONE. */
enum message_done {
	MESSAGE_DONE_OK = 0,
	MESSAGE_DONE_CANCELLED = 1,
	MESSAGE_DONE_FAILED = 2, /* this chunk cannot be spoken; detail says why */
	MESSAGE_DONE_UNKNOWN_VOICE = 3,
};

/* A string inside a message that was decoded: not NUL-terminated, valid as
 * long as the message's bytes. */
struct message_str {
	const char *bytes;
	uint32_t len;
};

/* Lends a string that ends with a NUL. */
struct message_str message_str_of(const char *string);

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

/* Several, in the order of the text, as they travel; see
 * message_phonemes_put. */
struct message_spans {
	const unsigned char *bytes;
	uint32_t len;
	uint16_t count;
};

struct message_speak {
	struct message_str voice; /* a name from the engine's VOICE messages */
	struct message_str language; /* code of the text's language, may be empty */
	struct message_str text;
	struct message_str text_before; /* the chunk before this one in its turn */
	uint64_t turn; /* the same for all chunks of a turn */
	uint64_t skip_samples; /* already received from an earlier try: do not send */
	uint32_t credit_samples; /* may be sent at once */
	uint32_t deadline_ms; /* from now until the listener runs dry */
	float speed; /* 1 is the voice's own; the server stretches what is far from it */
	float temperature;
	bool want_words;
	struct message_spans phonemes;
	float pitch; /* semitones, 0 is the voice's own */
	struct message_str variant; /* of the voice; empty: none */
	uint64_t seed; /* of what is random; the same for all tries of a job, 0: always the same */
};

struct message_voice {
	struct message_str name; /* the engine's own, for SPEAK */
	struct message_str language; /* code such as "en", "de", "yue" */
	struct message_str title; /* for people */
	uint32_t sample_rate;
	uint8_t sex; /* 0 unknown, 1 female, 2 male */
	uint8_t quality; /* 0 low, 1 mid, 2 high */
	struct message_str licence; /* of what it is made from; empty: nobody said */
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
	/* Jobs that the worker makes together in about the time of one; 0: each of them takes its
	 * time on a core that it shares with all other work of the machine. */
	uint16_t batch;
};

struct message_audio {
	uint32_t busy_us; /* engine time of the job so far, without waiting */
	uint32_t sample_rate; /* of these samples; one for the whole job */
	const unsigned char *samples; /* s16le, maybe unaligned */
	size_t count;
};

struct message_word {
	uint32_t byte_start; /* in speak.text */
	uint32_t byte_end;
	uint64_t sample_start; /* from the job's first sample, skipped ones included */
	uint64_t sample_end;
};

/* The payload of a type that is not known here. */
struct message_bytes {
	const unsigned char *bytes;
	size_t len;
};

struct message_done_report {
	uint32_t status; /* enum message_done; others count as failed */
	uint32_t busy_us;
	uint64_t samples; /* all that the chunk has, skipped ones included */
	struct message_str detail;
};

struct message {
	uint16_t type;
	uint32_t job; /* 0 where the message is of no job */
	union {
		struct message_hello hello;
		struct message_speak speak;
		uint32_t credit_samples;
		struct message_ready ready;
		struct message_voice voice;
		struct message_note note;
		uint32_t made_samples;
		struct message_audio audio;
		struct message_word word;
		struct message_done_report done;
		struct message_bytes other;
	};
};

/* Whether a span may stand in a message: of whole characters of the text, from
 * byte `from` on, and with something to say. */
bool message_phonemes_fit(const struct message_phonemes *phonemes, const struct message_str *text,
			  uint32_t from);

/* Appends one to the bytes of a message_spans.  ENOBUFS, ENOMEM. */
int message_phonemes_put(struct buf *spans, const struct message_phonemes *phonemes);

/* Takes the first off a list that was decoded; false when it is empty. */
bool message_phonemes_take(struct message_phonemes *phonemes, struct message_spans *spans);

/* Appends a message.  ENOBUFS when it does not fit. */
int message_encode(struct buf *out, const struct message *message);

/* The header and the fixed part of an AUDIO payload alone, for a writer that
 * hands the samples over without a copy (writev). */
#define MESSAGE_AUDIO_HEAD_LEN (MESSAGE_HEADER_LEN + 8)
void message_encode_audio_head(unsigned char head[MESSAGE_AUDIO_HEAD_LEN], uint32_t job,
			       const struct message_audio *audio);

/* Reads the first message of n bytes.  0: *used says how many bytes it took
 * and the message's strings point into them; EAGAIN: not all of it is there;
 * EPROTO: no message at all (a length past the maximum, a field past the
 * payload's end, text that is not UTF-8).  The payload of an unknown type is
 * `other`, for the reader to ignore or to know better. */
int message_decode(struct message *message, size_t *used, const void *bytes, size_t n);

/* How many bytes are missing, as far as the first n bytes of a message tell: the rest of the
 * header at first, then the rest of the payload.  0: the message is whole, or it is none. */
size_t message_missing(const void *bytes, size_t n);

#endif
