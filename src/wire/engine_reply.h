/*
 * engine_reply.h: writes the messages between a speech engine and this server: ours to the engine
 * and, for tools that act as an engine, the engine's to us.
 *
 * Each function appends one complete JSON object, or (ENOBUFS, ENOMEM) nothing.
 */
#ifndef WIRE_ENGINE_REPLY_H
#define WIRE_ENGINE_REPLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "wire/error.h"
#include "wire/llm_dialect.h"

/* Messages to the engine.  `event` is JSON, as in struct engine_event; "" leaves it out. */
int engine_reply_words(struct buf *out, const char *event, const char *text, size_t len);
int engine_reply_final(struct buf *out, const char *event);
int engine_reply_pong(struct buf *out);

/* Extensions for clients that connect with an API key of this server: why there is no answer, and
 * what an answer has used. */
struct engine_usage {
	const char *ids[2]; /* the answer's rows in the ledger: input, then output */
	uint64_t tokens_in, tokens_out;
	bool is_estimated;
	bool is_known; /* whether the cost is known */
	int64_t microcents;
	const char *currency; /* NULL: not known */
};
int engine_reply_error(struct buf *out, const char *event, const struct wire_notice *notice);
int engine_reply_usage(struct buf *out, const char *event, const struct engine_usage *usage);

/* The most that engine_reply_words writes in addition to the text. */
#define ENGINE_REPLY_ROOM 256u

/* Messages from the engine. */
int engine_say_init(struct buf *out, const char *conversation_id);
int engine_say_transcript(struct buf *out, const struct llm_turn *turns, size_t count,
			  int64_t event_id);
int engine_say_ping(struct buf *out);
int engine_say_close(struct buf *out);
/* The server has violated the protocol; the connection is closed after it. */
int engine_say_error(struct buf *out, const char *message);

#endif
