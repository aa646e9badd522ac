/* Answers: words are passed on as they arrive, every failure has a spoken fallback, and the
 * connection is closed as soon as the answer is cancelled. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "../net/origin.h"
#include "../net/pump.h"
#include "base/count.h"
#include "base/mem.h"
#include "llm/llm.h"
#include "mem_fail.h"

#define OK "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
#define STREAM OK "Connection: close\r\n\r\n"
#define WORD(text) "data: {\"choices\":[{\"delta\":{\"content\":\"" text "\"}}]}\n\n"
#define STOP "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n"
#define DONE "data: [DONE]\n\n"
#define REFUSE(status, words)                                                                      \
	"HTTP/1.1 " status "\r\nConnection: close\r\n\r\n{\"error\":{\"message\":\"" words "\"}}"

enum { HOLD = 0, HANG_UP = 1 };

struct step {
	const char *answer; /* NULL: none */
	int then;
};

struct world {
	struct loop *loop;
	struct llm *llm;
	struct origin origin;
	struct llm_options options;
	const struct step *steps; /* of each request in turn; the last is repeated */
	size_t step_count;
	struct origin_peer *peer; /* of the last request */
	char request[4096];
	char url[64];

	struct llm_answer *answer;
	struct buf said;
	unsigned deltas, failures, dones;
	bool is_done;
	enum llm_end end;
	struct llm_figures figures;
	bool gives_up_at_delta, in_ask;
};

static void on_request(struct origin_peer *peer, const char *request, void *arg)
{
	struct world *world = arg;
	size_t nth = peer->origin->requests - 1;
	const struct step *step;

	snprintf(world->request, sizeof(world->request), "%s", request);
	world->peer = peer;
	if (world->step_count == 0)
		return;
	step = &world->steps[nth < world->step_count ? nth : world->step_count - 1];
	if (step->answer)
		origin_say_text(peer, step->answer);
	if (step->then == HANG_UP)
		origin_close(peer);
}

static void set_up(struct world *world)
{
	char why[128];

	*world = (struct world){0};
	assert_int_equal(loop_alloc(&world->loop), 0);
	assert_int_equal(llm_alloc(&world->llm, world->loop, NULL, why, sizeof(why)), 0);
	origin_start(&world->origin, world->loop, NULL, on_request, world);
	origin_url(&world->origin, world->url, sizeof(world->url));
	buf_init(&world->said, 1024 * 1024);
	world->options = (struct llm_options){.name = "test",
					      .url = world->url,
					      .model = "m",
					      .key = "secret",
					      .sentence = "Sorry.",
					      .retries = -1,
					      .temperature = -1};
}

static void tear_down(struct world *world)
{
	mem_deref(world->answer);
	mem_deref(world->llm);
	origin_stop(&world->origin);
	pump(world->loop);
	mem_deref(world->loop);
	buf_reset(&world->said);
	assert_int_equal(mem_live(), 0);
}

static void on_delta(const char *text, size_t len, void *arg)
{
	struct world *world = arg;

	assert_false(world->in_ask);
	assert_non_null(world->answer);
	assert_false(world->is_done);
	assert_true(len > 0);
	assert_int_equal(buf_append(&world->said, text, len), 0);
	++world->deltas;
	if (world->gives_up_at_delta)
		world->answer = mem_deref(world->answer);
}

static void on_done(enum llm_end end, const struct llm_figures *figures, void *arg)
{
	struct world *world = arg;

	assert_false(world->in_ask);
	assert_non_null(world->answer);
	++world->dones;
	assert_int_equal(world->failures, figures->errors);
	world->is_done = true;
	world->end = end;
	world->figures = *figures;
	world->answer = mem_deref(world->answer);
}

static void on_failed(void *arg)
{
	struct world *world = arg;

	assert_false(world->in_ask);
	assert_false(world->is_done);
	++world->failures;
}

static const struct llm_handlers handlers = {
	.delta = on_delta, .failed = on_failed, .done = on_done};

static int try_ask(struct world *world, const struct llm_turn *history, size_t count)
{
	struct llm_agent *agent;
	char why[256];
	int err;

	if (llm_agent_alloc(&agent, &world->options, why, sizeof(why)) != 0)
		fail_msg("%s", why);
	loop_enter(world->loop); /* making the world took time */
	world->in_ask = true;
	err = llm_ask(&world->answer, world->llm, agent, history, count, &handlers, world);
	world->in_ask = false;
	mem_deref(agent); /* the answer has its own reference */
	return err;
}

