/*
 * witness.c: checks that apply to every reply (see witness.h).
 */
#include "witness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/count.h"
#include "base/utf8.h"

/* Seconds are written with nine decimals. */
#define SECONDS_TOLERANCE 2e-9
#define COST_TOLERANCE 1e-9 /* it is exact, except for the conversion to a double */

void witness_init(struct witness *witness, const struct fake_ledger *ledger)
{
	*witness = (struct witness){.ledger = ledger};
}

void witness_reset(struct witness *witness)
{
	free(witness->chunk_text);
	witness->chunk_text = NULL;
}

void witness_start_anew(struct witness *witness)
{
	const struct fake_ledger *ledger = witness->ledger;
	uint64_t samples = witness->turn_samples;

	witness_reset(witness);
	witness_init(witness, ledger);
	witness->ended_samples = samples;
}

static json_int_t witness_integer(const json_t *reply, const char *key)
{
	return json_integer_value(json_object_get(reply, key));
}

static double witness_number(const json_t *reply, const char *key)
{
	return json_number_value(json_object_get(reply, key));
}

static const char *witness_string(const json_t *reply, const char *key)
{
	const char *text = json_string_value(json_object_get(reply, key));

	return text ? text : "";
}

static bool witness_is_near(double a, double b)
{
	return fabs(a - b) <= SECONDS_TOLERANCE;
}

static double witness_seconds(const struct witness *witness, uint64_t samples)
{
	return samples ? (double)samples / (double)witness->rate : 0;
}

const char *witness_started(struct witness *witness, const json_t *reply)
{
	if (witness->is_chunk_open)
		return "a chunk begins before the one before is complete";
	if (witness->has_final)
		return "a chunk begins after final";
	if (witness_integer(reply, "chunk_id") != witness->chunk_id)
		return "chunk_id does not count on";
	free(witness->chunk_text);
	witness->chunk_text = strdup(witness_string(reply, "text"));
	witness->is_chunk_open = true;
	witness->chunk_samples = 0;
	return witness->chunk_text && witness->chunk_text[0] ? NULL : "a chunk without text";
}

static size_t witness_bytes_per_sample(const char *encoding)
{
	if (strcmp(encoding, "pcm_s16le") == 0)
		return 2;
	return strcmp(encoding, "mulaw") == 0 || strcmp(encoding, "alaw") == 0;
}

/* The number of bytes of audio in a frame; 0 if it is not valid base64. */
static size_t witness_decoded_len(const json_t *reply)
{
	const char *audio = witness_string(reply, "audio");
	void *bytes = malloc(base64_decoded_max(strlen(audio)) + 1);
	size_t len = 0;

	if (!bytes || base64_decode(bytes, &len, audio, strlen(audio)) != 0)
		len = 0;
	free(bytes);
	return len;
}

static const char *witness_see_format(struct witness *witness, const json_t *reply)
{
	const char *encoding = witness_string(reply, "enc");
	bool is_fixed = witness->idx > 0 && !witness->may_change_format;

	if (is_fixed && strcmp(witness->encoding, encoding) != 0)
		return "the encoding changes inside a turn";
	if (is_fixed && witness_integer(reply, "sr") != witness->rate)
		return "the sample rate changes inside a turn";
	witness->may_change_format = false;
	if (strlen(encoding) >= sizeof(witness->encoding))
		return "an encoding of no known name";
	memcpy(witness->encoding, encoding, strlen(encoding) + 1);
	witness->rate = witness_integer(reply, "sr");
	return witness->rate > 0 ? NULL : "a frame without a sample rate";
}

const char *witness_audio(struct witness *witness, const json_t *reply)
{
	json_int_t samples = witness_integer(reply, "samples");
	const char *fault = witness_see_format(witness, reply);

	if (fault)
		return fault;
	if (!witness->is_chunk_open)
		return "audio outside of a chunk";
	if (witness_integer(reply, "chunk_id") != witness->chunk_id)
		return "audio of another chunk";
	if (witness_integer(reply, "idx") != witness->idx)
		return "idx does not count on";
	if (samples <= 0 || witness_decoded_len(reply) !=
				    (size_t)samples * witness_bytes_per_sample(witness->encoding))
		return "samples, encoding and bytes do not fit together";
	++witness->idx;
	witness->chunk_samples += (uint64_t)samples;
	witness->turn_samples += (uint64_t)samples;
	witness->heard_seconds += (double)samples / (double)witness->rate;
	return NULL;
}

