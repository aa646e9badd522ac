/*
 * dictionary_errand.c: a request about dictionaries (see dictionary_errand.h).
 */
#include "server/dictionary_errand.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "account/registry.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "server/query.h"

#define PAGE_DEFAULT 100
#define PAGE_MAX 500
#define ANSWER_MAX (8u * 1024 * 1024) /* a page of the longest entries, all escaped: 5 MB */

void dictionary_errand_destroy(void *object)
{
	struct dictionary_errand *errand = object;

	buf_reset(&errand->answer);
	mem_deref(errand->call.request);
}

void dictionary_errand_answer_refusal(struct dictionary_errand *errand, int err)
{
	if (errand->fault.id != WIRE_ERROR_NONE)
		answer_error(&errand->call, errand->fault.id, errand->fault.detail);
	else
		answer_error(&errand->call,
			     err == ENOMEM || err == ENOBUFS ? WIRE_ERROR_INTERNAL
							     : WIRE_ERROR_NO_DICTIONARIES,
			     NULL);
}

static void dictionary_errand_answer(struct dictionary_errand *errand)
{
	if (errand->type) {
		answer_head(&errand->call);
		http_reply(errand->call.request, errand->status, errand->type, errand->answer.bytes,
			   errand->answer.len);
	} else {
		answer_json(&errand->call, errand->status, errand->answer.bytes,
			    errand->answer.len);
	}
	mem_deref(errand);
}

/* The change is durable whatever happened to the memory, which is tried again. */
static void dictionary_errand_on_refreshed(int err, void *arg)
{
	(void)err;
	dictionary_errand_answer(arg);
}

static void dictionary_errand_on_done(int err, void *arg)
{
	struct dictionary_errand *errand = arg;
	struct server *server = errand->call.server;

	if (err) {
		dictionary_errand_answer_refusal(errand, err);
		mem_deref(errand);
		return;
	}
	if (!errand->is_change || !dictionaries_cares(server->dictionaries, errand->project_id) ||
	    dictionaries_refresh(server->dictionaries, errand->project_id,
				 dictionary_errand_on_refreshed, errand) != 0)
		dictionary_errand_answer(errand);
}

static int dictionary_errand_work(struct store *store, void *arg)
{
	struct dictionary_errand *errand = arg;
	int err;

	json_write_open(&errand->json, &errand->answer);
	err = errand->work(errand, store);
	return err || errand->type ? err : json_write_close(&errand->json);
}

/* A master key may name any project, others their own. */
static int dictionary_errand_read_project(struct dictionary_errand *errand,
					  const struct store_key *key)
{
	int err = query_number(&errand->project_id, &errand->fault, errand->call.request,
			       "project_id", &(struct query_range){1, INT64_MAX, key->project_id});

	if (err || errand->project_id == key->project_id || registry_is_master(key))
		return err;
	return fault_set(&errand->fault, WIRE_ERROR_FORBIDDEN, "project_id %lld is not the key's",
			 (long long)errand->project_id);
}

static int dictionary_errand_read_page(struct dictionary_errand *errand)
{
	const struct http_request *request = errand->call.request;
	struct stream_fault *fault = &errand->fault;
	int err = query_text(errand->search, sizeof(errand->search), fault, request, "search");

	if (!err && utf8_count(errand->search, strlen(errand->search)) > DICTIONARY_WORD_MAX)
		err = fault_set(fault, WIRE_ERROR_INVALID_REQUEST,
				"search must be text of at most %d characters",
				DICTIONARY_WORD_MAX);
	errand->page.search = errand->search[0] ? errand->search : NULL;
	if (!err)
		err = query_number(&errand->page.limit, fault, request, "limit",
				   &(struct query_range){1, PAGE_MAX, PAGE_DEFAULT});
	if (!err)
		err = query_number(&errand->page.offset, fault, request, "offset",
				   &(struct query_range){0, INT64_MAX, 0});
	return err;
}

static int dictionary_errand_dispatch(struct dictionary_errand **errandp,
				      const struct route_call *call, dictionary_errand_h *work_h,
				      bool is_change)
{
	struct dictionary_errand *errand = mem_zalloc(sizeof(*errand), dictionary_errand_destroy);
	int err;

	if (!errand)
		return ENOMEM;
	*errandp = errand;
	errand->call = *call;
	errand->call.member = NULL;
	errand->call.key = NULL;
	mem_ref(call->request);
	errand->work = work_h;
	errand->is_change = is_change;
	errand->status = 200;
	buf_init(&errand->answer, ANSWER_MAX);
	err = dictionary_errand_read_project(errand, call->key);
	if (!err)
		err = dictionary_errand_read_page(errand);
	return err ? err
		   : account_ask_for(call->server->account, ACCOUNT_QUESTIONS,
				     call->key->account_id, dictionary_errand_work,
				     dictionary_errand_on_done, errand);
}

void dictionary_errand_run(const struct route_call *call, dictionary_errand_h *work_h,
			   bool is_change)
{
	struct dictionary_errand *errand = NULL;
	int err = dictionary_errand_dispatch(&errand, call, work_h, is_change);

	if (err && errand)
		dictionary_errand_answer_refusal(errand, err);
	else if (err)
		answer_error(call, WIRE_ERROR_INTERNAL, NULL);
	if (err)
		mem_deref(errand);
}

/* What follows runs on the store's thread. */

int dictionary_errand_refuse(struct dictionary_errand *errand, enum wire_error_id id,
			     const char *detail)
{
	return fault_set(&errand->fault, id, "%s", detail);
}

int dictionary_errand_refuse_dictionary(struct dictionary_errand *errand, int err)
{
	char detail[64];

	switch (err) {
	case ENOENT:
		return dictionary_errand_refuse(errand, WIRE_ERROR_DICTIONARY_NOT_FOUND, "");
	case EEXIST:
		return dictionary_errand_refuse(errand, WIRE_ERROR_INVALID_REQUEST,
						"another dictionary of the project has this name");
	case EDQUOT:
		snprintf(detail, sizeof(detail), "a project may have %d dictionaries",
			 STORE_DICTIONARIES_MAX);
		return dictionary_errand_refuse(errand, WIRE_ERROR_INVALID_REQUEST, detail);
	default:
		return err;
	}
}

int dictionary_errand_refuse_entry(struct dictionary_errand *errand, int err)
{
	char detail[64];

	switch (err) {
	case ENOENT:
		return dictionary_errand_refuse(errand, WIRE_ERROR_ENTRY_NOT_FOUND, "");
	case EEXIST:
		return dictionary_errand_refuse(errand, WIRE_ERROR_INVALID_REQUEST,
						"another entry of the dictionary has this word");
	case EDQUOT:
		snprintf(detail, sizeof(detail), "a dictionary may have %d entries",
			 STORE_ENTRIES_MAX);
		return dictionary_errand_refuse(errand, WIRE_ERROR_INVALID_REQUEST, detail);
	default:
		return err;
	}
}

static bool dictionary_errand_pass_by(const struct store_dictionary *row, void *arg)
{
	(void)row;
	(void)arg;
	return true;
}

int dictionary_errand_find(struct dictionary_errand *errand, struct store *store)
{
	int err = store->ops->dictionary_get(store, errand->project_id, errand->call.ids[0],
					     dictionary_errand_pass_by, NULL);

	return dictionary_errand_refuse_dictionary(errand, err);
}
