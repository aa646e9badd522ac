/* A transcription: what it says of which audio, what it costs, and how it ends.  Its engine is the fake
 * one, whose audio contains its words. */
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
#include "mem_fail.h"
#include "session/model_choice.h"
#include "session/transcription.h"
#include "world.h"

#define MAX_SAMPLES (400u * HEARING_RATE)

static struct world world;
static struct transcription *transcription;
static struct transcription_request request;
static int16_t audio[MAX_SAMPLES];

/* What the ops were called with: texts as "[segment] (partial)", and how it ended. */
static struct {
	char log[4096];
	size_t segments, partials, rooms, words, begins, ends;
	struct heard_segment last;
	struct hearing_word last_words[64];
	char language[16];
	enum wire_error_id fault;
	char detail[160];
	bool is_done;
	struct transcription_usage usage;
	char usage_id[64];
	bool closes_in_segment, closes_in_end;
} heard;

static void note(char open, const char *text, size_t len, char close)
{
	size_t at = strlen(heard.log);

	snprintf(heard.log + at, sizeof(heard.log) - at, "%s%c%.*s%c", at ? " " : "", open,
		 (int)len, text, close);
}

static void on_partial(void *arg, const char *text, size_t len)
{
	assert_ptr_equal(arg, &heard);
	++heard.partials;
	note('(', text, len, ')');
}

static void on_segment(void *arg, const struct heard_segment *segment)
{
	(void)arg;
	assert_false(heard.is_done);
	++heard.segments;
	heard.last = *segment;
	heard.words += segment->word_count;
	for (size_t i = 0; i < segment->word_count && i < COUNT(heard.last_words); ++i)
		heard.last_words[i] = segment->words[i];
	snprintf(heard.language, sizeof(heard.language), "%s", segment->language);
	note('[', segment->text, segment->text_len, ']');
	if (heard.closes_in_segment)
		transcription = transcription_close(transcription);
}

static void on_speech(void *arg, bool begins, uint64_t sample)
{
	(void)arg;
	(void)sample;
	heard.begins += begins;
	heard.ends += !begins;
}

static void on_room(void *arg)
{
	(void)arg;
	++heard.rooms;
}

static void on_failed(void *arg, const struct stream_fault *fault)
{
	(void)arg;
	assert_int_equal(heard.fault, WIRE_ERROR_NONE);
	heard.fault = fault->id;
	snprintf(heard.detail, sizeof(heard.detail), "%s", fault->detail);
	if (heard.closes_in_end)
		transcription = transcription_close(transcription);
}

static void on_done(void *arg, const struct transcription_usage *usage)
{
	(void)arg;
	assert_false(heard.is_done);
	heard.is_done = true;
	heard.usage = *usage;
	snprintf(heard.usage_id, sizeof(heard.usage_id), "%s", usage->id);
	if (heard.closes_in_end)
		transcription = transcription_close(transcription);
}

static const struct transcription_ops ops = {
	.partial = on_partial,
	.segment = on_segment,
	.speech = on_speech,
	.room = on_room,
	.failed = on_failed,
	.done = on_done,
};

static int set_up(void **state)
{
	(void)state;
	memset(&heard, 0, sizeof(heard));
	transcription = NULL;
	if (world_open(&world) != 0)
		return -1;
	request = (struct transcription_request){
		.services = &world.services,
		.caller = world.caller,
		.model = hearing_models_at(world.hearing.models, 0),
		.language = "",
		.want_times = true,
		.want_partials = true,
		.is_live = true,
		.segments = segmenter_defaults(30 * HEARING_RATE),
		.seconds_max = 3600,
	};
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	transcription = transcription_close(transcription);
	world_close(&world);
	return mem_live() == 0 ? 0 : -1;
}

static void begin(void)
{
	assert_int_equal(transcription_alloc(&transcription, &request, &ops, &heard), 0);
	transcription_begin(transcription, "");
}

