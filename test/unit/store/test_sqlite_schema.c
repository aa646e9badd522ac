/* Files of older programs are brought up to date, and the ledger defends itself. */
#include <errno.h>
#include <string.h>

#include "base/count.h"
#include "base/mem.h"
#include "sqlite_place.h"
#include "store/sqlite_private.h"

static void test_a_file_of_the_first_version_is_brought_up_to_date(void **state)
{
	/* Not by today's text of that step: what is in the field does not change. */
	static const char first[] =
		"CREATE TABLE key (id INTEGER PRIMARY KEY, prefix TEXT NOT NULL UNIQUE,"
		" hash BLOB NOT NULL, name TEXT NOT NULL, credit_cents INTEGER NOT NULL,"
		" streams_max INTEGER NOT NULL, created_ms INTEGER NOT NULL,"
		" revoked_ms INTEGER NOT NULL) STRICT;"
		"CREATE TABLE turn (seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE,"
		" key_id INTEGER REFERENCES key (id), at_ms INTEGER NOT NULL, status TEXT NOT NULL,"
		" samples INTEGER NOT NULL, sample_rate INTEGER NOT NULL,"
		" characters INTEGER NOT NULL, voice_id INTEGER NOT NULL, model_id TEXT NOT NULL,"
		" amount_microcents INTEGER NOT NULL) STRICT;"
		"INSERT INTO key VALUES (3, 'ka_older', zeroblob(32), 'old', -1, -1, 5, 0);"
		"INSERT INTO turn VALUES"
		" (1, 't1', 3, 1, 'finished', 1, 24000, 1, 1071, 'kugel-3', 9);"
		"PRAGMA user_version = 1;";
	struct store *store;
	struct store_key key;

	sqlite_place_execute(*state, first);
	for (int i = 0; i < 2; ++i) { /* and is up to date the next time */
		store = sqlite_place_open(*state);
		key = rows_find_key(store, "ka_older");
		assert_int_equal(key.id, 3);
		assert_int_equal(key.project_id, STORE_PROJECT_DEFAULT);
		assert_int_equal(key.account_id, STORE_ACCOUNT_DEFAULT);
		assert_int_equal(key.scopes, STORE_SCOPES_USUAL);
		assert_int_equal(key.spent_microcents, 9);
		assert_int_equal(rows_count_turns(store), 1);
		mem_deref(store);
	}
}

/* What a file of the version before accounts can have in it: two projects, keys with
 * and without scopes and limits, turns of keys and of nobody. */
static const char third_rows[] =
	"INSERT INTO project VALUES (2, 'second', 7);"
	"INSERT INTO key VALUES (1, 'ka_one__', zeroblob(32), 'one', 500, 3, 5, 0, 1, 7);"
	"INSERT INTO key VALUES (2, 'ka_two__', zeroblob(32), 'two', -1, -1, 6, 9, 2, 9);"
	"INSERT INTO key VALUES (3, 'ka_three', zeroblob(32), 'three', -1, -1, 6, 0, 2, 3);"
	"INSERT INTO turn VALUES (1, 't1', 1, 10, 'finished', 24000, 24000, 1, 1071, 'k3', 900);"
	"INSERT INTO turn VALUES (2, 't2', NULL, 11, 'failed', 0, 24000, 2, 1071, 'k3', 0);"
	"INSERT INTO turn VALUES (3, 't3', 2, 12, 'cancelled', 5, 8000, 3, 1072, 'k1', 41);"
	"INSERT INTO turn VALUES (5, 't5', 1, 13, 'finished', 5, 8000, 3, 1072, 'k1', 100);"
	"INSERT INTO dictionary VALUES (4, 2, 'd', NULL, 'de', 1, 6, 1, 2);"
	"INSERT INTO entry VALUES (9, 4, 'Wort', 'wort', 'w', NULL, 0, 0, 1, 2);"
	"INSERT INTO voice VALUES (100000, 2, 1071, 'v', 0.5, 1.5, NULL, NULL, NULL, NULL, NULL,"
	" NULL, NULL, NULL, NULL, 0, 0, 3, 1, 2);";

#define BEFORE_ACCOUNTS 3

static void make_third(const struct sqlite_place *place)
{
	for (int i = 0; i < BEFORE_ACCOUNTS; ++i)
		sqlite_place_execute(place, sqlite_schema_migrations[i]);
	sqlite_place_execute(place, third_rows);
	sqlite_place_execute(place, "PRAGMA user_version = 3; PRAGMA journal_mode = WAL");
}

