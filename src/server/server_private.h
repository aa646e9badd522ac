/*
 * server_private.h: what the files of the server share.
 *
 *   server.c      start, signals, end
 *   config.c      everything that an operator can set: the table of keys
 *   config_agents.c, config_machine.c, config_prices.c  its checks and defaults
 *   certificate.c the TLS certificate
 *   listening.c   accepts connections, or takes over from a predecessor
 *   store_wait.c  waits for a store that could not be reached at the start
 *   engines.c     opens the pool of engines
 *   downloads.c   downloads neural voices and models
 *   model_files.c what the models folder lacks
 *   drain.c       the orderly shutdown
 *   door.c        finds the API that a client uses
 *   routes.c      path → handler
 *   auth.c        checks a request's API key
 *   origin.c      decides which web pages may use this server
 *   cors.c        applies that to a request, and answers browsers' preflight requests
 *   answer.c      answers a request: JSON, errors, headers
 *   page.c        GET /: the playground
 *   health.c      GET /health, GET /ready
 *   metrics_page.c  GET /metrics
 *   siblings.c    other servers of the same data directory
 *   successor.c   replaces this server by a newer one
 *   notify.c      reports the state to the service manager
 *   description.c GET /openapi.json, GET /asyncapi.json
 *   ws_peer.c     a WebSocket as the peer of a session or a conversation
 *   tts_socket.c  a WebSocket and the session on it
 *   opening.c     admits a WebSocket client to a session
 *   socket_address.c  settings in the URL of a WebSocket
 *   agents.c      the agents, which answer speech engines
 *   agent_rest.c  GET /v1/agents, and conversations that use an ordinary API key
 *   speech_engine.c  a speech engine's WebSocket and the conversation on it
 *   speech_http.c speech as the answer to a request
 *   transcription_http.c  transcripts of recordings
 *   normalize_rest.c  POST /v1/normalize
 *   dictionary_rest.c  /v1/dictionaries and what is below it
 *   store_request.c  a request that the store answers
 *   resource.c    list, get, add, change and remove of REST objects
 *   account_rest.c  /v1/admin/accounts, their top-ups and projects
 *   key_rest.c    /v1/admin/keys
 *   account_form.c  the request bodies for accounts, projects, keys, top-ups and tokens
 *   account_json.c  accounts, projects, keys and top-ups as JSON
 *   token_rest.c  POST /v1/tokens
 *   usage_rest.c  /v1/usage and its turns
 *   voice_view.c  a voice as REST shows it
 *   voice_change.c  POST, PATCH and DELETE of /v1/voices: derived voices
 *   voice_form.c  the request bodies for derived voices
 *   voice_pairs.c names of voices in the configuration
 *   voice_sample.c  samples of derived voices
 *   sample_text.c the text of samples, by language
 *   tariff.c      plans and prices
 *   query.c       query parameters
 *   request_url.c the server's address as a client has written it
 */
#ifndef SERVER_SERVER_PRIVATE_H
#define SERVER_SERVER_PRIVATE_H

#include "account/async_store.h"
#include "account/callers.h"
#include "account/derived_voices.h"
#include "account/dictionary_cache.h"
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
#include "server/engines.h"
#include "server/handlers.h"
#include "server/server.h"
#include "server/siblings.h"
#include "server/tariff.h"
#include "session/services.h"
#include "speech/pool.h"
#include "wire/fault.h"

#define SERVER_SIGNALS 5 /* the number of signals that are handled */

/* The state of waiting for a store that could not be reached at the start (store_wait.c). */
struct store_wait {
	bool is_waiting;
	/* Retrying is pointless until an operator fixes the cause; set by the store's thread. */
	bool needs_operator;
	uint64_t pause_us;
	struct timer timer;
};

