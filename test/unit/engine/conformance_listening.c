/*
 * conformance_listening.c: what every engine that listens must do (see conformance.h).
 *
 * What it understands is its own business: bursts of sound need not be words.  What it answers, and
 * when, is not.
 */
#include "conformance.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include <cmocka.h>

#define RATE MESSAGE_HEARING_RATE
#define FRAME MESSAGE_FRAME_SAMPLES
#define SECONDS_MAX 120u
#define WORDS_AT_ONCE 64u

/* The server's side of one stream. */
struct ear {
	struct client *client;
	uint32_t job;
	uint64_t first, sent, heard; /* positions */
	uint64_t room;
	uint8_t activity[SECONDS_MAX * RATE / FRAME + 1];
	unsigned frames;
	unsigned asked, answered;
	struct message_recognize pieces[WORDS_AT_ONCE]; /* by number */
	bool has_words[WORDS_AT_ONCE];
	uint32_t text_len; /* of the last answer */
	bool is_done;
	struct message_done_report done; /* without its detail */
};

/* Bursts of a tone that rises, with pauses between them: something to listen to that every engine may
 * hear differently, but always in the same way. */
static int16_t conformance_listening_sample(uint64_t position)
{
	uint64_t in_burst = position % (RATE * 2 / 5);
	unsigned period = 40 + (unsigned)(position / (RATE * 2 / 5)) % 7 * 8;

	if (in_burst > RATE * 3 / 10)
		return 0;
	return (int16_t)(position % period < period / 2 ? 6000 : 0);
}

static void conformance_listening_take_words(struct ear *ear, const struct message_words *words)
{
	struct message_spans list = words->words;
	struct message_heard heard;
	const struct message_recognize *piece;

	assert_true(words->number < ear->asked);
	assert_false(ear->has_words[words->number]); /* once */
	ear->has_words[words->number] = true;
	ear->text_len = words->text.len;
	++ear->answered;
	piece = &ear->pieces[words->number];
	while (message_heard_take(&heard, &list)) {
		assert_true(heard.word.sample_start >= piece->from_sample);
		assert_true(heard.word.sample_end <= piece->to_sample);
		assert_int_not_equal(words->text.bytes[heard.word.byte_start], ' ');
		assert_int_not_equal(words->text.bytes[heard.word.byte_end - 1], ' ');
	}
}

/* Reads one message and gives it to its stream, one of n. */
static void conformance_listening_read(struct ear *ears, size_t n)
{
	struct message message;
	struct ear *ear = ears;

	assert_true(client_next(ears[0].client, &message));
	while (ear < ears + n - 1 && ear->job != message.job)
		++ear;
	assert_int_equal(ear->job, message.job);
	assert_false(ear->is_done);
	if (message.type == MESSAGE_ROOM) {
		ear->room += message.room;
		assert_true(ear->room <= MESSAGE_KEPT_MAX);
	} else if (message.type == MESSAGE_ACTIVITY) {
		assert_true(message.activity.first_sample == ear->heard);
		ear->heard += message.activity.count * FRAME;
		assert_true(ear->heard <= ear->sent);
		assert_true(ear->frames + message.activity.count <= sizeof(ear->activity));
		memcpy(ear->activity + ear->frames, message.activity.probabilities,
		       message.activity.count);
		ear->frames += (unsigned)message.activity.count;
	} else if (message.type == MESSAGE_WORDS) {
		conformance_listening_take_words(ear, &message.words);
	} else {
		assert_int_equal(message.type, MESSAGE_DONE);
		ear->is_done = true;
		ear->done = message.done;
		ear->done.detail = (struct message_str){0};
	}
}

static void conformance_listening_open(struct ear *ear, struct client *client, uint32_t job,
				       uint64_t first)
{
	const struct message listen = {
		.type = MESSAGE_LISTEN,
		.job = job,
		.listen = {.model = message_str_of(client->models[0].name),
			   .language = message_str_of(""),
			   .first_sample = first,
			   .wants = MESSAGE_WANT_TIMES,
			   .prompt = message_str_of("")},
	};

	*ear = (struct ear){
		.client = client, .job = job, .first = first, .sent = first, .heard = first};
	client_send(client, &listen);
}

