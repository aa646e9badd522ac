/*
 * fuzz_listen.c: the WebSocket that listens, and the forms of requests for transcripts.
 *
 * The first byte chooses what the others are: a message, the query of a URL, a form, or steps of a
 * session:
 * audio, commits, invalid messages, time, and what the engine, the peer and the ledger do.  What the
 * transcription does with the words of a session is checked by order alone: committed words are those of
 * the audio, and nothing follows an error.  At the end no stream, timer or object may be left, and all
 * audio that the engine was given is in one row of the ledger.
 */
#include <assert.h>
#include <jansson.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/count.h"
#include "base/mem.h"
#include "doors/elevenlabs/scribe.h"
#include "doors/openai/transcripts.h"
#include "world.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

#define STEPS_MAX 300
#define QUERY_MAX 400
#define AUDIO_MAX (8 * HEARING_RATE)

struct walk {
	const uint8_t *bytes;
	size_t len;
	struct world world;
	bool has_started, has_failed;
};

static void fail(const char *why, const char *what)
{
	fprintf(stderr, "fuzz_listen: %s: %.400s\n", why, what);
	abort();
}

static uint8_t next(struct walk *walk)
{
	if (walk->len == 0)
		return 0;
	--walk->len;
	return *walk->bytes++;
}

/* A message in a buffer of exactly its size, for the sanitizer. */
static void parse(const uint8_t *bytes, size_t len)
{
	struct listen_message message;
	struct stream_fault fault = {.id = WIRE_ERROR_NONE};
	char *json = malloc(len ? len : 1);

	assert(json);
	memcpy(json, bytes, len);
	if (scribe_socket_parse(&message, &fault, json, len) != 0) {
		assert(fault.id == WIRE_ERROR_BAD_MESSAGE && fault.detail[0]);
	} else {
		const char *end = json + len;

		assert(message.audio_len == 0 ||
		       (message.audio >= json && message.audio + message.audio_len <= end));
		assert(!message.prompt ||
		       (message.prompt >= json && message.prompt + message.prompt_len <= end));
	}
	free(json);
}

/* The fields of a form, as each vendor's API reads them. */
static void read_form(const uint8_t *bytes, size_t len)
{
	static transcript_read_h *const readers[] = {transcript_body_read,
						     transcript_body_read_timed, scribe_body_read};
	const char *at = (const char *)bytes;
	struct upload_form form;
	const char *file;
	size_t file_len;

	if (upload_form_open(&form, "multipart/form-data; boundary=b", "file") != 0)
		abort();
	while (upload_form_read(&form, &at, &len, SIZE_MAX, &file, &file_len) == 0)
		;
	for (size_t i = 0; i < COUNT(readers); ++i) {
		struct transcript_wish wish;
		struct stream_fault fault = {.id = WIRE_ERROR_NONE};

		if (readers[i](&wish, &fault, &form) != 0)
			assert(fault.id != WIRE_ERROR_NONE && fault.detail[0]);
		else
			assert(wish.form && wish.format);
	}
	upload_form_reset(&form);
}

static void see(struct walk *walk, const char *text)
{
	json_t *reply = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	const char *type = json_string_value(json_object_get(reply, "message_type"));

	if (!type)
		fail("a message without a type", text);
	if (walk->has_failed)
		fail("a message after an error", text);
	if (!walk->has_started && strcmp(type, "session_started") != 0 &&
	    !json_object_get(reply, "error"))
		fail("a session that has not started", text);
	walk->has_started = true;
	walk->has_failed = json_object_get(reply, "error") && strcmp(type, "commit_throttled") != 0;
	if (walk->has_failed && walk->world.peer.close_code == 0)
		fail("an error that does not close the connection", text);
	json_decref(reply);
}

static void read_replies(struct walk *walk)
{
	struct fake_message *message;

	while ((message = fake_peer_read(&walk->world.peer, NULL))) {
		see(walk, message->json);
		fake_message_free(message);
	}
}

static void step_audio(struct walk *walk)
{
	static const char *const said[] = {
		"one",  "two three", "one........",
		"....", "nine.",     "........................................"};
	static int16_t samples[AUDIO_MAX];
	static char json[4 * AUDIO_MAX];
	size_t count = fake_hearing_say(samples, AUDIO_MAX, said[next(walk) % COUNT(said)]);
	size_t bytes = count * sizeof(samples[0]) - (next(walk) % 16 == 0);
	size_t len = (size_t)snprintf(json, sizeof(json), "{\"audio_base_64\":\"");

	len += base64_encode(json + len, samples, bytes);
	len += (size_t)snprintf(json + len, sizeof(json) - len, "\",\"commit\":%s}",
				next(walk) % 8 == 0 ? "true" : "false");
	world_say(&walk->world, json, len);
}

