/*
 * multi_witness.c: checks every reply on /ws/tts/multi (see multi_witness.h).
 */
#include "multi_witness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"

#define SECONDS_TOLERANCE 1e-7 /* the sum of several figures with nine decimals */
#define COST_TOLERANCE 1e-9 /* it is exact, except for the conversion to a double */

void multi_witness_init(struct multi_witness *multi, const struct fake_ledger *ledger)
{
	*multi = (struct multi_witness){.ledger = ledger};
}

void multi_witness_reset(struct multi_witness *multi)
{
	for (size_t i = 0; i < multi->count; ++i)
		witness_reset(&multi->contexts[i].witness);
	multi->count = 0;
}

static struct context_witness *multi_witness_find_context(struct multi_witness *multi,
							  const char *id)
{
	struct context_witness *context;

	for (size_t i = 0; i < multi->count; ++i) {
		if (strcmp(multi->contexts[i].id, id) == 0)
			return &multi->contexts[i];
	}
	if (multi->count == MULTI_WITNESS_CONTEXTS_MAX || strlen(id) >= MULTI_WITNESS_ID_MAX)
		abort();
	context = &multi->contexts[multi->count++];
	*context = (struct context_witness){0};
	memcpy(context->id, id, strlen(id) + 1);
	witness_init(&context->witness, multi->ledger);
	return context;
}

struct witness *multi_witness_find(struct multi_witness *multi, const char *id)
{
	return &multi_witness_find_context(multi, id)->witness;
}

size_t multi_witness_open(const struct multi_witness *multi)
{
	size_t open = 0;

	for (size_t i = 0; i < multi->count; ++i)
		open += multi->contexts[i].is_open;
	return open;
}

static const char *multi_witness_see_created(struct multi_witness *multi,
					     struct context_witness *context, const json_t *reply)
{
	(void)reply;
	if (context->is_open)
		return "a context is created that is there";
	witness_reset(&context->witness);
	witness_init(&context->witness, multi->ledger);
	context->is_open = true;
	context->must_close = false;
	return NULL;
}

static const char *multi_witness_see_final(struct multi_witness *multi,
					   struct context_witness *context, const json_t *reply)
{
	(void)multi;
	if (json_object_size(reply) != 2)
		return "final has more than its context";
	context->witness.may_change_format = true;
	return context->witness.is_chunk_open ? "final before the last chunk is complete" : NULL;
}

static const char *multi_witness_see_interrupted(struct multi_witness *multi,
						 struct context_witness *context,
						 const json_t *reply)
{
	(void)multi;
	(void)reply;
	context->must_close = true;
	return NULL;
}

static const struct store_turn *multi_witness_find_row(const struct fake_ledger *ledger,
						       const char *id)
{
	for (size_t i = 0; i < ledger->count; ++i) {
		if (strcmp(ledger->bookings[i].row.id, id) == 0)
			return &ledger->bookings[i].row;
	}
	return NULL;
}

struct sum {
	double seconds;
	double cents;
	uint64_t characters;
	bool has_failed;
};

static const char *multi_witness_sum_rows(const struct fake_ledger *ledger, const json_t *ids,
					  struct sum *sum)
{
	size_t i;
	json_t *id;

	json_array_foreach(ids, i, id)
	{
		const struct store_turn *row =
			multi_witness_find_row(ledger, json_string_value(id));

		if (!row) { /* the ledger accepted none, which a failed turn may hide */
			sum->has_failed = true;
			continue;
		}
		if (fake_ledger_count(ledger, row->id) != 1)
			return "a turn was booked twice";
		if (row->status == STORE_TURN_FAILED) {
			sum->has_failed = true;
			continue;
		}
		sum->seconds += (double)row->samples / row->sample_rate;
		sum->cents += (double)row->amount_microcents / 1e6;
		sum->characters += row->characters;
	}
	return NULL;
}

static const char *multi_witness_see_usage(const struct multi_witness *multi,
					   const struct context_witness *context,
					   const json_t *usage)
{
	const struct witness *witness = &context->witness;
	double seconds = json_number_value(json_object_get(usage, "audio_seconds"));
	const json_t *cost = json_object_get(usage, "cost_cents");
	struct sum sum = {0};
	const char *fault =
		multi_witness_sum_rows(multi->ledger, json_object_get(usage, "turn_ids"), &sum);

	if (fault)
		return fault;
	if (json_is_null(cost) != json_is_true(json_object_get(usage, "cost_unavailable")))
		return "cost_unavailable and cost_cents disagree";
	if (json_is_null(cost))
		return NULL; /* rows may be missing */
	if (fabs(seconds - sum.seconds) > SECONDS_TOLERANCE)
		return "usage and the ledger have other seconds";
	if (!sum.has_failed && fabs(seconds - witness->heard_seconds) > SECONDS_TOLERANCE)
		return "usage is not the audio that was sent";
	if (fabs(json_number_value(cost) - sum.cents) > COST_TOLERANCE)
		return "cost_cents is not what was booked";
	if ((uint64_t)json_integer_value(json_object_get(usage, "characters")) != sum.characters)
		return "usage and the ledger have other characters";
	return NULL;
}

