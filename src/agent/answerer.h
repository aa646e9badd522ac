/*
 * answerer.h: who decides what an agent says: a developer's server, or an agent of this one.
 *
 * A call (src/call) asks it with everything that was said so far, under an event_id that increases,
 * and gets the words of the answer as they are written.  There are two kinds:
 *
 *   remote_answerer.h   a developer's server, over the upstream protocol of speech engines
 *   own_answerer.h      an agent of the configuration, without a connection
 *
 * The next question ends the answer to the previous one: nothing more is delivered for it.  Runs on the
 * loop's thread.
 */
#ifndef AGENT_ANSWERER_H
#define AGENT_ANSWERER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The limits of one call: bytes of text and entries in its history.  An hour of talk is 100 KB. */
#define ANSWERER_SAID_MAX (2u * 1024u * 1024u)
#define ANSWERER_ENTRIES_MAX 4096u

/* One entry of the history. */
struct answerer_said {
	bool by_agent;
	const char *text; /* UTF-8 */
	size_t len;
};

enum answerer_fault {
	ANSWERER_UNREACHABLE, /* no connection, or it was refused or lost, after all attempts */
	ANSWERER_SILENT, /* no text came in time, after all attempts */
	ANSWERER_STALLED, /* some text came, but the rest did not */
	ANSWERER_REFUSED, /* the caller's account may not use it */
};

/* None of these is called from inside a function of struct answerer_ops. */
struct answerer_listener {
	/* Words of the answer to the current question, as they are to be appended. */
	void (*words)(void *arg, int64_t event_id, const char *text, size_t len);
	/* The answer is complete.  Some servers continue all the same, so `words` may be called again
	 * for the same question. */
	void (*complete)(void *arg, int64_t event_id);
	/* There is no answer, or the rest of it will not come.  The next question may be asked, unless
	 * `closed` follows.  `why` is for the log, in English. */
	void (*failed)(void *arg, int64_t event_id, enum answerer_fault fault, const char *why);
	/* It can answer nothing any more; the last call.  It must still be closed. */
	void (*closed)(void *arg, const char *why);
};

struct answerer;

struct answerer_ops {
	/* Asks; `said` is the whole history, the oldest first, and ends with what the user said.  Both
	 * are copied as far as needed.  An event_id must be higher than the one before.  ENOBUFS: the
	 * history is too long.  ENOMEM.  ENOTCONN: it has been closed. */
	int (*ask)(struct answerer *answerer, int64_t event_id, const struct answerer_said *said,
		   size_t count);
	/* The answer is not wanted any more, because the user interrupts.  Nothing is delivered for it
	 * after that. */
	void (*drop)(struct answerer *answerer);
	/* The call is over: it says so to a server and releases itself.  Nothing is delivered after
	 * that, and the pointer must not be used any more. */
	void (*close)(struct answerer *answerer);
};

/* The first member of each kind's struct. */
struct answerer {
	const struct answerer_ops *ops;
	const struct answerer_listener *listener; /* not copied */
	void *arg;
};

#endif
