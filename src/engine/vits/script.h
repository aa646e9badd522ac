/*
 * script.h: converts text to the ids that a model reads.
 *
 * eSpeak NG produces the phonemes, clause by clause; punctuation is put back between them,
 * because models were trained with it. The text is divided into utterances, which the model
 * speaks in one go: a sentence, or a part of one that is too long; for Kokoro a clause.
 * Every id is associated with its word in the text, so that durations of ids become times of
 * words.
 *
 * eSpeak NG has global state: it is called under one lock, which is held for a clause or a
 * word, some tens of microseconds.
 */
#ifndef ENGINE_VITS_SCRIPT_H
#define ENGINE_VITS_SCRIPT_H

#include <stddef.h>
#include <stdint.h>

#include "engine/engine.h"
#include "engine/vits/model_file.h"

/* The maximum number of ids in one utterance. Longer ones sound worse and delay the first
 * sound, so they are divided at a clause, else at a word, else inside a word. Kokoro's limit
 * is 500. */
#define SCRIPT_IDS_MAX 600

#define SCRIPT_NO_WORD UINT32_MAX

struct script_word {
	uint32_t byte_start, byte_end; /* in the text, without surrounding punctuation */
};

struct script_utterance {
	int64_t *ids; /* as the model's input: with start, end and padding */
	/* For each id the index of its word. Stops, blanks and pads belong to the word before
	 * them; the first and last ids of an utterance have SCRIPT_NO_WORD, and so does the
	 * pad after the first. */
	uint32_t *words;
	size_t count;
};

struct script {
	struct script_utterance *utterances; /* empty: nothing in the text has a sound */
	size_t utterance_count;
	struct script_word *words; /* in the order of the text */
	size_t word_count;
	/* number of phonemes that were omitted because the model has no symbol for them */
	size_t unknown;
};

/* Called once per process before the other functions: loads eSpeak NG's data. EIO: it is
 * missing. */
int script_open(void);

/* Whether eSpeak NG has this voice ("en-us"): 0, or ENOENT. */
int script_check_voice(const char *espeak_voice);

/* Makes an object of base/mem.h. The speaker may be NULL for the model's default eSpeak NG voice.
 * Can be called from several threads. ENOENT: eSpeak NG has no such voice; EMSGSIZE: 4 GiB of
 * text; ENOMEM. */
int script_write(struct script **scriptp, const struct model_file *file,
		 const struct model_speaker *speaker, const char *text, size_t text_len);

/* The same for a text that may have given phonemes. */
int script_write_text(struct script **scriptp, const struct model_file *file,
		      const struct model_speaker *speaker, const struct engine_text *text);

#endif
