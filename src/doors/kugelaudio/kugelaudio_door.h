/*
 * kugelaudio_door.h: KugelAudio's API.
 */
#ifndef DOORS_KUGELAUDIO_KUGELAUDIO_DOOR_H
#define DOORS_KUGELAUDIO_KUGELAUDIO_DOOR_H

#include "server/door.h"

extern const struct door kugelaudio_door;

#endif