static const char *multi_witness_see_closed(struct multi_witness *multi,
					    struct context_witness *context, const json_t *reply)
{
	const json_t *usage = json_object_get(reply, "usage");

	if (!usage || !json_is_string(json_object_get(usage, "model_id")) ||
	    !json_is_array(json_object_get(usage, "turn_ids")))
		return "context_closed without its usage";
	if (!context->is_open)
		return json_array_size(json_object_get(usage, "turn_ids")) > 0
			       ? "rows of a context that was not there"
			       : NULL;
	context->is_open = false;
	multi->closed_seconds += json_number_value(json_object_get(usage, "audio_seconds"));
	return multi_witness_see_usage(multi, context, usage);
}

/* A message that was refused has no effect on the context. */
static const char *multi_witness_see_error(struct multi_witness *multi,
					   struct context_witness *context, const json_t *reply)
{
	const char *text = json_string_value(json_object_get(reply, "error"));
	bool is_of_text = text && strstr(text, "prosody>");
	const char *code = json_string_value(json_object_get(reply, "error_code"));
	json_int_t number = json_integer_value(json_object_get(reply, "code"));

	(void)multi;
	if (!code || !json_object_get(reply, "error") || !json_object_get(reply, "request_id"))
		return "an error that lacks a member";
	if (context && context->is_open && strcmp(code, "VALIDATION_ERROR") == 0 &&
	    (number == 413 || is_of_text))
		context->must_close = true;
	if (context && context->is_open &&
	    (number >= 500 || strcmp(code, "RATE_LIMITED") == 0 ||
	     strcmp(code, "MISSING_VOICE_ID") == 0))
		context->must_close = true;
	return NULL;
}

#define SPEAKING(name)                                                                             \
	static const char *see_##name(struct multi_witness *multi,                                 \
				      struct context_witness *context, const json_t *reply)        \
	{                                                                                          \
		(void)multi;                                                                       \
		return witness_##name(&context->witness, reply);                                   \
	}
SPEAKING(started)
SPEAKING(audio)
SPEAKING(words)
SPEAKING(complete)

static const struct {
	const char *key;
	const char *(*see)(struct multi_witness *multi, struct context_witness *context,
			   const json_t *reply);
	bool needs_context; /* it is allowed only for a context that is open */
} kinds[] = {
	{"context_created", multi_witness_see_created, false},
	{"generation_started", see_started, true},
	{"audio", see_audio, true},
	{"word_timestamps", see_words, true},
	{"chunk_complete", see_complete, true},
	{"final", multi_witness_see_final, true},
	{"interrupted", multi_witness_see_interrupted, false},
	{"error", multi_witness_see_error, false},
	{"context_closed", multi_witness_see_closed, false},
};

static const char *multi_witness_see_of_context(struct multi_witness *multi,
						struct context_witness *context,
						const json_t *reply)
{
	for (size_t i = 0; i < COUNT(kinds); ++i) {
		if (!json_object_get(reply, kinds[i].key))
			continue;
		if (kinds[i].needs_context && !context->is_open)
			return "a reply of a context that is not there";
		if (kinds[i].needs_context && context->must_close)
			return "something else than its close after a context's end";
		return kinds[i].see(multi, context, reply);
	}
	return "a reply of no known kind";
}

static const char *multi_witness_see_session_closed(struct multi_witness *multi,
						    const json_t *reply)
{
	double seconds = json_number_value(json_object_get(reply, "total_audio_seconds"));

	multi->is_over = true;
	if (json_object_size(reply) != 2)
		return "session_closed has more than the total";
	if (multi_witness_open(multi) > 0)
		return "session_closed before all contexts are closed";
	if (fabs(seconds - multi->closed_seconds) > SECONDS_TOLERANCE)
		return "total_audio_seconds is not the sum of the contexts";
	return NULL;
}

const char *multi_witness_reply(struct multi_witness *multi, const json_t *reply)
{
	const char *id = json_string_value(json_object_get(reply, "context_id"));

	if (multi->is_over)
		return "a reply after session_closed";
	if (id)
		return multi_witness_see_of_context(multi, multi_witness_find_context(multi, id),
						    reply);
	if (json_object_get(reply, "error"))
		return multi_witness_see_error(multi, NULL, reply);
	if (json_object_get(reply, "session_closed"))
		return multi_witness_see_session_closed(multi, reply);
	if (json_object_get(reply, "interrupted") || json_object_get(reply, "settings_updated"))
		return NULL;
	return "a reply without a context";
}
