/*
 * script.h: text as a model wants to read it.
 *
 * eSpeak NG gives the phonemes, clause by clause; punctuation is put back
 * between them, because models were trained with it.  The text is divided into
 * utterances, what the model speaks in one go: a sentence, or a part of one that
 * is too long; for Kokoro a clause.  Every id knows the word of the text that it
 * belongs to, so that durations of ids become times of words.
 *
 * eSpeak NG has one global state: it is called under one lock, which is held for
 * a clause or a word, some tens of microseconds.
 */
#ifndef ENGINE_VITS_SCRIPT_H
#define ENGINE_VITS_SCRIPT_H

#include <stddef.h>
#include <stdint.h>

#include "engine/engine.h"
#include "engine/vits/model_file.h"

/* Ids of one utterance.  Longer ones get worse and delay their own first
 * sound; what is longer is divided at a clause, else at a word, else inside it.
 * Kokoro's have at most 500. */
#define SCRIPT_IDS_MAX 600

#define SCRIPT_NO_WORD UINT32_MAX

struct script_word {
	uint32_t byte_start, byte_end; /* in the text; without punctuation around it */
};

struct script_utterance {
	int64_t *ids; /* as the model takes them: with start, end and padding */
	/* For each id the index of its word.  Stops, blanks and pads go with the word
	 * before them; the ids that frame an utterance are SCRIPT_NO_WORD, and so is
	 * the pad after the first. */
	uint32_t *words;
	size_t count;
};

struct script {
	struct script_utterance *utterances; /* none: nothing in the text has a sound */
	size_t utterance_count;
	struct script_word *words; /* in the order of the text */
	size_t word_count;
	size_t unknown; /* phonemes that the model has no symbol for: left out */
};

/* Once per process, before the others: loads eSpeak NG's data.  EIO: there is
 * none. */
int script_open(void);

/* Whether eSpeak NG has this voice ("en-us"): 0, or ENOENT. */
int script_check_voice(const char *espeak_voice);

/* An object of base/mem.h.  The speaker may be NULL for the model's own voice of
 * eSpeak NG.  May be called from several threads.  ENOENT: eSpeak NG has no such
 * voice; EMSGSIZE: 4 GiB of text; ENOMEM. */
int script_write(struct script **scriptp, const struct model_file *file,
		 const struct model_speaker *speaker, const char *text, size_t text_len);

/* The same for a text that may have phonemes. */
int script_write_text(struct script **scriptp, const struct model_file *file,
		      const struct model_speaker *speaker, const struct engine_text *text);

#endif