static void ask(struct world *world)
{
	static const struct llm_turn turn = {.role = LLM_USER, .text = "Hi", .len = 2};

	world->is_done = false;
	world->failures = 0;
	world->said.len = 0;
	assert_int_equal(try_ask(world, &turn, 1), 0);
}

static void expect_said(struct world *world, const char *said)
{
	assert_int_equal(world->said.len, strlen(said));
	if (world->said.len)
		assert_memory_equal(world->said.bytes, said, world->said.len);
}

static void expect(struct world *world, enum llm_end end, const char *said)
{
	assert_true(world->is_done);
	if (world->end != end)
		fail_msg("ended %s, not %s", llm_end_name(world->end), llm_end_name(end));
	expect_said(world, said);
}

static void wait_for_requests(struct world *world, unsigned count)
{
	while (world->origin.requests < count)
		pump(world->loop);
	pump(world->loop);
}

static void words_come_as_they_are_made(void **state)
{
	struct world world;

	(void)state;
	set_up(&world);
	ask(&world);
	wait_for_requests(&world, 1);
	assert_non_null(strstr(world.request, "POST /chat/completions HTTP/1.1\r\n"));
	assert_non_null(strstr(world.request, "\r\nAuthorization: Bearer secret\r\n"));
	assert_non_null(strstr(world.request, "\r\nContent-Type: application/json\r\n"));
	assert_non_null(strstr(world.request, "{\"role\":\"user\",\"content\":\"Hi\"}"));
	origin_say_text(world.peer, STREAM WORD("Hello"));
	pump(world.loop);
	expect_said(&world, "Hello");
	origin_say_text(world.peer,
			WORD(" you.") STOP "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":9,"
					   "\"completion_tokens\":7}}\n\n" DONE);
	pump(world.loop);
	expect(&world, LLM_WHOLE, "Hello you.");
	assert_int_equal(world.deltas, 2);
	assert_int_equal(world.figures.tokens_in, 9);
	assert_int_equal(world.figures.tokens_out, 7);
	assert_int_equal(world.figures.tries, 1);
	assert_int_equal(world.figures.errors, 0);
	tear_down(&world);
}

/* A byte at a time: inside UTF-8, inside line ends, inside chunks. */
static void any_split_gives_the_same_words(void **state)
{
	static const char first[] = "data: {\"choices\":[{\"delta\":{\"content\":"
				    "\"H\xc3\xa4 \xf0\x9f\x98\x80\"}}]}\r\n\r\ndata: [DON";
	char answer[512];
	struct world world;

	(void)state;
	set_up(&world);
	ask(&world);
	wait_for_requests(&world, 1);
	snprintf(answer, sizeof(answer),
		 OK "Transfer-Encoding: chunked\r\n\r\n%zx\r\n%s\r\n6\r\nE]\r\n\r\n\r\n",
		 strlen(first), first);
	for (size_t i = 0; i < strlen(answer); ++i) {
		origin_say(world.peer, answer + i, 1);
		pump(world.loop);
	}
	expect(&world, LLM_WHOLE, "H\xc3\xa4 \xf0\x9f\x98\x80");
	tear_down(&world);
}

static void every_dialect_is_spoken(void **state)
{
	static const struct {
		enum llm_dialect dialect;
		const char *path, *header, *answer;
	} rows[] = {
		{LLM_OPENAI, "POST /chat/completions ", "Authorization: Bearer secret",
		 STREAM WORD("One") STOP DONE},
		{LLM_RESPONSES, "POST /responses ", "Authorization: Bearer secret",
		 STREAM
		 "event: response.output_text.delta\ndata: {\"type\":\"response.output_text."
		 "delta\",\"delta\":\"One\"}\n\ndata: {\"type\":\"response.completed\"}\n\n"},
		{LLM_ANTHROPIC, "POST /messages ", "x-api-key: secret",
		 STREAM
		 "event: ping\ndata: {\"type\":\"ping\"}\n\nevent: content_block_delta\n"
		 "data: {\"type\":\"content_block_delta\",\"delta\":{\"type\":\"text_delta\","
		 "\"text\":\"One\"}}\n\nevent: message_stop\n"
		 "data: {\"type\":\"message_stop\"}\n\n"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); ++i) {
		const struct step step = {rows[i].answer, HOLD};
		struct world world;

		set_up(&world);
		world.options.dialect = rows[i].dialect;
		world.options.headers = "X-More: yes";
		world.steps = &step;
		world.step_count = 1;
		ask(&world);
		pump_until(world.loop, &world.is_done);
		expect(&world, LLM_WHOLE, "One");
		assert_int_equal(world.figures.tokens_out, 1); /* the number of deltas */
		assert_ptr_equal(strstr(world.request, rows[i].path), world.request);
		assert_non_null(strstr(world.request, rows[i].header));
		assert_non_null(strstr(world.request, "\r\nX-More: yes\r\n"));
		tear_down(&world);
	}
}

