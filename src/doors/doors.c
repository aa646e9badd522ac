/*
 * doors.c: the list of all doors (see doors.h).
 */
#include "doors/doors.h"

#include "doors/elevenlabs/elevenlabs.h"
#include "doors/kugelaudio/kugelaudio.h"
#include "doors/openai/openai.h"
#include "doors/vapi/vapi.h"

const struct door *const doors_all[] = {
	&kugelaudio_door, &elevenlabs_door, &openai_door, &vapi_door, NULL,
};
