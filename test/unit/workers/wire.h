/*
 * wire.h: messages that are written and read back, for the tests of message.h.
 */
#ifndef TEST_WORKERS_WIRE_H
#define TEST_WORKERS_WIRE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "workers/message.h"

#define STR(literal) ((struct message_str){literal, sizeof(literal) - 1})

static inline void assert_str(struct message_str got, const char *want)
{
	assert_int_equal(got.len, strlen(want));
	assert_memory_equal(got.bytes, want, got.len);
}

/* Encodes, decodes, and leaves the bytes in *buf for the strings to point to. */
static inline struct message round_trip(struct buf *buf, const struct message *message)
{
	struct message read;
	size_t used = 0;

	buf_init(buf, 1u << 21);
	assert_int_equal(message_encode(buf, message), 0);
	assert_int_equal(message_decode(&read, &used, buf->bytes, buf->len), 0);
	assert_int_equal(used, buf->len);
	assert_int_equal(read.type, message->type);
	assert_int_equal(read.job, message->job);
	return read;
}

#endif
