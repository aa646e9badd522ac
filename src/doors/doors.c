/*
 * doors.c: the list of all doors (see doors.h).
 */
#include "doors/doors.h"

#include "doors/elevenlabs/elevenlabs_door.h"
#include "doors/kugelaudio/kugelaudio_door.h"
#include "doors/openai/openai_door.h"
#include "doors/vapi/vapi_door.h"

const struct door *const doors_all[] = {
	&kugelaudio_door, &elevenlabs_door, &openai_door, &vapi_door, NULL,
};
