/*
 * elevenlabs_voices.h: voices as ElevenLabs' clients name them.
 *
 * A voice is named by its number or handle, as everywhere.  Quick starts and plug-ins have ids of
 * ElevenLabs' default voices built in, so these stand for voices of the catalogue of the same
 * sex; the operator can add ids, and change or turn off the built-in ones.  Such ids are found
 * and never listed.
 */
#ifndef SERVER_ELEVENLABS_VOICES_H
#define SERVER_ELEVENLABS_VOICES_H

#include "server/config.h"
#include "speech/voice.h"

/* By number, by handle, by elevenlabs.voices, or by one of the built-in ids.  NULL: none. */
const struct voice *elevenlabs_voices_find(const struct config *config, const struct voices *voices,
					   int64_t project_id, const char *name, size_t len);

/* The value of elevenlabs.voices, for the table in config.c: what is wrong with it, or NULL. */
const char *elevenlabs_voices_check(const char *value);

/* Targets that no server can have: a mistake for `syrinx check`, a warning for a server that
 * starts.  Handles, derived voices and voices of other engines are known only to a running
 * server and pass.  EINVAL, with a line for each. */
int elevenlabs_voices_check_targets(const struct config *config, struct buf *mistakes);

#endif
