/* Files are decoded by real processes: no more bytes than there is room for, no more samples than are
 * wanted, and an end for every job, whatever happens to its worker. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../engine/decode/recording.h"
#include "base/count.h"
#include "base/mem.h"
#include "children.h"
#include "hearing/decoding_pool.h"
#include "mem_fail.h"

#define WAV (SF_FORMAT_WAV | SF_FORMAT_PCM_16)
#define FLAC (SF_FORMAT_FLAC | SF_FORMAT_PCM_16)
#define LIMIT_US (120 * 1000000u)
#define SAMPLES_MAX 400000u

static const char *program, *other_program;
static struct loop *loop;
static struct decoding_pool *pool;
static struct decoding *decoding;
static char dir[256];

/* A job, and what its listener was told. */
struct upload {
	struct decoding_job *job;
	const unsigned char *bytes; /* of the file, still to be sent */
	size_t left;
	bool is_complete; /* finish is to be called when all is sent */
	const char *format; /* for finish */
	int16_t *samples;
	size_t count;
	unsigned rooms;
	bool cancels_in_samples;
	bool ended;
	enum decoding_end how;
	char detail[256];
};

static void upload_push(struct upload *upload)
{
	while (upload->job && upload->left > 0) {
		size_t n = decoding->ops->room(upload->job);

		n = n < upload->left ? n : upload->left;
		if (n == 0)
			return;
		assert_int_equal(decoding->ops->send(upload->job, upload->bytes, n), 0);
		upload->bytes += n;
		upload->left -= n;
	}
	if (upload->job && upload->is_complete) {
		upload->is_complete = false;
		decoding->ops->finish(upload->job, upload->format ? upload->format : "");
	}
}

static void on_room(void *arg)
{
	struct upload *upload = arg;

	++upload->rooms;
	assert_true(decoding->ops->room(upload->job) > 0);
	upload_push(upload);
	loop_stop(loop);
}

static void on_samples(void *arg, const int16_t *samples, size_t count)
{
	struct upload *upload = arg;

	assert_false(upload->ended);
	assert_true(count > 0 && upload->count + count <= SAMPLES_MAX);
	memcpy(upload->samples + upload->count, samples, count * sizeof(*samples));
	upload->count += count;
	if (upload->cancels_in_samples) {
		decoding->ops->cancel(upload->job);
		upload->job = NULL;
		upload->ended = true;
	}
	loop_stop(loop);
}

static void on_end(void *arg, enum decoding_end how, const char *detail)
{
	struct upload *upload = arg;

	assert_false(upload->ended);
	upload->ended = true;
	upload->job = NULL;
	upload->how = how;
	snprintf(upload->detail, sizeof(upload->detail), "%s", detail);
	loop_stop(loop);
}

static const struct decoding_listener listener = {on_room, on_samples, on_end};

static void upload_start(struct upload *upload, const void *bytes, size_t len)
{
	*upload = (struct upload){
		.bytes = bytes,
		.left = len,
		.is_complete = true,
		.samples = calloc(SAMPLES_MAX, sizeof(*upload->samples)),
	};
	assert_non_null(upload->samples);
	assert_int_equal(decoding->ops->start(&upload->job, decoding, "", &listener, upload), 0);
}

static void upload_reset(struct upload *upload)
{
	if (upload->job)
		decoding->ops->cancel(upload->job);
	free(upload->samples);
}

static struct decoding_pool_stats stats(void)
{
	struct decoding_pool_stats now;

	decoding_pool_stats(pool, &now);
	return now;
}

static void on_timer(void *arg)
{
	(void)arg;
	loop_stop(loop);
}

/* Runs the loop until the condition holds, which is checked after every callback that stops the loop,
 * and every 2 ms. */
static void run_while(bool (*waits)(const struct upload *upload, size_t n),
		      const struct upload *upload, size_t n)
{
	struct timer limit = {0}, poll = {0};

	timer_set(&loop->timers, &limit, LIMIT_US, on_timer, NULL);
	while (waits(upload, n)) {
		timer_set(&loop->timers, &poll, 2000, on_timer, NULL);
		loop_run(loop);
		assert_true(timer_is_set(&limit));
	}
	timer_clear(&loop->timers, &poll);
	timer_clear(&loop->timers, &limit);
}