/* The byte at which code point n of a text begins. */
static const char *witness_code_point(const char *text, json_int_t n)
{
	while (n-- > 0 && *text) {
		uint32_t c;

		text += utf8_decode(&c, text, strlen(text));
	}
	return text;
}

static const char *witness_see_word(const struct witness *witness, const json_t *word,
				    double chunk_ms)
{
	json_int_t count = (json_int_t)utf8_count(witness->chunk_text, strlen(witness->chunk_text));
	json_int_t from = witness_integer(word, "char_start");
	json_int_t to = witness_integer(word, "char_end");
	const char *text = witness_code_point(witness->chunk_text, from);
	size_t len = strlen(witness_string(word, "word"));

	if (from < 0 || to <= from || to > count)
		return "a word outside of its chunk's text";
	if (len != (size_t)(witness_code_point(witness->chunk_text, to) - text) ||
	    memcmp(text, witness_string(word, "word"), len) != 0)
		return "a word is not what stands at its place";
	if (witness_integer(word, "start_ms") > witness_integer(word, "end_ms") ||
	    (double)witness_integer(word, "end_ms") > chunk_ms)
		return "a word's time is not inside its chunk's";
	return witness_is_near(witness_number(word, "score"), 1) ? NULL
								 : "a word's score is not 1.0";
}

const char *witness_words(struct witness *witness, const json_t *reply)
{
	const json_t *words = json_object_get(reply, "word_timestamps");
	double chunk_ms = witness_seconds(witness, witness->chunk_samples) * 1000;
	json_int_t last_ms = 0;
	size_t i;
	json_t *word;

	if (!witness->is_chunk_open || witness_integer(reply, "chunk_id") != witness->chunk_id)
		return "words of a chunk that is not open";
	if (witness->chunk_samples == 0)
		return "words before their audio has begun";
	json_array_foreach(words, i, word)
	{
		const char *fault = witness_see_word(witness, word, chunk_ms);

		if (fault)
			return fault;
		if (witness_integer(word, "start_ms") < last_ms)
			return "words are not in the order of time";
		last_ms = witness_integer(word, "start_ms");
	}
	return NULL;
}

const char *witness_complete(struct witness *witness, const json_t *reply)
{
	if (!witness->is_chunk_open || witness_integer(reply, "chunk_id") != witness->chunk_id)
		return "a chunk is complete that is not open";
	if (!witness_is_near(witness_number(reply, "audio_seconds"),
			     witness_seconds(witness, witness->chunk_samples)))
		return "chunk_complete's audio_seconds is not the audio that was sent";
	if (!json_is_integer(json_object_get(reply, "gen_ms")))
		return "gen_ms is not a whole number";
	witness->complete_seconds += witness_number(reply, "audio_seconds");
	witness->is_chunk_open = false;
	++witness->chunk_id;
	return NULL;
}

static const char *witness_see_totals(const struct witness *witness, const json_t *reply)
{
	if (!witness_is_near(witness_number(reply, "total_audio_seconds"),
			     witness_seconds(witness, witness->turn_samples)))
		return "total_audio_seconds is not the audio that was sent";
	if (fabs(witness_number(reply, "total_audio_seconds") - witness->complete_seconds) > 1e-6)
		return "the seconds of the chunks do not add up to the total";
	if (witness_integer(reply, "total_text_chunks") != witness->chunk_id)
		return "total_text_chunks is not the number of chunks";
	if (witness_integer(reply, "total_audio_chunks") != witness->idx)
		return "total_audio_chunks is not the number of frames";
	return NULL;
}

static const char *witness_see_final(struct witness *witness, const json_t *reply)
{
	if (witness->is_chunk_open)
		return "final before the last chunk is complete";
	if (witness->has_final)
		return "a second final";
	witness->has_final = true;
	return witness_see_totals(witness, reply);
}

static const struct store_turn *witness_find_row(const struct witness *witness, const char *turn_id)
{
	for (size_t i = 0; i < witness->ledger->count; ++i) {
		if (strcmp(witness->ledger->bookings[i].row.id, turn_id) == 0)
			return &witness->ledger->bookings[i].row;
	}
	return NULL;
}