/* What is wrong before the first word, how often it is tried, how it ends. */
static void failures_before_a_word_are_made_up_for(void **state)
{
	static const struct step good = {STREAM WORD("Fine.") DONE, HANG_UP};
	static const struct {
		struct step first;
		unsigned tries; /* when all fail the same way */
		uint32_t pause_ms; /* before the second */
	} rows[] = {
		{{NULL, HANG_UP}, 2, 0},
		{{REFUSE("500 Internal", "gone"), HANG_UP}, 2, 100},
		{{REFUSE("503 Busy", "secret"), HANG_UP}, 2, 100},
		{{REFUSE("429 Too Many", "slow down"), HANG_UP}, 2, 100},
		{{REFUSE("401 Unauthorized", "no such key: secret"), HANG_UP}, 1, 0},
		{{REFUSE("400 Bad", "no such model"), HANG_UP}, 1, 0},
		{{"HTTP/1.1 404 Not Found\r\nContent-Length: 3\r\n\r\n<p>", HOLD}, 1, 0},
		{{"HTTP/1.1 307 Moved\r\nLocation: http://other/\r\n\r\n", HOLD}, 1, 0},
		{{"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>", HOLD}, 1, 0},
		{{"HTTP/1.1 200 OK\r\n\r\nhm", HOLD}, 1, 0},
		{{"nonsense\r\n\r\n", HOLD}, 2, 0},
		{{STREAM "data: nonsense\n\n", HOLD}, 2, 0},
		{{STREAM "data: {\"error\":{\"message\":\"overloaded\"}}\n\n", HOLD}, 2, 100},
		{{STREAM, HANG_UP}, 2, 0},
		{{STREAM DONE, HOLD}, 2, 0},
		{{STREAM WORD(" \\n") STOP DONE, HOLD}, 2, 0},
		{{STREAM WORD("") "data: {\"cho", HANG_UP}, 2, 0},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); ++i) {
		const struct step then_good[] = {rows[i].first, good};
		struct world world;

		set_up(&world);
		world.steps = then_good;
		world.step_count = 2;
		ask(&world);
		wait_for_requests(&world, 1);
		if (rows[i].pause_ms) {
			assert_int_equal(world.origin.requests, 1);
			pump_ahead(world.loop, rows[i].pause_ms);
		}
		pump_until(world.loop, &world.is_done);
		assert_int_equal(world.figures.tries, rows[i].tries);
		assert_int_equal(world.figures.errors, 1);
		if (rows[i].tries == 1)
			expect(&world, LLM_FALLBACK, "Sorry.");
		else
			assert_int_equal(world.end, LLM_WHOLE);
		tear_down(&world);

		set_up(&world); /* always so */
		world.steps = &rows[i].first;
		world.step_count = 1;
		ask(&world);
		wait_for_requests(&world, 1);
		pump_ahead(world.loop, rows[i].pause_ms);
		pump_until(world.loop, &world.is_done);
		assert_int_equal(world.end, LLM_FALLBACK);
		assert_int_equal(world.origin.requests, rows[i].tries);
		assert_int_equal(world.figures.errors, rows[i].tries);
		tear_down(&world);
	}
}

static void a_server_that_is_not_there_is_made_up_for(void **state)
{
	struct world world;

	(void)state;
	set_up(&world);
	world.options.url = "http://127.0.0.1:1/v1";
	ask(&world);
	pump_until(world.loop, &world.is_done);
	expect(&world, LLM_FALLBACK, "Sorry.");
	assert_int_equal(world.figures.tries, 2);
	assert_int_equal(world.figures.first_delta_ms, world.figures.whole_ms);
	tear_down(&world);
}

