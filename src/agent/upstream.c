/*
 * upstream.c: the speech engine's part of a conversation (see upstream.h).
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

/* A turn's place in `said`. */
struct span {
	enum llm_role role;
	size_t at, len;
};

struct upstream {
	char url[URL_SIZE];
	char *key; /* NULL: no token is made */
	char *token;
	char *ca_file;
	unsigned timeout_ms;
	struct ws_client *client; /* NULL: not open */
	struct buf said;
	struct span *turns;
	size_t turns_len;
	struct llm_turn *history; /* room to write a transcript from */
	struct buf out;
	int64_t event_id;
	bool is_answering;
	unsigned outdated;
	uint16_t code;
};

static void side_destroy(void *object)
{
	struct upstream *side = object;

	mem_deref(side->client);
	if (side->key)
		explicit_bzero(side->key, strlen(side->key));
	free(side->key);
	free(side->token);
	free(side->ca_file);
	free(side->turns);
	free(side->history);
	buf_reset(&side->said);
	buf_reset(&side->out);
}

static char *copy(const char *text)
{
	return text ? strdup(text) : NULL;
}

static int side_alloc(struct upstream **sidep, const struct upstream_options *options)
{
	struct upstream *side = mem_zalloc(sizeof(*side), side_destroy);
	int n;

	if (!side)
		return ENOMEM;
	n = snprintf(side->url, sizeof(side->url), "%s", options->url);
	side->key = copy(options->key);
	side->token = copy(options->token);
	side->ca_file = copy(options->ca_file);
	side->timeout_ms = options->timeout_ms ? options->timeout_ms : OPEN_MS;
	side->turns = calloc(UPSTREAM_TURNS_MAX, sizeof(*side->turns));
	side->history = calloc(UPSTREAM_TURNS_MAX, sizeof(*side->history));
	buf_init(&side->said, UPSTREAM_SAID_MAX);
	buf_init(&side->out, 8u * UPSTREAM_SAID_MAX);
	if (n < 0 || (size_t)n >= sizeof(side->url) || !side->turns || !side->history ||
	    (options->key && !side->key) || (options->token && !side->token) ||
	    (options->ca_file && !side->ca_file)) {
		mem_deref(side);
		return n >= (int)sizeof(side->url) ? ENAMETOOLONG : ENOMEM;
	}
	*sidep = side;
	return 0;
}

/* Opening */

int upstream_header(char header[UPSTREAM_HEADER_SIZE], const char *key)
{
	char token[ENGINE_TOKEN_SIZE];
	struct engine_token_keys keys;
	int64_t now_s = clock_wall_ms() / 1000;
	int err = engine_token_keys(&keys, key);

	if (!err)
		err = engine_token_make(token, &keys, now_s, now_s + ENGINE_TOKEN_LIFE_S);
	if (!err)
		snprintf(header, UPSTREAM_HEADER_SIZE, ENGINE_TOKEN_HEADER ": %s", token);
	return err;
}

static int make_header(char *header, size_t size, const struct upstream *side)
{
	int n;

	if (!side->token)
		return upstream_header(header, side->key ? side->key : "");
	n = snprintf(header, size, ENGINE_TOKEN_HEADER ": %s", side->token);
	return n < 0 || (size_t)n >= size ? E2BIG : 0;
}

static int send_out(struct upstream *side, int err)
{
	return err ? err : ws_client_send(side->client, side->out.bytes, side->out.len);
}

static struct buf *fresh_out(struct upstream *side)
{
	side->out.len = 0;
	return &side->out;
}

static int say_init(struct upstream *side)
{
	char id[CONVERSATION_SIZE];
	uint64_t value;

	if (getrandom(&value, sizeof(value), 0) != (ssize_t)sizeof(value))
		value = clock_monotonic_us();
	snprintf(id, sizeof(id), "conv_%016llx", (unsigned long long)value);
	return send_out(side, engine_say_init(fresh_out(side), id));
}

int upstream_reopen(struct upstream *side, char *why, size_t why_size)
{
	char header[ENGINE_TOKEN_MAX + 128];
	const char *const headers[] = {header, NULL};
	const struct ws_client_options options = {
		.url = side->url,
		.headers = side->token && side->token[0] == '\0' ? NULL : headers,
		.ca_file = side->ca_file,
		.timeout_ms = side->timeout_ms,
	};
	int err = make_header(header, sizeof(header), side);

	if (err) {
		snprintf(why, why_size, "no token can be made: %s",
			 err == EINVAL ? "there is no key" : strerror(err));
		return err;
	}
	upstream_close(side);
	err = ws_client_open(&side->client, &options, why, why_size);
	if (!err) {
		err = say_init(side);
		if (err)
			snprintf(why, why_size, "%s", strerror(err));
	}
	return err;
}

