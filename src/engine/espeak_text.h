/*
 * espeak_text.h: text in a form that is safe to give to eSpeak NG.
 *
 * Some texts crash the library: enclosed letters, which it spells by their code points into
 * a buffer that is too small; words of more than a hundred letters; in some languages two
 * signs that begin a text without a blank between them. These are rewritten. Phonemes become
 * the library's mnemonics in double brackets, and nothing else in the text can be mistaken
 * for mnemonics.
 *
 * Every character remembers which byte it came from, for word times.
 */
#ifndef ENGINE_ESPEAK_TEXT_H
#define ENGINE_ESPEAK_TEXT_H

#include "base/buf.h"
#include "engine/engine.h"
#include "engine/given_ipa.h"

struct espeak_text {
	struct buf text; /* NUL-terminated; the length includes the NUL */
	struct buf origins; /* uint32_t: for each character its byte in the given text */
	bool has_phonemes; /* the text must be spoken with the library's flag espeakPHONEMES */
};

/* Appends phonemes as the library's mnemonics, with blanks between words. ENOENT when too few
 * of them have a sound in the voice; ENOMEM, ENOBUFS. */
typedef int(espeak_text_ipa_h)(struct buf *out, const struct given_ipa *ipa, void *arg);

/* Makes an object of base/mem.h. `language` is that of the library's voice; the handler, which is
 * called only during this call, may be NULL when the text has no phonemes. ENOMEM. */
int espeak_text_alloc(struct espeak_text **textp, const struct engine_text *given,
		      const char *language, espeak_text_ipa_h *handler, void *arg);

/* The byte of the given text that a character came from; the end of the text for characters
 * past the last one. */
size_t espeak_text_origin(const struct espeak_text *text, size_t character);

#endif
