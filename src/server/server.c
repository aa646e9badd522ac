/*
 * server.c: the server process: start, signals, end.
 *
 * One event loop thread owns every socket and every session; the store and the encoders have
 * threads of their own; engines are processes.
 */
#include "server/server.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "agent/upstream_socket.h"
#include "audio/resample.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "server/agents.h"
#include "server/call_socket.h"
#include "server/certificate.h"
#include "server/downloads.h"
#include "server/engines.h"
#include "server/notify.h"
#include "server/origin.h"
#include "server/server_private.h"
#include "server/speech_engine.h"
#include "server/successor.h"
#include "session/encoding.h"
#include "wire/reply.h"

/* The size of server.scratch, in which errors and the metrics page are composed, and of lists of
 * configuration mistakes. */
#define SCRATCH_MAX (1024 * 1024)
#define CHANGED_MAX 512 /* the longest list of configuration keys in a log line */

/* Voices and models are installed as several files, one after another, so their folder is read when it
 * has settled. */
#define FOLDER_SETTLE_MS 1000

/* Writes the body of answers that the HTTP server makes itself. */
static void server_write_http_error(struct buf *body, int status, const char *reason, void *arg)
{
	(void)arg;
	buf_printf(body, "{\"error\":\"%s\",\"error_code\":\"%s\",\"code\":%d}", reason,
		   status >= 500 ? "INTERNAL_ERROR" : "VALIDATION_ERROR", status);
}

static int server_set_derived(const struct voice *derived, size_t count, void *arg)
{
	struct server *server = arg;

	if (!server->pool) /* at shutdown, where derived voices are released after the pool */
		return ECANCELED;
	return pool_set_derived(server->pool, derived, count);
}

/* Keys may have become invalid: disconnects the clients that are using such keys. */
static void server_on_callers_changed(void *arg)
{
	struct server *server = arg;

	tts_socket_close_invalid(server);
	speech_http_abort_invalid(server);
	transcription_http_abort_invalid(server);
	speech_engine_close_invalid(server);
	call_socket_close_invalid(server);
}

static void server_mark_projects(void *arg, dictionary_cache_mark_h *mark, void *mark_arg)
{
	const struct server *server = arg;

	callers_projects(server->callers, mark, mark_arg);
}

static int server_open_callers(struct server *server)
{
	const struct callers_options options = {
		.plans = server->tariff.plans,
		.plans_count = server->tariff.plans_count,
		.lease_microcents = server->config->lease_microcents,
		.changed = server_on_callers_changed,
		.arg = server,
	};

	return callers_alloc(&server->callers, server->loop, server->async_store, &options);
}

static int server_open_account(struct server *server)
{
	const struct server_events *events = server->events;
	const struct async_store_options options = {
		.address = server->config->store_address,
		.data_dir = server->config->data_dir,
		.spool_rows = (size_t)server->config->spool_rows,
	};
	struct store *store;
	bool is_away = false;
	int err;

	/* A database that cannot be reached is waited for (store_wait.c), but not by the successor
	 * of a running server: it fails, because the running server knows the keys in use and
	 * continues with them. */
	if (listening_has_predecessor(server))
		err = store_open(&store, options.address);
	else
		err = store_open_patiently(&store, &is_away, options.address);
	if (err)
		return err;
	if (is_away)
		err = events->store_awaited ? events->store_awaited(events->arg) : 0;
	else if (events->store_opened)
		err = events->store_opened(store, events->arg);
	if (!err)
		err = derived_voices_alloc(&server->derived, server->loop, store,
					   server_set_derived, server);
	if (!err)
		err = async_store_alloc(&server->async_store, server->loop, store, &options);
	if (err) {
		mem_deref(store);
		return err;
	}
	derived_voices_follow(server->derived, server->async_store);
	err = server_open_callers(server);
	if (err)
		return err;
	if (is_away)
		store_wait_begin(server);
	err = dictionary_cache_alloc(&server->dictionaries, server->loop, server->async_store);
	if (!err)
		dictionary_cache_set_users(server->dictionaries, server_mark_projects, server);
	return err;
}

