/*
 * fuzz_ws.c: WebSocket frames, both roles, any split.
 *
 * The first byte chooses the role and whether masks are removed, the second how the bytes are
 * split. Checked: events are the same with every split; only text that is UTF-8 is delivered; the
 * parser never keeps or delivers more than the maximum, and keeps nothing when no message is open.
 */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "net/ws_codec.h"

#define MESSAGE_MAX 2048u

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

/* A digest of all events, to compare two runs. */
struct digest {
	uint64_t sum;
	size_t events;
};

static void add(struct digest *digest, uint64_t value)
{
	digest->sum = (digest->sum ^ value) * UINT64_C(0x100000001b3);
}

static void check_event(struct digest *digest, const struct ws_event *event)
{
	struct utf8_state utf8 = {0};

	switch (event->type) {
	case WS_TEXT:
		assert(utf8_check(&utf8, event->bytes, event->len) && utf8_is_complete(&utf8));
		assert(event->len <= MESSAGE_MAX);
		break;
	case WS_BINARY:
		assert(event->len <= MESSAGE_MAX);
		break;
	case WS_PING:
	case WS_PONG:
		assert(event->len <= WS_CONTROL_MAX);
		break;
	case WS_CLOSE:
		assert(utf8_check(&utf8, event->bytes, event->len) && utf8_is_complete(&utf8));
		assert(event->code == WS_CLOSE_NO_CODE || ws_codec_code_is_valid(event->code));
		break;
	case WS_FAIL:
		assert(event->code == WS_CLOSE_PROTOCOL || event->code == WS_CLOSE_UTF8 ||
		       event->code == WS_CLOSE_TOO_LARGE);
		break;
	case WS_MORE:
		break;
	}
	add(digest, event->type);
	add(digest, event->code);
	add(digest, event->len);
	for (size_t i = 0; i < event->len; ++i)
		add(digest, (uint8_t)event->bytes[i]);
	++digest->events;
}

/* Reads everything in pieces of varying lengths, at most `step` bytes. */
static struct digest read_all(enum ws_role role, const uint8_t *bytes, size_t len, size_t step)
{
	struct digest digest = {UINT64_C(0xcbf29ce484222325), 0};
	struct ws_codec codec;
	enum ws_event_type type = WS_MORE;
	size_t at = 0;

	ws_codec_init(&codec, role, MESSAGE_MAX);
	while (at < len && type != WS_FAIL) {
		size_t n = 1 + (at * 7 + step) % step;
		char *piece;
		char *p;
		size_t left;

		if (n > len - at)
			n = len - at;
		piece = malloc(n); /* a copy, so that a read past its end is detected */
		if (!piece)
			abort();
		memcpy(piece, bytes + at, n);
		for (p = piece, left = n;;) {
			struct ws_event event = ws_codec_next(&codec, &p, &left);

			type = event.type;
			if (type == WS_MORE)
				break;
			check_event(&digest, &event);
			if (type == WS_FAIL)
				break;
		}
		assert(codec.message.len <= MESSAGE_MAX + WS_CONTROL_MAX);
		assert(type == WS_FAIL || left == 0);
		assert(codec.message.len > 0 || !codec.message.bytes || type == WS_FAIL);
		free(piece);
		at += n;
	}
	ws_codec_reset(&codec);
	return digest;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	struct digest whole;
	struct digest split;
	enum ws_role role;

	if (len < 2)
		return 0;
	role = bytes[0] & 1 ? WS_CLIENT : WS_SERVER;
	whole = read_all(role, bytes + 2, len - 2, len);
	split = read_all(role, bytes + 2, len - 2, 1 + bytes[1] % 16u);
	assert(whole.events == split.events && whole.sum == split.sum);
	return 0;
}