/* Sends audio in parts of 100 ms, as far as there is room; returns how many samples were sent. */
static size_t say(const char *words)
{
	size_t count = fake_hearing_say(audio, COUNT(audio), words);
	size_t at = 0;

	while (at < count && transcription) {
		size_t part = count - at < 1600 ? count - at : 1600;
		size_t room = transcription_room(transcription);

		if (room == 0)
			break;
		transcription_send(transcription, audio + at, part < room ? part : room);
		at += part < room ? part : room;
		world_settle(&world);
	}
	return at;
}

static void finish(void)
{
	transcription_finish(transcription);
	world_settle(&world);
}

static const struct store_turn *only_row(void)
{
	assert_int_equal(world.ledger.count, 1);
	return &world.ledger.bookings[0].row;
}

static void test_speech_is_passed_on_when_it_ends_and_the_whole_is_booked(void **state)
{
	size_t sent;

	(void)state;
	begin();
	sent = say("..one two three.......... four five..........");
	assert_int_equal(heard.segments, 2);
	assert_int_equal(heard.begins, 2);
	assert_int_equal(heard.ends, 2);
	finish();
	assert_non_null(strstr(heard.log, "[one two three]"));
	assert_non_null(strstr(heard.log, "[four five]"));
	assert_true(heard.is_done);
	assert_int_equal(heard.usage.samples, sent);
	assert_int_equal(only_row()->kind, STORE_KIND_HEARING);
	assert_int_equal(only_row()->unit, STORE_UNIT_SAMPLES);
	assert_int_equal(only_row()->quantity, sent);
	assert_int_equal(only_row()->samples, 0);
	assert_int_equal(only_row()->sample_rate, 16000);
	assert_int_equal(only_row()->status, STORE_TURN_FINISHED);
	assert_string_equal(only_row()->model_id, "tiny");
	assert_string_equal(only_row()->id, heard.usage_id);
	assert_true(heard.usage.is_cost_known);
	assert_int_equal(only_row()->amount_microcents, price_microcents(sent, 16000, 600000));
	assert_int_equal(heard.usage.microcents, only_row()->amount_microcents);
	assert_true(heard.usage.busy_us >= 2 * FAKE_HEARING_BUSY_US);
}

static void test_words_have_the_times_of_the_audio(void **state)
{
	(void)state;
	begin();
	say(".....one two.......... three four");
	finish();
	/* Five times 100 ms, then words of 256 ms with gaps of 32 ms. */
	assert_int_equal(heard.segments, 2);
	assert_int_equal(heard.last.word_count, 2);
	assert_int_equal(heard.last_words[0].sample_start,
			 8000 + 2 * (FAKE_HEARING_WORD + FAKE_HEARING_GAP) + 16000);
	assert_int_equal(heard.last_words[0].sample_end - heard.last_words[0].sample_start,
			 FAKE_HEARING_WORD);
	assert_true(heard.last.from_sample <= heard.last_words[0].sample_start);
	assert_true(heard.last.to_sample >= heard.last_words[1].sample_end);
	assert_string_equal(heard.language, "en");
}

static void test_partial_text_grows_while_somebody_speaks(void **state)
{
	(void)state;
	begin();
	say("one two three four five six..........");
	assert_true(heard.partials >= 2);
	assert_int_equal(heard.log[0], '(');
	assert_non_null(strstr(heard.log, "(one"));
	/* Nothing that is not final comes after the segment. */
	assert_string_equal(strstr(heard.log, "["), "[one two three four five six]");
	finish();
}

static void test_a_model_that_is_too_slow_has_no_partial_text(void **state)
{
	(void)state;
	request.model = hearing_models_at(world.hearing.models, 1);
	request.language = "de-AT";
	begin();
	say("one two three four five six..........");
	finish();
	assert_int_equal(world.hearing.partials, 0);
	assert_string_equal(heard.log, "[one two three four five six]");
	assert_string_equal(world.hearing.language, "de");
	assert_string_equal(heard.language, "de");
	assert_true(heard.last.times_are_approximate);
}

