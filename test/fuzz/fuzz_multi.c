/*
 * fuzz_multi.c: any sequence of messages and events on the session of /ws/tts/multi.
 *
 * The bytes are steps: valid and invalid messages of the client, time that passes, and what the
 * engine, the peer and the ledger do.  multi_model.h and the witness of the protocol tests check
 * what must be true after each step.  At the end everything that waits is served; then no context,
 * job, timer or object may be left.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/mem.h"
#include "multi_model.h"
#include "multi_witness.h"
#include "world.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

/* Each step may book a row, and the fake ledger has room for this many. */
#define STEPS_MAX 500

struct walk {
	const uint8_t *bytes;
	size_t len;
	struct world world;
	struct multi_model model;
	struct multi_witness witness;
	bool has_said_goodbye; /* it has closed the socket, so its messages are ignored */
};

static void fail(const char *why, const char *what)
{
	fprintf(stderr, "fuzz_multi: %s: %.400s\n", why, what);
	abort();
}

static uint8_t next(struct walk *walk)
{
	if (walk->len == 0)
		return 0;
	--walk->len;
	return *walk->bytes++;
}

static unsigned next_id(struct walk *walk)
{
	return next(walk) % MULTI_MODEL_CONTEXTS;
}

static void read_replies(struct walk *walk)
{
	struct fake_message *message;

	while ((message = fake_peer_read(&walk->world.peer, NULL))) {
		json_t *reply =
			json_loadb(message->json, message->len, JSON_REJECT_DUPLICATES, NULL);
		const char *fault = reply ? multi_witness_reply(&walk->witness, reply) : "no JSON";

		if (fault)
			fail(fault, message->json);
		json_decref(reply);
		fake_message_free(message);
	}
}

static void say(struct walk *walk, const char *json)
{
	world_say(&walk->world, json, strlen(json));
}

static void say_of(struct walk *walk, unsigned id, const char *members)
{
	char json[2048];

	snprintf(json, sizeof(json), "{%s,\"context_id\":\"c%u\"}", members, id);
	multi_model_input(&walk->model, id);
	say(walk, json);
	multi_model_said(&walk->model);
}

static const char *const texts[] = {
	"\"text\":\"Hm.\"",
	"\"text\":\"a\"",
	"\"text\":\" \"",
	"\"text\":\"Oh no. Yes. \"",
	"\"text\":\"\\ud83d\"",
	"\"text\":\"\\ude00 \"",
	"\"text\":\"...\"",
	"\"text\":\"ä, b and c\\n\\n\"",
	"\"text\":\"<break time=\\\"10ms\\\"/> so\"",
	"\"text\":\"I.\",\"voice_settings\":{\"voice_id\":2}",
	"\"text\":\"\",\"voice_settings\":{\"voice_id\":1,\"cfg_scale\":1}",
	"\"text\":\"O.\",\"word_timestamps\":true",
};

static void step_text(struct walk *walk)
{
	unsigned id = next_id(walk);

	say_of(walk, id, texts[next(walk) % COUNT(texts)]);
}

static void step_text_and_flush(struct walk *walk)
{
	unsigned id = next_id(walk);
	char members[256];

	snprintf(members, sizeof(members), "%s,\"flush\":true", texts[next(walk) % COUNT(texts)]);
	multi_model_flush(&walk->model, id);
	say_of(walk, id, members);
}

static void step_flush(struct walk *walk)
{
	unsigned id = next_id(walk);

	multi_model_flush(&walk->model, id);
	say_of(walk, id, "\"flush\":true");
}

static void step_keep_alive(struct walk *walk)
{
	unsigned id = next_id(walk);

	say_of(walk, id, next(walk) % 2 ? "\"keep_alive\":true" : "\"text\":\"\"");
}

static void step_close(struct walk *walk)
{
	unsigned id = next_id(walk);

	multi_model_close(&walk->model, id);
	say_of(walk, id, "\"close_context\":true");
}

