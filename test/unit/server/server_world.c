/*
 * server_world.c: a whole server in the test's own process (see server_world.h).
 *
 * Everything here runs on the test's thread, which is also the loop's; the store, the encoders and
 * the launcher of engines have threads of their own, as in the real server.
 */
#include "server_world.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "account/registry.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "doors/doors.h"

static uint64_t server_world_passed_us;
static bool server_world_is_stopped;

uint64_t __real_clock_monotonic_us(void);
int64_t __real_clock_wall_ms(void);
uint64_t __wrap_clock_monotonic_us(void);
int64_t __wrap_clock_wall_ms(void);
void __wrap_loop_stop(struct loop *loop);

/* The offset is atomic, because threads of the store read the clock too. */
uint64_t __wrap_clock_monotonic_us(void)
{
	return __real_clock_monotonic_us() +
	       __atomic_load_n(&server_world_passed_us, __ATOMIC_RELAXED);
}

int64_t __wrap_clock_wall_ms(void)
{
	return __real_clock_wall_ms() +
	       (int64_t)(__atomic_load_n(&server_world_passed_us, __ATOMIC_RELAXED) / 1000);
}

/* world_turn runs the loop, so there is nothing to stop: only notes that the server would end. */
void __wrap_loop_stop(struct loop *loop)
{
	(void)loop;
	server_world_is_stopped = true;
}

static int server_world_make_files(struct world *world, const char *engine)
{
	char path[128];

	snprintf(world->dir, sizeof(world->dir), "/tmp/server_world.XXXXXX");
	if (!mkdtemp(world->dir))
		return errno;
	snprintf(path, sizeof(path), "%s/engines", world->dir);
	if (mkdir(path, 0700) != 0)
		return errno;
	snprintf(path, sizeof(path), "%s/data", world->dir);
	if (mkdir(path, 0700) != 0)
		return errno;
	snprintf(path, sizeof(path), "%s/engines/syrinx-tone", world->dir);
	return symlink(engine, path) == 0 ? 0 : errno;
}

int world_init(struct world *world, const char *engine)
{
	memset(world, 0, sizeof(*world));
	fake_decoding_open(&world->decoding);
	if (fake_hearing_open(&world->hearing) != 0)
		return ENOMEM;
	return server_world_make_files(world, engine);
}

static int server_world_find_account(struct store *store, struct store_account *account,
				     const struct world_key *key)
{
	int err;

	if (key->account[0] == '\0')
		return store->ops->account_get(store, account, STORE_ACCOUNT_DEFAULT);
	err = registry_find_account(store, account, key->account);
	if (err != ENOENT)
		return err;
	*account = (struct store_account){.limits = STORE_LIMITS_PLAN,
					  .is_prepaid = key->is_prepaid,
					  .created_ms = clock_wall_ms()};
	snprintf(account->name, sizeof(account->name), "%s", key->account);
	return registry_add_account(store, account);
}

static int server_world_add_key(struct store *store, struct world_key *key)
{
	struct store_account account;
	struct store_project project;
	int err = server_world_find_account(store, &account, key);

	if (!err)
		err = registry_find_project(store, &project, account.id, 0);
	if (err)
		return err;
	key->row.project_id = project.id;
	return registry_add_key(store, key->text, &key->row);
}

static int server_world_on_store(struct store *store, void *arg)
{
	struct world *world = arg;
	int err = 0;

	for (size_t i = 0; i < world->keys_count && !err; ++i)
		err = server_world_add_key(store, &world->keys[i]);
	return err;
}

static void server_world_on_listening(const char *address, void *arg)
{
	struct world *world = arg;
	const char *colon = strrchr(address, ':');

	snprintf(world->address, sizeof(world->address), "%s", address);
	snprintf(world->url_port, sizeof(world->url_port), "%s", colon ? colon + 1 : "");
}

/* Writes the file: what every world has, and the settings of this one. */
static int server_world_write_config(const struct world *world, const char *path)
{
	FILE *file = fopen(path, "we");

	if (!file)
		return errno;
	fprintf(file,
		"[server]\nlisten = 127.0.0.1:0\ndata = %s/data\nlog_level = error\nworker_user =\n"
		"[speech]\nengines_dir = %s/engines\nvoices_dir = %s/voices\ntest_hooks = on\n"
		"workers = 3\nslots = 3\nstart_timeout_ms = 60000\n"
		"%s%s",
		world->dir, world->dir, world->dir,
		strstr(world->settings, "[store]\n") ? "" : "[store]\naddress = memory:\n",
		world->settings);
	return fclose(file) == 0 ? 0 : errno;
}

