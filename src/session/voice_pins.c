/*
 * voice_pins.c: the voices that a connection has used (see voice_pins.h).
 */
#include "session/voice_pins.h"

#include <stdlib.h>
#include <string.h>

/* Finds the pin of an id, or an unused one; NULL: all are used. */
static struct voice_pin *voice_pins_place(struct voice_pin *pins, int64_t id)
{
	struct voice_pin *unused = NULL;

	for (struct voice_pin *pin = pins; pin; pin = pin->next) {
		if (pin->voice && pin->voice->id == id)
			return pin;
		if (!pin->voice && !unused)
			unused = pin;
	}
	return unused;
}

/* If there is no memory, nothing is pinned, and the next turn looks in the catalogue again. */
static void voice_pins_set(struct voice_pin *pins, struct voice_pin *place,
			   const struct voice *voice)
{
	if (!place && voice) {
		place = calloc(1, sizeof(*place));
		if (!place)
			return;
		place->next = pins->next;
		pins->next = place;
	}
	if (!place)
		return;
	voice_drop(place->voice);
	place->voice = voice_keep(voice);
}

static bool voice_pins_is_same_speaker(const struct voice *a, const struct voice *b)
{
	return strcmp(a->engine, b->engine) == 0 && strcmp(a->engine_voice, b->engine_voice) == 0;
}

const struct voice *voice_pins_find(struct voice_pin *pins, const struct voices *voices,
				    int64_t project_id, int64_t id)
{
	const struct voice *current = voices_find_for(voices, project_id, id);
	struct voice_pin *place = voice_pins_place(pins, id);
	const struct voice *pinned = place ? place->voice : NULL;

	if (pinned && current && !voice_pins_is_same_speaker(pinned, current) &&
	    voices_has_speaker(voices, pinned->engine, pinned->engine_voice))
		return pinned;
	if (pinned != current)
		voice_pins_set(pins, place, current);
	return current;
}

void voice_pins_reset(struct voice_pin *pins)
{
	while (pins->next) {
		struct voice_pin *pin = pins->next;

		pins->next = pin->next;
		voice_drop(pin->voice);
		free(pin);
	}
	pins->voice = voice_drop(pins->voice);
}
