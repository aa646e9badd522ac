/*
 * server_private.h: what the files of the server share.
 *
 *   server.c      start, signals, end
 *   drain.c       the end in good order
 *   door.c        whose client a request is from
 *   routes.c      path → handler
 *   auth.c        whose request it is
 *   cors.c        which web pages may ask at all
 *   page.c        GET /: the playground
 *   health.c      GET /health, GET /ready
 *   metrics_page.c  GET /metrics
 *   siblings.c    other servers of the same data directory
 *   successor.c   a newer server in the place of this one
 *   notify.c      what the service manager is told
 *   description.c GET /openapi.json, GET /asyncapi.json
 *   tts_socket.c  a WebSocket and the session on it
 *   opening.c     a client on its way to a session
 *   socket_address.c  what the address of a WebSocket says
 *   elevenlabs_voices.c  voices as ElevenLabs' clients name them
 *   agents.c      who answers speech engines
 *   agent_rest.c  GET /v1/agents, and talking with one by an ordinary key
 *   speech_engine.c  a speech engine's WebSocket and the conversation on it
 *   speech_http.c speech as the answer to a request
 *   normalize.c   POST /v1/normalize
 *   dictionary_rest.c  /v1/dictionaries and what is below it
 *   dictionary_errand.c  what requests about dictionaries have in common
 *   dictionary_json.c  dictionaries and their entries as JSON
 *   pronunciation_rest.c  the same for ElevenLabs' clients
 *   pronunciation_view.c  what they see of a dictionary
 *   pronunciation_form.c  a dictionary that they send as a file
 *   errand.c      a request whose answer is the store's
 *   listing.c     pages of lists
 *   account_rest.c  /v1/admin/accounts, their top-ups and projects
 *   key_rest.c    /v1/admin/keys
 *   account_json.c  accounts, projects, keys and top-ups as JSON
 *   token_rest.c  POST /v1/tokens
 *   usage_rest.c  /v1/usage and its turns
 *   voice_rest.c  GET /v1/voices and a voice of it
 *   voice_search.c  GET /v2/voices, for ElevenLabs' clients
 *   voice_settings.c  /v1/voices/{id}/settings, for ElevenLabs' clients
 *   voice_change.c  POST, PATCH and DELETE of them: derived voices
 *   voice_sample.c  what a derived voice sounds like
 *   model_rest.c  /v1/models
 *   user_rest.c   /v1/user, /v1/history: what other vendors' clients ask at their start
 *   tariff.c      plans and prices
 *   query.c       what stands behind the '?'
 */
#ifndef SERVER_SERVER_PRIVATE_H
#define SERVER_SERVER_PRIVATE_H

#include "account/account.h"
#include "account/derived_voices.h"
#include "account/dictionaries.h"
#include "account/members.h"
#include "base/buf.h"
#include "base/list.h"
#include "llm/llm.h"
#include "loop/folder.h"
#include "loop/loop.h"
#include "net/handover.h"
#include "net/http.h"
#include "net/listener.h"
#include "net/tls.h"
#include "server/config.h"
#include "server/door.h"
#include "server/handlers.h"
#include "server/server.h"
#include "server/siblings.h"
#include "server/tariff.h"
#include "session/services.h"
#include "speech/pool.h"
#include "wire/fault.h"

#define SERVER_SIGNALS 5 /* that are watched */

/* The store could not be reached at the start (store_wait.c). */
struct store_wait {
	bool is_waiting;
	bool is_hopeless; /* an operator must fix it; set by the thread */
	uint64_t pause_us;
	struct timer timer;
};

struct server {
	const struct config *config;
	const struct door *const *doors; /* up to a NULL */
	const struct server_events *events;
	struct loop *loop;
	struct account *account;
	struct members *members;
	struct dictionaries *dictionaries;
	struct derived_voices *derived;
	struct pool *pool;
	struct folder *voices_folder;
	struct tls *tls;
	struct http_server *http;
	struct listener *listener;
	struct handover *handover; /* of the listener's socket to a successor */
	struct voices_fetch *voices_fetch; /* NULL: there is nothing to fetch */
	struct tariff tariff;
	struct session_services services;
	struct buf scratch;
	struct list sockets; /* struct tts_socket */
	struct llm *llm;
	struct agents *agents;
	struct list conversations; /* of speech_engine.c */
	struct list speeches; /* struct speech_http */
	unsigned samples; /* of voice_sample.c under way */
	int64_t started_ms;
	struct successor *successor;
	int failure; /* errno that ended it */
	struct siblings siblings;
	bool draining;
	bool is_stopping; /* the loop has ended: signals change nothing any more */
	struct store_wait store_wait;
	char records_dir[PARAM_STRING_SIZE + 16]; /* what engines said of themselves */
	bool replaces; /* a server that still serves, which is to end now */
	struct timer predecessor_timer;
	struct timer drain_timer;
	struct timer last_requests_timer;
	uv_signal_t signals[SERVER_SIGNALS];
};

/* listening.c */
/* Whether another server of this data directory serves our address. */
bool listening_has_predecessor(const struct server *server);
/* Binds the address, unless there is a predecessor.  What is wrong with it is logged. */
int listening_bind(struct server *server);
/* Everything is open: serves callers, or waits for the predecessor's place. */
void listening_begin(struct server *server);
/* The engines have loaded: a server that waited for it takes its predecessor's place.  ECANCELED: it
 * must not, because an engine that works there has failed here. */
int listening_take_over(struct server *server);
/* Offers the socket to other processes, also if one of them did so in our place. */
void listening_offer(struct server *server);

/* routes.c */
void routes_handle(struct http_request *request, void *arg);
http_body_max_h routes_body_max;

/* auth.c: calls `next` with the member when the request carries a good key that has any of the
 * scopes, answers 401 or 403 otherwise.  The flags of door.h may be among the scopes. */
void auth_request(const struct route_call *call, unsigned scopes, route_h *next);

/* answer.c: all with the request's id in a header. */
void answer_json(const struct route_call *call, int status, const char *json, size_t len);
/* The same to a load balancer, which asks every second: a 503 is news to it, not to the log. */
void answer_probe(const struct route_call *call, int status, const char *json, size_t len);
void answer_empty(const struct route_call *call); /* 204 */
/* The headers that every answer has: its request's id, and how long it took. */
void answer_head(const struct route_call *call);
/* The headers that mark an answer as generated speech. */
void answer_mark_speech(const struct route_call *call);
void answer_error(const struct route_call *call, enum wire_error_id id, const char *detail);
void answer_fault(const struct route_call *call, const struct stream_fault *fault);
/* What is left of the requests of a minute, in headers, where there is a limit. */
void answer_rate(struct http_request *request, const struct member *member);
void answer_make_request_id(char id[REQUEST_ID_LEN + 1]);

/* cors.c: false when it has answered the request itself. */
bool cors_admit(const struct route_call *call);

/* tts_socket.c */
void tts_socket_go_away_all(struct server *server);
void tts_socket_shut_ended(struct server *server); /* those whose keys are not good any more */
void tts_socket_abort_all(struct server *server);

/* speech_http.c */
void speech_http_cut_ended(struct server *server); /* as above */

/* store_wait.c: when the store could not be reached at the start */
void store_wait_begin(struct server *server);
void store_wait_stop(struct server *server);

/* drain.c */
void drain_begin(struct server *server);
void drain_check(struct server *server); /* a socket has gone */
void drain_close_doors(struct server *server);
void drain_succeeded(struct server *server); /* another process serves those who come */

#endif
