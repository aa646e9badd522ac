/*
 * The previous release can use a store that this release has migrated: both run during an
 * upgrade, and the previous one is started again after an upgrade is reverted.  Its statements
 * are copied here; they do not know the columns that were added.
 */
#include <stdio.h>
#include <string.h>

#include "base/count.h"
#include "base/mem.h"
#include "postgres_server.h"
#include "sqlite_place.h"
#include "store/postgres_private.h"
#include "store/sqlite_private.h"

/* The versions that it accepts; with a higher one it does not start. */
#define PREVIOUS_SQLITE_VERSION 7
#define PREVIOUS_POSTGRES_VERSION 9

#define PREVIOUS_COLUMNS                                                                           \
	"id, key_id, account_id, server, at_ms, status, samples, sample_rate, characters,"         \
	" voice_id, model_id, amount_microcents"
#define PREVIOUS_ROW                                                                               \
	"'old', NULL, NULL, '0123456789abcdef', 1700000000000, 'cancelled', 48000, 24000, 12,"     \
	" 1071, 'kugel-3', 486000"

static const char sqlite_insert[] =
	"INSERT INTO turn (id, key_id, account_id, server, at_ms, status, samples,"
	" sample_rate, characters, voice_id, model_id, amount_microcents)"
	" VALUES ('old', nullif(0, 0), nullif(0, 0), '0123456789abcdef', 1700000000000,"
	" 'cancelled', 48000, 24000, 12, 1071, 'kugel-3', 486000) ON CONFLICT (id) DO NOTHING";

static const char postgres_insert[] =
	"SET search_path TO syrinx; PREPARE previous AS "
	"WITH given AS (SELECT * FROM unnest($1::text[], $2::bigint[], $3::bigint[],"
	"  $4::text[], $5::bigint[], $6::text[], $7::bigint[], $8::bigint[], $9::bigint[],"
	"  $10::bigint[], $11::text[], $12::bigint[]) WITH ORDINALITY"
	"  AS g(id, key_id, account_id, server, at_ms, status, samples, sample_rate,"
	"  characters, voice_id, model_id, amount_microcents, n)),"
	" good AS (SELECT * FROM given WHERE amount_microcents >= 0"
	"  AND ((key_id = 0 AND account_id = 0)"
	"   OR (EXISTS (SELECT 1 FROM key WHERE key.id = given.key_id)"
	"    AND EXISTS (SELECT 1 FROM account WHERE account.id = given.account_id)))),"
	" added AS (INSERT INTO turn (id, key_id, account_id, server, at_ms, status, samples,"
	"  sample_rate, characters, voice_id, model_id, amount_microcents)"
	"  SELECT id, nullif(key_id, 0), nullif(account_id, 0), server, at_ms, status,"
	"   samples, sample_rate, characters, voice_id, model_id, amount_microcents"
	"  FROM good ORDER BY n ON CONFLICT (id) DO NOTHING)"
	" SELECT n FROM given WHERE n NOT IN (SELECT n FROM good)"
	" AND NOT EXISTS (SELECT 1 FROM turn WHERE turn.id = given.id);"
	"EXECUTE previous (ARRAY['old'], ARRAY[0], ARRAY[0], ARRAY['0123456789abcdef'],"
	" ARRAY[1700000000000], ARRAY['cancelled'], ARRAY[48000], ARRAY[24000], ARRAY[12],"
	" ARRAY[1071], ARRAY['kugel-3'], ARRAY[486000]); DEALLOCATE previous";

/* What its list reads of a row that it does not know: never a text that is too long for it, nor a
 * status that it does not have. */
static const char sqlite_page[] =
	"SELECT count(*) FROM (SELECT seq, id, ifnull(key_id, 0), ifnull(account_id, 0), server, "
	"at_ms, status, samples, sample_rate, characters, voice_id, model_id, amount_microcents"
	" FROM turn) WHERE length(CAST(model_id AS BLOB)) < 24 AND length(id) <= 40"
	" AND status IN ('finished', 'cancelled', 'failed', 'lost')";
static const char postgres_page[] =
	"SET search_path TO syrinx; SELECT count(*) FROM (SELECT seq, id, coalesce(key_id, 0),"
	" coalesce(account_id, 0), server, at_ms, status, samples, sample_rate, characters,"
	" voice_id, model_id, amount_microcents FROM turn) AS t"
	" WHERE octet_length(model_id) < 24 AND length(id) <= 40"
	" AND status IN ('finished', 'cancelled', 'failed', 'lost')";

