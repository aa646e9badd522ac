/*
 * auth.c: whose request it is.
 *
 * A key comes in one of several carriers; the first that is there counts.  The
 * store is asked off the loop, and the request waits, which the client may not:
 * then the question is forgotten.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/count.h"
#include "base/log.h"
#include "base/mem.h"
#include "server/server_private.h"

/* Longer than any key with a region in front. */
#define KEY_TEXT_MAX 256

struct pending_auth {
	struct server *server;
	struct http_request *request;
	struct account_check *check;
	auth_next_h *next;
	char request_id[REQUEST_ID_LEN + 1];
};

static const char *const query_names[] = {"api_key", "token", "master_key"};
static const char *const header_names[] = {"x-api-key", "xi-api-key"};

static int copy_key(char text[KEY_TEXT_MAX], const char *value, size_t len)
{
	if (len == 0)
		return ENOENT;
	if (len >= KEY_TEXT_MAX)
		len = KEY_TEXT_MAX - 1; /* no key: refused as a wrong one */
	memcpy(text, value, len);
	text[len] = '\0';
	return 0;
}

static int key_from_header(char text[KEY_TEXT_MAX], const struct http_request *request)
{
	static const char bearer[] = "bearer ";
	const char *value = http_header(request, "authorization");

	if (value && strncasecmp(value, bearer, strlen(bearer)) == 0) {
		value += strlen(bearer);
		value += strspn(value, " ");
		return copy_key(text, value, strlen(value));
	}
	for (size_t i = 0; i < COUNT(header_names); ++i) {
		value = http_header(request, header_names[i]);
		if (value)
			return copy_key(text, value, strlen(value));
	}
	return ENOENT;
}

/* Some clients put the key in the query as it is, others percent-encoded; a
 * key has no character for which the difference matters but '+' and '%'. */
static int key_from_query(char text[KEY_TEXT_MAX], const struct http_request *request)
{
	for (size_t i = 0; i < COUNT(query_names); ++i) {
		size_t len;
		const char *raw = http_query_raw(request, query_names[i], &len);

		if (!raw || len == 0)
			continue;
		if (http_query(request, query_names[i], text, KEY_TEXT_MAX) == 0)
			return 0;
		return copy_key(text, raw, len);
	}
	return ENOENT;
}

static void pending_destroy(void *object)
{
	struct pending_auth *pending = object;

	http_on_gone(pending->request, NULL, NULL);
	if (pending->check)
		account_forget(pending->check);
	mem_deref(pending->request);
}

static void on_client_gone(void *arg)
{
	mem_deref(arg);
}

static void on_checked(int err, const struct store_key *key, void *arg)
{
	struct pending_auth *pending = arg;

	pending->check = NULL;
	if (!err) {
		pending->next(pending->server, pending->request, key, pending->request_id);
	} else {
		if (err != EACCES)
			log_error("auth", "the store cannot be asked: %s", strerror(err));
		answer_error(pending->server, pending->request,
			     err == EACCES ? WIRE_ERROR_WRONG_KEY : WIRE_ERROR_INTERNAL,
			     pending->request_id);
	}
	mem_deref(pending);
}

void auth_request(struct server *server, struct http_request *request, auth_next_h *next)
{
	struct pending_auth *pending;
	char text[KEY_TEXT_MAX];
	char request_id[REQUEST_ID_LEN + 1];

	answer_make_request_id(request_id);
	if (key_from_header(text, request) != 0 && key_from_query(text, request) != 0) {
		answer_error(server, request, WIRE_ERROR_MISSING_KEY, request_id);
		return;
	}
	pending = mem_zalloc(sizeof(*pending), NULL);
	if (!pending)
		goto out;
	pending->server = server;
	pending->request = mem_ref(request);
	pending->next = next;
	memcpy(pending->request_id, request_id, sizeof(request_id));
	mem_set_destructor(pending, pending_destroy);
	if (account_check(&pending->check, server->account, text, strlen(text), on_checked,
			  pending) != 0) {
		mem_deref(pending);
		goto out;
	}
	http_on_gone(request, on_client_gone, pending);
	explicit_bzero(text, sizeof(text));
	return;
out:
	explicit_bzero(text, sizeof(text));
	answer_error(server, request, WIRE_ERROR_INTERNAL, request_id);
}
