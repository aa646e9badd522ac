/*
 * fake_store.c: a store that fails and waits when a test says so (see fake_store.h).
 */
#include "fake_store.h"

#include <errno.h>

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
	struct fake_store *fake = fake_of(store);
	int err = fake->find_err;

	return err ? err : fake->behind->ops->key_find(fake->behind, key, prefix);
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

static int begin(struct store *store)
{
	struct fake_store *fake = fake_of(store);
	int err = fake->begin_err;

	++fake->begins;
	if (fake->gated) {
		sem_post(&fake->reached);
		sem_wait(&fake->gate);
	}
	return err ? err : fake->behind->ops->begin(fake->behind);
}

static int turn_add(struct store *store, const struct store_turn *turn)
{
	struct fake_store *fake = fake_of(store);
	int err = fake->add_err;

	return err ? err : fake->behind->ops->turn_add(fake->behind, turn);
}

static int commit(struct store *store)
{
	struct fake_store *fake = fake_of(store);
	int err = fake->commit_err;

	++fake->commits;
	return err ? err : fake->behind->ops->commit(fake->behind);
}

static void rollback(struct store *store)
{
	struct fake_store *fake = fake_of(store);

	++fake->rollbacks;
	fake->behind->ops->rollback(fake->behind);
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
	.begin = begin,
	.turn_add = turn_add,
	.commit = commit,
	.rollback = rollback,
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
