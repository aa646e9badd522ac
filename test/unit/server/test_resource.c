/* A struct resource is all that a type of object needs to be listed, shown, added, changed and
 * removed, with the same answers and refusals as every other type. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "rest_world.h"
#include "server/resource.h"

/* The type of this test is the "thing": a dictionary in the store, of which only the name is shown. */

static int opened, refreshed;

static int thing_open(struct store_request *request)
{
	++opened;
	request->project_id = request->key.project_id;
	request->page = (struct store_page){.limit = 2, .offset = 1};
	return 0;
}

static int thing_refresh(struct store_request *request, void (*ready)(int err, void *request))
{
	(void)request;
	(void)ready;
	++refreshed;
	return EALREADY;
}

static const struct store_subject subject = {
	.lane = ASYNC_STORE_QUERIES,
	.failure = WIRE_ERROR_NO_STORE,
	.open = thing_open,
	.refresh = thing_refresh,
};

static bool thing_row(const struct store_dictionary *row, void *arg)
{
	struct resource_rows *rows = arg;

	if (resource_begin_row(rows, row->id))
		json_write_text(rows->json, "name", row->name);
	return resource_end_row(rows);
}

static int thing_list(struct store_request *request, struct store *store,
		      struct resource_rows *rows)
{
	return store->ops->dictionary_list(store, request->project_id, thing_row, rows);
}

static int thing_count(struct store_request *request, struct store *store, int64_t *total)
{
	(void)request;
	(void)store;
	*total = 7;
	return 0;
}

static int thing_get(struct store_request *request, struct store *store, struct resource_rows *rows)
{
	return store->ops->dictionary_get(store, request->project_id, request->call.ids[0],
					  thing_row, rows);
}

/* The body of the request is the name of the thing, without JSON. */
static int thing_write(struct store_request *request, struct store *store, bool is_new)
{
	const struct store_dictionary row = {.project_id = request->project_id,
					     .name = request->call.request->body,
					     .created_ms = 1,
					     .updated_ms = 2};
	int err = is_new ? 0 : resource_need_master(request);

	if (err)
		return err;
	if (row.name[0] == '\0')
		return store_request_refuse(request, WIRE_ERROR_INVALID_REQUEST, "no name");
	return is_new ? store->ops->dictionary_add(store, &request->call.ids[0], &row, NULL, 0)
		      : store->ops->dictionary_change(store, request->project_id,
						      request->call.ids[0], STORE_DICTIONARY_NAME,
						      &row);
}

static int thing_remove(struct store_request *request, struct store *store)
{
	return store->ops->dictionary_remove(store, request->project_id, request->call.ids[0]);
}

static int thing_end(struct store_request *request, struct store *store)
{
	(void)request;
	(void)store;
	return 0;
}

static int thing_scope(struct store_request *request, struct store *store)
{
	(void)store;
	return resource_sees_account(request, STORE_ACCOUNT_DEFAULT) ? 0 : ENOENT;
}

static const struct resource_refusal refusals[] = {
	{ENOENT, WIRE_ERROR_DICTIONARY_NOT_FOUND, ""},
	{EEXIST, WIRE_ERROR_INVALID_REQUEST, "another thing has this name"},
	{EDQUOT, WIRE_ERROR_INVALID_REQUEST,
	 "there may be " RESOURCE_NUMBER(STORE_DICTIONARIES_MAX) " things"},
	{0},
};

static struct resource things;

static void thing_handler(const struct route_call *call)
{
	const char *method = call->request->method;
	bool is_one = strcmp(call->request->path, "/things") != 0;

	if (strcmp(method, "GET") == 0)
		(is_one ? resource_get : resource_list)(call);
	else if (strcmp(method, "POST") == 0)
		resource_add(call);
	else if (strcmp(method, "PATCH") == 0)
		resource_change(call);
	else
		resource_remove(call);
}

static int open_things(void **state)
{
	opened = refreshed = 0;
	things = (struct resource){
		.subject = &subject,
		.name = "things",
		.paging = RESOURCE_BY_ID,
		.refusals = refusals,
		.list = thing_list,
		.get = thing_get,
		.write = thing_write,
		.remove = thing_remove,
	};
	if (rest_world_open(state) != 0)
		return -1;
	rest_world.route = (struct route){.handler = thing_handler, .resource = &things};
	return 0;
}

static void assert_refused(const char *method, const char *path, const char *body, int status,
			   const char *word)
{
	rest_world_ask(method, path, body);
	assert_int_equal(rest_world.status, status);
	if (!strstr(rest_world.body, word))
		fail_msg("%s %s: \"%s\" does not say %s", method, path, rest_world.body, word);
}

static void test_a_thing_is_added_shown_changed_and_removed(void **state)
{
	(void)state;
	rest_world_expect("POST", "/things", "one", 201, "{'name':'one'}");
	rest_world_expect("GET", "/things/1", NULL, 200, "{'name':'one'}");
	rest_world_expect("PATCH", "/things/1", "uno", 200, "{'name':'uno'}");
	rest_world_expect("GET", "/things", NULL, 200, "{'things':[{'name':'uno'}],'next':null}");
	rest_world_expect("DELETE", "/things/1", NULL, 200, "{'deleted':true}");
	rest_world_expect("GET", "/things", NULL, 200, "{'things':[],'next':null}");
	assert_int_equal(opened, 6);
	assert_int_equal(refreshed, 3); /* only after changes */
}