int upstream_open(struct upstream **sidep, const struct upstream_options *options, char *why,
		  size_t why_size)
{
	struct upstream *side;
	int err = side_alloc(&side, options);

	if (err) {
		snprintf(why, why_size, "%s", strerror(err));
		return err;
	}
	err = upstream_reopen(side, why, why_size);
	if (err)
		mem_deref(side);
	else
		*sidep = side;
	return err;
}

/* Talking */

static int add_turn(struct upstream *side, enum llm_role role, const char *text, size_t len)
{
	if (side->turns_len == UPSTREAM_TURNS_MAX)
		return ENOBUFS;
	if (buf_append(&side->said, text, len) != 0)
		return ENOBUFS;
	side->turns[side->turns_len++] = (struct span){role, side->said.len - len, len};
	return 0;
}

/* The words of an answer join the turn that it has begun. */
static int add_heard(struct upstream *side, const char *text, size_t len)
{
	struct span *last = side->turns_len ? &side->turns[side->turns_len - 1] : NULL;

	if (!last || last->role != LLM_AGENT)
		return add_turn(side, LLM_AGENT, text, len);
	if (buf_append(&side->said, text, len) != 0)
		return ENOBUFS;
	last->len += len;
	return 0;
}

int upstream_say(struct upstream *side, const char *text, size_t len)
{
	int err = side->client ? add_turn(side, LLM_USER, text, len) : ENOTCONN;

	if (err)
		return err;
	for (size_t i = 0; i < side->turns_len; ++i)
		side->history[i] =
			(struct llm_turn){side->turns[i].role, side->said.bytes + side->turns[i].at,
					  side->turns[i].len};
	side->is_answering = true;
	return send_out(side, engine_say_transcript(fresh_out(side), side->history, side->turns_len,
						    ++side->event_id));
}

static bool is_current(const struct upstream *side, const struct engine_answer *answer)
{
	return answer->event.is_number && answer->event.number == side->event_id;
}

/* True when there is something to tell. */
static bool take(struct upstream *side, struct upstream_heard *heard, int *err,
		 const struct engine_answer *answer)
{
	*heard = (struct upstream_heard){.text = answer->text, .len = answer->len};
	if (answer->kind == ENGINE_ANSWER_PONG) {
		heard->kind = UPSTREAM_PONG;
		return true;
	}
	if (answer->kind != ENGINE_ANSWER_WORDS)
		return false;
	if (!is_current(side, answer)) {
		++side->outdated;
		return false;
	}
	if (answer->is_final) {
		heard->kind = UPSTREAM_FINAL;
		side->is_answering = false;
		return true;
	}
	heard->kind = UPSTREAM_WORDS;
	*err = add_heard(side, answer->text, answer->len);
	return answer->len > 0;
}

int upstream_hear(struct upstream *side, struct upstream_heard *heard, unsigned timeout_ms)
{
	struct engine_answer answer;
	char *bytes;
	size_t len;
	bool is_binary;
	int err;

	if (!side->client)
		return ENOTCONN;
	for (;;) {
		err = ws_client_recv(side->client, &bytes, &len, &is_binary, timeout_ms);
		if (err)
			return err;
		if (engine_answer_parse(&answer, bytes, len) == 0 &&
		    take(side, heard, &err, &answer))
			return err;
		if (err)
			return err;
	}
}

int upstream_ping(struct upstream *side)
{
	return side->client ? send_out(side, engine_say_ping(fresh_out(side))) : ENOTCONN;
}

void upstream_close(struct upstream *side)
{
	if (!side->client)
		return;
	if (ws_client_code(side->client) == 0 &&
	    send_out(side, engine_say_close(fresh_out(side))) == 0)
		ws_client_close(side->client, 1000, CLOSE_MS);
	side->code = ws_client_code(side->client);
	side->client = mem_deref(side->client);
	side->is_answering = false;
}

int upstream_fd(const struct upstream *side)
{
	return side->client ? ws_client_fd(side->client) : -1;
}

bool upstream_is_open(const struct upstream *side)
{
	return side->client != NULL;
}

bool upstream_is_answering(const struct upstream *side)
{
	return side->is_answering;
}

unsigned upstream_outdated(const struct upstream *side)
{
	return side->outdated;
}

uint16_t upstream_code(const struct upstream *side)
{
	return side->client ? ws_client_code(side->client) : side->code;
}
