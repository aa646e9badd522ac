/*
 * Who pays for a conversation: the client's limits and credit apply before the model is asked, and
 * what the model has used is booked once, however its answer ends.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/log.h"
#include "base/mem.h"
#include "fake_ledger.h"
#include "fake_llm.h"
#include "fake_peer.h"
#include "fake_permit.h"
#include "session/conversation.h"

#define MODEL "echo" /* the model of the agent below */
#define IN_PRICE INT64_C(2000000) /* micro-cents per million tokens: two per token */
#define OUT_PRICE INT64_C(30000000)

struct talk {
	struct timers timers;
	struct fake_llm llm;
	struct fake_ledger *ledger;
	struct fake_peer peer;
	struct prices prices;
	struct caller *caller;
	struct llm_agent *agent;
	struct conversation *conversation;
};

static const struct store_limits no_limits = {STORE_LIMIT_NONE, STORE_LIMIT_NONE, STORE_LIMIT_NONE,
					      STORE_LIMIT_NONE, STORE_LIMIT_NONE, STORE_LIMIT_NONE};

static int set_up(void **state)
{
	static const struct llm_options how = {.dialect = LLM_ECHO, .sentence = "Tut mir leid."};
	struct talk *talk = calloc(1, sizeof(*talk));
	char why[64];

	assert_non_null(talk);
	talk->ledger = calloc(1, sizeof(*talk->ledger));
	assert_non_null(talk->ledger);
	fake_ledger_init(talk->ledger);
	assert_int_equal(llm_agent_alloc(&talk->agent, &how, why, sizeof(why)), 0);
	log_set_level(LOG_ERROR);
	timers_init(&talk->timers, 1000);
	fake_llm_init(&talk->llm);
	fake_peer_init(&talk->peer);
	talk->prices = (struct prices){.microcents_per_million = {IN_PRICE, OUT_PRICE}};
	*state = talk;
	return 0;
}

static int tear_down(void **state)
{
	struct talk *talk = *state;

	mem_deref(talk->conversation);
	mem_deref(talk->caller);
	mem_deref(talk->agent);
	assert_int_equal(talk->llm.answers.count, 0);
	fake_peer_reset(&talk->peer);
	timers_reset(&talk->timers);
	free(talk->ledger);
	free(talk);
	fake_permit_wait(false);
	fake_permit_end(false);
	fake_permit_forget();
	assert_int_equal(mem_live(), 0);
	return 0;
}

/* `credit`: the micro-cents of a prepaid account; -1: the account is not prepaid. */
static void begin(struct talk *talk, const struct store_limits *limits, int64_t credit,
		  bool has_key)
{
	struct store_account account = {.id = 3,
					.is_prepaid = credit >= 0,
					.credit_microcents = credit,
					.limits = limits ? *limits : no_limits};
	struct store_key key = {.id = 7, .scopes = STORE_SCOPE_SPEAK, .credit_cents = -1};
	struct answer_billing billing = {.ledger = &talk->ledger->ledger, .prices = &talk->prices};
	struct conversation_options options;

	key.limits = no_limits;
	assert_int_equal(caller_alloc_standalone(&talk->caller, &talk->timers, &account, &key), 0);
	billing.caller = talk->caller;
	options = (struct conversation_options){.timers = &talk->timers,
						.llm = &talk->llm.llm,
						.agent = talk->agent,
						.agent_name = "test",
						.peer = &talk->peer.peer,
						.billing = &billing,
						.sends_errors = has_key,
						.sends_usage = has_key};
	assert_int_equal(conversation_alloc(&talk->conversation, &options), 0);
}

static void ask(struct talk *talk, const char *text, int id)
{
	char json[1024];

	snprintf(json, sizeof(json),
		 "{\"type\":\"user_transcript\",\"user_transcript\":[{\"role\":\"user\","
		 "\"content\":\"%s\"}],\"event_id\":%d}",
		 text, id);
	conversation_message(talk->conversation, json, strlen(json));
}

static void expect(struct talk *talk, const char *part)
{
	struct fake_message *message = fake_peer_read(&talk->peer, NULL);

	if (!message) {
		fail_msg("nothing came instead of %s", part);
		return;
	}
	if (!strstr(message->json, part))
		fail_msg("%s came instead of %s", message->json, part);
	fake_message_free(message);
}

