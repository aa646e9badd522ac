/* A developer's server is asked: which of its words are delivered, when it is asked again, and what
 * is said when it does not answer. */
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

#include "agent/remote_answerer.h"
#include "base/clock.h"
#include "base/count.h"
#include "base/log.h"
#include "base/mem.h"
#include "mem_fail.h"
#include "net/pump.h"
#include "upstream_peer.h"

/* The clock is moved, but it also runs: where a timer must not fire yet, half of it is left. */
#define CASCADE_MS 10000
#define ID INT64_C(7) /* of the first question */

static const struct engine_token_rules rules = {
	.header = "X-Token", .issuer = "an issuer", .subject = "a subject"};

/* What the listener does when it is called. */
enum habit { TAKES_NOTE, ASKS, DROPS, CLOSES };

struct world {
	struct loop *loop;
	struct upstream_sockets *sockets;
	struct upstream_peer peer;
	struct engine_token_keys keys;
	struct answerer *answerer; /* NULL: closed */
	struct buf log; /* what was delivered, and a NUL */
	uint32_t cascade_ms;
	enum habit habit;
	bool is_inside; /* a function of the answerer */
	unsigned failures;
	enum answerer_fault fault;
	char why[256];
};

static int ask_text(struct world *world, int64_t id, const char *text)
{
	const struct answerer_said said[] = {{.text = "Hi", .len = 2},
					     {.by_agent = true, .text = "Hello \"you\"", .len = 11},
					     {.text = text, .len = strlen(text)}};
	bool was_inside = world->is_inside;
	int err;

	world->is_inside = true;
	err = world->answerer->ops->ask(world->answerer, id, said, COUNT(said));
	world->is_inside = was_inside;
	return err;
}

static void ask(struct world *world, int64_t id)
{
	assert_int_equal(ask_text(world, id, "what?"), 0);
}

static void drop(struct world *world)
{
	world->is_inside = true;
	world->answerer->ops->drop(world->answerer);
	world->is_inside = false;
}

static void close_it(struct world *world)
{
	world->is_inside = true;
	world->answerer->ops->close(world->answerer);
	world->answerer = NULL;
	world->is_inside = false;
}

static void act(struct world *world, int64_t id)
{
	enum habit habit = world->habit;

	world->habit = TAKES_NOTE;
	if (habit == ASKS)
		ask(world, id + 1);
	else if (habit == DROPS)
		drop(world);
	else if (habit == CLOSES)
		close_it(world);
}

static void note(struct world *world, int64_t id, const char *text, size_t len)
{
	assert_false(world->is_inside);
	assert_non_null(world->answerer);
	if (world->log.len > 0)
		--world->log.len;
	assert_int_equal(buf_printf(&world->log, "%" PRId64 ":%.*s ", id, (int)len, text), 0);
	assert_int_equal(buf_append(&world->log, "", 1), 0);
}

static void on_words(void *arg, int64_t id, const char *text, size_t len)
{
	note(arg, id, text, len);
	act(arg, id);
}

static void on_complete(void *arg, int64_t id)
{
	note(arg, id, "complete", 8);
	act(arg, id);
}

static void on_failed(void *arg, int64_t id, enum answerer_fault fault, const char *why)
{
	struct world *world = arg;

	note(arg, id, "failed", 6);
	++world->failures;
	world->fault = fault;
	snprintf(world->why, sizeof(world->why), "%s", why);
	act(arg, id);
}

static void on_closed(void *arg, const char *why)
{
	(void)arg;
	fail_msg("closed: %s", why);
}

static const struct answerer_listener listener = {
	.words = on_words, .complete = on_complete, .failed = on_failed, .closed = on_closed};

static int open_answerer(struct world *world)
{
	static const char *const headers[] = {"X-User: 5", "X-Token: theirs", NULL};
	char url[64];
	const struct remote_answerer_options options = {
		.sockets = world->sockets,
		.url = url,
		.keys = &world->keys,
		.headers = headers,
		.conversation_id = "conv_abc",
		.cascade_timeout_ms = world->cascade_ms,
	};
	int err;

	snprintf(url, sizeof(url), "ws://127.0.0.1:%u/agent", listener_port(world->peer.listener));
	err = remote_answerer_alloc(&world->answerer, &options, &listener, world);
	memset(url, 'x', sizeof(url) - 1); /* it is copied */
	return err;
}