/* First token 3 s, one retry, all inside 3.5 s. */
static void a_silent_model_is_given_up_in_time(void **state)
{
	struct world world;

	(void)state;
	set_up(&world);
	ask(&world);
	wait_for_requests(&world, 1);
	pump_ahead(world.loop, 2900);
	assert_int_equal(world.origin.requests, 1);
	pump_ahead(world.loop, 150);
	wait_for_requests(&world, 2);
	assert_int_equal(world.origin.open, 1); /* the first was closed */
	assert_false(world.is_done);
	pump_ahead(world.loop, 450);
	expect(&world, LLM_FALLBACK, "Sorry.");
	pump(world.loop);
	assert_int_equal(world.origin.open, 0);
	assert_int_equal(world.figures.tries, 2);
	tear_down(&world);
}

/* Events without words (thinking, pings) are no beginning. */
static void thinking_is_no_word(void **state)
{
	struct world world;

	(void)state;
	set_up(&world);
	world.options.retries = 0;
	ask(&world);
	wait_for_requests(&world, 1);
	origin_say_text(world.peer, STREAM);
	for (int i = 0; i < 4; ++i) {
		origin_say_text(world.peer, "data: {\"choices\":[{\"delta\":{\"reasoning_content\":"
					    "\"hm\"}}]}\n\n: ping\n\n");
		pump_ahead(world.loop, 700);
		assert_false(world.is_done);
	}
	pump_ahead(world.loop, 300);
	expect(&world, LLM_FALLBACK, "Sorry.");
	tear_down(&world);
}

static void the_other_model_is_asked(void **state)
{
	static const struct step steps[] = {{REFUSE("404 No", "no such model"), HANG_UP},
					    {STREAM WORD("Here.") DONE, HOLD}};
	struct world world;

	(void)state;
	set_up(&world);
	world.options.fallback_model = "other";
	world.steps = steps;
	world.step_count = 2;
	ask(&world);
	pump_until(world.loop, &world.is_done);
	expect(&world, LLM_WHOLE, "Here.");
	assert_true(world.figures.is_other_model);
	assert_non_null(strstr(world.request, "\"model\":\"other\""));
	assert_int_equal(world.figures.tries, 2);
	tear_down(&world);
}

/* One that is late gets no second chance: there is time for one more try only. */
static void the_other_model_is_asked_when_the_first_is_late(void **state)
{
	static const struct step steps[] = {{STREAM, HOLD}, {STREAM WORD("Here.") DONE, HOLD}};
	struct world world;

	(void)state;
	set_up(&world);
	world.options.fallback_model = "other";
	world.steps = steps;
	world.step_count = 2;
	ask(&world);
	wait_for_requests(&world, 1);
	pump_ahead(world.loop, 3001);
	wait_for_requests(&world, 2);
	assert_non_null(strstr(world.request, "\"model\":\"other\""));
	pump_until(world.loop, &world.is_done);
	expect(&world, LLM_WHOLE, "Here.");
	assert_true(world.figures.is_other_model);
	tear_down(&world);
}

#define BUSY(header)                                                                               \
	"HTTP/1.1 429 Too Many\r\n" header "\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"

/* A server that is busy says when to come again. */
static void a_busy_server_is_asked_when_it_wants_to_be(void **state)
{
	static const struct {
		const char *answer;
		uint32_t pause_ms; /* 0: too long */
	} rows[] = {
		{BUSY("Retry-After: 1"), 1000},
		{BUSY("retry-after: 3"), 3000},
		{BUSY("Retry-After: 0"), 100},
		{BUSY("Retry-After: -5"), 100},
		{BUSY("Retry-After: soon"), 100},
		{BUSY("Retry-After: Mon, 01 Jan 2024 00:00:00 GMT"), 100},
		{BUSY("Retry-After-Ms: 700\r\nRetry-After: 9"), 700},
		{BUSY("Retry-After: 4"), 0},
		{BUSY("Retry-After: 99999999999999999999"), 0},
		{BUSY("Retry-After: Fri, 01 Jan 2100 00:00:00 GMT"), 0},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); ++i) {
		const struct step steps[] = {{rows[i].answer, HANG_UP},
					     {STREAM WORD("Now.") DONE, HOLD}};
		struct world world;

		set_up(&world);
		world.steps = steps;
		world.step_count = 2;
		ask(&world);
		wait_for_requests(&world, 1);
		if (rows[i].pause_ms > 100)
			pump_ahead(world.loop, rows[i].pause_ms - 200);
		assert_int_equal(world.origin.requests, 1);
		if (rows[i].pause_ms)
			pump_ahead(world.loop, 250);
		pump_until(world.loop, &world.is_done);
		if (rows[i].pause_ms)
			expect(&world, LLM_WHOLE, "Now.");
		else
			expect(&world, LLM_FALLBACK, "Sorry.");
		assert_int_equal(world.origin.requests, rows[i].pause_ms ? 2 : 1);
		tear_down(&world);
	}
}