/* Its sums. */
static const char sqlite_usage[] =
	"SELECT sum(iif(sample_rate > 0, (samples * 1000000 + sample_rate / 2) / sample_rate, 0))"
	" FROM turn";
static const char postgres_usage[] =
	"SET search_path TO syrinx; SELECT sum(CASE WHEN sample_rate > 0 THEN samples / sample_rate"
	" * 1000000 + ((samples % sample_rate) * 1000000 + sample_rate / 2) / sample_rate ELSE 0"
	" END)::bigint FROM turn";

static struct store_turn tokens_row(void)
{
	return (struct store_turn){
		.id = "new",
		.server = ROWS_SERVER,
		.at_ms = 1700000000001,
		.status = STORE_TURN_FINISHED,
		.kind = STORE_KIND_MODEL_OUTPUT,
		.quantity = 321,
		.unit = STORE_UNIT_TOKENS,
		.is_estimated = true,
		.model_id = "a-model/whose-name-is-longer-than-it-reads",
		.amount_microcents = 14,
	};
}

struct seen {
	size_t count;
	struct store_turn rows[4];
};

static bool see(const struct store_turn *turn, void *arg)
{
	struct seen *seen = arg;

	assert_true(seen->count < COUNT(seen->rows));
	seen->rows[seen->count++] = *turn;
	return true;
}

static bool keep_usage(const struct store_usage *usage, void *arg)
{
	*(struct store_usage *)arg = *usage;
	return true;
}

static void assert_is_speech(const struct store_turn *turn)
{
	assert_string_equal(turn->id, "old");
	assert_int_equal(turn->kind, STORE_KIND_SPEECH);
	assert_int_equal(turn->unit, STORE_UNIT_SAMPLES);
	assert_int_equal(turn->quantity, 48000);
	assert_int_equal(turn->samples, 48000);
	assert_int_equal(turn->sample_rate, 24000);
	assert_int_equal(turn->characters, 12);
	assert_false(turn->is_estimated);
	assert_string_equal(turn->model_id, "kugel-3");
	assert_int_equal(turn->amount_microcents, 486000);
}

/* Of a store with the row of the previous program and one of ours. */
static void check_rows(struct store *store)
{
	static const struct store_turn_filter all;
	struct store_turn ours = tokens_row();
	struct store_usage usage = {0};
	struct seen seen = {0};

	assert_int_equal(rows_book(store, &ours), 0);
	assert_int_equal(store->ops->turn_list(store, see, &seen), 0);
	assert_int_equal(seen.count, 2);
	assert_is_speech(&seen.rows[0]);
	rows_assert_turn(&seen.rows[1], &ours);
	assert_int_equal(store->ops->usage_sum(store, &all, 0, keep_usage, &usage), 0);
	assert_int_equal(usage.turns, 1);
	assert_int_equal(usage.audio_us, 2000000);
	assert_int_equal(usage.characters, 12);
	assert_int_equal(usage.tokens_out, 321);
	assert_int_equal(usage.tokens_estimated, 321);
	assert_int_equal(usage.amount_microcents, 486014);
}

static void test_sqlite_rows_that_it_writes_are_speech(void **state)
{
	struct store *store = sqlite_place_open(*state);

	sqlite_place_execute(*state, sqlite_insert);
	sqlite_place_execute(*state, sqlite_insert); /* once, however often it tries */
	check_rows(store);
	mem_deref(store);
}

static void test_sqlite_it_reads_what_we_write(void **state)
{
	struct store *store = sqlite_place_open(*state);
	struct store_turn ours = tokens_row();

	sqlite_place_execute(*state, sqlite_insert);
	assert_int_equal(rows_book(store, &ours), 0);
	mem_deref(store);
	assert_int_equal(sqlite_place_number(*state, "PRAGMA user_version"),
			 PREVIOUS_SQLITE_VERSION);
	assert_int_equal(sqlite_place_number(*state, sqlite_page), 2);
	assert_int_equal(sqlite_place_number(*state, sqlite_usage), 2000000);
}

/* And rows that are older than the columns are speech too. */
static void test_sqlite_a_file_of_it_is_brought_up_to_date(void **state)
{
	struct store *store;

	for (int i = 0; i < PREVIOUS_SQLITE_VERSION; ++i)
		sqlite_place_execute(*state, sqlite_schema_migrations[i]);
	sqlite_place_execute(*state, "PRAGMA user_version = 7; PRAGMA journal_mode = WAL");
	sqlite_place_execute(*state,
			     "INSERT INTO turn (" PREVIOUS_COLUMNS ") VALUES (" PREVIOUS_ROW ")");
	store = sqlite_place_open(*state);
	check_rows(store);
	mem_deref(store);
	mem_deref(sqlite_place_open(*state)); /* and is up to date the next time */
}

