/* What a job counts, without a socket. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "engine/engine_job.h"

static const struct engine plain_engine = {.name = "plain"};
static const struct engine reading_engine = {.name = "reading", .capabilities = MESSAGE_PHONEMES};
static const struct engine speedy_engine = {.name = "speedy", .capabilities = MESSAGE_OWN_SPEED};

static struct message_speak test_engine_job_speak_of(const char *text)
{
	return (struct message_speak){
		.voice = message_str_of("voice"),
		.language = message_str_of("en"),
		.text = {text, (uint32_t)strlen(text)},
		.text_before = message_str_of(""),
		.credit_samples = 10,
		.skip_samples = 5,
		.speed = 9,
	};
}

static struct engine_job *test_engine_job_new(const char *text, const struct engine *engine)
{
	const struct message_speak speak = test_engine_job_speak_of(text);
	struct engine_job *job = NULL;

	assert_int_equal(engine_job_alloc(&job, 7, &speak, engine), 0);
	return job;
}

static struct message test_engine_job_decode(const struct buf *out)
{
	struct message message;
	size_t used;

	assert_int_equal(message_decode(&message, &used, out->bytes, out->len), 0);
	assert_int_equal(used, out->len);
	return message;
}

static void test_engine_job_control_characters_become_spaces_at_their_places(void **state)
{
	struct engine_job *job = test_engine_job_new("a\x01\x7f\nb \xc3\xbc", &plain_engine);

	(void)state;
	assert_string_equal(job->text.text, "a   b \xc3\xbc");
	assert_int_equal(job->text.text_len, 8);
	mem_deref(job);
	assert_int_equal(mem_live(), 0);
}

static void test_engine_job_speed_is_for_engines_that_do_it_and_within_bounds(void **state)
{
	struct engine_job *plain = test_engine_job_new("x", &plain_engine);
	struct engine_job *speedy = test_engine_job_new("x", &speedy_engine);

	(void)state;
	assert_true(plain->text.speed > 0.99f && plain->text.speed < 1.01f);
	assert_true(speedy->text.speed > 3.99f && speedy->text.speed < 4.01f);
	mem_deref(plain);
	mem_deref(speedy);
}

static void test_engine_job_phonemes_are_for_engines_that_read_them(void **state)
{
	const struct message_phonemes spans[] = {{0, 1, message_str_of("\001ab")},
						 {2, 3, message_str_of("ʃ")}};
	struct message_speak speak = test_engine_job_speak_of("x y");
	struct engine_job *job;
	struct buf list;

	(void)state;
	buf_init(&list, 100);
	for (size_t i = 0; i < 2; ++i)
		assert_int_equal(message_phonemes_put(&list, &spans[i]), 0);
	speak.phonemes = (struct message_spans){(unsigned char *)list.bytes, (uint32_t)list.len, 2};
	assert_int_equal(engine_job_alloc(&job, 7, &speak, &plain_engine), 0);
	assert_int_equal(job->text.phonemes_count, 0);
	mem_deref(job);
	assert_int_equal(engine_job_alloc(&job, 7, &speak, &reading_engine), 0);
	buf_reset(&list);
	assert_int_equal(job->text.phonemes_count, 2);
	assert_string_equal(job->text.phonemes[0].ipa, " ab");
	assert_int_equal(job->text.phonemes[1].byte_start, 2);
	assert_int_equal(job->text.phonemes[1].byte_end, 3);
	assert_string_equal(job->text.phonemes[1].ipa, "ʃ");
	mem_deref(job);
}

static void test_engine_job_skipped_samples_count_and_cost_no_credit(void **state)
{
	struct engine_job *job = test_engine_job_new("x", &plain_engine);

	(void)state;
	assert_int_equal(engine_job_skip(job, 3), 3);
	assert_int_equal(engine_job_skip(job, 3), 2);
	assert_int_equal(engine_job_skip(job, 3), 0);
	assert_int_equal(job->samples, 5);
	assert_int_equal(job->credit, 10);
	mem_deref(job);
}

static void test_engine_job_audio_ends_with_the_credit_and_is_not_too_long(void **state)
{
	static const int16_t samples[3 * ENGINE_JOB_AUDIO_MAX];
	struct engine_job *job = test_engine_job_new("x", &plain_engine);
	struct buf out;
	size_t sent;

	(void)state;
	buf_init(&out, 1u << 20);
	assert_int_equal(engine_job_put_audio(job, &out, &sent, samples, 30), 0);
	assert_int_equal(sent, 10);
	assert_int_equal(test_engine_job_decode(&out).audio.count, 10);
	out.len = 0;
	assert_int_equal(engine_job_put_audio(job, &out, &sent, samples, 30), 0);
	assert_int_equal(sent, 0);
	assert_int_equal(out.len, 0);
	job->credit = UINT32_MAX;
	assert_int_equal(engine_job_put_audio(job, &out, &sent, samples, 3 * ENGINE_JOB_AUDIO_MAX),
			 0);
	assert_int_equal(sent, ENGINE_JOB_AUDIO_MAX);
	assert_int_equal(job->samples, 10 + ENGINE_JOB_AUDIO_MAX);
	buf_reset(&out);
	mem_deref(job);
}

/* An engine that stops because of a cancel may call that a failure. */
static void test_engine_job_a_cancelled_job_has_not_failed(void **state)
{
	struct engine_job *job = test_engine_job_new("x", &plain_engine);
	struct buf out;

	(void)state;
	buf_init(&out, 1u << 20);
	assert_int_equal(engine_job_put_end(job, &out, EINVAL), 0);
	assert_int_equal(test_engine_job_decode(&out).done.status, MESSAGE_DONE_FAILED);
	out.len = 0;
	job->cancelled = true;
	assert_int_equal(engine_job_put_end(job, &out, EINVAL), 0);
	assert_int_equal(test_engine_job_decode(&out).done.status, MESSAGE_DONE_CANCELLED);
	buf_reset(&out);
	mem_deref(job);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_engine_job_control_characters_become_spaces_at_their_places),
		cmocka_unit_test(test_engine_job_speed_is_for_engines_that_do_it_and_within_bounds),
		cmocka_unit_test(test_engine_job_phonemes_are_for_engines_that_read_them),
		cmocka_unit_test(test_engine_job_skipped_samples_count_and_cost_no_credit),
		cmocka_unit_test(test_engine_job_audio_ends_with_the_credit_and_is_not_too_long),
		cmocka_unit_test(test_engine_job_a_cancelled_job_has_not_failed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
