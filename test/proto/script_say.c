/*
 * script_say.c: messages of the client, time, and events of the world (see script.h).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/count.h"
#include "engine/tone.h"
#include "fake_permit.h"
#include "script.h"
#include "session/denial.h"

static bool script_say_has_session(struct script *script)
{
	if (!script->world.session)
		script_fail(script, "the client is gone");
	return script->world.session != NULL;
}

void script_say(struct script *script, const char *line)
{
	if (script_say_has_session(script))
		world_say(&script->world, line, strlen(line));
}

void script_say_binary(struct script *script)
{
	if (!script_say_has_session(script))
		return;
	script->world.session->ops->binary(script->world.session, "\x01", 1);
	world_settle(&script->world);
}

/* `>fill N JSON`: the @ in the message becomes N bytes of words. */
void script_say_filled(struct script *script, const char *line)
{
	static const char words[] = "word ";
	char *json;
	size_t n = strtoul(line, &json, 10);
	const char *at = strchr(json, '@');
	char *message = malloc(strlen(json) + n);
	size_t head;

	if (!message || !at)
		abort();
	json += strspn(json, " ");
	head = (size_t)(at - json);
	memcpy(message, json, head);
	for (size_t i = 0; i < n; ++i)
		message[head + i] = words[i % (sizeof(words) - 1)];
	memcpy(message + head + n, at + 1, strlen(at + 1));
	if (script_say_has_session(script))
		world_say(&script->world, message, head + n + strlen(at + 1));
	free(message);
}

/* `>audio WORDS`: the client sends audio with these words (fake_hearing.h), as 16-bit PCM at 16 kHz. */
void script_say_audio(struct script *script, const char *line)
{
	static const char head[] =
		"{\"message_type\":\"input_audio_chunk\",\"commit\":false,\"audio_base_64\":\"";
	static const char tail[] = "\"}";
	size_t max = 30 * HEARING_RATE;
	int16_t *samples = malloc(max * sizeof(*samples));
	char *message = malloc(sizeof(head) + sizeof(tail) + base64_encoded_len(2 * max));
	size_t len = strlen(head);
	size_t count;

	if (!samples || !message)
		abort();
	count = fake_hearing_say(samples, max, line);
	memcpy(message, head, len);
	len += base64_encode(message + len, samples, count * sizeof(*samples));
	memcpy(message + len, tail, strlen(tail));
	if (script_say_has_session(script))
		world_say(&script->world, message, len + strlen(tail));
	free(message);
	free(samples);
}

void script_pass(struct script *script, const char *line)
{
	world_pass(&script->world, script_time_us(script, line));
}

static uint64_t script_say_samples_of(struct script *script, const char *time)
{
	return script_time_us(script, time) * TONE_RATE / 1000000;
}

static void script_say_set_manual(struct script *script, const char *rest)
{
	(void)rest;
	script->world.speech.is_manual = true;
}

static void script_say_set_auto(struct script *script, const char *rest)
{
	(void)rest;
	script->world.speech.is_manual = false;
}

static void script_say_speak(struct script *script, const char *rest)
{
	struct fake_speech *speech = &script->world.speech;

	char time[16];
	const char *of = strstr(rest, " of ");
	size_t len = of ? (size_t)(of - rest) : strlen(rest);

	snprintf(time, sizeof(time), "%.*s", (int)len, rest);
	fake_speech_give(speech,
			 strcmp(time, "rest") == 0 ? UINT64_MAX
						   : script_say_samples_of(script, time),
			 of ? of + strlen(" of ") : NULL);
}

static void script_say_block(struct script *script, const char *rest)
{
	(void)rest;
	script->world.peer.is_blocked = true;
}

static void script_say_unblock(struct script *script, const char *rest)
{
	(void)rest;
	script->world.peer.is_blocked = false;
	fake_peer_hand_over(&script->world.peer, SIZE_MAX);
}

static void script_say_hand_over(struct script *script, const char *rest)
{
	fake_peer_hand_over(&script->world.peer, strtoul(rest, NULL, 10));
}

