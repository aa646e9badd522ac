/*
 * members_private.h: what the files of the keys in use share.
 *
 *   members.c          who is who: look-ups, and what is kept at hand
 *   members_poll.c     what has changed in the store, and what is due by the clock
 *   members_credit.c   leases of credit
 *   members_shares.c   limits that servers share
 *   permit.c           a turn's permission to speak
 *
 * All on the loop but the work of an inquiry.
 */
#ifndef ACCOUNT_MEMBERS_PRIVATE_H
#define ACCOUNT_MEMBERS_PRIVATE_H

#include "account/member_private.h"
#include "account/members.h"

/* Chains of keys: a chain is short up to ten thousand keys. */
#define MEMBERS_CHAINS 1024u

/* Keys that nobody uses now: who comes again is known, also while the store is away,
 * and so is what it has used in this minute.  A kilobyte each. */
#define MEMBERS_IDLE_MAX 4096u

struct members {
	struct loop *loop;
	struct account *account;
	struct members_options options;
	struct list chains[MEMBERS_CHAINS]; /* bearers by their hash; each is one reference */
	struct list used, idle; /* the same bearers: held by somebody, or not, oldest first */
	struct list payers; /* all payers, also by account number */
	struct list payer_chains[MEMBERS_CHAINS];
	struct list checks; /* that were not answered */
	struct list asked; /* inquiries that are under way */
	/* Permits that wait for the store's answer about credit, and those of them that are
	 * about to be told. */
	struct list credit_waits, credit_told;
	bool is_away; /* the store did not answer when it was asked last */

	struct timer poll;
	bool is_polling;
	bool is_due; /* look once more: members_refresh came during a poll */
	bool knows_version;
	int64_t version;
	unsigned reading; /* counts the times that all were read anew */
	bool is_noting; /* last uses are being written */

	bool has_shares;
	struct list owing; /* quotas with something to tell the store */
	struct timer beat, tell;
	struct deferred telling;
	bool is_unsure; /* what the store thinks we hold may be wrong */
	unsigned resyncs;
};

/* Something asked of the store.  Begins the object that it is about, which is freed
 * when it was answered: `done` on the loop, unless the members have ended. */
struct inquiry;
typedef int(inquiry_work_h)(struct store *store, struct inquiry *inquiry);
typedef void(inquiry_done_h)(struct inquiry *inquiry, int err);
struct inquiry {
	struct members *members; /* NULL: ended */
	struct link link;
	inquiry_work_h *work;
	inquiry_done_h *done;
};

/* Takes the object over; on failure it is freed. */
int members_ask(struct members *members, enum account_lane lane, struct inquiry *inquiry,
		inquiry_work_h *work, inquiry_done_h *done);

/* Whether the store answered; told to the log when it changes. */
void members_note_store(struct members *members, int err);

/* What the account's row leaves open. */
const struct store_limits *members_plan(const struct members *members,
					const struct store_account *row);

/* Finds the account's payer, if it is kept. */
struct list *members_payer_chain(struct members *members, int64_t id);

/* The object around a quota, to hold it by. */
void *members_owner(struct quota *quota);

/* members.c: called by member.c when the first member of a bearer is made and when
 * the last one ends. */
void members_note_use(struct members *members, struct bearer *bearer);

/* A lease was answered: who waits for it may be answered too. */
void members_credit_came(struct members *members);

/* members_poll.c */
void members_poll_start(struct members *members);
void members_poll_stop(struct members *members);

/* members_credit.c: asks for credit if it is time; true while an answer is awaited. */
bool members_credit(struct members *members, struct quota *quota);
/* Those in use are prolonged; those that nobody uses have lapsed after a while. */
void members_credit_tick(struct members *members);
/* Ask again at once, although there was nothing a moment ago. */
void members_credit_hope(struct members *members);

/* permit.c: when a lease was answered; to refuse permits that have waited too long; to refuse
 * all of them at shutdown. */
void permits_credit_came(struct members *members);
void permits_give_up_waiting(struct members *members);
void permits_end(struct members *members);

/* members_shares.c */
struct share_ask;
typedef void(share_h)(int err, const struct denied *denied, void *owner, permit_h *told, void *arg);

/* A slot of the meter that was taken here: the store's word, for the limits that are
 * shared.  0: there are none, or the store cannot be asked.  EINPROGRESS: the
 * handler will be called, with 0 or EACCES, unless it was forgotten; then the slot
 * was given back here. */
int shares_ask(struct share_ask **askp, struct members *members, struct bearer *bearer,
	       enum store_meter meter, share_h *handler, void *owner, permit_h *told, void *arg);
void shares_forget(struct share_ask *ask);
/* member.c: the same for a member, which may have no payer. */
int member_ask_store(struct share_ask **askp, const struct member *member, enum store_meter meter,
		     share_h *handler, void *owner, permit_h *told, void *arg);
/* A key may have ended while the store was asked; the slot is given back with the permit. */
void member_tell_shared(int err, const struct denied *denied, const struct member *member,
			permit_h *told, void *arg);
/* What was used or given back, told to the store soon. */
void shares_owe(struct members *members, struct quota *quota, enum store_meter meter,
		int64_t amount);
/* Somebody has other limits now, or the store was away: what it counts may be wrong. */
void shares_doubt(struct members *members);
/* The store answers: it is told all, if that is so. */
void shares_settle(struct members *members);
void shares_start(struct members *members);
void shares_stop(struct members *members);

#endif
