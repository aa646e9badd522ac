/* An agent of this server answers in a call: its words arrive, and an answer that nobody wants is
 * cancelled; without credit it is refused. */
#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "agent/own_answerer.h"
#include "base/count.h"
#include "base/log.h"
#include "base/mem.h"
#include "fake_ledger.h"
#include "fake_llm.h"
#include "mem_fail.h"
#include "net/pump.h"

/* What the listener does when it is called. */
enum habit { TAKES_NOTE, ASKS, DROPS, CLOSES };

struct call {
	struct loop *loop;
	struct fake_llm llm;
	struct llm_agent *agent;
	struct fake_ledger *ledger;
	struct prices prices;
	struct caller *caller;
	struct conversation_figures totals;
	struct answerer *answerer; /* NULL: closed */
	struct buf log; /* what was delivered, and a NUL */
	enum habit habit;
	bool is_inside; /* a function of the answerer */
	char why[256];
};

static int ask_text(struct call *call, int64_t id, const char *text)
{
	const struct answerer_said said[] = {{.text = "Hi", .len = 2},
					     {.by_agent = true, .text = "Hello", .len = 5},
					     {.text = text, .len = strlen(text)}};
	int err;

	call->is_inside = true;
	err = call->answerer->ops->ask(call->answerer, id, said, COUNT(said));
	call->is_inside = false;
	return err;
}

static void drop(struct call *call)
{
	call->is_inside = true;
	call->answerer->ops->drop(call->answerer);
	call->is_inside = false;
}

static void close_it(struct call *call)
{
	call->is_inside = true;
	call->answerer->ops->close(call->answerer);
	call->answerer = NULL;
	call->is_inside = false;
}

static void note(struct call *call, int64_t id, const char *text, size_t len)
{
	enum habit habit = call->habit;

	assert_false(call->is_inside);
	assert_non_null(call->answerer);
	if (call->log.len > 0)
		--call->log.len;
	assert_int_equal(buf_printf(&call->log, "%" PRId64 ":%.*s ", id, (int)len, text), 0);
	assert_int_equal(buf_append(&call->log, "", 1), 0);
	call->habit = TAKES_NOTE;
	if (habit == ASKS)
		assert_int_equal(ask_text(call, id + 1, "next"), 0);
	else if (habit == DROPS)
		drop(call);
	else if (habit == CLOSES)
		close_it(call);
}

static void on_words(void *arg, int64_t id, const char *text, size_t len)
{
	note(arg, id, text, len);
}

static void on_complete(void *arg, int64_t id)
{
	note(arg, id, "complete", 8);
}

static void on_failed(void *arg, int64_t id, enum answerer_fault fault, const char *why)
{
	static const char *const names[] = {"unreachable", "silent", "stalled", "refused"};
	struct call *call = arg;

	snprintf(call->why, sizeof(call->why), "%s", why);
	note(arg, id, names[fault], strlen(names[fault]));
}

static void on_closed(void *arg, const char *why)
{
	struct call *call = arg;

	assert_string_equal(why, call->why);
	note(arg, 0, "closed", 6);
}

static const struct answerer_listener listener = {
	.words = on_words, .complete = on_complete, .failed = on_failed, .closed = on_closed};

static int open_answerer(struct call *call, const struct answer_billing *billing)
{
	const struct own_answerer_options options = {
		.loop = call->loop,
		.llm = &call->llm.llm,
		.agent = call->agent,
		.agent_name = "test",
		.conversation_id = "conv_1",
		.billing = billing,
		.totals = &call->totals,
	};

	return own_answerer_alloc(&call->answerer, &options, &listener, call);
}

static void set_up_closed(struct call *call)
{
	static const struct llm_options how = {.dialect = LLM_ECHO, .sentence = "Sorry."};
	char why[64];

	*call = (struct call){0};
	log_set_level(LOG_ERROR);
	assert_int_equal(loop_alloc(&call->loop), 0);
	assert_int_equal(llm_agent_alloc(&call->agent, &how, why, sizeof(why)), 0);
	fake_llm_init(&call->llm);
	buf_init(&call->log, 64 * 1024);
}

static void set_up(struct call *call)
{
	set_up_closed(call);
	assert_int_equal(open_answerer(call, NULL), 0);
}

