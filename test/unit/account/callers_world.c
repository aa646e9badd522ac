/*
 * callers_world.c: callers with a memory store that a test can watch and make fail (see
 * callers_world.h).
 */
#include "callers_world.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "account/callers_private.h"
#include "base/mem.h"

struct watched watched;
struct store_ops world_verbs;
static struct store_ops real; /* the memory store's */

static int callers_world_key_find(struct store *store, struct store_key *key, const char *prefix)
{
	++watched.finds;
	return watched.err ? watched.err : real.key_find(store, key, prefix);
}

static int callers_world_account_get(struct store *store, struct store_account *account, int64_t id)
{
	return watched.err ? watched.err : real.account_get(store, account, id);
}

static int callers_world_version(struct store *store, int64_t *number)
{
	++watched.versions;
	return watched.err ? watched.err : real.version(store, number);
}

static int callers_world_key_used(struct store *store, int64_t key_id, int64_t at_ms)
{
	++watched.uses;
	return watched.err ? watched.err : real.key_used(store, key_id, at_ms);
}

static int callers_world_lease_take(struct store *store, struct store_lease *lease)
{
	int err;

	++watched.leases;
	if (watched.before_lease)
		watched.before_lease();
	err = watched.err ? watched.err : real.lease_take(store, lease);
	if (watched.after_lease)
		watched.after_lease();
	return err;
}

static int callers_world_lease_return(struct store *store, const char *server)
{
	++watched.returns;
	return watched.err ? watched.err : real.lease_return(store, server);
}

static int callers_world_token_take(struct store *store, struct store_key *key, const uint8_t *hash,
				    const char *path, int64_t now_ms)
{
	return watched.err ? watched.err : real.token_take(store, key, hash, path, now_ms);
}

static void callers_world_watch(struct store *store, const struct store_ops *extra)
{
	struct store_ops *verbs = &world_verbs;

	real = *store->ops;
	*verbs = real;
	verbs->key_find = callers_world_key_find;
	verbs->account_get = callers_world_account_get;
	verbs->version = callers_world_version;
	verbs->key_used = callers_world_key_used;
	verbs->lease_take = callers_world_lease_take;
	verbs->lease_return = callers_world_lease_return;
	verbs->token_take = callers_world_token_take;
	verbs->share_take = extra->share_take;
	verbs->share_heartbeat = extra->share_heartbeat;
	verbs->share_return = extra->share_return;
	store->ops = verbs;
}

static void callers_world_on_changed(void *arg)
{
	struct world *world = arg;

	++world->changes;
}

void world_add_key(struct world *world)
{
	struct store_key key;
	int err;

	do { /* two of thousands of keys sometimes have the same prefix */
		assert_int_equal(api_key_make(world->key_text, &key, "test"), 0);
		err = real.key_add(world->store, &key);
	} while (err == EEXIST);
	assert_int_equal(err, 0);
	memcpy(world->prefix, world->key_text, STORE_KEY_PREFIX_LEN);
}

int64_t world_add_account(struct world *world, const struct store_account *account)
{
	struct store_account row = *account;
	struct store_project project = {.name = "its own"};
	struct store_key key;

	assert_int_equal(real.account_add(world->store, &row), 0);
	project.account_id = row.id;
	assert_int_equal(real.project_add(world->store, &project), 0);
	assert_int_equal(api_key_make(world->key_text, &key, "test"), 0);
	memcpy(world->prefix, world->key_text, STORE_KEY_PREFIX_LEN);
	key.project_id = project.id;
	assert_int_equal(real.key_add(world->store, &key), 0);
	return row.id;
}

void world_open(struct world *world, const struct callers_options *options)
{
	const struct store_ops extra = world_verbs;

	memset(world, 0, sizeof(*world));
	memset(&watched, 0, sizeof(watched));
	assert_int_equal(loop_alloc(&world->loop), 0);
	assert_int_equal(store_open(&world->store, "memory:"), 0);
	callers_world_watch(world->store, &extra);
	world->store->is_unlimited = true;
	assert_int_equal(async_store_alloc(&world->async, world->loop, world->store,
					   &(struct async_store_options){0}),
			 0);
	world->options = *options;
	world->options.changed = callers_world_on_changed;
	world->options.arg = world;
	if (world->options.lease_microcents == 0)
		world->options.lease_microcents = BLOCK;
	assert_int_equal(callers_alloc(&world->callers, world->loop, world->async, &world->options),
			 0);
	world_settle(world);
}

void world_close(struct world *world)
{
	mem_deref(world->caller);
	mem_deref(world->callers);
	mem_deref(world->async);
	mem_deref(world->loop);
	memset(&world_verbs, 0, sizeof(world_verbs));
	assert_int_equal(mem_live(), 0);
}

void world_settle(struct world *world)
{
	loop_leave(world->loop);
	while (world->callers->asked.count > 0)
		uv_run(&world->loop->uv, UV_RUN_ONCE);
}

void world_pass(struct world *world, uint64_t us)
{
	timers_advance(&world->loop->timers, world->loop->timers.now_us + us);
	world_settle(world);
}

static void callers_world_on_checked(int err, struct caller *caller, void *arg)
{
	struct world *world = arg;

	assert_true((err == 0) == (caller != NULL));
	++world->heard;
	world->err = err;
	mem_deref(world->caller);
	world->caller = mem_ref(caller);
}

int world_check(struct world *world, const char *text, const char *path)
{
	struct callers_check *check;
	int heard = world->heard;

	assert_int_equal(callers_check(&check, world->callers, text, strlen(text), path,
				       callers_world_on_checked, world),
			 0);
	assert_int_equal(world->heard, heard); /* never from inside */
	while (world->heard == heard)
		world_settle(world);
	return world->err;
}
