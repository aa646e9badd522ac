/*
 * script_private.h: the steps from a text to a script, shared by their files.
 *
 *   script_text.c       text → words, and pieces that end at a stop
 *   script_phonemes.c   a piece → phonemes of eSpeak NG
 *   script_align.c      phonemes → the words that they belong to
 *   script_ipa.c        phonemes that were given, as far as a model knows them
 *   script_kokoro.c     phonemes as Kokoro's models write them
 *   script.c            phonemes → ids, pieces → utterances
 *
 * All but script_phonemes.c are pure.
 */
#ifndef ENGINE_VITS_SCRIPT_PRIVATE_H
#define ENGINE_VITS_SCRIPT_PRIVATE_H

#include <stdbool.h>

#include "engine/vits/script.h"

/* Bytes of a piece: half of what eSpeak NG takes at once, and little enough that
 * aligning its phonemes stays cheap whatever the text is. */
#define SCRIPT_PIECE_MAX 400

/* A clause, or as much of one as is looked at in one go. */
struct script_piece {
	size_t start, end; /* bytes of the text, the stop and quotes after it included */
	size_t first_word, end_word; /* words that have a part in it */
	uint32_t stop; /* , . ; : ! ? or U+2026 or U+2014; 0: none */
	bool ends_sentence;
};

/* Divides a text; both lists are malloc'ed.  ENOMEM. */
int script_text_divide(const char *text, size_t len, struct script_word **wordsp,
		       size_t *word_countp, struct script_piece **piecesp, size_t *piece_countp);

/* One sign of a pronunciation.  Blanks stand between words as eSpeak NG speaks
 * them, which are not always those of the text. */
struct script_phoneme {
	uint32_t code_point;
	uint32_t word;
};

/* A list that grows while a piece is worked on; .items is malloc'ed. */
struct script_phonemes {
	struct script_phoneme *items;
	size_t count;
	size_t size;
};

int script_phonemes_add(struct script_phonemes *list, uint32_t code_point, uint32_t word);

/* What eSpeak NG makes of the bytes with a voice: appended without marks of
 * changes between languages, every phoneme with the given word.  ENOENT: it has
 * no such voice. */
int script_phonemes_speak(struct script_phonemes *list, const char *espeak_voice, const char *text,
			  size_t len, uint32_t word);

/* Gives every phoneme of a piece its word.  `alone` has the pronunciation of
 * each word by itself, in the order of the words, which it names. */
int script_align(struct script_phonemes *together, const struct script_phonemes *alone);

/* Appends the signs of an IPA that the model knows, or the nearest that it knows,
 * all of one word.  ENOENT, and nothing appended, when too little is known. */
int script_ipa_add(struct script_phonemes *list, const struct model_file *file, const char *signs,
		   uint32_t word);

/* Rewrites the phonemes into the alphabet of Kokoro's models. */
int script_kokoro_rewrite(struct script_phonemes *list, const char *espeak_voice);

#endif