static int server_open_pool(struct server *server)
{
	int err;

	snprintf(server->records_dir, sizeof(server->records_dir), "%s/engines",
		 server->config->data_dir);
	err = engines_open(&server->pool, server->loop, server->config, &server->budget,
			   server->records_dir);
	if (!err)
		err = engines_open_hearing(&server->hearing_pool, server->loop, server->config,
					   &server->budget, server->records_dir);
	if (!err)
		err = engines_open_decoding(&server->decoding_pool, server->loop, server->config,
					    &server->budget);
	if (!err)
		server->decoding = decoding_pool_decoding(server->decoding_pool);
	if (err)
		log_error("server", "the engines of %s cannot be started: %s",
			  server->config->engines_dir, strerror(err));
	return err;
}

/* A download changes the folder several times; the engines are restarted only once, after it has
 * ended. */
static void server_on_voices_changed(void *arg)
{
	struct server *server = arg;

	if (downloads_is_running(server->downloads, DOWNLOADS_VOICES))
		folder_ask_again(server->voices_folder);
	else if (pool_renew(server->pool, ENGINES_WITH_VOICES_DIR) == 0)
		log_info("server", "%s has changed", server->config->voices_dir);
}

static void server_on_models_changed(void *arg)
{
	struct server *server = arg;

	if (downloads_is_running(server->downloads, DOWNLOADS_MODELS)) {
		folder_ask_again(server->models_folder);
		return;
	}
	log_info("server", "%s has changed", server->config->models_dir);
	hearing_pool_renew(server->hearing_pool);
}

/* The folders are watched before the engines read them, so that no later change is missed. */
static int server_watch_folders(struct server *server)
{
	const struct config *config = server->config;
	int err = 0;

	if (config->voices_dir[0])
		err = folder_open(&server->voices_folder, server->loop, config->voices_dir,
				  FOLDER_SETTLE_MS, server_on_voices_changed, server);
	if (!err && config->models_dir[0])
		err = folder_open(&server->models_folder, server->loop, config->models_dir,
				  FOLDER_SETTLE_MS, server_on_models_changed, server);
	return err;
}

/* Logs each line separately. */
static void server_log_mistakes(const struct buf *errors)
{
	const char *line = errors->bytes;
	const char *end = line + errors->len;

	while (line < end) {
		const char *next = memchr(line, '\n', (size_t)(end - line));
		size_t len = next ? (size_t)(next - line) : (size_t)(end - line);

		log_error("server", "%.*s", (int)len, line);
		line += len + 1;
	}
}

/* Callers may be answered by servers elsewhere. */
static int server_open_upstreams(struct server *server)
{
	struct tls *tls = NULL;
	char why[256] = "";
	int err = tls_client_alloc(&tls, NULL, why, sizeof(why));

	if (!err)
		err = upstream_sockets_alloc(&server->upstream_sockets, server->loop, tls);
	if (err)
		log_error("server", "cannot connect to other servers: %s",
			  why[0] ? why : strerror(err));
	mem_deref(tls);
	return err;
}

static int server_open_agents(struct server *server)
{
	struct buf errors;
	char why[256];
	int err = llm_alloc(&server->llm, server->loop, NULL, why, sizeof(why));

	if (err) {
		log_error("server", "cannot use language models: %s", why);
		return err;
	}
	err = server_open_upstreams(server);
	if (err)
		return err;
	buf_init(&errors, SCRATCH_MAX);
	err = agents_alloc(&server->agents, server->config, server->doors, &errors);
	server_log_mistakes(&errors);
	buf_reset(&errors);
	return err;
}

/* An operator who sends SIGHUP should learn which other changes have no effect until a restart. */
static void server_warn_of_restart(const struct server *server, const struct config *fresh)
{
	struct buf keys;
	int err;

	buf_init(&keys, CHANGED_MAX);
	err = config_differ(server->config, fresh, &keys);
	if (keys.len > 0)
		log_warn("server", "SIGHUP: changed, but used only after a restart: %.*s%s",
			 (int)keys.len, keys.bytes, err ? " and more" : "");
	buf_reset(&keys);
}

