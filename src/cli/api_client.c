/*
 * api_client.c: HTTP requests of commands (see api_client.h).
 */
#include "cli/api_client.h"

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

struct api_client {
	struct loop *loop;
	struct http_client *http;
	struct http_call *call; /* NULL if there is no request */
	struct url url;
	char *base; /* the text that the URL points into */
	char headers[400];
	struct timer timeout;
	unsigned status;
	struct buf body;
	api_client_h *handler;
	void *arg;
};

static void api_client_report(struct api_client *client, const char *why)
{
	struct api_client_answer answer = {.why = why, .status = client->status};

	client->call = mem_deref(client->call);
	timer_clear(&client->loop->timers, &client->timeout);
	if (!why && buf_append(&client->body, "", 1) != 0)
		answer.why = "the answer is too long";
	if (!answer.why) {
		answer.body = client->body.bytes;
		answer.len = client->body.len - 1;
	}
	client->handler(&answer, client->arg);
}

static void api_client_on_head(const struct http_client_parse *head, void *arg)
{
	struct api_client *client = arg;

	client->status = head->status;
}

static void api_client_on_body(const char *bytes, size_t n, void *arg)
{
	struct api_client *client = arg;

	if (buf_append(&client->body, bytes, n) != 0)
		api_client_report(client, "the answer is too long");
}

static void api_client_on_done(int err, const char *why, void *arg)
{
	char longer[512];

	if (err == EKEYREJECTED) {
		snprintf(longer, sizeof(longer), "%s; --ca FILE names one", why);
		why = longer;
	}
	api_client_report(arg, err ? why : NULL);
}

static void api_client_on_timeout(void *arg)
{
	api_client_report(arg, "no answer");
}

int api_client_get(struct api_client *client, const char *path, api_client_h *handler, void *arg)
{
	static const struct http_call_handlers handlers = {api_client_on_head, api_client_on_body,
							   api_client_on_done};
	const struct http_call_options options = {.url = &client->url,
						  .method = "GET",
						  .path = path,
						  .headers = client->headers,
						  .connect_ms = CONNECT_MS,
						  .answer_max = API_CLIENT_ANSWER_MAX};
	int err;

	assert(!client->call);
	client->handler = handler;
	client->arg = arg;
	client->status = 0;
	client->body.len = 0;
	err = http_client_call(&client->call, client->http, &options, &handlers, client);
	if (!err)
		timer_set(&client->loop->timers, &client->timeout,
			  UINT64_C(1000) * API_CLIENT_TIMEOUT_MS, api_client_on_timeout, client);
	else
		client->call = mem_deref(client->call);
	return err;
}

static void api_client_destroy(void *object)
{
	struct api_client *client = object;

	timer_clear(&client->loop->timers, &client->timeout);
	mem_deref(client->call);
	mem_deref(client->http);
	mem_deref(client->base);
	buf_reset(&client->body);
}

/* A key may have been pasted together with characters that would make another header line. */
static bool api_client_is_sendable(const char *key)
{
	for (; *key > ' ' && *key < 0x7f; ++key)
		;
	return *key == '\0';
}

static int api_client_set_key(struct api_client *client, const char *key)
{
	int n;

	if (!key)
		return 0;
	n = snprintf(client->headers, sizeof(client->headers), "Authorization: Bearer %s\r\n", key);
	return api_client_is_sendable(key) && n > 0 && (size_t)n < sizeof(client->headers) ? 0
											   : EINVAL;
}

static int api_client_set_url(struct api_client *client, const char *base)
{
	size_t size = strlen(base) + 1;

	client->base = mem_zalloc(size, NULL);
	if (!client->base)
		return ENOMEM;
	memcpy(client->base, base, size);
	return url_parse(&client->url, client->base);
}

/* The system's certificate authorities are loaded only for a server that must prove its name,
 * because loading them takes longer than the request. */
static int api_client_open_http(struct api_client *client, const char *ca_file, char *why,
				size_t why_size)
{
	struct tls *tls = NULL;
	int err = 0;

	if (client->url.is_tls)
		err = tls_client_alloc(&tls, ca_file, why, why_size);
	if (!err)
		err = http_client_alloc(&client->http, client->loop, tls);
	mem_deref(tls);
	return err;
}

int api_client_alloc(struct api_client **clientp, struct loop *loop,
		     const struct api_client_options *options, char *why, size_t why_size)
{
	struct api_client *client = mem_zalloc(sizeof(*client), NULL);
	int err;

	snprintf(why, why_size, "out of memory");
	if (!client)
		return ENOMEM;
	client->loop = loop;
	buf_init(&client->body, API_CLIENT_ANSWER_MAX);
	mem_set_destructor(client, api_client_destroy);
	err = api_client_set_url(client, options->base);
	if (err == EINVAL)
		snprintf(why, why_size, "it is not an http(s) address");
	if (!err) {
		err = api_client_set_key(client, options->key);
		if (err)
			snprintf(why, why_size,
				 "this is not a valid key: it contains spaces or is too long");
	}
	if (!err)
		err = api_client_open_http(client, options->ca_file, why, why_size);
	if (err)
		mem_deref(client);
	else
		*clientp = client;
	return err;
}
