/*
 * store_request.c: an HTTP request that the store answers (see store_request.h).
 *
 * The request belongs to the store's thread from async_store_run_for until store_request_done, and
 * to the loop before and after.
 */
#include "server/store_request.h"

#include <errno.h>
#include <string.h>

#include "base/mem.h"

/* Enough for a report of every key and voice on every day of several years, or for 20,000
 * accounts. */
#define ANSWER_MAX (8u * 1024 * 1024)

/* The answer does not wait until the keys in use have been read again.  A new key is looked up when
 * it is first used; a change of a key that is in use takes effect a moment after the answer. */
static int store_request_refresh_keys(struct store_request *request,
				      void (*ready)(int err, void *request))
{
	(void)ready;
	callers_refresh(request->call.server->callers);
	return EALREADY;
}

const struct store_subject store_subject_accounts = {
	.lane = ASYNC_STORE_QUERIES,
	.failure = WIRE_ERROR_NO_STORE,
	.refresh = store_request_refresh_keys,
};

const struct store_subject store_subject_reports = {
	.lane = ASYNC_STORE_REPORTS,
	.failure = WIRE_ERROR_NO_STORE,
};

static void store_request_destroy(void *object)
{
	struct store_request *request = object;

	buf_reset(&request->answer);
	mem_deref(request->call.request);
	mem_deref(request->object);
}

int store_request_refuse(struct store_request *request, enum wire_error_id id, const char *detail)
{
	return fault_set(&request->fault, id, "%s", detail);
}

void store_request_answer_failure(const struct store_request *request, int err)
{
	const struct route_call *call = &request->call;

	if (request->fault.id != WIRE_ERROR_NONE)
		answer_error(call, request->fault.id, request->fault.detail);
	else if (err == ENOBUFS)
		answer_error(call, WIRE_ERROR_INVALID_REQUEST,
			     "the answer would be too long: ask for less at once");
	else
		answer_error(call, err == ENOMEM ? WIRE_ERROR_INTERNAL : request->subject->failure,
			     NULL);
}

/* `err` is the result of the refresh.  Even if it failed, the change is durable, and the refresh
 * will be retried. */
static void store_request_answer(int err, void *arg)
{
	struct store_request *request = arg;
	const struct route_call *call = &request->call;
	const struct buf *answer = &request->answer;

	if (request->subject->answer) {
		request->subject->answer(request, err);
	} else if (request->status == 204) {
		answer_empty(call);
	} else if (request->type) {
		answer_head(call);
		http_reply(call->request, request->status, request->type, answer->bytes,
			   answer->len);
	} else {
		answer_json(call, request->status, answer->bytes, answer->len);
	}
	mem_deref(request);
}

static void store_request_done(int err, void *arg)
{
	struct store_request *request = arg;
	const struct store_subject *subject = request->subject;

	if (err) {
		store_request_answer_failure(request, err);
		mem_deref(request);
		return;
	}
	if (request->is_change && subject->refresh)
		err = subject->refresh(request, store_request_answer);
	else
		err = EALREADY;
	if (err)
		store_request_answer(err == EALREADY ? 0 : err, request);
}

/* On the store's thread. */
static int store_request_work(struct store *store, void *arg)
{
	struct store_request *request = arg;
	int err = request->subject->open ? request->subject->open(request) : 0;

	json_write_open(&request->json, &request->answer);
	if (!err)
		err = request->work(request, store);
	return err || request->type ? err : json_write_close(&request->json);
}

void store_request_run(const struct route_call *call, const struct store_subject *subject,
		       store_request_h *work, const struct store_request_options *options)
{
	struct store_request *request = mem_zalloc(sizeof(*request), store_request_destroy);
	int err = ENOMEM;

	if (request) {
		request->call = *call;
		request->key = *call->key;
		request->call.key = &request->key;
		request->call.caller = NULL; /* the caller may only be used on the loop's thread */
		mem_ref(call->request);
		request->subject = subject;
		request->work = work;
		request->status = 200;
		if (options) {
			request->is_change = options->is_change;
			request->arg = options->arg;
			request->object = options->object;
		}
		buf_init(&request->answer, ANSWER_MAX);
		err = async_store_run_for(call->server->async_store, subject->lane,
					  request->key.account_id, store_request_work,
					  store_request_done, request);
	} else if (options) {
		mem_deref(options->object);
	}
	if (!err)
		return;
	answer_error(call, WIRE_ERROR_INTERNAL, NULL);
	mem_deref(request);
}
