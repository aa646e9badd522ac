/*
 * upstream.h: the engine's side of the Speech Engine protocol.
 *
 * Connects to the server of a developer (Syrinx, or one that is made with the vendor's library), signs
 * the token that it demands, sends what the user says and receives the answer.  The conversation so
 * far is kept here and sent with each turn, as the protocol wants it.
 *
 * Calls block, up to the time that they are given; upstream_fd lets a caller wait for several things
 * at once.  One thread uses an upstream.
 */
#ifndef AGENT_UPSTREAM_H
#define AGENT_UPSTREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The bounds of one conversation, over all turns. */
#define UPSTREAM_SAID_MAX (2u * 1024u * 1024u)
#define UPSTREAM_TURNS_MAX 4096u

struct engine_token_rules;
struct upstream;

struct upstream_options {
	const char *url; /* ws, wss, http or https */
	const struct engine_token_rules *tokens; /* the vendor's; not copied */
	const char *key; /* the API key that the token is signed with */
	const char *token; /* NULL: one is made with the key; "": none is sent */
	const char *ca_file; /* NULL: the system's authorities */
	unsigned timeout_ms; /* for connecting; 0: 5 s */
};

/* Connects and sends `init`.  When it fails, `why` says why; servers that are made with the vendor's
 * library close the connection without an answer if they do not accept the token. */
int upstream_open(struct upstream **upstreamp, const struct upstream_options *options, char *why,
		  size_t why_size);

/* Sends what the user said as a turn with the next event_id.  The part of an unfinished answer that
 * was received stays in the conversation.  ENOBUFS when the conversation has become too long. */
int upstream_ask(struct upstream *upstream, const char *text, size_t len);

enum upstream_kind { UPSTREAM_WORDS, UPSTREAM_FINAL, UPSTREAM_PONG };

struct upstream_event {
	enum upstream_kind kind;
	const char *text; /* of UPSTREAM_WORDS: valid until the next call */
	size_t len;
};

/* Waits for the next event of the current turn and skips those of earlier turns.  Errors are those of
 * ws_client_recv: ETIMEDOUT when nothing came. */
int upstream_receive(struct upstream *upstream, struct upstream_event *event, unsigned timeout_ms);

/* Asks for an UPSTREAM_PONG. */
int upstream_ping(struct upstream *upstream);

/* Writes the header line with a token that is signed with this key, for connections that something
 * else opens. */
#define UPSTREAM_HEADER_SIZE 400u
int upstream_header(char header[UPSTREAM_HEADER_SIZE], const struct engine_token_rules *tokens,
		    const char *key);

/* The descriptor that becomes readable when there is something to receive; -1 when closed. */
int upstream_fd(const struct upstream *upstream);

/* Whether the last turn has not had its final answer yet. */
bool upstream_is_answering(const struct upstream *upstream);

/* Sends `close` and closes, as an engine must.  The conversation is kept. */
void upstream_close(struct upstream *upstream);

/* Continues the conversation on a new connection. */
int upstream_reopen(struct upstream *upstream, char *why, size_t why_size);
bool upstream_is_open(const struct upstream *upstream);

/* The close code that the server sent; see ws_client_code. */
uint16_t upstream_code(const struct upstream *upstream);

#endif
