/*
 * llm_event.h: interprets the events of a language model's stream.
 *
 * For each dialect there is a table of the relevant members, by their path, and of the types of
 * events.  Everything else is ignored, because vendors add events all the time.  Pure.
 */
#ifndef WIRE_LLM_EVENT_H
#define WIRE_LLM_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/llm_dialect.h"

struct llm_event {
	const char *text; /* to be spoken; a slice of the event's own bytes */
	size_t len;
	const char *error; /* the model's error message, without a NUL; NULL: it did not fail */
	size_t error_len;
	uint32_t tokens_in; /* 0: not reported */
	uint32_t tokens_out;
	bool is_finished; /* the answer is complete */
	bool is_cut; /* the answer was cut off by a limit */
	bool is_end; /* no more events will follow */
};

/* Reads the data of one event, which is decoded in place.  The body of an error response (with a
 * status other than 200) is read in the same way.  Returns EINVAL if it is not JSON. */
int llm_event_read(struct llm_event *event, enum llm_dialect dialect, char *text, size_t len);

#endif
