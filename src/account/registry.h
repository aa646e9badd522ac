/*
 * registry.h: creates and finds accounts, projects and keys, as an operator does.
 *
 * Blocking, on top of the store's operations: for a command-line tool, or for work on a thread of
 * the async_store.  Errors that are not listed are the store's.
 */
#ifndef ACCOUNT_REGISTRY_H
#define ACCOUNT_REGISTRY_H

#include <stdbool.h>

#include "account/api_key.h"
#include "store/store.h"

/* Whether it is an operator's key, which may act on every account.  An admin key of another account
 * may act only on its own. */
bool registry_is_master(const struct store_key *key);

/* Adds an account with its first project, which keys need.  account->id is set to the new id. */
#define REGISTRY_FIRST_PROJECT "default"
int registry_add_account(struct store *store, struct store_account *account);

/* Whether a name would be taken for an id.  Accounts must not have such names, because money could
 * be booked to the wrong one. */
bool registry_is_number(const char *name);

/* Finds an account by its id, or by its name if that is not a number.  ENOENT. */
int registry_find_account(struct store *store, struct store_account *account, const char *which);

/* ENOENT, also for a project of another account. account_id 0: of any account; id 0: the oldest,
 * which is created if the account has none. */
int registry_find_project(struct store *store, struct store_project *project, int64_t account_id,
			  int64_t id);

/* Creates a key and its text.  The name, scopes, limits, credit, expiry and project of `key` are
 * kept.  EINVAL for an unknown project. */
int registry_add_key(struct store *store, char text[API_KEY_LEN + 1], struct store_key *key);

/* Books credit.  *top_up becomes the row that counts: if its id is known with the same figures,
 * nothing is booked.  EEXIST when the id is known with other figures; nothing is booked. */
int registry_top_up(struct store *store, struct store_top_up *top_up);

/* The largest limit. A minute's worth of it in thousandths of a millisecond still fits 64 bits. */
#define REGISTRY_LIMIT_MAX 1000000000

/* The largest amount, in micro-cents. Larger numbers are not exact in programs that read JSON
 * numbers as doubles. */
#define REGISTRY_AMOUNT_MAX INT64_C(9007199254740991)

/* The names of limits in options and JSON, in the order of struct store_limits. */
#define REGISTRY_LIMITS 6
extern const char *const registry_limit_names[REGISTRY_LIMITS];
int64_t *registry_limit_at(struct store_limits *limits, size_t index);

#endif
