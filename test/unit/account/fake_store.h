/*
 * fake_store.h: a store that fails and waits when a test says so.
 *
 * In front of a memory store.  The knobs are set on the test's thread and
 * obeyed on the account's.
 */
#ifndef TEST_ACCOUNT_FAKE_STORE_H
#define TEST_ACCOUNT_FAKE_STORE_H

#include <semaphore.h>
#include <stdatomic.h>

#include "store/store.h"

struct fake_store {
	struct store store; /* first: what callers hold */
	struct store *behind;
	atomic_int find_err; /* what key_find says, while not 0 */
	atomic_int begin_err;
	atomic_int add_err;
	atomic_int commit_err;
	atomic_bool gated; /* begin posts `reached`, then waits for `gate` */
	sem_t reached;
	sem_t gate;
	atomic_int begins;
	atomic_int commits;
	atomic_int rollbacks;
};

int fake_store_alloc(struct fake_store **fakep);

#endif
