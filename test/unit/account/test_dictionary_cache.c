/* The dictionaries of a project in memory agree with the store, even if another process changes
 * them, and using them needs no waiting. */
#include <errno.h>
#include <setjmp.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "account/async_store.h"
#include "account/dictionary_cache.h"
#include "base/count.h"
#include "base/mem.h"
#include "mem_fail.h"
#include "text/lexicon_find.h"

#define PROJECT STORE_PROJECT_DEFAULT

static struct loop *loop;
static struct async_store *async;
static struct dictionary_cache *dictionaries;
static struct store *store; /* the same file, opened as by another process */
static char dir[40];

static struct {
	int calls;
	int wanted;
	int err;
} heard;

static void on_ready(int err, void *arg)
{
	(void)arg;
	heard.err = err;
	if (++heard.calls == heard.wanted)
		loop_stop(loop);
}

static struct store_ops counted; /* operations of the async_store's store that count lists */
static const struct store_ops *real;
static atomic_int lists;

static int count_list(struct store *own, int64_t project_id, store_dictionary_h *each, void *arg)
{
	++lists;
	return real->dictionary_list(own, project_id, each, arg);
}

static int open_all(void **state)
{
	struct store *own;
	char address[64];

	(void)state;
	memset(&heard, 0, sizeof(heard));
	strcpy(dir, "/tmp/syrinx-words-XXXXXX");
	assert_non_null(mkdtemp(dir));
	snprintf(address, sizeof(address), "sqlite:%s/test.db", dir);
	assert_int_equal(loop_alloc(&loop), 0);
	assert_int_equal(store_open(&own, address), 0);
	real = own->ops;
	counted = *real;
	counted.dictionary_list = count_list;
	own->ops = &counted;
	lists = 0;
	assert_int_equal(async_store_alloc(&async, loop, own, &(struct async_store_options){0}), 0);
	assert_int_equal(dictionary_cache_alloc(&dictionaries, loop, async), 0);
	return store_open(&store, address);
}

static int close_all(void **state)
{
	char command[64];

	(void)state;
	mem_deref(async);
	mem_deref(dictionaries);
	mem_deref(store);
	mem_deref(loop);
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	assert_int_equal(system(command), 0);
	return mem_live() == 0 ? 0 : -1;
}

static int wait_for(int calls)
{
	heard.wanted = calls;
	if (heard.calls < calls)
		loop_run(loop);
	assert_int_equal(heard.calls, calls);
	heard.calls = 0;
	return heard.err;
}

static void refresh(void)
{
	assert_int_equal(dictionary_cache_refresh(dictionaries, PROJECT, on_ready, NULL), 0);
	assert_int_equal(heard.calls, 0); /* never from inside */
	assert_int_equal(wait_for(1), 0);
}

static int64_t add(const char *name, const char *language, bool is_active)
{
	const struct store_dictionary row = {.project_id = PROJECT,
					     .name = name,
					     .language = language,
					     .is_active = is_active,
					     .created_ms = 1};
	int64_t id;

	assert_int_equal(store->ops->dictionary_add(store, &id, &row, NULL, 0), 0);
	return id;
}

static void say(int64_t dictionary, const char *word, const char *replacement)
{
	const struct dictionary_entry entry = {.word = word, .replacement = replacement};
	int64_t id;

	assert_int_equal(store->ops->entry_add(store, &id, dictionary, &entry, 1), 0);
}

/* What a word is replaced by with these dictionaries; the word itself if it is not replaced. */
static const char *said_by(const struct lexicon *lexicon, const char *word)
{
	static char said[64];
	struct lexicon_hit hit;

	if (!lexicon || !lexicon_find(lexicon, &hit, word, strlen(word), 0))
		return word;
	snprintf(said, sizeof(said), "%s", hit.replacement);
	return said;
}

static const char *said(const char *word, const char *language, const int64_t *ids, size_t count)
{
	struct lexicon *lexicon = NULL;
	const char *text;
	int64_t unknown;

	assert_int_equal(dictionary_cache_lexicon(&lexicon, &unknown, dictionaries, PROJECT,
						  language, ids, count),
			 0);
	text = said_by(lexicon, word);
	mem_deref(lexicon);
	return text;
}

