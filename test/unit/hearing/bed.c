/*
 * bed.c: a pool with real worker processes that listen (see bed.h).
 */
#include "bed.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "children.h"
#include "mem_fail.h"

#define LIMIT_US (120 * 1000000u)
#define POLL_US 2000u

static void on_limit(void *arg)
{
	struct bed *bed = arg;

	bed->timed_out = true;
	loop_stop(bed->loop);
}

static void on_poll(void *arg)
{
	struct bed *bed = arg;

	loop_stop(bed->loop);
}

void bed_run_until(struct bed *bed, bool (*is_done)(void *arg), void *arg)
{
	struct timer poll = {0};

	bed->timed_out = false;
	timer_set(&bed->loop->timers, &bed->limit, LIMIT_US, on_limit, bed);
	while (!is_done(arg) && !bed->timed_out) {
		timer_set(&bed->loop->timers, &poll, POLL_US, on_poll, bed);
		loop_run(bed->loop);
	}
	timer_clear(&bed->loop->timers, &poll);
	timer_clear(&bed->loop->timers, &bed->limit);
	assert_false(bed->timed_out);
}

static bool is_ready(void *arg)
{
	const struct bed *bed = arg;

	return bed->ready;
}

static bool has_ended(void *arg)
{
	const struct talk *talk = arg;

	return talk->ended;
}

void bed_run_until_ended(struct talk *talk)
{
	bed_run_until(talk->bed, has_ended, talk);
}

void bed_run_ready(struct bed *bed)
{
	bed_run_until(bed, is_ready, bed);
}

struct wanted {
	struct bed *bed;
	unsigned workers;
};

static bool has_workers(void *arg)
{
	const struct wanted *wanted = arg;
	struct hearing_pool_stats stats = bed_stats(wanted->bed);
	pid_t pids[CHILDREN_MAX];

	/* The pool does not count those that were told to end, and are still there. */
	return stats.starting == 0 && stats.workers == wanted->workers &&
	       children_list(pids, CHILDREN_MAX) == wanted->workers;
}

void bed_run_until_workers(struct bed *bed, unsigned workers)
{
	struct wanted wanted = {bed, workers};

	bed_run_until(bed, has_workers, &wanted);
}

void bed_pass(struct bed *bed, unsigned ms)
{
	timer_set(&bed->loop->timers, &bed->limit, ms * 1000u, on_poll, bed);
	while (timer_is_set(&bed->limit))
		loop_run(bed->loop);
}

static void on_ready(void *arg)
{
	struct bed *bed = arg;

	bed->ready = true;
}

static void set_if_zero(unsigned *option, unsigned value)
{
	if (*option == 0)
		*option = value;
}

/* Fails the n-th allocation of the pool, unless n is 0. */
static void open_pool(struct bed *bed, const char *name, const char *program,
		      struct hearing_pool_options options, size_t n)
{
	int err;

	memset(bed, 0, sizeof(*bed));
	children_make_dir(bed->dir, sizeof(bed->dir));
	if (name)
		children_add_program(bed->dir, name, program);
	options.engines_dir = bed->dir;
	options.test_hooks = true;
	options.memory_mb = 4096;
	options.cpu_seconds = 20;
	set_if_zero(&options.workers_max, 2);
	set_if_zero(&options.slots, 2);
	set_if_zero(&options.streams_max, 1000);
	set_if_zero(&options.start_timeout_ms, 60000);
	set_if_zero(&options.stall_ms, 60000);
	assert_int_equal(loop_alloc(&bed->loop), 0);
	mem_fail_after(n);
	err = hearing_pool_alloc(&bed->pool, bed->loop, &options);
	assert_int_equal(err, err ? ENOMEM : 0);
	if (!err)
		hearing_pool_on_ready(bed->pool, on_ready, bed);
}

void bed_open(struct bed *bed, const char *name, const char *program,
	      struct hearing_pool_options options)
{
	open_pool(bed, name, program, options, 0);
	assert_non_null(bed->pool);
}

