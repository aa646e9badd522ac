/*
 * upstream.h: the speech engine's part of a conversation, for tools.
 *
 * Connects to whoever gives an engine its words (Syrinx, or a server made with
 * the vendor's library), with a token made for it, says what a user says and
 * hears the answer.  The whole history is kept here and sent with each turn, as
 * engines do.  Blocks; one thread.
 */
#ifndef AGENT_UPSTREAM_H
#define AGENT_UPSTREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All that is said in one conversation; more ends it. */
#define UPSTREAM_SAID_MAX (2u * 1024u * 1024u)
#define UPSTREAM_TURNS_MAX 4096u

struct upstream;

struct upstream_options {
	const char *url; /* ws, wss, http or https */
	const char *key; /* the API key that the token is made with */
	const char *token; /* NULL: made from the key; "": none is sent */
	const char *ca_file; /* NULL: the system's authorities */
	unsigned timeout_ms; /* of the opening; 0: 5 s */
};

/* Opens and says `init`.  `why` says what went wrong: of a server that hangs up
 * without an answer (the vendor's library does so with tokens that it does not
 * like), that it did. */
int upstream_open(struct upstream **sidep, const struct upstream_options *options, char *why,
		  size_t why_size);

/* The user says something: a turn with the next event_id.  What of an answer was
 * heard so far stays in the history.  ENOBUFS when the conversation is too long. */
int upstream_say(struct upstream *side, const char *text, size_t len);

enum upstream_kind { UPSTREAM_WORDS, UPSTREAM_FINAL, UPSTREAM_PONG };

struct upstream_heard {
	enum upstream_kind kind;
	const char *text; /* of WORDS: lent until the next call */
	size_t len;
};

/* The next thing of the current turn; what belongs to another is counted and
 * passed over.  Errors as of ws_client_recv. */
int upstream_hear(struct upstream *side, struct upstream_heard *heard, unsigned timeout_ms);

int upstream_ping(struct upstream *side);

/* The header line with a token of this key, for connections that are opened
 * otherwise. */
#define UPSTREAM_HEADER_SIZE 400u
int upstream_header(char header[UPSTREAM_HEADER_SIZE], const char *key);

int upstream_fd(const struct upstream *side);
bool upstream_is_answering(const struct upstream *side); /* no final yet */
unsigned upstream_outdated(const struct upstream *side); /* words of other turns */

/* Says `close`, then closes, as an engine must.  The history stays. */
void upstream_close(struct upstream *side);

/* The same history in a new conversation. */
int upstream_reopen(struct upstream *side, char *why, size_t why_size);
bool upstream_is_open(const struct upstream *side);

/* The close code of the other end; see ws_client_code. */
uint16_t upstream_code(const struct upstream *side);

#endif