static void test_a_lexicon_of_a_project_that_was_never_read_is_not_available(void **state)
{
	struct lexicon *lexicon = NULL;
	int64_t unknown;

	(void)state;
	assert_false(dictionary_cache_has(dictionaries, PROJECT));
	assert_int_equal(
		dictionary_cache_lexicon(&lexicon, &unknown, dictionaries, PROJECT, "en", NULL, 0),
		EAGAIN);
	refresh();
	assert_true(dictionary_cache_has(dictionaries, PROJECT));
	assert_false(dictionary_cache_has(dictionaries, PROJECT + 1));
	assert_string_equal(said("word", "en", NULL, 0), "word");
}

static void test_without_ids_the_active_dictionaries_of_the_language_apply(void **state)
{
	(void)state;
	say(add("english", "en-GB", true), "colour", "british");
	say(add("german", "DE", true), "colour", "deutsch");
	say(add("all", NULL, true), "tomato", "everywhere");
	say(add("off", NULL, false), "potato", "never");
	say(add("empty", "", true), "lettuce", "also everywhere");
	refresh();
	assert_string_equal(said("colour", "en", NULL, 0), "british");
	assert_string_equal(said("colour", "de", NULL, 0), "deutsch");
	assert_string_equal(said("colour", "fr", NULL, 0), "colour");
	assert_string_equal(said("tomato", "fr", NULL, 0), "everywhere");
	assert_string_equal(said("lettuce", "fr", NULL, 0), "also everywhere");
	assert_string_equal(said("potato", "en", NULL, 0), "potato");
}

static void test_dictionaries_named_by_id_apply_in_any_language_active_or_not(void **state)
{
	int64_t off = add("off", "de", false);
	int64_t on = add("on", NULL, true);
	const int64_t both[] = {off, on};
	const int64_t turned[] = {on, off};

	(void)state;
	say(off, "word", "from off");
	say(on, "word", "from on");
	refresh();
	assert_string_equal(said("word", "en", &off, 1), "from off");
	assert_string_equal(said("word", "en", &on, 1), "from on");
	assert_string_equal(said("word", "en", both, 2), "from off"); /* the first one applies */
	assert_string_equal(said("word", "en", turned, 2), "from on");
	assert_string_equal(said("word", "en", &on, 0),
			    "word"); /* an empty list: no dictionary applies */
}

static void test_an_id_that_does_not_belong_to_the_project_is_reported(void **state)
{
	int64_t id = add("mine", NULL, true);
	const int64_t ids[] = {id, 4711, 4712};
	struct lexicon *lexicon = NULL;
	int64_t unknown = 0;

	(void)state;
	refresh();
	assert_int_equal(
		dictionary_cache_lexicon(&lexicon, &unknown, dictionaries, PROJECT, "en", ids, 3),
		ENOENT);
	assert_int_equal(unknown, 4711);
	assert_null(lexicon);
}

static void test_a_refresh_finds_every_kind_of_change(void **state)
{
	static const struct dictionary_entry other = {.word = "other", .replacement = "new"};
	static const struct store_dictionary off = {.updated_ms = 2};
	int64_t id = add("d", NULL, true);
	struct store_replaced replaced;

	(void)state;
	say(id, "word", "first");
	refresh();
	assert_string_equal(said("word", "en", NULL, 0), "first");
	assert_int_equal(store->ops->entry_replace(store, &replaced, id, &other, 1, 2), 0);
	refresh();
	assert_string_equal(said("word", "en", NULL, 0), "word");
	assert_string_equal(said("other", "en", NULL, 0), "new");
	assert_int_equal(
		store->ops->dictionary_change(store, PROJECT, id, STORE_DICTIONARY_ACTIVE, &off),
		0);
	refresh();
	assert_string_equal(said("other", "en", NULL, 0), "other");
	assert_string_equal(said("other", "en", &id, 1), "new");
	assert_int_equal(store->ops->dictionary_remove(store, PROJECT, id), 0);
	say(add("e", NULL, true), "word", "second");
	refresh();
	assert_string_equal(said("word", "en", NULL, 0), "second");
}