/* Sends samples of the sound, or zeros; waits for room if there is none. */
static void conformance_listening_send(struct ear *ears, size_t n, struct ear *ear, size_t count,
				       bool is_sound)
{
	static unsigned char bytes[2 * RATE];

	while (count > 0) {
		struct message message = {.type = MESSAGE_SAMPLES, .job = ear->job};
		size_t part = count < RATE ? count : RATE;

		while (ear->room < part)
			conformance_listening_read(ears, n);
		for (size_t i = 0; i < part; ++i) {
			int16_t sample =
				is_sound ? conformance_listening_sample(ear->sent - ear->first + i)
					 : 0;

			bytes[2 * i] = (unsigned char)((uint16_t)sample & 0xff);
			bytes[2 * i + 1] = (unsigned char)((uint16_t)sample >> 8);
		}
		message.samples = (struct message_samples){bytes, part};
		ear->sent += part;
		ear->room -= part;
		count -= part;
		client_send(ear->client, &message);
	}
}

static void conformance_listening_ask(struct ear *ear, uint64_t from, uint64_t to, bool is_final)
{
	struct message message = {
		.type = MESSAGE_RECOGNIZE,
		.job = ear->job,
		.recognize = {ear->asked, from, to, is_final, is_final ? 0 : 500}};

	assert_true(ear->asked < WORDS_AT_ONCE);
	ear->pieces[ear->asked++] = message.recognize;
	client_send(ear->client, &message);
}

static void conformance_listening_tell(const struct ear *ear, uint16_t type)
{
	const struct message message = {.type = type, .job = ear->job};

	client_send(ear->client, &message);
}

static void conformance_listening_finish(struct ear *ear)
{
	conformance_listening_tell(ear, MESSAGE_FINISH);
	while (!ear->is_done)
		conformance_listening_read(ear, 1);
	assert_int_equal(ear->done.status, MESSAGE_DONE_OK);
	assert_int_equal(ear->done.samples, ear->sent - ear->first);
	assert_int_equal(ear->answered, ear->asked);
}

static void conformance_listening_hear_all(struct ear *ear)
{
	while (ear->heard + FRAME <= ear->sent)
		conformance_listening_read(ear, 1);
}

/* Another stream, from beginning to end. */
static void conformance_listening_still_listens(struct client *client)
{
	struct ear *ear = calloc(1, sizeof(*ear));

	conformance_listening_open(ear, client, 4000, 0);
	conformance_listening_send(ear, 1, ear, RATE, true);
	conformance_listening_ask(ear, 0, RATE, true);
	conformance_listening_finish(ear);
	free(ear);
}

static void test_the_handshake_lists_usable_models(void **state)
{
	struct client client;

	(void)state;
	conformance_start(&client);
	assert_true(client.engine[0] != '\0');
	assert_true(client.jobs_max >= 1);
	assert_int_equal(client.voice_count, 0);
	for (size_t i = 0; i < client.model_count; ++i) {
		assert_in_range(client.models[i].piece_max, 2 * RATE, MESSAGE_KEPT_MAX - 2 * RATE);
		for (size_t k = 0; k < i; ++k)
			assert_string_not_equal(client.models[i].name, client.models[k].name);
	}
	conformance_end(&client);
}

/* Samples in pieces of all sizes. */
static void test_every_whole_frame_is_scored_once(void **state)
{
	struct client client;
	struct ear *ear = calloc(1, sizeof(*ear));

	(void)state;
	conformance_start(&client);
	conformance_listening_open(ear, &client, 7, 0);
	for (size_t size = 1; size < 1200; size += 97)
		conformance_listening_send(ear, 1, ear, size, true);
	conformance_listening_hear_all(ear);
	assert_true(client_is_silent(&client, 50)); /* nothing about the part of a frame */
	conformance_listening_finish(ear);
	conformance_end(&client);
	free(ear);
}

