/*
 * fuzz_message.c: worker messages from bytes nobody vouches for.
 *
 * What decodes must encode, and the encoding must decode to an encoding of
 * the same bytes: one form per message, whatever was skipped on the way in.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "workers/message.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

static void encode(struct buf *out, const struct message *message)
{
	buf_init(out, MESSAGE_PAYLOAD_MAX + MESSAGE_HEADER_LEN);
	if (message_encode(out, message))
		abort();
}

static void check_round_trip(const struct message *message)
{
	struct message again;
	struct buf first;
	struct buf second;
	size_t used = 0;

	encode(&first, message);
	if (message_decode(&again, &used, first.bytes, first.len) || used != first.len)
		abort();
	encode(&second, &again);
	if (first.len != second.len || memcmp(first.bytes, second.bytes, first.len) != 0)
		abort();
	buf_reset(&first);
	buf_reset(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	struct message message;
	size_t used;

	while (message_decode(&message, &used, bytes, len) == 0) {
		if (used < MESSAGE_HEADER_LEN || used > len)
			abort();
		check_round_trip(&message);
		bytes += used;
		len -= used;
	}
	return 0;
}
