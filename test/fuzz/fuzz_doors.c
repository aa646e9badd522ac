/*
 * fuzz_doors.c: any sequence of messages and events on the sessions of /ws/tts and of ElevenLabs'
 * two WebSockets.
 *
 * The first byte chooses the endpoint; the others are steps: valid and invalid messages of the
 * client, time that passes, and what the engine, the peer and the ledger do.  The witnesses of the
 * protocol tests check each reply.  At the end everything that waits is served; then every request
 * must have ended, and no job, timer or object may be left.
 */
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/mem.h"
#include "elevenlabs_witness.h"
#include "multi_witness.h"
#include "once_witness.h"
#include "world.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

/* Each step may book a row, and the fake ledger has room for this many. */
#define STEPS_MAX 500

struct walk;

struct door {
	const char *name;
	int (*connect)(struct world *world);
	const char *(*see)(struct walk *walk, const json_t *reply);
	const char *const *messages; /* %u is replaced by the number of a context; ends with NULL */
	const char *goodbye; /* the message that ends the connection; NULL: there is none */
};

struct walk {
	const uint8_t *bytes;
	size_t len;
	const struct door *door;
	struct world world;
	struct witness witness;
	struct multi_witness multi_witness;
	unsigned requests, cancels, ends; /* on /ws/tts */
	bool goes_away;
};

static void fail(const struct walk *walk, const char *why, const char *what)
{
	fprintf(stderr, "fuzz_doors: %s: %s: %.400s\n", walk->door->name, why, what);
	abort();
}

static uint8_t next(struct walk *walk)
{
	if (walk->len == 0)
		return 0;
	--walk->len;
	return *walk->bytes++;
}

static const char *see_once(struct walk *walk, const json_t *reply)
{
	walk->ends += json_object_get(reply, "final") || json_object_get(reply, "error") ||
		      json_object_get(reply, "interrupted");
	return once_witness_reply(&walk->witness, reply);
}

static const char *see_stream(struct walk *walk, const json_t *reply)
{
	return elevenlabs_witness_reply(&walk->witness, reply);
}

static const char *see_multi(struct walk *walk, const json_t *reply)
{
	const char *id = json_string_value(json_object_get(reply, "contextId"));

	if (!id)
		return "a reply without a context";
	return elevenlabs_witness_reply(multi_witness_find(&walk->multi_witness, id), reply);
}

static const char *const once_messages[] = {
	"{\"text\":\"Hm.\",\"voice_id\":1}",
	"{\"text\":\"Oh no. Yes. So be it.\",\"voice_id\":2}",
	"{\"text\":\"Words.\",\"voice_id\":1,\"word_timestamps\":true,\"speed\":0.9}",
	"{\"text\":\"...\",\"voice_id\":1}",
	"{\"text\":\"\\ud83d\",\"voice_id\":1}",
	"{\"text\":\"SQL\",\"voice_id\":1,\"dictionary_ids\":[99]}",
	"{\"text\":\"x\",\"voice_id\":1,\"output_format\":\"ulaw_8000\"}",
	"{\"text\":\"<prosody rate=\\\"wild\\\">x</prosody>\",\"voice_id\":1}",
	"{\"text\":\"x\"}",
	"{\"text\":\" \",\"voice_id\":1}",
	"{\"text\":\"x\",\"voice_id\":99}",
	"{}",
	"{",
	NULL,
};

static const char *const stream_messages[] = {
	"{\"text\":\" \"}",
	"{\"text\":\"Hm. \"}",
	"{\"text\":\"and \"}",
	"{\"text\":\"Oh no. Yes. \",\"flush\":true}",
	"{\"text\":\"12\",\"flush\":true}",
	"{\"text\":\"\\ud83d\"}",
	"{\"text\":\"\\ude00 \",\"flush\":true}",
	"{\"text\":\"<spell>AB\",\"flush\":true}",
	"{\"text\":\"</spell> <brea\",\"flush\":true}",
	"{\"text\":\"k time=\\\"10ms\\\"/> so\",\"flush\":true}",
	"{\"text\":\"Yes. \",\"try_trigger_generation\":true}",
	"{\"flush\":true}",
	"{\"text\":\" \",\"generation_config\":{\"chunk_length_schedule\":[50]}}",
	NULL,
};

static const char *const multi_messages[] = {
	"{\"text\":\" \",\"context_id\":\"c%u\"}",
	"{\"text\":\"Hm. \",\"context_id\":\"c%u\"}",
	"{\"text\":\"Oh no. Yes. \",\"context_id\":\"c%u\",\"flush\":true}",
	"{\"text\":\"and 12\",\"context_id\":\"c%u\",\"flush\":true}",
	"{\"text\":\"\\ud83d\",\"context_id\":\"c%u\"}",
	"{\"text\":\"\",\"context_id\":\"c%u\"}",
	"{\"text\":\"\",\"context_id\":\"c%u\",\"flush\":true}",
	"{\"text\":\"Yes. So\",\"context_id\":\"c%u\",\"try_trigger_generation\":true}",
	"{\"context_id\":\"c%u\",\"close_context\":true}",
	"{\"context_id\":\"c%u\",\"close_context\":true}",
	"{\"text\":\"x\",\"context_id\":\"c%u\",\"close_context\":true}",
	"{\"text\":5,\"context_id\":\"c%u\"}",
	"{\"text\":\"Default.\",\"flush\":true}",
	"{",
	NULL,
};