static void script_say_set_ledger(struct script *script, const char *rest)
{
	static const char *const moods[] = {
		[FAKE_LEDGER_WELL] = "well",     [FAKE_LEDGER_SLOW] = "slow",
		[FAKE_LEDGER_BROKEN] = "broken", [FAKE_LEDGER_FULL] = "full",
		[FAKE_LEDGER_SHUT] = "shut",
	};

	for (size_t i = 0; i < COUNT(moods); ++i) {
		if (strcmp(rest, moods[i]) == 0) {
			script->world.ledger.mood = (enum fake_ledger_mood)i;
			return;
		}
	}
	script_fail(script, "the ledger cannot be %s", rest);
}

static void script_say_set_engine(struct script *script, const char *rest)
{
	struct fake_speech *speech = &script->world.speech;
	const char *after = script_after(rest, "fails after");

	speech->ending_after = after ? script_say_samples_of(script, after) : 0;
	if (after || strcmp(rest, "fails") == 0)
		speech->ending = FAKE_FAILS;
	else if (strcmp(rest, "unavailable") == 0)
		speech->ending = FAKE_UNAVAILABLE;
	else if (strcmp(rest, "refuses") == 0)
		speech->ending = FAKE_REFUSES;
	else if (strcmp(rest, "works") == 0)
		speech->ending = FAKE_WORKS;
	else if (strcmp(rest, "has its own speed") == 0)
		speech->has_own_speed = true;
	else if (strcmp(rest, "reads phonemes") == 0)
		speech->reads_phonemes = true;
	else
		script_fail(script, "no engine %s", rest);
}

static void script_say_set_dictionaries(struct script *script, const char *rest)
{
	struct fake_dictionary_cache *fake = &script->world.dictionaries;
	const char *says = script_after(rest, "say");

	fake->is_away = strcmp(rest, "away") == 0;
	if (says && fake_dictionary_cache_change(fake, says) != 0)
		script_fail(script, "out of memory");
	else if (!says && !fake->is_away)
		script_fail(script, "dictionaries cannot be %s", rest);
}

static void script_say_set_price(struct script *script, const char *rest)
{
	script->world.prices.microcents_per_minute =
		strcmp(rest, "none") == 0 ? PRICE_UNKNOWN : strtoll(rest, NULL, 10);
}

/* Connects again, without the replies that were not read. */
static void script_say_reconnect(struct script *script)
{
	struct fake_peer *peer = &script->world.peer;
	const struct fake_peer before = *peer;

	fake_peer_reset(peer);
	fake_peer_init(peer);
	peer->filled = before.filled;
	peer->filled_arg = before.filled_arg;
	script->witness.idx = 0;
	if (script->endpoint->connect(&script->world) != 0)
		abort();
}

/* `account NAME=VALUE…`: the client reconnects with a key of an account with these properties. */
static void script_say_set_account(struct script *script, const char *rest)
{
	struct world *world = &script->world;
	struct store_account account;
	struct store_key key;
	const struct {
		const char *name;
		int64_t *value;
	} words[] = {
		{"turns=", &account.limits.turns},
		{"key_turns=", &key.limits.turns},
		{"requests=", &account.limits.requests_per_minute},
		{"characters=", &account.limits.characters_per_minute},
		{"text=", &account.limits.text_max},
		{"heard=", &account.limits.heard_seconds_per_minute},
		{"credit=", &account.credit_microcents},
		{"revoked=", &key.revoked_ms},
	};

	world_rows(&account, &key);
	while (*rest && !script->has_failed) {
		size_t i = 0;

		while (i < COUNT(words) && !script_after(rest, words[i].name))
			++i;
		if (i == COUNT(words)) {
			script_fail(script, "an account has no %s", rest);
			return;
		}
		*words[i].value = strtoll(script_after(rest, words[i].name), NULL, 10);
		account.is_prepaid |= words[i].value == &account.credit_microcents;
		rest += strcspn(rest, " ");
		rest += strspn(rest, " ");
	}
	world_disconnect(world);
	if (world_become(world, &account, &key) != 0)
		abort();
	script_say_reconnect(script);
}

/* `url QUERY`: the client reconnects with this query. */
static void script_say_set_url(struct script *script, const char *rest)
{
	world_disconnect(&script->world);
	script->world.listen_query = rest;
	script_say_reconnect(script);
}

