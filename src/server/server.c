/*
 * server.c: the server process: start, signals, end.
 *
 * One event loop thread owns every socket and every session; the store and the
 * encoders have threads of their own; engines are processes.
 */
#include "server/server.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "audio/resample.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "server/agents.h"
#include "server/certificate.h"
#include "server/engines.h"
#include "server/notify.h"
#include "server/origin.h"
#include "server/server_private.h"
#include "server/speech_engine.h"
#include "server/successor.h"
#include "server/voices_fetch.h"
#include "session/encoding.h"
#include "wire/reply.h"

/* The longest body of an answer to a REST call that is written here. */
#define SCRATCH_MAX (1024 * 1024)
#define CHANGED_MAX 512 /* keys of a configuration, in one line of the log */

/* Voices are installed as several files, one after another. */
#define VOICES_SETTLE_MS 1000

/* The body of answers that the HTTP server makes itself. */
static void write_http_error(struct buf *body, int status, const char *reason, void *arg)
{
	(void)arg;
	buf_printf(body, "{\"error\":\"%s\",\"error_code\":\"%s\",\"code\":%d}", reason,
		   status >= 500 ? "INTERNAL_ERROR" : "VALIDATION_ERROR", status);
}

static int put_derived(const struct voice *derived, size_t count, void *arg)
{
	struct server *server = arg;

	if (!server->pool) /* the end: the account is done after it */
		return ECANCELED;
	return pool_set_derived(server->pool, derived, count);
}

/* Keys may have ended: who speaks with one is cut off. */
static void on_members_changed(void *arg)
{
	struct server *server = arg;

	tts_socket_shut_ended(server);
	speech_http_cut_ended(server);
	speech_engine_shut_ended(server);
}

static void show_projects(void *arg, dictionaries_mark_h *mark, void *mark_arg)
{
	const struct server *server = arg;

	members_projects(server->members, mark, mark_arg);
}

static int open_members(struct server *server)
{
	const struct members_options options = {
		.plans = server->tariff.plans,
		.plans_count = server->tariff.plans_count,
		.lease_microcents = server->config->lease_microcents,
		.changed = on_members_changed,
		.arg = server,
	};

	return members_alloc(&server->members, server->loop, server->account, &options);
}

/* The server waits for a database that is away (store_wait.c), but not if it is the successor
 * of a running server: that one knows the keys in use and continues with them. */
static int open_store(struct store **storep, bool *is_away, const struct server *server)
{
	const char *address = server->config->store_address;

	*is_away = false;
	return listening_has_predecessor(server) ? store_open(storep, address)
						 : store_open_patiently(storep, is_away, address);
}

static int open_account(struct server *server)
{
	const struct server_events *events = server->events;
	const struct account_options options = {
		.address = server->config->store_address,
		.data_dir = server->config->data_dir,
		.spool_rows = (size_t)server->config->spool_rows,
	};
	struct store *store;
	bool is_away = false;
	int err = open_store(&store, &is_away, server);

	if (err)
		return err;
	if (is_away)
		err = events->store_awaited ? events->store_awaited(events->arg) : 0;
	else if (events->store_opened)
		err = events->store_opened(store, events->arg);
	if (!err)
		err = derived_voices_alloc(&server->derived, server->loop, store, put_derived,
					   server);
	if (!err)
		err = account_alloc(&server->account, server->loop, store, &options);
	if (err) {
		mem_deref(store);
		return err;
	}
	derived_voices_follow(server->derived, server->account);
	err = open_members(server);
	if (err)
		return err;
	if (is_away)
		store_wait_begin(server);
	err = dictionaries_alloc(&server->dictionaries, server->loop, server->account);
	if (!err)
		dictionaries_set_users(server->dictionaries, show_projects, server);
	return err;
}

static int open_pool(struct server *server)
{
	int err;

	snprintf(server->records_dir, sizeof(server->records_dir), "%s/engines",
		 server->config->data_dir);
	err = engines_open(&server->pool, server->loop, server->config, server->records_dir);
	if (err)
		log_error("server", "the engines of %s cannot be started: %s",
			  server->config->engines_dir, strerror(err));
	return err;
}

/* A fetch changes the folder several times, and the engines are started again once, when it
 * has ended. */
static void on_voices_changed(void *arg)
{
	struct server *server = arg;

	if (voices_fetch_is_running(server->voices_fetch))
		folder_ask_again(server->voices_folder);
	else if (pool_renew(server->pool, ENGINES_WITH_VOICES_DIR) == 0)
		log_info("server", "%s has changed", server->config->voices_dir);
}

/* A line each. */
static void log_mistakes(const struct buf *errors)
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

