/* A request is answered once, with the result of its work; a change is answered only after the
 * server's memory has been refreshed. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "mem_fail.h"
#include "rest_world.h"
#include "server/store_request.h"

static struct store_subject subject;
static struct store_request_options options;
static store_request_h *work;
static void (*ready)(int err, void *request);
static struct store_request *waiting; /* the request that `ready` will be called with */
static struct deferred later;
static int refresh_err; /* the result of the refresh */
static unsigned events; /* a decimal digit for each event, in their order; see the handlers below */

static void run(const struct route_call *call)
{
	store_request_run(call, &subject, work, &options);
}

static int open_all(void **state)
{
	subject = (struct store_subject){.lane = ASYNC_STORE_QUERIES,
					 .failure = WIRE_ERROR_NO_DICTIONARIES};
	options = (struct store_request_options){0};
	events = 0;
	refresh_err = 0;
	if (rest_world_open(state) != 0)
		return -1;
	rest_world.route.handler = run;
	return 0;
}

/* Answers with the project of the key, the body, and whether `arg` was passed on. */
static int work_echo(struct store_request *request, struct store *store)
{
	const struct http_request *http = request->call.request;
	int64_t version;

	events = events * 10 + 1;
	assert_null(request->call.caller);
	assert_ptr_equal(request->call.key, &request->key);
	json_write_signed(&request->json, "project", request->key.project_id);
	json_write_string(&request->json, "body", http->body, http->body_len);
	json_write_bool(&request->json, "arg", request->arg == &options);
	return store->ops->version(store, &version);
}

static int work_status(struct store_request *request, struct store *store)
{
	(void)store;
	request->status = (int)request->call.ids[0];
	return 0;
}

static int work_bytes(struct store_request *request, struct store *store)
{
	(void)store;
	request->answer.len = 0;
	request->type = "text/csv";
	return buf_append(&request->answer, "a,b", 3);
}

/* Fails with the error whose number is the id in the path. */
static int work_failure(struct store_request *request, struct store *store)
{
	(void)store;
	return (int)request->call.ids[0];
}

static int work_refusal(struct store_request *request, struct store *store)
{
	(void)store;
	return store_request_refuse(request, WIRE_ERROR_FORBIDDEN, "not yours");
}

static void test_the_work_answers(void **state)
{
	(void)state;
	work = work_echo;
	options.arg = &options;
	rest_world_expect("POST", "/1", "hi", 200, "{'project':1,'body':'hi','arg':true}");
	assert_non_null(strstr(rest_world.head, "application/json"));
	assert_non_null(strstr(rest_world.head, "x-request-id: req_0"));
	work = work_status;
	rest_world_expect("GET", "/201", NULL, 201, "{}");
	rest_world_expect("GET", "/204", NULL, 204, "");
	work = work_bytes;
	rest_world_expect("GET", "/1", NULL, 200, "a,b");
	assert_non_null(strstr(rest_world.head, "text/csv"));
}

static void assert_answer(const char *path, int status, const char *word)
{
	rest_world_ask("GET", path, NULL);
	assert_int_equal(rest_world.status, status);
	if (!strstr(rest_world.body, word))
		fail_msg("\"%s\" does not say %s", rest_world.body, word);
}

static void test_a_failure_is_the_subjects_or_what_the_work_says(void **state)
{
	char path[16];

	(void)state;
	work = work_refusal;
	assert_answer("/1", 403, "not yours");
	work = work_failure;
	snprintf(path, sizeof(path), "/%d", EIO);
	assert_answer(path, 503, wire_error_get(WIRE_ERROR_NO_DICTIONARIES)->text);
	subject.failure = WIRE_ERROR_NO_VOICES;
	assert_answer(path, 503, wire_error_get(WIRE_ERROR_NO_VOICES)->text);
	snprintf(path, sizeof(path), "/%d", ENOMEM);
	assert_answer(path, 500, "");
	snprintf(path, sizeof(path), "/%d", ENOBUFS);
	assert_answer(path, 400, "the answer would be too long");
}

static int refuse_query(struct store_request *request)
{
	return store_request_refuse(request, WIRE_ERROR_INVALID_REQUEST, "bad query");
}

static void test_a_query_that_is_refused_reaches_no_work(void **state)
{
	(void)state;
	work = work_echo;
	subject.open = refuse_query;
	assert_answer("/1", 400, "bad query");
	assert_int_equal(events, 0);
}

static void on_later(void *arg)
{
	(void)arg;
	events = events * 10 + 3;
	ready(refresh_err, waiting);
}

static int refresh_later(struct store_request *request, void (*ready_h)(int err, void *request))
{
	events = events * 10 + 2;
	ready = ready_h;
	waiting = request;
	loop_defer(request->call.server->loop, &later, on_later, NULL);
	return 0;
}

static int refresh_fails(struct store_request *request, void (*ready_h)(int err, void *request))
{
	(void)request;
	(void)ready_h;
	return ESHUTDOWN;
}

static void answer_with_err(struct store_request *request, int err)
{
	events = events * 10 + 4;
	answer_json(&request->call, 200, err ? "1" : "0", 1);
}

static void test_a_change_is_answered_after_the_refresh(void **state)
{
	(void)state;
	work = work_echo;
	subject.refresh = refresh_later;
	rest_world_expect("POST", "/1", "", 200, "{'project':1,'body':'','arg':false}");
	assert_int_equal(events, 1); /* nothing was changed */
	options.is_change = true;
	subject.answer = answer_with_err;
	events = 0;
	rest_world_expect("POST", "/1", "", 200, "0");
	assert_int_equal(events, 1234);
	refresh_err = EIO;
	rest_world_expect("POST", "/1", "", 200, "1");
	subject.refresh = refresh_fails;
	rest_world_expect("POST", "/1", "", 200, "1");
	subject.answer = NULL; /* the usual answer is given, because the change is durable */
	rest_world_expect("POST", "/1", "", 200, "{'project':1,'body':'','arg':false}");
}

static int destroyed;

static void destroy(void *object)
{
	(void)object;
	++destroyed;
}

static void test_the_object_ends_with_the_request(void **state)
{
	(void)state;
	destroyed = 0;
	work = work_echo;
	options.object = mem_zalloc(1, destroy);
	rest_world_ask("GET", "/1", NULL);
	assert_int_equal(destroyed, 1);
	work = work_refusal;
	options.object = mem_zalloc(1, destroy);
	rest_world_ask("GET", "/1", NULL);
	assert_int_equal(destroyed, 2);
}

static void run_without_memory(const struct route_call *call)
{
	mem_fail_after(1);
	store_request_run(call, &subject, work, &options);
	mem_fail_after(0);
}

static void test_without_memory_the_answer_is_500(void **state)
{
	(void)state;
	destroyed = 0;
	work = work_echo;
	options.object = mem_zalloc(1, destroy);
	rest_world.route.handler = run_without_memory;
	assert_answer("/1", 500, "");
	assert_int_equal(destroyed, 1);
	assert_int_equal(events, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_all, rest_world_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_the_work_answers),
		TEST(test_a_failure_is_the_subjects_or_what_the_work_says),
		TEST(test_a_query_that_is_refused_reaches_no_work),
		TEST(test_a_change_is_answered_after_the_refresh),
		TEST(test_the_object_ends_with_the_request),
		TEST(test_without_memory_the_answer_is_500),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