static void test_nobody_who_is_silent_is_transcribed_but_is_charged(void **state)
{
	size_t sent;

	(void)state;
	begin();
	sent = say("..............................");
	finish();
	assert_string_equal(heard.log, "");
	assert_true(heard.is_done);
	assert_int_equal(world.hearing.finals, 0);
	assert_int_equal(only_row()->quantity, sent);
}

static void test_the_end_of_the_audio_ends_the_speech(void **state)
{
	(void)state;
	begin();
	say("one two");
	assert_int_equal(heard.segments, 0);
	finish();
	assert_non_null(strstr(heard.log, "[one two]"));
	assert_true(heard.is_done);
}

static void test_manual_segments_end_at_commits_alone(void **state)
{
	(void)state;
	request.commits = TRANSCRIPTION_MANUAL;
	request.want_partials = false;
	begin();
	say("one two.......... three");
	assert_int_equal(heard.segments, 0);
	assert_int_equal(transcription_commit(transcription), 0);
	world_settle(&world);
	assert_string_equal(heard.log, "[one two three]");
	say(" four..........");
	assert_int_equal(transcription_commit(transcription), 0);
	world_settle(&world);
	assert_string_equal(heard.log, "[one two three] [four]");
	assert_int_equal(heard.last.word_count, 1);
	/* A commit of nothing is answered, too. */
	assert_int_equal(transcription_commit(transcription), 0);
	world_settle(&world);
	assert_string_equal(heard.log, "[one two three] [four] []");
	finish();
}

static void test_manual_partial_text_has_all_since_the_last_commit(void **state)
{
	(void)state;
	request.commits = TRANSCRIPTION_MANUAL;
	begin();
	say("one two.......... three four five");
	assert_non_null(strstr(heard.log, "(one two three"));
	assert_null(strstr(heard.log, "["));
	finish();
	assert_non_null(strstr(heard.log, "[one two three four five]"));
}

static void test_a_manual_segment_does_not_grow_for_ever(void **state)
{
	(void)state;
	request.commits = TRANSCRIPTION_MANUAL;
	request.want_partials = false;
	begin();
	for (int i = 0; i < 60; ++i)
		say("one two..........");
	/* 60 × 1.6 s are more than 90 s. */
	assert_int_equal(heard.segments, 1);
	finish();
	assert_int_equal(heard.segments, 2);
}

static void test_a_commit_waits_until_its_audio_was_scored(void **state)
{
	size_t count = fake_hearing_say(audio, COUNT(audio), "one two three");

	(void)state;
	request.commits = TRANSCRIPTION_MANUAL;
	begin();
	transcription_send(transcription, audio, count);
	for (unsigned i = 0; i < TRANSCRIPTION_COMMITS_MAX; ++i)
		assert_int_equal(transcription_commit(transcription), 0);
	assert_int_equal(transcription_commit(transcription), ENOBUFS);
	assert_int_equal(heard.segments, 0);
	world_settle(&world);
	assert_int_equal(heard.segments, TRANSCRIPTION_COMMITS_MAX);
	assert_memory_equal(heard.log, "[one two three] []", 18);
	assert_int_equal(transcription_commit(transcription), 0);
}

static void test_long_speech_is_cut_and_no_word_is_lost(void **state)
{
	size_t words = 0;

	(void)state;
	request.want_partials = false;
	begin();
	for (int i = 0; i < 100; ++i) {
		say("one two three ");
		words += 3;
	}
	finish();
	assert_true(heard.segments >= 3);
	assert_true(heard.is_done);
	/* A cut within a word makes two of it, so the words are not fewer. */
	assert_true(heard.words >= words);
	assert_true(heard.words <= words + heard.segments);
}

static void test_results_in_reverse_order_are_put_in_order(void **state)
{
	(void)state;
	request.want_partials = false;
	world.hearing.is_deaf = world.hearing.is_backwards = true;
	begin();
	say("one.......... two.......... three..........");
	assert_int_equal(world.hearing.finals, 3);
	world.hearing.is_deaf = false;
	finish();
	assert_string_equal(heard.log, "[one] [two] [three]");
}

