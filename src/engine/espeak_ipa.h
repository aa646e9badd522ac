/*
 * espeak_ipa.h: converts IPA to eSpeak NG's own phonemes.
 *
 * Each language of the library has its own set of phonemes, written in ASCII. A table lists
 * the candidates for a sound; the library is asked which of them a voice has, and which of
 * those sounds most like it.
 */
#ifndef ENGINE_ESPEAK_IPA_H
#define ENGINE_ESPEAK_IPA_H

#include "base/buf.h"
#include "engine/given_ipa.h"

/* What is known about the library's current voice; all zeros: nothing yet. */
#define ESPEAK_IPA_ROWS 192
struct espeak_ipa {
	signed char choice[ESPEAK_IPA_ROWS];
};

/* Appends mnemonics for the library's current voice, with blanks between words. ENOENT when
 * too few of the sounds exist in the voice; ENOMEM, ENOBUFS. */
int espeak_ipa_write(struct buf *out, const struct given_ipa *ipa, struct espeak_ipa *voice);

#endif
