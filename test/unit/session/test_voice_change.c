/* A voice that is removed while it speaks finishes its turn; the next turn with it is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "world.h"

static void say(struct world *world, const char *json)
{
	world_say(world, json, strlen(json));
}

/* How many of the messages that were not read yet contain this text. */
static unsigned count_of(struct world *world, const char *words)
{
	struct fake_message *message;
	unsigned count = 0;

	while ((message = fake_peer_read(&world->peer, NULL))) {
		count += strstr(message->json, words) != NULL;
		fake_message_free(message);
	}
	return count;
}

static void remove_german(struct world *world)
{
	struct voices_change change;

	assert_int_equal(voices_replace(world->voices, "espeak", NULL, 0, &change), 0);
	assert_null(voices_find(world->voices, WORLD_GERMAN_VOICE));
}

static void test_a_turn_keeps_the_voice_it_began_with(void **state)
{
	static struct world world;

	(void)state;
	assert_int_equal(world_open(&world), 0);
	assert_int_equal(world_connect(&world), 0);
	say(&world, "{\"voice_id\":2001,\"text\":\"Der erste Satz. Und\"}");
	world_pass(&world, 60000);
	assert_int_equal(world.speech.asked.voice_id, WORLD_GERMAN_VOICE);
	remove_german(&world);
	say(&world, "{\"text\":\" der zweite.\",\"flush\":true}");
	world_settle(&world);
	assert_true(strstr(world.speech.asked.text, "zweite"));
	assert_int_equal(world.speech.asked.voice_id, WORLD_GERMAN_VOICE);
	assert_int_equal(count_of(&world, "\"session_closed\":true"), 1);
	say(&world, "{\"text\":\"Noch einer.\",\"flush\":true}");
	world_settle(&world);
	assert_int_equal(count_of(&world, "MODEL_UNAVAILABLE"), 1);
	world_disconnect(&world);
	world_close(&world);
	assert_int_equal(mem_live(), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_turn_keeps_the_voice_it_began_with),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