static void test_what_is_not_there_is_not_found(void **state)
{
	(void)state;
	assert_refused("GET", "/things/9", NULL, 404, "ictionary not found");
	assert_refused("GET", "/things/x", NULL, 404, "ictionary not found");
	assert_refused("PATCH", "/things/9", "x", 404, "ictionary not found");
	assert_refused("DELETE", "/things/9", NULL, 404, "ictionary not found");
	assert_int_equal(refreshed, 0); /* nothing has changed */
}

static void test_refusals_are_those_of_the_table(void **state)
{
	(void)state;
	rest_world_expect("POST", "/things", "one", 201, "{'name':'one'}");
	rest_world_expect("POST", "/things", "two", 201, "{'name':'two'}");
	assert_refused("POST", "/things", "one", 400, "another thing has this name");
	assert_refused("PATCH", "/things/2", "one", 400, "another thing has this name");
	assert_refused("POST", "/things", "", 400, "no name"); /* refused by thing_write itself */
	rest_world_expect("GET", "/things/2", NULL, 200, "{'name':'two'}");
	for (int i = 2; i < STORE_DICTIONARIES_MAX; ++i) {
		char name[16];

		snprintf(name, sizeof(name), "%d", i);
		rest_world_ask("POST", "/things", name);
		assert_int_equal(rest_world.status, 201);
	}
	assert_refused("POST", "/things", "one more", 400, "there may be 100 things");
}

static void test_pages_follow_each_other(void **state)
{
	(void)state;
	for (int i = 0; i < 3; ++i)
		rest_world_ask("POST", "/things", (const char *[]){"a", "b", "c"}[i]);
	rest_world_expect("GET", "/things?limit=2", NULL, 200,
			  "{'things':[{'name':'a'},{'name':'b'}],'next':2}");
	rest_world_expect("GET", "/things?limit=2&after=2", NULL, 200,
			  "{'things':[{'name':'c'}],'next':null}");
	rest_world_expect("GET", "/things?limit=3", NULL, 200,
			  "{'things':[{'name':'a'},{'name':'b'},{'name':'c'}],'next':null}");
	rest_world_expect("GET", "/things?after=7", NULL, 200, "{'things':[],'next':null}");
	assert_refused("GET", "/things?limit=0", NULL, 400,
		       "limit must be a whole number from 1 to 1000");
	assert_refused("GET", "/things?limit=1001", NULL, 400, "limit must be");
	assert_refused("GET", "/things?after=-1", NULL, 400,
		       "after must be a whole number from 0 on");
}

static void test_other_lists_are_whole_or_by_offset(void **state)
{
	(void)state;
	rest_world_ask("POST", "/things", "a");
	things.paging = RESOURCE_WHOLE;
	rest_world_expect("GET", "/things?limit=x", NULL, 200, "{'things':[{'name':'a'}]}");
	things.paging = RESOURCE_BY_OFFSET;
	things.count = thing_count;
	rest_world_expect("GET", "/things", NULL, 200,
			  "{'things':[{'name':'a'}],'total':7,'limit':2,'offset':1}");
}

static void test_only_a_master_key_passes_where_one_is_needed(void **state)
{
	(void)state;
	rest_world_ask("POST", "/things", "a");
	things.scope = thing_scope;
	rest_world.key.account_id = 2;
	assert_refused("PATCH", "/things/1", "b", 403, "it takes a master key");
	assert_refused("GET", "/things", NULL, 404, "ictionary not found");
	rest_world.key.project_id = 2; /* which does not have this thing */
	assert_refused("GET", "/things/1", NULL, 404, "ictionary not found");
	rest_world.key.account_id = STORE_ACCOUNT_DEFAULT;
	rest_world.key.project_id = STORE_PROJECT_DEFAULT;
	rest_world.key.scopes = STORE_SCOPE_READ; /* a key of the default account without admin */
	assert_refused("PATCH", "/things/1", "b", 403, "it takes a master key");
	rest_world_expect("GET", "/things", NULL, 200, "{'things':[{'name':'a'}],'next':null}");
}

static void test_what_stays_is_shown_when_it_ends(void **state)
{
	(void)state;
	rest_world_ask("POST", "/things", "a");
	things.is_kept = true;
	things.remove = thing_end;
	rest_world_expect("DELETE", "/things/1", NULL, 200, "{'name':'a'}");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_things, rest_world_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_thing_is_added_shown_changed_and_removed),
		TEST(test_what_is_not_there_is_not_found),
		TEST(test_refusals_are_those_of_the_table),
		TEST(test_pages_follow_each_other),
		TEST(test_other_lists_are_whole_or_by_offset),
		TEST(test_only_a_master_key_passes_where_one_is_needed),
		TEST(test_what_stays_is_shown_when_it_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
