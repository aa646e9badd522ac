/*
 * account_private.h: the account among its own files.
 *
 *   account.c  lanes: threads with a handle of the store each; questions, keys
 *   ledger.c   bookings, until they are durable
 *
 * Everything belongs to the loop, but a request between thread_submit and its done.
 */
#ifndef ACCOUNT_ACCOUNT_PRIVATE_H
#define ACCOUNT_ACCOUNT_PRIVATE_H

#include "account/account.h"
#include "loop/thread.h"

/* With one thread for all, those above go before those below. */
enum request_kind { REQUEST_ACCESS, REQUEST_BOOKING, REQUEST_QUESTION };

struct request {
	struct task task;
	struct account *account;
	enum request_kind kind;
	int err; /* the thread's answer */
};

enum { LANE_LEDGER, LANE_ACCESS, LANE_QUESTIONS, LANES };

struct lane {
	struct account *account;
	struct store *store; /* the thread's while it runs */
	struct thread *thread; /* NULL: the first lane's does its work */
};

struct account {
	struct loop *loop;
	struct lane lanes[LANES];
	char server_id[STORE_SERVER_ID_LEN + 1];
	struct list questions; /* that wait; the first may be with the thread */
	bool is_asking; /* it is */
	bool closing;

	/* ledger.c */
	struct list unsaved; /* bookings that the store did not take, oldest first */
	size_t waiting; /* bookings that are not durable */
	struct timer retry;
	uint64_t retry_us;
};

static inline struct request *request_of(struct link *link)
{
	return LIST_OBJECT(link, struct request, task.link);
}

void account_submit(struct account *account, int lane, struct request *request, task_done_h *done);

void ledger_init(struct account *account);
/* On the thread: all bookings of the batch, or none. */
void ledger_run(struct store *store, struct list *batch);
/* The threads have ended: what could not be booked is tried once more, here. */
void ledger_finish(struct account *account);

#endif