static void expect_nothing(struct talk *talk)
{
	const struct fake_message *message = fake_peer_peek(&talk->peer, NULL);

	if (message)
		fail_msg("came: %s", message->json);
}

#define FINAL "\"is_final\":true"

static const struct store_turn *row(const struct talk *talk, size_t at)
{
	assert_true(at < talk->ledger->count);
	return &talk->ledger->bookings[at].row;
}

/* Checks the two rows of an answer, at index `at` and after it. */
static void assert_rows(const struct talk *talk, size_t at, enum store_turn_status status,
			uint64_t in, uint64_t out, bool is_charged)
{
	const struct store_turn *rows[] = {row(talk, at), row(talk, at + 1)};

	assert_int_equal(rows[0]->kind, STORE_KIND_MODEL_INPUT);
	assert_int_equal(rows[1]->kind, STORE_KIND_MODEL_OUTPUT);
	assert_int_equal(rows[0]->quantity, in);
	assert_int_equal(rows[1]->quantity, out);
	assert_int_equal(rows[0]->amount_microcents, is_charged ? in * 2 : 0);
	assert_int_equal(rows[1]->amount_microcents, is_charged ? out * 30 : 0);
	for (size_t i = 0; i < 2; ++i) {
		assert_int_equal(rows[i]->unit, STORE_UNIT_TOKENS);
		assert_int_equal(rows[i]->status, status);
		assert_int_equal(rows[i]->key_id, 7);
		assert_int_equal(rows[i]->account_id, 3);
		assert_int_equal(rows[i]->samples, 0);
		assert_int_equal(rows[i]->characters, 0);
		assert_string_equal(rows[i]->model_id, MODEL);
		assert_int_equal(fake_ledger_count(talk->ledger, rows[i]->id), 1);
		assert_int_not_equal(talk->ledger->bookings[at + i].mark, USAGE_NO_MARK);
	}
}

static void test_an_answer_has_two_rows_with_the_tokens_that_the_model_counted(void **state)
{
	struct talk *talk = *state;

	begin(talk, NULL, -1, true);
	ask(talk, "hello", 1);
	assert_int_equal(talk->ledger->marked, 2); /* before a word was received */
	assert_int_equal(talk->ledger->last_mark.status, STORE_TURN_LOST);
	assert_int_equal(talk->ledger->last_mark.amount_microcents, 0);
	assert_int_equal(talk->ledger->count, 0);
	fake_llm_say(&talk->llm, "Hi");
	fake_llm_say(&talk->llm, " you.");
	fake_llm_finish(&talk->llm, LLM_WHOLE);
	assert_int_equal(talk->ledger->count, 2);
	assert_rows(talk, 0, STORE_TURN_FINISHED, FAKE_LLM_TOKENS_IN, 2, true);
	assert_false(row(talk, 0)->is_estimated);
}

static void test_usage_is_reported_when_it_is_durable(void **state)
{
	struct talk *talk = *state;
	char usage[256];

	begin(talk, NULL, -1, true);
	ask(talk, "hello", 1);
	fake_llm_say(&talk->llm, "Hi");
	fake_llm_finish(&talk->llm, LLM_WHOLE);
	expect(talk, "\"Hi\"");
	expect(talk, FINAL);
	expect_nothing(talk);
	fake_ledger_answer(talk->ledger);
	snprintf(usage, sizeof(usage),
		 "{\"type\":\"usage\",\"event_id\":1,\"input_tokens\":5,\"output_tokens\":1,"
		 "\"estimated\":false,\"cost_cents\":0.00004,\"turn_ids\":[\"%s\",\"%s\"]}",
		 row(talk, 0)->id, row(talk, 1)->id);
	expect(talk, usage);
	expect_nothing(talk);
}

static void test_a_cost_that_is_not_durable_is_reported_as_unknown(void **state)
{
	struct talk *talk = *state;

	begin(talk, NULL, -1, true);
	talk->ledger->mood = FAKE_LEDGER_BROKEN;
	ask(talk, "hello", 1);
	fake_llm_finish(&talk->llm, LLM_WHOLE);
	expect(talk, FINAL);
	fake_ledger_answer(talk->ledger);
	expect(talk, "\"cost_cents\":null");
}