/* How the engine that listens behaves. */
static void script_say_set_hearing(struct script *script, const char *rest)
{
	static const char *const moods[] = {
		[FAKE_HEARING_WELL] = "well",
		[FAKE_HEARING_FULL] = "full",
		[FAKE_HEARING_BREAKS] = "breaks",
		[FAKE_HEARING_AWAY] = "away",
	};
	struct fake_hearing *hearing = &script->world.hearing;
	const char *room = script_after(rest, "room");

	for (size_t i = 0; i < COUNT(moods); ++i) {
		if (strcmp(rest, moods[i]) == 0) {
			hearing->mood = (enum fake_hearing_mood)i;
			return;
		}
	}
	hearing->is_deaf = strcmp(rest, "deaf") == 0;
	if (strcmp(rest, "none") == 0) {
		hearing->state = HEARING_NO_MODELS;
		(void)fake_hearing_install(hearing, false);
	} else if (room) {
		hearing->room = script_time_us(script, room) * HEARING_RATE / 1000000;
	} else if (!hearing->is_deaf && strcmp(rest, "hears") != 0) {
		script_fail(script, "hearing cannot be %s", rest);
	}
}

static void script_say_set_lead(struct script *script, const char *rest)
{
	script->world.services.max_lead_ms = (unsigned)(script_time_us(script, rest) / 1000);
}

/* Sets the longest message that the peer accepts. */
static void script_say_set_message_max(struct script *script, const char *rest)
{
	script->world.peer.message_max = strtoul(rest, NULL, 10);
}

static void script_say_vanish(struct script *script, const char *rest)
{
	(void)rest;
	world_disconnect(&script->world);
}

static void script_say_go_away(struct script *script, const char *rest)
{
	(void)rest;
	if (script_say_has_session(script))
		script->world.session->ops->go_away(script->world.session);
}

/* `permit pending`, `permit granted`, `permit refused`, `permit dropped`, `permit exhausted` */
static void script_say_set_permit(struct script *script, const char *rest)
{
	static const struct denied denied = {.why = DENIAL_TURNS, .limit = 2};

	fake_permit_wait(strcmp(rest, "pending") == 0);
	fake_permit_end(strcmp(rest, "exhausted") == 0);
	if (strcmp(rest, "granted") == 0)
		fake_permit_answer(NULL);
	else if (strcmp(rest, "refused") == 0)
		fake_permit_answer(&denied);
	else if (strcmp(rest, "dropped") == 0)
		fake_permit_forget();
	else if (strcmp(rest, "pending") != 0 && strcmp(rest, "exhausted") != 0)
		script_fail(script, "permit cannot be %s", rest);
}

/* Ends the session as a server does when the key has ended. */
static void script_say_shut(struct script *script, const char *rest)
{
	static const struct denied ended = {.why = DENIAL_KEY, .limit = -1};
	struct stream_fault fault;

	(void)rest;
	denial_describe(&fault, &ended);
	if (script_say_has_session(script))
		script->world.session->ops->shut(script->world.session, &fault);
}

static const struct {
	const char *word;
	void (*act)(struct script *script, const char *rest);
} controls[] = {
	{"manual", script_say_set_manual},
	{"auto", script_say_set_auto},
	{"speak", script_say_speak},
	{"block", script_say_block},
	{"unblock", script_say_unblock},
	{"hand over", script_say_hand_over},
	{"ledger", script_say_set_ledger},
	{"engine", script_say_set_engine},
	{"price", script_say_set_price},
	{"lead", script_say_set_lead},
	{"gone", script_say_vanish},
	{"go-away", script_say_go_away},
	{"message_max", script_say_set_message_max},
	{"dictionaries", script_say_set_dictionaries},
	{"account", script_say_set_account},
	{"url", script_say_set_url},
	{"hearing", script_say_set_hearing},
	{"shut", script_say_shut},
	{"permit", script_say_set_permit},
};

void script_control(struct script *script, const char *line)
{
	for (size_t i = 0; i < COUNT(controls); ++i) {
		const char *rest = script_after(line, controls[i].word);

		if (rest) {
			controls[i].act(script, rest);
			world_settle(&script->world);
			return;
		}
	}
	script_fail(script, "no such control: %s", line);
}
