/*
 * llm_event.h: what an event of a language model's stream means.
 *
 * For each dialect a table of the members that matter, by their path, and of the
 * types of events.  Everything else is passed over: vendors add events all the
 * time.  Pure.
 */
#ifndef WIRE_LLM_EVENT_H
#define WIRE_LLM_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/llm_dialect.h"

struct llm_event {
	const char *text; /* to be said; in the event's own bytes */
	size_t len;
	const char *error; /* the model failed, and says this; not terminated */
	size_t error_len;
	uint32_t tokens_in; /* 0: not told */
	uint32_t tokens_out;
	bool is_finished; /* no more will be said */
	bool is_cut; /* it would have gone on */
	bool is_end; /* no more events */
};

/* One event's data, which is decoded in its place; the body of a refusal (a
 * status that is not 200) is read the same way.  EINVAL for what is no JSON. */
int llm_event_read(struct llm_event *event, enum llm_dialect dialect, char *text, size_t len);

#endif
