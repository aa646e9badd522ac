/*
 * doors_local.h: parts of the vendors' APIs for programs that do not serve them.
 */
#ifndef DOORS_DOORS_LOCAL_H
#define DOORS_DOORS_LOCAL_H

#include "account/engine_token.h"
#include "session/socket_api.h"
#include "session/transcript_form.h"

/* The native streaming endpoint, for a program that speaks without a server. */
extern const struct socket_api *const doors_local_stream;

/* How a transcript is written, for a program that listens without a server: its text, and with the
 * times of segments and words, which are these parts (struct transcript_facts). */
extern const struct transcript_form *const doors_local_transcript;
extern const struct transcript_form *const doors_local_transcript_timed;
extern const unsigned doors_local_transcript_parts;

/* The rules for the tokens with which speech engines authenticate. */
extern const struct engine_token_rules *const doors_local_engine_tokens;

/* Finds the voices that resemble the one with this name at a vendor: their ids, best first, ended
 * with 0.  NULL when no vendor has such a voice.  Case does not matter. */
const int64_t *doors_local_voice(const char *name, size_t len);

#endif