static void set_up_closed(struct world *world)
{
	*world = (struct world){.cascade_ms = CASCADE_MS};
	log_set_level(LOG_ERROR);
	assert_int_equal(loop_alloc(&world->loop), 0);
	assert_int_equal(upstream_sockets_alloc(&world->sockets, world->loop, NULL), 0);
	assert_int_equal(engine_token_keys(&world->keys, &rules, "a-key"), 0);
	upstream_peer_start(&world->peer, world->loop);
	buf_init(&world->log, 64 * 1024);
}

/* All connections up to `last` are treated in this way. */
static void set_up_ways(struct world *world, enum upstream_peer_way way, unsigned last)
{
	set_up_closed(world);
	for (unsigned i = 0; i < last; ++i)
		world->peer.ways[i] = way;
	assert_int_equal(open_answerer(world), 0);
}

static void set_up(struct world *world)
{
	set_up_ways(world, PEER_ACCEPTS, 0);
	upstream_peer_await(&world->peer, 1);
}

static void tear_down(struct world *world)
{
	if (world->answerer)
		close_it(world);
	pump(world->loop);
	upstream_peer_stop(&world->peer);
	mem_deref(world->sockets);
	pump(world->loop);
	mem_deref(world->loop);
	buf_reset(&world->log);
	assert_int_equal(mem_live(), 0);
}

static void expect(struct world *world, const char *log)
{
	pump(world->loop);
	assert_string_equal(world->log.len > 0 ? world->log.bytes : "", log);
}

static void expect_failure(struct world *world, enum answerer_fault fault)
{
	while (world->failures == 0)
		pump(world->loop);
	assert_int_equal(world->failures, 1);
	assert_int_equal(world->fault, fault);
	world->failures = 0;
}

/* Asks, and waits until a connection has the question. */
static void ask_and_send(struct world *world, unsigned conn, int64_t id)
{
	char text[32];

	snprintf(text, sizeof(text), "\"event_id\":%" PRId64 "}", id);
	ask(world, id);
	upstream_peer_expect(&world->peer, conn, text);
}

static void an_answer_is_delivered_as_it_arrives(void **state)
{
	struct world world;

	(void)state;
	set_up(&world);
	ask_and_send(&world, 0, ID);
	assert_string_equal(world.peer.conns[0].got.bytes,
			    "{\"type\":\"init\",\"conversation_id\":\"conv_abc\"}\n"
			    "{\"type\":\"user_transcript\",\"user_transcript\":["
			    "{\"role\":\"user\",\"content\":\"Hi\"},"
			    "{\"role\":\"agent\",\"content\":\"Hello \\\"you\\\"\"},"
			    "{\"role\":\"user\",\"content\":\"what?\"}],\"event_id\":7}");
	upstream_peer_answer(&world.peer, 0, ID, "Well,");
	expect(&world, "7:Well, ");
	upstream_peer_answer(&world.peer, 0, ID, " yes.");
	upstream_peer_answer(&world.peer, 0, ID, NULL);
	expect(&world, "7:Well, 7: yes. 7:complete ");
	ask_and_send(&world, 0, 9);
	upstream_peer_answer(&world.peer, 0, 9, NULL);
	expect(&world, "7:Well, 7: yes. 7:complete 9:complete ");
	assert_int_equal(world.peer.count, 1);
	tear_down(&world);
}

