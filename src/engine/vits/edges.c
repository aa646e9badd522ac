/*
 * edges.c: the silence before and after an utterance (see edges.h).
 */
#include "engine/vits/edges.h"

#include "base/count.h"

/* Silence kept before the first sound, because the attack begins below the level. */
#define LEAD_MS 40
/* Silence kept after the last sound. */
#define TAIL_MS 95
/* Silence before and after a sentence that follows another or is followed by one: together the
 * pause of an unhurried speaker. */
#define PAUSE_BEFORE_MS 110
#define PAUSE_AFTER_MS 100
/* Length of the ramp from silence to the first sample and back: too short to be heard. */
#define RAMP_MS 5

/* -44 dB: above the noise of models, below the softest consonants. */
#define LEVEL 200

#define RAMP_MAX (48000 * RAMP_MS / 1000)

/* The maximum silence in one utterance at the highest rate: more than any pause. */
#define HELD_MAX (48000u * 60u * sizeof(int16_t))

void edges_init(struct edges *edges, uint32_t sample_rate)
{
	*edges = (struct edges){.sample_rate = sample_rate};
	buf_init(&edges->held, HELD_MAX);
}

void edges_reset(struct edges *edges)
{
	buf_reset(&edges->held);
}

static size_t edges_samples_of(const struct edges *edges, unsigned ms)
{
	return edges->sample_rate * ms / 1000u;
}

static bool edges_is_sound(int16_t sample)
{
	return sample > LEVEL || sample < -LEVEL;
}

bool edges_begin(struct edges *edges, const int16_t *samples, size_t n, size_t *start)
{
	size_t keep = edges_samples_of(edges, LEAD_MS);
	size_t i = 0;

	while (i < n && !edges_is_sound(samples[i]))
		++i;
	edges->begun = i < n;
	edges->kept = edges->begun && i < keep ? i : keep;
	if (edges->begun)
		i -= edges->kept;
	edges->dropped += i;
	*start = i;
	return edges->begun;
}

static int edges_send(struct edges *edges, const int16_t *samples, size_t n, struct sink *sink)
{
	if (n == 0)
		return 0;
	edges->given += n;
	edges->last = samples[n - 1];
	return sink_audio(sink, samples, n);
}

static int edges_send_silence(struct edges *edges, size_t n, struct sink *sink)
{
	static const int16_t zeros[256];
	int err = 0;

	while (n > 0 && !err) {
		size_t len = n < COUNT(zeros) ? n : COUNT(zeros);

		err = edges_send(edges, zeros, len, sink);
		n -= len;
	}
	return err;
}

/* A straight line from one value to another, without the end points. */
static int edges_send_ramp(struct edges *edges, int16_t from, int16_t to, struct sink *sink)
{
	int16_t ramp[RAMP_MAX];
	int n = (int)edges_samples_of(edges, RAMP_MS);

	for (int i = 0; i < n; ++i)
		ramp[i] = (int16_t)(from + (to - from) * (i + 1) / (n + 1));
	return edges_send(edges, ramp, (size_t)n, sink);
}

int edges_lead(struct edges *edges, int16_t first, bool with_pause, struct sink *sink)
{
	size_t pause = with_pause ? edges_samples_of(edges, PAUSE_BEFORE_MS) : 0;
	size_t there = edges->kept + edges_samples_of(edges, RAMP_MS);
	int err = edges_send_silence(edges, pause > there ? pause - there : 0, sink);

	return err ? err : edges_send_ramp(edges, 0, first, sink);
}

/* The length up to and including the last sound. */
static size_t edges_sound_len(const int16_t *samples, size_t n)
{
	while (n > 0 && !edges_is_sound(samples[n - 1]))
		--n;
	return n;
}

int edges_push(struct edges *edges, const int16_t *samples, size_t n, struct sink *sink)
{
	size_t sound = edges_sound_len(samples, n);
	size_t room, now;
	int err = 0;

	if (sound > 0) {
		err = edges_send(edges, (const int16_t *)(const void *)edges->held.bytes,
				 edges->held.len / sizeof(*samples), sink);
		edges->held.len = 0;
		edges->quiet = 0;
	}
	room = edges_samples_of(edges, TAIL_MS) - edges->quiet;
	now = n - sound < room ? n - sound : room;
	edges->quiet += now;
	if (!err)
		err = edges_send(edges, samples, sound + now, sink);
	if (!err)
		err = buf_append(&edges->held, samples + sound + now,
				 (n - sound - now) * sizeof(*samples));
	return err;
}

size_t edges_held(const struct edges *edges)
{
	return edges->held.len / sizeof(int16_t);
}

int edges_end(struct edges *edges, bool with_pause, struct sink *sink)
{
	size_t pause = with_pause ? edges_samples_of(edges, PAUSE_AFTER_MS) : 0;
	size_t there = edges->quiet + edges_samples_of(edges, RAMP_MS);
	int err = 0;

	if (edges->begun) {
		err = edges_send_ramp(edges, edges->last, 0, sink);
		if (!err)
			err = edges_send_silence(edges, pause > there ? pause - there : 0, sink);
	}
	edges->held.len = 0;
	edges->quiet = 0;
	edges->begun = false;
	edges->dropped = 0;
	return err;
}
