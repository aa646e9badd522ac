/*
 * engine_id.h: the ids of speech engines, as ElevenLabs' clients write them.
 *
 * "seng_ID" and "agent_ID" name the same resource of the store.  Any other text is the name of an agent
 * of the configuration.  Pure, for any thread.
 */
#ifndef DOORS_ELEVENLABS_ENGINE_ID_H
#define DOORS_ELEVENLABS_ENGINE_ID_H

#include <stdbool.h>
#include <stddef.h>

#include "store/store.h"

/* The longer of "seng_ID" and an agent's name (PARAM_NAME_SIZE), with its NUL. */
#define ENGINE_ID_SIZE 40

/* Writes the id that the store knows.  Returns false if the text is not one of a stored resource. */
bool engine_id_read(char id[STORE_SPEECH_ENGINE_ID_LEN + 1], const char *text, size_t len);

/* Writes the text by which clients know the id in the store. */
void engine_id_show(char text[ENGINE_ID_SIZE], const char *id);

/* Writes one text for all that name the same resource.  EINVAL if the text is too long. */
int engine_id_normalize(char text[ENGINE_ID_SIZE], const char *given, size_t len);

#endif
