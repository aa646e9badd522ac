/*
 * script_private.h: the steps from a text to a script, shared by their files.
 *
 *   script_text.c       text → words, and pieces that end at a stop
 *   script_phonemes.c   a piece → phonemes of eSpeak NG
 *   script_align.c      phonemes → the words that they belong to
 *   script_given.c      phonemes that came with the text
 *   script_kokoro.c     phonemes as Kokoro's models write them
 *   script.c            phonemes → ids, pieces → utterances
 *
 * All but script_phonemes.c are pure.
 */
#ifndef ENGINE_VITS_SCRIPT_PRIVATE_H
#define ENGINE_VITS_SCRIPT_PRIVATE_H

#include <stdbool.h>

#include "base/buf.h"
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

/* A text's places with phonemes.  Each is a word by itself, whatever stands in it
 * or beside it. */
struct script_given {
	const struct engine_text *text;
	const struct model_file *file;
	bool is_english;
};

/* Bytes of the i-th; false when there are no more. */
bool script_given_at(const struct script_given *given, size_t i, size_t *start, size_t *end);

/* Divides a text; both lists are malloc'ed.  ENOMEM. */
int script_text_divide(const char *text, size_t len, const struct script_given *given,
		       struct script_word **wordsp, size_t *word_countp,
		       struct script_piece **piecesp, size_t *piece_countp);

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

void script_given_init(struct script_given *given, const struct engine_text *text,
		       const struct model_file *file, const char *espeak_voice);

bool script_given_has(const struct script_given *given, const struct script_piece *piece);

/* Appends the text of a piece with blanks around its given places. */
int script_given_set_apart(struct buf *out, const struct script_given *given,
			   const struct script_piece *piece);

/* In the phonemes of a piece those of its given places become what was given, as
 * far as the model knows it; where that is too little they stay. */
int script_given_replace(const struct script_given *given, struct script_phonemes *list,
			 const struct script_word *words, const struct script_piece *piece);

/* Rewrites the phonemes into the alphabet of Kokoro's models. */
int script_kokoro_rewrite(struct script_phonemes *list, const char *espeak_voice);

#endif
