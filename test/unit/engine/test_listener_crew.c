/* Which piece is recognized when: final ones first, and never more at once than processors. A family of
 * recognizers for the test takes as many steps as the test lets it. */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "engine/listener_crew.h"

#define PIECES 16

/* All of it is guarded by the lock. A piece is known by its first sample, which is its number. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static unsigned steps_allowed[PIECES], steps_done[PIECES];
static bool is_in_step[PIECES]; /* it waits for the test */
static unsigned answers[PIECES]; /* in which order; 0: none */
static bool was_empty[PIECES];
static unsigned answer_count;

/* A step ends when the test allows it. */
static void test_listener_crew_step(unsigned number)
{
	pthread_mutex_lock(&lock);
	is_in_step[number] = true;
	pthread_cond_broadcast(&changed);
	while (steps_done[number] == steps_allowed[number])
		pthread_cond_wait(&changed, &lock);
	++steps_done[number];
	is_in_step[number] = false;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
}

/* Two steps, between which the piece may be cancelled or paused. */
static int test_listener_crew_recognize(const struct recognizer *recognizer,
					struct recognizer_result *result,
					const struct recognizer_piece *piece,
					char why[RUNTIME_WHY_SIZE])
{
	unsigned number = (unsigned)(piece->samples[0] * 32768 + 0.5f);

	(void)recognizer;
	(void)why;
	test_listener_crew_step(number);
	if (piece->is_cancelled(piece->arg))
		return ECANCELED;
	test_listener_crew_step(number);
	return buf_append(&result->text, "x", 1);
}

static const struct recognizer_family family = {.name = "test",
						.recognize = test_listener_crew_recognize};
static const struct recognizer recognizer = {.family = &family, .longest = 1000};

static void test_listener_crew_on_answer(const struct listener_piece *piece,
					 const struct recognizer_result *result, int err,
					 const char *why, void *arg)
{
	(void)why;
	(void)arg;
	assert_int_equal(err, 0);
	if (piece->is_dropped)
		return;
	answers[piece->number] = ++answer_count;
	was_empty[piece->number] = result->text.len == 0;
	pthread_cond_broadcast(&changed);
}

static struct listener_crew *test_listener_crew_open(unsigned processors)
{
	struct listener_crew *crew;

	memset(steps_allowed, 0, sizeof(steps_allowed));
	memset(steps_done, 0, sizeof(steps_done));
	memset(is_in_step, 0, sizeof(is_in_step));
	memset(answers, 0, sizeof(answers));
	answer_count = 0;
	assert_int_equal(
		listener_crew_alloc(&crew, &lock, processors, test_listener_crew_on_answer, NULL),
		0);
	return crew;
}

static void test_listener_crew_put(struct listener_crew *crew, unsigned number, uint32_t job,
				   bool is_final, uint64_t due_us)
{
	struct listener_piece *piece;

	assert_int_equal(listener_piece_alloc(&piece, 10, "", ""), 0);
	piece->samples[0] = (int16_t)number;
	piece->number = number;
	piece->job = job;
	piece->to = 10;
	piece->is_final = is_final;
	piece->due_us = due_us;
	piece->recognizer = &recognizer;
	pthread_mutex_lock(&lock);
	listener_crew_put(crew, piece);
	pthread_mutex_unlock(&lock);
}

static void test_listener_crew_wait(const bool *flag)
{
	pthread_mutex_lock(&lock);
	while (!*flag)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
}

static void test_listener_crew_allow(unsigned number, unsigned steps)
{
	pthread_mutex_lock(&lock);
	steps_allowed[number] += steps;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
}

static void test_listener_crew_wait_for_answers(unsigned count)
{
	pthread_mutex_lock(&lock);
	while (answer_count < count)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
}

static void test_listener_crew_close(struct listener_crew *crew)
{
	bool is_busy = true;

	while (is_busy) {
		pthread_mutex_lock(&lock);
		is_busy = listener_crew_busy(crew) > 0;
		pthread_mutex_unlock(&lock);
	}
	mem_deref(crew);
}

static void test_listener_crew_finals_come_first_and_then_deadlines(void **state)
{
	struct listener_crew *crew = test_listener_crew_open(1);

	(void)state;
	test_listener_crew_put(crew, 0, 100, true, 0);
	test_listener_crew_wait(&is_in_step[0]);
	test_listener_crew_put(crew, 1, 101, false, 10);
	test_listener_crew_put(crew, 2, 102, false, 5);
	test_listener_crew_put(crew, 3, 103, true, 90);
	test_listener_crew_put(crew, 4, 104, true, 80);
	for (unsigned i = 0; i <= 4; ++i)
		test_listener_crew_allow(i, 2);
	test_listener_crew_wait_for_answers(5);
	assert_int_equal(answers[0], 1);
	assert_int_equal(answers[4], 2);
	assert_int_equal(answers[3], 3);
	assert_int_equal(answers[2], 4);
	assert_int_equal(answers[1], 5);
	test_listener_crew_close(crew);
}

