/*
 * auth.c: checks the API key of a request.
 *
 * A key may be in one of several headers and parameters; the first one found counts.  The store is
 * asked on another thread while the request waits; if the client disconnects meanwhile, the result
 * is dropped.  The body of a request is not read before its key is known to be valid.  Runs on the
 * loop's thread.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "account/scopes.h"
#include "base/clock.h"
#include "base/mem.h"
#include "server/routes.h"
#include "server/server_private.h"
#include "session/denial.h"

/* Longer than any key with a region prefix. */
#define KEY_TEXT_MAX 256

struct pending_auth {
	/* With references to its request and, while the body is read, to its caller. */
	struct route_call call;
	struct callers_check *check;
	unsigned scopes;
	route_h *next;
	bool is_passed_on; /* the handler is responsible if the client disconnects */
};

static int auth_copy_key(char text[KEY_TEXT_MAX], const char *value, size_t len)
{
	if (len == 0)
		return ENOENT;
	if (len >= KEY_TEXT_MAX)
		/* Too long for a key, so it will be refused as an invalid one. */
		len = KEY_TEXT_MAX - 1;
	memcpy(text, value, len);
	text[len] = '\0';
	return 0;
}

/* Returns what follows "Bearer ", or NULL. */
static const char *auth_after_bearer(const char *value)
{
	static const char bearer[] = "bearer ";

	if (strncasecmp(value, bearer, strlen(bearer)) != 0)
		return NULL;
	value += strlen(bearer);
	return value + strspn(value, " ");
}

static int auth_find_in_headers(char text[KEY_TEXT_MAX], const struct route_call *call)
{
	const struct http_request *request = call->request;
	const char *value = http_header(request, "authorization");

	if (value && auth_after_bearer(value)) {
		value = auth_after_bearer(value);
		return auth_copy_key(text, value, strlen(value));
	}
	for (const struct door *const *door = call->server->doors; *door; ++door) {
		for (const char *const *name = (*door)->key_headers; name && *name; ++name) {
			value = http_header(request, *name);
			if (value)
				return auth_copy_key(text, value, strlen(value));
		}
	}
	return ENOENT;
}

/* Some clients put the key into the query unencoded, others percent-encoded.  '+' and '%' are the
 * only characters for which the difference matters. */
static int auth_take_from_query(char text[KEY_TEXT_MAX], const struct http_request *request,
				const char *name)
{
	size_t len;
	const char *raw = http_query_raw(request, name, &len);
	const char *key;

	if (!raw || len == 0)
		return ENOENT;
	if (http_query(request, name, text, KEY_TEXT_MAX) != 0)
		return auth_copy_key(text, raw, len);
	key = auth_after_bearer(text);
	if (key)
		memmove(text, key, strlen(key) + 1);
	return 0;
}

static int auth_find_key(char text[KEY_TEXT_MAX], const struct route_call *call)
{
	if (auth_find_in_headers(text, call) == 0)
		return 0;
	for (const struct door *const *door = call->server->doors; *door; ++door) {
		for (const char *const *name = (*door)->key_queries; name && *name; ++name) {
			if (auth_take_from_query(text, call->request, *name) == 0)
				return 0;
		}
	}
	return ENOENT;
}

static void auth_pending_destroy(void *object)
{
	struct pending_auth *pending = object;

	if (!pending->is_passed_on)
		http_on_gone(pending->call.request, NULL, NULL);
	if (pending->check)
		callers_check_cancel(pending->check);
	mem_deref(pending->call.caller);
	mem_deref(pending->call.request);
}

static void auth_on_client_gone(void *arg)
{
	mem_deref(arg);
}

static void auth_refuse_scopes(const struct pending_auth *pending)
{
	char names[SCOPES_TEXT_SIZE];
	char detail[SCOPES_TEXT_SIZE + 32];

	scopes_print(names, pending->scopes & ~AUTH_FLAGS);
	for (char *p = names; (p = strchr(p, ','));)
		*p = '|';
	snprintf(detail, sizeof(detail), "the key lacks the scope %s", names);
	answer_error(&pending->call, WIRE_ERROR_FORBIDDEN, detail);
}