static void test_pieces_wait_when_the_engine_takes_no_more(void **state)
{
	(void)state;
	request.want_partials = false;
	world.hearing.pieces_max = 1;
	world.hearing.is_deaf = true;
	begin();
	say("one.......... two.......... three..........");
	assert_int_equal(world.hearing.finals, 1);
	world.hearing.is_deaf = false;
	finish();
	assert_string_equal(heard.log, "[one] [two] [three]");
	assert_true(heard.is_done);
}

static void test_audio_is_taken_only_while_there_is_room(void **state)
{
	size_t sent;

	(void)state;
	request.want_partials = false;
	world.hearing.room = 3 * HEARING_RATE;
	world.hearing.is_deaf = true;
	begin();
	/* Speech without a pause cannot be released. */
	sent = say("one two three four five six seven eight nine one two three four five six");
	assert_int_equal(sent, 3 * HEARING_RATE);
	assert_int_equal(transcription_room(transcription), 0);
}

static void test_room_is_announced_when_permission_was_given(void **state)
{
	(void)state;
	begin();
	assert_int_equal(heard.rooms, 1);
	assert_true(transcription_room(transcription) > 0);
}

/* Limits and money */

static void become(int64_t seconds_per_minute, int64_t turns, int64_t credit_microcents)
{
	struct store_account account;
	struct store_key key;

	world_rows(&account, &key);
	account.limits.heard_seconds_per_minute = seconds_per_minute;
	account.limits.turns = turns;
	account.is_prepaid = credit_microcents >= 0;
	account.credit_microcents = credit_microcents;
	assert_int_equal(world_become(&world, &account, &key), 0);
	request.caller = world.caller;
}

static void test_a_caller_without_permission_hears_why_and_nothing_is_booked(void **state)
{
	(void)state;
	become(-1, 0, -1);
	begin();
	assert_int_equal(heard.fault, WIRE_ERROR_RATE_LIMITED);
	assert_string_equal(heard.detail, "at most 0 turns at once");
	assert_int_equal(world.hearing.started, 0);
	assert_int_equal(world.ledger.count, 0);
}

static void test_a_caller_without_credit_is_refused(void **state)
{
	(void)state;
	become(-1, -1, 0);
	begin();
	assert_int_equal(heard.fault, WIRE_ERROR_NO_CREDIT);
	assert_int_equal(world.hearing.started, 0);
	assert_int_equal(world.ledger.count, 0);
}

static void test_a_live_stream_ends_with_its_words_when_the_credit_does(void **state)
{
	(void)state;
	/* 0.6 cents per minute: enough for 15 s.  As with a sentence, credit for the next 10 s need not
	 * be complete. */
	become(-1, -1, 150000);
	begin();
	for (int i = 0; i < 20 && heard.fault == WIRE_ERROR_NONE; ++i)
		say("one two..........");
	assert_int_equal(heard.fault, WIRE_ERROR_NO_CREDIT);
	assert_true(heard.segments >= 5);
	assert_int_equal(only_row()->status, STORE_TURN_FINISHED);
	assert_true(only_row()->quantity >= 15 * HEARING_RATE);
	assert_true(only_row()->amount_microcents > 0);
	assert_true(only_row()->amount_microcents <= 250000);
}

static void test_a_file_without_credit_ends_and_costs_what_was_heard(void **state)
{
	(void)state;
	become(-1, -1, 150000);
	request.is_live = false;
	begin();
	for (int i = 0; i < 20 && heard.fault == WIRE_ERROR_NONE; ++i)
		say("one two..........");
	assert_int_equal(heard.fault, WIRE_ERROR_NO_CREDIT);
	assert_int_equal(world.hearing.cancelled, 1);
	assert_int_equal(only_row()->status, STORE_TURN_CANCELLED);
	assert_true(only_row()->amount_microcents > 0);
}

