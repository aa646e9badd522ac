/*
 * A call: whose turn it is, what is sent to the client and to the agent, and what was heard.  The engines,
 * the clock and the agent are fakes: the audio contains its words, and the agent says what the test wants.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/base64.h"
#include "base/count.h"
#include "base/mem.h"
#include "call/call.h"
#include "mem_fail.h"
#include "world.h"

#define MS UINT64_C(1000)
#define FRAME 512u

static struct world world;
static struct call *call;
static struct call_settings settings;
static int16_t audio[60u * HEARING_RATE];
static bool has_marks; /* the client returns them */

/* The agent: what it was asked, as "ID: user: … | agent: …". */
static struct {
	struct answerer answerer;
	char asked[8192];
	size_t said_len; /* bytes of it */
	int64_t id;
	unsigned asks, drops, closes;
	int err; /* of the next question */
	bool is_missing; /* nobody answers */
} agent;

/* What the client was sent, one line each, and the audio that it has. */
static struct {
	char log[65536];
	unsigned audio_messages;
	int64_t audio_id;
	size_t audio_bytes;
	int pings, marks;
	char last_ping[64];
} client;

static void note(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void note(const char *format, ...)
{
	size_t at = strlen(client.log);
	va_list args;

	va_start(args, format);
	vsnprintf(client.log + at, sizeof(client.log) - at, format, args);
	va_end(args);
}

/* The dialect writes lines that the tap of the peer adds to the log. */
static int write_started(struct buf *out, const struct call_info *info)
{
	return buf_printf(out, "started %s", info->id);
}

static int write_audio(struct buf *out, const struct call_info *info, int64_t event_id,
		       const uint8_t *bytes, size_t len)
{
	(void)info;
	(void)bytes;
	return buf_printf(out, "audio %lld %zu", (long long)event_id, len);
}

static int write_user(struct buf *out, const struct call_info *info, int64_t event_id,
		      const char *text, size_t len, bool is_tentative)
{
	(void)info;
	return buf_printf(out, "%s %lld %.*s", is_tentative ? "maybe" : "user", (long long)event_id,
			  (int)len, text);
}

static int write_agent(struct buf *out, const struct call_info *info, int64_t event_id,
		       const char *text, size_t len)
{
	(void)info;
	return buf_printf(out, "agent %lld %.*s", (long long)event_id, (int)len, text);
}

static int write_part(struct buf *out, const struct call_info *info, int64_t event_id,
		      enum call_part part, const char *text, size_t len)
{
	static const char *const names[] = {"first", "part", "last"};

	(void)info;
	return buf_printf(out, "%s %lld %.*s", names[part], (long long)event_id, (int)len, text);
}

static int write_interrupted(struct buf *out, const struct call_info *info, int64_t event_id)
{
	(void)info;
	return buf_printf(out, "interrupted %lld", (long long)event_id);
}

static int write_corrected(struct buf *out, const struct call_info *info, int64_t event_id,
			   const struct buf *written, const struct buf *heard)
{
	(void)info;
	(void)written;
	return buf_printf(out, "corrected %lld %.*s", (long long)event_id, (int)heard->len,
			  heard->len ? heard->bytes : "");
}

static int write_ping(struct buf *out, const struct call_info *info, int64_t number,
		      int64_t round_trip_ms)
{
	(void)info;
	return buf_printf(out, "ping %lld %lld", (long long)number, (long long)round_trip_ms);
}

static int write_mark(struct buf *out, const struct call_info *info, int64_t number)
{
	(void)info;
	return has_marks ? buf_printf(out, "mark %lld", (long long)number) : 0;
}

static int write_error(struct buf *out, const struct call_info *info,
		       const struct wire_notice *notice)
{
	(void)info;
	return buf_printf(out, "error %s", wire_error_get(notice->id)->text);
}

static const struct call_dialect dialect = {
	.started = write_started,
	.audio = write_audio,
	.user_words = write_user,
	.agent_words = write_agent,
	.agent_part = write_part,
	.interrupted = write_interrupted,
	.corrected = write_corrected,
	.ping = write_ping,
	.mark = write_mark,
	.error = write_error,
};

/* A message is a letter and its text. */
static int parse(struct call_message *message, struct call_settings *changed,
		 struct stream_fault *fault, char *json, size_t len)
{
	static const struct {
		char letter;
		enum call_message_kind kind;
	} kinds[] = {{'S', CALL_MESSAGE_START},   {'T', CALL_MESSAGE_TEXT},
		     {'C', CALL_MESSAGE_CONTEXT}, {'V', CALL_MESSAGE_ACTIVITY},
		     {'A', CALL_MESSAGE_AUDIO},   {'E', CALL_MESSAGE_STOP},
		     {'P', CALL_MESSAGE_PONG},    {'M', CALL_MESSAGE_PLAYED}};

	(void)changed;
	for (size_t i = 0; i < COUNT(kinds); ++i) {
		if (json[0] != kinds[i].letter)
			continue;
		message->kind = kinds[i].kind;
		message->text = message->audio = json + 1;
		message->text_len = message->audio_len = len - 1;
		message->number = atoll(json + 1);
		return 0;
	}
	return fault_set(fault, WIRE_ERROR_BAD_MESSAGE, "no such letter");
}

static const struct call_api api = {.parse = parse, .dialect = &dialect, .start_gap_ms = 20};

static void on_client_message(void *arg, const char *json)
{
	(void)arg;
	if (strncmp(json, "audio ", 6) == 0) {
		int64_t id = 0;
		size_t len = 0;

		assert_int_equal(sscanf(json, "audio %ld %zu", &id, &len), 2);
		if (client.audio_id != id || client.audio_messages == 0)
			note("sound %lld\n", (long long)id);
		client.audio_id = id;
		++client.audio_messages;
		client.audio_bytes += len;
	} else if (strncmp(json, "mark ", 5) == 0) {
		++client.marks;
	} else if (strncmp(json, "ping ", 5) == 0) {
		++client.pings;
		snprintf(client.last_ping, sizeof(client.last_ping), "%s", json);
	} else {
		note("%s\n", json);
	}
}

/* The agent */

static int agent_ask(struct answerer *answerer, int64_t event_id, const struct answerer_said *said,
		     size_t count)
{
	size_t at = 0;

	(void)answerer;
	assert_true(event_id > agent.id);
	if (agent.err)
		return agent.err;
	agent.id = event_id;
	++agent.asks;
	agent.said_len = 0;
	for (size_t i = 0; i < count; ++i) {
		agent.said_len += said[i].len;
		if (at < sizeof(agent.asked))
			at += (size_t)snprintf(agent.asked + at, sizeof(agent.asked) - at,
					       "%s%s: %.*s", i ? " | " : "",
					       said[i].by_agent ? "agent" : "user",
					       (int)said[i].len, said[i].text);
	}
	return 0;
}

static void agent_drop(struct answerer *answerer)
{
	(void)answerer;
	++agent.drops;
}

static void agent_close(struct answerer *answerer)
{
	(void)answerer;
	++agent.closes;
}

static const struct answerer_ops agent_ops = {agent_ask, agent_drop, agent_close};

static int open_agent(void *arg, struct answerer **answererp, const struct call_settings *used,
		      const struct answerer_listener *listener, void *listener_arg)
{
	(void)arg;
	(void)used;
	if (agent.is_missing)
		return ECONNREFUSED;
	agent.answerer = (struct answerer){&agent_ops, listener, listener_arg};
	*answererp = &agent.answerer;
	return 0;
}

static void agent_says(const char *text)
{
	agent.answerer.listener->words(agent.answerer.arg, agent.id, text, strlen(text));
	world_settle(&world);
}

static void agent_ends(void)
{
	agent.answerer.listener->complete(agent.answerer.arg, agent.id);
	world_settle(&world);
}

static void agent_answers(const char *text)
{
	agent_says(text);
	agent_ends();
}

/* The client */

static void client_sends(const char *text)
{
	char *message = strdup(text);

	call_message(call, message, strlen(message));
	free(message);
	world_settle(&world);
}

static void send_frame(const int16_t *samples)
{
	char message[1 + FRAME * 4];

	message[0] = 'A';
	message[1 + base64_encode(message + 1, samples, FRAME * sizeof(*samples))] = '\0';
	client_sends(message);
}

/* Speaks in real time: a frame every 32 ms.  A dot is 100 ms of silence. */
static void say(const char *words)
{
	size_t count = fake_hearing_say(audio, COUNT(audio), words);

	for (size_t at = 0; at + FRAME <= count; at += FRAME) {
		send_frame(audio + at);
		world_pass(&world, 32 * MS);
	}
}

static void be_silent(unsigned ms)
{
	static const int16_t silence[FRAME];

	for (unsigned passed = 0; passed < ms; passed += 32) {
		send_frame(silence);
		world_pass(&world, 32 * MS);
	}
}

/* Something that is taken for speech and has no words. */
static void cough(void)
{
	int16_t noise[FRAME];

	for (size_t i = 0; i < FRAME; ++i)
		noise[i] = 10000; /* the tenth word, of nine */
	for (unsigned i = 0; i < 5; ++i) {
		send_frame(noise);
		world_pass(&world, 32 * MS);
	}
}

static int set_up(void **state)
{
	(void)state;
	memset(&agent, 0, sizeof(agent));
	memset(&client, 0, sizeof(client));
	call = NULL;
	has_marks = false;
	settings = call_settings_default;
	settings.voice_id = 1;
	snprintf(settings.language, sizeof(settings.language), "en");
	settings.output = (struct audio_format){.encoding = AUDIO_PCM16, .sample_rate = 24000};
	if (world_open(&world) != 0)
		return -1;
	world.peer.tap = on_client_message;
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	call = mem_deref(call);
	world_settle(&world);
	world_close(&world);
	return mem_live() == 0 ? 0 : -1;
}

static void open_call(void)
{
	const struct call_options options = {
		.services = &world.services,
		.caller = world.caller,
		.peer = &world.peer.peer,
		.api = &api,
		.settings = &settings,
		.id = "conv_1",
		.request_id = "req-1",
		.open_answerer = open_agent,
	};

	assert_int_equal(call_alloc(&call, &options), 0);
}

static void start_call(void)
{
	open_call();
	client_sends("S");
	world_pass(&world, 20 * MS);
}

static void assert_log(const char *expected)
{
	assert_string_equal(client.log, expected);
	client.log[0] = '\0';
	client.audio_messages = 0;
}

static void assert_state(enum call_state state)
{
	assert_string_equal(call_state_name(call_state(call)), call_state_name(state));
}

static void test_the_first_reply_is_alone(void **state)
{
	(void)state;
	snprintf(settings.first_message, sizeof(settings.first_message), "Hello there.");
	open_call();
	client_sends("S");
	world_pass(&world, 19 * MS);
	assert_log("started conv_1\n");
	assert_int_equal(client.pings, 0);
	world_pass(&world, 5 * MS);
	assert_log("agent 1 Hello there.\nsound 1\n");
	assert_int_equal(client.pings, 1);
	assert_state(CALL_SPEAKING);
	world_pass(&world, 5000 * MS);
	assert_state(CALL_QUIET);
}

static void test_a_question_is_answered(void **state)
{
	(void)state;
	start_call();
	assert_log("started conv_1\n");
	say("one two three");
	assert_state(CALL_HEARING);
	be_silent(160);
	assert_state(CALL_PAUSED);
	assert_int_equal(agent.asks, 1); /* at once */
	assert_string_equal(agent.asked, "user: one two three");
	agent_answers("All right.");
	assert_log(""); /* it is held back */
	be_silent(2000);
	assert_log("user 1 one two three\nagent 1 All right.\nsound 1\n");
	be_silent(4000);
	assert_state(CALL_QUIET);
	say("four");
	be_silent(200);
	assert_string_equal(agent.asked, "user: one two three | agent: All right. | user: four");
}

static void test_a_caller_who_goes_on_is_asked_about_as_a_whole(void **state)
{
	(void)state;
	start_call();
	say("one two");
	be_silent(160);
	assert_int_equal(agent.asks, 1);
	agent_answers("Too early.");
	say("three");
	assert_state(CALL_HEARING);
	be_silent(160);
	assert_int_equal(agent.asks, 2);
	assert_string_equal(agent.asked, "user: one two three");
	agent_answers("All three.");
	be_silent(2500);
	assert_log("started conv_1\nuser 2 one two three\nagent 2 All three.\nsound 2\n");
}

static void test_a_caller_who_goes_on_before_the_answer_is_heard_has_the_turn(void **state)
{
	struct call_figures figures;

	(void)state;
	start_call();
	say("one two");
	be_silent(1500);
	assert_state(CALL_ANSWERING);
	assert_log("started conv_1\nuser 1 one two\n");
	say("three");
	assert_state(CALL_HEARING);
	agent_answers("Too late."); /* to the first question */
	be_silent(160);
	assert_string_equal(agent.asked, "user: one two three");
	agent_answers("In time.");
	be_silent(1500);
	assert_log("user 2 one two three\nagent 2 In time.\nsound 2\n");
	call_figures(call, &figures);
	assert_int_equal(figures.reopened, 1);
	assert_int_equal(figures.turns, 1);
}

static void test_an_answer_that_was_shown_but_not_heard_is_taken_back(void **state)
{
	(void)state;
	settings.wants |= CALL_WANTS_PARTS;
	start_call();
	say("one two");
	be_silent(1500);
	agent.answerer.listener->words(agent.answerer.arg, agent.id, "Too ", 4);
	assert_state(CALL_ANSWERING); /* nothing that can be spoken yet */
	assert_log("started conv_1\nuser 1 one two\nfirst 1 \npart 1 Too \n");
	say("three");
	be_silent(160);
	assert_log("last 1 \ninterrupted 1\ncorrected 1 \n");
	agent_answers("In time.");
	be_silent(1500);
	assert_log("user 2 one two three\nfirst 2 \npart 2 In time.\nagent 2 In time.\nsound 2\n");
}

static void test_noise_before_the_answer_is_heard_shows_nothing_twice(void **state)
{
	(void)state;
	settings.wants |= CALL_WANTS_PARTS;
	start_call();
	say("one two");
	be_silent(1500);
	agent.answerer.listener->words(agent.answerer.arg, agent.id, "All ", 4);
	assert_log("started conv_1\nuser 1 one two\nfirst 1 \npart 1 All \n");
	cough();
	assert_state(CALL_HEARING);
	be_silent(1500);
	agent_answers("right.");
	be_silent(500);
	assert_log("sound 1\npart 1 right.\nagent 1 All right.\nlast 1 \n");
}

static void test_text_with_an_old_event_id_is_not_spoken(void **state)
{
	(void)state;
	start_call();
	say("one");
	be_silent(160);
	say("two");
	be_silent(160);
	assert_int_equal(agent.id, 2);
	agent.answerer.listener->words(agent.answerer.arg, 1, "Old.", 4);
	agent.answerer.listener->complete(agent.answerer.arg, 1);
	agent_answers("New.");
	be_silent(1500);
	assert_log("started conv_1\nuser 2 one two\nagent 2 New.\nsound 2\n");
}

static void test_an_answer_without_words_gives_the_turn_back(void **state)
{
	(void)state;
	start_call();
	say("one");
	be_silent(160);
	agent_ends();
	be_silent(1500);
	assert_state(CALL_QUIET);
	assert_log("started conv_1\nuser 1 one\n");
	say("two");
	be_silent(200);
	assert_string_equal(agent.asked, "user: one | user: two"); /* each once */
}

static void test_words_after_the_end_of_an_answer_are_spoken_too(void **state)
{
	(void)state;
	start_call();
	client_sends("Thi");
	agent_answers("First.");
	agent_answers(" Second.");
	world_pass(&world, 3000 * MS);
	assert_state(CALL_QUIET);
	client_sends("Tbye");
	assert_non_null(strstr(agent.asked, "agent: First. Second."));
}

static void test_an_agent_may_go_on_after_its_answer_was_heard(void **state)
{
	(void)state;
	start_call();
	client_sends("Thi");
	agent_answers("One moment.");
	world_pass(&world, 5000 * MS);
	assert_state(CALL_QUIET);
	agent_answers("Here it is.");
	world_pass(&world, 10 * MS);
	assert_state(CALL_SPEAKING);
	world_pass(&world, 5000 * MS);
	assert_state(CALL_QUIET);
	assert_log("started conv_1\nagent 1 One moment.\nsound 1\nagent 1 Here it is.\n");
	client_sends("Tbye");
	assert_string_equal(agent.asked,
			    "user: hi | agent: One moment. | agent: Here it is. | user: bye");
}

static void test_an_interrupted_agent_does_not_go_on(void **state)
{
	(void)state;
	start_call();
	say("one");
	be_silent(200);
	agent_answers("This is a long answer with many words that goes on and on and on.");
	be_silent(1000);
	say("two three");
	assert_state(CALL_HEARING);
	client.log[0] = '\0';
	client.audio_messages = 0;
	agent_answers("And more of it."); /* with the same event_id */
	be_silent(60);
	assert_log("");
}

static void test_in_writing_an_agent_may_go_on(void **state)
{
	(void)state;
	settings.is_text_only = true;
	start_call();
	client_sends("Thi");
	agent_ends(); /* without words */
	agent_answers("Nice day.");
	assert_log("started conv_1\nfirst 1 \npart 1 Nice day.\nagent 1 Nice day.\nlast 1 \n");
	agent_answers("Isn't it?");
	assert_log("first 1 \npart 1 Isn't it?\nagent 1 Isn't it?\nlast 1 \n");
}

static void test_words_after_an_empty_answer_are_held_too(void **state)
{
	(void)state;
	start_call();
	say("one");
	be_silent(160);
	agent_ends();
	agent_answers("All right.");
	assert_log("started conv_1\n");
	be_silent(1500);
	assert_log("user 1 one\nagent 1 All right.\nsound 1\n");
}

static void test_context_is_part_of_the_next_question(void **state)
{
	(void)state;
	start_call();
	client_sends("Cthe page is red");
	assert_int_equal(agent.asks, 0);
	client_sends("Twhy");
	assert_string_equal(agent.asked, "user: [context] the page is red | user: why");
}

static void test_a_speaking_agent_that_fails_is_heard_as_far_as_it_came(void **state)
{
	(void)state;
	start_call();
	client_sends("Thi");
	agent_says("This is all that was written. ");
	world_pass(&world, 10 * MS);
	assert_state(CALL_SPEAKING);
	agent.answerer.listener->failed(agent.answerer.arg, agent.id, ANSWERER_STALLED, "stalled");
	world_pass(&world, 5000 * MS);
	assert_state(CALL_QUIET);
	client_sends("Tgo on");
	assert_non_null(strstr(agent.asked, "agent: This is all that was written."));
}

static void test_an_answer_that_cannot_be_spoken_is_reported_once(void **state)
{
	(void)state;
	start_call();
	say("one");
	be_silent(160);
	world.speech.ending = FAKE_REFUSES;
	agent_answers("Nobody will hear this.");
	be_silent(1500);
	assert_log("started conv_1\nuser 1 one\nagent 1 Nobody will hear this.\n"
		   "error Internal error\n");
	assert_state(CALL_QUIET);
	world.speech.ending = FAKE_WORKS;
	say("two");
	be_silent(200);
	assert_string_equal(agent.asked, "user: one | user: two");
}

static void test_pings_measure_the_round_trip(void **state)
{
	(void)state;
	start_call();
	assert_int_equal(client.pings, 1);
	world_pass(&world, 80 * MS);
	client_sends("P7"); /* not the one that was sent */
	client_sends("P1");
	world_pass(&world, CALL_PING_MS * MS);
	assert_int_equal(client.pings, 2);
	assert_string_equal(client.last_ping, "ping 2 80");
}

/* The client is a second behind what a clock would say. */
static void test_marks_correct_what_was_heard(void **state)
{
	(void)state;
	has_marks = true;
	start_call();
	client_sends("Thi");
	agent_answers("This is a long answer with many words that goes on and on and on.");
	world_pass(&world, 2000 * MS);
	client_sends("M2"); /* two frames were played, less than a tenth of a second */
	client_sends("M999");
	client_sends("Tstop");
	assert_non_null(strstr(client.log, "corrected 1 \n"));
	assert_string_equal(agent.asked, "user: hi | user: stop");
}

static void test_bad_messages_are_reported_and_do_no_harm(void **state)
{
	(void)state;
	start_call();
	client_sends("?");
	client_sends("A***");
	client_sends("T");
	assert_log("started conv_1\nerror Invalid message\nerror Invalid message\n"
		   "error Invalid message\n");
	assert_state(CALL_QUIET);
	assert_int_equal(world.peer.close_code, 0);
}

static void test_a_server_that_goes_away_lets_the_agent_finish(void **state)
{
	(void)state;
	start_call();
	client_sends("Thi");
	agent_answers("Goodbye then.");
	world_pass(&world, 10 * MS);
	call_go_away(call, "restart");
	assert_int_equal(world.peer.close_code, 0);
	world_pass(&world, 4000 * MS);
	assert_int_equal(world.peer.close_code, 1012);
}

static void test_nothing_leaks_without_memory(void **state)
{
	(void)state;
	for (size_t n = 1; n < 40; ++n) {
		const struct call_options options = {
			.services = &world.services,
			.caller = world.caller,
			.peer = &world.peer.peer,
			.api = &api,
			.settings = &settings,
			.id = "conv_1",
			.request_id = "req-1",
			.open_answerer = open_agent,
		};

		agent.id = 0;
		mem_fail_after(n);
		if (call_alloc(&call, &options) == 0) {
			client_sends("S");
			world_pass(&world, 20 * MS);
			client_sends("Thi");
			if (agent.id > 0)
				agent_answers("Well.");
			world_pass(&world, 500 * MS);
			call = mem_deref(call);
		}
		mem_fail_after(0);
		world_settle(&world);
		world.peer.close_code = 0;
	}
}

static void test_an_interruption_tells_what_was_heard(void **state)
{
	struct call_figures figures;

	(void)state;
	start_call();
	say("one");
	be_silent(200);
	agent_says("This is a long answer with many words that goes on and on. ");
	agent_answers("And it has a second sentence that nobody will hear.");
	be_silent(1500);
	assert_state(CALL_SPEAKING);
	client.log[0] = '\0';
	client.audio_messages = 0;
	say("five six seven");
	assert_state(CALL_HEARING);
	call_figures(call, &figures);
	assert_int_equal(figures.interruptions, 1);
	assert_non_null(strstr(client.log, "interrupted 1\n"));
	assert_non_null(strstr(client.log, "corrected 1 This is a"));
	assert_null(strstr(client.log, "nobody will hear.\nsound"));
	client.log[0] = '\0';
	client.audio_messages = 0;
	client.audio_id = 0;
	be_silent(300);
	assert_null(strstr(client.log, "sound 1")); /* nothing of the answer follows */
	assert_string_equal(strrchr(agent.asked, '|'), "| user: five six seven");
	assert_non_null(strstr(agent.asked, "agent: This is a"));
	assert_null(strstr(agent.asked, "nobody"));
	assert_int_equal(agent.id, 2);
}

static void test_typed_text_is_answered_at_once(void **state)
{
	(void)state;
	start_call();
	client_sends("Thow are you");
	assert_string_equal(agent.asked, "user: how are you");
	agent_answers("Fine.");
	world_pass(&world, 10 * MS);
	assert_log("started conv_1\nagent 1 Fine.\nsound 1\n");
	client_sends("Tand now");
	assert_string_equal(strrchr(agent.asked, '|'), "| user: and now");
	assert_non_null(strstr(client.log, "interrupted 1\n"));
}

static void test_text_that_comes_before_the_greeting_is_answered(void **state)
{
	(void)state;
	snprintf(settings.first_message, sizeof(settings.first_message), "Hello.");
	open_call();
	client_sends("S");
	client_sends("Thow are you");
	assert_log("started conv_1\n");
	world_pass(&world, 25 * MS);
	assert_string_equal(agent.asked, "user: how are you");
	agent_answers("Fine.");
	world_pass(&world, 10 * MS);
	assert_log("agent 1 Fine.\nsound 1\n");
}

static void test_in_writing_text_that_comes_before_the_greeting_follows_it(void **state)
{
	(void)state;
	settings.is_text_only = true;
	snprintf(settings.first_message, sizeof(settings.first_message), "Hello.");
	open_call();
	client_sends("S");
	client_sends("Thi");
	world_pass(&world, 25 * MS);
	assert_log("started conv_1\nfirst 1 \npart 1 Hello.\nagent 1 Hello.\nlast 1 \n");
	assert_string_equal(agent.asked, "agent: Hello. | user: hi");
}

static void test_text_that_is_typed_early_is_not_lost(void **state)
{
	(void)state;
	open_call();
	client_sends("S");
	client_sends("Talready here");
	assert_int_equal(agent.asks, 0);
	world_pass(&world, 20 * MS);
	assert_string_equal(agent.asked, "user: already here");
}

/* Of a client that sends audio faster than it is spoken, before the first reply. */
static void say_at_once(const char *words, size_t silent_frames)
{
	static const int16_t silence[FRAME];
	size_t count = fake_hearing_say(audio, COUNT(audio), words);

	for (size_t at = 0; at + FRAME <= count; at += FRAME)
		send_frame(audio + at);
	for (size_t i = 0; i < silent_frames; ++i)
		send_frame(silence);
}

static void test_speech_that_begins_early_is_heard(void **state)
{
	(void)state;
	open_call();
	client_sends("S");
	say_at_once("one two", 0);
	assert_state(CALL_OPENING);
	world_pass(&world, 20 * MS);
	assert_state(CALL_HEARING);
	be_silent(1500);
	assert_string_equal(agent.asked, "user: one two");
}

static void test_speech_that_ends_early_is_answered(void **state)
{
	(void)state;
	open_call();
	client_sends("S");
	say_at_once("one two", 40);
	assert_state(CALL_OPENING);
	world_pass(&world, 20 * MS);
	be_silent(1500);
	assert_string_equal(agent.asked, "user: one two");
	assert_state(CALL_ANSWERING);
}

static void test_in_writing_words_are_sent_as_they_come(void **state)
{
	(void)state;
	settings.is_text_only = true;
	snprintf(settings.first_message, sizeof(settings.first_message), "Hello.");
	start_call();
	assert_log("started conv_1\nfirst 1 \npart 1 Hello.\nagent 1 Hello.\nlast 1 \n");
	client_sends("Thi");
	agent_says("Nice ");
	agent_answers("day.");
	assert_log("first 2 \npart 2 Nice \npart 2 day.\nagent 2 Nice day.\nlast 2 \n");
	assert_state(CALL_QUIET);
	assert_int_equal(world.hearing.started, 0);
	assert_int_equal(world.speech.jobs, 0);
}

static void test_an_agent_that_does_not_answer_is_reported(void **state)
{
	(void)state;
	start_call();
	say("one");
	be_silent(1500);
	assert_state(CALL_ANSWERING);
	agent.answerer.listener->failed(agent.answerer.arg, agent.id, ANSWERER_SILENT, "too late");
	world_settle(&world);
	assert_state(CALL_QUIET);
	assert_log("started conv_1\nuser 1 one\nerror The agent does not answer\n");
	say("two");
	be_silent(200);
	assert_string_equal(agent.asked, "user: one | user: two");
}

static void test_nobody_to_answer_ends_the_call(void **state)
{
	(void)state;
	agent.is_missing = true;
	open_call();
	client_sends("S");
	assert_int_equal(world.peer.close_code, 1008);
	/* Clients that are not told more than this show it. */
	assert_non_null(strstr(world.peer.close_reason, ": nobody answers this agent's calls"));
	assert_state(CALL_CLOSED);
}

static void test_the_call_ends_after_silence_and_at_its_maximum(void **state)
{
	(void)state;
	settings.silence_end_s = 3;
	start_call();
	world_pass(&world, 2900 * MS);
	assert_int_equal(world.peer.close_code, 0);
	client_sends("V");
	world_pass(&world, 2900 * MS);
	assert_int_equal(world.peer.close_code, 0);
	world_pass(&world, 200 * MS);
	assert_int_equal(world.peer.close_code, 1000);
	assert_int_equal(agent.closes, 1);
}

static void test_a_long_call_ends_at_its_maximum(void **state)
{
	(void)state;
	settings.duration_max_s = 10;
	start_call();
	world_pass(&world, 9900 * MS);
	assert_int_equal(world.peer.close_code, 0);
	world_pass(&world, 200 * MS);
	assert_int_equal(world.peer.close_code, 1000);
	assert_log("started conv_1\nerror The call has reached its maximum duration\n");
}

static void test_sound_is_sent_little_ahead_of_playback(void **state)
{
	(void)state;
	snprintf(settings.first_message, sizeof(settings.first_message),
		 "This greeting is long enough to take several seconds when it is spoken aloud.");
	start_call();
	world_pass(&world, 1000 * MS);
	/* A second was played, 250 ms are ahead, and a frame has at most 200 ms. */
	assert_in_range(client.audio_bytes, 2 * 24000, 2 * 24000 * 145 / 100);
}

static void test_everything_is_booked_when_the_client_disconnects(void **state)
{
	(void)state;
	start_call();
	say("one two");
	be_silent(200);
	agent_says("A long answer that will be cut off when the caller hangs up. ");
	be_silent(1500);
	call = mem_deref(call);
	world_settle(&world);
	assert_int_equal(agent.closes, 1);
	assert_int_equal(world.ledger.count, 2); /* what was heard, and what was spoken */
}

static void test_noise_does_not_lose_the_answer_to_typed_text(void **state)
{
	(void)state;
	start_call();
	client_sends("Thi");
	cough();
	assert_state(CALL_HEARING);
	agent_answers("Hello.");
	be_silent(300);
	assert_log("started conv_1\nagent 1 Hello.\nsound 1\n");
	be_silent(3000);
	assert_state(CALL_QUIET);
	assert_int_equal(agent.drops, 0);
}

static void test_words_after_typed_text_are_asked_with_it(void **state)
{
	(void)state;
	start_call();
	client_sends("Thi");
	say("one");
	be_silent(200);
	assert_string_equal(agent.asked, "user: hi | user: one");
	assert_int_equal(agent.id, 2);
}

static void test_noise_does_not_lose_the_greeting(void **state)
{
	(void)state;
	snprintf(settings.first_message, sizeof(settings.first_message), "Hello there.");
	world.speech.is_manual = true; /* and slow */
	start_call();
	assert_state(CALL_ANSWERING);
	cough();
	assert_state(CALL_HEARING);
	be_silent(300);
	assert_state(CALL_ANSWERING);
	assert_log("started conv_1\nagent 1 Hello there.\n");
	world.speech.is_manual = false;
	be_silent(100);
	assert_log("sound 1\n");
}

static void test_noise_after_the_decision_changes_nothing(void **state)
{
	(void)state;
	settings.wants |= CALL_WANTS_PARTS;
	start_call();
	say("one");
	be_silent(1500);
	agent_says("All ");
	cough();
	agent_answers("right.");
	be_silent(1500);
	assert_log("started conv_1\nuser 1 one\nfirst 1 \npart 1 All \npart 1 right.\n"
		   "agent 1 All right.\nsound 1\nlast 1 \n");
	assert_int_equal(agent.asks, 1);
}

static void test_an_answer_that_is_dropped_ends_its_parts(void **state)
{
	(void)state;
	settings.wants |= CALL_WANTS_PARTS;
	start_call();
	say("one");
	be_silent(1500);
	agent_says("All ");
	say("two");
	be_silent(200);
	assert_log("started conv_1\nuser 1 one\nfirst 1 \npart 1 All \nlast 1 \n"
		   "interrupted 1\ncorrected 1 \n");
	assert_int_equal(agent.drops, 1);
}

static void test_an_interrupted_answer_is_complete_before_its_interruption(void **state)
{
	static const char *const begins = "agent 1 This is a long answer that is not complete. \n"
					  "last 1 \ninterrupted 1\ncorrected 1 This";

	(void)state;
	settings.wants |= CALL_WANTS_PARTS;
	start_call();
	client_sends("Thi");
	agent_says("This is a long answer that is not complete. ");
	world_pass(&world, 1000 * MS);
	client.log[0] = '\0';
	client_sends("Tstop");
	client.log[strlen(begins)] = '\0';
	assert_log(begins);
	assert_int_equal(agent.drops, 1);
}

static void test_speech_over_an_answer_that_fails_is_heard(void **state)
{
	(void)state;
	settings.is_interruptible = false;
	start_call();
	client_sends("Thi");
	agent_says("This is all that was written. ");
	be_silent(100);
	assert_state(CALL_SPEAKING);
	say("one two");
	world.speech.ending = FAKE_REFUSES;
	agent_says("Nobody hears this. ");
	say("three four five six seven eight nine one two three");
	assert_state(CALL_HEARING);
	assert_int_equal(agent.drops, 1); /* what it would still say cannot be spoken */
	be_silent(200);
	assert_non_null(strstr(agent.asked, "two three"));
}

static void test_speech_before_the_first_reply_is_heard(void **state)
{
	size_t count = fake_hearing_say(audio, COUNT(audio), "one two....");

	(void)state;
	open_call();
	client_sends("S");
	for (size_t at = 0; at + FRAME <= count; at += FRAME)
		send_frame(audio + at); /* faster than it was said */
	world_pass(&world, 20 * MS);
	assert_state(CALL_PAUSED);
	assert_string_equal(agent.asked, "user: one two");
}

static void test_what_was_said_before_typed_text_is_in_the_history(void **state)
{
	for (int speculative = 0; speculative < 2; ++speculative) {
		(void)state;
		settings.is_speculative = speculative;
		start_call();
		say("one two");
		be_silent(160);
		assert_state(CALL_PAUSED);
		client_sends("Tthree");
		assert_string_equal(agent.asked, "user: one two | user: three");
		call = mem_deref(call);
		agent.id = 0;
	}
}

static void test_an_empty_answer_to_text_typed_while_speaking(void **state)
{
	(void)state;
	start_call();
	say("one");
	client_sends("Thi");
	agent_ends();
	world_pass(&world, 10 * MS);
	assert_state(CALL_HEARING);
	say("two");
	be_silent(200);
	assert_non_null(strstr(agent.asked, "two"));
}

static void test_an_answer_in_many_parts_is_spoken_as_a_whole(void **state)
{
	(void)state;
	start_call();
	client_sends("Thi");
	agent_answers("One.");
	agent_answers(" Two.");
	agent_answers(" Three.");
	agent_answers(" Four.");
	world_pass(&world, 9000 * MS);
	assert_state(CALL_QUIET);
	client_sends("Tbye");
	assert_non_null(strstr(agent.asked, "agent: One. Two. Three. Four."));
	assert_true(world.speech.jobs >= 4);
}

static void test_a_client_that_does_not_begin_is_disconnected(void **state)
{
	(void)state;
	open_call();
	world_pass(&world, (CALL_OPENING_S - 1) * 1000 * MS);
	assert_int_equal(world.peer.close_code, 0);
	world_pass(&world, 1500 * MS);
	assert_int_equal(world.peer.close_code, 1008);
}

static void test_context_never_makes_a_call_too_long(void **state)
{
	char *message = malloc(CALL_TEXT_MAX + 2);

	(void)state;
	memset(message, 'x', CALL_TEXT_MAX + 1);
	message[0] = 'C';
	message[CALL_TEXT_MAX + 1] = '\0';
	start_call();
	for (unsigned i = 0; i < 100; ++i)
		client_sends(message);
	free(message);
	client_sends("Thi");
	assert_int_equal(agent.asks, 1);
	assert_true(agent.said_len <= ANSWERER_SAID_MAX);
	assert_true(agent.said_len > ANSWERER_SAID_MAX / 2);
}

/* A call with everything in it, of which only the first steps happen. */
static void talk(unsigned steps)
{
	for (unsigned step = 0; step < steps && call_state(call) != CALL_CLOSED; ++step) {
		switch (step) {
		case 0:
			client_sends("S");
			break;
		case 1:
			world_pass(&world, 20 * MS);
			break;
		case 2:
			be_silent(300); /* the greeting is heard */
			break;
		case 3:
			be_silent(4000);
			break;
		case 4:
			say("one two");
			break;
		case 5:
			be_silent(160);
			break;
		case 6:
			if (agent.id > 0)
				agent_says("This is a long answer with many words that goes on. ");
			break;
		case 7:
			be_silent(1500);
			break;
		case 8:
			say("five");
			break;
		case 9:
			say("six seven");
			break;
		case 10:
			be_silent(200);
			break;
		case 11:
			if (agent.id > 0)
				agent_answers("Well.");
			break;
		case 12:
			client_sends("Ttyped");
			break;
		default:
			be_silent(500);
			break;
		}
	}
}

#define TALK_STEPS 15u

static void test_the_client_may_disconnect_at_every_step(void **state)
{
	(void)state;
	snprintf(settings.first_message, sizeof(settings.first_message), "Hello.");
	for (unsigned steps = 0; steps <= TALK_STEPS; ++steps) {
		agent.id = 0;
		open_call();
		talk(steps);
		call = mem_deref(call);
		world_pass(&world, 1000 * MS);
		assert_int_equal(world.speech.running.count, 0);
		assert_int_equal(world.hearing.streams.count, 0);
	}
}

static void test_an_agent_may_end_the_call_in_every_state(void **state)
{
	(void)state;
	snprintf(settings.first_message, sizeof(settings.first_message), "Hello.");
	for (unsigned steps = 1; steps <= TALK_STEPS; ++steps) {
		agent.id = 0;
		open_call();
		talk(steps);
		agent.answerer.listener->closed(agent.answerer.arg, "it has gone");
		assert_state(CALL_CLOSED);
		assert_int_equal(world.peer.close_code, 1011);
		world_pass(&world, 1000 * MS);
		call = mem_deref(call);
		world.peer.close_code = 0;
	}
}

static void test_a_recognizer_that_fails_ends_the_call(void **state)
{
	(void)state;
	start_call();
	world.hearing.mood = FAKE_HEARING_BREAKS;
	say("one");
	be_silent(200);
	assert_state(CALL_CLOSED);
	assert_int_equal(world.peer.close_code, 1008);
	assert_int_equal(agent.closes, 1);
}

static void test_what_a_slow_client_has_not_received_was_not_heard(void **state)
{
	(void)state;
	start_call();
	client_sends("Thi");
	world.peer.is_blocked = true;
	agent_answers("This is a long answer with many words that goes on and on and on.");
	world_pass(&world, 300 * MS);
	call_filled(call);
	world_pass(&world, 2000 * MS);
	client_sends("Tstop");
	assert_string_equal(agent.asked, "user: hi | user: stop");
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_the_first_reply_is_alone),
		CASE(test_a_question_is_answered),
		CASE(test_a_caller_who_goes_on_is_asked_about_as_a_whole),
		CASE(test_a_caller_who_goes_on_before_the_answer_is_heard_has_the_turn),
		CASE(test_an_answer_that_was_shown_but_not_heard_is_taken_back),
		CASE(test_noise_before_the_answer_is_heard_shows_nothing_twice),
		CASE(test_text_with_an_old_event_id_is_not_spoken),
		CASE(test_an_answer_without_words_gives_the_turn_back),
		CASE(test_words_after_the_end_of_an_answer_are_spoken_too),
		CASE(test_an_agent_may_go_on_after_its_answer_was_heard),
		CASE(test_an_interrupted_agent_does_not_go_on),
		CASE(test_in_writing_an_agent_may_go_on),
		CASE(test_words_after_an_empty_answer_are_held_too),
		CASE(test_context_is_part_of_the_next_question),
		CASE(test_a_speaking_agent_that_fails_is_heard_as_far_as_it_came),
		CASE(test_an_answer_that_cannot_be_spoken_is_reported_once),
		CASE(test_pings_measure_the_round_trip),
		CASE(test_marks_correct_what_was_heard),
		CASE(test_bad_messages_are_reported_and_do_no_harm),
		CASE(test_a_server_that_goes_away_lets_the_agent_finish),
		CASE(test_nothing_leaks_without_memory),
		CASE(test_an_interruption_tells_what_was_heard),
		CASE(test_typed_text_is_answered_at_once),
		CASE(test_text_that_comes_before_the_greeting_is_answered),
		CASE(test_in_writing_text_that_comes_before_the_greeting_follows_it),
		CASE(test_text_that_is_typed_early_is_not_lost),
		CASE(test_speech_that_begins_early_is_heard),
		CASE(test_speech_that_ends_early_is_answered),
		CASE(test_in_writing_words_are_sent_as_they_come),
		CASE(test_an_agent_that_does_not_answer_is_reported),
		CASE(test_nobody_to_answer_ends_the_call),
		CASE(test_the_call_ends_after_silence_and_at_its_maximum),
		CASE(test_a_long_call_ends_at_its_maximum),
		CASE(test_sound_is_sent_little_ahead_of_playback),
		CASE(test_everything_is_booked_when_the_client_disconnects),
		CASE(test_noise_does_not_lose_the_answer_to_typed_text),
		CASE(test_words_after_typed_text_are_asked_with_it),
		CASE(test_noise_does_not_lose_the_greeting),
		CASE(test_noise_after_the_decision_changes_nothing),
		CASE(test_an_answer_that_is_dropped_ends_its_parts),
		CASE(test_an_interrupted_answer_is_complete_before_its_interruption),
		CASE(test_speech_over_an_answer_that_fails_is_heard),
		CASE(test_speech_before_the_first_reply_is_heard),
		CASE(test_what_was_said_before_typed_text_is_in_the_history),
		CASE(test_an_empty_answer_to_text_typed_while_speaking),
		CASE(test_an_answer_in_many_parts_is_spoken_as_a_whole),
		CASE(test_a_client_that_does_not_begin_is_disconnected),
		CASE(test_context_never_makes_a_call_too_long),
		CASE(test_the_client_may_disconnect_at_every_step),
		CASE(test_an_agent_may_end_the_call_in_every_state),
		CASE(test_a_recognizer_that_fails_ends_the_call),
		CASE(test_what_a_slow_client_has_not_received_was_not_heard),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
