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
	atomic_int add_err; /* what turns_add says, which then does nothing */
	atomic_int answer_err; /* what it says after it has added them: the answer was lost */
	atomic_bool gated; /* it posts `reached`, then waits for `gate` */
	sem_t reached;
	sem_t gate;
	atomic_int adds;
	char returned[STORE_SERVER_ID_LEN + 1]; /* whose leases were returned last */
};

int fake_store_alloc(struct fake_store **fakep);

#endif
