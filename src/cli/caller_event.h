/*
 * caller_event.h: what a server says in a call, for people and for programs.
 *
 * Pure. An event points into the message that it was parsed from.
 */
#ifndef CLI_CALLER_EVENT_H
#define CLI_CALLER_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

enum caller_event_kind {
	CALLER_EVENT_OTHER, /* of no consequence here */
	CALLER_EVENT_METADATA, /* the first message: the formats of audio */
	CALLER_EVENT_AUDIO,
	CALLER_EVENT_HEARD, /* what the caller has said */
	CALLER_EVENT_HEARD_SO_FAR,
	CALLER_EVENT_ANSWER, /* what the agent says */
	CALLER_EVENT_CORRECTION, /* what it had said when it was interrupted */
	CALLER_EVENT_INTERRUPTION,
	CALLER_EVENT_PING,
	CALLER_EVENT_TOOL, /* a request to run a function of the client */
	CALLER_EVENT_ERROR,
};

struct caller_event_text {
	const char *bytes; /* does not end with a NUL */
	size_t len;
};

struct caller_event {
	enum caller_event_kind kind;
	bool has_id;
	int64_t id;
	struct caller_event_text words; /* also an error's message and a function's name */
	struct caller_event_text call; /* the id of the conversation or of a function's call */
	struct caller_event_text input, output; /* names of audio formats */
	struct caller_event_text audio; /* base64 */
	size_t audio_at; /* where the audio begins in the message */
};

/* Parses a message, which is overwritten. EINVAL if it is not a JSON object; an object of an unknown
 * type is CALLER_EVENT_OTHER. */
int caller_event_parse(struct caller_event *event, char *message, size_t len);

/* Appends a line for people, with the time; nothing for events that say nothing to them. Control
 * characters, which could change a terminal's settings, become blanks. */
int caller_event_print(struct buf *out, const struct caller_event *event, uint64_t at_us);

/* Appends a line about an error, without the time. */
int caller_event_print_error(struct buf *out, const struct caller_event *event);

/* Appends a line for people with this text. */
int caller_event_print_note(struct buf *out, uint64_t at_us, const char *what, const char *text,
			    size_t len);

/* Appends a line of JSON: {"at_ms":N,"event":MESSAGE}. `message` is the message as it arrived; its
 * audio is replaced by the number of its bytes. */
int caller_event_print_json(struct buf *out, const struct caller_event *event, uint64_t at_us,
			    const char *message, size_t len);

#endif
