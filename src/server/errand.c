/*
 * errand.c: a request whose answer is the store's (see errand.h).
 */
#include "server/errand.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"

/* A report of every key and voice on every day of some years, or 20,000 accounts. */
#define ANSWER_MAX (8u * 1024 * 1024)

static void errand_destroy(void *object)
{
	struct errand *errand = object;

	buf_reset(&errand->answer);
	mem_deref(errand->call.request);
}

int errand_refuse(struct errand *errand, enum wire_error_id id, const char *format, ...)
{
	va_list args;

	errand->fault.id = id;
	va_start(args, format);
	vsnprintf(errand->fault.detail, sizeof(errand->fault.detail), format, args);
	va_end(args);
	return EINVAL;
}

static void answer_refusal(const struct errand *errand, int err)
{
	if (errand->fault.id != WIRE_ERROR_NONE)
		answer_error(&errand->call, errand->fault.id, errand->fault.detail);
	else if (err == ENOBUFS)
		answer_error(&errand->call, WIRE_ERROR_INVALID_REQUEST,
			     "the answer would be too long: ask for less at once");
	else
		answer_error(&errand->call,
			     err == ENOMEM ? WIRE_ERROR_INTERNAL : WIRE_ERROR_NO_STORE, NULL);
}

static void answer(const struct errand *errand)
{
	const struct route_call *call = &errand->call;

	if (errand->type) {
		answer_head(call);
		http_reply(call->request, errand->status, errand->type, errand->answer.bytes,
			   errand->answer.len);
	} else {
		answer_json(call, errand->status, errand->answer.bytes, errand->answer.len);
	}
}

static void on_done(int err, void *arg)
{
	struct errand *errand = arg;

	if (!err && errand->is_change)
		members_refresh(errand->call.server->members);
	if (err)
		answer_refusal(errand, err);
	else
		answer(errand);
	mem_deref(errand);
}

/* On the account's thread. */
static int work(struct store *store, void *arg)
{
	struct errand *errand = arg;
	int err;

	json_write_open(&errand->json, &errand->answer);
	err = errand->work(errand, store);
	if (err || errand->type)
		return err;
	return json_write_close(&errand->json);
}

void errand_run(const struct route_call *call, errand_h *work_h, enum errand_kind kind)
{
	struct errand *errand = mem_zalloc(sizeof(*errand), errand_destroy);
	enum account_lane lane = kind == ERRAND_REPORT ? ACCOUNT_REPORTS : ACCOUNT_QUESTIONS;

	if (!errand) {
		answer_error(call, WIRE_ERROR_INTERNAL, NULL);
		return;
	}
	errand->call = *call;
	errand->key = *call->key;
	errand->call.key = &errand->key;
	errand->call.member = NULL; /* the loop's */
	mem_ref(call->request);
	errand->work = work_h;
	errand->is_change = kind == ERRAND_CHANGE;
	errand->status = 200;
	buf_init(&errand->answer, ANSWER_MAX);
	if (account_ask_for(call->server->account, lane, errand->key.account_id, work, on_done,
			    errand) == 0)
		return;
	answer_error(call, WIRE_ERROR_INTERNAL, NULL);
	mem_deref(errand);
}
