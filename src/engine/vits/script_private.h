/*
 * script_private.h: the steps from a text to a script, shared by their files.
 *
 *     script_text.c       text → words, and pieces that end at a stop
 *     script_phonemes.c   a piece → phonemes of eSpeak NG
 *     script_align.c      phonemes → the words that they belong to
 *     script_given.c      phonemes that came with the text
 *     script_kokoro.c     phonemes as Kokoro's models write them
 *     script.c            phonemes → ids, pieces → utterances
 *
 * All but script_phonemes.c are pure.
 */
#ifndef ENGINE_VITS_SCRIPT_PRIVATE_H
#define ENGINE_VITS_SCRIPT_PRIVATE_H

#include <stdbool.h>

#include "base/buf.h"
#include "engine/vits/script.h"

/* The maximum number of bytes in a piece: half of eSpeak NG's limit, and few enough that
 * aligning its phonemes is cheap for any text. */
#define SCRIPT_PIECE_MAX 400

/* A clause, or the part of one that is processed at once. */
struct script_piece {
	size_t start, end; /* bytes of the text, including the stop and quotes after it */
	size_t first_word, end_word; /* words that are at least partly in it */
	uint32_t stop; /* , . ; : ! ? or U+2026 or U+2014; 0: none */
	bool ends_sentence;
};

/* The ranges of a text with given phonemes. Each is one word, whatever it contains and is
 * adjacent to. */
struct script_given {
	const struct engine_text *text;
	const struct model_file *file;
	bool is_english;
};

/* The bytes of the i-th range; false when there are no more. */
bool script_given_at(const struct script_given *given, size_t i, size_t *start, size_t *end);

/* Divides a text into words and pieces; both lists are malloc'ed. ENOMEM. */
int script_text_divide(const char *text, size_t len, const struct script_given *given,
		       struct script_word **wordsp, size_t *word_countp,
		       struct script_piece **piecesp, size_t *piece_countp);

/* One sign of a pronunciation. Blanks separate words as eSpeak NG speaks them, which may
 * differ from those of the text. */
struct script_phoneme {
	uint32_t code_point;
	uint32_t word;
};

/* A growing list of the phonemes of a piece; .items is malloc'ed. */
struct script_phonemes {
	struct script_phoneme *items;
	size_t count;
	size_t size;
};

int script_phonemes_add(struct script_phonemes *list, uint32_t code_point, uint32_t word);

/* Appends the pronunciation of the bytes with a voice of eSpeak NG, without marks of language
 * changes, with the given word for every phoneme. ENOENT: there is no such voice. */
int script_phonemes_speak(struct script_phonemes *list, const char *espeak_voice, const char *text,
			  size_t len, uint32_t word);

/* Finds the word of every phoneme of a piece. `alone` has the pronunciation of each single
 * word, in order, with its index. */
int script_align(struct script_phonemes *together, const struct script_phonemes *alone);

void script_given_init(struct script_given *given, const struct engine_text *text,
		       const struct model_file *file, const char *espeak_voice);

bool script_given_has(const struct script_given *given, const struct script_piece *piece);

/* Appends the text of a piece with blanks around its ranges of given phonemes. */
int script_given_set_apart(struct buf *out, const struct script_given *given,
			   const struct script_piece *piece);

/* Replaces the phonemes of the given ranges of a piece by the given ones, as far as the model
 * has symbols for them; with too few of them the range keeps eSpeak NG's phonemes. */
int script_given_replace(const struct script_given *given, struct script_phonemes *list,
			 const struct script_word *words, const struct script_piece *piece);

/* Rewrites the phonemes in the alphabet of Kokoro's models. */
int script_kokoro_rewrite(struct script_phonemes *list, const char *espeak_voice);

#endif
