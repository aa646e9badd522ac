/*
 * upstream.c: the engine's side of the Speech Engine protocol (see upstream.h).
 *
 * Each turn sends the whole conversation, so all text is kept in one bounded buffer, with the
 * position of each turn in it.
 */
#include "agent/upstream.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "account/engine_token.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/mem.h"
#include "net/ws_client.h"
#include "wire/engine_answer.h"
#include "wire/engine_reply.h"

#define OPEN_MS 5000
#define CLOSE_MS 1000
#define URL_SIZE 2048
#define CONVERSATION_SIZE 32

/* The text of a turn is said.bytes[at .. at + len). */
struct upstream_turn {
	enum llm_role role;
	size_t at, len;
};

struct upstream {
	char url[URL_SIZE];
	const struct engine_token_rules *tokens;
	char *key; /* NULL: no token can be made */
	char *token; /* NULL: one is made with the key; "": none is sent */
	char *ca_file;
	unsigned timeout_ms;
	struct ws_client *client; /* NULL: not open */
	struct buf said; /* the text of all turns */
	struct upstream_turn *turns;
	size_t turns_len;
	struct llm_turn *history; /* room for all turns, in the form that a transcript needs */
	struct buf out; /* the message that is being sent */
	int64_t event_id; /* of the newest turn */
	bool is_answering;
	uint16_t code; /* the close code of the last connection */
};

static void upstream_destroy(void *object)
{
	struct upstream *upstream = object;

	mem_deref(upstream->client);
	if (upstream->key)
		explicit_bzero(upstream->key, strlen(upstream->key));
	free(upstream->key);
	free(upstream->token);
	free(upstream->ca_file);
	free(upstream->turns);
	free(upstream->history);
	buf_reset(&upstream->said);
	buf_reset(&upstream->out);
}

static char *upstream_copy(const char *text)
{
	return text ? strdup(text) : NULL;
}

static int upstream_alloc(struct upstream **upstreamp, const struct upstream_options *options)
{
	struct upstream *upstream = mem_zalloc(sizeof(*upstream), upstream_destroy);
	int n;

	if (!upstream)
		return ENOMEM;
	n = snprintf(upstream->url, sizeof(upstream->url), "%s", options->url);
	upstream->tokens = options->tokens;
	upstream->key = upstream_copy(options->key);
	upstream->token = upstream_copy(options->token);
	upstream->ca_file = upstream_copy(options->ca_file);
	upstream->timeout_ms = options->timeout_ms ? options->timeout_ms : OPEN_MS;
	upstream->turns = calloc(UPSTREAM_TURNS_MAX, sizeof(*upstream->turns));
	upstream->history = calloc(UPSTREAM_TURNS_MAX, sizeof(*upstream->history));
	buf_init(&upstream->said, UPSTREAM_SAID_MAX);
	buf_init(&upstream->out, 8u * UPSTREAM_SAID_MAX);
	if (n < 0 || (size_t)n >= sizeof(upstream->url) || !upstream->turns || !upstream->history ||
	    (options->key && !upstream->key) || (options->token && !upstream->token) ||
	    (options->ca_file && !upstream->ca_file)) {
		mem_deref(upstream);
		return n >= (int)sizeof(upstream->url) ? ENAMETOOLONG : ENOMEM;
	}
	*upstreamp = upstream;
	return 0;
}

/* Opening */

int upstream_header(char header[ENGINE_TOKEN_HEADER_SIZE], const struct engine_token_rules *tokens,
		    const char *key)
{
	struct engine_token_keys keys;
	int64_t now_s = clock_wall_ms() / 1000;
	int err = engine_token_keys(&keys, tokens, key);

	return err ? err : engine_token_header(header, &keys, now_s, now_s + ENGINE_TOKEN_LIFE_S);
}

static int upstream_write_header(char *header, size_t size, const struct upstream *upstream)
{
	int n;

	if (!upstream->token)
		return upstream_header(header, upstream->tokens,
				       upstream->key ? upstream->key : "");
	n = snprintf(header, size, "%s: %s", upstream->tokens->header, upstream->token);
	return n < 0 || (size_t)n >= size ? E2BIG : 0;
}

/* Sends the message in `out`, unless writing it failed (err). */
static int upstream_send(struct upstream *upstream, int err)
{
	return err ? err : ws_client_send(upstream->client, upstream->out.bytes, upstream->out.len);
}

static struct buf *upstream_clear_out(struct upstream *upstream)
{
	upstream->out.len = 0;
	return &upstream->out;
}

static int upstream_send_init(struct upstream *upstream)
{
	char id[CONVERSATION_SIZE];
	uint64_t value;

	if (getrandom(&value, sizeof(value), 0) != (ssize_t)sizeof(value))
		value = clock_monotonic_us();
	snprintf(id, sizeof(id), "conv_%016llx", (unsigned long long)value);
	return upstream_send(upstream, engine_say_init(upstream_clear_out(upstream), id));
}