static const struct door doors[] = {
	{"once", world_connect_once, see_once, once_messages, NULL},
	{"stream-input", world_connect_elevenlabs, see_stream, stream_messages, "{\"text\":\"\"}"},
	{"multi-stream-input", world_connect_elevenlabs_multi, see_multi, multi_messages,
	 "{\"close_socket\":true}"},
};

static void read_replies(struct walk *walk)
{
	struct fake_message *message;

	while ((message = fake_peer_read(&walk->world.peer, NULL))) {
		json_t *reply =
			json_loadb(message->json, message->len, JSON_REJECT_DUPLICATES, NULL);
		const char *fault = reply ? walk->door->see(walk, reply) : "no JSON";

		if (fault)
			fail(walk, fault, message->json);
		json_decref(reply);
		fake_message_free(message);
	}
}

static void say(struct walk *walk, const char *json)
{
	world_say(&walk->world, json, strlen(json));
}

static void step_message(struct walk *walk)
{
	const char *const *messages = walk->door->messages;
	char json[512];
	size_t count = 0;
	const char *chosen;
	const char *mark;

	while (messages[count])
		++count;
	assert(count > 0);
	chosen = messages[next(walk) % count];
	mark = strstr(chosen, "%u");
	if (mark)
		snprintf(json, sizeof(json), "%.*s%u%s", (int)(mark - chosen), chosen,
			 next(walk) % 8u, mark + 2);
	else
		snprintf(json, sizeof(json), "%s", chosen);
	walk->requests += !walk->goes_away;
	say(walk, json);
}

static void step_cancel(struct walk *walk)
{
	if (walk->door->goodbye && next(walk) % 16 != 0)
		return; /* rarely, where a cancel ends the connection */
	++walk->cancels;
	say(walk, "{\"cancel\":true}");
}

static void step_update(struct walk *walk)
{
	if (!walk->door->goodbye)
		say(walk, "{\"update_settings\":{\"speed\":1.1,\"language\":\"de\"}}");
}

static void step_raw(struct walk *walk)
{
	size_t n = next(walk) % 32;
	bool is_said = !walk->door->goodbye || next(walk) % 16 == 0;

	if (n > walk->len)
		n = walk->len;
	if (is_said) {
		walk->requests += !walk->goes_away;
		world_say(&walk->world, (const char *)walk->bytes, n);
	}
	walk->bytes += n;
	walk->len -= n;
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
	walk->goes_away = true;
	walk->world.session->ops->go_away(walk->world.session);
	world_settle(&walk->world);
}

static void (*const steps[])(struct walk *walk) = {
	step_message, step_message, step_message, step_message, step_cancel,
	step_update,  step_raw,     step_time,    step_time,    step_engine,
	step_engine,  step_peer,    step_peer,    step_ledger,  step_go_away,
};

/* Checks that every request on /ws/tts has ended.  A cancel may be the end of one. */
static void check_ends(const struct walk *walk)
{
	if (walk->door->goodbye || walk->goes_away)
		return;
	if (walk->ends < walk->requests || walk->ends > walk->requests + walk->cancels)
		fail(walk, "requests and ends differ", "");
}

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
	if (walk->door->goodbye)
		say(walk, walk->door->goodbye);
	world_pass(world, 2000000);
	read_replies(walk);
	check_ends(walk);
	if ((walk->door->goodbye && !world->peer.close_code) || world->peer.sent_after_close)
		fail(walk, "the connection was not closed in good order", "");
	if (world->speech.running.count > 0)
		fail(walk, "a job runs on", "");
}

static void end_walk(struct walk *walk)
{
	world_disconnect(&walk->world);
	if (walk->world.timers.heap.count > 0)
		fail(walk, "a timer is left", "");
	world_close(&walk->world);
	witness_reset(&walk->witness);
	multi_witness_reset(&walk->multi_witness);
	if (mem_live() != 0)
		fail(walk, "an object is left", "");
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	static struct walk walk;

	memset(&walk, 0, sizeof(walk));
	walk.bytes = bytes;
	walk.len = len;
	walk.door = &doors[next(&walk) % COUNT(doors)];
	if (world_open(&walk.world) != 0 || walk.door->connect(&walk.world) != 0)
		abort();
	witness_init(&walk.witness, &walk.world.ledger);
	multi_witness_init(&walk.multi_witness, &walk.world.ledger);
	for (unsigned i = 0; i < STEPS_MAX && walk.len > 0; ++i) {
		steps[next(&walk) % COUNT(steps)](&walk);
		read_replies(&walk);
	}
	come_to_rest(&walk);
	end_walk(&walk);
	return 0;
}
