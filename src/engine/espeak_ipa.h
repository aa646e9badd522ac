/*
 * espeak_ipa.h: the IPA in eSpeak NG's own phonemes.
 *
 * Every language of the library has its own set of them, written in ASCII.  A
 * table says which could stand for a sound; which of those a voice has, and
 * which sounds most like it there, the library is asked.
 */
#ifndef ENGINE_ESPEAK_IPA_H
#define ENGINE_ESPEAK_IPA_H

#include "base/buf.h"
#include "engine/ipa.h"

/* What was found out about the library's current voice; zeros: nothing. */
#define ESPEAK_IPA_ROWS 192
struct espeak_ipa {
	signed char choice[ESPEAK_IPA_ROWS];
};

/* Appends mnemonics for the library's current voice, words between blanks.
 * ENOENT when too little of it can be said; ENOMEM, ENOBUFS. */
int espeak_ipa_write(struct buf *out, const struct ipa *ipa, struct espeak_ipa *voice);

#endif
