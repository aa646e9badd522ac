/*
 * timestamp_body.h: audio with the times of its characters, as ElevenLabs'
 * clients read it.
 *
 *	{"audio_base64":"…","alignment":{"characters":["H",…],
 *	 "character_start_times_seconds":[0,…],"character_end_times_seconds":[0.05,…]},
 *	 "normalized_alignment":{…}}
 *
 * One such object for the whole answer, or one in each line as audio and times
 * become known.  Times count from the answer's start.
 */
#ifndef DOORS_ELEVENLABS_TIMESTAMP_BODY_H
#define DOORS_ELEVENLABS_TIMESTAMP_BODY_H

#include <stdbool.h>
#include <stdint.h>

#include "wire/speech_form.h"

struct timestamp_body {
	bool in_lines;
	bool has_begun;
	unsigned sample_rate;
	unsigned chunk_id; /* that audio came of last */
	uint64_t samples; /* of all audio so far */
	uint64_t chunk_start; /* samples before that chunk */
	uint8_t rest[2]; /* audio that is no whole group of base64 yet */
	size_t rest_len;
	double heard_s; /* the end of the last character */
	bool owes_blank; /* between it and the next */
	struct buf characters; /* struct timestamp_record each, with its character behind it */
};

void timestamp_body_init(struct timestamp_body *body, bool in_lines, unsigned sample_rate);
void timestamp_body_reset(struct timestamp_body *body);

/* A message of dialect_timestamps, and the samples in it: appends what can be
 * said now, which may be nothing. */
int timestamp_body_take(struct timestamp_body *body, struct buf *out, const char *message,
			size_t len, uint32_t samples);

/* After the last one. */
int timestamp_body_end(struct timestamp_body *body, struct buf *out);

extern const struct speech_form timestamp_body_object; /* one object */
extern const struct speech_form timestamp_body_lines; /* an object in each line */

#endif
