/*
 * engine.h: the interface that an engine in C implements.
 *
 * An engine is a few blocking functions and a name. It runs in its own process and speaks
 * one text at a time on one thread, unless it declares that it can speak several at once;
 * engine_main.c communicates with the server. Functions that return int return 0 or an
 * errno. tone.c is the worked example. Linking an object that defines `engine_main` with
 * engine_main.c makes the program.
 *
 * After open the process is confined (workers/confine.h): files can still be read, but no
 * thread can be started, no library loaded and no file written.
 */
#ifndef ENGINE_ENGINE_H
#define ENGINE_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/sink.h"

struct engine_options {
	const char *voices_dir; /* the directory of installed voices; NULL: there is none */
	const char *models_dir; /* the same of models that recognize speech */
	bool test_hooks; /* enables words with a special meaning for tests; only tone has any */
};

enum engine_sex { ENGINE_SEX_UNKNOWN, ENGINE_FEMALE, ENGINE_MALE };
enum engine_quality { ENGINE_LOW, ENGINE_MID, ENGINE_HIGH };

struct engine_voice {
	const char *name; /* the engine's own name for it, unique within the engine */
	const char *language; /* ISO 639 code in lower case: "en", "de", "yue" */
	const char *title; /* shown to people */
	uint32_t sample_rate;
	enum engine_sex sex;
	enum engine_quality quality;
	/* The licence of the data that the voice was made from; NULL: the engine's licence. */
	const char *licence;
};

/* Something that the operator of the server should know, such as why a file in the voices
 * directory is not usable as a voice. */
struct engine_note {
	const char *about; /* a file's name, or "" */
	const char *text;
};

/* A nonzero return value of these handlers ends the listing, which returns it. */
typedef int(engine_note_h)(const struct engine_note *note, void *arg);
typedef int(engine_voice_h)(const struct engine_voice *voice, void *arg);

/* Bytes [byte_start, byte_end) of a text are pronounced like this. */
struct engine_phonemes {
	uint32_t byte_start, byte_end;
	const char *ipa; /* without slashes or brackets */
};

/* One chunk. The strings are UTF-8 without control characters and NUL-terminated. All pointers
 * are valid only until speak returns. */
struct engine_text {
	const char *voice; /* the name of a voice that was listed */
	const char *language; /* the language of the text; "" means the voice's own */
	const char *text; /* may be blank: then there is nothing to speak */
	size_t text_len;
	const char *text_before; /* the preceding chunk of the turn, or "" */
	uint64_t turn; /* identical for all chunks of a turn */
	/* For an engine that keeps state between the chunks of a turn (`turns` below): NULL at
	 * the first chunk, then whatever speak stored there. Only one chunk of a turn is spoken
	 * at a time. */
	void **turn_state;
	/* The chunk has already been spoken by another process and is given only to rebuild the
	 * turn's state. Its samples are dropped, so an engine whose state does not depend on them
	 * need not compute them. */
	bool is_replay;
	/* The client's speed (0.8 to 1.2) times the pace of a derived voice (0.5 to 2); always 1
	 * without MESSAGE_OWN_SPEED. */
	float speed;
	float temperature; /* 0 to 1 */
	uint64_t seed; /* with MESSAGE_DETERMINISTIC, the same chunk gives the same samples */
	float pitch; /* semitones, -12 to 12; always 0 without MESSAGE_OWN_PITCH */
	const char *variant; /* the voice's variant, or ""; always "" without MESSAGE_VARIANTS */
	bool want_words; /* when false, sink_word does nothing */
	const struct engine_phonemes *phonemes; /* in order; none without MESSAGE_PHONEMES */
	size_t phonemes_count;
};

struct engine {
	const char *name;
	uint32_t capabilities; /* MESSAGE_DETERMINISTIC and others of workers/message.h */
	uint16_t jobs_max; /* texts at once, each on its own thread; 0 means 1 */

	/* Prepares the engine to speak without delay: loads its data, and speaks a first text
	 * into a null sink where that warms caches. *statep is passed to the other functions;
	 * `close` is called only after success. */
	int (*open)(void **statep, const struct engine_options *options);

	/* How many texts at once, instead of jobs_max, when that is known only after open; may
	 * be NULL. */
	uint16_t (*jobs)(void *state);

	/* The number of turns whose state it can keep at once, known after open. When this is
	 * NULL or returns 0, the engine keeps none, and texts have no turn_state. */
	uint16_t (*turns)(void *state);

	/* Frees what speak stored in *turn_state, after the turn has ended; may be NULL. No chunk
	 * of that turn is being spoken, but with jobs_max above 1 chunks of other turns may be. */
	void (*end_turn)(void *state, void *turn_state);

	/* Calls each for every voice; the strings need to be valid only during the call. */
	int (*voices)(void *state, engine_voice_h *each, void *arg);

	/* Calls each for every note; may be NULL. Called after voices; the strings need to be
	 * valid only during the call. */
	int (*notes)(void *state, engine_note_h *each, void *arg);

	/* Speaks into the sink until it is done or cancelled, both of which return 0; an errno
	 * when this text cannot be spoken. Each call is independent of the previous ones except
	 * for what they left in *turn_state. With jobs_max above 1 it is called from that many
	 * threads at once. */
	int (*speak)(void *state, const struct engine_text *text, struct sink *sink);

	void (*close)(void *state);
};

/* The engine of this program, defined by one file and used by engine_main.c. */
extern const struct engine *const engine_main;

#endif