/* A mistake in the configuration must not keep a renewed certificate from being used. */
static int server_reload(struct server *server, struct config *fresh)
{
	struct buf errors;
	int err;

	buf_init(&errors, SCRATCH_MAX);
	err = server->events->reload(fresh, &errors, server->events->arg);
	if (err)
		memcpy(fresh, server->config, sizeof(*fresh));
	certificate_reload(server, fresh);
	if (!err) {
		server_warn_of_restart(server, fresh);
		err = agents_reload(server->agents, fresh, &errors);
	}
	server_log_mistakes(&errors);
	buf_reset(&errors);
	return err;
}

static void server_on_http_empty(void *arg)
{
	drain_check(arg);
}

/* Only a warning: a server that worked with this setting before must still start. */
static void server_warn_of_origins(const struct config *config)
{
	char word[ORIGIN_SIZE];

	if (origin_find_mistake(word, config->origins))
		log_warn("server",
			 "server.origins: no page sends \"%.80s\"; an origin is like "
			 "https://app.example.com, without a path",
			 word);
}

static int server_open_http(struct server *server)
{
	struct http_settings settings = {
		.request = routes_handle,
		.body_max_of = routes_body_max,
		.error = server_write_http_error,
		.empty = server_on_http_empty,
		.arg = server,
		.tls = server->tls,
		.at_head = true,
	};

	server_warn_of_origins(server->config);
	return http_server_alloc(&server->http, server->loop, &settings);
}

static void server_on_end(uv_signal_t *handle, int number)
{
	struct server *server = handle->data;

	(void)number;
	if (server->is_stopping)
		return;
	loop_enter(server->loop);
	drain_begin(server);
	loop_leave(server->loop);
}

/* SIGUSR1: logs the number of live objects, to help find leaks. */
static void server_on_log_state(uv_signal_t *handle, int number)
{
	struct server *server = handle->data;
	struct pool_stats stats;
	struct hearing_pool_stats hearing;
	struct decoding_pool_stats decoding;

	(void)number;
	pool_stats(server->pool, &stats);
	hearing_pool_stats(server->hearing_pool, &hearing);
	decoding_pool_stats(server->decoding_pool, &decoding);
	log_info("server",
		 "alive: %zu connections, %u jobs, %u streams, %u recordings, %u workers, %zu "
		 "objects",
		 server->sockets.count,
		 stats.jobs_running + stats.jobs_parked + stats.jobs_held + stats.jobs_queued,
		 hearing.streams, decoding.jobs, stats.workers + hearing.workers + decoding.workers,
		 mem_live());
	speech_engine_log(server);
}

/* SIGHUP: loads agents and certificates again; conversations and connections keep those that they
 * began with. */
static void server_on_reload(uv_signal_t *handle, int number)
{
	struct server *server = handle->data;
	struct config *fresh = mem_zalloc(sizeof(*fresh), NULL);

	(void)number;
	if (!server->events->reload)
		log_info("server", "SIGHUP: there is no configuration to read again");
	else if (!fresh || server_reload(server, fresh) != 0)
		log_error("server", "SIGHUP: the agents stay as they were");
	else
		log_info("server", "SIGHUP: %zu agents", agents_count(server->agents));
	mem_deref(fresh);
}

/* SIGUSR2: starts the program that the file contains now, to replace this one.  The listening
 * socket is offered again, long before the successor asks for it: another process that took it may
 * have offered it instead of us, and may have died since. */
static void server_on_upgrade(uv_signal_t *handle, int number)
{
	struct server *server = handle->data;

	(void)number;
	if (!server->draining && successor_start(server->successor) == 0 && server->listener)
		listening_offer(server);
}