struct seen_turns {
	size_t count;
	struct store_turn rows[8];
	int64_t seqs[8];
};

static bool see(int64_t seq, const struct store_turn *turn, void *arg)
{
	struct seen_turns *seen = arg;

	seen->seqs[seen->count] = seq;
	seen->rows[seen->count++] = *turn;
	return true;
}

static void test_keys_of_before_accounts_keep_what_they_had(void **state)
{
	struct store *store;
	struct store_key key;

	make_third(*state);
	store = sqlite_place_open(*state);
	key = rows_find_key(store, "ka_one__");
	assert_int_equal(key.account_id, STORE_ACCOUNT_DEFAULT);
	assert_int_equal(key.project_id, STORE_PROJECT_DEFAULT);
	assert_int_equal(key.credit_cents, 500);
	assert_int_equal(key.limits.connections, 3);
	assert_int_equal(key.limits.turns, STORE_LIMIT_PLAN);
	assert_int_equal(key.limits.text_max, STORE_LIMIT_PLAN);
	assert_int_equal(key.limits.heard_seconds_per_minute, STORE_LIMIT_PLAN);
	assert_int_equal(key.scopes, STORE_SCOPES_USUAL);
	assert_int_equal(key.spent_microcents, 1000);
	assert_int_equal(key.expires_ms, 0);
	key = rows_find_key(store, "ka_two__");
	assert_int_equal(key.account_id, STORE_ACCOUNT_DEFAULT);
	assert_int_equal(key.project_id, 2);
	assert_int_equal(key.limits.connections, STORE_LIMIT_NONE);
	assert_int_equal(key.revoked_ms, 9);
	assert_int_equal(key.scopes, STORE_SCOPE_SPEAK | STORE_SCOPE_ADMIN);
	assert_int_equal(key.spent_microcents, 41);
	assert_int_equal(rows_find_key(store, "ka_three").spent_microcents, 0);
	mem_deref(store);
}

static void test_turns_of_before_accounts_belong_to_the_default_one(void **state)
{
	static const struct store_turn_filter of_default = {.account_id = STORE_ACCOUNT_DEFAULT};
	struct seen_turns seen = {0};
	struct store *store;
	int64_t wrong = -1;

	make_third(*state);
	store = sqlite_place_open(*state);
	assert_int_equal(store->ops->turn_page(store, &of_default, 0, -1, see, &seen), 0);
	assert_int_equal(seen.count, 3);
	assert_string_equal(seen.rows[2].id, "t5");
	assert_int_equal(seen.seqs[2], 5);
	assert_int_equal(seen.rows[2].account_id, STORE_ACCOUNT_DEFAULT);
	assert_string_equal(seen.rows[2].server, "");
	assert_int_equal(rows_count_turns(store), 4);
	assert_int_equal(rows_get_account(store, STORE_ACCOUNT_DEFAULT).spent_microcents, 1041);
	assert_int_equal(store->ops->audit(store, &wrong), 0);
	assert_int_equal(wrong, 0);
	mem_deref(store);
}

static bool is_of_project_2(const struct store_voice *voice, void *arg)
{
	(void)arg;
	assert_int_equal(voice->project_id, 2);
	return true;
}

static bool count_dictionary(const struct store_dictionary *row, void *arg)
{
	assert_string_equal(row->name, "d");
	++*(int *)arg;
	return true;
}

static void test_projects_of_before_accounts_keep_what_is_theirs(void **state)
{
	struct store_project project = {.account_id = STORE_ACCOUNT_DEFAULT, .name = "second"};
	struct store *store;
	int count = 0;

	make_third(*state);
	store = sqlite_place_open(*state);
	assert_int_equal(store->ops->dictionary_list(store, 2, count_dictionary, &count), 0);
	assert_int_equal(count, 1);
	assert_int_equal(store->ops->voice_list(store, is_of_project_2, NULL), 0);
	assert_int_equal(store->ops->project_add(store, &project), EEXIST);
	project.account_id = rows_add_account(store, "a", false);
	assert_int_equal(store->ops->project_add(store, &project), 0);
	assert_true(project.id > 2);
	mem_deref(store);
	assert_int_equal(
		sqlite_place_number(*state, "SELECT count(*) FROM pragma_foreign_key_check"), 0);
	assert_int_equal(sqlite_place_number(*state, "SELECT integrity_check = 'ok' FROM"
						     " pragma_integrity_check"),
			 1);
}

