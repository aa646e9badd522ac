/*
 * edges.c: the silence before and after an utterance (see edges.h).
 */
#include "engine/vits/edges.h"

#include <errno.h>

/* Kept before the first sound: a breath of attack that is below the level. */
#define LEAD_MS 40
/* Kept after the last: together with the next one's lead the pause between two
 * sentences that follow each other without haste. */
#define TAIL_MS 100

/* -44 dB: above what models hiss, below the softest consonants. */
#define LEVEL 200

/* Silence in one utterance, at the highest rate: more than any pause. */
#define HELD_MAX (48000u * 60u * sizeof(int16_t))

void edges_init(struct edges *edges, uint32_t sample_rate)
{
	*edges = (struct edges){
		.lead_keep = sample_rate * LEAD_MS / 1000u,
		.tail_keep = sample_rate * TAIL_MS / 1000u,
	};
	buf_init(&edges->held, HELD_MAX);
}

void edges_reset(struct edges *edges)
{
	buf_reset(&edges->held);
}

static bool is_sound(int16_t sample)
{
	return sample > LEVEL || sample < -LEVEL;
}

bool edges_begin(struct edges *edges, const int16_t *samples, size_t n, size_t *start)
{
	size_t i = 0;

	while (i < n && !is_sound(samples[i]))
		++i;
	edges->begun = i < n;
	if (edges->begun)
		i = i > edges->lead_keep ? i - edges->lead_keep : 0;
	edges->dropped += i;
	*start = i;
	return edges->begun;
}

static int give(struct edges *edges, const int16_t *samples, size_t n, struct sink *sink)
{
	edges->given += n;
	return n > 0 ? sink_audio(sink, samples, n) : 0;
}

/* Length up to and with the last sound. */
static size_t sound_len(const int16_t *samples, size_t n)
{
	while (n > 0 && !is_sound(samples[n - 1]))
		--n;
	return n;
}

int edges_push(struct edges *edges, const int16_t *samples, size_t n, struct sink *sink)
{
	size_t sound = sound_len(samples, n);
	size_t room, now;
	int err = 0;

	if (sound > 0) {
		err = give(edges, (const int16_t *)(const void *)edges->held.bytes,
			   edges->held.len / sizeof(*samples), sink);
		edges->held.len = 0;
		edges->quiet = 0;
	}
	room = edges->tail_keep - edges->quiet;
	now = n - sound < room ? n - sound : room;
	edges->quiet += now;
	if (!err)
		err = give(edges, samples, sound + now, sink);
	if (!err)
		err = buf_append(&edges->held, samples + sound + now,
				 (n - sound - now) * sizeof(*samples));
	return err;
}

size_t edges_held(const struct edges *edges)
{
	return edges->held.len / sizeof(int16_t);
}

void edges_end(struct edges *edges)
{
	edges->held.len = 0;
	edges->quiet = 0;
	edges->begun = false;
	edges->dropped = 0;
}
