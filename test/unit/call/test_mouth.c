/*
 * What a caller hears of an agent, and how much of it: held, released, ducked, paused and cut off.  The
 * engine is a fake that speaks with tones.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "audio/g711.h"
#include "base/mem.h"
#include "call/mouth.h"
#include "world.h"

#define MS UINT64_C(1000)
#define LONG_TEXT                                                                                  \
	"This sentence has a lot of words, so that it takes some seconds to say all of it."

static struct world world;
static struct mouth *mouth;
static struct settings settings;
static char events[4096];
static uint64_t sent; /* samples */
static int loudest; /* of the last message */
static bool closes_at_audio;
static struct buf heard;

static void note(const char *event)
{
	snprintf(events + strlen(events), sizeof(events) - strlen(events), "%s\n", event);
}

static void on_audio(void *arg, const uint8_t *bytes, size_t len, uint32_t samples)
{
	(void)arg;
	if (sent == 0)
		note("sound");
	sent += samples;
	loudest = 0;
	for (uint32_t i = 0; i < samples; ++i) {
		int16_t sample;

		if (settings.format.encoding == AUDIO_MULAW)
			g711_decode_mulaw(&sample, bytes + i, 1);
		else
			memcpy(&sample, bytes + 2 * i, 2);
		if (abs(sample) > loudest)
			loudest = abs(sample);
	}
	assert_int_equal(len, samples * (settings.format.encoding == AUDIO_MULAW ? 1 : 2));
	if (closes_at_audio)
		mouth = mouth_close(mouth);
}

static void on_ready(void *arg)
{
	(void)arg;
	note("ready");
}

static void on_finished(void *arg)
{
	(void)arg;
	note("finished");
}

static void on_failed(void *arg, const struct stream_fault *fault)
{
	(void)arg;
	(void)fault;
	note("failed");
}

static const struct mouth_ops ops = {on_audio, on_ready, on_finished, on_failed};

static int set_up(void **state)
{
	(void)state;
	mouth = NULL;
	events[0] = '\0';
	sent = 0;
	closes_at_audio = false;
	buf_init(&heard, MOUTH_TEXT_MAX);
	settings_copy(&settings, &settings_default);
	settings.voice_id = 1;
	settings.set = SETTING_VOICE_ID | SETTING_OUTPUT_FORMAT;
	settings.format = (struct audio_format){.encoding = AUDIO_PCM16, .sample_rate = 24000};
	return world_open(&world);
}

static int tear_down(void **state)
{
	(void)state;
	mouth = mouth_close(mouth);
	buf_reset(&heard);
	settings_reset(&settings);
	world_settle(&world);
	world_close(&world);
	return mem_live() == 0 ? 0 : -1;
}

static void open_mouth(void)
{
	const struct mouth_request request = {.services = &world.services,
					      .caller = world.caller,
					      .request_id = "req-1",
					      .settings = &settings};

	assert_int_equal(mouth_alloc(&mouth, &request, &ops, NULL), 0);
}

static void say(const char *text)
{
	assert_int_equal(mouth_say(mouth, text, strlen(text)), 0);
	world_settle(&world);
}

static void begin(bool is_held, const char *text)
{
	if (!mouth)
		open_mouth();
	mouth_begin(mouth, is_held);
	say(text);
	mouth_end(mouth);
	world_settle(&world);
}

static void assert_events(const char *expected)
{
	assert_string_equal(events, expected);
	events[0] = '\0';
}

static void cut(void)
{
	mouth_cut(mouth, 0, &heard);
	(void)buf_append(&heard, "", 1);
	events[0] = '\0';
	sent = 0;
}