static void test_a_stream_may_be_empty(void **state)
{
	struct client client;
	struct ear *ear = calloc(1, sizeof(*ear));

	(void)state;
	conformance_start(&client);
	conformance_listening_open(ear, &client, 7, 0);
	conformance_listening_finish(ear);
	conformance_listening_still_listens(&client);
	conformance_end(&client);
	free(ear);
}

static void test_silence_is_no_speech_and_has_no_words(void **state)
{
	struct client client;
	struct ear *ear = calloc(1, sizeof(*ear));

	(void)state;
	conformance_start(&client);
	conformance_listening_open(ear, &client, 7, 0);
	conformance_listening_send(ear, 1, ear, 4 * RATE, false);
	conformance_listening_ask(ear, 0, 4 * RATE, true);
	conformance_listening_finish(ear);
	for (unsigned i = 0; i < ear->frames; ++i)
		assert_true(ear->activity[i] < 128);
	assert_int_equal(ear->text_len, 0);
	conformance_end(&client);
	free(ear);
}

/* Pieces of all lengths, up to the longest, and some at the same time; they end anywhere in a frame. */
static void test_every_piece_has_one_answer(void **state)
{
	struct client client;
	struct ear *ear = calloc(1, sizeof(*ear));
	uint64_t longest;

	(void)state;
	conformance_start(&client);
	longest = client.models[0].piece_max;
	conformance_listening_open(ear, &client, 7, 0);
	conformance_listening_send(ear, 1, ear, (size_t)longest, true);
	conformance_listening_ask(ear, 0, 1, true);
	conformance_listening_ask(ear, 5, 300, false);
	conformance_listening_ask(ear, 1000, RATE, true);
	conformance_listening_ask(ear, RATE + 77, 2 * RATE, false);
	conformance_listening_ask(ear, 0, longest, true);
	while (ear->answered < ear->asked)
		conformance_listening_read(ear, 1);
	conformance_listening_ask(ear, 0, 2 * RATE, true);
	conformance_listening_finish(ear);
	conformance_end(&client);
	free(ear);
}

static void test_words_come_only_when_wanted(void **state)
{
	struct message listen = {
		.type = MESSAGE_LISTEN,
		.job = 7,
		.listen = {.model = {"", 0}, .language = {"", 0}, .prompt = {"", 0}}};
	struct client client;
	struct ear *ear = calloc(1, sizeof(*ear));
	struct message message;

	(void)state;
	conformance_start(&client);
	*ear = (struct ear){.client = &client, .job = 7};
	client_send(&client, &listen); /* an empty name is that of the first model */
	conformance_listening_send(ear, 1, ear, 2 * RATE, true);
	conformance_listening_hear_all(ear);
	conformance_listening_ask(ear, 0, 2 * RATE, true);
	do
		assert_true(client_next(&client, &message));
	while (message.type != MESSAGE_WORDS);
	assert_int_equal(message.words.words.count, 0);
	ear->asked = 0;
	conformance_listening_finish(ear);
	conformance_end(&client);
	free(ear);
}

/* A stream that continues here, after its first worker died. */
static void test_positions_count_from_the_beginning_of_the_stream(void **state)
{
	const uint64_t first = UINT64_C(1000000) * FRAME;
	struct client client;
	struct ear *ear = calloc(1, sizeof(*ear));

	(void)state;
	conformance_start(&client);
	conformance_listening_open(ear, &client, 7, first);
	conformance_listening_send(ear, 1, ear, 2 * RATE, true);
	conformance_listening_ask(ear, first, first + 2 * RATE, true);
	conformance_listening_finish(ear);
	assert_int_equal(ear->frames, 2 * RATE / FRAME);
	conformance_end(&client);
	free(ear);
}

