/*
 * upstream.h: the engine's side of the Speech Engine protocol.
 *
 * Connects to a developer's server (Syrinx, or one that uses the vendor's library), signs the token
 * that it requires, sends what the user says and receives the answer.  The conversation so far is
 * kept here and sent with each turn, as the protocol requires.
 *
 * upstream_open, upstream_reopen and upstream_receive have a timeout; functions that send block
 * while the server does not read.  With upstream_fd a program can wait for several things at once.
 * Functions that send return ENOTCONN when the connection was closed, or an error of
 * ws_client_send.  An upstream must be used by one thread only.
 */
#ifndef AGENT_UPSTREAM_H
#define AGENT_UPSTREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "account/engine_token.h"

/* The limits of one conversation: bytes of text, and turns. */
#define UPSTREAM_SAID_MAX (2u * 1024u * 1024u)
#define UPSTREAM_TURNS_MAX 4096u

struct upstream;

/* Strings are copied. */
struct upstream_options {
	const char *url; /* ws, wss, http or https */
	const struct engine_token_rules *tokens; /* the vendor's; must outlive the upstream */
	const char *key; /* the API key that the token is signed with */
	const char *token; /* NULL: one is made with the key; "": none is sent */
	const char *ca_file; /* NULL: the system's certificate authorities */
	unsigned timeout_ms; /* for connecting; 0: 5 s */
};

/* Connects and sends `init`.  If it fails, the reason is written to `why`; servers that use the
 * vendor's library close the connection without an answer if they do not accept the token.  Release
 * the upstream with mem_deref. */
int upstream_open(struct upstream **upstreamp, const struct upstream_options *options, char *why,
		  size_t why_size);

/* Sends what the user said, together with the conversation so far, under the next event_id.  The
 * part of an unfinished answer that was received stays in the conversation.  ENOBUFS when the
 * conversation has become too long. */
int upstream_ask(struct upstream *upstream, const char *text, size_t len);

enum upstream_kind { UPSTREAM_WORDS, UPSTREAM_FINAL, UPSTREAM_PONG };

struct upstream_event {
	enum upstream_kind kind;
	const char *text; /* for UPSTREAM_WORDS; valid until the next call */
	size_t len;
};

/* Waits for the next event of the current turn and skips those of earlier turns, each of which
 * starts the timeout again.  ENOBUFS when the conversation has become too long.  Other errors are
 * those of ws_client_recv: ETIMEDOUT when nothing was received, ENOTCONN when the connection is
 * closed. */
int upstream_receive(struct upstream *upstream, struct upstream_event *event, unsigned timeout_ms);

/* Sends a ping, which the server answers with an UPSTREAM_PONG. */
int upstream_ping(struct upstream *upstream);

/* Writes the line "NAME: TOKEN" of a header with a token that is signed with this key, for
 * connections that are opened by other code.  EINVAL when there is no key, E2BIG, ENOMEM. */
int upstream_header(char header[ENGINE_TOKEN_HEADER_SIZE], const struct engine_token_rules *tokens,
		    const char *key);

/* The descriptor that becomes readable when there is something to receive; -1 when closed. */
int upstream_fd(const struct upstream *upstream);

/* Whether the last turn has not had its final answer yet. */
bool upstream_is_answering(const struct upstream *upstream);

/* Sends `close`, as the protocol requires, and closes the connection, which may take a second.  The
 * conversation is kept. */
void upstream_close(struct upstream *upstream);

/* Closes the connection, if it is open, and continues the conversation on a new one.  Errors are
 * those of upstream_open; the upstream can be used for another attempt. */
int upstream_reopen(struct upstream *upstream, char *why, size_t why_size);
bool upstream_is_open(const struct upstream *upstream);

/* The close code that the server sent; see ws_client_code. */
uint16_t upstream_code(const struct upstream *upstream);

#endif