static void test_nothing_is_sent_while_it_is_held(void **state)
{
	(void)state;
	begin(true, LONG_TEXT);
	world_pass(&world, 3000 * MS);
	assert_events("ready\n");
	assert_true(mouth_has_sound(mouth));
	mouth_release(mouth);
	world_pass(&world, 10 * MS);
	assert_events("sound\n");
	/* A frame may be longer than what is left of the lead. */
	assert_in_range(sent, 24 * MOUTH_LEAD_MS, 24 * (MOUTH_LEAD_MS + 210));
	world_pass(&world, 10000 * MS);
	assert_events("finished\n");
	assert_false(mouth_is_open(mouth));
}

static void test_what_was_held_was_not_heard(void **state)
{
	(void)state;
	begin(true, LONG_TEXT);
	world_pass(&world, 1000 * MS);
	cut();
	assert_string_equal(heard.bytes, "");
	world_pass(&world, 3000 * MS);
	assert_events("");
	assert_false(mouth_is_open(mouth));
}

static void test_a_cut_knows_what_was_heard(void **state)
{
	(void)state;
	begin(false, LONG_TEXT);
	world_pass(&world, 1500 * MS);
	cut();
	assert_int_equal(strncmp(heard.bytes, "This sentence", 13), 0);
	assert_true(strlen(heard.bytes) < strlen(LONG_TEXT) / 2);
	world_pass(&world, 5000 * MS);
	assert_events("");
}

/* Of two cuts after the same time, the one of a distant client leaves less. */
static void test_a_distant_client_has_heard_less(void **state)
{
	size_t len;

	(void)state;
	begin(false, LONG_TEXT);
	world_pass(&world, 2000 * MS);
	cut();
	len = heard.len;
	begin(false, LONG_TEXT);
	world_pass(&world, 2000 * MS);
	mouth_cut(mouth, 1000, &heard);
	assert_true(heard.len < len);
	begin(false, LONG_TEXT);
	world_pass(&world, 2000 * MS);
	mouth_cut(mouth, 60000, &heard);
	assert_int_equal(heard.len, 0);
}

static void test_samples_that_were_taken_back_were_not_heard(void **state)
{
	(void)state;
	begin(false, LONG_TEXT);
	world_pass(&world, 2000 * MS);
	mouth_take_back(mouth, mouth_sent(mouth));
	cut();
	assert_string_equal(heard.bytes, "");
}

static void test_several_turns_are_one_utterance(void **state)
{
	(void)state;
	begin(false, "First sentence.");
	say(" Second sentence.");
	mouth_end(mouth);
	say(" Third sentence.");
	mouth_end(mouth);
	world_pass(&world, 300 * MS);
	assert_true(mouth_is_open(mouth));
	world_pass(&world, 2800 * MS);
	cut();
	assert_int_equal(strncmp(heard.bytes, "First sentence. Second", 22), 0);
	begin(false, "Fourth sentence.");
	world_pass(&world, 5000 * MS);
	assert_events("ready\nsound\nfinished\n");
}

static void test_words_after_the_end_postpone_it(void **state)
{
	(void)state;
	begin(false, "One.");
	while (!strstr(events, "sound"))
		world_pass(&world, 10 * MS);
	world_pass(&world, 100 * MS);
	say(" And then something else.");
	world_pass(&world, 5000 * MS);
	assert_null(strstr(events, "finished"));
	mouth_end(mouth);
	world_pass(&world, 5000 * MS);
	assert_non_null(strstr(events, "finished"));
}

static void test_a_ducked_agent_is_quieter(void **state)
{
	static const enum audio_encoding encodings[] = {AUDIO_PCM16, AUDIO_MULAW};

	(void)state;
	for (size_t i = 0; i < 2; ++i) {
		int usual;

		settings.format.encoding = encodings[i];
		settings.format.sample_rate = encodings[i] == AUDIO_MULAW ? 8000 : 24000;
		begin(false, LONG_TEXT);
		world_pass(&world, 1000 * MS);
		usual = loudest;
		assert_true(usual > 1000);
		mouth_duck(mouth, true);
		world_pass(&world, 500 * MS);
		assert_in_range(loudest, usual / 8, usual / 3);
		assert_true(mouth_level_db(mouth) > -60);
		mouth_duck(mouth, false);
		world_pass(&world, 500 * MS);
		assert_true(loudest > usual / 2);
		mouth = mouth_close(mouth);
		world_settle(&world);
	}
}

