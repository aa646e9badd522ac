/*
 * ws_codec.c: encodes and decodes WebSocket frames (see ws_codec.h).
 *
 * The header is read byte by byte, and each byte is checked as it arrives; then the payload is read
 * piece by piece.  Section numbers are those of RFC 6455.
 */
#include "net/ws_codec.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#define FIN 0x80u
#define RSV 0x70u
#define OPCODE 0x0fu
#define MASKED 0x80u
#define LENGTH 0x7fu
#define CONTROL 0x08u

void ws_codec_init(struct ws_codec *codec, enum ws_role role, size_t message_max)
{
	*codec = (struct ws_codec){.role = (uint8_t)role, .head_need = 2};
	buf_init(&codec->message, 0);
	ws_codec_set_message_max(codec, message_max);
}

void ws_codec_set_message_max(struct ws_codec *codec, size_t message_max)
{
	/* A control frame may arrive in parts between two fragments. */
	codec->message.max = (uint32_t)message_max + WS_CONTROL_MAX;
}

void ws_codec_reset(struct ws_codec *codec)
{
	buf_reset(&codec->message);
}

static struct ws_event ws_codec_fail(struct ws_codec *codec, uint16_t code)
{
	codec->failed = true;
	return (struct ws_event){.type = WS_FAIL, .code = code};
}

static enum ws_opcode ws_codec_frame_opcode(const struct ws_codec *codec)
{
	return (enum ws_opcode)(codec->head[0] & OPCODE);
}

static bool ws_codec_is_control(const struct ws_codec *codec)
{
	return codec->head[0] & CONTROL;
}

/* The bytes of the data message that have been collected so far. */
static size_t ws_codec_message_len(const struct ws_codec *codec)
{
	return codec->message.len - codec->control_len;
}

/* The opcode of the whole message. */
static enum ws_opcode ws_codec_message_opcode(const struct ws_codec *codec)
{
	return codec->continues ? (enum ws_opcode)codec->continues : ws_codec_frame_opcode(codec);
}

static uint16_t ws_codec_check_first(const struct ws_codec *codec)
{
	uint8_t first = codec->head[0];

	if (first & RSV)
		return WS_CLOSE_PROTOCOL; /* no extension was agreed on */
	switch (ws_codec_frame_opcode(codec)) {
	case WS_OP_CONTINUATION:
		return codec->continues ? 0 : WS_CLOSE_PROTOCOL;
	case WS_OP_TEXT:
	case WS_OP_BINARY:
		return codec->continues ? WS_CLOSE_PROTOCOL : 0;
	case WS_OP_CLOSE:
	case WS_OP_PING:
	case WS_OP_PONG:
		return first & FIN ? 0 : WS_CLOSE_PROTOCOL;
	}
	return WS_CLOSE_PROTOCOL; /* a reserved opcode */
}

static uint16_t ws_codec_check_second(struct ws_codec *codec)
{
	bool masked = codec->head[1] & MASKED;
	uint8_t len = codec->head[1] & LENGTH;

	if (masked != (codec->role == WS_SERVER))
		return WS_CLOSE_PROTOCOL;
	if (ws_codec_is_control(codec) && len > WS_CONTROL_MAX)
		return WS_CLOSE_PROTOCOL;
	codec->head_need = (uint8_t)(2 + (len == 126 ? 2 : len == 127 ? 8 : 0) + (masked ? 4 : 0));
	return 0;
}

/* Checks the length once all its bytes have arrived: it must have its shortest form and be below
 * 2^63 (5.2). */
static uint16_t ws_codec_check_length(struct ws_codec *codec)
{
	uint64_t len = codec->head[1] & LENGTH;
	size_t width = len == 126 ? 2 : len == 127 ? 8 : 0;

	if (width > 0) {
		len = 0;
		for (size_t i = 0; i < width; ++i)
			len = len << 8 | codec->head[2 + i];
		if (len <= (width == 2 ? WS_CONTROL_MAX : 0xffff) || len >> 63)
			return WS_CLOSE_PROTOCOL;
	}
	if (!ws_codec_is_control(codec) &&
	    len > codec->message.max - WS_CONTROL_MAX - ws_codec_message_len(codec))
		return WS_CLOSE_TOO_LARGE;
	codec->left = len;
	return 0;
}