void bed_open_failing(struct bed *bed, const char *name, const char *program, size_t n)
{
	open_pool(bed, name, program, (struct hearing_pool_options){0}, n);
}

void bed_open_ready(struct bed *bed, const char *name, const char *program,
		    struct hearing_pool_options options)
{
	bed_open(bed, name, program, options);
	bed_run_ready(bed);
}

void bed_close(struct bed *bed)
{
	pid_t pids[CHILDREN_MAX];

	mem_fail_after(0);
	if (bed->pool)
		assert_int_equal(bed_stats(bed).streams, 0);
	mem_deref(bed->pool);
	mem_deref(bed->loop);
	assert_int_equal(mem_live(), 0);
	assert_int_equal(children_list(pids, CHILDREN_MAX), 0);
	children_remove_dir(bed->dir);
}

struct hearing_pool_stats bed_stats(const struct bed *bed)
{
	struct hearing_pool_stats stats;

	hearing_pool_stats(bed->pool, &stats);
	return stats;
}

static const struct hearing_ops *ops_of(const struct talk *talk)
{
	return hearing_pool_hearing(talk->bed->pool)->ops;
}

int talk_ask(struct talk *talk, uint64_t from, uint64_t to, bool is_final, uint64_t due_us)
{
	const struct hearing_piece piece = {.number = talk->numbers,
					    .from_sample = from,
					    .to_sample = to,
					    .is_final = is_final,
					    .due_us = due_us};
	int err = ops_of(talk)->recognize(talk->stream, &piece);

	if (err)
		return err;
	assert_true(talk->numbers < BED_RESULTS_MAX);
	talk->froms[talk->numbers] = from;
	talk->is_final[talk->numbers] = is_final;
	talk->finals_asked += is_final;
	++talk->numbers;
	return 0;
}

static void ask_event(struct talk *talk, const struct segmenter_event *event)
{
	uint64_t now_us = loop_now_us(talk->bed->loop);

	int err = 0;

	if (event->type != SEGMENTER_START)
		err = talk_ask(talk, event->from_sample, event->to_sample,
			       event->type == SEGMENTER_END, now_us);
	talk->is_lost = talk->is_lost || err == ENOMEM;
	assert_int_equal(err, err ? ENOMEM : 0);
}

static void check_finish(struct talk *talk)
{
	struct segmenter_event event;

	if (!talk->finish_when_heard || talk->heard + HEARING_FRAME <= talk->sent)
		return;
	talk->finish_when_heard = false;
	if (!talk->is_manual && segmenter_flush(&talk->segmenter, talk->sent, &event))
		ask_event(talk, &event);
	ops_of(talk)->finish(talk->stream);
}

static void take_activity(void *arg, uint64_t first, const uint8_t *probabilities, size_t count)
{
	struct talk *talk = arg;
	struct segmenter_event event;

	assert_false(talk->ended);
	assert_int_equal(first, talk->heard); /* every frame once, in order */
	talk->heard += count * HEARING_FRAME;
	assert_true(talk->heard <= talk->sent);
	++talk->activities;
	for (size_t i = 0; i < count && !talk->is_manual; ++i) {
		if (segmenter_take(&talk->segmenter, probabilities[i], &event))
			ask_event(talk, &event);
	}
	if (!talk->is_manual)
		ops_of(talk)->release(talk->stream, segmenter_needs_from(&talk->segmenter));
	check_finish(talk);
	if (talk->on_activity)
		talk->on_activity(talk);
}

/* Finals in the order of the stream. */
static void join_finals(struct talk *talk)
{
	uint64_t from = 0;
	bool found = true;
	size_t len = 0;

	talk->finals[0] = '\0';
	while (found) {
		uint64_t best = UINT64_MAX;
		unsigned at = 0;

		for (unsigned i = 0; i < talk->numbers; ++i) {
			if (talk->is_final[i] && talk->order[i] && talk->froms[i] >= from &&
			    talk->froms[i] < best) {
				best = talk->froms[i];
				at = i;
			}
		}
		found = best != UINT64_MAX;
		from = best + 1;
		if (found && talk->texts[at][0])
			len += (size_t)snprintf(talk->finals + len, BED_TEXT_MAX - len, "%s%s",
						len > 0 ? " " : "", talk->texts[at]);
		assert_true(len < BED_TEXT_MAX);
	}
}

