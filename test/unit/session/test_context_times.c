/* Times that count from the start of a context stay right when the sample rate changes between
 * its turns. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "doors/elevenlabs/elevenlabs.h"
#include "session/turn.h"
#include "world.h"

static void on_over(void *arg)
{
	(void)arg;
}

/* Speaks a whole turn of "Hello there.", which takes 780 ms; returns the time of its first
 * character. */
static long first_time_ms(struct world *world, const struct turn_owner *owner, unsigned rate)
{
	static const char key[] = "\"charStartTimesMs\":[";
	struct settings settings = settings_default;
	struct fake_message *message;
	struct turn *turn;
	long ms = -1;

	settings.set = SETTING_OUTPUT_FORMAT | SETTING_VOICE_ID;
	settings.voice_id = 1;
	settings.format = (struct audio_format){AUDIO_PCM16, rate, 0};
	settings.word_timestamps = true;
	settings.context_times = true;
	assert_int_equal(turn_alloc(&turn, owner, &settings, voices_find(world->voices, 1)), 0);
	turn_come_to_front(turn);
	turn_text(turn, "Hello there.", strlen("Hello there."));
	turn_end(turn);
	world_settle(world);
	while ((message = fake_peer_read(&world->peer, NULL))) {
		const char *times = strstr(message->json, key);

		if (times && ms < 0)
			ms = strtol(times + strlen(key), NULL, 10);
		fake_message_free(message);
	}
	mem_deref(turn);
	return ms;
}

static void test_the_rate_may_change_between_the_turns_of_a_context(void **state)
{
	static const struct turn_owner_ops ops = {.over = on_over};
	static struct world world;
	struct turn_counters counters = {0};
	struct session session = {0};
	struct turn_owner owner = {
		.session = &session,
		.context = "\"a\"",
		.counters = &counters,
		.ops = &ops,
	};

	(void)state;
	assert_int_equal(world_open(&world), 0);
	session_init(&session, &dialect_native, &world.services, &world.peer.peer, WORLD_REQUEST_ID,
		     world.caller);
	session.dialect = &elevenlabs_dialect_multi;
	assert_int_equal(first_time_ms(&world, &owner, 24000), 0);
	assert_int_equal(first_time_ms(&world, &owner, 8000), 780);
	assert_int_equal(first_time_ms(&world, &owner, 44100), 1560);
	session_reset(&session);
	world_close(&world);
	assert_int_equal(mem_live(), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_rate_may_change_between_the_turns_of_a_context),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
