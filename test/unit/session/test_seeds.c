/* The seed that a turn requests from its engine. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "world.h"

#define TEXT "Wait a moment."

static struct world world;

static int setup(void **state)
{
	(void)state;
	if (world_open(&world) != 0)
		return -1;
	return world_connect(&world);
}

static int teardown(void **state)
{
	(void)state;
	world_disconnect(&world);
	world_close(&world);
	return mem_live() == 0 ? 0 : -1;
}

static uint64_t ask(const char *members, const char *text)
{
	size_t jobs = world.speech.jobs;
	char json[256];

	snprintf(json, sizeof(json), "{\"voice_id\":1,%s\"text\":\"%s\",\"flush\":true}", members,
		 text);
	world_say(&world, json, strlen(json));
	world_settle(&world);
	assert_int_equal(world.speech.jobs, jobs + 1);
	return world.speech.asked.seed;
}

static void test_turns_without_settings_have_the_usual_temperature_and_differ(void **state)
{
	uint64_t first = ask("", TEXT);

	(void)state;
	assert_float_equal(world.speech.asked.temperature, 0.4f, 0);
	assert_true(first != 0);
	assert_true(ask("", TEXT) != first);
	assert_true(ask("\"temperature\":0.01,", TEXT) != 0);
}

static void test_temperature_0_repeats(void **state)
{
	(void)state;
	assert_true(ask("\"temperature\":0,", TEXT) == 0);
	assert_true(ask("\"seed\":5,", TEXT) == 0); /* both settings apply */
	assert_true(ask("\"temperature\":0.4,", TEXT) != 0);
}

static void test_a_repeatable_server_repeats_unless_a_seed_is_given(void **state)
{
	uint64_t seeded;

	(void)state;
	world.services.repeatable = true;
	assert_true(ask("\"temperature\":1,", TEXT) == 0);
	seeded = ask("\"seed\":5,", TEXT);
	assert_true(seeded != 0);
	world.services.repeatable = false;
	assert_true(ask("", TEXT) == seeded);
}

static void test_a_seed_repeats_and_another_one_differs(void **state)
{
	uint64_t seven = ask("\"seed\":7,", TEXT);

	(void)state;
	assert_true(seven != 0);
	assert_true(ask("\"seed\":8,", TEXT) != seven);
	assert_true(ask("\"seed\":0,", TEXT) != seven);
	assert_true(ask("\"seed\":7,", TEXT) == seven);
}

/* A voice that reads a sentence twice in a turn reads it in two ways. */
static void test_chunks_of_a_turn_have_seeds_of_their_own(void **state)
{
	uint64_t alone = ask("\"seed\":7,", TEXT);
	size_t jobs = world.speech.jobs;
	static const char json[] =
		"{\"auto_mode\":true,\"text\":\"" TEXT " " TEXT "\",\"flush\":true}";

	(void)state;
	world_say(&world, json, strlen(json));
	world_settle(&world);
	assert_int_equal(world.speech.jobs, jobs + 2);
	assert_string_equal(world.speech.asked.text, TEXT);
	assert_true(world.speech.asked.seed != alone);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_turns_without_settings_have_the_usual_temperature_and_differ),
		TEST(test_temperature_0_repeats),
		TEST(test_a_repeatable_server_repeats_unless_a_seed_is_given),
		TEST(test_a_seed_repeats_and_another_one_differs),
		TEST(test_chunks_of_a_turn_have_seeds_of_their_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
