/*
 * ws_codec.h: WebSocket frames in bytes, both roles (RFC 6455, section 5).
 *
 * Pure: no socket, no clock.  Bytes go in as they arrive, and events come out.  An error is noticed
 * with the byte that causes it, even in the middle of a frame (an invalid UTF-8 byte, a reserved
 * bit).
 *
 * A frame that arrives in one piece is unmasked in place and lent to the caller; one that arrives
 * in parts is collected in a buffer that is freed when its message is done.
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
	WS_CLOSE_NO_CODE = 1005, /* never on the wire: a close frame without one */
	WS_CLOSE_ABNORMAL = 1006, /* never on the wire: no close frame came */
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
	struct buf message; /* the data message so far, then a control frame's part */
	uint64_t left; /* bytes of the current frame still to come */
	uint8_t head[WS_HEAD_MAX];
	uint8_t head_len; /* collected; head_need when the payload is due */
	uint8_t head_need; /* as far as known */
	uint8_t mask_at;
	uint8_t continues; /* opcode of the message whose fragments are coming; 0: none */
	uint8_t control_len; /* of the control frame at the end of `message` */
	bool lent; /* `message` was delivered: it goes at the next call */
	bool failed;
	uint8_t role; /* enum ws_role: whose end this is */
	struct utf8_state utf8;
};

enum ws_event_type {
	WS_MORE, /* all bytes were taken */
	WS_TEXT,
	WS_BINARY,
	WS_PING,
	WS_PONG,
	WS_CLOSE, /* code: the peer's or WS_CLOSE_NO_CODE; bytes: its reason */
	WS_FAIL, /* code: what to close with; nothing more can be read */
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

/* Removes bytes from the front of *bytes, and changes them, up to the next event. */
struct ws_event ws_codec_next(struct ws_codec *codec, char **bytes, size_t *n);

/* Writes a frame header and returns its length; mask is 4 bytes or NULL. */
size_t ws_codec_head(uint8_t head[WS_HEAD_MAX], enum ws_opcode opcode, size_t len,
		     const uint8_t *mask);

/* Masks or unmasks n bytes, of which the first has the position `at` (mod 4). */
void ws_codec_mask(char *bytes, size_t n, const uint8_t mask[4], size_t at);

/* Whether a code is allowed in a close frame. */
bool ws_codec_code_is_valid(unsigned code);

#endif