/* The first header of a name counts, so a configured one cannot replace the token. */
static void the_request_has_a_new_token_and_the_configured_headers(void **state)
{
	struct world world;

	(void)state;
	set_up(&world);
	world.keys.life_max_s = UPSTREAM_TOKEN_LIFE_S;
	for (unsigned i = 0; i < 2; ++i) {
		const char *request = world.peer.conns[i].request.bytes;
		const char *token = strstr(request, "X-Token: ");
		char text[ENGINE_TOKEN_SIZE];
		const char *why = "";

		assert_memory_equal(request, "GET /agent HTTP/1.1\r\n", 21);
		assert_non_null(strstr(request, "\r\nX-User: 5\r\n"));
		assert_non_null(token);
		snprintf(text, sizeof(text), "%.*s", (int)strcspn(token + 9, "\r"), token + 9);
		assert_int_equal(
			engine_token_check(&world.keys, text, clock_wall_ms() / 1000, &why), 0);
		if (i == 0) {
			ws_abort(world.peer.conns[0].ws);
			pump(world.loop);
			ask(&world, ID);
			upstream_peer_await(&world.peer, 2);
		}
	}
	tear_down(&world);
}

static void a_question_waits_for_the_connection(void **state)
{
	struct world world;

	(void)state;
	set_up_ways(&world, PEER_ACCEPTS, 0);
	ask(&world, ID - 1); /* it is superseded before it can be sent */
	ask(&world, ID);
	upstream_peer_expect(&world.peer, 0, "\"event_id\":7}");
	assert_null(strstr(world.peer.conns[0].got.bytes, "\"event_id\":6}"));
	assert_memory_equal(world.peer.conns[0].got.bytes, "{\"type\":\"init\"", 14);
	upstream_peer_answer(&world.peer, 0, ID, "yes");
	expect(&world, "7:yes ");
	tear_down(&world);
}

static void only_words_with_the_current_id_are_delivered(void **state)
{
	static const char *const strange[] = {
		"{\"type\":\"agent_response\",\"content\":\"a\",\"is_final\":false}",
		"{\"type\":\"agent_response\",\"content\":\"b\",\"event_id\":null}",
		"{\"type\":\"agent_response\",\"content\":\"c\",\"event_id\":\"8\"}",
		"{\"type\":\"agent_response\",\"content\":\"d\",\"event_id\":9}",
		"{\"type\":\"something\",\"content\":\"e\",\"event_id\":8}",
		"{\"type\":\"error\",\"message\":\"f\",\"event_id\":8}",
		"{\"type\":\"ping\"}",
	};
	struct world world;

	(void)state;
	set_up(&world);
	upstream_peer_answer(&world.peer, 0, 0, "before any question");
	ask_and_send(&world, 0, ID);
	upstream_peer_answer(&world.peer, 0, ID, "old");
	ask_and_send(&world, 0, ID + 1);
	upstream_peer_answer(&world.peer, 0, ID, "old");
	upstream_peer_answer(&world.peer, 0, ID, NULL);
	for (size_t i = 0; i < COUNT(strange); ++i)
		upstream_peer_say(&world.peer, 0, strange[i]);
	upstream_peer_answer(&world.peer, 0, ID + 1, "new");
	expect(&world, "7:old 8:new ");
	assert_null(strstr(world.peer.conns[0].got.bytes, "pong")); /* nothing is answered */
	assert_int_equal(world.peer.count, 1);
	tear_down(&world);
}

/* The server is told, and the question is asked again on another connection. */
static void a_server_that_violates_the_protocol_is_told_so(void **state)
{
	static const char *const violations[] = {"{\"type\":", "[]", ""};

	(void)state;
	for (size_t i = 0; i < COUNT(violations); ++i) {
		struct world world;

		set_up(&world);
		ask_and_send(&world, 0, ID);
		upstream_peer_say(&world.peer, 0, violations[i]);
		upstream_peer_expect(&world.peer, 1, "\"event_id\":7}");
		assert_non_null(strstr(world.peer.conns[0].got.bytes, "\"type\":\"error\""));
		upstream_peer_answer(&world.peer, 1, ID, "well");
		expect(&world, "7:well ");
		tear_down(&world);
	}
}