static size_t ws_codec_length_end(const struct ws_codec *codec)
{
	uint8_t len = codec->head[1] & LENGTH;

	return len == 126 ? 4 : len == 127 ? 10 : 2;
}

/* Reads header bytes; returns the code to fail with, or 0. */
static uint16_t ws_codec_take_head(struct ws_codec *codec, char **bytes, size_t *n)
{
	while (*n > 0 && codec->head_len < codec->head_need) {
		uint16_t code = 0;

		codec->head[codec->head_len++] = (uint8_t) * (*bytes)++;
		--*n;
		if (codec->head_len == 1)
			code = ws_codec_check_first(codec);
		if (codec->head_len == 2)
			code = ws_codec_check_second(codec);
		if (!code && codec->head_len >= 2 && codec->head_len == ws_codec_length_end(codec))
			code = ws_codec_check_length(codec);
		if (code)
			return code;
	}
	return 0;
}

void ws_codec_mask(char *bytes, size_t n, const uint8_t mask[4], size_t at)
{
	uint8_t turned[8];
	uint64_t eight;
	uint64_t word;
	size_t i = 0;

	for (size_t k = 0; k < 8; ++k)
		turned[k] = mask[(at + k) & 3];
	memcpy(&eight, turned, 8);
	for (; n - i >= 8; i += 8) {
		memcpy(&word, bytes + i, 8);
		word ^= eight;
		memcpy(bytes + i, &word, 8);
	}
	for (; i < n; ++i)
		bytes[i] = (char)((uint8_t)bytes[i] ^ turned[i & 7]);
}

static void ws_codec_unmask(struct ws_codec *codec, char *bytes, size_t n)
{
	if (codec->role != WS_SERVER)
		return;
	ws_codec_mask(bytes, n, codec->head + codec->head_need - 4, codec->mask_at);
	codec->mask_at = (uint8_t)((codec->mask_at + n) & 3);
}

static void ws_codec_end_frame(struct ws_codec *codec)
{
	codec->head_len = 0;
	codec->head_need = 2;
	codec->mask_at = 0;
}

bool ws_codec_code_is_valid(unsigned code)
{
	return (code >= 1000 && code <= 1003) || (code >= 1007 && code <= 1014) ||
	       (code >= 3000 && code <= 4999);
}

static struct ws_event ws_codec_close_event(struct ws_codec *codec, char *bytes, size_t len)
{
	struct utf8_state utf8 = {0};
	uint16_t code;

	if (len == 0)
		return (struct ws_event){
			.type = WS_CLOSE, .code = WS_CLOSE_NO_CODE, .bytes = bytes};
	if (len == 1)
		return ws_codec_fail(codec, WS_CLOSE_PROTOCOL);
	code = (uint16_t)((uint8_t)bytes[0] << 8 | (uint8_t)bytes[1]);
	if (!ws_codec_code_is_valid(code))
		return ws_codec_fail(codec, WS_CLOSE_PROTOCOL);
	if (!utf8_check(&utf8, bytes + 2, len - 2) || !utf8_is_complete(&utf8))
		return ws_codec_fail(codec, WS_CLOSE_UTF8);
	return (struct ws_event){
		.type = WS_CLOSE, .code = code, .bytes = bytes + 2, .len = len - 2};
}

static struct ws_event ws_codec_control_event(struct ws_codec *codec, char *bytes, size_t len)
{
	enum ws_opcode opcode = ws_codec_frame_opcode(codec);

	ws_codec_end_frame(codec);
	if (opcode == WS_OP_CLOSE)
		return ws_codec_close_event(codec, bytes, len);
	return (struct ws_event){
		.type = opcode == WS_OP_PING ? WS_PING : WS_PONG, .bytes = bytes, .len = len};
}

/* Unmasks the part of the payload that has arrived and moves past it; returns its length. */
static size_t ws_codec_take_part(struct ws_codec *codec, char **bytes, size_t *n)
{
	size_t part = *n < codec->left ? *n : (size_t)codec->left;

	ws_codec_unmask(codec, *bytes, part);
	*bytes += part;
	*n -= part;
	codec->left -= part;
	return part;
}