static bool lacks_samples(const struct upload *upload, size_t count)
{
	return !upload->ended && upload->count < count;
}

static void run_until(const struct upload *upload, size_t count)
{
	run_while(lacks_samples, upload, count);
}

static void run_until_ended(const struct upload *upload)
{
	run_until(upload, SIZE_MAX);
}

static bool has_bytes_left(const struct upload *upload, size_t n)
{
	return upload->left > n;
}

static void run_until_sent(const struct upload *upload)
{
	run_while(has_bytes_left, upload, 0);
}

static bool has_no_room(const struct upload *upload, size_t rooms)
{
	return upload->rooms < rooms;
}

static bool has_no_retry(const struct upload *upload, size_t retries)
{
	(void)upload;
	return stats().retries < retries;
}

static void open_with(const char *path, struct decoding_pool_options options)
{
	children_make_dir(dir, sizeof(dir));
	if (path)
		children_add_program(dir, "decode", path);
	options.engines_dir = dir;
	options.memory_mb = 512;
	options.cpu_seconds = 20;
	options.cores = 2;
	if (options.workers_max == 0)
		options.workers_max = 4;
	if (options.jobs_max == 0)
		options.jobs_max = 16;
	if (options.start_timeout_ms == 0)
		options.start_timeout_ms = 60000;
	if (options.stall_ms == 0)
		options.stall_ms = 60000;
	assert_int_equal(loop_alloc(&loop), 0);
	assert_int_equal(decoding_pool_alloc(&pool, loop, &options), 0);
	decoding = decoding_pool_decoding(pool);
}

static void close_pool(void)
{
	pid_t pids[CHILDREN_MAX];

	mem_fail_after(0);
	mem_deref(pool);
	mem_deref(loop);
	assert_int_equal(mem_live(), 0);
	assert_int_equal(children_list(pids, CHILDREN_MAX), 0);
	children_remove_dir(dir);
}

static void test_a_file_becomes_the_samples_that_are_wanted(void **state)
{
	struct recording recording;
	struct upload upload;

	(void)state;
	open_with(program, (struct decoding_pool_options){0});
	assert_int_equal(decoding->ops->state(decoding), DECODING_READY);
	assert_int_equal(stats().workers, 0); /* there is no work yet */
	recording_make(&recording, WAV, 16000, 1, 10);
	upload_start(&upload, recording.bytes, recording.len);
	assert_int_equal(decoding->ops->room(upload.job), 0);
	decoding->ops->grant(upload.job, 1000); /* before there is a worker */
	run_until(&upload, 1000);
	assert_int_equal(upload.count, 1000);
	assert_true(upload.rooms > 0);
	decoding->ops->grant(upload.job, 1);
	run_until(&upload, 1001);
	assert_int_equal(upload.count, 1001);
	decoding->ops->grant(upload.job, UINT32_MAX);
	decoding->ops->grant(upload.job, UINT32_MAX);
	run_until_ended(&upload);
	assert_int_equal(upload.how, DECODING_DONE);
	assert_string_equal(upload.detail, "");
	assert_int_equal(upload.count, 160000);
	assert_memory_equal(upload.samples, recording.bytes + recording.len - 320000, 320000);
	assert_int_equal(stats().jobs, 0);
	upload_reset(&upload);
	recording_reset(&recording);
	close_pool();
}

static void test_a_file_is_taken_before_samples_are_wanted(void **state)
{
	struct recording recording;
	struct upload upload;

	(void)state;
	open_with(program, (struct decoding_pool_options){0});
	recording_make(&recording, WAV, 44100, 2, 20); /* 3.5 MB */
	upload_start(&upload, recording.bytes, recording.len);
	run_until_sent(&upload);
	assert_int_equal(upload.count, 0);
	decoding->ops->grant(upload.job, UINT32_MAX);
	run_until_ended(&upload);
	assert_int_equal(upload.how, DECODING_DONE);
	assert_int_equal(upload.count, 320000);
	upload_reset(&upload);
	recording_reset(&recording);
	close_pool();
}

