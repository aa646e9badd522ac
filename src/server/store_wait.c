/*
 * store_wait.c: a server whose store could not be reached when it started.
 *
 * It listens and behaves like a server whose store became unreachable later, but it has not seen
 * any key: requests with a key, and /ready, are answered with 503.  The store is retried with
 * growing pauses until it answers; then the server works normally.  An error that waiting cannot
 * fix (see store_is_permanent_error) ends the process with the reason, as it would have at startup.
 *
 * Runs on the loop's thread, except store_wait_work.
 */
#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "server/server_private.h"

/* The pauses between attempts.  They can be short because the store's connections have pauses of
 * their own, of up to 10 s, during which they fail immediately. */
#define STORE_WAIT_FIRST_US UINT64_C(250000)
#define STORE_WAIT_MAX_US UINT64_C(2000000)

static void store_wait_later(struct server *server);

/* On the store's thread. */
static int store_wait_work(struct store *store, void *arg)
{
	struct server *server = arg;
	int64_t version;
	int err = store->ops->version(store, &version);

	server->store_wait.needs_operator = store_is_permanent_error(err);
	if (!err && server->events->store_reached)
		err = server->events->store_reached(store, server->events->arg);
	return err;
}

static void store_wait_end(struct server *server)
{
	server->store_wait.is_waiting = false;
	log_info("server", "the store can be reached: clients are served");
	if (server->events->store_in_use)
		server->events->store_in_use(server->events->arg);
	async_store_reconnected(server->async_store);
	callers_refresh(server->callers);
}

static void store_wait_answered(int err, void *arg)
{
	struct server *server = arg;

	if (err == ECANCELED || server->draining)
		return;
	if (!err) {
		store_wait_end(server);
	} else if (server->store_wait.needs_operator) {
		log_error("server", "the store will not be usable without a change: %s",
			  strerror(err));
		server->failure = err;
		loop_stop(server->loop);
	} else {
		store_wait_later(server);
	}
}

static void store_wait_ask(void *arg)
{
	struct server *server = arg;

	if (async_store_run(server->async_store, ASYNC_STORE_ACCESS, store_wait_work,
			    store_wait_answered, server) != 0)
		store_wait_later(server);
}

static void store_wait_later(struct server *server)
{
	struct store_wait *wait = &server->store_wait;

	timer_set(&server->loop->timers, &wait->timer, wait->pause_us, store_wait_ask, server);
	wait->pause_us *= 2;
	if (wait->pause_us > STORE_WAIT_MAX_US)
		wait->pause_us = STORE_WAIT_MAX_US;
}

void store_wait_begin(struct server *server)
{
	char shown[STORE_ADDRESS_SHOWN];

	store_show_address(shown, server->config->store_address);
	log_warn("server",
		 "%s cannot be reached: the server starts without it, answers 503 to requests "
		 "with a key, and keeps trying",
		 shown);
	server->store_wait.is_waiting = true;
	server->store_wait.pause_us = STORE_WAIT_FIRST_US;
	store_wait_later(server);
}

void store_wait_stop(struct server *server)
{
	timer_clear(&server->loop->timers, &server->store_wait.timer);
}
