/*
 * asking.c: what a command asks a server over HTTP (see asking.h).
 */
#include "cli/asking.h"

#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "net/http_client.h"

#define CONNECT_MS 3000

struct asking {
	struct loop *loop;
	struct http_client *client;
	struct http_call *call; /* NULL: nothing is asked */
	struct url url;
	char *base; /* what the url points into */
	char headers[400];
	struct timer late;
	unsigned status;
	struct buf body;
	asking_h *handler;
	void *arg;
};

static void asking_tell(struct asking *asking, const char *why)
{
	struct asking_answer answer = {.why = why, .status = asking->status};

	asking->call = mem_deref(asking->call);
	timer_clear(&asking->loop->timers, &asking->late);
	if (!why && buf_append(&asking->body, "", 1) != 0)
		answer.why = "the answer is too long";
	if (!answer.why) {
		answer.body = asking->body.bytes;
		answer.len = asking->body.len - 1;
	}
	asking->handler(&answer, asking->arg);
}

static void asking_on_head(const struct http_client_parse *head, void *arg)
{
	struct asking *asking = arg;

	asking->status = head->status;
}

static void asking_on_body(const char *bytes, size_t n, void *arg)
{
	struct asking *asking = arg;

	if (buf_append(&asking->body, bytes, n) != 0)
		asking_tell(asking, "the answer is too long");
}

static void asking_on_done(int err, const char *why, void *arg)
{
	char longer[512];

	if (err == EKEYREJECTED) {
		snprintf(longer, sizeof(longer), "%s; --ca FILE names one", why);
		why = longer;
	}
	asking_tell(arg, err ? why : NULL);
}

static void asking_on_late(void *arg)
{
	asking_tell(arg, "no answer");
}

int asking_get(struct asking *asking, const char *path, asking_h *handler, void *arg)
{
	static const struct http_call_handlers handlers = {asking_on_head, asking_on_body,
							   asking_on_done};
	const struct http_call_options options = {.url = &asking->url,
						  .method = "GET",
						  .path = path,
						  .headers = asking->headers,
						  .connect_ms = CONNECT_MS,
						  .answer_max = ASKING_ANSWER_MAX};
	int err;

	assert(!asking->call);
	asking->handler = handler;
	asking->arg = arg;
	asking->status = 0;
	asking->body.len = 0;
	err = http_client_call(&asking->call, asking->client, &options, &handlers, asking);
	if (!err)
		timer_set(&asking->loop->timers, &asking->late, UINT64_C(1000) * ASKING_WITHIN_MS,
			  asking_on_late, asking);
	else
		asking->call = mem_deref(asking->call);
	return err;
}

static void asking_destroy(void *object)
{
	struct asking *asking = object;

	timer_clear(&asking->loop->timers, &asking->late);
	mem_deref(asking->call);
	mem_deref(asking->client);
	mem_deref(asking->base);
	buf_reset(&asking->body);
}

/* A key is pasted, and may have come with something that would be a header of its own. */
static bool asking_is_sendable(const char *key)
{
	for (; *key > ' ' && *key < 0x7f; ++key)
		;
	return *key == '\0';
}

static int asking_set_key(struct asking *asking, const char *key)
{
	int n;

	if (!key)
		return 0;
	n = snprintf(asking->headers, sizeof(asking->headers), "Authorization: Bearer %s\r\n", key);
	return asking_is_sendable(key) && n > 0 && (size_t)n < sizeof(asking->headers) ? 0 : EINVAL;
}

static int asking_set_url(struct asking *asking, const char *base)
{
	size_t size = strlen(base) + 1;

	asking->base = mem_zalloc(size, NULL);
	if (!asking->base)
		return ENOMEM;
	memcpy(asking->base, base, size);
	return url_parse(&asking->url, asking->base);
}

/* The system's authorities are read only for a server that must prove its name: it
 * takes longer than asking. */
static int asking_open_client(struct asking *asking, const char *ca_file, char *why,
			      size_t why_size)
{
	struct tls *tls = NULL;
	int err = 0;

	if (asking->url.is_tls)
		err = tls_client_alloc(&tls, ca_file, why, why_size);
	if (!err)
		err = http_client_alloc(&asking->client, asking->loop, tls);
	mem_deref(tls);
	return err;
}

int asking_alloc(struct asking **askingp, struct loop *loop, const struct asking_place *place,
		 char *why, size_t why_size)
{
	struct asking *asking = mem_zalloc(sizeof(*asking), NULL);
	int err;

	snprintf(why, why_size, "out of memory");
	if (!asking)
		return ENOMEM;
	asking->loop = loop;
	buf_init(&asking->body, ASKING_ANSWER_MAX);
	mem_set_destructor(asking, asking_destroy);
	err = asking_set_url(asking, place->base);
	if (err == EINVAL)
		snprintf(why, why_size, "it is not an http(s) address");
	if (!err) {
		err = asking_set_key(asking, place->key);
		if (err)
			snprintf(why, why_size,
				 "the key is not one: it has blanks, or is too long");
	}
	if (!err)
		err = asking_open_client(asking, place->ca_file, why, why_size);
	if (err)
		mem_deref(asking);
	else
		*askingp = asking;
	return err;
}
