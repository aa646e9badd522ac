/* What every store guarantees of speech engines. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/count.h"
#include "base/mem.h"
#include "rows.h"

#define PROJECT STORE_PROJECT_DEFAULT
#define NOW 1790000000123
#define LATER 1790000005678

static struct store *store; /* under test */
static struct store_key key, other_key;

static int take_store(void **state)
{
	store = rows_store(state);
	key = rows_add_key(store, "ka_aaaaa", STORE_ACCOUNT_DEFAULT);
	other_key = rows_add_key(store, "ka_bbbbb", STORE_ACCOUNT_DEFAULT);
	return 0;
}

/* The longest id, with a number that makes it unique. */
static const char *id_of(char id[STORE_SPEECH_ENGINE_ID_LEN + 1], int number)
{
	snprintf(id, STORE_SPEECH_ENGINE_ID_LEN + 1, "%028d", number);
	return id;
}

static int add(int number, const char *name, int64_t at_ms)
{
	char id[STORE_SPEECH_ENGINE_ID_LEN + 1];
	const struct store_speech_engine engine = {
		.id = id_of(id, number),
		.project_id = PROJECT,
		.name = name,
		.key_id = key.id,
		.config = "{\"language\":\"dé\"}",
		.created_ms = at_ms,
	};

	return store->ops->speech_engine_add(store, &engine);
}

/* One row as text. */
static bool see(const struct store_speech_engine *row, void *arg)
{
	buf_printf(arg, "%s %ld %s %ld %s %s %ld %ld %ld\n", row->id + 24, row->project_id,
		   row->name, row->key_id, row->key_prefix, row->config, row->revision,
		   row->created_ms, row->updated_ms);
	return true;
}

static void assert_row(int number, const char *expected)
{
	char id[STORE_SPEECH_ENGINE_ID_LEN + 1];
	struct buf seen;

	buf_init(&seen, 1 << 20);
	assert_int_equal(
		store->ops->speech_engine_get(store, PROJECT, id_of(id, number), see, &seen), 0);
	buf_append(&seen, "", 1);
	assert_string_equal(seen.bytes, expected);
	buf_reset(&seen);
}

/* The last digits of the listed ids, in order. */
static bool note(const struct store_speech_engine *row, void *arg)
{
	buf_printf(arg, "%ld ", strtol(row->id, NULL, 10));
	return true;
}

static void assert_list(const struct store_speech_engine_page *page, const char *expected)
{
	struct buf seen;

	buf_init(&seen, 1 << 20);
	assert_int_equal(store->ops->speech_engine_list(store, PROJECT, page, note, &seen), 0);
	buf_append(&seen, "", 1);
	assert_string_equal(seen.bytes, expected);
	buf_reset(&seen);
}

static void a_speech_engine_is_kept_as_it_was_given(void **state)
{
	char id[STORE_SPEECH_ENGINE_ID_LEN + 1];
	char row[256];
	struct buf seen;

	(void)state;
	assert_int_equal(add(7, "Käthe\t\\ \"x\"", NOW), 0);
	snprintf(row, sizeof(row),
		 "0007 1 Käthe\t\\ \"x\" %ld ka_aaaaa {\"language\":\"dé\"} 1 %ld %ld\n", key.id,
		 NOW, NOW);
	assert_row(7, row);
	buf_init(&seen, 1024);
	assert_int_equal(store->ops->speech_engine_get(store, 0, id_of(id, 7), see, &seen), 0);
	assert_int_equal(store->ops->speech_engine_get(store, 2, id_of(id, 7), see, &seen), ENOENT);
	assert_int_equal(store->ops->speech_engine_get(store, PROJECT, "7", see, &seen), ENOENT);
	buf_reset(&seen);
}

static void each_field_is_changed_alone(void **state)
{
	struct store_speech_engine to = {
		.name = "New", .key_id = other_key.id, .config = "{}", .updated_ms = LATER};
	char id[STORE_SPEECH_ENGINE_ID_LEN + 1];
	char row[256];

	(void)state;
	assert_int_equal(add(1, "Old", NOW), 0);
	id_of(id, 1);
	assert_int_equal(
		store->ops->speech_engine_change(store, PROJECT, id, STORE_SPEECH_ENGINE_NAME, &to),
		0);
	snprintf(row, sizeof(row), "0001 1 New %ld ka_aaaaa {\"language\":\"dé\"} 2 %ld %ld\n",
		 key.id, NOW, LATER);
	assert_row(1, row);
	to.name = NULL;
	assert_int_equal(
		store->ops->speech_engine_change(store, PROJECT, id, STORE_SPEECH_ENGINE_KEY, &to),
		0);
	to.key_id = 0;
	assert_int_equal(store->ops->speech_engine_change(store, PROJECT, id,
							  STORE_SPEECH_ENGINE_CONFIG, &to),
			 0);
	snprintf(row, sizeof(row), "0001 1 New %ld ka_bbbbb {} 4 %ld %ld\n", other_key.id, NOW,
		 LATER);
	assert_row(1, row);
}

