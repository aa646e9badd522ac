/* Derived voices in memory agree with the store, even if another process changes them, and each
 * change is put into the catalogue. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "account/derived_voices.h"
#include "base/mem.h"

#define PROJECT STORE_PROJECT_DEFAULT

static struct loop *loop;
static struct async_store *async;
static struct derived_voices *derived;
static struct store *store; /* the same file, opened as by another process */
static struct voices *voices; /* the catalogue */
static char dir[40];

static struct {
	int readies; /* how often a `ready` handler was called */
	int puts;
	int puts_wanted;
	int err;
	int put_err; /* the error that the catalogue returns */
} heard;

static int put(const struct voice *list, size_t count, void *arg)
{
	(void)arg;
	if (++heard.puts == heard.puts_wanted)
		loop_stop(loop);
	return heard.put_err ? heard.put_err : voices_set_derived(voices, list, count);
}

static void on_ready(int err, void *arg)
{
	(void)arg;
	heard.err = err;
	++heard.readies;
	loop_stop(loop);
}

static int64_t add(const char *name)
{
	const struct store_voice row = {.project_id = PROJECT,
					.base_id = 1071,
					.name = name,
					.rate = 1.5,
					.pitch = 2,
					.variant = "f1"};
	int64_t id = 0;

	assert_int_equal(store->ops->voice_add(store, &id, &row), 0);
	return id;
}

static void open_derived(void)
{
	struct store *own;
	char address[64];

	snprintf(address, sizeof(address), "sqlite:%s/test.db", dir);
	assert_int_equal(store_open(&own, address), 0);
	assert_int_equal(derived_voices_alloc(&derived, loop, own, put, NULL), 0);
	assert_int_equal(async_store_alloc(&async, loop, own, &(struct async_store_options){0}), 0);
	derived_voices_follow(derived, async);
}

static void close_derived(void)
{
	async = mem_deref(async);
	derived = mem_deref(derived);
}

static int open_all(void **state)
{
	char address[64];

	(void)state;
	memset(&heard, 0, sizeof(heard));
	strcpy(dir, "/tmp/syrinx-derived-XXXXXX");
	assert_non_null(mkdtemp(dir));
	snprintf(address, sizeof(address), "sqlite:%s/test.db", dir);
	assert_int_equal(loop_alloc(&loop), 0);
	assert_int_equal(voices_alloc(&voices, true), 0);
	assert_int_equal(store_open(&store, address), 0);
	open_derived();
	return 0;
}

static int close_all(void **state)
{
	char command[64];

	(void)state;
	close_derived();
	mem_deref(store);
	mem_deref(voices);
	mem_deref(loop);
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	assert_int_equal(system(command), 0);
	return mem_live() == 0 ? 0 : -1;
}

static int refresh(void)
{
	int before = heard.readies;

	assert_int_equal(derived_voices_refresh(derived, on_ready, NULL), 0);
	assert_int_equal(heard.readies, before); /* never from inside */
	while (heard.readies == before)
		loop_run(loop);
	return heard.err;
}

static void test_stored_voices_are_available_from_the_start(void **state)
{
	int64_t id = add("Käthe");

	(void)state;
	close_derived();
	open_derived();
	assert_string_equal(derived_voices_find(derived, id)->name, "Käthe");
	assert_non_null(voices_find(voices, id));
	assert_null(derived_voices_find(derived, id + 1));
}

static void test_a_refresh_updates_memory_and_catalogue(void **state)
{
	const struct store_voice to = {.name = "Other", .pitch = -1, .updated_ms = 5};
	int64_t first = add("First");
	int64_t second = add("Second");

	(void)state;
	assert_int_equal(refresh(), 0);
	assert_string_equal(voices_find(voices, first)->name, "First");
	assert_string_equal(voices_find(voices, first)->variant, "f1");
	assert_true(voice_rate(voices_find(voices, second)) > 1.4);
	assert_int_equal(voices_find(voices, second)->project_id, PROJECT);
	assert_int_equal(store->ops->voice_change(store, PROJECT, first,
						  STORE_VOICE_NAME | STORE_VOICE_PITCH, &to),
			 0);
	assert_int_equal(store->ops->voice_remove(store, PROJECT, second), 0);
	assert_int_equal(refresh(), 0);
	assert_string_equal(derived_voices_find(derived, first)->name, "Other");
	assert_true(voices_find(voices, first)->pitch < 0);
	assert_null(derived_voices_find(derived, second));
	assert_null(voices_find(voices, second));
}

static void test_changes_by_other_processes_are_found(void **state)
{
	int64_t id;

	(void)state;
	heard.puts_wanted = heard.puts + 1; /* the first poll knows no version yet */
	loop_run(loop);
	id = add("Theirs");
	heard.puts_wanted = heard.puts + 1;
	loop_run(loop);
	assert_non_null(voices_find(voices, id));
}

static void test_voices_stay_unchanged_if_the_catalogue_has_no_room(void **state)
{
	int64_t first = add("First");
	int64_t second;

	(void)state;
	assert_int_equal(refresh(), 0);
	second = add("Second");
	heard.put_err = ENOMEM;
	assert_int_equal(refresh(), ENOMEM);
	heard.put_err = 0;
	assert_non_null(derived_voices_find(derived, first));
	assert_null(derived_voices_find(derived, second));
	heard.puts_wanted = heard.puts + 1; /* it is retried automatically */
	loop_run(loop);
	assert_non_null(voices_find(voices, second));
}

static void test_a_long_name_is_truncated_between_characters(void **state)
{
	char name[200];
	int64_t id;

	(void)state;
	for (size_t i = 0; i + 1 < sizeof(name); i += 2)
		memcpy(name + i, "ä", 2);
	name[sizeof(name) - 2] = '\0';
	id = add(name);
	assert_int_equal(refresh(), 0);
	assert_string_equal(derived_voices_find(derived, id)->name, name);
	assert_int_equal(strlen(voices_find(voices, id)->name), 46);
}

static void test_a_refresh_is_answered_if_the_async_store_is_freed_meanwhile(void **state)
{
	(void)state;
	assert_int_equal(derived_voices_refresh(derived, on_ready, NULL), 0);
	async = mem_deref(async);
	assert_int_equal(heard.readies, 1);
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, open_all, close_all)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_stored_voices_are_available_from_the_start),
		CASE(test_a_refresh_updates_memory_and_catalogue),
		CASE(test_changes_by_other_processes_are_found),
		CASE(test_voices_stay_unchanged_if_the_catalogue_has_no_room),
		CASE(test_a_long_name_is_truncated_between_characters),
		CASE(test_a_refresh_is_answered_if_the_async_store_is_freed_meanwhile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
