/*
 * What a caller says in a turn, with pauses in it.  The recognizer is a fake, whose audio contains its
 * words, and which can be slow (is_deaf) or answer in another order (is_backwards).
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

#include "base/count.h"
#include "base/mem.h"
#include "call/ear.h"
#include "world.h"

static struct world world;
static struct ear *ear;
static char events[65536];
static int16_t audio[30u * HEARING_RATE];
static unsigned frames;
static unsigned pause_silence_ms; /* at the last pause */
static bool closes_at_pause;

static void note(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void note(const char *format, ...)
{
	size_t at = strlen(events);
	va_list args;

	va_start(args, format);
	vsnprintf(events + at, sizeof(events) - at, format, args);
	va_end(args);
}

static void on_frame(void *arg, const struct ear_frame *frame)
{
	(void)arg;
	(void)frame;
	++frames;
}

static void on_speech(void *arg)
{
	(void)arg;
	note("speech\n");
}

static void on_pause(void *arg)
{
	(void)arg;
	pause_silence_ms = ear_silence_ms(ear);
	note("pause\n");
	if (closes_at_pause)
		ear = ear_close(ear);
}

static void on_partial(void *arg, const char *text, size_t len)
{
	(void)arg;
	note("partial %.*s\n", (int)len, text);
}

static void on_words(void *arg, const char *text, size_t len)
{
	(void)arg;
	note("words %.*s\n", (int)len, text);
}

static void on_failed(void *arg, const struct stream_fault *fault)
{
	(void)arg;
	note("failed %s\n", wire_error_get(fault->id)->text);
}

static void on_flow(void *arg, bool pause)
{
	(void)arg;
	note("%s\n", pause ? "hold" : "go on");
}

static const struct ear_ops ops = {
	.frame = on_frame,
	.speech = on_speech,
	.pause = on_pause,
	.partial = on_partial,
	.words = on_words,
	.failed = on_failed,
	.flow = on_flow,
};

static int set_up(void **state)
{
	(void)state;
	ear = NULL;
	events[0] = '\0';
	frames = 0;
	closes_at_pause = false;
	return world_open(&world);
}

static int tear_down(void **state)
{
	(void)state;
	ear = ear_close(ear);
	world_settle(&world);
	world_close(&world);
	return mem_live() == 0 ? 0 : -1;
}

static void open_ear(bool want_partials)
{
	const struct ear_request request = {
		.services = &world.services,
		.caller = world.caller,
		.model = "",
		.language = "en",
		.format = {.encoding = LISTEN_PCM16, .sample_rate = HEARING_RATE},
		.want_partials = want_partials,
	};
	struct stream_fault fault;

	assert_int_equal(ear_alloc(&ear, &request, &ops, NULL, &fault), 0);
	ear_begin(ear, "");
	world_settle(&world);
}

/* Speaks in real time.  A dot is 100 ms of silence. */
static void say(const char *words)
{
	size_t count = fake_hearing_say(audio, COUNT(audio), words);

	for (size_t at = 0; at < count && ear; at += HEARING_FRAME) {
		size_t part = count - at < HEARING_FRAME ? count - at : HEARING_FRAME;

		assert_int_equal(ear_audio(ear, (const uint8_t *)(audio + at), part * 2), 0);
		world_pass(&world, 32000);
	}
}

/* Says the word so many times without a pause that would be noticed: each takes 288 ms. */
static void say_often(const char *word, unsigned count)
{
	char text[512];

	text[0] = '\0';
	for (unsigned i = 0; i < count; ++i)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s", i ? " " : "",
			 word);
	say(text);
}

static void assert_events(const char *expected)
{
	assert_string_equal(events, expected);
	events[0] = '\0';
}

/* How often a word was in what was reported last. */
static unsigned count_last(const char *word)
{
	const char *last = events;
	unsigned count = 0;

	for (const char *at = events; (at = strstr(at, "words ")); ++at)
		last = at;
	for (const char *at = last; (at = strstr(at, word)); ++at)
		++count;
	return count;
}

static void assert_text(const char *expected)
{
	size_t len;
	const char *text = ear_text(ear, &len);

	assert_int_equal(len, strlen(expected));
	assert_memory_equal(text, expected, len);
}

static void test_each_pause_has_the_words_of_the_whole_turn(void **state)
{
	(void)state;
	open_ear(false);
	say("one two..");
	assert_events("speech\npause\nwords one two\n");
	assert_true(ear_has_words(ear));
	say("three..");
	assert_events("speech\npause\nwords one two three\n");
	ear_next_turn(ear);
	say("four..");
	assert_events("speech\npause\nwords four\n");
	assert_true(frames > 30);
}

static void test_a_pause_counts_from_the_end_of_speech(void **state)
{
	(void)state;
	open_ear(false);
	say("one..");
	assert_in_range(pause_silence_ms, EAR_PAUSE_MS, EAR_PAUSE_MS + 32);
}

static void test_partial_words_are_those_of_the_turn(void **state)
{
	(void)state;
	open_ear(true);
	say("one..");
	events[0] = '\0';
	say("two three");
	assert_non_null(strstr(events, "partial one two"));
}

/* A piece that was asked for while the caller spoke is recognized after the one of the pause. */
static void test_late_words_do_not_replace_those_of_the_pause(void **state)
{
	(void)state;
	open_ear(true);
	world.hearing.is_deaf = world.hearing.is_backwards = true;
	say("one two three four..");
	assert_events("speech\npause\n");
	assert_true(ear_awaits_words(ear));
	assert_true(world.hearing.partials > 0);
	world.hearing.is_deaf = false;
	world_settle(&world);
	assert_events("words one two three four\n");
	assert_text("one two three four");
}

