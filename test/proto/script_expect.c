/*
 * script_expect.c: the replies that are expected (see script.h).
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "match.h"
#include "script.h"

struct witness *script_witness(struct script *script)
{
	if (!script->endpoint->is_multi)
		return &script->witness;
	return multi_witness_find(&script->multi_witness, script->from);
}

/* The string that a reply must contain to be read: the member with the context's id; NULL: every
 * reply is read. */
static const char *script_expect_filter(const struct script *script)
{
	static char text[MULTI_WITNESS_ID_MAX + 24];

	if (!script->from[0])
		return NULL;
	snprintf(text, sizeof(text), "\"%s\":\"%s\"", script->endpoint->context_key, script->from);
	return text;
}

/* Reads the next reply and has it checked by the witness.  NULL: there is none, or it is not
 * JSON. */
static json_t *script_expect_read_reply(struct script *script)
{
	struct fake_message *message =
		fake_peer_read(&script->world.peer, script_expect_filter(script));
	const char *fault;
	json_t *reply;

	if (!message)
		return NULL;
	reply = json_loadb(message->json, message->len, JSON_REJECT_DUPLICATES, NULL);
	if (!reply)
		fault = "a reply that is no JSON";
	else
		fault = script->endpoint->check(script, reply);
	if (fault)
		script_fail(script, "%s: %.400s", fault, message->json);
	fake_message_free(message);
	return reply;
}

static bool script_expect_next_is_audio(const struct script *script)
{
	const struct fake_message *message =
		fake_peer_peek(&script->world.peer, script_expect_filter(script));

	const char *audio = message ? script_after(message->json, "{\"audio\":\"") : NULL;

	return audio && *audio != '"'; /* on ElevenLabs' endpoints an alignment has empty audio */
}

static void script_expect_json(struct script *script, const json_t *expected, const char *shown)
{
	json_t *reply = script_expect_read_reply(script);
	char *got = reply ? json_dumps(reply, JSON_PRESERVE_ORDER) : NULL;

	if (!reply)
		script_fail(script, "expected %s, got nothing", shown);
	else if (!match_json(expected, reply))
		script_fail(script, "expected %s, got %.1000s", shown, got ? got : "");
	free(got);
	json_decref(reply);
}

static void script_expect_line(struct script *script, const char *line)
{
	json_error_t error;
	json_t *expected = json_loads(line, 0, &error);

	if (expected)
		script_expect_json(script, expected, line);
	else
		script_fail(script, "the script's JSON: %s", error.text);
	json_decref(expected);
}

/* `audio NAME=VALUE…`: reads all audio frames up to the next other reply, at least one.  `frames`
 * and `samples` count them, first_ms and last_ms are the lengths of the first and last one, `rate`
 * and `enc` are their format. */
static void script_expect_audio(struct script *script, const char *words)
{
	struct witness *witness = script_witness(script);
	json_int_t frames = witness->idx;
	uint64_t samples = witness->turn_samples;
	uint64_t first = 0;
	uint64_t last = 0;

	if (!script_expect_next_is_audio(script)) {
		script_fail(script, "expected audio, got none");
		return;
	}
	while (script_expect_next_is_audio(script) && !script->has_failed) {
		last = witness->turn_samples;
		json_decref(script_expect_read_reply(script));
		last = witness->turn_samples - last;
		first = first ? first : last;
	}
	if (!script->has_failed) {
		double rate = (double)witness->rate;
		const struct match_fact facts[] = {
			{"frames", NULL, (double)(witness->idx - frames)},
			{"samples", NULL, (double)(witness->turn_samples - samples)},
			{"first_ms", NULL, 1000 * (double)first / rate},
			{"last_ms", NULL, 1000 * (double)last / rate},
			{"rate", NULL, rate},
			{"enc", witness->encoding, 0},
		};
		const char *fault = match_facts(words, facts, COUNT(facts));

		if (fault)
			script_fail(script, "audio: %s", fault);
	}
}

/* `spoken TEXT`: a whole chunk. */
static void script_expect_spoken(struct script *script, const char *text)
{
	json_t *started = json_pack("{s:b,s:s}", "generation_started", 1, "text", text);
	json_t *complete = json_pack("{s:b}", "chunk_complete", 1);

	script_expect_json(script, started, text);
	if (!script->has_failed)
		script_expect_audio(script, "");
	if (!script->has_failed)
		script_expect_json(script, complete, "chunk_complete");
	json_decref(started);
	json_decref(complete);
}

/* `end NAME=VALUE…`: final and session_closed. */
static void script_expect_end(struct script *script, const char *words)
{
	json_t *final = json_pack("{s:b}", "final", 1);
	json_t *closed = json_pack("{s:b}", "session_closed", 1);
	double chunks = (double)script->witness.chunk_id;
	double frames = (double)script->witness.idx;
	json_t *usage = NULL;
	json_t *reply;

	script_expect_json(script, final, "final");
	reply = script->has_failed ? NULL : script_expect_read_reply(script);
	if (!script->has_failed && !reply)
		script_fail(script, "expected session_closed, got nothing");
	else if (reply && !match_json(closed, reply))
		script_fail(script, "expected session_closed, got something else");
	usage = json_object_get(reply, "usage");
	if (!script->has_failed) {
		const struct match_fact facts[] = {
			{"chunks", NULL, chunks},
			{"frames", NULL, frames},
			{"seconds", NULL,
			 json_number_value(json_object_get(usage, "audio_seconds"))},
			{"characters", NULL,
			 json_number_value(json_object_get(usage, "characters"))},
			{"cost", NULL, json_number_value(json_object_get(usage, "cost_cents"))},
			{"samples", NULL, (double)script->witness.ended_samples},
			{"model", json_string_value(json_object_get(usage, "model_id")), 0},
		};
		const char *fault = match_facts(words, facts, COUNT(facts));

		if (fault)
			script_fail(script, "end: %s", fault);
	}
	json_decref(reply);
	json_decref(final);
	json_decref(closed);
}

static void script_expect_nothing(struct script *script, const char *rest)
{
	const struct fake_message *message =
		fake_peer_peek(&script->world.peer, script_expect_filter(script));

	(void)rest;
	if (message)
		script_fail(script, "expected nothing, got %.1000s", message->json);
}

static const struct {
	const char *word;
	void (*expect)(struct script *script, const char *rest);
} shapes[] = {
	{"audio", script_expect_audio},
	{"spoken", script_expect_spoken},
	{"end", script_expect_end},
	{"nothing", script_expect_nothing},
};

/* `ID …`: expects a reply of one context. */
void script_expect_of(struct script *script, const char *line)
{
	size_t len = strcspn(line, " ");

	if (len == 0 || len >= sizeof(script->from) || !line[len]) {
		script_fail(script, "no context: %s", line);
		return;
	}
	memcpy(script->from, line, len);
	script->from[len] = '\0';
	script_expect(script, line + len + 1);
	script->from[0] = '\0';
}

void script_expect(struct script *script, const char *line)
{
	for (size_t i = 0; i < COUNT(shapes); ++i) {
		const char *rest = script_after(line, shapes[i].word);

		if (rest) {
			shapes[i].expect(script, rest);
			return;
		}
	}
	script_expect_line(script, line);
}
