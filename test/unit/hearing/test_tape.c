/* The tape: what was appended is read at its position until it is released, and memory is only for
 * what is kept. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "hearing/tape.h"

static int16_t value_at(uint64_t position)
{
	return (int16_t)(position * 7919u);
}

static int append(struct tape *tape, size_t count)
{
	static int16_t samples[HEARING_KEPT_MAX + 1];

	for (size_t i = 0; i < count; ++i)
		samples[i] = value_at(tape->end + i);
	return tape_append(tape, samples, count);
}

static void assert_reads(const struct tape *tape)
{
	uint64_t at = tape->start;

	while (at < tape->end) {
		size_t count;
		const unsigned char *bytes = tape_read(tape, at, &count);

		assert_true(count > 0 && at + count <= tape->end);
		for (size_t i = 0; i < count; ++i, ++at)
			assert_int_equal((int16_t)(bytes[2 * i] | bytes[2 * i + 1] << 8),
					 value_at(at));
	}
}

static unsigned blocks_of(const struct tape *tape)
{
	unsigned count = 0;

	for (size_t i = 0; i < TAPE_BLOCKS_MAX; ++i)
		count += tape->blocks[i] != NULL;
	return count;
}

static void test_samples_are_found_by_their_position(void **state)
{
	struct tape tape = {0};

	(void)state;
	for (unsigned i = 0; i < 1000; ++i) {
		assert_int_equal(append(&tape, 1 + i * 37 % 4000), 0);
		if (tape.end - tape.start > 40000)
			tape_release(&tape, tape.end - 20000 - i);
		assert_reads(&tape);
		assert_true(blocks_of(&tape) <= 5);
	}
	assert_true(tape.end > 1500000);
	tape_reset(&tape);
	assert_int_equal(tape.end, 0);
}

static void test_a_full_tape_takes_nothing(void **state)
{
	struct tape tape = {0};

	(void)state;
	assert_int_equal(append(&tape, 777), 0);
	tape_release(&tape, 777);
	assert_int_equal(tape_room(&tape), HEARING_KEPT_MAX);
	assert_int_equal(append(&tape, HEARING_KEPT_MAX + 1), ENOBUFS);
	assert_int_equal(append(&tape, HEARING_KEPT_MAX), 0);
	assert_int_equal(tape_room(&tape), 0);
	assert_int_equal(append(&tape, 1), ENOBUFS);
	assert_int_equal(append(&tape, 0), 0);
	assert_reads(&tape);
	tape_release(&tape, 778);
	assert_int_equal(append(&tape, 1), 0);
	assert_reads(&tape);
	tape_reset(&tape);
}

static void test_a_release_goes_no_further_than_the_end(void **state)
{
	struct tape tape = {0};

	(void)state;
	assert_int_equal(append(&tape, 3 * TAPE_BLOCK), 0);
	tape_release(&tape, 100);
	tape_release(&tape, 50); /* earlier than the last one: nothing happens */
	assert_int_equal(tape.start, 100);
	assert_int_equal(blocks_of(&tape), 3);
	tape_release(&tape, UINT64_MAX);
	assert_int_equal(tape.start, 3 * TAPE_BLOCK);
	assert_int_equal(blocks_of(&tape), 0);
	assert_int_equal(append(&tape, 5), 0);
	assert_reads(&tape);
	tape_reset(&tape);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_samples_are_found_by_their_position),
		cmocka_unit_test(test_a_full_tape_takes_nothing),
		cmocka_unit_test(test_a_release_goes_no_further_than_the_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