/* A request that does not begin a turn counts towards the requests per minute. */
static bool auth_count_request(const struct pending_auth *pending, struct caller *caller)
{
	struct denied denied;
	struct stream_fault fault;
	bool may = true;

	if (pending->scopes & AUTH_AS_TURN)
		return true;
	may = caller_request(caller, &denied);
	answer_rate(pending->call.request, caller);
	if (may)
		return true;
	denial_describe(&fault, &denied);
	answer_fault(&pending->call, &fault);
	return false;
}

/* The request is complete: calls the handler and releases `pending`. */
static void auth_pass_on(void *arg)
{
	struct pending_auth *pending = arg;

	http_on_gone(pending->call.request, NULL, NULL);
	pending->is_passed_on = true;
	pending->next(&pending->call);
	mem_deref(pending);
}

static void auth_on_body(void *arg)
{
	struct pending_auth *pending = arg;

	/* The time that the client took to send the body does not count. */
	pending->call.begun_us = clock_monotonic_us();
	auth_pass_on(pending);
}

/* The key is valid.  Releases `pending`, unless its body must be read first. */
static void auth_admit(struct pending_auth *pending, struct caller *caller)
{
	const struct store_key *key = caller_key(caller);
	int err = EACCES;

	http_present_key(pending->call.request);
	if (!(pending->scopes & AUTH_OPTIONAL) && !(key->scopes & pending->scopes)) {
		auth_refuse_scopes(pending);
	} else if (auth_count_request(pending, caller)) {
		pending->call.caller = mem_ref(caller);
		pending->call.key = key;
		err = pending->scopes & AUTH_STREAMED
			      ? 0
			      : http_read_body(pending->call.request, auth_on_body, pending);
	}
	if (!err)
		auth_pass_on(pending);
	else if (err != EINPROGRESS)
		mem_deref(pending); /* it has been answered, or the client is gone */
}

static void auth_on_checked(int err, struct caller *caller, void *arg)
{
	struct pending_auth *pending = arg;

	pending->check = NULL;
	if (!err) {
		auth_admit(pending, caller);
		return;
	}
	if (err != EACCES)
		answer_error(&pending->call, WIRE_ERROR_NO_KEYS, NULL);
	else if (pending->scopes & AUTH_FORBIDS)
		answer_error(&pending->call, WIRE_ERROR_FORBIDDEN, NULL);
	else
		answer_error(&pending->call, WIRE_ERROR_WRONG_KEY, NULL);
	mem_deref(pending);
}

static int auth_ask(const struct route_call *call, unsigned scopes, route_h *next, const char *text)
{
	struct pending_auth *pending = mem_zalloc(sizeof(*pending), NULL);
	const char *token_path = routes_token_path(call->server->doors, call->request->path);
	int err;

	if (!pending)
		return ENOMEM;
	pending->call = *call;
	pending->scopes = scopes;
	pending->next = next;
	mem_ref(call->request);
	mem_set_destructor(pending, auth_pending_destroy);
	err = callers_check(&pending->check, call->server->callers, text, strlen(text),
			    token_path ? token_path : call->request->path, auth_on_checked,
			    pending);
	if (err)
		mem_deref(pending);
	else
		http_on_gone(call->request, auth_on_client_gone, pending);
	return err;
}

void auth_request(const struct route_call *call, unsigned scopes, route_h *next)
{
	char text[KEY_TEXT_MAX];
	bool has_key = auth_find_key(text, call) == 0;

	if (!has_key && (scopes & (AUTH_OPTIONAL | AUTH_IN_BAND)))
		next(call);
	else if (!has_key)
		answer_error(call, WIRE_ERROR_MISSING_KEY, NULL);
	else if (auth_ask(call, scopes, next, text) != 0)
		answer_error(call, WIRE_ERROR_INTERNAL, NULL);
	explicit_bzero(text, sizeof(text));
}