static void without_a_sentence_it_is_silent(void **state)
{
	static const struct step step = {REFUSE("400 Bad", "no"), HANG_UP};
	struct world world;

	(void)state;
	set_up(&world);
	world.options.sentence = "";
	world.steps = &step;
	world.step_count = 1;
	ask(&world);
	pump_until(world.loop, &world.is_done);
	expect(&world, LLM_SILENT, "");
	assert_int_equal(world.figures.first_delta_ms, UINT32_MAX);
	tear_down(&world);
}

static void a_break_after_a_word_keeps_what_was_said(void **state)
{
	static const struct step rows[] = {
		{STREAM WORD("Well,"), HANG_UP},
		{STREAM WORD("Well,") "data: {\"error\":{\"message\":\"late\"}}\n\n", HOLD},
		{STREAM WORD("Well,") "data: nonsense\n\n", HOLD},
		{OK "Transfer-Encoding: chunked\r\n\r\n33\r\n" WORD("Well,") "\r\nzz", HOLD},
		{OK "Content-Length: 1000\r\n\r\n" WORD("Well,"), HANG_UP},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); ++i) {
		struct world world;

		set_up(&world);
		world.steps = &rows[i];
		world.step_count = 1;
		world.options.fallback_model = "other";
		ask(&world);
		pump_until(world.loop, &world.is_done);
		expect(&world, LLM_BROKEN, "Well,");
		assert_int_equal(world.origin.requests, 1);
		assert_int_equal(world.figures.errors, 1);
		tear_down(&world);
	}
}

static void a_stream_may_not_stand_still(void **state)
{
	struct world world;

	(void)state;
	set_up(&world);
	world.options.between_ms = 500;
	ask(&world);
	wait_for_requests(&world, 1);
	origin_say_text(world.peer, STREAM WORD("Well,"));
	pump(world.loop);
	for (int i = 0; i < 5; ++i) {
		pump_ahead(world.loop, 300);
		assert_false(world.is_done);
		origin_say_text(world.peer, WORD(" well,"));
		pump(world.loop);
	}
	pump_ahead(world.loop, 300);
	assert_false(world.is_done);
	origin_say_text(world.peer, ": ping\n\ndata: {\"choices\":[]}\n\n"); /* is no word */
	pump(world.loop);
	pump_ahead(world.loop, 201);
	expect(&world, LLM_BROKEN, "Well, well, well, well, well, well,");
	pump(world.loop);
	assert_int_equal(world.origin.open, 0);
	tear_down(&world);
}

static void an_answer_may_not_last_forever(void **state)
{
	struct world world;

	(void)state;
	set_up(&world);
	world.options.whole_ms = 5000;
	ask(&world);
	wait_for_requests(&world, 1);
	origin_say_text(world.peer, STREAM);
	for (int i = 0; i < 10 && !world.is_done; ++i) {
		origin_say_text(world.peer, WORD("la "));
		pump(world.loop);
		pump_ahead(world.loop, 600);
	}
	assert_true(world.is_done);
	assert_int_equal(world.end, LLM_CUT);
	assert_int_equal(world.deltas, 9);
	tear_down(&world);
}

static void an_answer_may_not_be_endless(void **state)
{
	static char word[8192];
	struct world world;
	unsigned words = 0;

	(void)state;
	memset(word, 'x', sizeof(word) - 1);
	set_up(&world);
	ask(&world);
	wait_for_requests(&world, 1);
	origin_say_text(world.peer, STREAM);
	while (!world.is_done && words < 100) {
		origin_say_text(world.peer, "data: {\"choices\":[{\"delta\":{\"content\":\"");
		origin_say_text(world.peer, word);
		origin_say_text(world.peer, "\"}}]}\n\n");
		pump(world.loop);
		++words;
	}
	assert_int_equal(world.end, LLM_CUT);
	assert_int_equal(words, 33); /* 256 KiB */
	tear_down(&world);
}

