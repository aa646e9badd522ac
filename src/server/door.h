/*
 * door.h: a vendor's API as the server sees it.  This is data; nothing here names a vendor.
 *
 * A door has routes, the places where its clients put their keys, and the format of its errors.
 * The doors themselves are in src/doors, above the server, which is given a list of them;
 * doors/doors.h explains how to add one.  All of it is constant and may be read from any thread.
 */
#ifndef SERVER_DOOR_H
#define SERVER_DOOR_H

#include <stddef.h>
#include <stdint.h>

#include "net/http.h"
#include "store/store.h"
#include "wire/error_shape.h"

struct server;

#define ROUTE_IDS_MAX 2
#define REQUEST_ID_LEN 20 /* "req_" and 16 hex digits */

/* A request and what is known about it when its handler is called.  All pointers are borrowed, and
 * those that belong to the request or the caller are valid only during the call.  A handler that
 * answers later copies the struct and takes a reference (mem_ref) to `request`, and one to `caller`
 * if it uses the caller or its key later.  The server, the route and the door outlive every
 * request. */
struct route_call {
	struct server *server;
	struct http_request *request;
	const struct route *route; /* NULL: no route has this path and method */
	/* The API that the client uses (door_of): errors are in its format. */
	const struct door *door;
	/* NULL: the route needs no key, none was sent (AUTH_OPTIONAL), or it has not been received
	 * yet (AUTH_IN_BAND). */
	struct caller *caller;
	const struct store_key *key; /* belongs to the caller; NULL: there is no caller */
	/* The value of each {id} in the path; 0 if it is not a number. */
	int64_t ids[ROUTE_IDS_MAX];
	/* The same as text, inside request->path.  A text ends at the next '/' or at the end of the
	 * path, so its length is strcspn(text, "/"). */
	const char *id_texts[ROUTE_IDS_MAX];
	char request_id[REQUEST_ID_LEN + 1];
	/* clock_monotonic_us() when the head had arrived, or the body if that came later. */
	uint64_t begun_us;
};
typedef void(route_h)(const struct route_call *call);

/* Flag among the scopes: the request does not count towards the rate limit (429), because the turn
 * that it begins will. */
#define AUTH_AS_TURN (1u << 31)
/* Flag: a request without a key is also answered, with caller NULL.  Programs use such routes to
 * check a key, so an invalid key is refused.  The scopes of a valid key are not checked: a handler
 * whose answer depends on them must check them itself. */
#define AUTH_OPTIONAL (1u << 30)
/* Flag: an invalid key is answered with 403 instead of 401; a missing key still with 401. */
#define AUTH_FORBIDS (1u << 29)
/* Flag: a request without a key gets a WebSocket, because its key may be in the first message. */
#define AUTH_IN_BAND (1u << 28)
/* Flag: the handler reads the body itself, piece by piece (http_stream_body). */
#define AUTH_STREAMED (1u << 27)
#define AUTH_FLAGS (AUTH_AS_TURN | AUTH_OPTIONAL | AUTH_FORBIDS | AUTH_IN_BAND | AUTH_STREAMED)

/* A key must have one of these scopes to see the voices of its project. */
#define AUTH_SEE_VOICES (STORE_SCOPE_READ | STORE_SCOPE_SPEAK)
/* What a key needs to speak.  Tokens can be made for routes that have all of these bits. */
#define AUTH_SPEAK (STORE_SCOPE_SPEAK | AUTH_AS_TURN)

struct buf;
struct config;
struct engine_token_rules;
struct resource;
struct speech_api;
struct transcription_api;
struct tts_socket_api;
struct voice;
struct voices;

/* Finds a voice by the name that an API's clients use. */
typedef const struct voice *(door_voice_h)(const struct config *config, const struct voices *voices,
					   int64_t project_id, const char *name, size_t len);

