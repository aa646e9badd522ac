/*
 * fake_store.c: a store that a test can make fail and wait (see fake_store.h).
 */
#include "fake_store.h"

#include <errno.h>
#include <stdio.h>

#include "base/mem.h"

static struct fake_store *fake_store_of(struct store *store)
{
	return (struct fake_store *)(void *)store;
}

static int fake_store_key_add(struct store *store, struct store_key *key)
{
	struct store *real = fake_store_of(store)->real;

	return real->ops->key_add(real, key);
}

static int fake_store_key_find(struct store *store, struct store_key *key, const char *prefix)
{
	struct store *real = fake_store_of(store)->real;

	return real->ops->key_find(real, key, prefix);
}

static int fake_store_key_revoke(struct store *store, const char *prefix, int64_t at_ms)
{
	struct store *real = fake_store_of(store)->real;

	return real->ops->key_revoke(real, prefix, at_ms);
}

static int fake_store_key_list(struct store *store, store_key_h *each, void *arg)
{
	struct store *real = fake_store_of(store)->real;

	return real->ops->key_list(real, each, arg);
}

static int fake_store_turns_add(struct store *store, const struct store_turn *turns, size_t count,
				int *errs)
{
	struct fake_store *fake = fake_store_of(store);
	int err = fake->add_err;

	++fake->adds;
	if (fake->gated) {
		sem_post(&fake->reached);
		sem_wait(&fake->gate);
	}
	if (!err)
		err = fake->real->ops->turns_add(fake->real, turns, count, errs);
	return err ? err : fake->answer_err;
}

static int fake_store_lease_return(struct store *store, const char *server)
{
	struct fake_store *fake = fake_store_of(store);

	snprintf(fake->returned, sizeof(fake->returned), "%s", server);
	return 0;
}

static int fake_store_turn_list(struct store *store, store_turn_h *each, void *arg)
{
	struct store *real = fake_store_of(store)->real;

	return real->ops->turn_list(real, each, arg);
}

static const struct store_ops ops = {
	.key_add = fake_store_key_add,
	.key_find = fake_store_key_find,
	.key_revoke = fake_store_key_revoke,
	.key_list = fake_store_key_list,
	.lease_return = fake_store_lease_return,
	.turns_add = fake_store_turns_add,
	.turn_list = fake_store_turn_list,
};

static void fake_store_destroy(void *object)
{
	struct fake_store *fake = object;

	mem_deref(fake->real);
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
	err = store_open(&fake->real, "memory:");
	if (err) {
		mem_deref(fake);
		return err;
	}
	*fakep = fake;
	return 0;
}