/* The partial piece pauses after its step, and continues when the final one has been answered. */
static void test_listener_crew_a_partial_pauses_for_a_final(void **state)
{
	struct listener_crew *crew = test_listener_crew_open(1);

	(void)state;
	test_listener_crew_put(crew, 0, 100, false, 0);
	test_listener_crew_wait(&is_in_step[0]);
	test_listener_crew_put(crew, 1, 101, true, 99);
	test_listener_crew_allow(0, 2); /* it could end */
	test_listener_crew_wait(&is_in_step[1]);
	assert_int_equal(answers[0], 0);
	test_listener_crew_allow(1, 2);
	test_listener_crew_wait_for_answers(2);
	assert_int_equal(answers[1], 1);
	assert_int_equal(answers[0], 2);
	assert_false(was_empty[0]);
	test_listener_crew_close(crew);
}

/* However many partial pieces have begun, a final one finds a thread. */
static void test_listener_crew_partials_leave_threads_to_finals(void **state)
{
	struct listener_crew *crew = test_listener_crew_open(2);

	(void)state;
	for (unsigned i = 0; i < 6; ++i)
		test_listener_crew_put(crew, i, 100 + i, false, i);
	test_listener_crew_wait(&is_in_step[0]);
	test_listener_crew_wait(&is_in_step[1]);
	for (unsigned i = 6; i < 9; ++i)
		test_listener_crew_put(crew, i, 100 + i, true, i);
	test_listener_crew_allow(0, 1);
	test_listener_crew_allow(1, 1);
	test_listener_crew_wait(&is_in_step[6]);
	test_listener_crew_wait(&is_in_step[7]);
	for (unsigned i = 6; i < 9; ++i)
		test_listener_crew_allow(i, 2);
	test_listener_crew_wait_for_answers(3);
	for (unsigned i = 0; i < 6; ++i)
		test_listener_crew_allow(i, 2);
	test_listener_crew_wait_for_answers(9);
	for (unsigned i = 0; i < 6; ++i)
		assert_true(answers[i] > 3);
	test_listener_crew_close(crew);
}

static void test_listener_crew_a_final_makes_partials_of_its_job_useless(void **state)
{
	struct listener_crew *crew = test_listener_crew_open(1);

	(void)state;
	test_listener_crew_put(crew, 0, 100, false, 0);
	test_listener_crew_wait(&is_in_step[0]);
	test_listener_crew_put(crew, 1, 100, false, 0);
	test_listener_crew_put(crew, 2, 200, false, 1);
	test_listener_crew_put(crew, 3, 100, true, 0);
	test_listener_crew_wait_for_answers(1);
	assert_int_equal(answers[1], 1); /* it had not begun */
	assert_true(was_empty[1]);
	test_listener_crew_allow(0, 1);
	test_listener_crew_wait_for_answers(2);
	assert_true(was_empty[0]);
	test_listener_crew_allow(3, 2);
	test_listener_crew_allow(2, 2);
	test_listener_crew_wait_for_answers(4);
	assert_false(was_empty[2]);
	assert_false(was_empty[3]);
	test_listener_crew_close(crew);
}

static void test_listener_crew_a_job_that_was_dropped_has_no_answers(void **state)
{
	struct listener_crew *crew = test_listener_crew_open(1);

	(void)state;
	test_listener_crew_put(crew, 0, 100, true, 0);
	test_listener_crew_wait(&is_in_step[0]);
	test_listener_crew_put(crew, 1, 100, true, 0);
	test_listener_crew_put(crew, 2, 200, true, 0);
	pthread_mutex_lock(&lock);
	listener_crew_drop(crew, 100);
	pthread_mutex_unlock(&lock);
	test_listener_crew_allow(0, 1); /* cancelled after it */
	test_listener_crew_allow(2, 2);
	test_listener_crew_wait_for_answers(1);
	assert_int_equal(answers[2], 1);
	assert_int_equal(answers[0], 0);
	assert_int_equal(answers[1], 0);
	test_listener_crew_close(crew);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_listener_crew_finals_come_first_and_then_deadlines),
		cmocka_unit_test(test_listener_crew_a_partial_pauses_for_a_final),
		cmocka_unit_test(test_listener_crew_partials_leave_threads_to_finals),
		cmocka_unit_test(test_listener_crew_a_final_makes_partials_of_its_job_useless),
		cmocka_unit_test(test_listener_crew_a_job_that_was_dropped_has_no_answers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