static void test_several_files_have_a_worker_each(void **state)
{
	struct recording recording;
	struct upload uploads[3];

	(void)state;
	open_with(program, (struct decoding_pool_options){0});
	recording_make(&recording, FLAC, 16000, 1, 3);
	for (size_t i = 0; i < COUNT(uploads); ++i)
		upload_start(&uploads[i], recording.bytes, recording.len);
	for (size_t i = 0; i < COUNT(uploads); ++i) {
		run_until_sent(&uploads[i]);
		decoding->ops->grant(uploads[i].job, 48000);
	}
	assert_int_equal(stats().workers, COUNT(uploads));
	for (size_t i = 0; i < COUNT(uploads); ++i) {
		run_until_ended(&uploads[i]);
		assert_int_equal(uploads[i].how, DECODING_DONE);
		assert_int_equal(uploads[i].count, 48000);
		upload_reset(&uploads[i]);
	}
	recording_reset(&recording);
	close_pool();
}

static void test_jobs_wait_for_their_turn(void **state)
{
	struct recording recording;
	struct upload first, second;

	(void)state;
	open_with(program, (struct decoding_pool_options){.workers_max = 1, .jobs_max = 2});
	recording_make(&recording, FLAC, 16000, 1, 1);
	upload_start(&first, recording.bytes, recording.len);
	run_until_sent(&first);
	upload_start(&second, recording.bytes, recording.len);
	assert_int_equal(stats().jobs_queued, 1);
	assert_int_equal(
		decoding->ops->start(&(struct decoding_job *){NULL}, decoding, "", &listener, NULL),
		ENOBUFS);
	decoding->ops->grant(first.job, 16000);
	decoding->ops->grant(second.job, 16000);
	run_until_ended(&second);
	assert_true(first.ended);
	assert_int_equal(second.how, DECODING_DONE);
	assert_int_equal(second.count, 16000);
	assert_int_equal(stats().workers, 1);
	upload_reset(&first);
	upload_reset(&second);
	recording_reset(&recording);
	close_pool();
}

static void test_a_job_that_waits_too_long_ends(void **state)
{
	struct recording recording;
	struct upload first, second;

	(void)state;
	open_with(program,
		  (struct decoding_pool_options){.workers_max = 1, .start_timeout_ms = 60000});
	recording_make(&recording, FLAC, 16000, 1, 1);
	upload_start(&first, recording.bytes, recording.len);
	run_until_sent(&first);
	upload_start(&second, recording.bytes, recording.len);
	timers_advance(&loop->timers, loop->timers.now_us + 60000 * UINT64_C(1000) + 1);
	assert_true(second.ended);
	assert_int_equal(second.how, DECODING_UNAVAILABLE);
	assert_false(first.ended);
	upload_reset(&first);
	upload_reset(&second);
	recording_reset(&recording);
	close_pool();
}

static void test_the_format_may_come_with_the_end(void **state)
{
	struct recording recording;
	struct upload upload;

	(void)state;
	open_with(program, (struct decoding_pool_options){0});
	recording_make(&recording, SF_FORMAT_RAW | SF_FORMAT_ULAW, 8000, 1, 1);
	upload_start(&upload, recording.bytes, recording.len);
	upload.format = "ulaw_8000";
	decoding->ops->grant(upload.job, UINT32_MAX);
	run_until_ended(&upload);
	assert_int_equal(upload.how, DECODING_DONE);
	assert_int_equal(upload.count, 16000);
	upload_reset(&upload);
	recording_reset(&recording);
	close_pool();
}

static void test_what_is_no_recording_is_refused_with_a_reason(void **state)
{
	struct upload upload;

	(void)state;
	open_with(program, (struct decoding_pool_options){0});
	upload_start(&upload, "This is text.", 13);
	run_until_ended(&upload); /* nobody has asked for samples */
	assert_int_equal(upload.how, DECODING_REFUSED);
	assert_non_null(strstr(upload.detail, "unknown format"));
	upload_reset(&upload);
	upload_start(&upload, "", 0);
	upload.format = "nonsense";
	upload_push(&upload);
	run_until_ended(&upload);
	assert_int_equal(upload.how, DECODING_REFUSED);
	assert_non_null(strstr(upload.detail, "no format nonsense"));
	upload_reset(&upload);
	close_pool();
}