static void test_a_live_stream_ends_at_the_limit_of_a_minute(void **state)
{
	(void)state;
	become(5, -1, -1);
	begin();
	say("one.......... two.......... three.......... four.......... five..........");
	assert_int_equal(heard.fault, WIRE_ERROR_RATE_LIMITED);
	assert_string_equal(heard.detail, "at most 5 seconds of audio per minute");
	assert_non_null(strstr(heard.log, "[one]"));
	assert_true(only_row()->amount_microcents > 0);
}

static void test_a_file_exceeds_the_limit_and_the_next_one_waits(void **state)
{
	(void)state;
	become(5, -1, -1);
	request.is_live = false;
	begin();
	say("one.......... two.......... three.......... four.......... five..........");
	finish();
	assert_true(heard.is_done);
	assert_int_equal(heard.segments, 5);
	transcription = transcription_close(transcription);
	begin();
	assert_int_equal(heard.fault, WIRE_ERROR_RATE_LIMITED);
}

static void test_audio_that_is_too_long_is_refused(void **state)
{
	(void)state;
	request.is_live = false;
	request.seconds_max = 3;
	begin();
	say("one.......... two.......... three.......... four..........");
	assert_int_equal(heard.fault, WIRE_ERROR_AUDIO_TOO_LONG);
	assert_string_equal(heard.detail, "at most 3 s");
	assert_int_equal(only_row()->status, STORE_TURN_FAILED);
	assert_int_equal(only_row()->amount_microcents, 0);
}

static void test_a_live_stream_that_is_too_long_ends_with_its_words(void **state)
{
	(void)state;
	request.seconds_max = 3;
	request.want_partials = false;
	begin();
	say("one.......... two.......... three.......... four..........");
	assert_int_equal(heard.fault, WIRE_ERROR_AUDIO_TOO_LONG);
	assert_string_equal(heard.log, "[one] [two] [three]");
	assert_true(only_row()->amount_microcents > 0);
}

static void test_what_was_heard_is_marked_in_case_the_server_dies(void **state)
{
	(void)state;
	begin();
	for (int i = 0; i < 10; ++i)
		say("one two...............");
	assert_int_equal(world.ledger.marked, 1);
	assert_int_equal(world.ledger.marks, 3); /* at 0, 10 and 20 s of 20.6 */
	assert_int_equal(world.ledger.last_mark.status, STORE_TURN_LOST);
	assert_int_equal(world.ledger.last_mark.kind, STORE_KIND_HEARING);
	assert_true(world.ledger.last_mark.quantity >= 20 * HEARING_RATE);
}

static void test_a_ledger_without_room_refuses_new_transcriptions(void **state)
{
	(void)state;
	world.ledger.mood = FAKE_LEDGER_SHUT;
	begin();
	assert_int_equal(heard.fault, WIRE_ERROR_NO_LEDGER);
	assert_int_equal(world.hearing.started, 0);
}

static void test_the_cost_is_unknown_if_the_ledger_is_slow(void **state)
{
	(void)state;
	world.ledger.mood = FAKE_LEDGER_SLOW;
	begin();
	say("one..........");
	finish();
	assert_false(heard.is_done);
	world_pass(&world, 1000000);
	assert_true(heard.is_done);
	assert_false(heard.usage.is_cost_known);
	world.ledger.mood = FAKE_LEDGER_WELL;
	world_settle(&world);
	assert_int_equal(world.ledger.count, 1);
}

static void test_a_stream_without_audio_is_not_booked(void **state)
{
	(void)state;
	begin();
	finish();
	assert_true(heard.is_done);
	assert_string_equal(heard.usage_id, "");
	assert_int_equal(world.ledger.count, 0);
}

/* Ends */

static void test_a_file_that_is_closed_is_booked_as_cancelled(void **state)
{
	size_t sent;

	(void)state;
	request.is_live = false;
	begin();
	sent = say("one two");
	transcription = transcription_close(transcription);
	assert_int_equal(world.hearing.cancelled, 1);
	assert_int_equal(only_row()->status, STORE_TURN_CANCELLED);
	assert_int_equal(only_row()->quantity, sent);
	assert_true(only_row()->amount_microcents > 0);
}

