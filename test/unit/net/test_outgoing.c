/* Messages are built where they are sent from. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "net/outgoing.h"

static void test_the_payload_is_not_copied(void **state)
{
	struct buf payload;
	struct outgoing *message;
	const char *written;

	(void)state;
	outgoing_init_buf(&payload, 4096);
	assert_int_equal(buf_reserve(&payload, 1000), 0);
	while (payload.len < 1000)
		assert_int_equal(buf_append(&payload, "x", 1), 0);
	written = payload.bytes;
	message = outgoing_take(&payload);
	assert_ptr_equal(outgoing_payload(message), written);
	assert_int_equal(message->len, 1000);
	assert_int_equal(message->size, 1000);
	assert_null(payload.bytes);
	outgoing_free(message);
}

static void test_there_is_room_for_a_header_and_for_an_end(void **state)
{
	struct buf payload;
	struct outgoing *message;

	(void)state;
	outgoing_init_buf(&payload, 4096);
	while (buf_append(&payload, "x", 1) == 0)
		;
	message = outgoing_take(&payload);
	assert_int_equal(message->len, 4096);
	message->head = OUTGOING_ROOM;
	memset(outgoing_start(message), 'h', OUTGOING_ROOM);
	memset(outgoing_payload(message) + message->len, 't', OUTGOING_TAIL);
	assert_int_equal(outgoing_total(message), OUTGOING_ROOM + 4096);
	assert_int_equal(message->len, 4096); /* the message's own fields are whole */
	outgoing_free(message);
}

/* The stream counts the memory of what waits: a short reply must not count as a long one. */
static void test_memory_that_is_not_used_is_given_back(void **state)
{
	struct buf payload;
	struct outgoing *message;

	(void)state;
	outgoing_init_buf(&payload, 4096);
	assert_int_equal(buf_append(&payload, "{}", 2), 0);
	assert_true(payload.size > 64);
	message = outgoing_take(&payload);
	assert_int_equal(message->size, 2);
	assert_memory_equal(outgoing_payload(message), "{}", 2);
	outgoing_free(message);
}

static void test_nothing_written_is_no_message(void **state)
{
	struct buf payload;

	(void)state;
	outgoing_init_buf(&payload, 4096);
	assert_null(outgoing_take(&payload));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_payload_is_not_copied),
		cmocka_unit_test(test_there_is_room_for_a_header_and_for_an_end),
		cmocka_unit_test(test_memory_that_is_not_used_is_given_back),
		cmocka_unit_test(test_nothing_written_is_no_message),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
