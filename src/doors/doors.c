/*
 * doors.c: the list of the vendor APIs that are served (see doors.h).
 */
#include "doors/doors.h"

#include "doors/elevenlabs/elevenlabs.h"
#include "doors/kugelaudio/kugelaudio.h"
#include "doors/openai/openai.h"
#include "doors/twilio/twilio_door.h"
#include "doors/vapi/vapi.h"

const struct door *const doors_all[] = {
	&kugelaudio_door, &elevenlabs_door, &openai_door, &twilio_door, &vapi_door, NULL,
};