static void test_a_damaged_file_is_done_and_says_so(void **state)
{
	struct recording recording;
	struct upload upload;

	(void)state;
	open_with(program, (struct decoding_pool_options){0});
	recording_make(&recording, FLAC, 16000, 1, 4);
	upload_start(&upload, recording.bytes, recording.len / 2);
	decoding->ops->grant(upload.job, UINT32_MAX);
	run_until_ended(&upload);
	assert_int_equal(upload.how, DECODING_DONE);
	assert_true(upload.count > 8000);
	assert_non_null(strstr(upload.detail, "cut off after"));
	upload_reset(&upload);
	recording_reset(&recording);
	close_pool();
}

static void test_more_than_the_room_or_the_maximum_is_not_taken(void **state)
{
	unsigned char *bytes = calloc(1, DECODING_FILE_MAX);
	struct upload upload;

	(void)state;
	assert_non_null(bytes);
	open_with(program, (struct decoding_pool_options){0});
	upload_start(&upload, bytes, DECODING_FILE_MAX);
	upload.is_complete = false;
	assert_int_equal(decoding->ops->send(upload.job, bytes, 1), ENOBUFS);
	run_until_sent(&upload);
	assert_int_equal(decoding->ops->room(upload.job), 0);
	assert_int_equal(decoding->ops->send(upload.job, bytes, 0), 0);
	assert_int_equal(decoding->ops->send(upload.job, bytes, 1), EFBIG);
	decoding->ops->grant(upload.job, 10);
	decoding->ops->finish(upload.job, "pcm_48000");
	run_until(&upload, 10);
	assert_int_equal(upload.count, 10);
	upload_reset(&upload);
	free(bytes);
	close_pool();
}

/* A short file is decoded again, and its samples continue where they were. */
static void test_a_short_file_survives_its_worker(void **state)
{
	struct recording recording;

	(void)state;
	recording_make(&recording, WAV, 16000, 1, 10);
	for (int when = 0; when < 3; ++when) {
		struct upload upload;

		open_with(program, (struct decoding_pool_options){0});
		upload_start(&upload, recording.bytes, recording.len);
		upload.is_complete = when > 0;
		if (when == 0)
			upload.left = recording.len / 2;
		run_until_sent(&upload);
		if (when == 2) {
			decoding->ops->grant(upload.job, 5000);
			run_until(&upload, 5000);
		}
		children_signal(SIGKILL);
		run_while(has_no_retry, NULL, 1);
		if (when == 0) { /* the rest of the file */
			upload.left = recording.len - recording.len / 2;
			upload.is_complete = true;
			upload_push(&upload);
		}
		decoding->ops->grant(upload.job, UINT32_MAX);
		run_until_ended(&upload);
		assert_int_equal(upload.how, DECODING_DONE);
		assert_int_equal(upload.count, 160000);
		assert_memory_equal(upload.samples, recording.bytes + recording.len - 320000,
				    320000);
		assert_int_equal(stats().retries, 1);
		assert_int_equal(stats().worker_deaths, 1);
		upload_reset(&upload);
		close_pool();
	}
	recording_reset(&recording);
}

static void test_a_file_that_ends_worker_after_worker_is_given_up(void **state)
{
	struct recording recording;
	struct upload upload;

	(void)state;
	open_with(program, (struct decoding_pool_options){0});
	recording_make(&recording, WAV, 16000, 1, 10);
	upload_start(&upload, recording.bytes, recording.len);
	decoding->ops->grant(upload.job, 10);
	run_until(&upload, 10);
	children_signal(SIGKILL);
	run_while(has_no_retry, NULL, 1);
	decoding->ops->grant(upload.job, 10);
	run_until(&upload, 20);
	children_signal(SIGKILL);
	run_until_ended(&upload);
	assert_int_equal(upload.how, DECODING_FAILED);
	assert_non_null(strstr(upload.detail, "died of the file"));
	upload_reset(&upload);
	recording_reset(&recording);
	close_pool();
}