static void take_result(void *arg, const struct hearing_result *result)
{
	struct talk *talk = arg;
	uint32_t number = result->piece.number;

	assert_false(talk->ended);
	assert_true(number < talk->numbers);
	assert_int_equal(talk->order[number], 0); /* once */
	assert_int_equal(result->piece.from_sample, talk->froms[number]);
	talk->order[number] = ++talk->bed->results;
	snprintf(talk->texts[number], sizeof(talk->texts[number]), "%.*s", (int)result->text_len,
		 result->text);
	++talk->results;
	talk->partials += !result->piece.is_final;
	talk->last_word_count = result->word_count;
	for (size_t i = 0; i < result->word_count; ++i) {
		talk->last_word = result->words[i];
		assert_true(talk->last_word.sample_start >= result->piece.from_sample);
		assert_true(talk->last_word.sample_end <= result->piece.to_sample);
	}
	join_finals(talk);
	if (talk->on_result)
		talk->on_result(talk, result);
}

static void take_room(void *arg)
{
	struct talk *talk = arg;

	assert_true(ops_of(talk)->room(talk->stream) >= HEARING_RATE);
	++talk->rooms;
}

static void take_end(void *arg, enum hearing_end how, const char *detail)
{
	struct talk *talk = arg;

	assert_false(talk->ended);
	talk->ended = true;
	talk->how = how;
	talk->stream = NULL;
	snprintf(talk->detail, sizeof(talk->detail), "%s", detail);
}

static const struct hearing_listener listener = {
	.activity = take_activity,
	.result = take_result,
	.room = take_room,
	.end = take_end,
};

int talk_try(struct bed *bed, struct talk *talk, const char *prompt)
{
	struct hearing *hearing = hearing_pool_hearing(bed->pool);
	const struct hearing_model *model = hearing_models_choose(hearing->models, "en");
	struct hearing_request request = {
		.model = model, .language = "en", .prompt = prompt, .want_times = true};
	struct segmenter_options options;

	assert_non_null(model);
	options = segmenter_defaults(model->piece_max);
	*talk = (struct talk){.bed = bed};
	segmenter_init(&talk->segmenter, &options, 0);
	return hearing->ops->start(&talk->stream, hearing, &request, &listener, talk);
}

void talk_start(struct bed *bed, struct talk *talk, const char *prompt)
{
	assert_int_equal(talk_try(bed, talk, prompt), 0);
}

void talk_send(struct talk *talk, int level, unsigned ms)
{
	int16_t samples[160];

	for (size_t i = 0; i < 160; ++i)
		samples[i] = (int16_t)(level * 1000);
	for (unsigned i = 0; i < ms / 10; ++i) {
		assert_int_equal(ops_of(talk)->send(talk->stream, samples, 160), 0);
		talk->sent += 160;
	}
}

void talk_say(struct talk *talk, int first, int last)
{
	for (int level = first; level <= last; ++level) {
		talk_send(talk, level, 300);
		talk_send(talk, 0, 100);
	}
	talk_send(talk, 0, 900);
}

const char *talk_words(char *text, int first, int last)
{
	size_t len = 0;

	text[0] = '\0';
	for (int level = first; level <= last; ++level)
		len += (size_t)snprintf(text + len, 8, "%sw%d", level > first ? " " : "", level);
	return text;
}

static bool has_heard(void *arg)
{
	const struct talk *talk = arg;

	return talk->heard + HEARING_FRAME > talk->sent;
}

void talk_run_heard(struct talk *talk)
{
	bed_run_until(talk->bed, has_heard, talk);
}

void talk_finish(struct talk *talk)
{
	talk->finish_when_heard = true;
	check_finish(talk);
}

void talk_cancel(struct talk *talk)
{
	ops_of(talk)->cancel(talk->stream);
	talk->stream = NULL;
	talk->ended = true;
}
