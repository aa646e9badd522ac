/*
 * script_check.c: what must be so around the session (see script.h).
 */
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "match.h"
#include "script.h"

static void check(struct script *script, const char *what, const char *words,
		  const struct match_fact *facts, size_t count)
{
	const char *fault = match_facts(words, facts, count);

	if (fault)
		script_fail(script, "%s: %s", what, fault);
}

/* `ledger NAME=VALUE…`: the next row.  `sent` is the audio that the client has
 * read of the turn that ended last, `reading` of the one that has not ended. */
static void check_ledger(struct script *script, const char *words)
{
	static const char *const status[] = {
		[STORE_TURN_FINISHED] = "finished",
		[STORE_TURN_CANCELLED] = "cancelled",
		[STORE_TURN_FAILED] = "failed",
	};
	const struct fake_ledger *ledger = &script->world.ledger;
	const struct fake_booking *booking;

	if (script->rows_seen == ledger->count) {
		script_fail(script, "the ledger has no further row");
		return;
	}
	booking = &ledger->bookings[script->rows_seen++];
	{
		const struct match_fact facts[] = {
			{"status", status[booking->row.status], 0},
			{"samples", NULL, (double)booking->row.samples},
			{"rate", NULL, booking->row.sample_rate},
			{"characters", NULL, (double)booking->row.characters},
			{"voice", NULL, (double)booking->row.voice_id},
			{"model", booking->row.model_id, 0},
			{"key", NULL, (double)booking->row.key_id},
			{"account", NULL, (double)booking->row.account_id},
			{"marked", NULL, booking->mark != USAGE_NO_MARK},
			{"microcents", NULL, (double)booking->row.amount_microcents},
			{"durable", NULL, booking->is_durable},
			{"sent", NULL, (double)script_witness(script)->ended_samples},
			{"reading", NULL, (double)script_witness(script)->turn_samples},
		};

		check(script, "ledger", words, facts, COUNT(facts));
	}
}

static void check_rows(struct script *script, const char *words)
{
	if (strtoul(words, NULL, 10) != script->world.ledger.count)
		script_fail(script, "expected %s rows in the ledger, got %zu", words,
			    script->world.ledger.count);
}

/* `asked NAME=VALUE…`: what the engine was asked for last. */
static void check_asked(struct script *script, const char *words)
{
	const struct fake_asked *asked = &script->world.speech.asked;
	const struct match_fact facts[] = {
		{"text", asked->text ? asked->text : "", 0},
		{"before", asked->text_before ? asked->text_before : "", 0},
		{"ipa", asked->ipa, 0},
		{"language", asked->language, 0},
		{"voice", NULL, (double)asked->voice_id},
		{"speed", NULL, (double)asked->speed},
		{"first", NULL, asked->first},
	};

	check(script, "asked", words, facts, COUNT(facts));
}

static void check_engine(struct script *script, const char *words)
{
	const struct fake_speech *speech = &script->world.speech;
	const struct match_fact facts[] = {
		{"jobs", NULL, (double)speech->jobs},
		{"cancelled", NULL, (double)speech->cancelled},
		{"yielded", NULL, (double)speech->yielded},
		{"busy", NULL, (double)speech->running.count},
		{"held", NULL, (double)fake_speech_held(speech)},
	};

	check(script, "engine", words, facts, COUNT(facts));
}

static void check_peer(struct script *script, const char *words)
{
	const struct fake_peer *peer = &script->world.peer;
	const struct match_fact facts[] = {
		{"closed", NULL, peer->close_code},
		{"waiting", NULL, (double)peer->waiting.count},
		{"full", NULL, peer->waiting_bytes >= FAKE_PEER_FULL},
	};

	check(script, "peer", words, facts, COUNT(facts));
}

static void check_session(struct script *script, const char *words)
{
	const struct session *session = script->world.session;
	const struct match_fact facts[] = {
		{"idle", NULL, session && session->ops->is_idle(session)},
		{"timers", NULL, (double)script->world.timers.heap.count},
	};

	check(script, "session", words, facts, COUNT(facts));
}

/* `marks NAME=VALUE…`: what a process that dies would leave. */
static void check_marks(struct script *script, const char *words)
{
	const struct fake_ledger *ledger = &script->world.ledger;
	const struct match_fact facts[] = {
		{"count", NULL, (double)ledger->marks},
		{"turns", NULL, (double)ledger->marked},
		{"samples", NULL, (double)ledger->last_mark.samples},
		{"characters", NULL, (double)ledger->last_mark.characters},
		{"account", NULL, (double)ledger->last_mark.account_id},
	};

	check(script, "marks", words, facts, COUNT(facts));
}

static const struct {
	const char *word;
	void (*check)(struct script *script, const char *words);
} checks[] = {
	{"ledger", check_ledger}, {"rows", check_rows}, {"asked", check_asked},
	{"engine", check_engine}, {"peer", check_peer}, {"session", check_session},
	{"marks", check_marks},
};

void script_check(struct script *script, const char *line)
{
	for (size_t i = 0; i < COUNT(checks); ++i) {
		const char *rest = script_after(line, checks[i].word);

		if (rest) {
			checks[i].check(script, rest);
			return;
		}
	}
	script_fail(script, "no such check: %s", line);
}
