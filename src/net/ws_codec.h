/*
 * ws_codec.h: encodes and decodes WebSocket frames, for both roles (RFC 6455, section 5).
 *
 * Pure: no socket, no clock.  The caller passes bytes as they arrive and receives events.  An error
 * (an invalid UTF-8 byte, a reserved bit) is reported at the byte that causes it, even in the
 * middle of a frame.
 *
 * A frame that arrives in one piece is unmasked in place, and the event points to it.  A frame that
 * arrives in parts is collected in a buffer, which is freed after its message has been delivered.
 */
#ifndef NET_WS_CODEC_H
#define NET_WS_CODEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/utf8.h"

enum ws_role { WS_SERVER, WS_CLIENT };

enum ws_opcode {
	WS_OP_CONTINUATION = 0,
	WS_OP_TEXT = 1,
	WS_OP_BINARY = 2,
	WS_OP_CLOSE = 8,
	WS_OP_PING = 9,
	WS_OP_PONG = 10,
};

/* Close codes (RFC 6455, section 7.4.1). */
enum {
	WS_CLOSE_NORMAL = 1000,
	WS_CLOSE_GOING_AWAY = 1001,
	WS_CLOSE_PROTOCOL = 1002,
	WS_CLOSE_NO_CODE = 1005, /* never sent: a close frame had no code */
	WS_CLOSE_ABNORMAL = 1006, /* never sent: the connection ended without a close frame */
	WS_CLOSE_UTF8 = 1007,
	WS_CLOSE_POLICY = 1008,
	WS_CLOSE_TOO_LARGE = 1009,
	WS_CLOSE_INTERNAL = 1011,
	WS_CLOSE_RESTART = 1012,
	WS_CLOSE_TRY_LATER = 1013,
};

enum {
	WS_HEAD_MAX = 14,
	WS_CONTROL_MAX = 125,
	WS_REASON_MAX = WS_CONTROL_MAX - 2,
};

struct ws_codec {
	struct buf message; /* the data message so far, followed by a partial control frame */
	uint64_t left; /* bytes of the current frame that have not arrived yet */
	uint8_t head[WS_HEAD_MAX];
	uint8_t head_len; /* bytes of the header so far; equals head_need during the payload */
	uint8_t head_need; /* length of the header, as far as known */
	uint8_t mask_at; /* position in the mask of the next byte */
	uint8_t continues; /* opcode of the fragmented message in progress; 0: none */
	uint8_t control_len; /* of the partial control frame at the end of `message` */
	bool lent; /* `message` was delivered, and is to be freed by the next call */
	bool failed;
	uint8_t role; /* enum ws_role: our own role */
	struct utf8_state utf8;
};

enum ws_event_type {
	WS_MORE, /* all bytes were consumed */
	WS_TEXT,
	WS_BINARY,
	WS_PING,
	WS_PONG,
	WS_CLOSE, /* code: the peer's or WS_CLOSE_NO_CODE; bytes: the peer's reason */
	WS_FAIL, /* code: the code to close with; nothing more can be read */
};

struct ws_event {
	enum ws_event_type type;
	uint16_t code;
	char *bytes; /* may be changed; valid until the next call */
	size_t len;
};

/* `role` is ours: a server requires frames to be masked, a client does not.  A message longer than
 * message_max fails with WS_CLOSE_TOO_LARGE. */
void ws_codec_init(struct ws_codec *codec, enum ws_role role, size_t message_max);
void ws_codec_set_message_max(struct ws_codec *codec, size_t message_max);
void ws_codec_reset(struct ws_codec *codec);

/* Parses, and unmasks in place, up to the next event, and advances *bytes and *n past what it has
 * consumed.  Call it again until it returns WS_MORE or WS_FAIL. */
struct ws_event ws_codec_next(struct ws_codec *codec, char **bytes, size_t *n);

/* Writes a frame header and returns its length; mask is 4 bytes or NULL. */
size_t ws_codec_head(uint8_t head[WS_HEAD_MAX], enum ws_opcode opcode, size_t len,
		     const uint8_t *mask);

/* Masks or unmasks n bytes; `at` (mod 4) is the position of the first in the payload. */
void ws_codec_mask(char *bytes, size_t n, const uint8_t mask[4], size_t at);

/* Whether a code is allowed in a close frame. */
bool ws_codec_code_is_valid(unsigned code);

#endif