struct server {
	const struct config *config;
	const struct door *const *doors; /* terminated by NULL */
	const struct server_events *events;
	struct loop *loop;
	struct async_store *async_store;
	struct callers *callers;
	struct dictionary_cache *dictionaries;
	struct derived_voices *derived;
	struct engines_budget budget;
	struct pool *pool;
	struct hearing_pool *hearing_pool;
	struct decoding_pool *decoding_pool;
	struct decoding *decoding; /* of that pool */
	struct folder *voices_folder, *models_folder;
	struct tls *tls;
	struct http_server *http;
	struct listener *listener;
	struct handover *handover; /* offers the listener's socket to a successor */
	struct downloads *downloads; /* of voices and models; NULL: they are not asked for */
	struct tariff tariff;
	struct session_services services;
	struct buf scratch;
	struct list sockets; /* struct tts_socket */
	struct llm *llm;
	struct agents *agents;
	struct list conversations; /* struct speech_engine_socket */
	struct upstream_sockets
		*upstream_sockets; /* to developers' servers, which answer callers */
	struct list calls; /* struct call_socket */
	struct list speeches; /* struct speech_http */
	struct list transcriptions; /* struct transcription_http */
	unsigned samples; /* samples that voice_sample.c is generating */
	int64_t started_ms;
	struct successor *successor;
	int failure; /* the errno that server_main will return */
	struct siblings siblings;
	bool draining;
	bool is_stopping; /* the loop has ended, so signals have no effect */
	struct store_wait store_wait;
	/* Where engines' reports about themselves are stored. */
	char records_dir[PARAM_STRING_SIZE + 16];
	bool replaces; /* this server takes over from one that still serves and is to end */
	struct timer predecessor_timer;
	struct timer drain_timer;
	struct timer last_requests_timer;
	uv_signal_t signals[SERVER_SIGNALS];
};

/* server.c: the parts of server_main around its loop, which tests run step by step.  server_close
 * may be called only after server_open has succeeded. */
int server_open(struct server *server, const struct config *config, const struct door *const *doors,
		const struct server_events *events);
void server_close(struct server *server);

/* listening.c */
/* Whether another server of this data directory serves our address. */
bool listening_has_predecessor(const struct server *server);
/* Binds the address, unless there is a predecessor.  Errors are logged. */
int listening_bind(struct server *server);
/* Everything is open: accepts connections, or waits to take over from the predecessor. */
void listening_begin(struct server *server);
/* The engines have loaded: a server that waited for that takes over from its predecessor.  Returns
 * ECANCELED if it must not, because an engine that works there has failed here. */
int listening_take_over(struct server *server);
/* Offers the listening socket to other processes, also if another process offered it for us
 * before. */
void listening_offer(struct server *server);

/* routes.c */
void routes_handle(struct http_request *request, void *arg);
http_body_max_h routes_body_max;

/* auth.c: calls `next` with the caller if the request has a valid key with any of the scopes, and
 * answers 401 or 403 otherwise.  The scopes may include the flags of door.h. */
void auth_request(const struct route_call *call, unsigned scopes, route_h *next);

/* answer.c: every answer has the request's id in a header. */
void answer_json(const struct route_call *call, int status, const char *json, size_t len);
/* The same for health probes, which arrive every second: a 503 to them is not logged. */
void answer_probe(const struct route_call *call, int status, const char *json, size_t len);
void answer_empty(const struct route_call *call); /* 204 */
/* Adds the headers that every answer has: the request's id, and how long it took. */
void answer_head(const struct route_call *call);
/* Adds the headers that mark an answer as generated speech. */
void answer_mark_speech(const struct route_call *call);
void answer_error(const struct route_call *call, enum wire_error_id id, const char *detail);
void answer_fault(const struct route_call *call, const struct stream_fault *fault);
/* Adds headers with what is left of the caller's requests per minute, if there is a limit. */
void answer_rate(struct http_request *request, const struct caller *caller);
void answer_make_request_id(char id[REQUEST_ID_LEN + 1]);

/* cors.c: returns false if it has answered the request itself. */
bool cors_admit(const struct route_call *call);

/* tts_socket.c */
void tts_socket_go_away_all(struct server *server);
void tts_socket_close_invalid(struct server *server); /* those whose keys are no longer valid */
void tts_socket_abort_all(struct server *server);

/* speech_http.c */
void speech_http_abort_invalid(struct server *server); /* those whose keys are no longer valid */

/* transcription_http.c: those whose keys are no longer valid */
void transcription_http_abort_invalid(struct server *server);

/* store_wait.c: waits for a store that could not be reached at the start. */
void store_wait_begin(struct server *server);
void store_wait_stop(struct server *server);

/* drain.c */
void drain_begin(struct server *server);
void drain_check(struct server *server); /* to be called when a connection has ended */
void drain_stop_listening(struct server *server);
void drain_succeeded(struct server *server); /* another process accepts new connections */

#endif