static void test_a_migrated_file_has_the_tables_of_a_fresh_one(void **state)
{
	static const char count[] = "SELECT count(*) FROM sqlite_schema WHERE name NOT LIKE"
				    " 'sqlite_%'";
	struct sqlite_place *fresh;
	void *other = NULL;
	struct store *store;

	make_third(*state);
	store = sqlite_place_open(*state);
	mem_deref(store);
	sqlite_place_make(&other);
	fresh = other;
	store = sqlite_place_open(fresh);
	mem_deref(store);
	assert_int_equal(sqlite_place_number(*state, count), sqlite_place_number(fresh, count));
	sqlite_place_remove(&other);
}

static void test_a_migration_that_fails_leaves_the_file_as_it_was(void **state)
{
	static const char *const version = "PRAGMA user_version";
	static const char *const tables = "SELECT count(*) FROM sqlite_schema";
	struct store *store = NULL;
	int64_t before;

	make_third(*state);
	/* In the way of a table that comes late. */
	sqlite_place_execute(*state, "CREATE TABLE lease (x)");
	before = sqlite_place_number(*state, tables);
	assert_int_equal(store_open(&store, ((struct sqlite_place *)*state)->address), EIO);
	assert_null(store);
	assert_int_equal(sqlite_place_number(*state, version), BEFORE_ACCOUNTS);
	assert_int_equal(sqlite_place_number(*state, tables), before);
	sqlite_place_execute(*state, "DROP TABLE lease");
	store = sqlite_place_open(*state);
	assert_int_equal(rows_count_turns(store), 4);
	mem_deref(store);
}

static void test_a_file_of_a_newer_program_is_refused_and_left_alone(void **state)
{
	const struct sqlite_place *place = *state;
	struct store *store = sqlite_place_open(place);

	mem_deref(store);
	sqlite_place_execute(place, "PRAGMA user_version = 1000");
	assert_int_equal(store_open(&store, place->address), ENOTSUP);
	assert_int_equal(sqlite_place_number(place, "PRAGMA user_version"), 1000);
}

static void expect_refused(sqlite3 *db, const char *sql)
{
	assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_CONSTRAINT);
	assert_string_equal(sqlite3_errmsg(db), "the ledger is append-only");
}

#define COLUMNS                                                                                    \
	"seq, id, key_id, at_ms, status, samples, sample_rate, characters, voice_id, model_id,"    \
	" amount_microcents, account_id, server"

static void test_ledger_rows_cannot_be_changed_by_anyone(void **state)
{
	static const char *const attempts[] = {
		"UPDATE turn SET amount_microcents = 0", "UPDATE turn SET id = 'x' WHERE id = 't1'",
		"UPDATE turn SET account_id = NULL",     "DELETE FROM turn",
		"DELETE FROM turn WHERE id = 't1'",      "UPDATE top_up SET amount_microcents = 0",
		"DELETE FROM top_up WHERE id = 'u1'",
	};
	static const char *const quiet[] = {
		"INSERT OR REPLACE INTO turn (" COLUMNS
		") SELECT seq, id, key_id, at_ms, status, 0, 0, 0, 0, '',"
		" 0, account_id, server FROM turn",
		"INSERT OR REPLACE INTO turn (" COLUMNS
		") SELECT seq + 5, id, key_id, at_ms, status, 0, 0, 0, 0,"
		" '', 0, account_id, server FROM turn",
		"INSERT OR REPLACE INTO turn (" COLUMNS
		") SELECT seq, 'other', key_id, at_ms, status, 0, 0, 0,"
		" 0, '', 0, account_id, server FROM turn",
		"INSERT OR REPLACE INTO top_up SELECT seq, id, account_id, 0, 0, '' FROM top_up",
		"INSERT OR REPLACE INTO top_up SELECT seq, 'x', account_id, 0, 0, '' FROM top_up",
	};
	struct store *store = sqlite_place_open(*state);
	struct store_turn turn = rows_turn("t1", 0);
	sqlite3 *db;

	assert_int_equal(rows_book(store, &turn), 0);
	rows_top_up(store, "u1", STORE_ACCOUNT_DEFAULT, 5);
	db = sqlite_place_bare(*state);
	for (size_t i = 0; i < COUNT(attempts); ++i)
		expect_refused(db, attempts[i]);
	for (size_t i = 0; i < COUNT(quiet); ++i) {
		assert_int_equal(sqlite3_exec(db, quiet[i], NULL, NULL, NULL), SQLITE_OK);
		assert_int_equal(sqlite3_changes(db), 0);
	}
	sqlite3_close(db);
	assert_int_equal(rows_count_turns(store), 1);
	mem_deref(store);
}

