/*
 * question.h: writes what an answerer is asked as the message of the upstream protocol.
 *
 * Pure.
 */
#ifndef AGENT_QUESTION_H
#define AGENT_QUESTION_H

#include "agent/answerer.h"
#include "base/buf.h"

/* For the buffer: a history of the longest allowed text, most of it escaped. */
#define QUESTION_MAX (8u * ANSWERER_SAID_MAX)

/* Appends the message.  ENOBUFS if the history exceeds the limits of answerer.h, ENOMEM. */
int question_write(struct buf *out, int64_t event_id, const struct answerer_said *said,
		   size_t count);

#endif