static void server_watch_signals(struct server *server)
{
	static const struct {
		int number;
		uv_signal_cb handler;
	} signals[SERVER_SIGNALS] = {{SIGTERM, server_on_end},
				     {SIGINT, server_on_end},
				     {SIGUSR1, server_on_log_state},
				     {SIGHUP, server_on_reload},
				     {SIGUSR2, server_on_upgrade}};

	signal(SIGPIPE, SIG_IGN);
	for (size_t i = 0; i < SERVER_SIGNALS; ++i) {
		uv_signal_init(&server->loop->uv, &server->signals[i]);
		server->signals[i].data = server;
		uv_signal_start(&server->signals[i], signals[i].handler, signals[i].number);
	}
}

/* SIGTERM and SIGINT are unwatched last, when everything is recorded, and are blocked from then on:
 * otherwise they would kill the process, and their sender would take that for a failure. */
static void server_unwatch_signals(struct server *server, bool is_last)
{
	sigset_t end;

	sigemptyset(&end);
	sigaddset(&end, SIGTERM);
	sigaddset(&end, SIGINT);
	if (is_last)
		pthread_sigmask(SIG_BLOCK, &end, NULL);
	for (size_t i = 0; i < SERVER_SIGNALS; ++i) {
		uv_handle_t *handle = (uv_handle_t *)&server->signals[i];

		if (handle->data && !uv_is_closing(handle) &&
		    (is_last || sigismember(&end, server->signals[i].signum) == 0))
			uv_close(handle, NULL);
	}
}

/* Every connection needs a descriptor, so as many as the system allows are requested. */
static void server_raise_descriptor_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
}

static void server_on_engines_ready(void *arg)
{
	struct server *server = arg;
	const struct hearing *hearing = hearing_pool_hearing(server->hearing_pool);

	if (server->draining)
		return;
	server->failure = listening_take_over(server);
	if (server->failure) {
		loop_stop(server->loop);
		return;
	}
	log_info("server", "ready: %zu voices, %zu models that recognize speech",
		 voices_count(pool_voices(server->pool)), hearing_models_count(hearing->models));
	notify_manager("READY=1\nMAINPID=%ld\nSTATUS=listening on %.100s", (long)getpid(),
		       server->config->listen);
	successor_take_over(server->replaces);
	/* Downloads start only now, so that they cannot delay the first client. */
	downloads_start(&server->downloads, server->loop, server->config);
}

/* The engines that speak have loaded, or were given up; those that listen may still be loading. */
static void server_on_pool_ready(void *arg)
{
	struct server *server = arg;

	hearing_pool_on_ready(server->hearing_pool, server_on_engines_ready, server);
}

static void server_fill_services(struct server *server)
{
	server->services = (struct session_services){
		.timers = &server->loop->timers,
		.speech = pool_speech(server->pool),
		.hearing = hearing_pool_hearing(server->hearing_pool),
		.encode_threads = server->services.encode_threads,
		.voices = pool_voices(server->pool),
		.ledger = async_store_usage_ledger(server->async_store),
		.dictionaries = server->dictionaries,
		.prices = &server->tariff.prices,
		.max_lead_ms = (unsigned)server->config->max_lead_ms,
		.repeatable = server->config->repeatable,
		.log_texts = server->config->log_texts,
	};
}

static int server_start(struct server *server)
{
	int err = loop_alloc(&server->loop);

	if (!err)
		err = successor_alloc(&server->successor, server->loop, &server->draining);

	/* The address is bound first, so that a server that cannot have it fails immediately.
	 * Connections wait in the kernel's queue until the loop runs. */
	if (!err)
		err = listening_bind(server);

	/* Then the engines start.  They load while the store is opened, which takes about as long
	 * if it is new. */
	if (!err)
		err = server_open_pool(server);
	if (!err)
		err = server_watch_folders(server);
	if (!err)
		err = server_open_account(server);
	if (!err)
		err = encoding_threads_alloc(&server->services.encode_threads, server->loop,
					     uv_available_parallelism());
	if (!err)
		err = server_open_agents(server);
	if (!err)
		err = certificate_open(server);
	if (!err)
		err = server_open_http(server);
	if (err)
		return err;
	server_fill_services(server);
	server_watch_signals(server);
	listening_begin(server);
	pool_on_ready(server->pool, server_on_pool_ready, server);
	return 0;
}

