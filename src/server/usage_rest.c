/*
 * usage_rest.c: GET /v1/usage and /v1/usage/turns: what was spoken and what it cost.
 *
 * A key sees its own account, a master key any account.  Runs on a thread of the store (see
 * store_request.h) except for the handlers at the end.
 */
#include <errno.h>
#include <string.h>
#include <strings.h>

#include "account/registry.h"
#include "account/report.h"
#include "base/calendar.h"
#include "server/query.h"
#include "server/store_request.h"

#define PAGE_DEFAULT 100
#define PAGE_MAX 1000 /* turns: 250 KB of JSON */

static int usage_rest_read_moment(int64_t *wall_ms, struct store_request *request, const char *name)
{
	char text[CALENDAR_SIZE];
	int err = query_text(text, sizeof(text), &request->fault, request->call.request, name);

	*wall_ms = 0;
	if (err || text[0] == '\0' || calendar_parse(wall_ms, text) == 0)
		return err;
	return fault_set(&request->fault, WIRE_ERROR_INVALID_REQUEST,
			 "%s must be a date like 2026-05-20, or a time like "
			 "2026-05-20T09:00:00Z",
			 name);
}

/* A master key that names a project need not name its account. */
static int usage_rest_read_account(int64_t *id, struct store_request *request, int64_t project_id)
{
	int64_t own = request->key.account_id;
	bool is_master = registry_is_master(&request->key);
	int err = query_number(
		id, &request->fault, request->call.request, "account_id",
		&(struct query_range){0, INT64_MAX, is_master && project_id ? 0 : own});

	if (err || *id == own || is_master)
		return err;
	return fault_set(&request->fault, WIRE_ERROR_FORBIDDEN, "account_id %lld is not the key's",
			 (long long)*id);
}

/* For the caller, a project of another account does not exist. */
static int usage_rest_check_project(struct store_request *request, struct store *store,
				    const struct store_turn_filter *filter)
{
	struct store_project project;
	int err = registry_find_project(store, &project, filter->account_id, filter->project_id);

	return err == ENOENT ? store_request_refuse(request, WIRE_ERROR_PROJECT_NOT_FOUND, "")
			     : err;
}

/* For the caller, a key of another account does not exist. */
static int usage_rest_read_key(int64_t *id, struct store_request *request, struct store *store,
			       int64_t account_id)
{
	char prefix[STORE_KEY_PREFIX_LEN + 1];
	struct store_key key;
	int err = query_text(prefix, sizeof(prefix), &request->fault, request->call.request, "key");

	*id = 0;
	if (err || prefix[0] == '\0')
		return err;
	err = store->ops->key_find(store, &key, prefix);
	if (!err && account_id && key.account_id != account_id)
		err = ENOENT;
	if (err)
		return err == ENOENT ? store_request_refuse(request, WIRE_ERROR_KEY_NOT_FOUND, "")
				     : err;
	*id = key.id;
	return 0;
}

static int usage_rest_read_filter(struct store_turn_filter *filter, struct store_request *request,
				  struct store *store)
{
	int err = query_number(&filter->project_id, &request->fault, request->call.request,
			       "project_id", &(struct query_range){1, INT64_MAX, 0});

	if (!err)
		err = usage_rest_read_account(&filter->account_id, request, filter->project_id);
	if (!err && filter->project_id)
		err = usage_rest_check_project(request, store, filter);
	if (!err)
		err = usage_rest_read_key(&filter->key_id, request, store, filter->account_id);
	if (!err)
		err = usage_rest_read_moment(&filter->from_ms, request, "from");
	if (!err)
		err = usage_rest_read_moment(&filter->to_ms, request, "to");
	return err;
}

static int usage_rest_read_by(unsigned *by, struct store_request *request)
{
	char list[48];
	const char *bad;
	int err = query_text(list, sizeof(list), &request->fault, request->call.request, "by");

	*by = STORE_USAGE_DAY;
	if (err || list[0] == '\0' || report_parse_by(by, list, &bad) == 0)
		return err;
	return fault_set(&request->fault, WIRE_ERROR_INVALID_REQUEST,
			 "by must be some of " REPORT_BYS ", with commas between them");
}

/* Whether CSV is the first of the two types in the client's Accept header. */
static bool usage_rest_wants_csv(const struct http_request *request)
{
	const char *accept = http_header(request, "accept");
	const char *csv = accept ? strcasestr(accept, "text/csv") : NULL;
	const char *json = accept ? strcasestr(accept, "application/json") : NULL;

	return csv && (!json || csv < json);
}

static int usage_rest_write_sum(struct store_request *request, struct store *store)
{
	struct store_turn_filter filter = {0};
	unsigned by;
	int err = usage_rest_read_by(&by, request);

	if (!err)
		err = usage_rest_read_filter(&filter, request, store);
	if (err)
		return err;
	/* The report is a whole document, so the object that request->json has begun is dropped. */
	request->answer.len = 0;
	request->type = usage_rest_wants_csv(request->call.request) ? "text/csv; charset=utf-8"
								    : "application/json";
	return strncmp(request->type, "text", 4) == 0
		       ? report_write_csv(&request->answer, store, &filter, by)
		       : report_write_json(&request->answer, store, &filter, by,
					   request->call.server->config->currency);
}

static int usage_rest_write_turns(struct store_request *request, struct store *store)
{
	const struct http_request *http = request->call.request;
	struct store_turn_filter filter = {0};
	char after[REPORT_CURSOR_SIZE];
	int64_t limit = PAGE_DEFAULT;
	int err = usage_rest_read_filter(&filter, request, store);

	if (!err)
		err = query_number(&limit, &request->fault, http, "limit",
				   &(struct query_range){1, PAGE_MAX, PAGE_DEFAULT});
	if (!err)
		err = query_text(after, sizeof(after), &request->fault, http, "after");
	if (err)
		return err;
	request->answer.len = 0;
	request->type = "application/json";
	err = report_write_turns(&request->answer, store, &filter, after[0] ? after : NULL, limit);
	return err == EINVAL ? fault_set(&request->fault, WIRE_ERROR_INVALID_REQUEST,
					 "after must be what stood under next")
			     : err;
}

void usage_rest_sum(const struct route_call *call)
{
	store_request_run(call, &store_subject_reports, usage_rest_write_sum, NULL);
}

void usage_rest_turns(const struct route_call *call)
{
	store_request_run(call, &store_subject_reports, usage_rest_write_turns, NULL);
}