static void a_change_of_an_old_revision_is_refused(void **state)
{
	struct store_speech_engine to = {.config = "{}", .updated_ms = LATER, .revision = 1};
	char id[STORE_SPEECH_ENGINE_ID_LEN + 1];

	(void)state;
	assert_int_equal(add(1, "x", NOW), 0);
	id_of(id, 1);
	assert_int_equal(store->ops->speech_engine_change(store, PROJECT, id,
							  STORE_SPEECH_ENGINE_CONFIG, &to),
			 0);
	assert_int_equal(store->ops->speech_engine_change(store, PROJECT, id,
							  STORE_SPEECH_ENGINE_CONFIG, &to),
			 ENOENT);
	to.revision = 2;
	assert_int_equal(store->ops->speech_engine_change(store, PROJECT, id,
							  STORE_SPEECH_ENGINE_CONFIG, &to),
			 0);
}

static void what_is_not_there_is_refused(void **state)
{
	struct store_speech_engine to = {.name = "x", .key_id = 4711, .updated_ms = LATER};
	struct store_speech_engine stranger = {
		.id = "1", .project_id = 77, .name = "x", .key_id = key.id, .config = "{}"};
	char id[STORE_SPEECH_ENGINE_ID_LEN + 1];

	(void)state;
	assert_int_equal(add(1, "x", NOW), 0);
	assert_int_equal(add(1, "y", NOW), EEXIST);
	id_of(id, 1);
	assert_int_equal(
		store->ops->speech_engine_change(store, 2, id, STORE_SPEECH_ENGINE_NAME, &to),
		ENOENT);
	assert_int_equal(
		store->ops->speech_engine_change(store, PROJECT, id, STORE_SPEECH_ENGINE_KEY, &to),
		ENOENT);
	assert_int_equal(store->ops->speech_engine_add(store, &stranger), ENOENT);
	stranger.project_id = PROJECT;
	stranger.key_id = 4711;
	assert_int_equal(store->ops->speech_engine_add(store, &stranger), ENOENT);
	assert_int_equal(store->ops->speech_engine_remove(store, 2, id), ENOENT);
	assert_int_equal(store->ops->speech_engine_remove(store, PROJECT, id), 0);
	assert_int_equal(store->ops->speech_engine_remove(store, PROJECT, id), ENOENT);
}

static void lists_are_sorted_searched_and_continued(void **state)
{
	struct store_speech_engine_page page = {.limit = -1};

	(void)state;
	assert_int_equal(add(1, "beta", 30), 0);
	assert_int_equal(add(2, "Alpha", 20), 0);
	assert_int_equal(add(3, "ÄRGER", 10), 0);
	assert_int_equal(add(4, "ärger", 10), 0);
	assert_list(&page, "3 4 2 1 ");
	page.descends = true;
	assert_list(&page, "1 2 4 3 ");
	page.order = STORE_SPEECH_ENGINE_BY_NAME;
	assert_list(&page, "4 3 1 2 ");
	page.descends = false;
	page.limit = 2;
	assert_list(&page, "2 1 ");
	page.after_name = "BETA";
	page.after_id = "0000000000000000000000000001";
	assert_list(&page, "3 4 ");
	page.search = "ÄR";
	assert_list(&page, "3 4 ");
	page.after_id = NULL;
	page.search = "et";
	assert_list(&page, "1 ");
	page = (struct store_speech_engine_page){
		.limit = -1, .after_ms = 10, .after_id = "0000000000000000000000000003"};
	assert_list(&page, "4 2 1 ");
	page.descends = true;
	assert_list(&page, "");
	page.after_ms = 25; /* a row that does not exist */
	assert_list(&page, "2 4 3 ");
}

static void a_project_has_a_limit(void **state)
{
	char id[STORE_SPEECH_ENGINE_ID_LEN + 1];

	(void)state;
	for (int i = 0; i < STORE_SPEECH_ENGINES_MAX; ++i)
		assert_int_equal(add(i, "x", NOW), 0);
	assert_int_equal(add(STORE_SPEECH_ENGINES_MAX, "x", NOW), EDQUOT);
	assert_int_equal(store->ops->speech_engine_remove(store, PROJECT, id_of(id, 5)), 0);
	assert_int_equal(add(STORE_SPEECH_ENGINES_MAX, "x", NOW), 0);
}

static void a_large_configuration_is_kept_whole(void **state)
{
	static char config[STORE_SPEECH_ENGINE_CONFIG_MAX + 1];
	struct store_speech_engine to = {.config = config, .updated_ms = LATER};
	char id[STORE_SPEECH_ENGINE_ID_LEN + 1];
	struct buf seen;

	(void)state;
	memset(config, 'x', sizeof(config) - 1);
	assert_int_equal(add(1, "x", NOW), 0);
	assert_int_equal(store->ops->speech_engine_change(store, PROJECT, id_of(id, 1),
							  STORE_SPEECH_ENGINE_CONFIG, &to),
			 0);
	buf_init(&seen, 1 << 20);
	assert_int_equal(store->ops->speech_engine_get(store, PROJECT, id, see, &seen), 0);
	buf_append(&seen, "", 1);
	assert_non_null(strstr(seen.bytes, config));
	buf_reset(&seen);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_speech_engine_is_kept_as_it_was_given, take_store),
		cmocka_unit_test_setup(each_field_is_changed_alone, take_store),
		cmocka_unit_test_setup(a_change_of_an_old_revision_is_refused, take_store),
		cmocka_unit_test_setup(what_is_not_there_is_refused, take_store),
		cmocka_unit_test_setup(lists_are_sorted_searched_and_continued, take_store),
		cmocka_unit_test_setup(a_project_has_a_limit, take_store),
		cmocka_unit_test_setup(a_large_configuration_is_kept_whole, take_store),
	};

	return ROWS_RUN(tests);
}
