/*
 * fake_store.c: a store that fails and waits when a test says so (see fake_store.h).
 */
#include "fake_store.h"

#include <errno.h>
#include <stdio.h>

#include "base/mem.h"

static struct fake_store *fake_of(struct store *store)
{
	return (struct fake_store *)(void *)store;
}

static int key_add(struct store *store, struct store_key *key)
{
	struct store *behind = fake_of(store)->behind;

	return behind->ops->key_add(behind, key);
}

static int key_find(struct store *store, struct store_key *key, const char *prefix)
{
	struct store *behind = fake_of(store)->behind;

	return behind->ops->key_find(behind, key, prefix);
}

static int key_revoke(struct store *store, const char *prefix, int64_t at_ms)
{
	struct store *behind = fake_of(store)->behind;

	return behind->ops->key_revoke(behind, prefix, at_ms);
}

static int key_list(struct store *store, store_key_h *each, void *arg)
{
	struct store *behind = fake_of(store)->behind;

	return behind->ops->key_list(behind, each, arg);
}

static int turns_add(struct store *store, const struct store_turn *turns, size_t count, int *errs)
{
	struct fake_store *fake = fake_of(store);
	int err = fake->add_err;

	++fake->adds;
	if (fake->gated) {
		sem_post(&fake->reached);
		sem_wait(&fake->gate);
	}
	if (!err)
		err = fake->behind->ops->turns_add(fake->behind, turns, count, errs);
	return err ? err : fake->answer_err;
}

static int lease_return(struct store *store, const char *server)
{
	struct fake_store *fake = fake_of(store);

	snprintf(fake->returned, sizeof(fake->returned), "%s", server);
	return 0;
}

static int turn_list(struct store *store, store_turn_h *each, void *arg)
{
	struct store *behind = fake_of(store)->behind;

	return behind->ops->turn_list(behind, each, arg);
}

static const struct store_ops ops = {
	.key_add = key_add,
	.key_find = key_find,
	.key_revoke = key_revoke,
	.key_list = key_list,
	.lease_return = lease_return,
	.turns_add = turns_add,
	.turn_list = turn_list,
};

static void fake_store_destroy(void *object)
{
	struct fake_store *fake = object;

	mem_deref(fake->behind);
	sem_destroy(&fake->reached);
	sem_destroy(&fake->gate);
}

int fake_store_alloc(struct fake_store **fakep)
{
	struct fake_store *fake = mem_zalloc(sizeof(*fake), fake_store_destroy);
	int err;

	if (!fake)
		return ENOMEM;
	sem_init(&fake->reached, 0, 0);
	sem_init(&fake->gate, 0, 0);
	fake->store.ops = &ops;
	err = store_open(&fake->behind, "memory:");
	if (err) {
		mem_deref(fake);
		return err;
	}
	*fakep = fake;
	return 0;
}
