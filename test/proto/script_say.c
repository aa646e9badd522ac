/*
 * script_say.c: what the client says, time, and the world's doing (see script.h).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "engine/tone.h"
#include "fake_leave.h"
#include "script.h"
#include "session/denial.h"

static bool is_there(struct script *script)
{
	if (!script->world.session)
		script_fail(script, "the client is gone");
	return script->world.session != NULL;
}

void script_say(struct script *script, const char *line)
{
	if (is_there(script))
		world_say(&script->world, line, strlen(line));
}

void script_say_binary(struct script *script)
{
	if (!is_there(script))
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
	if (is_there(script))
		world_say(&script->world, message, head + n + strlen(at + 1));
	free(message);
}

void script_pass(struct script *script, const char *line)
{
	world_pass(&script->world, script_time_us(script, line));
}

static uint64_t samples_of(struct script *script, const char *time)
{
	return script_time_us(script, time) * TONE_RATE / 1000000;
}

static void set_manual(struct script *script, const char *rest)
{
	(void)rest;
	script->world.speech.is_manual = true;
}

static void set_auto(struct script *script, const char *rest)
{
	(void)rest;
	script->world.speech.is_manual = false;
}

static void speak(struct script *script, const char *rest)
{
	struct fake_speech *speech = &script->world.speech;

	char time[16];
	const char *of = strstr(rest, " of ");
	size_t len = of ? (size_t)(of - rest) : strlen(rest);

	snprintf(time, sizeof(time), "%.*s", (int)len, rest);
	fake_speech_give(speech, strcmp(time, "rest") == 0 ? UINT64_MAX : samples_of(script, time),
			 of ? of + strlen(" of ") : NULL);
}

static void block(struct script *script, const char *rest)
{
	(void)rest;
	script->world.peer.is_blocked = true;
}

static void unblock(struct script *script, const char *rest)
{
	(void)rest;
	script->world.peer.is_blocked = false;
	fake_peer_hand_over(&script->world.peer, SIZE_MAX);
}

static void hand_over(struct script *script, const char *rest)
{
	fake_peer_hand_over(&script->world.peer, strtoul(rest, NULL, 10));
}

static void set_ledger(struct script *script, const char *rest)
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

static void set_engine(struct script *script, const char *rest)
{
	struct fake_speech *speech = &script->world.speech;
	const char *after = script_after(rest, "fails after");

	speech->ending_after = after ? samples_of(script, after) : 0;
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

static void set_dictionaries(struct script *script, const char *rest)
{
	struct fake_dictionaries *fake = &script->world.dictionaries;
	const char *says = script_after(rest, "say");

	fake->is_away = strcmp(rest, "away") == 0;
	if (says && fake_dictionaries_change(fake, says) != 0)
		script_fail(script, "out of memory");
	else if (!says && !fake->is_away)
		script_fail(script, "dictionaries cannot be %s", rest);
}

static void set_price(struct script *script, const char *rest)
{
	script->world.prices.microcents_per_minute =
		strcmp(rest, "none") == 0 ? PRICE_UNKNOWN : strtoll(rest, NULL, 10);
}

/* `account NAME=VALUE…`: the client comes again, with a key of such an account. */
static void set_account(struct script *script, const char *rest)
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
	if (world_become(world, &account, &key) != 0 || script->door->connect(world) != 0)
		abort();
}

static void set_lead(struct script *script, const char *rest)
{
	script->world.services.max_lead_ms = (unsigned)(script_time_us(script, rest) / 1000);
}

/* No message may be longer than this. */
static void set_message_max(struct script *script, const char *rest)
{
	script->world.peer.message_max = strtoul(rest, NULL, 10);
}

static void vanish(struct script *script, const char *rest)
{
	(void)rest;
	world_disconnect(&script->world);
}

static void go_away(struct script *script, const char *rest)
{
	(void)rest;
	if (is_there(script))
		script->world.session->ops->go_away(script->world.session);
}

/* `leave waits`, `leave comes`, `leave refused`, `leave forgotten`, `leave ends` */
static void set_leave(struct script *script, const char *rest)
{
	static const struct denied denied = {.why = DENIAL_TURNS, .limit = 2};

	fake_leave_wait(strcmp(rest, "waits") == 0);
	fake_leave_end(strcmp(rest, "ends") == 0);
	if (strcmp(rest, "comes") == 0)
		fake_leave_answer(NULL);
	else if (strcmp(rest, "refused") == 0)
		fake_leave_answer(&denied);
	else if (strcmp(rest, "forgotten") == 0)
		fake_leave_forget();
	else if (strcmp(rest, "waits") != 0 && strcmp(rest, "ends") != 0)
		script_fail(script, "leave cannot be %s", rest);
}

/* The key has ended. */
static void shut(struct script *script, const char *rest)
{
	static const struct denied ended = {.why = DENIAL_KEY, .limit = -1};
	struct stream_fault fault;

	(void)rest;
	denial_describe(&fault, &ended);
	if (is_there(script))
		script->world.session->ops->shut(script->world.session, &fault);
}

static const struct {
	const char *word;
	void (*act)(struct script *script, const char *rest);
} controls[] = {
	{"manual", set_manual},
	{"auto", set_auto},
	{"speak", speak},
	{"block", block},
	{"unblock", unblock},
	{"hand over", hand_over},
	{"ledger", set_ledger},
	{"engine", set_engine},
	{"price", set_price},
	{"lead", set_lead},
	{"gone", vanish},
	{"go-away", go_away},
	{"message_max", set_message_max},
	{"dictionaries", set_dictionaries},
	{"account", set_account},
	{"shut", shut},
	{"leave", set_leave},
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