/* More than it can keep. */
static void test_a_release_makes_room(void **state)
{
	struct client client;
	struct ear *ear = calloc(1, sizeof(*ear));

	(void)state;
	conformance_start(&client);
	conformance_listening_open(ear, &client, 7, 0);
	while (ear->room == 0)
		conformance_listening_read(ear, 1);
	assert_true(ear->room >= client.models[0].piece_max + RATE);
	conformance_listening_send(ear, 1, ear, (size_t)ear->room, false);
	conformance_listening_hear_all(ear);
	for (unsigned i = 0; i < 3; ++i) {
		struct message release = {
			.type = MESSAGE_RELEASE, .job = 7, .release_sample = ear->sent - RATE};

		client_send(&client, &release);
		ear->frames = 0;
		conformance_listening_send(ear, 1, ear, 10 * RATE, true);
		conformance_listening_hear_all(ear);
	}
	conformance_listening_ask(ear, ear->sent - RATE, ear->sent, true);
	conformance_listening_finish(ear);
	conformance_end(&client);
	free(ear);
}

static void test_a_cancel_ends_a_stream(void **state)
{
	struct client client;
	struct ear *ear = calloc(1, sizeof(*ear));

	(void)state;
	conformance_start(&client);
	conformance_listening_open(ear, &client, 7, 0);
	conformance_listening_send(ear, 1, ear, 5 * RATE, true);
	for (unsigned i = 0; i < 8; ++i)
		conformance_listening_ask(ear, 0, 5 * RATE, true);
	conformance_listening_tell(ear, MESSAGE_CANCEL);
	while (!ear->is_done)
		conformance_listening_read(ear, 1);
	assert_int_equal(ear->done.status, MESSAGE_DONE_CANCELLED);
	conformance_listening_still_listens(&client);
	conformance_end(&client);
	free(ear);
}

/* Each stream has the values that it has alone, although their audio arrives in turns. */
static void test_streams_at_once_are_heard_as_if_alone(void **state)
{
	enum { EARS = 4 };
	struct client client;
	struct ear *ears = calloc(EARS, sizeof(*ears));
	struct ear *alone = calloc(1, sizeof(*alone));

	(void)state;
	conformance_start(&client);
	if (client.jobs_max < EARS) {
		conformance_end(&client);
		free(ears);
		free(alone);
		client_skip("this engine listens to one stream at a time");
		return;
	}
	conformance_listening_open(alone, &client, 7, 0);
	conformance_listening_send(alone, 1, alone, 3 * RATE, true);
	conformance_listening_finish(alone);
	for (uint32_t i = 0; i < EARS; ++i)
		conformance_listening_open(&ears[i], &client, 10 + i, 0);
	for (unsigned part = 0; part < 30; ++part) {
		for (uint32_t i = 0; i < EARS; ++i)
			conformance_listening_send(ears, EARS, &ears[i], RATE / 10, i % 2 == 0);
	}
	for (uint32_t i = 0; i < EARS; ++i)
		conformance_listening_tell(&ears[i], MESSAGE_FINISH);
	for (uint32_t i = 0; i < EARS; ++i) {
		while (!ears[i].is_done)
			conformance_listening_read(ears, EARS);
	}
	assert_int_equal(ears[0].frames, alone->frames);
	assert_memory_equal(ears[0].activity, alone->activity, alone->frames);
	assert_memory_equal(ears[2].activity, alone->activity, alone->frames);
	conformance_end(&client);
	free(ears);
	free(alone);
}

static void test_an_unknown_model_is_said_to_be_unknown(void **state)
{
	struct message listen = {.type = MESSAGE_LISTEN,
				 .job = 7,
				 .listen = {.model = message_str_of("no such model"),
					    .language = {"", 0},
					    .prompt = {"", 0}}};
	struct client client;
	struct message message;

	(void)state;
	conformance_start(&client);
	client_send(&client, &listen);
	assert_true(client_next(&client, &message));
	assert_int_equal(message.type, MESSAGE_DONE);
	assert_int_equal(message.done.status, MESSAGE_DONE_UNKNOWN_VOICE);
	conformance_listening_still_listens(&client);
	conformance_end(&client);
}

