/*
 * auth.c: whose request it is.
 *
 * A key comes in one of several carriers; the first that is there counts.  The
 * store is asked off the loop, and the request waits, which the client may not:
 * then the question is forgotten.  The body of a request is not read before its
 * key is known to be good.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "account/scopes.h"
#include "base/clock.h"
#include "base/count.h"
#include "base/mem.h"
#include "server/routes.h"
#include "server/server_private.h"
#include "session/denial.h"

/* Longer than any key with a region in front. */
#define KEY_TEXT_MAX 256

struct pending_auth {
	struct route_call call; /* holds its request, and its member while the body is read */
	struct members_check *check;
	unsigned scopes;
	route_h *next;
	bool is_passed_on; /* the client's going away is the handler's matter */
};

/* ElevenLabs' clients have the last two. */
static const char *const query_names[] = {"api_key", "token", "master_key", "authorization",
					  "single_use_token"};
static const char *const header_names[] = {"x-api-key", "xi-api-key", "x-vapi-secret"};

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

/* What stands behind "Bearer ", or NULL. */
static const char *behind_bearer(const char *value)
{
	static const char bearer[] = "bearer ";

	if (strncasecmp(value, bearer, strlen(bearer)) != 0)
		return NULL;
	value += strlen(bearer);
	return value + strspn(value, " ");
}

static int key_from_header(char text[KEY_TEXT_MAX], const struct http_request *request)
{
	const char *value = http_header(request, "authorization");

	if (value && behind_bearer(value)) {
		value = behind_bearer(value);
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
		if (http_query(request, query_names[i], text, KEY_TEXT_MAX) == 0) {
			const char *key = behind_bearer(text);

			if (key)
				memmove(text, key, strlen(key) + 1);
			return 0;
		}
		return copy_key(text, raw, len);
	}
	return ENOENT;
}

static void pending_destroy(void *object)
{
	struct pending_auth *pending = object;

	if (!pending->is_passed_on)
		http_on_gone(pending->call.request, NULL, NULL);
	if (pending->check)
		members_forget(pending->check);
	mem_deref(pending->call.member);
	mem_deref(pending->call.request);
}

static void on_client_gone(void *arg)
{
	mem_deref(arg);
}

static void refuse_scopes(const struct pending_auth *pending)
{
	char names[SCOPES_TEXT_SIZE];
	char detail[SCOPES_TEXT_SIZE + 32];

	scopes_print(names, pending->scopes & ~AUTH_AS_TURN);
	for (char *p = names; (p = strchr(p, ','));)
		*p = '|';
	snprintf(detail, sizeof(detail), "the key lacks the scope %s", names);
	answer_error(&pending->call, WIRE_ERROR_FORBIDDEN, detail);
}

/* A request that is no turn is one of those of a minute. */
static bool count_request(const struct pending_auth *pending, struct member *member)
{
	struct denied denied;
	struct stream_fault fault;
	bool may = true;

	if (pending->scopes & AUTH_AS_TURN)
		return true;
	may = member_request(member, &denied);
	answer_rate(pending->call.request, member);
	if (may)
		return true;
	denial_describe(&fault, &denied);
	answer_fault(&pending->call, &fault);
	return false;
}

/* The request is complete.  Ends the pending one. */
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

	pending->call.begun_us = clock_monotonic_us(); /* the time the client took does not count */
	auth_pass_on(pending);
}

/* The key is valid.  Ends the pending one, or leaves that to the end of the body. */
static void auth_admit(struct pending_auth *pending, struct member *member)
{
	const struct store_key *key = member_key(member);
	int err = EACCES;

	http_present_key(pending->call.request);
	if (!(pending->scopes & AUTH_OPTIONAL) && !(key->scopes & pending->scopes)) {
		refuse_scopes(pending);
	} else if (count_request(pending, member)) {
		pending->call.member = mem_ref(member);
		pending->call.key = key;
		err = http_read_body(pending->call.request, auth_on_body, pending);
	}
	if (!err)
		auth_pass_on(pending);
	else if (err != EINPROGRESS)
		mem_deref(pending); /* it was answered, or the client is gone */
}

/* The upgrade of a native socket is refused as their ingress does it; calls have the status of
 * the documented table. */
static enum wire_error_id wrong_key(const struct http_request *request)
{
	static const char sockets[] = "/ws/";

	return strncmp(request->path, sockets, strlen(sockets)) == 0 ? WIRE_ERROR_FORBIDDEN
								     : WIRE_ERROR_WRONG_KEY;
}

static void on_checked(int err, struct member *member, void *arg)
{
	struct pending_auth *pending = arg;

	pending->check = NULL;
	if (!err) {
		auth_admit(pending, member);
		return;
	}
	answer_error(&pending->call,
		     err == EACCES ? wrong_key(pending->call.request) : WIRE_ERROR_NO_KEYS, NULL);
	mem_deref(pending);
}

static int ask(const struct route_call *call, unsigned scopes, route_h *next, const char *text)
{
	struct pending_auth *pending = mem_zalloc(sizeof(*pending), NULL);
	const char *door = routes_door(call->request->path);
	int err;

	if (!pending)
		return ENOMEM;
	pending->call = *call;
	pending->scopes = scopes;
	pending->next = next;
	mem_ref(call->request);
	mem_set_destructor(pending, pending_destroy);
	err = members_check(&pending->check, call->server->members, text, strlen(text),
			    door ? door : call->request->path, on_checked, pending);
	if (err)
		mem_deref(pending);
	else
		http_on_gone(call->request, on_client_gone, pending);
	return err;
}

bool auth_has_key(const struct http_request *request)
{
	char text[KEY_TEXT_MAX];
	bool has_key = key_from_header(text, request) == 0 || key_from_query(text, request) == 0;

	explicit_bzero(text, sizeof(text));
	return has_key;
}

void auth_request(const struct route_call *call, unsigned scopes, route_h *next)
{
	char text[KEY_TEXT_MAX];
	bool has_key = key_from_header(text, call->request) == 0 ||
		       key_from_query(text, call->request) == 0;

	if (!has_key && (scopes & AUTH_OPTIONAL))
		next(call);
	else if (!has_key)
		answer_error(call, WIRE_ERROR_MISSING_KEY, NULL);
	else if (ask(call, scopes, next, text) != 0)
		answer_error(call, WIRE_ERROR_INTERNAL, NULL);
	explicit_bzero(text, sizeof(text));
}
