/*
 * dictionary_errand.h: a request about dictionaries, in any vendor's shape.
 *
 *   loop:   the query, whose project ┐                               ┌ what is in memory, the answer
 *   thread:                          └ the body, the store, the JSON ┘
 *
 * A request is an errand to the store's thread, which does all of it that may be
 * long: a body of all entries is megabytes.  A change is answered when turns that
 * begin then will know of it.
 */
#ifndef SERVER_DICTIONARY_ERRAND_H
#define SERVER_DICTIONARY_ERRAND_H

#include "server/server_private.h"
#include "wire/dictionary_message.h"
#include "wire/json_write.h"

struct dictionary_errand;
typedef int(dictionary_errand_h)(struct dictionary_errand *errand, struct store *store);

struct dictionary_errand {
	struct route_call call; /* holds its request; the key is gone */
	dictionary_errand_h *work;
	bool is_change;
	int64_t project_id;
	struct store_page page;
	char search[DICTIONARY_WORD_MAX * 4 + 1];

	/* What the thread brings back: an object in json, or bytes of another type. */
	int status;
	struct json_write json;
	struct buf answer;
	const char *type; /* NULL: the JSON */
	struct stream_fault fault; /* of a refusal */
};

void dictionary_errand_run(const struct route_call *call, dictionary_errand_h *work_h,
			   bool is_change);

/* One that was not run by the above. */
void dictionary_errand_answer_refusal(struct dictionary_errand *errand, int err);
void dictionary_errand_destroy(void *object);

/* For `return dictionary_errand_refuse…` in a work: an error of the client's, or what an error of
 * the store means (0: nothing is wrong). */
int dictionary_errand_refuse(struct dictionary_errand *errand, enum wire_error_id id,
			     const char *detail);
int dictionary_errand_refuse_dictionary(struct dictionary_errand *errand, int err);
int dictionary_errand_refuse_entry(struct dictionary_errand *errand, int err);

/* Before anything below a dictionary: is it there, in the project? */
int dictionary_errand_find(struct dictionary_errand *errand, struct store *store);

#endif
