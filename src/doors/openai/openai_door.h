/*
 * openai_door.h: OpenAI's API.
 */
#ifndef DOORS_OPENAI_OPENAI_DOOR_H
#define DOORS_OPENAI_OPENAI_DOOR_H

#include "server/door.h"

extern const struct door openai_door;

#endif