static void test_a_long_file_fails_with_its_worker_and_others_go_on(void **state)
{
	struct recording recording;
	struct upload upload;

	(void)state;
	open_with(program, (struct decoding_pool_options){0});
	recording_make(&recording, WAV, 48000, 2, 10); /* 1.9 MB */
	upload_start(&upload, recording.bytes, recording.len);
	upload.is_complete = false;
	run_until_sent(&upload);
	children_signal(SIGKILL);
	run_until_ended(&upload);
	assert_int_equal(upload.how, DECODING_FAILED);
	assert_non_null(strstr(upload.detail, "before the file was complete"));
	upload_reset(&upload);
	upload_start(&upload, recording.bytes, recording.len);
	decoding->ops->grant(upload.job, UINT32_MAX);
	run_until_ended(&upload);
	assert_int_equal(upload.how, DECODING_DONE);
	upload_reset(&upload);
	recording_reset(&recording);
	close_pool();
}

/* A worker that does not read owes ROOM; one that does not decode owes samples. */
static void test_a_worker_that_hangs_is_replaced(void **state)
{
	struct recording recording;

	(void)state;
	recording_make(&recording, WAV, 16000, 1, 10);
	for (int when = 0; when < 2; ++when) {
		struct upload upload;

		open_with(program, (struct decoding_pool_options){.stall_ms = 300});
		upload_start(&upload, recording.bytes, recording.len);
		if (when == 0)
			run_while(has_no_room, &upload, 1);
		else
			run_until_sent(&upload);
		children_signal(SIGSTOP);
		decoding->ops->grant(upload.job, UINT32_MAX);
		run_until_ended(&upload);
		assert_int_equal(upload.how, DECODING_DONE);
		assert_int_equal(upload.count, 160000);
		assert_int_equal(stats().retries, 1);
		upload_reset(&upload);
		close_pool();
	}
	recording_reset(&recording);
}

/* A client that uploads slowly is no reason to replace the worker. */
static void test_a_worker_that_waits_for_the_file_does_not_hang(void **state)
{
	struct recording recording;
	struct upload upload;
	struct timer pause = {0};

	(void)state;
	open_with(program, (struct decoding_pool_options){.stall_ms = 50});
	recording_make(&recording, WAV, 16000, 1, 2);
	upload_start(&upload, recording.bytes, recording.len);
	upload.is_complete = false;
	decoding->ops->grant(upload.job, UINT32_MAX);
	run_until_sent(&upload);
	timer_set(&loop->timers, &pause, 1500000, on_timer,
		  NULL); /* the watchdog looks meanwhile */
	while (timer_is_set(&pause))
		loop_run(loop);
	decoding->ops->finish(upload.job, "");
	run_until_ended(&upload);
	assert_int_equal(upload.how, DECODING_DONE);
	assert_int_equal(stats().worker_deaths, 0);
	upload_reset(&upload);
	recording_reset(&recording);
	close_pool();
}

static void test_a_job_can_be_cancelled_at_any_time(void **state)
{
	struct recording recording;
	struct upload upload;

	(void)state;
	open_with(program, (struct decoding_pool_options){.workers_max = 1});
	recording_make(&recording, FLAC, 16000, 1, 3);
	for (int when = 0; when < 5; ++when) {
		upload_start(&upload, recording.bytes, recording.len);
		upload.is_complete = when > 1;
		upload.cancels_in_samples = when == 4;
		if (when > 0)
			run_until_sent(&upload);
		if (when > 2)
			decoding->ops->grant(upload.job, 48000);
		if (when == 3)
			run_until(&upload, 100);
		if (when == 4)
			run_until_ended(&upload);
		upload_reset(&upload);
		assert_int_equal(stats().jobs, 0);
	}
	upload_start(&upload, recording.bytes, recording.len);
	decoding->ops->grant(upload.job, UINT32_MAX);
	run_until_ended(&upload);
	assert_int_equal(upload.how, DECODING_DONE);
	assert_int_equal(upload.count, 48000);
	assert_int_equal(stats().worker_deaths, 0);
	upload_reset(&upload);
	recording_reset(&recording);
	close_pool();
}