static void test_a_superseded_answer_is_charged_for_its_question_and_words_so_far(void **state)
{
	struct talk *talk = *state;

	begin(talk, NULL, -1, true);
	ask(talk, "hello", 1);
	fake_llm_say(&talk->llm, "Hi");
	ask(talk, "no, wait", 2);
	assert_int_equal(talk->ledger->count, 2);
	assert_rows(talk, 0, STORE_TURN_CANCELLED, FAKE_LLM_TOKENS_IN, 1, true);
	assert_true(row(talk, 0)->is_estimated && row(talk, 1)->is_estimated);
	conversation_hang_up(talk->conversation);
	assert_int_equal(talk->ledger->count, 4);
	assert_rows(talk, 2, STORE_TURN_CANCELLED, FAKE_LLM_TOKENS_IN, 0, true);
}

static void test_a_failed_answer_costs_nothing(void **state)
{
	static const enum llm_end ends[] = {LLM_BROKEN, LLM_FALLBACK, LLM_SILENT};
	static const char *const texts[] = {"one", "two", "three"};
	struct talk *talk = *state;

	begin(talk, NULL, -1, true);
	for (int i = 0; i < 3; ++i) {
		ask(talk, texts[i], i + 1);
		fake_llm_say(&talk->llm, "Hi");
		fake_llm_finish(&talk->llm, ends[i]);
		assert_rows(talk, (size_t)i * 2, STORE_TURN_FAILED, FAKE_LLM_TOKENS_IN, 1, false);
	}
}

static void test_a_cancelled_answer_is_free_if_all_its_requests_have_failed(void **state)
{
	struct talk *talk = *state;

	begin(talk, NULL, -1, true);
	ask(talk, "hello", 1);
	fake_llm_fail(&talk->llm);
	conversation_hang_up(talk->conversation);
	assert_rows(talk, 0, STORE_TURN_FAILED, FAKE_LLM_TOKENS_IN, 0, false);
}

static void test_an_answer_that_is_sent_again_is_booked_once(void **state)
{
	struct talk *talk = *state;

	begin(talk, NULL, -1, true);
	ask(talk, "hello", 1);
	fake_llm_say(&talk->llm, "Hi");
	ask(talk, "hello", 2);
	fake_llm_finish(&talk->llm, LLM_WHOLE);
	ask(talk, "hello", 3);
	assert_int_equal(talk->llm.asked, 1);
	assert_int_equal(talk->ledger->count, 2);
}

static void test_without_credit_the_model_is_not_asked(void **state)
{
	struct talk *talk = *state;

	begin(talk, NULL, 0, true);
	ask(talk, "hello", 1);
	assert_int_equal(talk->llm.asked, 0);
	assert_int_equal(talk->ledger->count + talk->ledger->marks, 0);
	expect(talk, "{\"type\":\"error\",\"error\":\"Insufficient credits\",\"error_code\":"
		     "\"INSUFFICIENT_CREDITS\",\"code\":402,\"event_id\":1}");
	expect(talk, FINAL);
	assert_int_equal(talk->peer.close_code, 4003);
}

static void test_an_engine_whose_account_has_no_credit_says_the_sentence(void **state)
{
	struct talk *talk = *state;

	begin(talk, NULL, 0, false);
	ask(talk, "hello", 1);
	assert_int_equal(talk->llm.asked, 0);
	expect(talk, "Tut mir leid.");
	expect(talk, FINAL);
	expect_nothing(talk);
	assert_int_equal(talk->peer.close_code, 0);
}