static void nothing_is_delivered_after_a_drop(void **state)
{
	struct world world;

	(void)state;
	set_up(&world);
	ask_and_send(&world, 0, ID);
	upstream_peer_answer(&world.peer, 0, ID, "a");
	drop(&world);
	drop(&world);
	upstream_peer_answer(&world.peer, 0, ID, "b");
	upstream_peer_answer(&world.peer, 0, ID, NULL);
	pump_ahead(world.loop, REMOTE_ANSWERER_STALL_MS);
	expect(&world, "7:a ");
	ask_and_send(&world, 0, ID + 1);
	drop(&world);
	pump_ahead(world.loop, CASCADE_MS);
	expect(&world, "7:a "); /* nor is it asked again */
	assert_int_equal(world.peer.count, 1);
	ask_and_send(&world, 0, ID + 2);
	upstream_peer_answer(&world.peer, 0, ID + 2, "c");
	expect(&world, "7:a 9:c ");
	tear_down(&world);
}

/* Two groups of words, each with a final; and a group that has none is complete all the same. */
static void words_after_the_final_are_delivered(void **state)
{
	struct world world;

	(void)state;
	set_up(&world);
	ask_and_send(&world, 0, ID);
	upstream_peer_answer(&world.peer, 0, ID, "a");
	upstream_peer_answer(&world.peer, 0, ID, NULL);
	upstream_peer_answer(&world.peer, 0, ID, NULL);
	expect(&world, "7:a 7:complete ");
	upstream_peer_answer(&world.peer, 0, ID, "b");
	upstream_peer_answer(&world.peer, 0, ID, NULL);
	expect(&world, "7:a 7:complete 7:b 7:complete ");
	upstream_peer_answer(&world.peer, 0, ID, "c");
	pump_ahead(world.loop, REMOTE_ANSWERER_STALL_MS);
	expect(&world, "7:a 7:complete 7:b 7:complete 7:c 7:complete ");
	tear_down(&world);
}

static void a_final_may_have_words_and_an_answer_none(void **state)
{
	struct world world;

	(void)state;
	set_up(&world);
	ask_and_send(&world, 0, ID);
	upstream_peer_say(&world.peer, 0,
			  "{\"type\":\"agent_response\",\"content\":\"bye\",\"event_id\":7,"
			  "\"is_final\":true}");
	expect(&world, "7:bye 7:complete ");
	ask_and_send(&world, 0, ID + 1);
	upstream_peer_answer(&world.peer, 0, ID + 1, "");
	expect(&world, "7:bye 7:complete ");
	upstream_peer_answer(&world.peer, 0, ID + 1, NULL);
	expect(&world, "7:bye 7:complete 8:complete ");
	pump_ahead(world.loop, CASCADE_MS);
	assert_int_equal(world.peer.count, 1);
	tear_down(&world);
}

static void a_silent_server_is_asked_again_on_a_new_connection(void **state)
{
	struct world world;

	(void)state;
	set_up(&world);
	ask_and_send(&world, 0, ID);
	upstream_peer_answer(&world.peer, 0, ID, ""); /* no words */
	pump_ahead(world.loop, CASCADE_MS / 2);
	assert_int_equal(world.peer.count, 1);
	pump_ahead(world.loop, CASCADE_MS / 2);
	upstream_peer_expect(&world.peer, 1, "\"event_id\":7}");
	assert_memory_equal(world.peer.conns[1].got.bytes, "{\"type\":\"init\"", 14);
	upstream_peer_expect(&world.peer, 0, "{\"type\":\"close\"}");
	assert_int_equal(upstream_peer_end_of(&world.peer, 0), WS_CLOSE_NORMAL);
	upstream_peer_answer(&world.peer, 1, ID, "late");
	upstream_peer_answer(&world.peer, 1, ID, NULL);
	expect(&world, "7:late 7:complete ");
	tear_down(&world);
}

