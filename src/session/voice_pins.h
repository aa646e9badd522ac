/*
 * voice_pins.h: the voices that a connection has used.
 *
 * While a connection lasts, an id is spoken by the same person: one that began with a stand-in
 * keeps it when the better speaker has been installed or has recovered.  Only a speaker that is
 * gone is replaced.
 */
#ifndef SESSION_VOICE_PINS_H
#define SESSION_VOICE_PINS_H

#include "speech/voice.h"

/* A list that begins with a pin in the session: most connections use one voice. */
struct voice_pin {
	struct voice_pin *next;
	const struct voice *voice; /* NULL: this one is free */
};

/* The voice of an id for a project, with the speaker that the pins have for it; NULL: there is no
 * such voice.  Lent until the next call. */
const struct voice *voice_pins_find(struct voice_pin *pins, const struct voices *voices,
				    int64_t project_id, int64_t id);
void voice_pins_reset(struct voice_pin *pins);

#endif