static void test_limits_of_turns_requests_and_characters_apply(void **state)
{
	static const struct {
		struct store_limits limits;
		const char *part;
		unsigned answers; /* answers before the limit applies; the last may exceed it */
	} cases[] = {
		{{0, -1, -1, -1, -1, -1}, "at most 0 turns at once", 0},
		{{-1, -1, 1, -1, -1, -1}, "at most 1 requests per minute", 1},
		{{-1, -1, -1, 4, -1, -1}, "at most 4 characters per minute", 1},
		{{-1, -1, -1, -1, 4, -1}, "at most 4 characters", 0},
	};
	struct talk *talk = *state;

	for (size_t i = 0; i < 4; ++i) {
		begin(talk, &cases[i].limits, -1, true);
		talk->llm.asked = 0;
		ask(talk, "hello", 1);
		if (cases[i].answers) {
			fake_llm_finish(&talk->llm, LLM_WHOLE);
			expect(talk, FINAL);
			ask(talk, "you", 2);
		}
		assert_int_equal(talk->llm.asked, cases[i].answers);
		expect(talk, cases[i].part);
		expect(talk, FINAL);
		assert_int_equal(talk->peer.close_code,
				 0); /* limits are temporary, so the connection stays open */
		talk->conversation = mem_deref(talk->conversation);
		talk->caller = mem_deref(talk->caller);
		while (fake_peer_peek(&talk->peer, NULL))
			fake_message_free(fake_peer_read(&talk->peer, NULL));
	}
}

/* Characters of a history were counted when they were new. */
static void test_only_the_newest_words_count_as_characters(void **state)
{
	static const struct store_limits five = {-1, -1, -1, 5, -1, -1};
	struct talk *talk = *state;
	char json[] = "{\"type\":\"user_transcript\",\"user_transcript\":[{\"role\":\"user\","
		      "\"content\":\"a long story\"},{\"role\":\"agent\",\"content\":\"oh\"},"
		      "{\"role\":\"user\",\"content\":\"yes\"}],\"event_id\":1}";

	begin(talk, &five, -1, true);
	conversation_message(talk->conversation, json, strlen(json));
	assert_int_equal(talk->llm.asked, 1);
}

static void test_a_refused_question_can_be_asked_again(void **state)
{
	static const struct store_limits one = {-1, -1, 1, -1, -1, -1};
	struct talk *talk = *state;

	begin(talk, &one, -1, true);
	ask(talk, "hey", 1);
	fake_llm_finish(&talk->llm, LLM_WHOLE);
	ask(talk, "you", 2);
	assert_int_equal(talk->llm.asked, 1);
	timers_advance(&talk->timers, talk->timers.now_us + 61 * UINT64_C(1000000));
	ask(talk, "you", 3);
	assert_int_equal(talk->llm.asked, 2);
}

static void test_the_slot_of_an_answer_is_released_when_it_ends(void **state)
{
	static const struct store_limits one = {1, -1, -1, -1, -1, -1};
	struct talk *talk = *state;

	begin(talk, &one, -1, true);
	for (int i = 1; i < 5; ++i) {
		ask(talk, i % 2 ? "one" : "two", i); /* the second supersedes the first */
		assert_int_equal(talk->llm.asked, i);
	}
}

static void test_without_room_in_the_ledger_the_model_is_not_asked(void **state)
{
	struct talk *talk = *state;

	begin(talk, NULL, -1, true);
	talk->ledger->mood = FAKE_LEDGER_SHUT;
	ask(talk, "hello", 1);
	assert_int_equal(talk->llm.asked, 0);
	expect(talk, "\"code\":503");
	expect(talk, FINAL);
}

static void test_an_answer_that_would_overdraw_the_account_ends(void **state)
{
	struct talk *talk = *state;

	begin(talk, NULL, 1000000, true);
	ask(talk, "hello", 1);
	fake_llm_say(&talk->llm, "Hi");
	expect(talk, "\"Hi\"");
	fake_permit_end(true);
	fake_llm_say(&talk->llm, " you");
	assert_int_equal(talk->llm.cancelled, 1);
	expect(talk, "INSUFFICIENT_CREDITS");
	expect(talk, FINAL);
	assert_int_equal(talk->peer.close_code, 4003);
	assert_rows(talk, 0, STORE_TURN_CANCELLED, FAKE_LLM_TOKENS_IN, 2, true);
}