static void a_server_that_stays_silent_is_given_up(void **state)
{
	struct world world;

	(void)state;
	set_up(&world);
	ask(&world, ID);
	for (unsigned i = 0; i < REMOTE_ANSWERER_ATTEMPTS; ++i) {
		upstream_peer_expect(&world.peer, i, "\"event_id\":7}");
		expect(&world, "");
		pump_ahead(world.loop, CASCADE_MS);
	}
	expect_failure(&world, ANSWERER_SILENT);
	expect(&world, "7:failed ");
	pump_ahead(world.loop, 10 * CASCADE_MS);
	assert_int_equal(world.peer.count, REMOTE_ANSWERER_ATTEMPTS);
	/* The next question has as many attempts again. */
	ask_and_send(&world, 3, ID + 1);
	pump_ahead(world.loop, CASCADE_MS);
	upstream_peer_expect(&world.peer, 4, "\"event_id\":8}");
	upstream_peer_answer(&world.peer, 4, ID + 1, "yes");
	expect(&world, "7:failed 8:yes ");
	tear_down(&world);
}

static void a_connection_that_is_lost_before_words_is_opened_again(void **state)
{
	struct world world;

	(void)state;
	set_up(&world);
	ask_and_send(&world, 0, ID);
	ws_abort(world.peer.conns[0].ws);
	upstream_peer_expect(&world.peer, 1, "\"event_id\":7}");
	ws_close(world.peer.conns[1].ws, WS_CLOSE_NO_CODE, NULL);
	while (world.peer.conns[1].ws)
		pump(world.loop);
	pump_ahead(world.loop, 500);
	upstream_peer_expect(&world.peer, 2, "\"event_id\":7}");
	upstream_peer_answer(&world.peer, 2, ID, "yes");
	expect(&world, "7:yes ");
	tear_down(&world);
}

static void a_server_that_cannot_be_understood_is_told_and_left(void **state)
{
	static const char *const malformed[] = {"{\"type\":", "[]", ""};
	struct world world;

	(void)state;
	for (size_t i = 0; i < COUNT(malformed); ++i) {
		set_up(&world);
		ask_and_send(&world, 0, ID);
		upstream_peer_say(&world.peer, 0, malformed[i]);
		upstream_peer_expect(&world.peer, 0, "\"type\":\"error\"");
		while (world.peer.conns[0].ws)
			pump(world.loop);
		upstream_peer_expect(&world.peer, 1, "\"event_id\":7}"); /* it has another try */
		upstream_peer_answer(&world.peer, 1, ID, "yes");
		expect(&world, "7:yes ");
		tear_down(&world);
	}
}

static void a_lost_connection_does_not_extend_the_timeout(void **state)
{
	struct world world;

	(void)state;
	set_up(&world);
	ask_and_send(&world, 0, ID);
	pump_ahead(world.loop, CASCADE_MS / 2);
	ws_abort(world.peer.conns[0].ws);
	upstream_peer_expect(&world.peer, 1, "\"event_id\":7}");
	pump_ahead(world.loop, CASCADE_MS / 2);
	upstream_peer_expect(&world.peer, 2, "\"event_id\":7}");
	pump_ahead(world.loop, CASCADE_MS);
	expect_failure(&world, ANSWERER_SILENT);
	tear_down(&world);
}

static void a_connection_that_is_lost_after_words_breaks_the_answer_off(void **state)
{
	struct world world;

	(void)state;
	set_up(&world);
	ask_and_send(&world, 0, ID);
	upstream_peer_answer(&world.peer, 0, ID, "a");
	ws_abort(world.peer.conns[0].ws);
	expect_failure(&world, ANSWERER_STALLED);
	expect(&world, "7:a 7:failed ");
	pump_ahead(world.loop, REMOTE_ANSWERER_STALL_MS);
	assert_int_equal(world.peer.count, 1); /* it is opened when it is needed */
	ask_and_send(&world, 1, ID + 1);
	upstream_peer_answer(&world.peer, 1, ID + 1, "b");
	upstream_peer_answer(&world.peer, 1, ID + 1, NULL);
	ws_abort(world.peer.conns[1].ws);
	expect(&world, "7:a 7:failed 8:b 8:complete "); /* nothing was missing */
	tear_down(&world);
}

