/*
 * engine.h: what the author of an engine in C writes.
 *
 * An engine is a few blocking functions and a name.  It runs in a process of
 * its own, one text at a time on one thread, unless it says that it can speak
 * several at once; the shared main (main.c) does all the talking to the
 * server.  tone.c is the worked example.  Linking an object that defines
 * `engine_main` with main.c gives the program.
 *
 * After open the process is confined (workers/confine.h): files can still be
 * read, but no thread started, no library loaded, no file written.
 */
#ifndef ENGINE_ENGINE_H
#define ENGINE_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/sink.h"

struct engine_options {
	const char *voices_dir; /* where voices are installed; NULL: nowhere */
	bool test_hooks; /* words with a meaning for tests; only tone has any */
};

enum engine_sex { ENGINE_SEX_UNKNOWN, ENGINE_FEMALE, ENGINE_MALE };
enum engine_quality { ENGINE_LOW, ENGINE_MID, ENGINE_HIGH };

struct engine_voice {
	const char *name; /* the engine's own, unique in it */
	const char *language; /* ISO 639 code in lower case: "en", "de", "yue" */
	const char *title; /* for people */
	uint32_t sample_rate;
	enum engine_sex sex;
	enum engine_quality quality;
	const char *licence; /* of what it is made from; NULL: that of the engine */
};

/* Something that whoever runs the server should know: why a file in the voices
 * folder is no voice, for example. */
struct engine_note {
	const char *about; /* a file's name, or "" */
	const char *text;
};

typedef int(engine_note_h)(const struct engine_note *note, void *arg);

/* Non-zero ends the listing, which then returns it. */
typedef int(engine_voice_h)(const struct engine_voice *voice, void *arg);

/* Bytes [byte_start, byte_end) of a text are pronounced like this. */
struct engine_phonemes {
	uint32_t byte_start, byte_end;
	const char *ipa; /* without slashes or brackets */
};

/* One chunk.  The strings are UTF-8 without control characters and end with a
 * NUL, and like everything here they are lent until speak returns. */
struct engine_text {
	const char *voice; /* the name of a voice that was listed */
	const char *language; /* of the text; "" is the voice's own */
	const char *text; /* may be blank: then there is nothing to say */
	size_t text_len;
	const char *text_before; /* the chunk before this one in its turn, or "" */
	uint64_t turn; /* the same for all chunks of a turn */
	float speed; /* 0.8 to 1.2, times the pace of a derived voice (0.5 to 2); always 1
		      * without MESSAGE_OWN_SPEED */
	float temperature; /* 0 to 1 */
	uint64_t seed; /* the same text and seed are always read in the same way */
	float pitch; /* semitones, -12 to 12; always 0 without MESSAGE_OWN_PITCH */
	const char *variant; /* of the voice, or ""; always so without MESSAGE_VARIANTS */
	bool want_words; /* else sink_word does nothing */
	const struct engine_phonemes *phonemes; /* in order; none without MESSAGE_PHONEMES */
	size_t phonemes_count;
};

struct engine {
	const char *name;
	uint32_t capabilities; /* MESSAGE_DETERMINISTIC and so on, workers/message.h */
	uint16_t jobs_max; /* texts at once, each on a thread of its own; 0 is 1 */

	/* Makes the engine ready to speak without delay: data loaded, a first text
	 * spoken to nobody where that warms caches. */
	int (*open)(void **statep, const struct engine_options *options);

	/* How many texts at once, in place of jobs_max, where that is only known
	 * after open; may be NULL. */
	uint16_t (*jobs)(void *state);

	/* Calls each for every voice; the strings need to last for the call only. */
	int (*voices)(void *state, engine_voice_h *each, void *arg);

	/* Calls each for every note; may be NULL. */
	int (*notes)(void *state, engine_note_h *each, void *arg);

	/* Speaks into the sink until done or cancelled, both of which return 0; an
	 * errno when this text cannot be spoken.  The next call starts afresh.  With
	 * jobs_max over 1 it is called from so many threads at once. */
	int (*speak)(void *state, const struct engine_text *text, struct sink *sink);

	void (*close)(void *state);
};

/* The engine of this program: defined by one file, used by main.c. */
extern const struct engine *const engine_main;

#endif
