/*
 * resource.c: list, get, add, change and remove of REST objects (see resource.h).
 */
#include "server/resource.h"

#include <errno.h>

#include "account/registry.h"
#include "server/query.h"

#define PAGE_DEFAULT 100
#define PAGE_MAX 1000 /* half a megabyte of keys */
#define ANSWER_MAX (16u * 1024 * 1024) /* all voices of a large project, with long texts */

bool resource_begin_row(struct resource_rows *rows, int64_t id)
{
	if (!rows->is_list)
		return true;
	if (id <= rows->after)
		return false;
	rows->has_more = rows->left == 0;
	if (rows->has_more)
		return false;
	--rows->left;
	rows->last = id;
	rows->is_open = true;
	json_write_object(rows->json, NULL);
	return true;
}

bool resource_end_row(struct resource_rows *rows)
{
	if (rows->is_open)
		json_write_object_end(rows->json);
	rows->is_open = false;
	return !rows->has_more;
}

int resource_refuse(struct store_request *request, const struct resource_refusal *refusals, int err)
{
	/* If there is a fault already, the resource's function has described the error. */
	if (!err || request->fault.id != WIRE_ERROR_NONE)
		return err;
	for (size_t i = 0; refusals[i].err; ++i) {
		if (refusals[i].err == err)
			return store_request_refuse(request, refusals[i].id, refusals[i].detail);
	}
	return err;
}

bool resource_sees_account(const struct store_request *request, int64_t account_id)
{
	return registry_is_master(&request->key) || account_id == request->key.account_id;
}

int resource_need_master(struct store_request *request)
{
	if (registry_is_master(&request->key))
		return 0;
	return store_request_refuse(request, WIRE_ERROR_FORBIDDEN, "it takes a master key");
}

/* Reads ?after= and ?limit= for RESOURCE_BY_ID.  In other lists every row that the store returns is
 * shown. */
static int resource_open_page(struct resource_rows *rows, enum resource_paging paging)
{
	struct store_request *request = rows->request;
	int err;

	rows->after = INT64_MIN;
	rows->left = INT64_MAX;
	if (paging != RESOURCE_BY_ID)
		return 0;
	err = query_number(&rows->after, &request->fault, request->call.request, "after",
			   &(struct query_range){0, INT64_MAX, 0});
	return err ? err
		   : query_number(&rows->left, &request->fault, request->call.request, "limit",
				  &(struct query_range){1, PAGE_MAX, PAGE_DEFAULT});
}

static int resource_work_list(struct store_request *request, struct store *store)
{
	const struct resource *resource = request->arg;
	struct json_write *json = &request->json;
	struct resource_rows rows = {.request = request, .json = json, .is_list = true};
	int64_t total = 0;
	int err = resource->scope ? resource->scope(request, store) : 0;

	err = resource_refuse(request, resource->refusals, err);
	if (!err)
		err = resource_open_page(&rows, resource->paging);
	if (!err && resource->count)
		err = resource->count(request, store, &total);
	if (err)
		return err;
	json_write_list(json, resource->name);
	err = resource->list(request, store, &rows);
	json_write_list_end(json);
	if (resource->paging == RESOURCE_BY_OFFSET) {
		json_write_signed(json, "total", total);
		json_write_signed(json, "limit", request->page.limit);
		json_write_signed(json, "offset", request->page.offset);
	} else if (rows.has_more) {
		json_write_signed(json, "next", rows.last);
	} else if (resource->paging == RESOURCE_BY_ID) {
		json_write_null(json, "next");
	}
	return err;
}

static int resource_work_get(struct store_request *request, struct store *store)
{
	const struct resource *resource = request->arg;
	struct resource_rows rows = {.request = request, .json = &request->json};

	return resource_refuse(request, resource->refusals, resource->get(request, store, &rows));
}

static int resource_work_write(struct store_request *request, struct store *store, bool is_new)
{
	const struct resource *resource = request->arg;
	int err = resource->write(request, store, is_new);

	if (err)
		return resource_refuse(request, resource->refusals, err);
	return resource->get ? resource_work_get(request, store) : 0;
}

static int resource_work_add(struct store_request *request, struct store *store)
{
	request->status = 201;
	return resource_work_write(request, store, true);
}

static int resource_work_change(struct store_request *request, struct store *store)
{
	return resource_work_write(request, store, false);
}

static int resource_work_remove(struct store_request *request, struct store *store)
{
	const struct resource *resource = request->arg;
	int err = resource->remove(request, store);

	if (err)
		return resource_refuse(request, resource->refusals, err);
	if (resource->is_kept)
		return resource_work_get(request, store);
	json_write_bool(&request->json, "deleted", true);
	return 0;
}

static void resource_run(const struct route_call *call, store_request_h *work, bool is_change)
{
	const struct resource *resource = call->route->resource;

	store_request_run(call, resource->subject, work,
			  &(struct store_request_options){.is_change = is_change, .arg = resource});
}

void resource_list(const struct route_call *call)
{
	resource_run(call, resource_work_list, false);
}

void resource_get(const struct route_call *call)
{
	resource_run(call, resource_work_get, false);
}

void resource_add(const struct route_call *call)
{
	resource_run(call, resource_work_add, true);
}

void resource_change(const struct route_call *call)
{
	resource_run(call, resource_work_change, true);
}

void resource_remove(const struct route_call *call)
{
	resource_run(call, resource_work_remove, true);
}

void resource_answer(const struct route_call *call, int status, resource_write_h *write,
		     const void *arg)
{
	struct json_write json;
	struct buf out;

	buf_init(&out, ANSWER_MAX);
	json_write_open(&json, &out);
	write(&json, call, arg);
	if (json_write_close(&json) == 0)
		answer_json(call, status, out.bytes, out.len);
	else
		answer_error(call, WIRE_ERROR_INTERNAL, NULL);
	buf_reset(&out);
}