static void an_event_may_not_be_endless(void **state)
{
	static char piece[32 * 1024];
	struct world world;
	unsigned pieces = 0;

	(void)state;
	memset(piece, 'x', sizeof(piece) - 1);
	set_up(&world);
	world.options.retries = 0;
	ask(&world);
	wait_for_requests(&world, 1);
	origin_say_text(world.peer, STREAM "data: ");
	while (!world.is_done && pieces < 100) {
		origin_say_text(world.peer, piece);
		pump(world.loop);
		++pieces;
	}
	expect(&world, LLM_FALLBACK, "Sorry.");
	assert_int_equal(pieces, 33); /* a megabyte */
	tear_down(&world);
}

static void max_tokens_is_a_cut(void **state)
{
	static const struct step step = {
		STREAM WORD("Well,") "data: {\"choices\":[{\"delta\":{},\"finish_reason\":"
				     "\"length\"}]}\n\n" DONE,
		HOLD};
	struct world world;

	(void)state;
	set_up(&world);
	world.steps = &step;
	world.step_count = 1;
	ask(&world);
	pump_until(world.loop, &world.is_done);
	expect(&world, LLM_CUT, "Well,");
	tear_down(&world);
}

/* The model reported the end: the end marker may be missing. */
static void a_finished_stream_may_just_end(void **state)
{
	static const struct step step = {STREAM WORD("Well.") STOP, HANG_UP};
	struct world world;

	(void)state;
	set_up(&world);
	world.steps = &step;
	world.step_count = 1;
	ask(&world);
	pump_until(world.loop, &world.is_done);
	expect(&world, LLM_WHOLE, "Well.");
	tear_down(&world);
}

/* Nor is it waited for, or missed when the connection breaks instead. */
static void after_the_finish_nothing_can_break(void **state)
{
	static const struct step rows[] = {
		{STREAM WORD("Well.") STOP, HOLD},
		{OK "Content-Length: 1000\r\n\r\n" WORD("Well.") STOP, HANG_UP},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); ++i) {
		struct world world;

		set_up(&world);
		world.steps = &rows[i];
		world.step_count = 1;
		ask(&world);
		wait_for_requests(&world, 1);
		if (rows[i].then == HOLD) {
			while (world.deltas == 0)
				pump(world.loop);
			assert_false(world.is_done);
			pump_ahead(world.loop, 501);
		}
		pump_until(world.loop, &world.is_done);
		expect(&world, LLM_WHOLE, "Well.");
		assert_int_equal(world.figures.errors, 0);
		tear_down(&world);
	}
}

static void giving_up_closes_the_connection_at_once(void **state)
{
	(void)state;
	for (int when = 0; when < 4; ++when) {
		struct world world;

		set_up(&world);
		world.gives_up_at_delta = when == 3;
		ask(&world);
		if (when > 0)
			wait_for_requests(&world, 1);
		if (when > 1) {
			origin_say_text(world.peer, STREAM WORD("One,") WORD("two"));
			pump(world.loop);
		}
		if (when < 3)
			world.answer = mem_deref(world.answer);
		assert_null(world.answer);
		pump(world.loop);
		assert_int_equal(world.origin.open, 0);
		assert_int_equal(world.deltas, when < 2 ? 0 : when == 2 ? 2 : 1);
		pump_ahead(world.loop, 5000);
		assert_int_equal(world.dones, 0);
		tear_down(&world);
	}
}

/* The last bytes of an answer arrive after its reported end. */
static void connections_are_used_again(void **state)
{
	static const char body[] = OK "Transfer-Encoding: chunked\r\n\r\n";
	struct world world;

	(void)state;
	set_up(&world);
	for (int i = 0; i < 3; ++i) {
		char chunk[16];

		ask(&world);
		wait_for_requests(&world, (unsigned)i + 1);
		snprintf(chunk, sizeof(chunk), "%zx\r\n", strlen(WORD("Yes.") DONE));
		origin_say_text(world.peer, body);
		origin_say_text(world.peer, chunk);
		origin_say_text(world.peer, WORD("Yes.") DONE "\r\n");
		pump(world.loop);
		expect(&world, LLM_WHOLE, "Yes.");
		if (i == 2) /* and if they do not come, it is closed */
			break;
		origin_say_text(world.peer, "0\r\n\r\n");
		pump(world.loop);
	}
	assert_int_equal(world.origin.connections, 1);
	assert_int_equal(world.origin.open, 1);
	pump_ahead(world.loop, 1100);
	assert_int_equal(world.origin.open, 0);
	tear_down(&world);
}

