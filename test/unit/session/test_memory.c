/* A session in which the n-th allocation fails, for every n: it does not crash or leak, every turn
 * is closed or refused with an error, and the next turn is spoken normally. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "mem_fail.h"
#include "session/tts_call.h"
#include "wire/dialect.h"
#include "world.h"

/* After this many runs in a row in which no allocation failed, all have been tried.  One run is not
 * enough, because some allocations are made once and kept. */
#define CLEAN_RUNS 20
#define RUNS_MAX 1000

/* The messages that the client has read, by kind. */
struct tally {
	unsigned closed;
	unsigned interrupted;
	unsigned errors;
	unsigned contexts_created;
	unsigned contexts_closed;
};

static void say(struct world *world, const char *json)
{
	world_say(world, json, strlen(json));
}

static void count_replies(struct world *world, struct tally *tally)
{
	struct fake_message *message;

	while ((message = fake_peer_read(&world->peer, NULL))) {
		tally->closed += strstr(message->json, "\"session_closed\":true") != NULL;
		tally->interrupted += strstr(message->json, "\"interrupted\":true") != NULL;
		tally->contexts_created += strstr(message->json, "\"context_created\":") != NULL;
		tally->contexts_closed += strstr(message->json, "\"context_closed\":") != NULL;
		tally->errors += strstr(message->json, "\"error_code\":") != NULL;
		fake_message_free(message);
	}
}

/* A turn with resampling, stretching, words and dictionaries, and another turn queued after it. */
static void talk(struct world *world)
{
	say(world, "{\"voice_id\":1,\"sample_rate\":16000,\"speed\":0.9,\"word_timestamps\":true}");
	say(world, "{\"dictionary_ids\":[12,11],\"text\":\"Hello SQL there. How are\"}");
	world_pass(world, 60000);
	world->speech.is_manual = true;
	say(world, "{\"text\":\" you?\",\"flush\":true}");
	say(world, "{\"text\":\"A second turn.\",\"flush\":true}");
	world->speech.is_manual = false;
	world_settle(world);
	world_pass(world, 5000000);
}

static void assert_well_again(struct world *world)
{
	struct tally tally = {0};

	say(world, "{\"cancel\":true}");
	count_replies(world, &tally);
	assert_int_equal(tally.interrupted, 1);
	say(world, "{\"voice_id\":2,\"text\":\"All is well again.\",\"flush\":true}");
	tally = (struct tally){0};
	count_replies(world, &tally);
	assert_int_equal(tally.closed, 1);
	assert_int_equal(tally.errors, 0);
}

/* Two contexts that use everything that a turn can need, one of them interrupted. */
static void talk_in_contexts(struct world *world)
{
	say(world, "{\"voice_id\":1,\"sample_rate\":16000,\"speed\":0.9,\"text\":\"Hello there.\","
		   "\"dictionary_ids\":[12],\"context_id\":\"a\",\"flush\":true}");
	say(world, "{\"text\":\"And on.\",\"context_id\":\"a\",\"flush\":true}");
	world->speech.is_manual = true;
	say(world, "{\"text\":\"Interrupted.\",\"context_id\":\"b\",\"flush\":true}");
	say(world, "{\"close_context\":true,\"immediate\":true,\"context_id\":\"b\"}");
	world->speech.is_manual = false;
	say(world, "{\"close_context\":true,\"context_id\":\"a\"}");
	world_pass(world, 25000000);
}

/* One run with contexts; true when the failure was noticed. */
static bool run_multi(size_t n)
{
	static struct world world;
	struct tally tally = {0};
	bool is_connected;
	bool is_noticed;

	assert_int_equal(world_open(&world), 0);
	mem_fail_after(n);
	is_connected = world_connect_multi(&world) == 0;
	if (is_connected)
		talk_in_contexts(&world);
	mem_fail_after(0);
	count_replies(&world, &tally);
	is_noticed = !is_connected || tally.errors > 0;
	if (is_connected) {
		assert_true(tally.contexts_closed >= tally.contexts_created);
		say(&world, "{\"voice_id\":1,\"text\":\"Well.\",\"context_id\":\"a\"}");
		say(&world, "{\"close_socket\":true}");
		tally = (struct tally){0};
		count_replies(&world, &tally);
		assert_int_equal(tally.contexts_closed, 1);
		assert_int_equal(tally.errors, 0);
		assert_int_equal(tally.closed, 1);
	}
	world_disconnect(&world);
	assert_int_equal(world.timers.heap.count, 0);
	assert_int_equal(world.speech.running.count, 0);
	world_close(&world);
	assert_int_equal(mem_live(), 0);
	return is_noticed;
}