static void an_answer_without_an_end_is_given_up(void **state)
{
	struct world world;

	(void)state;
	set_up(&world);
	ask_and_send(&world, 0, ID);
	upstream_peer_answer(&world.peer, 0, ID, "a");
	pump_ahead(world.loop, REMOTE_ANSWERER_STALL_MS / 2);
	upstream_peer_answer(&world.peer, 0, ID, "b");
	pump_ahead(world.loop, REMOTE_ANSWERER_STALL_MS / 2);
	expect(&world, "7:a 7:b ");
	pump_ahead(world.loop, REMOTE_ANSWERER_STALL_MS / 2);
	expect_failure(&world, ANSWERER_STALLED);
	upstream_peer_answer(&world.peer, 0, ID, "c");
	expect(&world, "7:a 7:b 7:failed ");
	ask_and_send(&world, 0, ID + 1);
	tear_down(&world);
}

static void a_server_that_refuses_is_unreachable(void **state)
{
	static const struct {
		enum upstream_peer_way way;
		const char *why;
	} rows[] = {{PEER_REFUSES, "HTTP 401: no"}, {PEER_HANGS_UP, "reset by peer"}};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); ++i) {
		struct world world;

		set_up_ways(&world, rows[i].way, 4);
		while (world.peer.count < 1 || !world.peer.conns[0].is_over)
			pump(world.loop);
		pump(world.loop);
		expect(&world, ""); /* nobody has asked */
		ask(&world, ID);
		while (world.peer.count < 3)
			pump(world.loop);
		while (!world.peer.conns[2].is_over)
			pump(world.loop);
		pump_ahead(world.loop, 500);
		expect_failure(&world, ANSWERER_UNREACHABLE);
		assert_non_null(strstr(world.why, rows[i].why));
		assert_int_equal(world.peer.count, 4);
		ask_and_send(&world, 4, ID + 1); /* it has come to its senses */
		tear_down(&world);
	}
}

static void a_server_that_never_accepts_is_unreachable(void **state)
{
	struct world world;

	(void)state;
	set_up_closed(&world);
	for (unsigned i = 0; i < 8; ++i)
		world.peer.ways[i] = PEER_IGNORES;
	world.cascade_ms = 1; /* shorter than allowed, and than the time to connect */
	assert_int_equal(open_answerer(&world), 0);
	ask(&world, ID);
	for (unsigned i = 1; i <= REMOTE_ANSWERER_ATTEMPTS; ++i) {
		while (world.peer.count < i)
			pump(world.loop);
		pump_ahead(world.loop, REMOTE_ANSWERER_CASCADE_MIN_MS);
	}
	expect_failure(&world, ANSWERER_UNREACHABLE);
	tear_down(&world);
}

static void pings_are_sent_and_their_answers_awaited(void **state)
{
	struct world world;

	(void)state;
	set_up(&world);
	pump_ahead(world.loop, UPSTREAM_PING_MS / 2);
	assert_null(strstr(world.peer.conns[0].got.bytes, "ping"));
	for (unsigned i = 0; i < 4; ++i) {
		world.peer.conns[0].got.len = 0;
		pump_ahead(world.loop, UPSTREAM_PING_MS);
		upstream_peer_expect(&world.peer, 0, "{\"type\":\"ping\"}");
	}
	world.peer.answers_pings = false;
	pump_ahead(world.loop, UPSTREAM_PING_MS);
	/* A server that sends something else is alive. */
	pump_ahead(world.loop, UPSTREAM_PONG_MS / 2);
	upstream_peer_say(&world.peer, 0, "{\"type\":\"news\"}");
	pump_ahead(world.loop, UPSTREAM_PONG_MS / 2);
	assert_non_null(world.peer.conns[0].ws);
	pump_ahead(world.loop, UPSTREAM_PING_MS);
	pump_ahead(world.loop, UPSTREAM_PONG_MS);
	upstream_peer_end_of(&world.peer, 0);
	ask_and_send(&world, 1, ID);
	tear_down(&world);
}