/* The caller has prepaid this many micro-cents. */
static void set_up_with_credit(struct call *call, int64_t credit)
{
	static const struct store_limits none = {STORE_LIMIT_NONE, STORE_LIMIT_NONE,
						 STORE_LIMIT_NONE, STORE_LIMIT_NONE,
						 STORE_LIMIT_NONE, STORE_LIMIT_NONE};
	struct store_account account = {
		.id = 3, .is_prepaid = true, .credit_microcents = credit, .limits = none};
	struct store_key key = {
		.id = 7, .scopes = STORE_SCOPE_SPEAK, .credit_cents = -1, .limits = none};
	struct answer_billing billing = {0};

	set_up_closed(call);
	call->ledger = calloc(1, sizeof(*call->ledger));
	assert_non_null(call->ledger);
	fake_ledger_init(call->ledger);
	call->prices = (struct prices){.microcents_per_million = {2000000, 30000000}};
	assert_int_equal(
		caller_alloc_standalone(&call->caller, &call->loop->timers, &account, &key), 0);
	billing = (struct answer_billing){
		.caller = call->caller, .ledger = &call->ledger->ledger, .prices = &call->prices};
	assert_int_equal(open_answerer(call, &billing), 0);
}

static void tear_down(struct call *call)
{
	if (call->answerer)
		close_it(call);
	assert_int_equal(call->llm.answers.count, 0);
	mem_deref(call->caller);
	mem_deref(call->agent);
	pump(call->loop);
	mem_deref(call->loop);
	buf_reset(&call->log);
	free(call->ledger);
	assert_int_equal(mem_live(), 0);
}

static void ask(struct call *call, int64_t id)
{
	char text[32];

	snprintf(text, sizeof(text), "question %" PRId64, id);
	assert_int_equal(ask_text(call, id, text), 0);
}

static void say(struct call *call, const char *text)
{
	fake_llm_say(&call->llm, text);
	pump(call->loop);
}

static void finish(struct call *call, enum llm_end end)
{
	fake_llm_finish(&call->llm, end);
	pump(call->loop);
}

static void expect(struct call *call, const char *log)
{
	pump(call->loop);
	assert_string_equal(call->log.len > 0 ? call->log.bytes : "", log);
}

static void an_answer_is_delivered_as_it_arrives(void **state)
{
	struct call call;

	(void)state;
	set_up(&call);
	ask(&call, 4);
	assert_string_equal(call.llm.history, "user: Hi|agent: Hello|user: question 4");
	say(&call, "Well,");
	expect(&call, "4:Well, ");
	say(&call, " \"yes\"");
	finish(&call, LLM_WHOLE);
	expect(&call, "4:Well, 4: \"yes\" 4:complete ");
	ask(&call, 5);
	fake_llm_say(&call.llm, "a"); /* what comes at once is delivered at once */
	fake_llm_say(&call.llm, "b");
	finish(&call, LLM_WHOLE);
	expect(&call, "4:Well, 4: \"yes\" 4:complete 5:ab 5:complete ");
	close_it(&call);
	assert_int_equal(call.totals.turns, 2);
	assert_int_equal(call.totals.cancels, 0);
	tear_down(&call);
}

static void the_next_question_ends_the_answer(void **state)
{
	struct call call;

	(void)state;
	set_up(&call);
	ask(&call, 1);
	say(&call, "old");
	fake_llm_say(&call.llm, " undelivered");
	ask(&call, 2);
	assert_int_equal(call.llm.cancelled, 1);
	say(&call, "new");
	expect(&call, "1:old 2:new ");
	tear_down(&call);
}

static void a_dropped_answer_is_cancelled(void **state)
{
	struct call call;

	(void)state;
	set_up(&call);
	drop(&call);
	ask(&call, 1);
	say(&call, "a");
	fake_llm_say(&call.llm, "b");
	drop(&call);
	assert_int_equal(call.llm.cancelled, 1);
	expect(&call, "1:a ");
	ask(&call, 2);
	fake_llm_say(&call.llm, "c");
	fake_llm_finish(&call.llm, LLM_WHOLE);
	drop(&call);
	expect(&call, "1:a ");
	tear_down(&call);
}