/* There is no other way for a client to end it. */
static void test_a_live_stream_that_is_closed_is_booked_as_finished(void **state)
{
	size_t sent;

	(void)state;
	begin();
	sent = say("one two");
	transcription = transcription_close(transcription);
	assert_int_equal(only_row()->status, STORE_TURN_FINISHED);
	assert_int_equal(only_row()->quantity, sent);
}

static void test_it_may_be_closed_by_what_it_says(void **state)
{
	(void)state;
	heard.closes_in_segment = true;
	begin();
	say("one.......... two..........");
	assert_null(transcription);
	assert_int_equal(heard.segments, 1);
	assert_int_equal(world.ledger.count, 1);
	heard.closes_in_end = true;
	heard.closes_in_segment = false;
	begin();
	say("one..........");
	finish();
	assert_null(transcription);
	assert_true(heard.is_done);
}

static void test_an_engine_that_fails_costs_nothing(void **state)
{
	(void)state;
	world.hearing.mood = FAKE_HEARING_BREAKS;
	begin();
	say("one two..........");
	assert_int_equal(heard.fault, WIRE_ERROR_HEARING_FAILED);
	assert_int_equal(only_row()->status, STORE_TURN_FAILED);
	assert_int_equal(only_row()->amount_microcents, 0);
	assert_int_equal(transcription_room(transcription), 0);
}

static void test_an_engine_that_is_away_is_unavailable(void **state)
{
	(void)state;
	world.hearing.mood = FAKE_HEARING_FULL;
	begin();
	assert_int_equal(heard.fault, WIRE_ERROR_UNAVAILABLE);
	transcription = transcription_close(transcription);
	heard.fault = WIRE_ERROR_NONE;
	world.hearing.mood = FAKE_HEARING_AWAY;
	begin();
	world_settle(&world);
	assert_int_equal(heard.fault, WIRE_ERROR_UNAVAILABLE);
	assert_int_equal(world.ledger.count, 0);
}

static void test_every_failed_allocation_is_survived(void **state)
{
	(void)state;
	for (size_t n = 1; n < 6; ++n) {
		mem_fail_after(n);
		if (transcription_alloc(&transcription, &request, &ops, &heard) == 0) {
			transcription_begin(transcription, "");
			transcription = transcription_close(transcription);
		}
		mem_fail_after(0);
		heard.fault = WIRE_ERROR_NONE;
	}
}

/* Models */

static enum wire_error_id find(const char *name, const char *language, const char *expected)
{
	const struct hearing_model *model = NULL;
	struct stream_fault fault = {.id = WIRE_ERROR_NONE};
	int err = model_choice_find(&model, &world.services, name, language, &fault);

	snprintf(heard.detail, sizeof(heard.detail), "%s", fault.detail);
	assert_int_equal(err != 0, fault.id != WIRE_ERROR_NONE);
	if (expected)
		assert_string_equal(model->name, expected);
	return fault.id;
}

static void test_a_model_is_found_by_name_or_by_language(void **state)
{
	(void)state;
	assert_int_equal(find("", "", "tiny"), WIRE_ERROR_NONE);
	assert_int_equal(find("", "en-US", "tiny"), WIRE_ERROR_NONE);
	assert_int_equal(find("", "de", "big"), WIRE_ERROR_NONE);
	assert_int_equal(find("big", "", "big"), WIRE_ERROR_NONE);
	assert_int_equal(find("tiny", "de", NULL), WIRE_ERROR_INVALID_REQUEST);
	assert_string_equal(heard.detail, "the model tiny does not know the language de");
	assert_int_equal(find("huge", "", NULL), WIRE_ERROR_MODEL_NOT_FOUND);
	assert_string_equal(heard.detail, "huge");
}