/* Between an answer's end and its last bytes everything may go. */
static void the_client_may_end_while_last_bytes_are_due(void **state)
{
	static const struct step step = {OK "Content-Length: 1000\r\n\r\n" WORD("Yes.") DONE, HOLD};
	struct world world;

	(void)state;
	set_up(&world);
	world.steps = &step;
	world.step_count = 1;
	ask(&world);
	pump_until(world.loop, &world.is_done);
	tear_down(&world);
}

static void the_echo_says_back_what_it_heard(void **state)
{
	static const struct {
		const char *heard, *said;
		unsigned deltas;
	} rows[] = {
		{"good morning", "You said: good morning.", 4},
		{"Why? \n", "You said: Why?", 3},
		{"a  b", "You said: a  b.", 5},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); ++i) {
		const struct llm_turn turn = {
			.role = LLM_USER, .text = rows[i].heard, .len = strlen(rows[i].heard)};
		struct world world;

		set_up(&world);
		world.options = (struct llm_options){.dialect = LLM_ECHO};
		assert_int_equal(try_ask(&world, &turn, 1), 0);
		for (int t = 0; t < 20 && !world.is_done; ++t)
			pump_ahead(world.loop, 20);
		expect(&world, LLM_WHOLE, rows[i].said);
		assert_int_equal(world.deltas, rows[i].deltas);
		assert_int_equal(world.origin.connections, 0);
		tear_down(&world);
	}
}

static void the_echo_can_be_given_up(void **state)
{
	struct world world;

	(void)state;
	set_up(&world);
	world.options = (struct llm_options){.dialect = LLM_ECHO};
	world.gives_up_at_delta = true;
	ask(&world);
	pump_ahead(world.loop, 1000);
	assert_int_equal(world.deltas, 1);
	assert_int_equal(world.dones, 0);
	tear_down(&world);
}

static void a_history_must_end_with_the_user(void **state)
{
	static char long_text[LLM_TURN_MAX + 1];
	const struct llm_turn agent_last[] = {{LLM_USER, "Hi", 2}, {LLM_AGENT, "Yes?", 4}};
	const struct llm_turn blank[] = {{LLM_USER, " ", 1}};
	const struct llm_turn blank_last[] = {{LLM_USER, "Hi", 2}, {LLM_AGENT, " ", 1}};
	struct llm_turn longest = {LLM_USER, long_text, LLM_TURN_MAX + 1};
	struct world world;

	(void)state;
	memset(long_text, 'x', sizeof(long_text));
	set_up(&world);
	assert_int_equal(try_ask(&world, NULL, 0), EINVAL);
	assert_int_equal(try_ask(&world, agent_last, 2), EINVAL);
	assert_int_equal(try_ask(&world, blank, 1), EINVAL);
	assert_int_equal(try_ask(&world, &longest, 1), EMSGSIZE);
	--longest.len;
	assert_int_equal(try_ask(&world, &longest, 1), 0);
	world.answer = mem_deref(world.answer);
	assert_int_equal(try_ask(&world, blank_last, 2), 0);
	tear_down(&world);
}

static void a_long_history_is_cut_from_the_oldest(void **state)
{
	const struct llm_turn turns[] = {
		{LLM_USER, "oldest", 6}, {LLM_AGENT, "older", 5}, {LLM_USER, "newest", 6}};
	struct world world;

	(void)state;
	set_up(&world);
	world.options.history_max = 11;
	assert_int_equal(try_ask(&world, turns, 3), 0);
	wait_for_requests(&world, 1);
	assert_null(strstr(world.request, "oldest"));
	assert_non_null(strstr(world.request, "older"));
	assert_non_null(strstr(world.request, "newest"));
	tear_down(&world);
}

