/* turn_wait says why a turn does not speak, and its engine is notified once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "session/turn.h"
#include "world.h"

struct stage {
	struct world world;
	struct session session;
	struct turn *turn;
};

static const char sentence[] = "This is a long sentence, with many words in it, so that the peer "
			       "has more than it can take at once, and then some more.";

static void on_over(void *arg)
{
	(void)arg;
}

static void on_filled(void *arg)
{
	turn_filled(((struct stage *)arg)->turn);
}

static void stage_open(struct stage *stage)
{
	static const struct turn_owner_ops ops = {.over = on_over};
	struct settings settings = settings_default;
	struct turn_owner owner = {.session = &stage->session, .ops = &ops, .arg = stage};

	memset(stage, 0, sizeof(*stage));
	assert_int_equal(world_open(&stage->world), 0);
	settings.set = SETTING_VOICE_ID;
	settings.voice_id = 1;
	session_init(&stage->session, &dialect_native, &stage->world.services,
		     &stage->world.peer.peer, WORLD_REQUEST_ID, stage->world.caller);
	stage->world.peer.filled = on_filled;
	stage->world.peer.filled_arg = stage;
	assert_int_equal(
		turn_alloc(&stage->turn, &owner, &settings, voices_find(stage->world.voices, 1)),
		0);
}

static void stage_close(struct stage *stage)
{
	turn_cancel(stage->turn);
	mem_deref(stage->turn);
	session_reset(&stage->session);
	world_close(&stage->world);
	assert_int_equal(mem_live(), 0);
}

static void say(struct stage *stage, const char *text)
{
	turn_text(stage->turn, text, strlen(text));
	turn_flush(stage->turn);
}

static void test_a_turn_says_what_it_waits_for(void **state)
{
	static struct stage stage;
	struct fake_speech *speech = &stage.world.speech;

	(void)state;
	stage_open(&stage);
	say(&stage, "Hello.");
	assert_int_equal(turn_wait(stage.turn), TURN_WAIT_FRONT);
	turn_come_to_front(stage.turn);
	assert_int_equal(turn_wait(stage.turn), TURN_WAIT_ENGINE);
	while (fake_speech_give(speech, UINT64_MAX, NULL))
		;
	assert_int_equal(turn_wait(stage.turn), TURN_WAIT_TEXT);
	turn_fail(stage.turn, WIRE_ERROR_INTERNAL, NULL);
	turn_drained(stage.turn);
	assert_int_equal(turn_wait(stage.turn), TURN_WAIT_OVER);
	assert_string_equal(turn_wait_name(TURN_WAIT_PEER), "PEER");
	stage_close(&stage);
}

/* The sentence has about a hundred messages of samples. */
static void test_a_full_peer_holds_the_job_once(void **state)
{
	static struct stage stage;
	struct fake_speech *speech = &stage.world.speech;
	struct fake_peer *peer = &stage.world.peer;

	(void)state;
	stage_open(&stage);
	turn_come_to_front(stage.turn);
	peer->is_blocked = true;
	say(&stage, sentence);
	assert_int_equal(turn_wait(stage.turn), TURN_WAIT_ENGINE);
	while (fake_speech_give(speech, UINT64_MAX, NULL))
		;
	assert_int_equal(fake_speech_held(speech), 1);
	assert_int_equal(speech->holds, 1);
	assert_int_equal(turn_wait(stage.turn), TURN_WAIT_PEER);
	peer->is_blocked = false;
	fake_peer_hand_over(peer, SIZE_MAX);
	assert_true(fake_peer_drains(peer));
	turn_drained(stage.turn);
	assert_int_equal(speech->holds, 2);
	assert_int_equal(turn_wait(stage.turn), TURN_WAIT_ENGINE);
	while (fake_speech_give(speech, UINT64_MAX, NULL))
		;
	assert_int_equal(speech->holds, 2);
	stage_close(&stage);
}

static void test_two_reasons_hold_a_job_once_until_both_are_gone(void **state)
{
	static struct stage stage;
	struct fake_speech *speech = &stage.world.speech;

	(void)state;
	stage_open(&stage);
	stage.world.services.max_lead_ms = 500;
	turn_come_to_front(stage.turn);
	say(&stage, sentence);
	while (fake_speech_give(speech, UINT64_MAX, NULL))
		;
	assert_int_equal(turn_wait(stage.turn), TURN_WAIT_LEAD);
	turn_filled(stage.turn);
	assert_int_equal(turn_wait(stage.turn), TURN_WAIT_PEER);
	assert_int_equal(speech->holds, 1);
	turn_drained(stage.turn);
	assert_int_equal(speech->holds, 1);
	assert_int_equal(fake_speech_held(speech), 1);
	world_pass(&stage.world, 200000); /* playback catches up, and more audio is sent */
	assert_true(speech->holds >= 3);
	stage_close(&stage);
}

static void test_a_turn_that_comes_to_the_front_finds_a_full_peer(void **state)
{
	static const char much[FAKE_PEER_FULL];
	static struct stage stage;
	struct fake_peer *peer = &stage.world.peer;
	struct buf message;

	(void)state;
	stage_open(&stage);
	peer->is_blocked = true;
	peer_send(&peer->peer, &message,
		  buf_append(peer_begin(&peer->peer, &message), much, sizeof(much)), 0, 0);
	say(&stage, "Hello.");
	turn_come_to_front(stage.turn);
	assert_int_equal(turn_wait(stage.turn), TURN_WAIT_PEER);
	assert_int_equal(stage.world.speech.jobs, 0);
	stage_close(&stage);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_turn_says_what_it_waits_for),
		cmocka_unit_test(test_a_full_peer_holds_the_job_once),
		cmocka_unit_test(test_two_reasons_hold_a_job_once_until_both_are_gone),
		cmocka_unit_test(test_a_turn_that_comes_to_the_front_finds_a_full_peer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