static void test_a_lexicon_in_use_does_not_change(void **state)
{
	int64_t id = add("d", NULL, true);
	struct lexicon *lexicon;
	int64_t unknown;

	(void)state;
	say(id, "word", "before");
	refresh();
	assert_int_equal(
		dictionary_cache_lexicon(&lexicon, &unknown, dictionaries, PROJECT, "en", NULL, 0),
		0);
	assert_int_equal(store->ops->dictionary_remove(store, PROJECT, id), 0);
	refresh();
	assert_string_equal(said("word", "en", NULL, 0), "word");
	assert_string_equal(said_by(lexicon, "word"), "before");
	mem_deref(lexicon);
}

/* Requests a refresh from inside a handler, which the refresh that is just ending must not
 * answer. */
static void on_ready_again(int err, void *arg)
{
	int64_t *id = arg;

	assert_int_equal(err, 0);
	say(*id, "late", "also");
	assert_int_equal(dictionary_cache_refresh(dictionaries, PROJECT, on_ready, NULL), 0);
}

static void test_a_refresh_includes_all_changes_made_before_it_was_requested(void **state)
{
	int64_t id = add("d", NULL, true);

	(void)state;
	assert_int_equal(dictionary_cache_refresh(dictionaries, PROJECT, on_ready, NULL), 0);
	say(id, "word", "said"); /* the first one may have missed it */
	for (int i = 0; i < 5; ++i)
		assert_int_equal(dictionary_cache_refresh(dictionaries, PROJECT, on_ready, NULL),
				 0);
	assert_int_equal(wait_for(6), 0);
	assert_string_equal(said("word", "en", NULL, 0), "said");
	assert_int_equal(dictionary_cache_refresh(dictionaries, PROJECT, on_ready_again, &id), 0);
	assert_int_equal(wait_for(1), 0);
	assert_string_equal(said("late", "en", NULL, 0), "also");
}

static void stop_when_said(void *arg)
{
	struct timer *timer = arg;

	if (strcmp(said("word", "en", NULL, 0), "elsewhere") == 0)
		loop_stop(loop);
	else
		timer_set(&loop->timers, timer, 10000, stop_when_said, timer);
}

static void test_changes_by_other_processes_are_found_automatically(void **state)
{
	struct timer timer = {0};

	(void)state;
	refresh();
	say(add("d", NULL, true), "word", "elsewhere");
	timer_set(&loop->timers, &timer, 10000, stop_when_said, &timer);
	loop_run(loop); /* if this fails, the timeout of the test ends it */
	assert_string_equal(said("word", "en", NULL, 0), "elsewhere");
}

/* Changes the database without a new revision, as an operator may do by hand. */
static void by_hand(const char *sql)
{
	char path[64];
	sqlite3 *db;

	snprintf(path, sizeof(path), "%s/test.db", dir);
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
}

static void test_a_reload_reads_even_dictionaries_whose_revision_is_the_same(void **state)
{
	(void)state;
	say(add("d", NULL, true), "word", "said");
	refresh();
	by_hand("UPDATE entry SET replacement = 'hand'");
	refresh();
	assert_string_equal(said("word", "en", NULL, 0), "said");
	/* The reload waits for a refresh that trusts revisions; the old entries are used
	 * meanwhile. */
	assert_int_equal(dictionary_cache_refresh(dictionaries, PROJECT, on_ready, NULL), 0);
	assert_int_equal(dictionary_cache_reload(dictionaries, PROJECT, on_ready, NULL), 0);
	assert_string_equal(said("word", "en", NULL, 0), "said");
	assert_int_equal(wait_for(2), 0);
	assert_string_equal(said("word", "en", NULL, 0), "hand");
}

static void test_dictionaries_stay_in_memory_when_the_store_fails(void **state)
{
	(void)state;
	say(add("d", NULL, true), "word", "said");
	refresh();
	by_hand("DROP TABLE entry");
	assert_int_equal(dictionary_cache_reload(dictionaries, PROJECT, on_ready, NULL), 0);
	assert_int_not_equal(wait_for(1), 0);
	assert_string_equal(said("word", "en", NULL, 0), "said");
	assert_true(dictionary_cache_has(dictionaries, PROJECT));
}

static void test_pending_refreshes_are_answered_at_the_end(void **state)
{
	(void)state;
	for (int i = 0; i < 3; ++i)
		assert_int_equal(dictionary_cache_refresh(dictionaries, PROJECT, on_ready, NULL),
				 0);
	async = mem_deref(async);
	assert_int_equal(heard.calls, 3);
	assert_int_not_equal(heard.err, 0);
}

