/*
 * fake_store.h: a store that a test can make fail and wait.
 *
 * It passes calls on to a memory store.  Its settings are changed by the test's thread and read by
 * the async_store's thread.
 */
#ifndef TEST_ACCOUNT_FAKE_STORE_H
#define TEST_ACCOUNT_FAKE_STORE_H

#include <semaphore.h>
#include <stdatomic.h>

#include "store/store.h"

struct fake_store {
	struct store store; /* must be first */
	struct store *real;
	atomic_int add_err; /* the error that turns_add returns without adding anything */
	atomic_int answer_err; /* the error that turns_add returns after adding the turns */
	atomic_bool gated; /* turns_add posts `reached`, then waits for `gate` */
	sem_t reached;
	sem_t gate;
	atomic_int adds;
	char returned[STORE_SERVER_ID_LEN + 1]; /* whose leases were returned last */
};

int fake_store_alloc(struct fake_store **fakep);

#endif
