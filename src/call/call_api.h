/*
 * call_api.h: the connection of a caller, as data: the messages of its clients, and its replies.
 *
 * The differences between vendors are a parser and a dialect (src/doors); the call is the same for all
 * (call.h).
 */
#ifndef CALL_CALL_API_H
#define CALL_CALL_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "call/call_settings.h"
#include "wire/fault.h"

#define CALL_ID_SIZE 48 /* of a conversation, "conv_…" */
#define CALL_STREAM_SIZE 64 /* of the id that some clients give their connection */

enum call_message_kind {
	CALL_MESSAGE_IGNORED,
	CALL_MESSAGE_START, /* the client is ready; the settings contain what it overrides */
	CALL_MESSAGE_AUDIO,
	CALL_MESSAGE_TEXT, /* the user has typed something instead of saying it */
	CALL_MESSAGE_CONTEXT, /* something that the agent should know, without an answer */
	CALL_MESSAGE_ACTIVITY, /* the user is there: the silence does not count */
	CALL_MESSAGE_PONG,
	CALL_MESSAGE_PLAYED, /* the client has played everything up to a mark */
	CALL_MESSAGE_STOP, /* the client ends the call */
};

/* A client's message, in the buffer that was parsed. */
struct call_message {
	enum call_message_kind kind;
	const char *audio; /* base64 */
	size_t audio_len;
	const char *text;
	size_t text_len;
	int64_t number; /* of a ping or a mark */
	char stream[CALL_STREAM_SIZE]; /* of CALL_MESSAGE_START; "": it has no id */
};

/* What a reply may need to know about its connection. */
struct call_info {
	const char *id; /* of the conversation */
	const char *stream; /* see struct call_message */
	const struct call_settings *settings;
};

enum call_part { CALL_PART_START, CALL_PART_WORDS, CALL_PART_END };

/* Each function appends one complete message.  A function that is NULL means that this API has no such
 * message.  event_ids increase with each turn. */
struct call_dialect {
	int (*started)(struct buf *out, const struct call_info *info);
	int (*audio)(struct buf *out, const struct call_info *info, int64_t event_id,
		     const uint8_t *bytes, size_t len);
	int (*user_words)(struct buf *out, const struct call_info *info, int64_t event_id,
			  const char *text, size_t len, bool is_tentative);
	int (*agent_words)(struct buf *out, const struct call_info *info, int64_t event_id,
			   const char *text, size_t len);
	int (*agent_part)(struct buf *out, const struct call_info *info, int64_t event_id,
			  enum call_part part, const char *text, size_t len);
	/* The user was heard while the agent spoke: what was sent of it is not to be played. */
	int (*interrupted)(struct buf *out, const struct call_info *info, int64_t event_id);
	int (*corrected)(struct buf *out, const struct call_info *info, int64_t event_id,
			 const struct buf *written, const struct buf *heard);
	int (*activity)(struct buf *out, const struct call_info *info, double probability);
	int (*ping)(struct buf *out, const struct call_info *info, int64_t number,
		    int64_t round_trip_ms);
	/* Asks the client to say when everything that was sent so far has been played. */
	int (*mark)(struct buf *out, const struct call_info *info, int64_t number);
	int (*error)(struct buf *out, const struct call_info *info,
		     const struct wire_notice *notice);
};

struct call_api {
	/* Parses a message in a buffer that is overwritten, and applies what it overrides to the
	 * settings.  They are NULL once the call has begun: then nothing is overridden any more, because
	 * the call was prepared with what it had.  EINVAL with the fault: the message has no effect. */
	int (*parse)(struct call_message *message, struct call_settings *settings,
		     struct stream_fault *fault, char *json, size_t len);
	const struct call_dialect *dialect;
	/* How long nothing follows the first reply: some clients lose what they receive together
	 * with it. */
	unsigned start_gap_ms;
};

#endif