static void close_is_said_before_the_connection_is_closed(void **state)
{
	struct world world;

	(void)state;
	set_up(&world);
	ask_and_send(&world, 0, ID);
	upstream_peer_answer(&world.peer, 0, ID, "a");
	close_it(&world);
	upstream_peer_expect(&world.peer, 0, "{\"type\":\"close\"}");
	assert_int_equal(upstream_peer_end_of(&world.peer, 0), WS_CLOSE_NORMAL);
	expect(&world, "7:a ");
	tear_down(&world);
}

/* Before it is connected, while it connects, and later. */
static void it_can_be_closed_at_any_time(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 24; ++i) {
		struct world world;

		set_up_ways(&world, i % 2 ? PEER_IGNORES : PEER_ACCEPTS, 2);
		if (i % 4 < 2)
			ask(&world, ID);
		for (unsigned step = 0; step < i / 4; ++step) {
			loop_enter(world.loop);
			loop_leave(world.loop);
			uv_run(&world.loop->uv, UV_RUN_NOWAIT);
		}
		close_it(&world);
		tear_down(&world);
	}
}

static void a_listener_may_ask_drop_and_close(void **state)
{
	static const enum habit habits[] = {ASKS, DROPS, CLOSES};

	(void)state;
	for (size_t i = 0; i < 3 * COUNT(habits); ++i) {
		struct world world;
		static const char *const logs[] = {"7:a ", "7:complete ", "7:a 7:failed "};

		set_up(&world);
		ask_and_send(&world, 0, ID);
		if (i / 3 == 2)
			upstream_peer_answer(&world.peer, 0, ID, "a");
		world.habit = habits[i % 3];
		if (i / 3 == 0)
			upstream_peer_say(&world.peer, 0,
					  "{\"type\":\"agent_response\",\"content\":\"a\","
					  "\"event_id\":7,\"is_final\":true}");
		else if (i / 3 == 1)
			upstream_peer_answer(&world.peer, 0, ID, NULL);
		else
			ws_abort(world.peer.conns[0].ws);
		expect(&world, logs[i / 3]);
		if (habits[i % 3] == ASKS)
			upstream_peer_expect(&world.peer, i / 3 == 2, "\"event_id\":8}");
		tear_down(&world);
	}
}

static void a_history_that_is_too_long_is_refused(void **state)
{
	static struct answerer_said many[ANSWERER_ENTRIES_MAX + 1];
	char *text = malloc(ANSWERER_SAID_MAX + 1);
	struct answerer_said said[] = {{.text = text, .len = ANSWERER_SAID_MAX},
				       {.text = "", .len = 0}};
	const struct answerer_ops *ops;
	struct world world;

	(void)state;
	assert_non_null(text);
	memset(text, 'a', ANSWERER_SAID_MAX + 1);
	for (size_t i = 0; i < COUNT(many); ++i)
		many[i] = (struct answerer_said){.text = "a", .len = 1};
	set_up(&world);
	ops = world.answerer->ops;
	ask_and_send(&world, 0, ID);
	assert_int_equal(ops->ask(world.answerer, ID + 1, many, COUNT(many)), ENOBUFS);
	said[1] = (struct answerer_said){.text = "b", .len = 1};
	assert_int_equal(ops->ask(world.answerer, ID + 1, said, COUNT(said)), ENOBUFS);
	upstream_peer_answer(&world.peer, 0, ID, "a");
	expect(&world, ""); /* the question before has ended all the same */
	assert_int_equal(ops->ask(world.answerer, ID + 1, many, COUNT(many) - 1), 0);
	said[1].len = 0;
	assert_int_equal(ops->ask(world.answerer, ID + 2, said, COUNT(said)), 0);
	upstream_peer_expect(&world.peer, 0, "\"event_id\":9}");
	free(text);
	tear_down(&world);
}

/* The server does not answer the close frame, and the process ends meanwhile. */
static void a_connection_that_is_being_closed_does_not_outlive_the_loop(void **state)
{
	struct world world;

	(void)state;
	set_up(&world);
	ws_pause(world.peer.conns[0].ws, true);
	close_it(&world);
	pump(world.loop);
	assert_non_null(world.peer.conns[0].ws);
	tear_down(&world);
}