/* With the n-th allocation failing, for every n: refused, or answered after all. */
static void memory_may_run_out_anywhere(void **state)
{
	static const struct llm_turn turn = {.role = LLM_USER, .text = "Hi", .len = 2};
	static const struct step step = {STREAM WORD("Fine.") DONE, HANG_UP};
	unsigned refused = 0;
	size_t n = 0;
	int err;

	(void)state;
	do {
		struct llm_agent *agent = NULL;
		struct world world;
		char why[256];

		set_up(&world);
		world.steps = &step;
		world.step_count = 1;
		mem_fail_after(++n);
		err = llm_agent_alloc(&agent, &world.options, why, sizeof(why));
		if (!err)
			err = llm_ask(&world.answer, world.llm, agent, &turn, 1, &handlers, &world);
		while (!err && !world.is_done)
			pump(world.loop);
		mem_fail_after(0);
		assert_true(err == 0 || err == ENOMEM);
		assert_true(err || world.end == LLM_WHOLE || world.end == LLM_FALLBACK);
		refused += err != 0;
		mem_deref(agent);
		tear_down(&world);
	} while (n < 12);
	assert_int_equal(refused, 3); /* the agent, the answer, the call */
}

/* What an answer makes us write to standard error, which is our log. */
static void read_log(char *text, size_t size, const char *answer, const char *key)
{
	const struct step step = {answer, HANG_UP};
	char path[] = "/tmp/test_llm_log_XXXXXX";
	int fd = mkstemp(path);
	int saved = dup(2);
	struct world world;
	ssize_t n;

	assert_true(fd >= 0 && saved >= 0);
	set_up(&world);
	world.options.key = key;
	world.steps = &step;
	world.step_count = 1;
	dup2(fd, 2);
	ask(&world);
	pump_until(world.loop, &world.is_done);
	dup2(saved, 2);
	n = pread(fd, text, size - 1, 0);
	assert_true(n > 0);
	text[n] = '\0';
	close(fd);
	close(saved);
	unlink(path);
	tear_down(&world);
}

static void the_log_says_why_and_never_the_key(void **state)
{
	static const char key[] = "sk-0123456789";
	char answer[2048];
	char text[4096];

	(void)state;
	read_log(text, sizeof(text), REFUSE("401 No", "bad key \\n sk-0123456789 in a header"),
		 key);
	assert_non_null(strstr(text, "HTTP 401: bad key"));
	assert_null(strstr(text, "sk-0123"));
	assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1); /* one line */
	for (int blanks = 470; blanks < 520; ++blanks) { /* the words are cut inside the key */
		snprintf(answer, sizeof(answer), REFUSE("401 No", "%*s%s in a header"), blanks, "",
			 key);
		read_log(text, sizeof(text), answer, key);
		assert_non_null(strstr(text, "HTTP 401: "));
		assert_null(strstr(text, "sk-0123"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_come_as_they_are_made),
		cmocka_unit_test(any_split_gives_the_same_words),
		cmocka_unit_test(every_dialect_is_spoken),
		cmocka_unit_test(failures_before_a_word_are_made_up_for),
		cmocka_unit_test(a_server_that_is_not_there_is_made_up_for),
		cmocka_unit_test(a_silent_model_is_given_up_in_time),
		cmocka_unit_test(thinking_is_no_word),
		cmocka_unit_test(the_other_model_is_asked),
		cmocka_unit_test(the_other_model_is_asked_when_the_first_is_late),
		cmocka_unit_test(a_busy_server_is_asked_when_it_wants_to_be),
		cmocka_unit_test(without_a_sentence_it_is_silent),
		cmocka_unit_test(a_break_after_a_word_keeps_what_was_said),
		cmocka_unit_test(a_stream_may_not_stand_still),
		cmocka_unit_test(an_answer_may_not_last_forever),
		cmocka_unit_test(an_answer_may_not_be_endless),
		cmocka_unit_test(an_event_may_not_be_endless),
		cmocka_unit_test(max_tokens_is_a_cut),
		cmocka_unit_test(a_finished_stream_may_just_end),
		cmocka_unit_test(after_the_finish_nothing_can_break),
		cmocka_unit_test(giving_up_closes_the_connection_at_once),
		cmocka_unit_test(connections_are_used_again),
		cmocka_unit_test(the_client_may_end_while_last_bytes_are_due),
		cmocka_unit_test(the_echo_says_back_what_it_heard),
		cmocka_unit_test(the_echo_can_be_given_up),
		cmocka_unit_test(a_history_must_end_with_the_user),
		cmocka_unit_test(a_long_history_is_cut_from_the_oldest),
		cmocka_unit_test(memory_may_run_out_anywhere),
		cmocka_unit_test(the_log_says_why_and_never_the_key),
	};

	setenv("SSL_CERT_FILE", "/dev/null", 1); /* to read them takes longer than all the rest */
	setenv("SSL_CERT_DIR", "/dev/null", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
