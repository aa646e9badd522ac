/*
 * recognizer.h: the interface that a family of speech models implements.
 *
 * A family recognizes its models by the files in their folder, and opens them. A recognizer is a
 * model that was opened: an object of base/mem.h which never changes, so that any number of threads
 * can call `recognize` at the same time. Everything that belongs to one piece of audio is on the
 * caller's stack or in its result.
 *
 * Functions that return int return 0 or an errno.
 */
#ifndef ENGINE_HEAR_RECOGNIZER_H
#define ENGINE_HEAR_RECOGNIZER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "engine/neural/runtime.h"

/* Samples per second of everything that is heard. */
#define RECOGNIZER_RATE 16000u

/* The longest text of a piece, in bytes. */
#define RECOGNIZER_TEXT_MAX 32768u

/* "en", "yue", "zh-hant", and a NUL. */
#define RECOGNIZER_LANGUAGE_SIZE 16

/* A piece of audio that is to be recognized. */
struct recognizer_piece {
	const float *samples; /* 16 kHz, mono, -1 to 1 */
	size_t count; /* at most `longest` of the recognizer */
	const char *language; /* a code such as "de"; "" means the model's own, or to be detected */
	const char *prompt; /* the text before the piece, or ""; may be ignored */
	bool want_times; /* of the words: if false, their samples may all be 0 */
	/* Whether nobody needs the result any more. It is called between two steps of the decoder,
	 * from the thread that called `recognize`. */
	bool (*is_cancelled)(void *arg);
	void *arg;
};

/* Bytes [byte_start, byte_end) of the text are a word with the punctuation around it and without
 * blanks, said in samples [sample_start, sample_end) of the piece. */
struct recognizer_word {
	size_t byte_start, byte_end;
	size_t sample_start, sample_end;
	float probability; /* 0 to 1 */
};

/* What was understood. Words are in the order of the text, do not overlap, and together they are
 * the text without its blanks. */
struct recognizer_result {
	struct buf text; /* UTF-8 without control characters, without a blank at either end */
	struct recognizer_word *words;
	size_t word_count;
	size_t words_size;
	char language[RECOGNIZER_LANGUAGE_SIZE];
	float language_probability; /* 1 if the language was given, or if the model knows only one */
	bool times_are_approximate;
};

struct recognizer;

struct recognizer_family {
	const char *name; /* "moonshine" */

	/* The files that make a folder a model of this family, ended by NULL. */
	const char *const *files;

	/* Opens the model in a folder. `why` is a reason for people, when the folder holds a model
	 * that cannot be used. */
	int (*open)(struct recognizer **recognizerp, struct runtime *runtime, const char *folder,
		    char why[RUNTIME_WHY_SIZE]);

	/* Appends what was said to an empty result; nothing for silence. ECANCELED: is_cancelled
	 * returned true. After an error the result is not used. */
	int (*recognize)(const struct recognizer *recognizer, struct recognizer_result *result,
			 const struct recognizer_piece *piece, char why[RUNTIME_WHY_SIZE]);
};

/* The first member of a family's own struct. The strings belong to it. */
struct recognizer {
	const struct recognizer_family *family;
	const char *title; /* for people: "Moonshine tiny" */
	const char *languages; /* codes separated by blanks; "" means any */
	const char *licence; /* of the weights: "MIT"; "" if it is not known */
	uint32_t capabilities; /* MESSAGE_MODEL_... of workers/message.h */
	size_t longest; /* samples of a piece */
};

void recognizer_result_init(struct recognizer_result *result);
void recognizer_result_reset(struct recognizer_result *result);

/* Appends a word. ENOMEM. */
int recognizer_result_add(struct recognizer_result *result, const struct recognizer_word *word);

/* Recognizes a piece of any length: one that is longer than the model takes is divided where it is
 * quietest. The result is empty and was initialized. Words begin and end with a sound. The errors are
 * those of `recognize`. */
int recognizer_run(const struct recognizer *recognizer, struct recognizer_result *result,
		   const struct recognizer_piece *piece, char why[RUNTIME_WHY_SIZE]);

extern const struct recognizer_family recognizer_moonshine;
extern const struct recognizer_family recognizer_whisper;

#endif
