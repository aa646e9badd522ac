/*
 * voice_pins.c: the voices that a connection has used (see voice_pins.h).
 *
 * A list, because a connection rarely uses more than one or two.
 */
#include "session/voice_pins.h"

#include <stdlib.h>
#include <string.h>

struct voice_pin {
	struct voice_pin *next;
	const struct voice *voice;
};

static struct voice_pin **voice_pins_place(struct voice_pin **pins, int64_t id)
{
	while (*pins && (*pins)->voice->id != id)
		pins = &(*pins)->next;
	return pins;
}

static void voice_pins_remove(struct voice_pin **place)
{
	struct voice_pin *pin = *place;

	*place = pin->next;
	voice_drop(pin->voice);
	free(pin);
}

/* Without memory the next turn of the connection asks the catalogue again. */
static void voice_pins_add(struct voice_pin **place, const struct voice *voice)
{
	struct voice_pin *pin = calloc(1, sizeof(*pin));

	if (!pin)
		return;
	pin->voice = voice_keep(voice);
	*place = pin;
}

static bool is_same_speaker(const struct voice *a, const struct voice *b)
{
	return strcmp(a->engine, b->engine) == 0 && strcmp(a->engine_voice, b->engine_voice) == 0;
}

const struct voice *voice_pins_find(struct voice_pin **pins, const struct voices *voices,
				    int64_t project_id, int64_t id)
{
	const struct voice *now = voices_find_for(voices, project_id, id);
	struct voice_pin **place = voice_pins_place(pins, id);

	if (*place && now && !is_same_speaker((*place)->voice, now) &&
	    voices_has_speaker(voices, (*place)->voice->engine, (*place)->voice->engine_voice))
		return (*place)->voice;
	if (*place && (*place)->voice != now)
		voice_pins_remove(place);
	if (!*place && now)
		voice_pins_add(place, now);
	return now;
}

void voice_pins_reset(struct voice_pin **pins)
{
	while (*pins)
		voice_pins_remove(pins);
}