static int open_agents(struct server *server)
{
	struct buf errors;
	char why[256];
	int err = llm_alloc(&server->llm, server->loop, NULL, why, sizeof(why));

	if (err) {
		log_error("server", "cannot ask language models: %s", why);
		return err;
	}
	buf_init(&errors, SCRATCH_MAX);
	err = agents_alloc(&server->agents, server->config, server->doors, &errors);
	log_mistakes(&errors);
	buf_reset(&errors);
	return err;
}

/* Who edits the file and sends SIGHUP would wait in vain for what else has changed. */
static void tell_restart(const struct server *server, const struct config *fresh)
{
	struct buf keys;
	int err;

	buf_init(&keys, CHANGED_MAX);
	err = config_differ(server->config, fresh, &keys);
	if (keys.len > 0)
		log_warn("server", "SIGHUP: changed, and used after a restart only: %.*s%s",
			 (int)keys.len, keys.bytes, err ? " and more" : "");
	buf_reset(&keys);
}

/* A mistake in the configuration must not keep a renewed certificate from being used. */
static int reload(struct server *server, struct config *fresh)
{
	struct buf errors;
	int err;

	buf_init(&errors, SCRATCH_MAX);
	err = server->events->reload(fresh, &errors, server->events->arg);
	if (err)
		memcpy(fresh, server->config, sizeof(*fresh));
	certificate_reload(server, fresh);
	if (!err) {
		tell_restart(server, fresh);
		err = agents_reload(server->agents, fresh, &errors);
	}
	log_mistakes(&errors);
	buf_reset(&errors);
	return err;
}

static void on_http_empty(void *arg)
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

static int open_http(struct server *server)
{
	struct http_settings settings = {
		.request = routes_handle,
		.body_max_of = routes_body_max,
		.error = write_http_error,
		.empty = on_http_empty,
		.arg = server,
		.tls = server->tls,
		.at_head = true,
	};

	server_warn_of_origins(server->config);
	return http_server_alloc(&server->http, server->loop, &settings);
}

static void on_signal(uv_signal_t *handle, int number)
{
	struct server *server = handle->data;

	(void)number;
	if (server->is_stopping)
		return;
	loop_enter(server->loop);
	drain_begin(server);
	loop_leave(server->loop);
}

/* SIGUSR1: what is alive, for whoever looks for a leak. */
static void on_look(uv_signal_t *handle, int number)
{
	struct server *server = handle->data;
	struct pool_stats stats;

	(void)number;
	pool_stats(server->pool, &stats);
	log_info("server", "alive: %zu connections, %u jobs, %u workers, %zu objects",
		 server->sockets.count,
		 stats.jobs_running + stats.jobs_parked + stats.jobs_held + stats.jobs_queued,
		 stats.workers, mem_live());
	speech_engine_log(server);
}

/* SIGHUP: new agents and certificates; conversations and connections keep those that they began
 * with. */
static void on_reload(uv_signal_t *handle, int number)
{
	struct server *server = handle->data;
	struct config *fresh = mem_zalloc(sizeof(*fresh), NULL);

	(void)number;
	if (!server->events->reload)
		log_info("server", "SIGHUP: there is nothing to read again");
	else if (!fresh || reload(server, fresh) != 0)
		log_error("server", "SIGHUP: the agents stay as they were");
	else
		log_info("server", "SIGHUP: %zu agents", agents_count(server->agents));
	mem_deref(fresh);
}

/* SIGUSR2: the program that stands there now takes this one's place.  The socket is offered
 * anew, long before it asks: another that took it has offered it in our place, and may have
 * died since. */
static void on_upgrade(uv_signal_t *handle, int number)
{
	struct server *server = handle->data;

	(void)number;
	if (!server->draining && successor_start(server->successor) == 0 && server->listener)
		listening_offer(server);
}

static void watch_signals(struct server *server)
{
	static const struct {
		int number;
		uv_signal_cb handler;
	} signals[SERVER_SIGNALS] = {{SIGTERM, on_signal},
				     {SIGINT, on_signal},
				     {SIGUSR1, on_look},
				     {SIGHUP, on_reload},
				     {SIGUSR2, on_upgrade}};

	signal(SIGPIPE, SIG_IGN);
	for (size_t i = 0; i < SERVER_SIGNALS; ++i) {
		uv_signal_init(&server->loop->uv, &server->signals[i]);
		server->signals[i].data = server;
		uv_signal_start(&server->signals[i], signals[i].handler, signals[i].number);
	}
}

/* SIGTERM and SIGINT go last, when all is recorded, and are blocked from then on: they would
 * kill the process, and whoever sent them would take that for a failure. */
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

/* A connection is a descriptor: take as many as the system lets us. */
static void raise_descriptor_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
}