static void test_any_allocation_may_fail(void **state)
{
	int64_t id = add("d", NULL, true);
	int failures = 0;
	int clean = 0;

	(void)state;
	say(id, "word", "said");
	for (size_t n = 1; clean < 10; ++n) {
		struct lexicon *lexicon = NULL;
		int64_t unknown;
		int err;

		assert_true(n < 1000);
		mem_fail_after(n);
		err = dictionary_cache_reload(dictionaries, PROJECT, on_ready, NULL);
		if (!err)
			err = wait_for(1);
		if (!err)
			err = dictionary_cache_lexicon(&lexicon, &unknown, dictionaries, PROJECT,
						       "en", NULL, 0);
		mem_fail_after(0);
		mem_deref(lexicon);
		failures += err != 0;
		clean = err ? 0 : clean + 1;
		assert_true(err == 0 || err == ENOMEM);
	}
	assert_true(failures >= 5);
	refresh();
	assert_string_equal(said("word", "en", NULL, 0), "said");
}

static void test_the_largest_project_is_read_completely(void **state)
{
	struct dictionary_entry *entries = calloc(STORE_ENTRIES_MAX, sizeof(*entries) + 8);
	char *words = (char *)(entries + STORE_ENTRIES_MAX);
	struct store_replaced replaced;
	int64_t last = 0;

	(void)state;
	assert_non_null(entries);
	for (size_t i = 0; i < STORE_ENTRIES_MAX; ++i) {
		snprintf(words + 8 * i, 8, "w%zu", i);
		entries[i] = (struct dictionary_entry){.word = words + 8 * i, .replacement = "r"};
	}
	for (int i = 0; i < STORE_DICTIONARIES_MAX; ++i) {
		char name[16];

		snprintf(name, sizeof(name), "d%d", i);
		last = add(name, NULL, true);
	}
	assert_int_equal(
		store->ops->entry_replace(store, &replaced, last, entries, STORE_ENTRIES_MAX, 1),
		0);
	free(entries);
	refresh();
	assert_string_equal(said("W9999", "en", NULL, 0), "r");
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, open_all, close_all)

/* Other projects */

static int64_t add_project(const char *name)
{
	struct store_project project = {.account_id = STORE_ACCOUNT_DEFAULT, .created_ms = 1};

	snprintf(project.name, sizeof(project.name), "%s", name);
	assert_int_equal(store->ops->project_add(store, &project), 0);
	return project.id;
}

static int64_t add_to(int64_t project_id, const char *name)
{
	const struct store_dictionary row = {
		.project_id = project_id, .name = name, .is_active = true, .created_ms = 1};
	int64_t id;

	assert_int_equal(store->ops->dictionary_add(store, &id, &row, NULL, 0), 0);
	return id;
}

static void read_project(int64_t project_id)
{
	assert_int_equal(dictionary_cache_refresh(dictionaries, project_id, on_ready, NULL), 0);
	assert_int_equal(wait_for(1), 0);
}

/* Whether the project's dictionaries replace the word by `as`; false if they were not read yet. */
static bool is_said(int64_t project_id, const char *word, const char *as)
{
	struct lexicon *lexicon = NULL;
	int64_t unknown;
	bool is_so;

	assert_int_equal(dictionary_cache_lexicon(&lexicon, &unknown, dictionaries, project_id,
						  NULL, NULL, 0),
			 0);
	is_so = strcmp(said_by(lexicon, word), as) == 0;
	mem_deref(lexicon);
	return is_so;
}

static void test_only_the_project_that_has_changed_is_read_again(void **state)
{
	int64_t second = add_project("second");
	int64_t dictionary = add_to(second, "words");
	struct store_key key = {.project_id = PROJECT, .prefix = "ka_other", .credit_cents = -1};
	int before;

	(void)state;
	read_project(PROJECT);
	read_project(second);
	say(dictionary, "one", "first"); /* the version is known when this is seen */
	while (!is_said(second, "one", "first"))
		uv_run(&loop->uv, UV_RUN_ONCE);
	before = lists;
	assert_int_equal(store->ops->key_add(store, &key),
			 0); /* a change that is not about dictionaries */
	say(dictionary, "two", "second");
	while (!is_said(second, "two", "second"))
		uv_run(&loop->uv, UV_RUN_ONCE);
	assert_int_equal(lists, before + 1);
}

