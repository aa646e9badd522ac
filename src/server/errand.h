/*
 * errand.h: a request whose answer is the store's: its work is done on the account's
 * thread, where the body is read, the store is asked and the JSON is written.
 *
 * Whoever is asked on the loop and answers on the thread shares nothing with the
 * loop meanwhile: the request is held, and the key's row is a copy.
 */
#ifndef SERVER_ERRAND_H
#define SERVER_ERRAND_H

#include "server/server_private.h"
#include "wire/fault.h"
#include "wire/json_write.h"

struct errand;
typedef int(errand_h)(struct errand *errand, struct store *store);

struct errand {
	struct route_call call; /* its key is the one below */
	struct store_key key; /* who asks */
	errand_h *work;
	bool is_change;

	/* What the thread brings back: an object in json, or bytes of another type. */
	int status; /* 200 unless it says otherwise */
	struct json_write json;
	struct buf answer;
	const char *type; /* NULL: the JSON */
	struct stream_fault fault; /* of a refusal */
};

/* After a change the keys in use are looked at again.  ERRAND_REPORT: what is read is
 * as long as the ledger.  None is in the way of keys that come, or of other
 * accounts' errands. */
enum errand_kind { ERRAND_READ, ERRAND_CHANGE, ERRAND_REPORT };
void errand_run(const struct route_call *call, errand_h *work, enum errand_kind kind);

/* For `return errand_refuse(…)` in a work; detail "": none. */
int errand_refuse(struct errand *errand, enum wire_error_id id, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