static void test_a_server_without_models_says_what_to_fetch(void **state)
{
	(void)state;
	assert_int_equal(fake_hearing_install(&world.hearing, false), 0);
	world.hearing.state = HEARING_NO_MODELS;
	assert_int_equal(find("", "", NULL), WIRE_ERROR_NO_HEARING);
	assert_non_null(strstr(heard.detail, "`syrinx models fetch`"));
	world.hearing.state = HEARING_NO_ENGINE;
	assert_int_equal(find("", "", NULL), WIRE_ERROR_NO_HEARING);
	assert_non_null(strstr(heard.detail, "syrinx-hear"));
	world.hearing.state = HEARING_BROKEN;
	assert_int_equal(find("", "", NULL), WIRE_ERROR_NO_HEARING);
	world.hearing.state = HEARING_LOADING;
	assert_int_equal(find("", "", NULL), WIRE_ERROR_UNAVAILABLE);
	world.services.hearing = NULL;
	assert_int_equal(find("", "", NULL), WIRE_ERROR_NO_HEARING);
}

/* An owner that decides itself what is recognized: everything from `from` to each end of speech. */
static struct {
	size_t frames;
	uint64_t scored, from;
	uint32_t asked, answered;
	enum { CLOSES_NOWHERE, CLOSES_IN_ACTIVITY, CLOSES_IN_EVENT, CLOSES_IN_RESULT } closes;
} owner;

static void on_activity(void *arg, uint64_t first_sample, const uint8_t *probabilities,
			size_t count)
{
	(void)arg;
	(void)probabilities;
	assert_int_equal(first_sample, owner.scored);
	owner.scored += count * HEARING_FRAME;
	owner.frames += count;
	if (owner.closes == CLOSES_IN_ACTIVITY)
		transcription = transcription_close(transcription);
}

static void on_event(void *arg, const struct segmenter_event *event)
{
	(void)arg;
	assert_true(event->to_sample <= owner.scored + HEARING_FRAME); /* it was scored before */
	if (event->type == SEGMENTER_START)
		note('<', "", 0, '>');
	if (event->type == SEGMENTER_END)
		owner.asked =
			transcription_recognize(transcription, owner.from, event->to_sample, true);
	if (owner.closes == CLOSES_IN_EVENT)
		transcription = transcription_close(transcription);
}

static void on_result(void *arg, const struct hearing_result *result)
{
	(void)arg;
	owner.answered = result->piece.number;
	note('[', result->text, result->text_len, ']');
	if (owner.closes == CLOSES_IN_RESULT)
		transcription = transcription_close(transcription);
}

static void begin_by_owner(void)
{
	static const struct transcription_ops owner_ops = {
		.activity = on_activity,
		.event = on_event,
		.result = on_result,
		.room = on_room,
		.failed = on_failed,
		.done = on_done,
	};

	memset(&owner, 0, sizeof(owner));
	request.commits = TRANSCRIPTION_BY_OWNER;
	request.want_partials = false;
	assert_int_equal(transcription_alloc(&transcription, &request, &owner_ops, &heard), 0);
	transcription_begin(transcription, "");
}

static void test_an_owner_decides_what_is_recognized(void **state)
{
	(void)state;
	begin_by_owner();
	say("one..........two..........");
	assert_string_equal(heard.log, "<> [one] <> [one two]");
	assert_int_equal(owner.answered, owner.asked);
	assert_true(owner.frames > 60);
	assert_int_equal(heard.segments, 0);
	finish();
	assert_true(heard.is_done);
	assert_int_equal(only_row()->kind, STORE_KIND_HEARING);
}

static void test_an_owner_has_only_the_audio_that_it_keeps(void **state)
{
	(void)state;
	begin_by_owner();
	transcription_keep_from(transcription, UINT64_MAX);
	say("..........one..........");
	assert_int_equal(owner.asked, 0); /* from the beginning, which is gone */
	assert_string_equal(heard.log, "<>");
	transcription_keep_from(transcription, transcription_samples(transcription));
	owner.from = transcription_samples(transcription);
	say("two..........three..........");
	assert_int_not_equal(owner.asked, 0);
	assert_string_equal(heard.log, "<> <> [two] <> [two three]");
}

