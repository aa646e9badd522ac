/*
 * elevenlabs_door.h: ElevenLabs' API.
 */
#ifndef DOORS_ELEVENLABS_ELEVENLABS_DOOR_H
#define DOORS_ELEVENLABS_ELEVENLABS_DOOR_H

#include "server/door.h"

extern const struct door elevenlabs_door;

#endif