/* Every language and every prompt that a caller may write. */
static void test_odd_requests_do_no_harm(void **state)
{
	static const char *const texts[] = {"",
					    "xx",
					    "en-US",
					    "\x01\x02",
					    "\xf0\x9f\x98\x80 \xe4\xbd\xa0",
					    "a very long name of a language that nobody speaks"};
	struct client client;
	struct ear *ear = calloc(1, sizeof(*ear));

	(void)state;
	conformance_start(&client);
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); ++i) {
		struct message listen = {.type = MESSAGE_LISTEN,
					 .job = 7,
					 .listen = {.model = message_str_of(client.models[0].name),
						    .language = message_str_of(texts[i]),
						    .prompt = message_str_of(texts[i])}};

		*ear = (struct ear){.client = &client, .job = 7};
		client_send(&client, &listen);
		conformance_listening_send(ear, 1, ear, RATE, true);
		conformance_listening_ask(ear, 0, RATE, true);
		conformance_listening_finish(ear);
	}
	conformance_end(&client);
	free(ear);
}

static void test_late_messages_are_ignored(void **state)
{
	static const unsigned char later[] = {3, 0, 0, 0, 99, 0, 0, 0, 5, 0, 0, 0, 1, 2, 3};
	static const unsigned char samples[2];
	const struct message messages[] = {
		{.type = MESSAGE_CANCEL, .job = 4711},
		{.type = MESSAGE_SAMPLES, .job = 4711, .samples = {samples, 1}},
		{.type = MESSAGE_RELEASE, .job = 4711, .release_sample = 0},
		{.type = MESSAGE_RECOGNIZE, .job = 4711, .recognize = {1, 0, 1, true, 0}},
		{.type = MESSAGE_FINISH, .job = 4711},
	};
	struct client client;

	(void)state;
	conformance_start(&client);
	client_send_bytes(&client, later, sizeof(later));
	for (size_t i = 0; i < sizeof(messages) / sizeof(*messages); ++i)
		client_send(&client, &messages[i]);
	conformance_listening_still_listens(&client);
	conformance_end(&client);
}

static void test_a_worker_ends_with_its_socket_in_the_middle_of_a_stream(void **state)
{
	struct client client;
	struct ear *ear = calloc(1, sizeof(*ear));

	(void)state;
	conformance_start(&client);
	conformance_listening_open(ear, &client, 7, 0);
	conformance_listening_send(ear, 1, ear, 2 * RATE, true);
	conformance_listening_ask(ear, 0, 2 * RATE, true);
	conformance_end(&client);
	free(ear);
}

int conformance_listening_run(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_handshake_lists_usable_models),
		cmocka_unit_test(test_every_whole_frame_is_scored_once),
		cmocka_unit_test(test_a_stream_may_be_empty),
		cmocka_unit_test(test_silence_is_no_speech_and_has_no_words),
		cmocka_unit_test(test_every_piece_has_one_answer),
		cmocka_unit_test(test_words_come_only_when_wanted),
		cmocka_unit_test(test_positions_count_from_the_beginning_of_the_stream),
		cmocka_unit_test(test_a_release_makes_room),
		cmocka_unit_test(test_a_cancel_ends_a_stream),
		cmocka_unit_test(test_streams_at_once_are_heard_as_if_alone),
		cmocka_unit_test(test_an_unknown_model_is_said_to_be_unknown),
		cmocka_unit_test(test_odd_requests_do_no_harm),
		cmocka_unit_test(test_late_messages_are_ignored),
		cmocka_unit_test(conformance_no_message_ends_the_worker_with_an_error),
		cmocka_unit_test(conformance_another_version_ends_the_worker_with_an_error),
		cmocka_unit_test(test_a_worker_ends_with_its_socket_in_the_middle_of_a_stream),
	};

	return cmocka_run_group_tests_name("listening", tests, NULL, NULL);
}