static void on_pool_ready(void *arg)
{
	struct server *server = arg;

	if (server->draining)
		return;
	server->failure = listening_take_over(server);
	if (server->failure) {
		loop_stop(server->loop);
		return;
	}
	log_info("server", "ready: %zu voices", voices_count(pool_voices(server->pool)));
	notify_manager("READY=1\nMAINPID=%ld\nSTATUS=listening on %.100s", (long)getpid(),
		       server->config->listen);
	successor_take_over(server->replaces);
	/* Only now: what is fetched must not delay the first caller. */
	if (server->config->fetch_voices)
		voices_fetch_start(&server->voices_fetch, server->loop, server->config);
}

static void fill_services(struct server *server)
{
	server->services = (struct session_services){
		.timers = &server->loop->timers,
		.speech = pool_speech(server->pool),
		.encode_threads = server->services.encode_threads,
		.voices = pool_voices(server->pool),
		.ledger = account_usage_ledger(server->account),
		.dictionaries = server->dictionaries,
		.prices = &server->tariff.prices,
		.max_lead_ms = (unsigned)server->config->max_lead_ms,
		.repeatable = server->config->repeatable,
		.log_texts = server->config->log_texts,
	};
}

static int start(struct server *server)
{
	int err = loop_alloc(&server->loop);

	if (!err)
		err = successor_alloc(&server->successor, server->loop, &server->draining);

	/* The address first, so that a server that cannot have it says so at once.  Connections
	 * wait in the kernel's queue until the loop runs. */
	if (!err)
		err = listening_bind(server);

	/* Then the engines: they start while the store is opened, which takes
	 * as long as they do when it is new. */
	if (!err)
		err = open_pool(server);
	/* Before they have read it: what comes later is told. */
	if (!err && server->config->voices_dir[0])
		err = folder_open(&server->voices_folder, server->loop, server->config->voices_dir,
				  VOICES_SETTLE_MS, on_voices_changed, server);
	if (!err)
		err = open_account(server);
	if (!err)
		err = encoding_threads_alloc(&server->services.encode_threads, server->loop,
					     uv_available_parallelism());
	if (!err)
		err = open_agents(server);
	if (!err)
		err = certificate_open(server);
	if (!err)
		err = open_http(server);
	if (err)
		return err;
	fill_services(server);
	watch_signals(server);
	listening_begin(server);
	pool_on_ready(server->pool, on_pool_ready, server);
	return 0;
}

/* Sessions first: they cancel their jobs and book their turns; then the rest,
 * in the order it leans on each other. */
static void stop(struct server *server)
{
	if (!server->loop)
		return;
	server->is_stopping = true;
	timer_clear(&server->loop->timers, &server->predecessor_timer);
	store_wait_stop(server);
	timer_clear(&server->loop->timers, &server->drain_timer);
	timer_clear(&server->loop->timers, &server->last_requests_timer);
	drain_close_doors(server);
	tts_socket_abort_all(server);
	speech_engine_abort_all(server);
	if (server->http)
		http_server_stop(server->http);
	while (server->sockets.count > 0 || server->conversations.count > 0 ||
	       (server->http && http_conn_count(server->http) > 0))
		uv_run(&server->loop->uv, UV_RUN_ONCE);
	server_unwatch_signals(server, false);
	mem_deref(server->successor);
	mem_deref(server->agents);
	mem_deref(server->llm);
	mem_deref(server->voices_fetch);
	mem_deref(server->http);
	mem_deref(server->tls);
	if (server->voices_folder)
		folder_close(server->voices_folder);
	mem_deref(server->services.encode_threads);
	server->pool = mem_deref(server->pool);
	mem_deref(server->members);
	mem_deref(server->account);
	mem_deref(server->dictionaries);
	mem_deref(server->derived);
	server_unwatch_signals(server, true);
	mem_deref(server->loop);
	buf_reset(&server->scratch);
	resample_forget(); /* the filters, kept for whoever comes next */
	siblings_close(&server->siblings);
	if (mem_live() > 0)
		log_warn("server", "ended; %zu objects were left", mem_live());
	else
		log_info("server", "ended");
}

/* EBUSY: the store is being replaced.  Any other problem with the list is no reason not to serve. */
static int open_siblings(struct server *server)
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

int server_main(const struct config *config, const struct door *const *doors,
		const struct server_events *events)
{
	struct server server = {.config = config, .doors = doors, .events = events};
	int err;

	server.started_ms = clock_wall_ms();
	list_init(&server.sockets);
	list_init(&server.conversations);
	list_init(&server.speeches);
	buf_init(&server.scratch, SCRATCH_MAX);
	tariff_init(&server.tariff, config);
	raise_descriptor_limit();
	err = open_siblings(&server);
	if (err)
		return err;
	err = start(&server);
	if (!err)
		loop_run(server.loop);
	stop(&server);
	return err ? err : server.failure;
}
