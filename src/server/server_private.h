/*
 * server_private.h: what the files of the server share.
 *
 *   server.c      start, signals, end
 *   drain.c       the end in good order
 *   routes.c      path → handler
 *   audio_rest.c  GET /v1/audio/voices
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
 *   late_key.c    a key that comes in a WebSocket's first message
 *   elevenlabs_address.c  what the address of an ElevenLabs WebSocket says
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
 *   shape.c       whose shapes a request wants
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
#include "server/server.h"
#include "server/siblings.h"
#include "server/tariff.h"
#include "session/services.h"
#include "speech/pool.h"
#include "wire/fault.h"

#define SERVER_SIGNALS 5 /* that are watched */
#define ROUTE_IDS_MAX 2
#define REQUEST_ID_LEN 20 /* "req_" and 16 hex digits */

/* The store could not be reached at the start (store_wait.c). */
struct store_wait {
	bool is_waiting;
	bool is_hopeless; /* an operator must fix it; set by the thread */
	uint64_t pause_us;
	struct timer timer;
};

struct server {
	const struct config *config;
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

/* A request on its way to whoever answers it.  Lent for the handler's call: one
 * that answers later keeps a copy, and a reference to the request. */
struct route_call {
	struct server *server;
	struct http_request *request;
	struct member *member; /* NULL: of a route that needs none; lent */
	const struct store_key *key; /* the member's */
	int64_t ids[ROUTE_IDS_MAX]; /* what stands for {id} in the path; 0: no number */
	const char *id_texts[ROUTE_IDS_MAX]; /* the same as it was written, up to the next '/' */
	char request_id[REQUEST_ID_LEN + 1];
	uint64_t begun_us;
};
typedef void(route_h)(const struct route_call *call);

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

/* auth.c: calls `next` with the member when the request carries a good key that has
 * any of the scopes, answers 401 or 403 otherwise.  Counts the request, and answers
 * 429 when there were too many, unless AUTH_AS_TURN is among the scopes: a turn is
 * counted when it begins. */
#define AUTH_AS_TURN (1u << 31)
/* A request without a key is answered too, with no member.  Programs call such routes to check a
 * key, so an invalid one is refused.  The scopes of a valid one are not checked: a handler whose
 * answer depends on the key must check them itself. */
#define AUTH_OPTIONAL (1u << 30)
/* The scopes of which a key must have one to see the voices of its project. */
#define AUTH_SEE_VOICES (STORE_SCOPE_READ | STORE_SCOPE_SPEAK)
void auth_request(const struct route_call *call, unsigned scopes, route_h *next);
bool auth_has_key(const struct http_request *request);

/* answer.c: all with the request's id in a header. */
void answer_json(const struct route_call *call, int status, const char *json, size_t len);
/* The same to a load balancer, which asks every second: a 503 is news to it, not to the log. */
void answer_probe(const struct route_call *call, int status, const char *json, size_t len);
void answer_empty(const struct route_call *call); /* 204 */
/* The headers that every answer has: its request's id, and how long it took. */
void answer_head(const struct route_call *call);
void answer_error(const struct route_call *call, enum wire_error_id id, const char *detail);
void answer_fault(const struct route_call *call, const struct stream_fault *fault);
/* What is left of the requests of a minute, in headers, where there is a limit. */
void answer_rate(struct http_request *request, const struct member *member);
void answer_make_request_id(char id[REQUEST_ID_LEN + 1]);

/* description.c */
route_h description_openapi, description_asyncapi;

/* cors.c: false when it has answered the request itself. */
bool cors_admit(const struct route_call *call);

/* page.c */
route_h page_get;

/* agent_rest.c */
route_h agent_rest_list, agent_rest_talk;

/* metrics_page.c */
route_h metrics_page_get;

/* health.c */
route_h health_get, health_ready;

/* dictionary_rest.c */
/* For all entries at once: 10,000 of 800 bytes, many times what words need.  The
 * longest that they may be would be 168 MB, and nobody writes those. */
#define DICTIONARY_REST_BODY_MAX (8 * 1024 * 1024)
route_h dictionary_rest_list, dictionary_rest_add, dictionary_rest_get, dictionary_rest_change,
	dictionary_rest_remove, dictionary_rest_list_entries, dictionary_rest_add_entry,
	dictionary_rest_replace_entries, dictionary_rest_change_entry, dictionary_rest_remove_entry,
	dictionary_rest_invalidate;

/* pronunciation_rest.c */
route_h pronunciation_rest_list, pronunciation_rest_get, pronunciation_rest_download,
	pronunciation_rest_add, pronunciation_rest_add_file, pronunciation_rest_change,
	pronunciation_rest_add_rules, pronunciation_rest_set_rules, pronunciation_rest_remove_rules;

/* account_rest.c */
route_h account_rest_list, account_rest_add, account_rest_get, account_rest_change,
	account_rest_list_top_ups, account_rest_add_top_up, account_rest_list_projects,
	account_rest_add_project;

/* key_rest.c */
route_h key_rest_list, key_rest_add, key_rest_get, key_rest_change, key_rest_revoke;

/* token_rest.c */
route_h token_rest_add, token_rest_add_single_use;

/* usage_rest.c */
route_h usage_rest_sum, usage_rest_turns;

/* normalize.c */
route_h normalize_text;

/* voice_rest.c */
route_h voice_rest_list, voice_rest_get;

/* voice_search.c */
route_h voice_search_list;

/* voice_settings.c */
route_h voice_settings_default, voice_settings_get;

/* voice_change.c */
route_h voice_change_add, voice_change_patch, voice_change_remove, voice_change_references,
	voice_change_settings, voice_change_not_available;

/* voice_sample.c */
route_h voice_sample_make, voice_sample_get;

/* model_rest.c */
route_h model_rest_list, model_rest_get, model_rest_list_audio;

/* audio_rest.c */
route_h audio_rest_voices;

/* user_rest.c */
route_h user_rest_get, user_rest_subscription, user_rest_history, user_rest_usage;

/* tts_socket.c */
route_h tts_socket_open_once, tts_socket_open_stream, tts_socket_open_multi,
	tts_socket_open_stream_input, tts_socket_open_multi_stream_input;
void tts_socket_go_away_all(struct server *server);
void tts_socket_shut_ended(struct server *server); /* those whose keys are not good any more */
void tts_socket_abort_all(struct server *server);

/* speech_http.c */
route_h speech_http_generate, speech_http_elevenlabs, speech_http_elevenlabs_timed,
	speech_http_elevenlabs_timed_lines, speech_http_openai, speech_http_vapi;
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
