/*
 * once_witness.c: checks every reply on /ws/tts (see once_witness.h).
 */
#include "once_witness.h"

#include <math.h>
#include <string.h>

#include "base/count.h"

#define MS_TOLERANCE 0.0006 /* three decimals are shown */

static double once_witness_number(const json_t *reply, const char *key)
{
	return json_number_value(json_object_get(reply, key));
}

/* The beginning of a chunk is not reported; it is recognized by its first frame. */
static const char *once_witness_see_audio(struct witness *witness, const json_t *reply)
{
	json_int_t chunk_id = json_integer_value(json_object_get(reply, "chunk_id"));

	if (witness->is_chunk_open && chunk_id == witness->chunk_id + 1) {
		++witness->chunk_id;
		witness->chunk_samples = 0;
	}
	witness->is_chunk_open = true;
	return witness_audio(witness, reply);
}

static const char *once_witness_see_words(struct witness *witness, const json_t *reply)
{
	if (!witness->is_chunk_open ||
	    json_integer_value(json_object_get(reply, "chunk_id")) != witness->chunk_id)
		return "words of another chunk than the last";
	return NULL;
}

static const char *once_witness_see_figures(const struct witness *witness, const json_t *reply)
{
	double dur_ms = once_witness_number(reply, "dur_ms");
	double expected =
		witness->rate ? (double)witness->turn_samples * 1000 / (double)witness->rate : 0;

	if (json_integer_value(json_object_get(reply, "chunks")) != witness->idx)
		return "chunks is not the number of frames";
	if ((uint64_t)once_witness_number(reply, "total_samples") != witness->turn_samples)
		return "total_samples is not the audio that was sent";
	if (fabs(dur_ms - expected) > MS_TOLERANCE)
		return "dur_ms is not the audio that was sent";
	if (!json_is_integer(json_object_get(reply, "gen_ms")))
		return "gen_ms is not a whole number";
	/* gen_ms is rounded, rtf is not. */
	if (dur_ms > 0 && fabs(once_witness_number(reply, "rtf") * dur_ms -
			       once_witness_number(reply, "gen_ms")) > 0.5001)
		return "rtf is not gen_ms over dur_ms";
	return NULL;
}

static const char *once_witness_see_final(struct witness *witness, const json_t *reply)
{
	const json_t *debug = json_object_get(reply, "debug");
	const char *fault = once_witness_see_figures(witness, reply);

	if (!fault && !json_is_string(json_object_get(debug, "original_text")))
		fault = "final without its text";
	if (!fault && (witness->idx > 0) != json_is_number(json_object_get(debug, "ttfa_ms")))
		fault = "ttfa_ms is there when there is audio, and only then";
	if (!fault)
		fault = witness_usage(witness, json_object_get(reply, "usage"));
	witness_start_anew(witness);
	return fault;
}

static const char *once_witness_see_end(struct witness *witness, const json_t *reply)
{
	(void)reply;
	witness_start_anew(witness);
	return NULL;
}

static const char *once_witness_see_error(struct witness *witness, const json_t *reply)
{
	if (!json_is_string(json_object_get(reply, "error")) ||
	    !json_is_string(json_object_get(reply, "error_code")) ||
	    !json_is_integer(json_object_get(reply, "code")) ||
	    !json_is_string(json_object_get(reply, "request_id")))
		return "an error that lacks a member";
	return once_witness_see_end(witness, reply);
}

static const char *once_witness_see_aside(struct witness *witness, const json_t *reply)
{
	(void)witness;
	(void)reply;
	return NULL;
}

static const struct {
	const char *key;
	const char *(*see)(struct witness *witness, const json_t *reply);
} kinds[] = {
	{"audio", once_witness_see_audio}, {"word_timestamps", once_witness_see_words},
	{"final", once_witness_see_final}, {"interrupted", once_witness_see_end},
	{"error", once_witness_see_error}, {"settings_updated", once_witness_see_aside},
};

const char *once_witness_reply(struct witness *witness, const json_t *reply)
{
	for (size_t i = 0; i < COUNT(kinds); ++i) {
		if (json_object_get(reply, kinds[i].key))
			return kinds[i].see(witness, reply);
	}
	return "a reply of no known kind";
}