static int server_world_load_config(struct world *world)
{
	static const struct config_purpose purpose = {.uses_agents = true};
	char path[128];
	struct buf errors;
	int err;

	world->config = calloc(1, sizeof(*world->config));
	if (!world->config)
		return ENOMEM;
	snprintf(path, sizeof(path), "%s/syrinx.conf", world->dir);
	err = server_world_write_config(world, path);
	if (err)
		return err;
	buf_init(&errors, 65536);
	err = config_load_for(world->config, path, &purpose, NULL, 0, &errors);
	if (err)
		fprintf(stderr, "%.*s", (int)errors.len, errors.bytes);
	buf_reset(&errors);
	log_set_level((enum log_level)world->config->log_level);
	return err;
}

/* A server that closes blocks SIGTERM and SIGINT (server_unwatch_signals); the next one in this
 * process needs them. */
static void server_world_unblock_signals(void)
{
	sigset_t end;

	sigemptyset(&end);
	sigaddset(&end, SIGTERM);
	sigaddset(&end, SIGINT);
	pthread_sigmask(SIG_UNBLOCK, &end, NULL);
}

int world_open(struct world *world)
{
	static struct server_events events;
	uint64_t until = clock_monotonic_us() + WORLD_WAIT_MS * UINT64_C(1000);
	int err;

	events = (struct server_events){.store_opened = server_world_on_store,
					.listening = server_world_on_listening,
					.arg = world};
	world->objects_before = mem_live();
	server_world_is_stopped = false;
	server_world_unblock_signals();
	err = server_world_load_config(world);
	if (!err)
		err = server_open(&world->server, world->config, doors_all, &events);
	prctl(PR_SET_DUMPABLE, 1); /* the server hides its memory; leak checkers need it */
	if (err)
		return err;
	world->is_open = true;
	world->server.services.hearing = &world->hearing.hearing;
	world->server.decoding = &world->decoding.decoding;
	loop_enter(world->server.loop);
	loop_leave(world->server.loop);
	while (pool_loading(world->server.pool) && clock_monotonic_us() < until)
		world_turn(world, -1, 0, 100);
	return pool_loading(world->server.pool) ? ETIMEDOUT : 0;
}

static void server_world_remove_files(const struct world *world)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf '%s'", world->dir);
	if (system(command) != 0) /* NOLINT: a folder of mkdtemp */
		fprintf(stderr, "# %s is left\n", world->dir);
}

size_t world_close(struct world *world)
{
	size_t left = 0;

	if (world->is_open) {
		server_close(&world->server);
		left = mem_live() - world->objects_before;
	}
	fake_hearing_close(&world->hearing);
	fake_decoding_close(&world->decoding);
	free(world->config);
	server_world_remove_files(world);
	return left;
}

/* Runs the fake engines until they have nothing to say, as callbacks of the loop. */
static void server_world_give(struct world *world)
{
	bool again;

	do {
		loop_enter(world->server.loop);
		again = fake_decoding_give(&world->decoding);
		again |= fake_hearing_give(&world->hearing);
		loop_leave(world->server.loop);
	} while (again);
}

void world_turn(struct world *world, int fd, short events, int wait_ms)
{
	uv_loop_t *uv = &world->server.loop->uv;
	struct pollfd fds[] = {{.fd = uv_backend_fd(uv), .events = POLLIN},
			       {.fd = fd, .events = events}};
	int timeout;

	if (world->has_ended)
		return;
	uv_update_time(uv);
	timeout = uv_backend_timeout(uv);
	if (timeout < 0 || timeout > wait_ms)
		timeout = wait_ms;
	poll(fds, fd >= 0 ? 2 : 1, timeout);
	uv_run(uv, UV_RUN_NOWAIT);
	server_world_give(world);
	world->has_ended = server_world_is_stopped;
}

void world_pass(struct world *world, uint64_t us)
{
	struct timers *timers = &world->server.loop->timers;

	__atomic_fetch_add(&server_world_passed_us, us, __ATOMIC_RELAXED);
	timers->changed(timers->changed_arg);
	for (int i = 0; i < 3; ++i)
		world_turn(world, -1, 0, 0);
}

bool world_is_quiet(const struct world *world)
{
	const struct server *server = &world->server;

	return http_conn_count(server->http) == 0 && server->sockets.count == 0 &&
	       server->conversations.count == 0 && server->speeches.count == 0 &&
	       server->transcriptions.count == 0 && server->samples == 0;
}
