/*
 * registry.h: accounts, projects and keys as an operator makes and finds them.
 *
 * Blocking, over the store's verbs: for a command-line tool, or for work on the
 * account's thread.  What they return besides is what the store says.
 */
#ifndef ACCOUNT_REGISTRY_H
#define ACCOUNT_REGISTRY_H

#include <stdbool.h>

#include "account/account_key.h"
#include "store/store.h"

/* A key of the operator's: it may act on every account.  An admin key of another
 * account acts on its own alone. */
bool registry_is_master(const struct store_key *key);

/* With its first project, which keys need. */
#define REGISTRY_FIRST_PROJECT "default"
int registry_add_account(struct store *store, struct store_account *account);

/* A name that would be taken for a number: whose it is must never be in doubt where
 * money is booked. */
bool registry_is_number(const char *name);

/* By its number, or by its name where that is no number.  ENOENT. */
int registry_find_account(struct store *store, struct store_account *account, const char *which);

/* ENOENT; a project of another account is none.  account_id 0: of any; id 0: the oldest, which
 * is made where an account was left without one. */
int registry_find_project(struct store *store, struct store_project *project, int64_t account_id,
			  int64_t id);

/* Makes a key and its text; of `key` the name, scopes, limits, credit, expiry and
 * project are what it shall have.  EINVAL for the project. */
int registry_add_key(struct store *store, char text[ACCOUNT_KEY_LEN + 1], struct store_key *key);

/* Books credit.  *top_up becomes the row that counts: one whose id is known with the same
 * figures is left as it was.  EEXIST when it is known with others: nothing was booked. */
int registry_top_up(struct store *store, struct store_top_up *top_up);

/* Names of limits, for options and JSON: in the order of the struct. */
#define REGISTRY_LIMITS 5
extern const char *const registry_limit_names[REGISTRY_LIMITS];
int64_t *registry_limit_at(struct store_limits *limits, size_t index);

#endif
