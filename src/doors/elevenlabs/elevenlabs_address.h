/*
 * elevenlabs_address.h: the settings in the address of an ElevenLabs WebSocket.
 */
#ifndef DOORS_ELEVENLABS_ELEVENLABS_ADDRESS_H
#define DOORS_ELEVENLABS_ELEVENLABS_ADDRESS_H

#include "wire/address_settings.h"

/* Silence after which a stream or a context ends, unless the address says otherwise. */
#define ELEVENLABS_ADDRESS_IDLE_MS 20000

void elevenlabs_address_init(struct address_settings *address);

extern const struct address_field elevenlabs_address_fields[]; /* up to one without a name */

#endif
