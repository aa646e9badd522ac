/*
 * script_check.c: checks of the engine, the ledger and the like (see script.h).
 */
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "match.h"
#include "script.h"
#include "store/row_values.h"

static void script_check_facts(struct script *script, const char *what, const char *words,
			       const struct match_fact *facts, size_t count)
{
	const char *fault = match_facts(words, facts, count);

	if (fault)
		script_fail(script, "%s: %s", what, fault);
}

/* `ledger NAME=VALUE…`: checks the next row.  `sent` is the audio that the client has read of the
 * turn that ended last; `reading` is the audio that it has read of the turn that has not ended. */
static void script_check_ledger(struct script *script, const char *words)
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
			{"kind", row_kind_word(booking->row.kind), 0},
			{"quantity", NULL, (double)booking->row.quantity},
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

		script_check_facts(script, "ledger", words, facts, COUNT(facts));
	}
}

static void script_check_rows(struct script *script, const char *words)
{
	if (strtoul(words, NULL, 10) != script->world.ledger.count)
		script_fail(script, "expected %s rows in the ledger, got %zu", words,
			    script->world.ledger.count);
}

/* `asked NAME=VALUE…`: checks the last request to the engine. */
static void script_check_asked(struct script *script, const char *words)
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

	script_check_facts(script, "asked", words, facts, COUNT(facts));
}

static void script_check_engine(struct script *script, const char *words)
{
	const struct fake_speech *speech = &script->world.speech;
	const struct match_fact facts[] = {
		{"jobs", NULL, (double)speech->jobs},
		{"cancelled", NULL, (double)speech->cancelled},
		{"yielded", NULL, (double)speech->yielded},
		{"busy", NULL, (double)speech->running.count},
		{"held", NULL, (double)fake_speech_held(speech)},
	};

	script_check_facts(script, "engine", words, facts, COUNT(facts));
}

/* `hearing NAME=VALUE…`: checks what the engine that listens was asked. */
static void script_check_hearing(struct script *script, const char *words)
{
	const struct fake_hearing *hearing = &script->world.hearing;
	const struct match_fact facts[] = {
		{"started", NULL, (double)hearing->started},
		{"cancelled", NULL, (double)hearing->cancelled},
		{"streams", NULL, (double)hearing->streams.count},
		{"language", hearing->language, 0},
		{"prompt", hearing->prompt, 0},
		{"times", NULL, hearing->want_times},
	};

	script_check_facts(script, "hearing", words, facts, COUNT(facts));
}

static void script_check_peer(struct script *script, const char *words)
{
	const struct fake_peer *peer = &script->world.peer;
	const struct match_fact facts[] = {
		{"closed", NULL, peer->close_code},
		{"waiting", NULL, (double)peer->waiting.count},
		{"full", NULL, peer->waiting_bytes >= FAKE_PEER_FULL},
		{"paused", NULL, peer->is_paused},
	};

	script_check_facts(script, "peer", words, facts, COUNT(facts));
}

static void script_check_session(struct script *script, const char *words)
{
	const struct session *session = script->world.session;
	const struct match_fact facts[] = {
		{"idle", NULL, session && session->ops->is_idle(session)},
		{"timers", NULL, (double)script->world.timers.heap.count},
	};

	script_check_facts(script, "session", words, facts, COUNT(facts));
}

/* `marks NAME=VALUE…`: checks the marks that a process would leave if it died. */
static void script_check_marks(struct script *script, const char *words)
{
	const struct fake_ledger *ledger = &script->world.ledger;
	const struct match_fact facts[] = {
		{"count", NULL, (double)ledger->marks},
		{"turns", NULL, (double)ledger->marked},
		{"samples", NULL, (double)ledger->last_mark.samples},
		{"characters", NULL, (double)ledger->last_mark.characters},
		{"account", NULL, (double)ledger->last_mark.account_id},
	};

	script_check_facts(script, "marks", words, facts, COUNT(facts));
}

static const struct {
	const char *word;
	void (*check)(struct script *script, const char *words);
} checks[] = {
	{"ledger", script_check_ledger}, {"rows", script_check_rows},
	{"asked", script_check_asked},   {"engine", script_check_engine},
	{"peer", script_check_peer},     {"session", script_check_session},
	{"marks", script_check_marks},   {"hearing", script_check_hearing},
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