static bool is_heard(const struct walk *walk)
{
	return !walk->has_said_goodbye && !walk->world.peer.close_code;
}

static void step_barge_in(struct walk *walk)
{
	unsigned id = next_id(walk);

	multi_model_cut(&walk->model, id);
	say_of(walk, id, "\"close_context\":true,\"immediate\":true");
	if (walk->model.contexts[id].is_open && is_heard(walk))
		fail("a barge-in was not answered at once", "");
}

static void step_cancel(struct walk *walk)
{
	unsigned id = next_id(walk);

	multi_model_cut(&walk->model, id);
	say_of(walk, id, "\"cancel\":true");
	if (walk->model.contexts[id].is_open && !walk->model.contexts[id].is_interrupted &&
	    is_heard(walk))
		fail("a cancel was not answered at once", "");
}

static void step_cancel_all(struct walk *walk)
{
	if (next(walk) % 8 != 0)
		return; /* rarely, because otherwise there would never be many contexts */
	for (unsigned id = 0; id < MULTI_MODEL_CONTEXTS; ++id) {
		if (!walk->model.contexts[id].is_closing)
			multi_model_cut(&walk->model, id);
	}
	say(walk, "{\"cancel\":true}");
}

static void step_config(struct walk *walk)
{
	static const char *const messages[] = {
		"{\"voice_id\":1}",
		"{\"voice_id\":2,\"sample_rate\":8000}",
		"{\"output_format\":\"ulaw_8000\"}",
		"{\"speed\":0.9}",
		"{\"speed\":1}",
		"{\"auto_mode\":true}",
		"{\"update_settings\":{\"speed\":1.1,\"language\":\"de\"}}",
		"{\"text\":\"\",\"model_id\":\"kugel-2\"}",
		"{\"flush_timeout_ms\":0}",
	};

	say(walk, messages[next(walk) % COUNT(messages)]);
}

static void step_nonsense(struct walk *walk)
{
	static const char *const messages[] = {
		"",
		"{",
		"[]",
		"{\"text\":\"no context\"}",
		"{\"flush\":true}",
		"{\"text\":5,\"context_id\":\"c1\"}",
		"{\"speed\":[1,{}],\"context_id\":\"c2\",\"text\":\"x\"}",
		"{\"text\":\"x\",\"context_id\":{}}",
		"{\"text\":\"x\",\"context_id\":\"\"}",
		"{\"voice_settings\":{\"voice_id\":99},\"text\":\"x\",\"context_id\":\"c3\"}",
		"{\"inactivity_timeout\":-1,\"context_id\":\"c4\"}",
		"{\"text\":\"x\",\"context_id\":\"c5\"}}",
		"{\"immediate\":true,\"context_id\":\"c6\"}",
		"null",
	};

	say(walk, messages[next(walk) % COUNT(messages)]);
}

/* Sends bytes of the input as a message.  They must not name a context, because the model would not
 * know what the message did. */
static void step_raw(struct walk *walk)
{
	size_t n = next(walk) % 32;

	if (n > walk->len)
		n = walk->len;
	if (!memmem(walk->bytes, n, "c", 1))
		world_say(&walk->world, (const char *)walk->bytes, n);
	walk->bytes += n;
	walk->len -= n;
}

static void step_binary(struct walk *walk)
{
	walk->world.session->ops->binary(walk->world.session, "\x01", 1);
	world_settle(&walk->world);
}

static void step_time(struct walk *walk)
{
	static const uint64_t times_ms[] = {1, 20, 60, 60, 500, 500, 1000, 3000, 8000, 20000};

	world_pass(&walk->world, times_ms[next(walk) % COUNT(times_ms)] * 1000);
}

static void step_engine(struct walk *walk)
{
	struct fake_speech *speech = &walk->world.speech;
	uint8_t choice = next(walk);

	if (choice < 96) {
		speech->is_manual = choice < 48;
	} else if (choice < 208) {
		fake_speech_give(speech, 240u * (choice - 95u), NULL);
	} else {
		speech->ending = choice < 244 ? FAKE_WORKS : (enum fake_ending)(choice % 4);
		speech->ending_after = 1000;
	}
	world_settle(&walk->world);
}