/* Delivers a control frame: in place if it is complete, else collected after the message. */
static struct ws_event ws_codec_take_control(struct ws_codec *codec, char **bytes, size_t *n)
{
	char *at = *bytes;
	size_t part = ws_codec_take_part(codec, bytes, n);
	size_t len;

	if (codec->left == 0 && codec->control_len == 0)
		return ws_codec_control_event(codec, at, part);
	if (buf_append(&codec->message, at, part) != 0)
		return ws_codec_fail(codec, WS_CLOSE_INTERNAL);
	codec->control_len = (uint8_t)(codec->control_len + part);
	if (codec->left > 0)
		return (struct ws_event){.type = WS_MORE};
	len = codec->control_len;
	codec->control_len = 0;
	codec->message.len -= len; /* the bytes remain valid until the next call */
	return ws_codec_control_event(codec, codec->message.bytes + codec->message.len, len);
}

/* Ends a data frame; `bytes` is its message so far. */
static struct ws_event ws_codec_data_event(struct ws_codec *codec, char *bytes, size_t len)
{
	enum ws_opcode opcode = ws_codec_message_opcode(codec);

	if (!(codec->head[0] & FIN)) {
		codec->continues = (uint8_t)opcode;
		ws_codec_end_frame(codec);
		return (struct ws_event){.type = WS_MORE};
	}
	codec->continues = 0;
	ws_codec_end_frame(codec);
	if (opcode == WS_OP_TEXT && !utf8_is_complete(&codec->utf8))
		return ws_codec_fail(codec, WS_CLOSE_UTF8);
	return (struct ws_event){
		.type = opcode == WS_OP_TEXT ? WS_TEXT : WS_BINARY, .bytes = bytes, .len = len};
}

static struct ws_event ws_codec_take_data(struct ws_codec *codec, char **bytes, size_t *n)
{
	char *at = *bytes;
	size_t part = ws_codec_take_part(codec, bytes, n);
	bool is_whole;

	if (ws_codec_message_opcode(codec) == WS_OP_TEXT && !utf8_check(&codec->utf8, at, part))
		return ws_codec_fail(codec, WS_CLOSE_UTF8);
	is_whole = codec->left == 0 && codec->message.len == 0 && (codec->head[0] & FIN);
	if (is_whole)
		return ws_codec_data_event(codec, at, part);
	if (buf_append(&codec->message, at, part) != 0)
		return ws_codec_fail(codec, WS_CLOSE_INTERNAL);
	if (codec->left > 0)
		return (struct ws_event){.type = WS_MORE};
	codec->lent = codec->head[0] & FIN;
	return ws_codec_data_event(codec, codec->message.bytes, codec->message.len);
}

struct ws_event ws_codec_next(struct ws_codec *codec, char **bytes, size_t *n)
{
	struct ws_event event = {.type = WS_MORE};

	if (codec->failed)
		return ws_codec_fail(codec, WS_CLOSE_PROTOCOL);
	if (codec->lent) {
		codec->message.len = 0;
		codec->lent = false;
	}
	while (event.type == WS_MORE) {
		uint16_t code = ws_codec_take_head(codec, bytes, n);

		if (code)
			return ws_codec_fail(codec, code);
		if (codec->head_len < codec->head_need)
			break;
		if (*n == 0 && codec->left > 0)
			break;
		event = ws_codec_is_control(codec) ? ws_codec_take_control(codec, bytes, n)
						   : ws_codec_take_data(codec, bytes, n);
	}
	if (event.type == WS_MORE && codec->message.len == 0)
		buf_reset(&codec->message);
	return event;
}

size_t ws_codec_head(uint8_t head[WS_HEAD_MAX], enum ws_opcode opcode, size_t len,
		     const uint8_t *mask)
{
	uint8_t masked = mask ? MASKED : 0;
	size_t at = 2;
	size_t width = len <= WS_CONTROL_MAX ? 0 : len <= 0xffff ? 2 : 8;

	head[0] = (uint8_t)(FIN | opcode);
	head[1] = (uint8_t)(masked | (width == 0 ? len : width == 2 ? 126 : 127));
	for (size_t i = 0; i < width; ++i)
		head[at++] = (uint8_t)((uint64_t)len >> (8 * (width - 1 - i)));
	if (mask) {
		memcpy(head + at, mask, 4);
		at += 4;
	}
	return at;
}