static void test_words_of_an_earlier_pause_are_not_reported(void **state)
{
	(void)state;
	open_ear(false);
	world.hearing.is_deaf = true;
	say("one..");
	say("two..");
	world.hearing.is_deaf = false;
	world_settle(&world);
	assert_events("speech\npause\nspeech\npause\nwords one two\n");
}

static void test_words_before_a_long_pause_are_settled(void **state)
{
	(void)state;
	open_ear(false);
	say("one..........");
	events[0] = '\0';
	world.hearing.finals = 0;
	say("two..");
	assert_events("speech\npause\nwords one two\n");
	assert_int_equal(world.hearing.finals, 1);
}

/* The whole of it would be longer than a piece may be. */
static void test_a_long_turn_with_short_pauses_has_all_its_words(void **state)
{
	(void)state;
	open_ear(false);
	for (unsigned i = 0; i < 12; ++i) {
		say_often("one", 14); /* four seconds */
		say("..");
	}
	assert_int_equal(count_last("one"), 12 * 14);
	assert_true(ear_has_words(ear));
}

static void test_a_long_turn_is_not_lost_on_a_slow_recognizer(void **state)
{
	(void)state;
	for (int backwards = 0; backwards < 2; ++backwards) {
		open_ear(false);
		world.hearing.is_backwards = backwards;
		world.hearing.is_deaf = true;
		for (unsigned i = 0; i < 12; ++i) {
			say_often("one", 14);
			say("..");
		}
		world.hearing.is_deaf = false;
		world_settle(&world);
		assert_int_equal(count_last("one"), 12 * 14);
		assert_true(ear_has_words(ear));
		ear = ear_close(ear);
		world_settle(&world);
		events[0] = '\0';
	}
}

static void test_speech_without_a_pause_has_all_its_words(void **state)
{
	(void)state;
	for (int slow = 0; slow < 2; ++slow) {
		open_ear(false);
		say("two..");
		world.hearing.is_deaf = slow;
		for (unsigned i = 0; i < 10; ++i)
			say_often("one", 14); /* forty seconds in all */
		say("..");
		world.hearing.is_deaf = false;
		world_settle(&world);
		/* Words are recognized twice where the speech is cut within them. */
		assert_in_range(count_last("one"), 140, 144);
		assert_int_equal(count_last("two"), 1);
		ear = ear_close(ear);
		world_settle(&world);
		events[0] = '\0';
	}
}

static void test_the_next_turn_has_what_is_being_said(void **state)
{
	(void)state;
	open_ear(false);
	say("one..");
	say("two");
	ear_next_turn(ear);
	assert_true(ear_is_speech(ear));
	say("three..");
	assert_events("speech\npause\nwords one\nspeech\npause\nwords two three\n");
}

/* What was said before the cut has been released. */
static void test_the_next_turn_can_begin_after_a_cut(void **state)
{
	(void)state;
	open_ear(false);
	for (unsigned i = 0; i < 10; ++i)
		say_often("one", 14);
	ear_next_turn(ear);
	say("two...");
	assert_true(ear_has_words(ear));
	assert_int_equal(count_last("two"), 1);
}

static void test_words_are_not_awaited_after_the_next_turn(void **state)
{
	(void)state;
	open_ear(false);
	world.hearing.is_deaf = true;
	say("one..");
	assert_true(ear_awaits_words(ear));
	ear_next_turn(ear);
	assert_false(ear_awaits_words(ear));
	world.hearing.is_deaf = false;
	world_settle(&world);
	assert_events("speech\npause\n");
}

static void test_a_piece_that_is_refused_ends_the_wait(void **state)
{
	(void)state;
	open_ear(true);
	world.hearing.is_deaf = true;
	world.hearing.pieces_max = 1;
	say("one two three four five.."); /* a partial piece takes the only place */
	assert_false(ear_awaits_words(ear));
	assert_events("speech\npause\nwords \n");
}

static void test_noise_has_no_words(void **state)
{
	(void)state;
	open_ear(false);
	say(".....");
	assert_events("");
}

static void test_it_can_be_closed_by_its_owner_at_a_pause(void **state)
{
	(void)state;
	open_ear(false);
	closes_at_pause = true;
	say("one..");
	assert_events("speech\npause\n");
	assert_null(ear);
}

static void test_too_much_audio_in_one_message_is_refused(void **state)
{
	static uint8_t bytes[EAR_MESSAGE_S * HEARING_RATE * 2 + 2];

	(void)state;
	open_ear(false);
	assert_int_equal(ear_audio(ear, bytes, sizeof(bytes)), EMSGSIZE);
	assert_int_equal(ear_audio(ear, bytes, sizeof(bytes) - 2), 0);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_each_pause_has_the_words_of_the_whole_turn),
		CASE(test_a_pause_counts_from_the_end_of_speech),
		CASE(test_partial_words_are_those_of_the_turn),
		CASE(test_late_words_do_not_replace_those_of_the_pause),
		CASE(test_words_of_an_earlier_pause_are_not_reported),
		CASE(test_words_before_a_long_pause_are_settled),
		CASE(test_a_long_turn_with_short_pauses_has_all_its_words),
		CASE(test_a_long_turn_is_not_lost_on_a_slow_recognizer),
		CASE(test_speech_without_a_pause_has_all_its_words),
		CASE(test_the_next_turn_has_what_is_being_said),
		CASE(test_the_next_turn_can_begin_after_a_cut),
		CASE(test_words_are_not_awaited_after_the_next_turn),
		CASE(test_a_piece_that_is_refused_ends_the_wait),
		CASE(test_noise_has_no_words),
		CASE(test_it_can_be_closed_by_its_owner_at_a_pause),
		CASE(test_too_much_audio_in_one_message_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