static const char *witness_see_row(const struct witness *witness, const json_t *usage,
				   const struct store_turn *row)
{
	double cost = (double)row->amount_microcents / 1e6;
	bool is_failed = row->status == STORE_TURN_FAILED;

	if (fake_ledger_count(witness->ledger, row->id) != 1)
		return "the turn was booked twice";
	if (strcmp(row->model_id, witness_string(usage, "model_id")) != 0)
		return "the ledger has another model";
	if (is_failed ? row->amount_microcents != 0 : row->samples != witness->turn_samples)
		return "what was booked is not what was sent";
	if (!is_failed && row->characters != (uint64_t)witness_integer(usage, "characters"))
		return "the ledger has other characters";
	if (json_is_number(json_object_get(usage, "cost_cents")) &&
	    fabs(witness_number(usage, "cost_cents") - cost) > COST_TOLERANCE)
		return "cost_cents is not what was booked";
	return NULL;
}

const char *witness_usage(const struct witness *witness, const json_t *usage)
{
	const char *turn_id = witness_string(usage, "turn_id");
	const struct store_turn *row = witness_find_row(witness, turn_id);
	bool is_unknown = json_is_null(json_object_get(usage, "cost_cents"));

	if (is_unknown != json_is_true(json_object_get(usage, "cost_unavailable")))
		return "cost_unavailable and cost_cents disagree";
	if (is_unknown == (strcmp(witness_string(usage, "currency"), "eur") == 0))
		return "currency stands beside a cost, and only there";
	if (turn_id[0] && !row && !is_unknown)
		return "session_closed before the ledger has the turn";
	return row ? witness_see_row(witness, usage, row) : NULL;
}

static const char *witness_see_closed(struct witness *witness, const json_t *reply)
{
	const json_t *usage = json_object_get(reply, "usage");
	const char *fault = witness_usage(witness, usage);

	if (!fault && witness->has_final)
		fault = witness_see_totals(witness, reply);
	else if (!fault && witness_number(reply, "total_audio_seconds") > 0)
		fault = "session_closed without final has totals";
	if (!fault && !witness_is_near(witness_number(reply, "total_audio_seconds"),
				       witness_number(usage, "audio_seconds")))
		fault = "usage and totals disagree";
	witness_start_anew(witness);
	return fault;
}

static const char *witness_see_interrupted(struct witness *witness, const json_t *reply)
{
	(void)reply;
	if (witness->has_final)
		return "interrupted between final and session_closed";
	witness_start_anew(witness);
	return NULL;
}

/* Errors of a message do not affect the turn.  Errors of the server, a text that is too long and
 * errors in the text itself end the turn. */
static const char *witness_see_error(struct witness *witness, const json_t *reply)
{
	bool is_of_text = strstr(witness_string(reply, "error"), "prosody>") != NULL;
	json_int_t code = witness_integer(reply, "code");

	if (!witness_string(reply, "error")[0] || !witness_string(reply, "error_code")[0] ||
	    !witness_string(reply, "request_id")[0])
		return "an error that lacks a member";
	if (code >= 500 || code == 413 || is_of_text)
		witness_start_anew(witness);
	return NULL;
}

static const char *witness_see_aside(struct witness *witness, const json_t *reply)
{
	(void)witness;
	(void)reply;
	return NULL;
}

static const struct {
	const char *key;
	const char *(*see)(struct witness *witness, const json_t *reply);
} kinds[] = {
	{"generation_started", witness_started},
	{"audio", witness_audio},
	{"word_timestamps", witness_words},
	{"chunk_complete", witness_complete},
	{"final", witness_see_final},
	{"session_closed", witness_see_closed},
	{"interrupted", witness_see_interrupted},
	{"error", witness_see_error},
	{"warning", witness_see_aside},
	{"settings_updated", witness_see_aside},
};

const char *witness_reply(struct witness *witness, const json_t *reply)
{
	for (size_t i = 0; i < COUNT(kinds); ++i) {
		if (json_object_get(reply, kinds[i].key))
			return kinds[i].see(witness, reply);
	}
	return "a reply of no known kind";
}
