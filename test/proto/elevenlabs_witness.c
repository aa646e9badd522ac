/*
 * elevenlabs_witness.c: checks every reply on ElevenLabs' WebSockets (see elevenlabs_witness.h).
 */
#include "elevenlabs_witness.h"

#include <stdlib.h>
#include <string.h>

#include "base/base64.h"

/* The format with which the scripts' streams are opened. */
#define RATE 24000
#define MS_TOLERANCE 1 /* times are whole milliseconds */

static const char *elevenlabs_witness_see_audio(struct witness *witness, const char *audio)
{
	void *bytes = malloc(base64_decoded_max(strlen(audio)) + 1);
	size_t len = 0;
	bool is_base64 = bytes && base64_decode(bytes, &len, audio, strlen(audio)) == 0;

	free(bytes);
	if (!is_base64 || len == 0 || len % 2 != 0)
		return "audio that is no 16-bit PCM";
	witness->rate = RATE;
	memcpy(witness->encoding, "pcm_s16le", sizeof("pcm_s16le"));
	++witness->idx;
	witness->chunk_samples += len / 2;
	witness->turn_samples += len / 2;
	return NULL;
}

static const char *elevenlabs_witness_see_times(const json_t *starts, const json_t *durations,
						double chunk_ms)
{
	json_int_t last = 0;
	json_int_t end = 0;
	size_t i;
	json_t *start;

	json_array_foreach(starts, i, start)
	{
		json_int_t at = json_integer_value(start);
		json_int_t duration = json_integer_value(json_array_get(durations, i));

		if (at < last || duration < 0)
			return "times that run back";
		last = at;
		end = at + duration;
		if ((double)end > chunk_ms + MS_TOLERANCE)
			return "a time behind its chunk's audio";
	}
	if ((double)end < chunk_ms - MS_TOLERANCE) /* clients add them up */
		return "times that end before their chunk's audio";
	return NULL;
}

static const char *elevenlabs_witness_see_alignment(struct witness *witness,
						    const json_t *alignment)
{
	const json_t *chars = json_object_get(alignment, "chars");
	const json_t *starts = json_object_get(alignment, "charStartTimesMs");
	const json_t *durations = json_object_get(alignment, "charDurationsMs");
	double chunk_ms = (double)witness->chunk_samples * 1000 / RATE;

	witness->chunk_samples = 0;
	if (json_array_size(chars) == 0 || json_array_size(chars) != json_array_size(starts) ||
	    json_array_size(chars) != json_array_size(durations))
		return "an alignment whose lists differ in length";
	if (chunk_ms <= 0)
		return "an alignment without audio before it";
	return elevenlabs_witness_see_times(starts, durations, chunk_ms);
}

static const char *elevenlabs_witness_see_error(struct witness *witness, const json_t *reply)
{
	(void)witness;
	if (!json_is_string(json_object_get(reply, "message")) ||
	    !json_is_string(json_object_get(reply, "error")) ||
	    json_integer_value(json_object_get(reply, "code")) != 1008)
		return "an error that lacks a member";
	return NULL;
}

static const char *elevenlabs_witness_see_final(struct witness *witness, const json_t *reply)
{
	if (!json_is_null(json_object_get(reply, "audio")))
		return "a final with audio";
	witness_start_anew(witness);
	return NULL;
}

const char *elevenlabs_witness_reply(struct witness *witness, const json_t *reply)
{
	const json_t *alignment = json_object_get(reply, "alignment");
	const char *audio = json_string_value(json_object_get(reply, "audio"));

	if (json_object_get(reply, "error"))
		return elevenlabs_witness_see_error(witness, reply);
	if (json_is_true(json_object_get(reply, "isFinal")))
		return elevenlabs_witness_see_final(witness, reply);
	if (!audio || !json_is_null(json_object_get(reply, "isFinal")) || !alignment ||
	    !json_object_get(reply, "normalizedAlignment"))
		return "a reply of no known kind";
	return json_is_null(alignment) ? elevenlabs_witness_see_audio(witness, audio)
				       : elevenlabs_witness_see_alignment(witness, alignment);
}