/* Sessions end first, because they cancel their jobs and record their turns.  Everything else is
 * released before what it depends on. */
void server_close(struct server *server)
{
	if (!server->loop)
		return;
	server->is_stopping = true;
	timer_clear(&server->loop->timers, &server->predecessor_timer);
	store_wait_stop(server);
	timer_clear(&server->loop->timers, &server->drain_timer);
	timer_clear(&server->loop->timers, &server->last_requests_timer);
	drain_stop_listening(server);
	tts_socket_abort_all(server);
	speech_engine_abort_all(server);
	call_socket_abort_all(server);
	if (server->http)
		http_server_stop(server->http);
	while (server->sockets.count > 0 || server->conversations.count > 0 ||
	       server->calls.count > 0 || (server->http && http_conn_count(server->http) > 0))
		uv_run(&server->loop->uv, UV_RUN_ONCE);
	server_unwatch_signals(server, false);
	mem_deref(server->successor);
	mem_deref(server->agents);
	mem_deref(server->llm);
	mem_deref(server->upstream_sockets);
	mem_deref(server->downloads);
	mem_deref(server->http);
	mem_deref(server->tls);
	if (server->voices_folder)
		folder_close(server->voices_folder);
	if (server->models_folder)
		folder_close(server->models_folder);
	mem_deref(server->services.encode_threads);
	server->pool = mem_deref(server->pool);
	server->hearing_pool = mem_deref(server->hearing_pool);
	server->decoding_pool = mem_deref(server->decoding_pool);
	mem_deref(server->callers);
	mem_deref(server->async_store);
	mem_deref(server->dictionaries);
	mem_deref(server->derived);
	server_unwatch_signals(server, true);
	mem_deref(server->loop);
	buf_reset(&server->scratch);
	resample_forget(); /* releases the cached filters */
	siblings_close(&server->siblings);
	if (mem_live() > 0)
		log_warn("server", "ended; %zu objects were left", mem_live());
	else
		log_info("server", "ended");
}

/* Returns EBUSY if the store is being replaced (syrinx restore).  Any other problem with the list of
 * siblings does not keep the server from serving. */
static int server_open_siblings(struct server *server)
{
	const struct config *config = server->config;
	int err = siblings_open(&server->siblings, config->data_dir, config->listen);

	if (err) {
		log_warn("server", "other servers of %s cannot be found: %s", config->data_dir,
			 strerror(err));
		return 0;
	}
	err = siblings_use_store(&server->siblings);
	if (err != EBUSY)
		return 0;
	log_error("server",
		  "the store of %s is being restored: start the server again when syrinx restore "
		  "has ended",
		  config->data_dir);
	siblings_close(&server->siblings);
	return err;
}

int server_open(struct server *server, const struct config *config, const struct door *const *doors,
		const struct server_events *events)
{
	int err;

	*server = (struct server){.config = config, .doors = doors, .events = events};
	server->started_ms = clock_wall_ms();
	list_init(&server->sockets);
	list_init(&server->conversations);
	list_init(&server->calls);
	list_init(&server->speeches);
	list_init(&server->transcriptions);
	buf_init(&server->scratch, SCRATCH_MAX);
	tariff_init(&server->tariff, config);
	err = server_open_siblings(server);
	if (err)
		return err;
	err = server_start(server);
	if (err)
		server_close(server);
	return err;
}

int server_main(const struct config *config, const struct door *const *doors,
		const struct server_events *events)
{
	struct server server;
	int err;

	server_raise_descriptor_limit();
	err = server_open(&server, config, doors, events);
	if (err)
		return err;
	loop_run(server.loop);
	server_close(&server);
	return server.failure;
}