static void test_a_question_waits_for_a_permit_that_is_granted_later(void **state)
{
	struct talk *talk = *state;

	begin(talk, NULL, -1, true);
	fake_permit_wait(true);
	ask(talk, "hello", 1);
	assert_int_equal(conversation_state(talk->conversation), CONVERSATION_WAITING);
	assert_int_equal(talk->llm.asked, 0);
	fake_permit_answer(NULL);
	assert_int_equal(talk->llm.asked, 1);
	assert_string_equal(talk->llm.history, "user: hello");
	fake_llm_finish(&talk->llm, LLM_WHOLE);
	assert_rows(talk, 0, STORE_TURN_FINISHED, FAKE_LLM_TOKENS_IN, 0, true);
}

static void test_a_permit_that_is_refused_later_is_reported(void **state)
{
	static const struct denied denied = {.why = DENIAL_TURNS, .limit = 2, .retry_s = 1};
	struct talk *talk = *state;

	begin(talk, NULL, -1, true);
	fake_permit_wait(true);
	ask(talk, "hello", 1);
	fake_permit_answer(&denied);
	assert_int_equal(talk->llm.asked, 0);
	expect(talk, "at most 2 turns at once");
	expect(talk, FINAL);
}

static void test_a_connection_can_end_while_a_question_waits_for_a_permit(void **state)
{
	struct talk *talk = *state;

	begin(talk, NULL, -1, true);
	fake_permit_wait(true);
	ask(talk, "hello", 1);
	conversation_hang_up(talk->conversation);
	fake_permit_forget(); /* the permit was released, so there is no answer */
	assert_int_equal(talk->llm.asked, 0);
	assert_int_equal(talk->ledger->count, 0);
}

static void test_rows_without_a_price_cost_nothing(void **state)
{
	struct talk *talk = *state;

	begin(talk, NULL, -1, true);
	talk->prices = (struct prices){.microcents_per_million = {PRICE_UNKNOWN, PRICE_UNKNOWN}};
	ask(talk, "hello", 1);
	fake_llm_say(&talk->llm, "Hi");
	fake_llm_finish(&talk->llm, LLM_WHOLE);
	assert_rows(talk, 0, STORE_TURN_FINISHED, FAKE_LLM_TOKENS_IN, 1, false);
	fake_ledger_answer(talk->ledger);
	expect(talk, "\"Hi\"");
	expect(talk, FINAL);
	expect(talk, "\"cost_cents\":null");
}

static void test_long_answers_are_marked_repeatedly(void **state)
{
	struct talk *talk = *state;

	begin(talk, NULL, -1, true);
	ask(talk, "hello", 1);
	for (int i = 0; i < 100; ++i)
		fake_llm_say(&talk->llm, "four");
	assert_int_equal(talk->ledger->marked, 2);
	assert_int_equal(talk->ledger->marks, 3);
	assert_int_equal(talk->ledger->last_mark.quantity, 64);
	assert_int_equal(talk->ledger->last_mark.kind, STORE_KIND_MODEL_OUTPUT);
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_an_answer_has_two_rows_with_the_tokens_that_the_model_counted),
		CASE(test_usage_is_reported_when_it_is_durable),
		CASE(test_a_cost_that_is_not_durable_is_reported_as_unknown),
		CASE(test_a_superseded_answer_is_charged_for_its_question_and_words_so_far),
		CASE(test_a_failed_answer_costs_nothing),
		CASE(test_a_cancelled_answer_is_free_if_all_its_requests_have_failed),
		CASE(test_an_answer_that_is_sent_again_is_booked_once),
		CASE(test_without_credit_the_model_is_not_asked),
		CASE(test_an_engine_whose_account_has_no_credit_says_the_sentence),
		CASE(test_limits_of_turns_requests_and_characters_apply),
		CASE(test_only_the_newest_words_count_as_characters),
		CASE(test_a_refused_question_can_be_asked_again),
		CASE(test_the_slot_of_an_answer_is_released_when_it_ends),
		CASE(test_without_room_in_the_ledger_the_model_is_not_asked),
		CASE(test_an_answer_that_would_overdraw_the_account_ends),
		CASE(test_a_question_waits_for_a_permit_that_is_granted_later),
		CASE(test_a_permit_that_is_refused_later_is_reported),
		CASE(test_a_connection_can_end_while_a_question_waits_for_a_permit),
		CASE(test_rows_without_a_price_cost_nothing),
		CASE(test_long_answers_are_marked_repeatedly),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