/* The model cannot be asked, so the agent's sentence is there before `ask` returns. */
static void what_is_replied_at_once_is_delivered_later(void **state)
{
	struct call call;

	(void)state;
	set_up(&call);
	call.llm.fails = ENOMEM;
	ask(&call, 1);
	assert_int_equal(call.log.len, 0);
	expect(&call, "1:Sorry. 1:complete ");
	call.llm.fails = ENOMEM;
	ask(&call, 2);
	drop(&call);
	call.llm.fails = ENOMEM;
	ask(&call, 3);
	close_it(&call);
	expect(&call, "1:Sorry. 1:complete ");
	tear_down(&call);
}

static void a_listener_may_ask_drop_and_close(void **state)
{
	static const enum habit habits[] = {ASKS, DROPS, CLOSES};

	(void)state;
	for (size_t i = 0; i < 2 * COUNT(habits); ++i) {
		bool has_words = i % 2;
		struct call call;

		set_up(&call);
		ask(&call, 1);
		call.habit = habits[i / 2];
		if (has_words)
			fake_llm_say(&call.llm, "a");
		fake_llm_finish(&call.llm, LLM_WHOLE);
		expect(&call, has_words ? "1:a " : "1:complete ");
		if (habits[i / 2] == ASKS) {
			say(&call, "b");
			expect(&call, has_words ? "1:a 2:b " : "1:complete 2:b ");
		}
		tear_down(&call);
	}
}

static void without_credit_it_is_refused_and_closed(void **state)
{
	const struct answerer_said said = {.text = "again", .len = 5};
	struct call call;

	(void)state;
	set_up_with_credit(&call, 0);
	ask(&call, 1);
	expect(&call, "1:refused 0:closed ");
	assert_string_equal(call.why, "Insufficient credits");
	assert_int_equal(call.llm.asked, 0);
	assert_int_equal(call.answerer->ops->ask(call.answerer, 2, &said, 1), ENOTCONN);
	drop(&call);
	expect(&call, "1:refused 0:closed ");
	tear_down(&call);
}

static void the_caller_pays(void **state)
{
	struct call call;

	(void)state;
	set_up_with_credit(&call, 1000000);
	ask(&call, 1);
	say(&call, "a");
	finish(&call, LLM_WHOLE);
	expect(&call, "1:a 1:complete ");
	assert_true(call.ledger->count > 0);
	ask(&call, 2);
	say(&call, "b");
	drop(&call); /* what the model has said is paid for */
	assert_int_equal(call.ledger->count, 4);
	tear_down(&call);
}

static void a_history_that_is_too_long_is_refused(void **state)
{
	static struct answerer_said many[ANSWERER_ENTRIES_MAX + 1];
	struct call call;

	(void)state;
	for (size_t i = 0; i < COUNT(many); ++i)
		many[i] = (struct answerer_said){.text = "a", .len = 1};
	set_up(&call);
	ask(&call, 1);
	assert_int_equal(call.answerer->ops->ask(call.answerer, 2, many, COUNT(many)), ENOBUFS);
	assert_int_equal(call.llm.cancelled, 1); /* the question before has ended all the same */
	assert_int_equal(call.answerer->ops->ask(call.answerer, 2, many, COUNT(many) - 1), 0);
	say(&call, "b");
	expect(&call, "2:b ");
	tear_down(&call);
}

static void nothing_leaks_when_memory_runs_out(void **state)
{
	unsigned answered = 0;

	(void)state;
	for (size_t n = 1; n < 12; ++n) {
		struct call call;

		set_up_closed(&call);
		mem_fail_after(n);
		if (open_answerer(&call, NULL) == 0 && ask_text(&call, 1, "what?") == 0) {
			if (call.llm.answers.count > 0) {
				say(&call, "yes");
				finish(&call, LLM_WHOLE);
			}
			pump(call.loop);
			assert_non_null(strstr(call.log.bytes, "1:complete"));
			++answered;
		}
		mem_fail_after(0);
		tear_down(&call);
	}
	assert_true(answered > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_answer_is_delivered_as_it_arrives),
		cmocka_unit_test(the_next_question_ends_the_answer),
		cmocka_unit_test(a_dropped_answer_is_cancelled),
		cmocka_unit_test(what_is_replied_at_once_is_delivered_later),
		cmocka_unit_test(a_listener_may_ask_drop_and_close),
		cmocka_unit_test(without_credit_it_is_refused_and_closed),
		cmocka_unit_test(the_caller_pays),
		cmocka_unit_test(a_history_that_is_too_long_is_refused),
		cmocka_unit_test(nothing_leaks_when_memory_runs_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
