/*
 * door.h: a vendor's API as the server sees it: data, and no vendor's name.
 *
 * A door has routes, the places where its clients put their keys, and the shape of its errors.
 * The doors themselves are in src/doors, above the server, which is given a list of them.  All
 * of it is constant, and may be read by any thread.
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

/* A request on its way to its handler.  Lent for the handler's call: one that answers later keeps
 * a copy, and a reference to the request. */
struct route_call {
	struct server *server;
	struct http_request *request;
	const struct route *route; /* NULL: the path has none */
	const struct door *door; /* whose client it is, by its path and its key's header */
	struct member
		*member; /* NULL: a route that needs no key, or a key that is yet to come; lent */
	const struct store_key *key; /* the member's */
	int64_t ids[ROUTE_IDS_MAX]; /* what the path has for {id}; 0: it is not a number */
	const char *id_texts[ROUTE_IDS_MAX]; /* the same as it was written, up to the next '/' */
	char request_id[REQUEST_ID_LEN + 1];
	uint64_t begun_us;
};
typedef void(route_h)(const struct route_call *call);

/* A request is counted, and answered with 429 when there were too many, unless this is among the
 * scopes: a turn is counted when it begins. */
#define AUTH_AS_TURN (1u << 31)
/* A request without a key is answered too, with no member.  Programs call such routes to check a
 * key, so an invalid one is refused.  The scopes of a valid one are not checked: a handler whose
 * answer depends on the key must check them itself. */
#define AUTH_OPTIONAL (1u << 30)
/* A wrong key is answered with 403 instead of 401. */
#define AUTH_FORBIDS (1u << 29)
/* A request without a key gets a WebSocket: its key may be in the first message. */
#define AUTH_IN_BAND (1u << 28)
#define AUTH_FLAGS (AUTH_AS_TURN | AUTH_OPTIONAL | AUTH_FORBIDS | AUTH_IN_BAND)

/* The scopes of which a key must have one to see the voices of its project. */
#define AUTH_SEE_VOICES (STORE_SCOPE_READ | STORE_SCOPE_SPEAK)
/* What a key needs to speak.  A token can be made for the routes that have this. */
#define AUTH_SPEAK (STORE_SCOPE_SPEAK | AUTH_AS_TURN)

struct config;
struct engine_token_rules;
struct speech_api;
struct tts_socket_api;
struct voice;
struct voices;

/* Finds a voice by the name that an API's clients use. */
typedef const struct voice *(door_voice_h)(const struct config *config, const struct voices *voices,
					   int64_t project_id, const char *name, size_t len);

struct route {
	const char *method;
	const char *path; /* {id} is one part of it, of any content */
	unsigned scopes; /* of which a key must have one, and flags; 0: anyone may */
	route_h *handler;
	size_t body_max; /* 0: HTTP_BODY_MAX */
	const struct speech_api *speech; /* for speech_http_speak */
	const struct tts_socket_api *socket; /* for opening_start */
	const char *token_path; /* of the route whose tokens are also for this one; NULL: its own */
};

struct door_header {
	const char *name, *value;
};

/* Lists of strings end with NULL; a list that is NULL is empty. */
struct door {
	const char *name;
	const struct route *routes; /* up to one without a path */
	const char *prefix; /* the routes are also served below it; NULL: they are not */

	/* Where keys are.  They are taken from any door's places at every route: the first that is
	 * there, in the order of the doors. */
	const char *const *key_headers;
	const char *const *key_queries;

	const struct error_shape *errors;
	/* Paths at which every client is one of this door's.  All lists of paths hold their
	 * beginnings; "/" is every path. */
	const char *const *paths;
	/* Paths at which clients that send this header are, unless the path is in another door's
	 * `paths`.  Where doors share a route, such a client gets this door's. */
	const char *client_header;
	const char *const *client_paths;
	/* Paths at which clients are this door's unless one of the rules above says otherwise. */
	const char *const *shared_paths;

	const char *request_id_header; /* has the id of each request to its paths; NULL: none */
	/* Of the speech engines that connect to agents; NULL: it has none. */
	const struct engine_token_rules *engine_tokens;
	/* Added to all generated speech, at every door's routes. */
	struct door_header speech_header;
};

/* The door whose client_header a request has, or NULL.  Of several it is the last in the list: a
 * name like X-API-Key says less than one with a vendor in it, and its door comes first. */
const struct door *door_client(const struct door *const *doors, const struct http_request *request);

/* The door whose errors a client of the path reads, `own` where no door has the path.  `client` is
 * door_client's. */
const struct door *door_of(const struct door *const *doors, const struct door *own,
			   const char *path, const struct door *client);

#endif