struct route {
	const char *method;
	const char *path; /* {id} matches one path segment of any content */
	/* A key must have one of these scopes; also has the AUTH_ flags.  0: no key is needed. */
	unsigned scopes;
	route_h *handler;
	size_t body_max; /* 0: HTTP_BODY_MAX */
	/* Four kinds of handlers need data: resource_list, resource_get, resource_add,
	 * resource_change and resource_remove (resource.h) need `resource`; speech_http_speak
	 * (speech_http.h) needs `speech`; transcription_http_hear (transcription_http.h) needs
	 * `transcription`; opening_start (opening.h) needs `socket`.  For all other handlers these
	 * are NULL. */
	const struct resource *resource;
	const struct speech_api *speech;
	const struct transcription_api *transcription;
	const struct tts_socket_api *socket;
	/* A single-use token is made for the path of one route.  If this names the path of another
	 * route, tokens for that route are valid for this one too, and a token that is requested
	 * for this route is made for that one.  NULL: only tokens for this route are valid. */
	const char *token_path;
};

/* Checks the configuration of an API.  Returns EINVAL, with one line per mistake. */
typedef int(door_check_h)(const struct config *config, struct buf *mistakes);

struct door_header {
	const char *name, *value;
};

/* Lists of strings end with NULL; a list may also be NULL if it is empty. */
struct door {
	const char *name;
	const struct route *routes; /* terminated by a route without a path */
	/* A prefix under which the routes are also served; NULL: none.  With "/vendor", the route
	 * /v1/voices is also at /vendor/v1/voices, which works even if another door has the same
	 * route. */
	const char *prefix;

	/* The headers and query parameters that may contain a key.  Every route accepts keys from
	 * the places of all doors and uses the first one found: in "Authorization: Bearer", then in
	 * the headers in the order of the doors, then in the query parameters in that order. */
	const char *const *key_headers;
	const char *const *key_queries;

	const struct error_shape *errors;
	/* These lists decide which door a client belongs to (door_of).  They contain prefixes of
	 * paths, so "/" matches every path.  The first rule that matches decides:
	 *
	 *   1. A door has the path in `paths`.  If several have, the longest prefix counts.
	 *   2. The request has the client_header of a door (door_client), and that door has the
	 *      path in client_paths.
	 *   3. A door has the path in shared_paths.  If several have, the first door counts.
	 *   4. None of these: the client belongs to the server's own door.
	 *
	 * For example, A has `paths` /v1/words; B has the client_header B-Key and client_paths /;
	 * C has shared_paths /v1/models.  Then /v1/words belongs to A, even if B-Key is sent.
	 * /v1/models belongs to B if B-Key is sent, and otherwise to C.
	 *
	 * Which route answers is a separate decision: if several doors have a route for the path, a
	 * request with a client_header gets that door's route, whatever the lists of paths say. */
	const char *const *paths;
	const char *client_header;
	const char *const *client_paths;
	const char *const *shared_paths;

	/* Resolves the names that its clients use for voices.  Other doors' routes that show a
	 * voice accept them too.  NULL: there are no such names. */
	door_voice_h *find_voice;
	/* Checks its part of the configuration.  Mistakes are errors for `syrinx check`, and
	 * warnings for a server that starts.  NULL: there is nothing to check. */
	door_check_h *check_config;

	/* How forms with recordings are read for its clients, also on the route of another door (see
	 * transcription_http.h); NULL: as the route says. */
	const struct transcription_api *transcription;

	/* A response header with the request's id, for its clients, in addition to x-request-id,
	 * which every answer has; NULL: none. */
	const char *request_id_header;
	/* The token rules for speech engines that connect to agents; NULL: it has none. */
	const struct engine_token_rules *engine_tokens;
	/* Response headers that web pages may read (CORS), on the routes of every door. */
	const char *const *exposed_headers;
	/* A header that marks speech as generated.  Its name is a vendor's, so that vendor's door
	 * defines it; but all speech is generated, so it is added on the routes of every door. */
	struct door_header speech_header;
};

/* Returns the door whose client_header the request has, or NULL.  If several match, the last in the
 * list wins: a generic name such as X-API-Key says less than one that contains a vendor's name, and
 * its door comes first in the list. */
const struct door *door_client(const struct door *const *doors, const struct http_request *request);

/* Returns the door that a client of the path belongs to, by the rules in struct door.  `own` is the
 * server's own door (routes_own); `client` is the result of door_client. */
const struct door *door_of(const struct door *const *doors, const struct door *own,
			   const char *path, const struct door *client);

/* Collects the mistakes that all doors find in the configuration.  Returns EINVAL if there are
 * any. */
int door_check_config(const struct door *const *doors, const struct config *config,
		      struct buf *mistakes);

#endif