/* Additions of a later release are ignored, as the previous release ignores those of this one. */
static void test_sqlite_additions_of_a_later_program_are_ignored(void **state)
{
	mem_deref(sqlite_place_open(*state));
	sqlite_place_execute(*state, "ALTER TABLE turn ADD COLUMN colour TEXT NOT NULL DEFAULT '';"
				     "UPDATE schema_addition SET version = 1000");
	sqlite_place_execute(*state, sqlite_insert);
	mem_deref(sqlite_place_open(*state));
	assert_int_equal(sqlite_place_number(*state, "SELECT version FROM schema_addition"), 1000);
}

static struct store *open_postgres(void)
{
	struct store *store;
	char address[192];

	postgres_server_address(address, sizeof(address), "syrinx", "");
	assert_int_equal(store_open(&store, address), 0);
	return store;
}

static void test_postgres_rows_that_it_writes_are_speech(void **state)
{
	struct store *store = open_postgres();

	(void)state;
	postgres_server_ask(postgres_insert);
	postgres_server_ask(postgres_insert);
	check_rows(store);
	mem_deref(store);
}

static void test_postgres_it_reads_what_we_write(void **state)
{
	struct store *store = open_postgres();
	struct store_turn ours = tokens_row();

	(void)state;
	postgres_server_ask(postgres_insert);
	assert_int_equal(rows_book(store, &ours), 0);
	mem_deref(store);
	assert_int_equal(postgres_server_ask("SELECT version FROM syrinx.schema_version"),
			 PREVIOUS_POSTGRES_VERSION);
	assert_int_equal(postgres_server_ask(postgres_page), 2);
	assert_int_equal(postgres_server_ask(postgres_usage), 2000000);
}

static void test_postgres_a_database_of_it_is_brought_up_to_date(void **state)
{
	struct store *store;
	char version[80];

	(void)state;
	postgres_server_ask("CREATE SCHEMA syrinx");
	for (int i = 0; i < PREVIOUS_POSTGRES_VERSION; ++i) {
		static char sql[65536];

		snprintf(sql, sizeof(sql), "SET search_path TO syrinx; %s",
			 postgres_schema_migrations[i]);
		postgres_server_ask(sql);
	}
	snprintf(version, sizeof(version), "UPDATE syrinx.schema_version SET version = %d",
		 PREVIOUS_POSTGRES_VERSION);
	postgres_server_ask(version);
	postgres_server_ask("INSERT INTO syrinx.turn (" PREVIOUS_COLUMNS ") VALUES (" PREVIOUS_ROW
			    ")");
	store = open_postgres();
	check_rows(store);
	mem_deref(store);
	mem_deref(open_postgres());
	assert_int_equal(postgres_server_ask("SELECT version FROM syrinx.schema_addition"),
			 postgres_schema_additions_count);
}

static int empty_postgres(void **state)
{
	(void)state;
	postgres_server_empty();
	return 0;
}

static int check_memory(void **state)
{
	(void)state;
	return mem_live() == 0 ? 0 : -1;
}

#define POSTGRES_TEST(test) cmocka_unit_test_setup_teardown(test, empty_postgres, check_memory)

int main(void)
{
	const struct CMUnitTest sqlite[] = {
		SQLITE_PLACE_TEST(test_sqlite_rows_that_it_writes_are_speech),
		SQLITE_PLACE_TEST(test_sqlite_it_reads_what_we_write),
		SQLITE_PLACE_TEST(test_sqlite_a_file_of_it_is_brought_up_to_date),
		SQLITE_PLACE_TEST(test_sqlite_additions_of_a_later_program_are_ignored),
	};
	const struct CMUnitTest postgres[] = {
		POSTGRES_TEST(test_postgres_rows_that_it_writes_are_speech),
		POSTGRES_TEST(test_postgres_it_reads_what_we_write),
		POSTGRES_TEST(test_postgres_a_database_of_it_is_brought_up_to_date),
	};
	int failed = cmocka_run_group_tests(sqlite, NULL, NULL);

	if (postgres_server_start() == 0)
		failed += cmocka_run_group_tests(postgres, NULL, NULL);
	return failed;
}
