/*
 * engine_side.h: the speech engine's part of a conversation, for tools.
 *
 * Connects to whoever gives an engine its words (Syrinx, or a server made with
 * the vendor's library), with a token made for it, says what a user says and
 * hears the answer.  The whole history is kept here and sent with each turn, as
 * engines do.  Blocks; one thread.
 */
#ifndef BENCH_ENGINE_SIDE_H
#define BENCH_ENGINE_SIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All that is said in one conversation; more ends it. */
#define ENGINE_SIDE_SAID_MAX (2u * 1024u * 1024u)
#define ENGINE_SIDE_TURNS_MAX 4096u

struct engine_side;

struct engine_side_options {
	const char *url; /* ws, wss, http or https */
	const char *key; /* the API key that the token is made with */
	const char *token; /* NULL: made from the key; "": none is sent */
	const char *ca_file; /* NULL: the system's authorities */
	unsigned timeout_ms; /* of the opening; 0: 5 s */
};

/* Opens and says `init`.  `why` says what went wrong: of a server that hangs up
 * without an answer (the vendor's library does so with tokens that it does not
 * like), that it did. */
int engine_side_open(struct engine_side **sidep, const struct engine_side_options *options,
		     char *why, size_t why_size);

/* The user says something: a turn with the next event_id.  What of an answer was
 * heard so far stays in the history.  ENOBUFS when the conversation is too long. */
int engine_side_say(struct engine_side *side, const char *text, size_t len);

enum engine_side_kind { ENGINE_SIDE_WORDS, ENGINE_SIDE_FINAL, ENGINE_SIDE_PONG };

struct engine_side_heard {
	enum engine_side_kind kind;
	const char *text; /* of WORDS: lent until the next call */
	size_t len;
};

/* The next thing of the current turn; what belongs to another is counted and
 * passed over.  Errors as of ws_client_recv. */
int engine_side_hear(struct engine_side *side, struct engine_side_heard *heard,
		     unsigned timeout_ms);

int engine_side_ping(struct engine_side *side);

/* The header line with a token of this key, for connections that are opened
 * otherwise. */
#define ENGINE_SIDE_HEADER_SIZE 400u
int engine_side_header(char header[ENGINE_SIDE_HEADER_SIZE], const char *key);

int engine_side_fd(const struct engine_side *side);
bool engine_side_is_answering(const struct engine_side *side); /* no final yet */
unsigned engine_side_outdated(const struct engine_side *side); /* words of other turns */

/* Says `close`, then closes, as an engine must.  The history stays. */
void engine_side_close(struct engine_side *side);

/* The same history in a new conversation. */
int engine_side_reopen(struct engine_side *side, char *why, size_t why_size);
bool engine_side_is_open(const struct engine_side *side);

/* The close code of the other end; see ws_client_code. */
uint16_t engine_side_code(const struct engine_side *side);

#endif