/* The client says that it is a second behind. */
static void test_the_end_waits_for_a_client_that_is_behind(void **state)
{
	uint64_t all;

	(void)state;
	begin(false, "A short sentence.");
	do {
		all = sent;
		world_pass(&world, 100 * MS);
	} while (sent > all || sent == 0);
	assert_true(mouth_is_open(mouth));
	mouth_note_played(mouth, sent > 24000 ? sent - 24000 : 0);
	world_pass(&world, 900 * MS);
	assert_true(mouth_is_open(mouth));
	world_pass(&world, 200 * MS);
	assert_false(mouth_is_open(mouth));
	assert_events("ready\nsound\nfinished\n");
}

static void test_a_paused_mouth_sends_nothing(void **state)
{
	uint64_t before;

	(void)state;
	begin(false, LONG_TEXT);
	world_pass(&world, 500 * MS);
	mouth_pause(mouth, true);
	before = sent;
	world_pass(&world, 3000 * MS);
	assert_int_equal(sent, before);
	mouth_pause(mouth, false);
	world_pass(&world, 10 * MS);
	assert_in_range(sent - before, 1, 24 * (MOUTH_LEAD_MS + 210)); /* not all at once */
	world_pass(&world, 10000 * MS);
	assert_events("ready\nsound\nfinished\n");
}

static void test_blank_text_is_finished_even_if_it_is_held(void **state)
{
	(void)state;
	begin(true, "  ");
	world_pass(&world, 10 * MS);
	assert_events("finished\n");
}

static void test_a_failure_is_reported_after_what_was_spoken(void **state)
{
	(void)state;
	open_mouth();
	mouth_begin(mouth, true);
	world.speech.ending = FAKE_FAILS;
	world.speech.ending_after = 12000;
	say(LONG_TEXT " ");
	world_pass(&world, 5000 * MS);
	mouth_release(mouth);
	world_pass(&world, 5000 * MS);
	assert_non_null(strstr(events, "failed"));
	assert_null(strstr(events, "finished"));
	assert_false(mouth_is_open(mouth));
}

static void test_it_can_be_closed_by_its_owner_while_it_speaks(void **state)
{
	(void)state;
	closes_at_audio = true;
	begin(false, LONG_TEXT);
	world_pass(&world, 1000 * MS);
	assert_null(mouth);
	assert_events("ready\nsound\n");
}

static void test_other_formats_are_refused(void **state)
{
	const struct mouth_request request = {.services = &world.services,
					      .caller = world.caller,
					      .request_id = "req-1",
					      .settings = &settings};

	(void)state;
	settings.format.encoding = AUDIO_MP3;
	assert_int_not_equal(mouth_alloc(&mouth, &request, &ops, NULL), 0);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_nothing_is_sent_while_it_is_held),
		CASE(test_what_was_held_was_not_heard),
		CASE(test_a_cut_knows_what_was_heard),
		CASE(test_a_distant_client_has_heard_less),
		CASE(test_samples_that_were_taken_back_were_not_heard),
		CASE(test_several_turns_are_one_utterance),
		CASE(test_words_after_the_end_postpone_it),
		CASE(test_a_ducked_agent_is_quieter),
		CASE(test_the_end_waits_for_a_client_that_is_behind),
		CASE(test_a_paused_mouth_sends_nothing),
		CASE(test_blank_text_is_finished_even_if_it_is_held),
		CASE(test_a_failure_is_reported_after_what_was_spoken),
		CASE(test_it_can_be_closed_by_its_owner_while_it_speaks),
		CASE(test_other_formats_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