/* One run; true when the failure was noticed. */
static bool run(size_t n)
{
	static struct world world;
	struct tally tally = {0};
	bool is_connected;

	assert_int_equal(world_open(&world), 0);
	mem_fail_after(n);
	is_connected = world_connect(&world) == 0;
	if (is_connected)
		talk(&world);
	mem_fail_after(0);
	count_replies(&world, &tally);
	if (is_connected) {
		assert_true(tally.closed + tally.errors >= 2);
		assert_well_again(&world);
	}
	world_disconnect(&world);
	assert_int_equal(world.timers.heap.count, 0);
	assert_int_equal(world.speech.running.count, 0);
	world_close(&world);
	assert_int_equal(mem_live(), 0);
	return !is_connected || tally.errors > 0;
}

/* The result of a call, and how much had been sent to the peer by then. */
struct outcome {
	struct fake_peer *peer;
	unsigned failed;
	unsigned done;
	size_t messages;
};

static void on_call_failed(void *arg, const struct stream_fault *fault, bool has_begun)
{
	struct outcome *outcome = arg;

	(void)fault;
	(void)has_begun;
	++outcome->failed;
	outcome->messages = outcome->peer->handed_over.count;
}

static void on_call_done(void *arg, const struct reply_usage *usage)
{
	struct outcome *outcome = arg;

	(void)usage;
	++outcome->done;
	outcome->messages = outcome->peer->handed_over.count;
}

/* Text with nothing to speak is answered with encoded silence: its owner is notified once, and
 * nothing is sent after that. */
static bool run_silence(size_t n)
{
	static const struct tts_call_ops ops = {.failed = on_call_failed, .done = on_call_done};
	static struct world world;
	struct outcome outcome = {.peer = &world.peer};
	struct settings settings = settings_default;
	struct tts_call_request request = {
		.services = &world.services,
		.peer = &world.peer.peer,
		.dialect = &dialect_native,
		.request_id = WORLD_REQUEST_ID,
		.settings = &settings,
		.text = "...",
		.text_len = 3,
		.silence_ms = 200,
	};
	struct tts_call *call = NULL;
	bool is_made;

	assert_int_equal(world_open(&world), 0);
	settings.set = SETTING_OUTPUT_FORMAT | SETTING_VOICE_ID;
	settings.voice_id = 1;
	settings.format = (struct audio_format){AUDIO_MP3, 44100, 128};
	request.caller = world.caller;
	mem_fail_after(n);
	is_made = tts_call_alloc(&call, &request, &ops, &outcome) == 0;
	if (is_made) {
		tts_call_begin(call);
		world_settle(&world);
		world_pass(&world, 1000000);
	}
	mem_fail_after(0);
	if (is_made) {
		assert_int_equal(outcome.failed + outcome.done, 1);
		assert_int_equal(world.peer.handed_over.count, outcome.messages);
	}
	mem_deref(call);
	assert_int_equal(world.timers.heap.count, 0);
	world_close(&world);
	assert_int_equal(mem_live(), 0);
	return !is_made || outcome.failed > 0;
}

static void fail_each(bool (*run_once)(size_t n))
{
	size_t noticed = 0;
	size_t clean = 0;

	for (size_t n = 1; clean < CLEAN_RUNS; ++n) {
		assert_true(n < RUNS_MAX);
		clean = run_once(n) ? 0 : clean + 1;
		noticed += clean == 0;
	}
	assert_true(noticed >= 10); /* the hook still makes allocations fail */
}

static void test_any_allocation_may_fail(void **state)
{
	(void)state;
	fail_each(run);
}

static void test_any_allocation_of_a_context_may_fail(void **state)
{
	(void)state;
	fail_each(run_multi);
}

static void test_any_allocation_of_a_silence_may_fail(void **state)
{
	(void)state;
	fail_each(run_silence);
}

static void test_a_session_works_without_failures(void **state)
{
	(void)state;
	assert_false(run(0));
	assert_false(run_multi(0));
	assert_false(run_silence(0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_session_works_without_failures),
		cmocka_unit_test(test_any_allocation_may_fail),
		cmocka_unit_test(test_any_allocation_of_a_context_may_fail),
		cmocka_unit_test(test_any_allocation_of_a_silence_may_fail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
