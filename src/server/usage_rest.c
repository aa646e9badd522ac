/*
 * usage_rest.c: GET /v1/usage and /v1/usage/turns: what was spoken and what it cost.
 *
 * A key sees its own account; a master key any.  Runs on the account's thread (see
 * errand.h) but for the routes, at the end.
 */
#include <errno.h>
#include <string.h>
#include <strings.h>

#include "account/registry.h"
#include "account/report.h"
#include "base/calendar.h"
#include "server/errand.h"
#include "server/query.h"

#define PAGE_DEFAULT 100
#define PAGE_MAX 1000 /* 250 KB */

static int read_moment(int64_t *wall_ms, struct errand *errand, const char *name)
{
	char text[CALENDAR_SIZE];
	int err = query_text(text, sizeof(text), &errand->fault, errand->call.request, name);

	*wall_ms = 0;
	if (err || text[0] == '\0' || calendar_parse(wall_ms, text) == 0)
		return err;
	return errand_refuse(errand, WIRE_ERROR_INVALID_REQUEST,
			     "%s must be a date like 2026-05-20, or a time like "
			     "2026-05-20T09:00:00Z",
			     name);
}

/* A master key that names a project need not say whose it is. */
static int read_account(int64_t *id, struct errand *errand, int64_t project_id)
{
	int64_t own = errand->key.account_id;
	bool is_master = registry_is_master(&errand->key);
	int err = query_number(
		id, &errand->fault, errand->call.request, "account_id",
		&(struct query_range){0, INT64_MAX, is_master && project_id ? 0 : own});

	if (err || *id == own || is_master)
		return err;
	return errand_refuse(errand, WIRE_ERROR_FORBIDDEN, "account_id %lld is not the key's",
			     (long long)*id);
}

/* One of another account is as none. */
static int check_project(struct errand *errand, struct store *store,
			 const struct store_turn_filter *filter)
{
	struct store_project project;
	int err = registry_find_project(store, &project, filter->account_id, filter->project_id);

	return err == ENOENT ? errand_refuse(errand, WIRE_ERROR_PROJECT_NOT_FOUND, "%s", "") : err;
}

/* A key of another account is as none. */
static int read_key(int64_t *id, struct errand *errand, struct store *store, int64_t account_id)
{
	char prefix[STORE_KEY_PREFIX_LEN + 1];
	struct store_key key;
	int err = query_text(prefix, sizeof(prefix), &errand->fault, errand->call.request, "key");

	*id = 0;
	if (err || prefix[0] == '\0')
		return err;
	err = store->ops->key_find(store, &key, prefix);
	if (!err && account_id && key.account_id != account_id)
		err = ENOENT;
	if (err)
		return err == ENOENT ? errand_refuse(errand, WIRE_ERROR_KEY_NOT_FOUND, "%s", "")
				     : err;
	*id = key.id;
	return 0;
}

static int read_filter(struct store_turn_filter *filter, struct errand *errand, struct store *store)
{
	int err = query_number(&filter->project_id, &errand->fault, errand->call.request,
			       "project_id", &(struct query_range){1, INT64_MAX, 0});

	if (!err)
		err = read_account(&filter->account_id, errand, filter->project_id);
	if (!err && filter->project_id)
		err = check_project(errand, store, filter);
	if (!err)
		err = read_key(&filter->key_id, errand, store, filter->account_id);
	if (!err)
		err = read_moment(&filter->from_ms, errand, "from");
	if (!err)
		err = read_moment(&filter->to_ms, errand, "to");
	return err;
}

static int read_by(unsigned *by, struct errand *errand)
{
	char list[48];
	const char *bad;
	int err = query_text(list, sizeof(list), &errand->fault, errand->call.request, "by");

	*by = STORE_USAGE_DAY;
	if (err || list[0] == '\0' || report_parse_by(by, list, &bad) == 0)
		return err;
	return errand_refuse(errand, WIRE_ERROR_INVALID_REQUEST,
			     "by must be some of " REPORT_BYS ", with commas between them");
}

/* Whichever the client names first. */
static bool wants_csv(const struct http_request *request)
{
	const char *accept = http_header(request, "accept");
	const char *csv = accept ? strcasestr(accept, "text/csv") : NULL;
	const char *json = accept ? strcasestr(accept, "application/json") : NULL;

	return csv && (!json || csv < json);
}

static int sum(struct errand *errand, struct store *store)
{
	struct store_turn_filter filter = {0};
	unsigned by;
	int err = read_by(&by, errand);

	if (!err)
		err = read_filter(&filter, errand, store);
	if (err)
		return err;
	/* The report is an object of its own. */
	errand->answer.len = 0;
	errand->type =
		wants_csv(errand->call.request) ? "text/csv; charset=utf-8" : "application/json";
	return strncmp(errand->type, "text", 4) == 0
		       ? report_write_csv(&errand->answer, store, &filter, by)
		       : report_write_json(&errand->answer, store, &filter, by,
					   errand->call.server->config->currency);
}

static int list_turns(struct errand *errand, struct store *store)
{
	const struct http_request *request = errand->call.request;
	struct store_turn_filter filter = {0};
	char after[REPORT_CURSOR_SIZE];
	int64_t limit = PAGE_DEFAULT;
	int err = read_filter(&filter, errand, store);

	if (!err)
		err = query_number(&limit, &errand->fault, request, "limit",
				   &(struct query_range){1, PAGE_MAX, PAGE_DEFAULT});
	if (!err)
		err = query_text(after, sizeof(after), &errand->fault, request, "after");
	if (err)
		return err;
	errand->answer.len = 0;
	errand->type = "application/json";
	err = report_write_turns(&errand->answer, store, &filter, after[0] ? after : NULL, limit);
	return err == EINVAL ? errand_refuse(errand, WIRE_ERROR_INVALID_REQUEST,
					     "after must be what stood under next")
			     : err;
}

void usage_rest_sum(const struct route_call *call)
{
	errand_run(call, sum, ERRAND_REPORT);
}

void usage_rest_turns(const struct route_call *call)
{
	errand_run(call, list_turns, ERRAND_REPORT);
}
