/*
 * vapi_door.h: Vapi's API.
 */
#ifndef DOORS_VAPI_VAPI_DOOR_H
#define DOORS_VAPI_VAPI_DOOR_H

#include "server/door.h"

extern const struct door vapi_door;

#endif