static void step_message(struct walk *walk)
{
	static const char *const messages[] = {
		"{\"message_type\":\"input_audio_chunk\",\"audio_base_64\":\"\",\"commit\":true}",
		"{\"audio_base_64\":\"AAAA\",\"sample_rate\":16000}",
		"{\"audio_base_64\":\"AAAA\",\"sample_rate\":24000}",
		"{\"audio_base_64\":\"AAAA\",\"previous_text\":\"so\"}",
		"{}",
		"{\"audio_base_64\":null,\"commit\":null}",
		"{\"commit\":true}",
		"{",
	};
	/* Most of the last ones end the session. */
	const char *json = messages[next(walk) % (next(walk) % 8 ? 1u : COUNT(messages))];

	world_say(&walk->world, json, strlen(json));
}

static void step_time(struct walk *walk)
{
	static const uint64_t times_ms[] = {1, 20, 500, 1000, 60000, 299000};

	world_pass(&walk->world, times_ms[next(walk) % COUNT(times_ms)] * 1000);
}

static void step_engine(struct walk *walk)
{
	struct fake_hearing *hearing = &walk->world.hearing;
	uint8_t choice = next(walk);

	hearing->is_deaf = choice % 4 == 0;
	hearing->is_backwards = choice % 8 < 4;
	hearing->pieces_max = choice % 16 == 1 ? 1 : 0;
	hearing->room = choice % 16 == 2 ? 2 * HEARING_RATE : 0;
	if (choice > 250)
		hearing->mood = (enum fake_hearing_mood)(choice % 4);
	world_settle(&walk->world);
}

static void step_peer(struct walk *walk)
{
	struct fake_peer *peer = &walk->world.peer;

	peer->is_blocked = next(walk) < 100;
	if (!peer->is_blocked)
		fake_peer_hand_over(peer, SIZE_MAX);
	world_settle(&walk->world);
}

static void step_ledger(struct walk *walk)
{
	walk->world.ledger.mood = (enum fake_ledger_mood)(next(walk) % 5);
	world_settle(&walk->world);
}

static void step_go_away(struct walk *walk)
{
	if (next(walk) == 7)
		walk->world.session->ops->go_away(walk->world.session);
	world_settle(&walk->world);
}

static void (*const steps[])(struct walk *walk) = {
	step_audio, step_audio,  step_audio,  step_audio,   step_message, step_engine,
	step_time,  step_engine, step_ledger, step_go_away, step_peer,
};

static void check_ledger(const struct walk *walk)
{
	const struct fake_ledger *ledger = &walk->world.ledger;

	if (ledger->count > 1)
		fail("more than one row", "");
	if (ledger->count == 1 && (ledger->bookings[0].row.kind != STORE_KIND_HEARING ||
				   ledger->bookings[0].row.quantity == 0))
		fail("a row of nothing", "");
}

static void end_walk(struct walk *walk)
{
	struct world *world = &walk->world;

	world->ledger.mood = FAKE_LEDGER_WELL;
	world->hearing.is_deaf = false;
	world->peer.is_blocked = false;
	fake_peer_hand_over(&world->peer, SIZE_MAX);
	world_settle(world);
	read_replies(walk);
	world_disconnect(world);
	world_settle(world);
	check_ledger(walk);
	if (world->timers.heap.count > 0)
		fail("a timer is left", "");
	world_close(world);
	if (mem_live() != 0)
		fail("an object is left", "");
}

static void walk_session(const uint8_t *bytes, size_t len, const char *query)
{
	static struct walk walk;

	memset(&walk, 0, sizeof(walk));
	walk.bytes = bytes;
	walk.len = len;
	if (world_open(&walk.world) != 0)
		abort();
	walk.world.listen_query = query;
	if (world_connect_scribe(&walk.world) != 0)
		abort();
	for (unsigned i = 0; i < STEPS_MAX && walk.len > 0; ++i) {
		steps[next(&walk) % COUNT(steps)](&walk);
		read_replies(&walk);
	}
	end_walk(&walk);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	static const char *const queries[] = {
		"commit_strategy=vad&vad_silence_threshold_secs=0.5&include_timestamps=true",
		"commit_strategy=manual&include_language_detection=true&include_voice_activity=1",
		"commit_strategy=vad&language_code=deu",
		"model_id=none",
	};
	char query[QUERY_MAX + 1];

	if (len == 0)
		return 0;
	switch (bytes[0] % 8) {
	case 0:
		parse(bytes + 1, len - 1);
		break;
	case 1:
		snprintf(query, sizeof(query), "%.*s", (int)(len - 1), (const char *)bytes + 1);
		walk_session(NULL, 0, query);
		break;
	case 2:
		read_form(bytes + 1, len - 1);
		break;
	default:
		walk_session(bytes + 1, len - 1, queries[bytes[0] / 8 % COUNT(queries)]);
		break;
	}
	return 0;
}