static void test_the_ledger_of_an_older_file_defends_itself_too(void **state)
{
	sqlite3 *db;

	make_third(*state);
	mem_deref(sqlite_place_open(*state));
	db = sqlite_place_bare(*state);
	expect_refused(db, "UPDATE turn SET amount_microcents = 0");
	expect_refused(db, "DELETE FROM turn");
	sqlite3_close(db);
}

static void test_sums_changed_by_hand_are_found(void **state)
{
	struct store *store = sqlite_place_open(*state);
	struct store_key key = rows_add_key(store, "ka_abcde", STORE_ACCOUNT_DEFAULT);
	struct store_turn turn = rows_turn("t1", key.id);
	int64_t wrong = -1;

	rows_top_up(store, "u1", STORE_ACCOUNT_DEFAULT, 5);
	assert_int_equal(rows_book(store, &turn), 0);
	sqlite_place_execute(*state, "UPDATE key SET spent_microcents = 1");
	assert_int_equal(store->ops->audit(store, &wrong), 0);
	assert_int_equal(wrong, 1);
	sqlite_place_execute(*state, "UPDATE account SET spent_microcents = 0");
	assert_int_equal(store->ops->audit(store, &wrong), 0);
	assert_int_equal(wrong, 2);
	sqlite_place_execute(*state, "UPDATE account SET credit_microcents = 6");
	assert_int_equal(store->ops->audit(store, &wrong), 0);
	assert_int_equal(wrong, 3);
	mem_deref(store);
}

static bool count_change(const struct store_change *change, void *arg)
{
	assert_int_equal(change->project_id, 1);
	*(unsigned *)arg |= 1u << change->kind;
	return true;
}

/* Changes that the previous release writes are noticed. */
static void test_changes_by_a_program_of_before_are_noticed(void **state)
{
	static const struct {
		const char *sql;
		unsigned kinds;
	} cases[] = {
		{"INSERT INTO dictionary (project_id, name, is_active, revision, created_ms,"
		 " updated_ms) VALUES (1, 'd', 1, 1, 1, 1)",
		 1u << STORE_CHANGE_DICTIONARY},
		{"UPDATE dictionary SET revision = revision + 1", 1u << STORE_CHANGE_DICTIONARY},
		{"INSERT INTO voice (project_id, base_id, name, pitch, rate, is_public, sampled_ms,"
		 " revision, created_ms, updated_ms) VALUES (1, 1, 'v', 0.0, 1.0, 0, 0, 1, 1, 1)",
		 1u << STORE_CHANGE_VOICE},
		{"DELETE FROM dictionary", 1u << STORE_CHANGE_DICTIONARY},
		{"DELETE FROM voice", 1u << STORE_CHANGE_VOICE},
		{"INSERT INTO project (account_id, name, created_ms) VALUES (1, 'p', 1)", 0},
	};
	struct store *store = sqlite_place_open(*state);

	for (size_t i = 0; i < COUNT(cases); ++i) {
		unsigned kinds = 0;
		int64_t before;
		int64_t after;

		assert_int_equal(store->ops->version(store, &before), 0);
		sqlite_place_execute(*state, cases[i].sql);
		assert_int_equal(store->ops->version(store, &after), 0);
		assert_true(after > before);
		assert_int_equal(store->ops->changes(store, before, count_change, &kinds), 0);
		assert_int_equal(kinds, cases[i].kinds);
	}
	mem_deref(store);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SQLITE_PLACE_TEST(test_a_file_of_the_first_version_is_brought_up_to_date),
		SQLITE_PLACE_TEST(test_keys_of_before_accounts_keep_what_they_had),
		SQLITE_PLACE_TEST(test_turns_of_before_accounts_belong_to_the_default_one),
		SQLITE_PLACE_TEST(test_projects_of_before_accounts_keep_what_is_theirs),
		SQLITE_PLACE_TEST(test_a_migrated_file_has_the_tables_of_a_fresh_one),
		SQLITE_PLACE_TEST(test_a_migration_that_fails_leaves_the_file_as_it_was),
		SQLITE_PLACE_TEST(test_a_file_of_a_newer_program_is_refused_and_left_alone),
		SQLITE_PLACE_TEST(test_ledger_rows_cannot_be_changed_by_anyone),
		SQLITE_PLACE_TEST(test_the_ledger_of_an_older_file_defends_itself_too),
		SQLITE_PLACE_TEST(test_sums_changed_by_hand_are_found),
		SQLITE_PLACE_TEST(test_changes_by_a_program_of_before_are_noticed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
