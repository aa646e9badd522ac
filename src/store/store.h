/*
 * store.h: what must survive the process, in verbs of the product.
 *
 * A backend is a table of blocking functions, called from the store's thread
 * only (account/ is the asynchronous face) or from a command-line tool.  One
 * conformance suite (test/unit/store) runs over every backend.
 */
#ifndef STORE_STORE_H
#define STORE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STORE_KEY_PREFIX_LEN 8 /* the part of a key that names it, in the clear */
#define STORE_KEY_HASH_LEN 32
#define STORE_NAME_MAX 64
#define STORE_TURN_ID_MAX 40

struct store_key {
	int64_t id;
	char prefix[STORE_KEY_PREFIX_LEN + 1]; /* the key's first letters */
	uint8_t hash[STORE_KEY_HASH_LEN]; /* SHA-256 of the whole key */
	char name[STORE_NAME_MAX + 1];
	int64_t credit_cents; /* -1: no limit */
	int64_t streams_max; /* -1: no limit */
	int64_t created_ms;
	int64_t revoked_ms; /* 0: not revoked */
};

enum store_turn_status { STORE_TURN_FINISHED, STORE_TURN_CANCELLED, STORE_TURN_FAILED };

/* One row of the ledger: append-only, idempotent by its id. */
struct store_turn {
	char id[STORE_TURN_ID_MAX + 1];
	int64_t key_id; /* 0: nobody's, spoken without a server */
	int64_t at_ms;
	enum store_turn_status status;
	uint64_t samples; /* handed to the socket */
	uint32_t sample_rate;
	uint64_t characters;
	int64_t voice_id;
	char model_id[24];
	int64_t amount_microcents;
};

struct store;

typedef bool(store_key_h)(const struct store_key *key, void *arg); /* false: enough */
typedef bool(store_turn_h)(const struct store_turn *turn, void *arg);

/* Each returns 0 or an errno: EBUSY when another process holds the store for
 * too long, EROFS, ENOSPC, EBADMSG when what is stored is damaged, ENOMEM, else
 * EIO.  The reason has been logged, except for those named here. */
struct store_ops {
	/* Fills in the id; EEXIST when the prefix is taken. */
	int (*key_add)(struct store *store, struct store_key *key);
	int (*key_find)(struct store *store, struct store_key *key,
			const char *prefix); /* ENOENT */
	/* The first time of a key that is revoked twice stays; ENOENT. */
	int (*key_revoke)(struct store *store, const char *prefix, int64_t at_ms);
	int (*key_list)(struct store *store, store_key_h *each, void *arg); /* oldest first */

	/* A batch of turns: durable when commit returns 0, gone after rollback, which
	 * must follow when begin was well and something after it failed. */
	int (*begin)(struct store *store);
	/* Outside a batch it is one of its own.  A turn whose id is known is left as it
	 * was, whatever the new one says.  EINVAL for a key that does not exist. */
	int (*turn_add)(struct store *store, const struct store_turn *turn);
	int (*commit)(struct store *store);
	void (*rollback)(struct store *store);
	int (*turn_list)(struct store *store, store_turn_h *each, void *arg); /* oldest first */
};

struct store {
	const struct store_ops *ops;
};

/* Opens by address: "sqlite:PATH" or "memory:".  Creates and migrates what is
 * missing.  mem_deref closes.  EINVAL for an address of no backend; what went
 * wrong with a real one is logged. */
int store_open(struct store **storep, const char *address);

/* The backends, by what stands after the colon. */
int store_open_sqlite(struct store **storep, const char *path);
int store_open_memory(struct store **storep);

#endif