static void pass(uint64_t seconds)
{
	timers_advance(&loop->timers, loop->timers.now_us + seconds * UINT64_C(1000000));
}

static void mark_second(void *arg, dictionary_cache_mark_h *mark, void *mark_arg)
{
	mark(*(int64_t *)arg, mark_arg);
}

static void test_a_project_that_is_not_used_is_dropped_after_a_while(void **state)
{
	int64_t second = add_project("second");
	struct lexicon *lexicon = NULL;
	int64_t unknown;

	(void)state;
	dictionary_cache_set_users(dictionaries, mark_second, &second);
	read_project(PROJECT);
	read_project(second);
	pass(590);
	assert_true(dictionary_cache_covers(dictionaries, PROJECT));
	pass(30);
	assert_false(dictionary_cache_covers(dictionaries, PROJECT));
	assert_int_equal(
		dictionary_cache_lexicon(&lexicon, &unknown, dictionaries, PROJECT, NULL, NULL, 0),
		EAGAIN);
	assert_true(
		dictionary_cache_has(dictionaries, second)); /* a client may be about to use it */
	pass(3600);
	assert_true(dictionary_cache_has(dictionaries, second));
}

static void test_a_recently_used_project_is_kept(void **state)
{
	(void)state;
	read_project(PROJECT);
	for (int i = 0; i < 4; ++i) {
		pass(400);
		assert_true(dictionary_cache_has(dictionaries, PROJECT));
	}
}

static void test_idle_projects_have_a_budget_and_the_longest_unused_are_dropped(void **state)
{
	int64_t projects[4];
	char name[16];

	(void)state;
	for (size_t i = 0; i < COUNT(projects); ++i) {
		int64_t dictionary;

		snprintf(name, sizeof(name), "project %zu", i);
		projects[i] = add_project(name);
		dictionary = add_to(projects[i], "words");
		say(dictionary, "one", "first");
		say(dictionary, "two", "second");
		read_project(projects[i]);
	}
	dictionary_cache_set_budget(dictionaries, 6, 100); /* entries of three */
	assert_true(dictionary_cache_has(dictionaries,
					 projects[0])); /* makes it the most recently used one */
	pass(10);
	assert_true(dictionary_cache_covers(dictionaries, projects[0]));
	assert_false(dictionary_cache_covers(dictionaries, projects[1]));
	assert_true(dictionary_cache_covers(dictionaries, projects[2]));
	dictionary_cache_set_budget(dictionaries, 100, 1);
	pass(10);
	assert_true(dictionary_cache_covers(dictionaries, projects[0]));
	assert_false(dictionary_cache_covers(dictionaries, projects[2]));
	assert_false(dictionary_cache_covers(dictionaries, projects[3]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_a_lexicon_of_a_project_that_was_never_read_is_not_available),
		CASE(test_without_ids_the_active_dictionaries_of_the_language_apply),
		CASE(test_dictionaries_named_by_id_apply_in_any_language_active_or_not),
		CASE(test_an_id_that_does_not_belong_to_the_project_is_reported),
		CASE(test_a_refresh_finds_every_kind_of_change),
		CASE(test_a_lexicon_in_use_does_not_change),
		CASE(test_a_refresh_includes_all_changes_made_before_it_was_requested),
		CASE(test_changes_by_other_processes_are_found_automatically),
		CASE(test_a_reload_reads_even_dictionaries_whose_revision_is_the_same),
		CASE(test_dictionaries_stay_in_memory_when_the_store_fails),
		CASE(test_pending_refreshes_are_answered_at_the_end),
		CASE(test_any_allocation_may_fail),
		CASE(test_the_largest_project_is_read_completely),
		CASE(test_only_the_project_that_has_changed_is_read_again),
		CASE(test_a_project_that_is_not_used_is_dropped_after_a_while),
		CASE(test_a_recently_used_project_is_kept),
		CASE(test_idle_projects_have_a_budget_and_the_longest_unused_are_dropped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