static void step_peer(struct walk *walk)
{
	struct fake_peer *peer = &walk->world.peer;
	uint8_t choice = next(walk);

	if (choice < 64) {
		peer->is_blocked = true;
	} else if (choice < 160) {
		fake_peer_hand_over(peer, choice - 63u);
	} else {
		peer->is_blocked = false;
		fake_peer_hand_over(peer, SIZE_MAX);
	}
	world_settle(&walk->world);
}

static void step_ledger(struct walk *walk)
{
	walk->world.ledger.mood = (enum fake_ledger_mood)(next(walk) % 4);
	world_settle(&walk->world);
}

static void step_go_away(struct walk *walk)
{
	if (next(walk) != 7)
		return; /* rarely, because little happens after it */
	walk->model.goes_away = true;
	walk->world.session->ops->go_away(walk->world.session);
	world_settle(&walk->world);
}

static void step_close_socket(struct walk *walk)
{
	if (next(walk) != 7)
		return;
	for (unsigned id = 0; id < MULTI_MODEL_CONTEXTS; ++id)
		multi_model_close(&walk->model, id);
	say(walk, "{\"close_socket\":true}");
	walk->has_said_goodbye = true;
}

static void (*const steps[])(struct walk *walk) = {
	step_text,   step_text,       step_text,       step_text_and_flush, step_text_and_flush,
	step_flush,  step_keep_alive, step_close,      step_barge_in,       step_cancel,
	step_config, step_nonsense,   step_raw,        step_binary,         step_time,
	step_time,   step_engine,     step_engine,     step_peer,           step_peer,
	step_ledger, step_go_away,    step_cancel_all, step_close_socket,
};

/* Serves everything that waits, until nothing happens any more. */
static void come_to_rest(struct walk *walk)
{
	struct world *world = &walk->world;

	world->ledger.mood = FAKE_LEDGER_WELL;
	world->speech.ending = FAKE_WORKS;
	world->speech.is_manual = false;
	world->peer.is_blocked = false;
	fake_peer_hand_over(&world->peer, SIZE_MAX);
	world_settle(world);
	for (unsigned id = 0; id < MULTI_MODEL_CONTEXTS; ++id)
		multi_model_close(&walk->model, id);
	say(walk, "{\"close_socket\":true}");
	world_pass(world, 2000000);
	read_replies(walk);
	if (!world->peer.close_code || world->peer.sent_after_close)
		fail("the connection was not closed in good order", "");
	if (walk->model.open > 0 && !walk->model.goes_away)
		fail("a context is left", "");
	if (world->speech.running.count > 0)
		fail("a job runs on", "");
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	static struct walk walk;
	size_t live = mem_live();

	walk.bytes = bytes;
	walk.len = len;
	walk.has_said_goodbye = false;
	if (world_open(&walk.world) != 0 || world_connect_multi(&walk.world) != 0)
		abort();
	multi_model_init(&walk.model, &walk.world.timers.now_us);
	multi_witness_init(&walk.witness, &walk.world.ledger);
	walk.world.peer.tap = multi_model_reply;
	walk.world.peer.tap_arg = &walk.model;
	say(&walk, "{\"voice_id\":1,\"sample_rate\":8000}");
	for (unsigned i = 0; i < STEPS_MAX && walk.len > 0; ++i) {
		steps[next(&walk) % COUNT(steps)](&walk);
		read_replies(&walk);
	}
	come_to_rest(&walk);
	world_disconnect(&walk.world);
	if (walk.world.timers.heap.count > 0)
		fail("a timer is left", "");
	world_close(&walk.world);
	multi_witness_reset(&walk.witness);
	if (mem_live() != live)
		fail("objects are left", "");
	return 0;
}