static void test_the_end_of_the_audio_is_an_event_for_the_owner(void **state)
{
	(void)state;
	begin_by_owner();
	say("one two");
	assert_string_equal(heard.log, "<>");
	finish();
	assert_string_equal(heard.log, "<> [one two]");
	assert_true(heard.is_done);
	assert_int_equal(transcription_recognize(transcription, 0, 1600, true), 0);
}

static void test_an_owner_has_the_words_before_the_failure(void **state)
{
	(void)state;
	request.seconds_max = 1;
	begin_by_owner();
	say("one two three four five");
	world_settle(&world);
	assert_int_equal(heard.fault, WIRE_ERROR_AUDIO_TOO_LONG);
	assert_non_null(strstr(heard.log, "[one two three"));
}

static void test_an_owner_may_close_it_at_any_time(void **state)
{
	(void)state;
	for (int closes = CLOSES_IN_ACTIVITY; closes <= CLOSES_IN_RESULT; ++closes) {
		begin_by_owner();
		owner.closes = (unsigned)closes;
		say("one..........two..........");
		assert_null(transcription);
		world_settle(&world);
	}
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_speech_is_passed_on_when_it_ends_and_the_whole_is_booked),
		CASE(test_words_have_the_times_of_the_audio),
		CASE(test_partial_text_grows_while_somebody_speaks),
		CASE(test_a_model_that_is_too_slow_has_no_partial_text),
		CASE(test_nobody_who_is_silent_is_transcribed_but_is_charged),
		CASE(test_the_end_of_the_audio_ends_the_speech),
		CASE(test_manual_segments_end_at_commits_alone),
		CASE(test_manual_partial_text_has_all_since_the_last_commit),
		CASE(test_a_manual_segment_does_not_grow_for_ever),
		CASE(test_a_commit_waits_until_its_audio_was_scored),
		CASE(test_long_speech_is_cut_and_no_word_is_lost),
		CASE(test_results_in_reverse_order_are_put_in_order),
		CASE(test_pieces_wait_when_the_engine_takes_no_more),
		CASE(test_audio_is_taken_only_while_there_is_room),
		CASE(test_room_is_announced_when_permission_was_given),
		CASE(test_a_caller_without_permission_hears_why_and_nothing_is_booked),
		CASE(test_a_caller_without_credit_is_refused),
		CASE(test_a_live_stream_ends_with_its_words_when_the_credit_does),
		CASE(test_a_file_without_credit_ends_and_costs_what_was_heard),
		CASE(test_a_live_stream_ends_at_the_limit_of_a_minute),
		CASE(test_a_file_exceeds_the_limit_and_the_next_one_waits),
		CASE(test_audio_that_is_too_long_is_refused),
		CASE(test_a_live_stream_that_is_too_long_ends_with_its_words),
		CASE(test_what_was_heard_is_marked_in_case_the_server_dies),
		CASE(test_a_ledger_without_room_refuses_new_transcriptions),
		CASE(test_the_cost_is_unknown_if_the_ledger_is_slow),
		CASE(test_a_stream_without_audio_is_not_booked),
		CASE(test_a_file_that_is_closed_is_booked_as_cancelled),
		CASE(test_a_live_stream_that_is_closed_is_booked_as_finished),
		CASE(test_it_may_be_closed_by_what_it_says),
		CASE(test_an_engine_that_fails_costs_nothing),
		CASE(test_an_engine_that_is_away_is_unavailable),
		CASE(test_every_failed_allocation_is_survived),
		CASE(test_an_owner_decides_what_is_recognized),
		CASE(test_an_owner_has_only_the_audio_that_it_keeps),
		CASE(test_the_end_of_the_audio_is_an_event_for_the_owner),
		CASE(test_an_owner_has_the_words_before_the_failure),
		CASE(test_an_owner_may_close_it_at_any_time),
		CASE(test_a_model_is_found_by_name_or_by_language),
		CASE(test_a_server_without_models_says_what_to_fetch),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
