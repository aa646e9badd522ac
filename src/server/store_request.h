/*
 * store_request.h: an HTTP request that the store answers.
 *
 *   loop:    copies the key ┐                                            ┌ refreshes memory, answers
 *   thread:                 └ reads query and body, asks the store, JSON ┘
 *
 * Everything that may take long (a body may have megabytes) runs on the store's thread: the thread
 * of the subject's lane (account/async_store.h).  It shares nothing with the loop: it holds a
 * reference to the HTTP request and a copy of the key.  A change is answered only after
 * `refresh` of its subject is done, which updates the server's in-memory copies.
 */
#ifndef SERVER_STORE_REQUEST_H
#define SERVER_STORE_REQUEST_H

#include "server/server_private.h"
#include "wire/dictionary_message.h"
#include "wire/fault.h"
#include "wire/json_write.h"

struct store_request;
/* Returns 0, EINVAL with the request's fault filled in, or an error of the store. */
typedef int(store_request_h)(struct store_request *request, struct store *store);

/* What requests about one kind of object have in common. */
struct store_subject {
	enum async_store_lane lane;
	enum wire_error_id failure; /* the answer when the store fails */
	/* On the thread, before the work: reads the query parameters that all such requests may
	 * have. */
	int (*open)(struct store_request *request);
	/* On the loop, after a change and before the answer: updates the in-memory copies.  If it
	 * returns 0, `ready` will be called later with the request.  Otherwise the request is
	 * answered immediately. */
	int (*refresh)(struct store_request *request, void (*ready)(int err, void *request));
	/* Replaces the usual answer to a request that succeeded; err is the result of `refresh`. */
	void (*answer)(struct store_request *request, int err);
};

struct store_request {
	struct route_call call; /* call.key points to the copy below, and call.caller is NULL */
	struct store_key key; /* a copy of the caller's key */
	const struct store_subject *subject;
	store_request_h *work;
	bool is_change;
	const void *arg; /* an argument for `work` */
	void *object; /* a reference that is released with the request; NULL: none */

	/* What the query names; set by the subject's `open`, or by `work` itself. */
	int64_t account_id, project_id;
	struct store_page page;
	char search[DICTIONARY_WORD_MAX * 4 + 1];
	/* The prefix of a new key, which call.id_texts[0] then points to. */
	char new_prefix[STORE_KEY_PREFIX_LEN + 1];

	/* The answer: an object in `json`, or bytes of the type `type` in `answer`. */
	int status; /* 200 unless `work` sets another status; 204 has no body */
	struct json_write json;
	struct buf answer;
	const char *type; /* NULL: `json` is the answer */
	struct stream_fault fault; /* why the request is refused */
};

/* Changes of accounts, projects and keys make the server read the keys in use again.  Reports take
 * as long as the ledger is large, so they have a thread of their own. */
extern const struct store_subject store_subject_accounts, store_subject_reports;

struct store_request_options {
	bool is_change; /* `refresh` is called before the answer */
	const void *arg; /* an argument for `work` */
	void *object; /* taken over, even if the request fails */
};

/* Runs `work` on the subject's thread and answers the call, with 500 if it cannot be run.
 * `options` may be NULL, which means all zero. */
void store_request_run(const struct route_call *call, const struct store_subject *subject,
		       store_request_h *work, const struct store_request_options *options);

/* Answers a request that failed with err, by its fault if one was filled in. */
void store_request_answer_failure(const struct store_request *request, int err);

/* Fills in the fault and returns EINVAL, for `return store_request_refuse(…)` in a work function.
 * `detail` may be "". */
int store_request_refuse(struct store_request *request, enum wire_error_id id, const char *detail);

#endif
