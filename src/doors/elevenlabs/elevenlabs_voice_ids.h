/*
 * elevenlabs_voice_ids.h: finds voices by the ids that ElevenLabs' clients use.
 *
 * A voice is named by its number or handle, as everywhere.  Quick starts and plug-ins have ids of
 * ElevenLabs' default voices built in, so these ids are mapped to voices of the catalogue with the
 * same sex.  The operator can add ids, and can change or turn off the built-in ones.  Such ids are
 * accepted, but never listed.
 */
#ifndef DOORS_ELEVENLABS_ELEVENLABS_VOICE_IDS_H
#define DOORS_ELEVENLABS_ELEVENLABS_VOICE_IDS_H

#include "server/config.h"
#include "speech/voice.h"

/* Finds a voice by number, by handle, by the setting elevenlabs.voices, or by one of the built-in
 * ids; NULL if there is none. */
const struct voice *elevenlabs_voice_ids_find(const struct config *config,
					      const struct voices *voices, int64_t project_id,
					      const char *name, size_t len);

/* Reports targets of elevenlabs.voices that cannot exist on any server: EINVAL, with a line for
 * each.  Handles, derived voices and voices of other engines are accepted, because only a running
 * server knows them. */
int elevenlabs_voice_ids_check_config(const struct config *config, struct buf *mistakes);

#endif