int upstream_reopen(struct upstream *upstream, char *why, size_t why_size)
{
	char header[ENGINE_TOKEN_MAX + 128];
	const char *const headers[] = {header, NULL};
	const struct ws_client_options options = {
		.url = upstream->url,
		.headers = upstream->token && upstream->token[0] == '\0' ? NULL : headers,
		.ca_file = upstream->ca_file,
		.timeout_ms = upstream->timeout_ms,
	};
	int err = upstream_write_header(header, sizeof(header), upstream);

	if (err) {
		snprintf(why, why_size, "no token can be made: %s",
			 err == EINVAL ? "there is no key" : strerror(err));
		return err;
	}
	upstream_close(upstream);
	err = ws_client_open(&upstream->client, &options, why, why_size);
	if (!err) {
		err = upstream_send_init(upstream);
		if (err)
			snprintf(why, why_size, "%s", strerror(err));
	}
	return err;
}

int upstream_open(struct upstream **upstreamp, const struct upstream_options *options, char *why,
		  size_t why_size)
{
	struct upstream *upstream;
	int err = upstream_alloc(&upstream, options);

	if (err) {
		snprintf(why, why_size, "%s", strerror(err));
		return err;
	}
	err = upstream_reopen(upstream, why, why_size);
	if (err)
		mem_deref(upstream);
	else
		*upstreamp = upstream;
	return err;
}

/* Conversation */

static int upstream_add_turn(struct upstream *upstream, enum llm_role role, const char *text,
			     size_t len)
{
	if (upstream->turns_len == UPSTREAM_TURNS_MAX)
		return ENOBUFS;
	if (buf_append(&upstream->said, text, len) != 0)
		return ENOBUFS;
	upstream->turns[upstream->turns_len++] =
		(struct upstream_turn){role, upstream->said.len - len, len};
	return 0;
}

/* Adds words of the agent; all words of one answer are one turn. */
static int upstream_add_heard(struct upstream *upstream, const char *text, size_t len)
{
	struct upstream_turn *last =
		upstream->turns_len ? &upstream->turns[upstream->turns_len - 1] : NULL;

	if (!last || last->role != LLM_AGENT)
		return upstream_add_turn(upstream, LLM_AGENT, text, len);
	if (buf_append(&upstream->said, text, len) != 0)
		return ENOBUFS;
	last->len += len;
	return 0;
}

int upstream_ask(struct upstream *upstream, const char *text, size_t len)
{
	int err = upstream->client ? upstream_add_turn(upstream, LLM_USER, text, len) : ENOTCONN;

	if (err)
		return err;
	for (size_t i = 0; i < upstream->turns_len; ++i)
		upstream->history[i] = (struct llm_turn){
			upstream->turns[i].role, upstream->said.bytes + upstream->turns[i].at,
			upstream->turns[i].len};
	upstream->is_answering = true;
	return upstream_send(upstream,
			     engine_say_transcript(upstream_clear_out(upstream), upstream->history,
						   upstream->turns_len, ++upstream->event_id));
}

/* Handles a message; true if it is an event for the user of this upstream. */
static bool upstream_take(struct upstream *upstream, struct upstream_event *event, int *err,
			  const struct engine_answer *answer)
{
	*event = (struct upstream_event){.text = answer->text, .len = answer->len};
	if (answer->kind == ENGINE_ANSWER_PONG) {
		event->kind = UPSTREAM_PONG;
		return true;
	}
	if (answer->kind != ENGINE_ANSWER_WORDS || !answer->event.is_number ||
	    answer->event.number != upstream->event_id)
		return false; /* it is of another kind, or belongs to an earlier turn */
	if (answer->is_final) {
		event->kind = UPSTREAM_FINAL;
		upstream->is_answering = false;
		return true;
	}
	event->kind = UPSTREAM_WORDS;
	*err = upstream_add_heard(upstream, answer->text, answer->len);
	return answer->len > 0;
}

int upstream_receive(struct upstream *upstream, struct upstream_event *event, unsigned timeout_ms)
{
	struct engine_answer answer;
	char *bytes;
	size_t len;
	bool is_binary;
	int err;

	if (!upstream->client)
		return ENOTCONN;
	for (;;) {
		err = ws_client_recv(upstream->client, &bytes, &len, &is_binary, timeout_ms);
		if (err)
			return err;
		if (engine_answer_parse(&answer, bytes, len) == 0 &&
		    upstream_take(upstream, event, &err, &answer))
			return err;
		if (err)
			return err;
	}
}

int upstream_ping(struct upstream *upstream)
{
	return upstream->client
		       ? upstream_send(upstream, engine_say_ping(upstream_clear_out(upstream)))
		       : ENOTCONN;
}

void upstream_close(struct upstream *upstream)
{
	if (!upstream->client)
		return;
	if (ws_client_code(upstream->client) == 0 &&
	    upstream_send(upstream, engine_say_close(upstream_clear_out(upstream))) == 0)
		ws_client_close(upstream->client, 1000, CLOSE_MS);
	upstream->code = ws_client_code(upstream->client);
	upstream->client = mem_deref(upstream->client);
	upstream->is_answering = false;
}

int upstream_fd(const struct upstream *upstream)
{
	return upstream->client ? ws_client_fd(upstream->client) : -1;
}

bool upstream_is_open(const struct upstream *upstream)
{
	return upstream->client != NULL;
}

bool upstream_is_answering(const struct upstream *upstream)
{
	return upstream->is_answering;
}

uint16_t upstream_code(const struct upstream *upstream)
{
	return upstream->client ? ws_client_code(upstream->client) : upstream->code;
}
