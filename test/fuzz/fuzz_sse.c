/*
 * fuzz_sse.c: Server-Sent Events, any split.
 *
 * The first byte chooses the split.  Checked: events and end are the same with every split; the
 * parser never keeps more than the maximum.
 */
#include <assert.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "wire/sse.h"

#define EVENT_MAX 256u

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

/* A digest of all events, to compare two runs. */
struct digest {
	uint64_t sum;
	int err;
};

static void add(struct digest *digest, const char *bytes, size_t len)
{
	for (size_t i = 0; i < len; ++i)
		digest->sum = (digest->sum ^ (uint8_t)bytes[i]) * UINT64_C(0x100000001b3);
	digest->sum = (digest->sum ^ len) * UINT64_C(0x100000001b3);
}

static int read_piece(struct sse *sse, struct digest *digest, const uint8_t *bytes, size_t len)
{
	char *piece = malloc(len); /* a copy, so that a read past its end is detected */
	const char *at = piece;
	struct sse_event event;
	int err;

	if (!piece)
		abort();
	memcpy(piece, bytes, len);
	while ((err = sse_next(sse, &at, &len, &event)) == 0) {
		assert(event.len <= EVENT_MAX && event.data[event.len] == '\0');
		assert(strlen(event.type) < SSE_TYPE_MAX);
		add(digest, event.type, strlen(event.type));
		add(digest, event.data, event.len);
	}
	assert(err == ENOBUFS || (err == EAGAIN && len == 0));
	free(piece);
	return err;
}

static struct digest read_all(const uint8_t *bytes, size_t len, size_t step)
{
	struct digest digest = {UINT64_C(0xcbf29ce484222325), EAGAIN};
	struct sse sse;

	sse_init(&sse, EVENT_MAX);
	for (size_t at = 0; at < len && digest.err == EAGAIN;) {
		size_t n = 1 + (at * 7 + step) % step;

		if (n > len - at)
			n = len - at;
		digest.err = read_piece(&sse, &digest, bytes + at, n);
		at += n;
	}
	sse_reset(&sse);
	return digest;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	struct digest whole;
	struct digest split;

	if (len < 2)
		return 0;
	whole = read_all(bytes + 1, len - 1, len);
	split = read_all(bytes + 1, len - 1, 1 + bytes[0] % 16u);
	assert(whole.err == split.err && whole.sum == split.sum);
	return 0;
}