static void what_cannot_work_is_refused_at_once(void **state)
{
	static const char *const split[] = {"X: 1\r\nY: 2", NULL};
	static const char *many[UPSTREAM_HEADERS_MAX + 2];
	static const struct {
		const char *url;
		const char *const *headers;
		int err;
	} rows[] = {{"ftp://127.0.0.1", NULL, EINVAL},
		    {"wss://127.0.0.1", NULL, EPROTONOSUPPORT},
		    {"ws://127.0.0.1", split, EINVAL},
		    {"ws://127.0.0.1", many, E2BIG}};
	struct world world;

	(void)state;
	for (size_t i = 0; i <= UPSTREAM_HEADERS_MAX; ++i)
		many[i] = "X: 1";
	set_up_closed(&world);
	for (size_t i = 0; i < COUNT(rows); ++i) {
		const struct remote_answerer_options options = {.sockets = world.sockets,
								.url = rows[i].url,
								.headers = rows[i].headers,
								.conversation_id = "conv_1"};

		assert_int_equal(
			remote_answerer_alloc(&world.answerer, &options, &listener, &world),
			rows[i].err);
	}
	tear_down(&world);
}

/* Every allocation fails once: nothing leaks, and the question ends in one way or another. */
static void nothing_leaks_when_memory_runs_out(void **state)
{
	unsigned answered = 0;

	(void)state;
	for (size_t n = 1; n < 24; ++n) {
		struct world world;

		set_up_closed(&world);
		mem_fail_after(n);
		if (open_answerer(&world) == 0 && ask_text(&world, ID, "what?") == 0) {
			for (int i = 0; i < 100 && world.log.len == 0; ++i) {
				unsigned count;

				pump_ahead(world.loop, 50);
				count = world.peer.count;
				if (count > 0 && world.peer.conns[count - 1].ws)
					upstream_peer_answer(&world.peer, count - 1, ID, "yes");
			}
			assert_true(world.log.len > 0);
			answered += strcmp(world.log.bytes, "7:yes ") == 0;
		}
		mem_fail_after(0);
		tear_down(&world);
	}
	assert_true(answered > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_answer_is_delivered_as_it_arrives),
		cmocka_unit_test(the_request_has_a_new_token_and_the_configured_headers),
		cmocka_unit_test(a_question_waits_for_the_connection),
		cmocka_unit_test(only_words_with_the_current_id_are_delivered),
		cmocka_unit_test(a_server_that_violates_the_protocol_is_told_so),
		cmocka_unit_test(nothing_is_delivered_after_a_drop),
		cmocka_unit_test(words_after_the_final_are_delivered),
		cmocka_unit_test(a_final_may_have_words_and_an_answer_none),
		cmocka_unit_test(a_silent_server_is_asked_again_on_a_new_connection),
		cmocka_unit_test(a_server_that_stays_silent_is_given_up),
		cmocka_unit_test(a_connection_that_is_lost_before_words_is_opened_again),
		cmocka_unit_test(a_server_that_cannot_be_understood_is_told_and_left),
		cmocka_unit_test(a_lost_connection_does_not_extend_the_timeout),
		cmocka_unit_test(a_connection_that_is_lost_after_words_breaks_the_answer_off),
		cmocka_unit_test(an_answer_without_an_end_is_given_up),
		cmocka_unit_test(a_server_that_refuses_is_unreachable),
		cmocka_unit_test(a_server_that_never_accepts_is_unreachable),
		cmocka_unit_test(pings_are_sent_and_their_answers_awaited),
		cmocka_unit_test(close_is_said_before_the_connection_is_closed),
		cmocka_unit_test(it_can_be_closed_at_any_time),
		cmocka_unit_test(a_listener_may_ask_drop_and_close),
		cmocka_unit_test(a_history_that_is_too_long_is_refused),
		cmocka_unit_test(a_connection_that_is_being_closed_does_not_outlive_the_loop),
		cmocka_unit_test(what_cannot_work_is_refused_at_once),
		cmocka_unit_test(nothing_leaks_when_memory_runs_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
