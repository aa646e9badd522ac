/*
 * espeak_text.h: text as eSpeak NG can be given it.
 *
 * The library dies of some texts: letters in circles and squares, which it spells
 * by their numbers into a buffer that is too small for that; words of more than a
 * hundred letters; in some languages two signs that begin a text without a blank
 * between them.  Those are written otherwise.  Phonemes become its own
 * mnemonics in double brackets, and nothing else of the text can be taken for
 * some.
 *
 * Every character remembers where it came from, for word times.
 */
#ifndef ENGINE_ESPEAK_TEXT_H
#define ENGINE_ESPEAK_TEXT_H

#include "base/buf.h"
#include "engine/engine.h"
#include "engine/ipa.h"

struct espeak_text {
	struct buf text; /* ends with a NUL, which counts */
	struct buf origins; /* uint32_t: of each character the byte in the given text */
	bool has_phonemes; /* espeakPHONEMES is needed */
};

/* Appends phonemes in the library's mnemonics, words between blanks.  ENOENT when
 * too little of them has a sound in the voice; ENOMEM, ENOBUFS. */
typedef int(espeak_text_ipa_h)(struct buf *out, const struct ipa *ipa, void *arg);

/* Refcounted (mem_deref).  The language is that of the library's voice; the
 * handler may be NULL when the text has no phonemes.  ENOMEM. */
int espeak_text_alloc(struct espeak_text **textp, const struct engine_text *given,
		      const char *language, espeak_text_ipa_h *handler, void *arg);

/* The byte of the given text that a character came from; the text's end past the
 * last. */
size_t espeak_text_origin(const struct espeak_text *text, size_t character);

#endif