static void test_jobs_end_with_the_pool(void **state)
{
	struct upload first, second;

	(void)state;
	open_with(program, (struct decoding_pool_options){.workers_max = 1});
	upload_start(&first, "RIFF", 4);
	first.is_complete = false;
	run_until_sent(&first);
	upload_start(&second, "RIFF", 4);
	pool = mem_deref(pool);
	assert_true(first.ended && second.ended);
	assert_int_equal(first.how, DECODING_UNAVAILABLE);
	assert_int_equal(second.how, DECODING_UNAVAILABLE);
	upload_reset(&first);
	upload_reset(&second);
	close_pool();
}

static void test_a_machine_without_the_program_says_so(void **state)
{
	struct decoding_job *job;

	(void)state;
	open_with(NULL, (struct decoding_pool_options){0});
	assert_int_equal(decoding->ops->state(decoding), DECODING_NO_ENGINE);
	assert_int_equal(decoding->ops->start(&job, decoding, "", &listener, NULL), ENOENT);
	assert_int_equal(stats().workers, 0);
	close_pool();
}

static void test_a_program_that_does_not_decode_is_given_up(void **state)
{
	const char *const programs[] = {"/bin/false", other_program};

	(void)state;
	for (size_t i = 0; i < COUNT(programs); ++i) {
		struct upload upload;

		open_with(programs[i], (struct decoding_pool_options){0});
		upload_start(&upload, "RIFF", 4);
		run_until_ended(&upload);
		assert_int_equal(upload.how, DECODING_UNAVAILABLE);
		assert_non_null(strstr(upload.detail, "does not start"));
		assert_int_equal(decoding->ops->state(decoding), DECODING_BROKEN);
		upload_reset(&upload);
		close_pool();
	}
}

static void test_no_failed_allocation_harms(void **state)
{
	struct recording recording;

	(void)state;
	recording_make(&recording, FLAC, 16000, 1, 1);
	for (size_t n = 1; n < 30; ++n) {
		struct upload upload = {.samples = calloc(SAMPLES_MAX, 2)};

		assert_non_null(upload.samples);
		open_with(program, (struct decoding_pool_options){0});
		upload.bytes = recording.bytes;
		upload.left = recording.len;
		upload.is_complete = true;
		mem_fail_after(n);
		if (decoding->ops->start(&upload.job, decoding, "", &listener, &upload) == 0) {
			decoding->ops->grant(upload.job, UINT32_MAX);
			run_until_ended(&upload);
			assert_int_equal(upload.how, DECODING_DONE);
		}
		upload_reset(&upload);
		close_pool();
	}
	recording_reset(&recording);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_file_becomes_the_samples_that_are_wanted),
		cmocka_unit_test(test_a_file_is_taken_before_samples_are_wanted),
		cmocka_unit_test(test_several_files_have_a_worker_each),
		cmocka_unit_test(test_jobs_wait_for_their_turn),
		cmocka_unit_test(test_a_job_that_waits_too_long_ends),
		cmocka_unit_test(test_the_format_may_come_with_the_end),
		cmocka_unit_test(test_what_is_no_recording_is_refused_with_a_reason),
		cmocka_unit_test(test_a_damaged_file_is_done_and_says_so),
		cmocka_unit_test(test_more_than_the_room_or_the_maximum_is_not_taken),
		cmocka_unit_test(test_a_short_file_survives_its_worker),
		cmocka_unit_test(test_a_file_that_ends_worker_after_worker_is_given_up),
		cmocka_unit_test(test_a_long_file_fails_with_its_worker_and_others_go_on),
		cmocka_unit_test(test_a_worker_that_hangs_is_replaced),
		cmocka_unit_test(test_a_worker_that_waits_for_the_file_does_not_hang),
		cmocka_unit_test(test_a_job_can_be_cancelled_at_any_time),
		cmocka_unit_test(test_jobs_end_with_the_pool),
		cmocka_unit_test(test_a_machine_without_the_program_says_so),
		cmocka_unit_test(test_a_program_that_does_not_decode_is_given_up),
		cmocka_unit_test(test_no_failed_allocation_harms),
	};

	if (argc < 3)
		return 2;
	program = realpath(argv[1], NULL); /* for a link from elsewhere */
	other_program = realpath(argv[2], NULL);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
