/* Everything moves from one store to another, whole and as it was, or nothing does. */
#include <errno.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/count.h"
#include "base/mem.h"
#include "postgres_server.h"
#include "rows.h"
#include "store/migrate.h"

static char dir[64];
static char first[96], second[96], shared[192];

static int make_place(void **state)
{
	(void)state;
	rows_make_dir(dir);
	snprintf(first, sizeof(first), "sqlite:%s/first.db", dir);
	snprintf(second, sizeof(second), "sqlite:%s/second.db", dir);
	postgres_server_empty();
	postgres_server_address(shared, sizeof(shared), "syrinx", "");
	return 0;
}

static int remove_place(void **state)
{
	(void)state;
	rows_remove_dir(dir);
	return mem_live() == 0 ? 0 : -1;
}

static struct store *opened(const char *address)
{
	struct store *store;

	assert_int_equal(store_open(&store, address), 0);
	return store;
}

#define ODD "tab\there, \\N, \\, \"q\", line\nand\r\xc3\x9f \xf0\x9f\x8e\xb5"

static void add_texts(struct store *store, int64_t project_id)
{
	struct store_dictionary dictionary = {.project_id = project_id,
					      .name = ODD,
					      .description = NULL,
					      .language = "de",
					      .is_active = true,
					      .created_ms = 11};
	struct dictionary_entry entries[] = {
		{"Stra\xc3\x9f"
		 "e",
		 ODD, NULL, true},
		{ODD, "", "\xcb\x88\xc9\x99", false},
	};
	struct store_replaced replaced;
	int64_t id;

	assert_int_equal(store->ops->dictionary_add(store, &id, &dictionary, NULL, 0), 0);
	assert_int_equal(
		store->ops->entry_replace(store, &replaced, id, entries, COUNT(entries), 12), 0);
	dictionary.name = "gone";
	dictionary.is_active = false;
	dictionary.description = "";
	assert_int_equal(store->ops->dictionary_add(store, &id, &dictionary, NULL, 0), 0);
	assert_int_equal(store->ops->dictionary_remove(store, project_id, id), 0);
}

static void add_voice(struct store *store, int64_t project_id)
{
	struct store_voice voice = {.project_id = project_id,
				    .base_id = 1071,
				    .name = "Mine",
				    .pitch = -1.1,
				    .rate = 1.0 / 3.0,
				    .variant = ODD,
				    .languages = "de,en",
				    .is_public = true,
				    .sampled_ms = 5,
				    .created_ms = 6};
	int64_t id;

	assert_int_equal(store->ops->voice_add(store, &id, &voice), 0);
	assert_int_equal(store->ops->voice_add(store, &id, &voice), 0);
	assert_int_equal(store->ops->voice_remove(store, project_id, id), 0);
}

static void add_speech_engine(struct store *store, const struct store_key *key)
{
	struct store_speech_engine engine = {.project_id = key->project_id,
					     .name = "Straße" ODD,
					     .key_id = key->id,
					     .config = "{\"name\":\"" ODD "\"}",
					     .created_ms = 5};
	char id[32];

	snprintf(id, sizeof(id), "0123456789012345678901%s", key->prefix + 2);
	engine.id = id;
	assert_int_equal(store->ops->speech_engine_add(store, &engine), 0);
}

static void add_turns(struct store *store, const struct store_key *key)
{
	for (int i = 0; i < 50; ++i) {
		char id[16];
		struct store_turn turn;

		snprintf(id, sizeof(id), "%s.%d", key->prefix + 6, i);
		turn = rows_turn(id, i % 7 ? key->id : 0);
		turn.account_id = i % 7 ? key->account_id : 0;
		turn.status = (enum store_turn_status)(i % 4);
		turn.amount_microcents = i * 1001;
		turn.samples += (uint64_t)i;
		if (i % 5 == 0) {
			turn.kind = i % 2 ? STORE_KIND_MODEL_INPUT : STORE_KIND_MODEL_OUTPUT;
			turn.unit = STORE_UNIT_TOKENS;
			turn.quantity = (uint64_t)i * 3;
			turn.is_estimated = i % 3 == 0;
			turn.samples = turn.sample_rate = 0;
			turn.characters = 0;
			snprintf(turn.model_id, sizeof(turn.model_id),
				 "a-model/with-a-long-name-%d", i);
		}
		assert_int_equal(rows_book(store, &turn), 0);
	}
}

static void fill(struct store *store)
{
	int64_t account = rows_add_account(store, "other", true);
	struct store_key keys[] = {
		rows_add_key(store, "ka_aaaaa", STORE_ACCOUNT_DEFAULT),
		rows_add_key(store, "ka_bbbbb", account),
	};

	assert_int_equal(store->ops->key_revoke(store, "ka_aaaaa", 99), 0);
	assert_int_equal(store->ops->key_used(store, keys[1].id, 77), 0);
	rows_top_up(store, "paid", account, 5000000);
	rows_top_up(store, "taken back", account, -20);
	rows_top_up(store, "a present", STORE_ACCOUNT_DEFAULT, 7);
	for (size_t i = 0; i < COUNT(keys); ++i) {
		add_turns(store, &keys[i]);
		add_texts(store, keys[i].project_id);
		add_voice(store, keys[i].project_id);
		add_speech_engine(store, &keys[i]);
	}
}

/* All that a store shows, as text. */
static struct buf dump;

static bool dump_account(const struct store_account *a, void *arg)
{
	(void)arg;
	buf_printf(&dump, "account %ld %s %s %d %ld %ld %ld %ld %ld %ld %ld %ld %ld %ld\n", a->id,
		   a->name, a->plan, a->is_prepaid, a->limits.turns, a->limits.connections,
		   a->limits.requests_per_minute, a->limits.characters_per_minute,
		   a->limits.text_max, a->limits.heard_seconds_per_minute, a->created_ms,
		   a->closed_ms, a->credit_microcents, a->spent_microcents);
	return true;
}

static bool dump_project(const struct store_project *p, void *arg)
{
	(void)arg;
	buf_printf(&dump, "project %ld %ld %s %ld\n", p->id, p->account_id, p->name, p->created_ms);
	return true;
}

static bool dump_key(const struct store_key *k, void *arg)
{
	(void)arg;
	buf_printf(&dump, "key %ld %ld %ld %u %s %s %ld %ld %ld %ld %ld %ld %ld %ld %ld %ld %ld\n",
		   k->id, k->project_id, k->account_id, k->scopes, k->prefix, k->name,
		   k->credit_cents, k->limits.turns, k->limits.connections, k->limits.text_max,
		   k->limits.requests_per_minute, k->limits.heard_seconds_per_minute, k->created_ms,
		   k->revoked_ms, k->expires_ms, k->used_ms, k->spent_microcents);
	buf_append(&dump, k->hash, sizeof(k->hash));
	return true;
}

static bool dump_top_up(const struct store_top_up *t, void *arg)
{
	(void)arg;
	buf_printf(&dump, "top-up %s %ld %ld %ld %s\n", t->id, t->account_id, t->at_ms,
		   t->amount_microcents, t->note);
	return true;
}

static bool dump_turn(int64_t seq, const struct store_turn *t, void *arg)
{
	(void)arg;
	buf_printf(&dump, "turn %ld %s %ld %ld %s %ld %d %lu %u %lu %ld %s %ld %d %lu %d %d\n", seq,
		   t->id, t->key_id, t->account_id, t->server, t->at_ms, (int)t->status, t->samples,
		   t->sample_rate, t->characters, t->voice_id, t->model_id, t->amount_microcents,
		   (int)t->kind, t->quantity, (int)t->unit, t->is_estimated);
	return true;
}

static const char *shown(const char *text)
{
	return text ? text : "(none)";
}

static bool dump_dictionary(const struct store_dictionary *d, void *arg)
{
	(void)arg;
	buf_printf(&dump, "dictionary %ld %ld %s %s %s %d %ld %ld %ld\n", d->id, d->project_id,
		   d->name, shown(d->description), shown(d->language), d->is_active, d->revision,
		   d->created_ms, d->updated_ms);
	return true;
}

static bool dump_entry(const struct store_entry *e, void *arg)
{
	(void)arg;
	buf_printf(&dump, "entry %ld %ld %s %s %s %d %ld %ld\n", e->id, e->dictionary_id,
		   e->said.word, e->said.replacement, shown(e->said.ipa), e->said.case_sensitive,
		   e->created_ms, e->updated_ms);
	return true;
}

static bool dump_voice(const struct store_voice *v, void *arg)
{
	(void)arg;
	buf_printf(&dump, "voice %ld %ld %ld %s %a %a %s %s %s %d %ld %ld %ld %ld\n", v->id,
		   v->project_id, v->base_id, v->name, v->pitch, v->rate, shown(v->variant),
		   shown(v->sex), shown(v->languages), v->is_public, v->sampled_ms, v->revision,
		   v->created_ms, v->updated_ms);
	return true;
}

static bool dump_speech_engine(const struct store_speech_engine *e, void *arg)
{
	(void)arg;
	buf_printf(&dump, "speech engine %s %ld %s %ld %s %s %ld %ld %ld\n", e->id, e->project_id,
		   e->name, e->key_id, e->key_prefix, e->config, e->revision, e->created_ms,
		   e->updated_ms);
	return true;
}

static char *dump_of(struct store *store)
{
	static const struct store_turn_filter all;
	static const struct store_page searched = {.search = "STRASSE", .limit = -1};
	static const struct store_page page = {.limit = -1};
	static const struct store_speech_engine_page engines = {.search = "STRASSE", .limit = -1};
	struct store_last_ids ids;
	int64_t wrong = -1;

	buf_init(&dump, (size_t)1 << 20);
	store->ops->account_list(store, dump_account, NULL);
	store->ops->project_list(store, 0, dump_project, NULL);
	store->ops->key_list(store, dump_key, NULL);
	store->ops->turn_page(store, &all, 0, -1, dump_turn, NULL);
	store->ops->voice_list(store, dump_voice, NULL);
	for (int64_t id = 1; id < 10; ++id) {
		store->ops->top_up_list(store, id, dump_top_up, NULL);
		store->ops->dictionary_list(store, id, dump_dictionary, NULL);
		store->ops->entry_list(store, id, &page, dump_entry, NULL);
		store->ops->entry_list(store, id, &searched, dump_entry, NULL);
		store->ops->speech_engine_list(store, id, &engines, dump_speech_engine, NULL);
	}
	assert_int_equal(store->ops->last_ids(store, &ids), 0);
	buf_printf(&dump, "last %ld %ld %ld", ids.dictionary, ids.entry, ids.voice);
	assert_int_equal(store->ops->audit(store, &wrong), 0);
	assert_int_equal(wrong, 0);
	buf_append(&dump, "", 1);
	return dump.bytes;
}

static void move_well(struct store *from, struct store *to)
{
	struct migrate_figures figures;
	int err;

	assert_int_equal(migrate(from, to, &figures, &err), MIGRATE_WELL);
	assert_int_equal(figures.accounts, 2);
	assert_int_equal(figures.projects, 2);
	assert_int_equal(figures.keys, 2);
	assert_int_equal(figures.top_ups, 3);
	assert_int_equal(figures.turns, 80); /* and 20 rows of language models */
	assert_int_equal(figures.answers, 10);
	assert_true(figures.tokens_in > 0 && figures.tokens_out > 0);
	assert_int_equal(figures.dictionaries, 2);
	assert_int_equal(figures.entries, 4);
	assert_int_equal(figures.voices, 2);
	assert_int_equal(figures.speech_engines, 2);
	assert_int_equal(figures.credit_microcents, 4999987);
}

static void test_all_is_the_same_after_a_move_there_and_back(void **state)
{
	struct store *sqlite = opened(first);
	struct store *postgres = opened(shared);
	struct store *back = opened(second);
	char *before, *there, *after;

	(void)state;
	fill(sqlite);
	before = dump_of(sqlite);
	move_well(sqlite, postgres);
	there = dump_of(postgres);
	move_well(postgres, back);
	after = dump_of(back);
	assert_string_equal(there, before);
	assert_string_equal(after, before);
	free(before);
	free(there);
	free(after);
	mem_deref(back);
	mem_deref(postgres);
	mem_deref(sqlite);
}

/* The store goes on where the other one stopped. */
static void goes_on(struct store *store)
{
	struct store_dictionary dictionary = {.project_id = 1, .name = "new", .created_ms = 1};
	struct store_voice voice = {.project_id = 1, .name = "new", .rate = 1};
	struct store_turn turn = rows_turn("new", 0);
	struct store_account account;
	int64_t id;

	assert_int_equal(store->ops->dictionary_add(store, &id, &dictionary, NULL, 0), 0);
	assert_int_equal(id, 5); /* the removed ones' ids are gone */
	assert_int_equal(store->ops->voice_add(store, &id, &voice), 0);
	assert_int_equal(id, STORE_VOICE_FIRST + 4);
	assert_int_equal(rows_add_account(store, "third", false), 3);
	assert_int_equal(rows_add_key(store, "ka_ccccc", 3).id, 3);
	rows_top_up(store, "paid", 2, 1); /* known: nothing happens */
	account = rows_get_account(store, 2);
	assert_int_equal(account.credit_microcents, 4999980);
	assert_int_equal(rows_book(store, &turn), 0);
	assert_int_equal(rows_count_turns(store), 101);
}

static void test_ids_go_on_after_the_last_that_was_given(void **state)
{
	struct store *sqlite = opened(first);
	struct store *postgres = opened(shared);
	struct store *back = opened(second);

	(void)state;
	fill(sqlite);
	move_well(sqlite, postgres);
	move_well(postgres, back);
	goes_on(postgres);
	goes_on(back);
	mem_deref(back);
	mem_deref(postgres);
	mem_deref(sqlite);
}

static void test_an_empty_store_can_be_moved(void **state)
{
	struct store *sqlite = opened(first);
	struct store *postgres = opened(shared);
	struct migrate_figures figures;
	int err;

	(void)state;
	assert_int_equal(migrate(sqlite, postgres, &figures, &err), MIGRATE_WELL);
	assert_int_equal(figures.accounts, 1);
	assert_int_equal(figures.turns, 0);
	mem_deref(postgres);
	mem_deref(sqlite);
}

static void test_only_an_empty_store_is_filled(void **state)
{
	struct store *sqlite = opened(first);
	struct store *targets[] = {opened(shared), opened(second)};

	(void)state;
	fill(sqlite);
	for (size_t i = 0; i < COUNT(targets); ++i) {
		struct store_key key = rows_add_key(targets[i], "ka_there", 1);
		struct migrate_figures figures;
		int err;

		assert_int_equal(migrate(sqlite, targets[i], &figures, &err), MIGRATE_NOT_EMPTY);
		assert_int_equal(rows_find_key(targets[i], "ka_there").id, key.id);
		assert_int_equal(rows_count_turns(targets[i]), 0);
		mem_deref(targets[i]);
	}
	mem_deref(sqlite);
}

static void test_nothing_is_left_of_a_move_that_failed(void **state)
{
	const char *const addresses[] = {shared, second};

	(void)state;
	for (size_t i = 0; i < COUNT(addresses); ++i) {
		struct store *store = opened(addresses[i]);
		struct store_account account = rows_account("half");
		struct store_row row = {.kind = STORE_ROW_ACCOUNT, .account = &account};

		account.id = 7;
		assert_int_equal(store->ops->import_begin(store), 0);
		assert_int_equal(store->ops->import_row(store, &row), 0);
		assert_int_equal(store->ops->import_end(store, ENOSPC), ENOSPC);
		assert_int_equal(store->ops->account_get(store, &account, 7), ENOENT);
		assert_string_equal(rows_get_account(store, 1).name, "default");
		/* One that refers to nothing. */
		assert_int_equal(store->ops->import_begin(store), 0);
		row = (struct store_row){
			.kind = STORE_ROW_PROJECT,
			.project = &(struct store_project){.id = 5, .account_id = 99}};
		if (store->ops->import_row(store, &row) == 0)
			assert_int_not_equal(store->ops->import_end(store, 0), 0);
		else
			assert_int_equal(store->ops->import_end(store, EIO), EIO);
		assert_string_equal(rows_get_account(store, 1).name, "default");
		mem_deref(store);
	}
}

static void test_a_ledger_whose_sums_are_wrong_stays_where_it_is(void **state)
{
	struct store *sqlite = opened(first);
	struct store *postgres = opened(shared);
	struct migrate_figures figures;
	int64_t wrong = -1;
	sqlite3 *bare;
	int err;

	(void)state;
	fill(sqlite);
	assert_int_equal(sqlite3_open(first + strlen("sqlite:"), &bare), SQLITE_OK);
	assert_int_equal(
		sqlite3_exec(bare, "UPDATE account SET spent_microcents = 1", NULL, NULL, NULL),
		SQLITE_OK);
	sqlite3_close(bare);
	assert_int_equal(migrate(sqlite, postgres, &figures, &err), MIGRATE_UNSOUND);
	assert_int_equal(rows_count_turns(postgres), 0);
	assert_int_equal(migrate_and_mend(sqlite, postgres, &figures, &err), MIGRATE_MENDED);
	assert_int_equal(rows_count_turns(postgres), rows_count_turns(sqlite));
	assert_int_equal(postgres->ops->audit(postgres, &wrong), 0);
	assert_int_equal(wrong, 0);
	mem_deref(postgres);
	mem_deref(sqlite);
}

static const struct store_ops *real_ops;

/* What is read last; somebody has booked meanwhile. */
static int book_and_list(struct store *store, store_voice_h *each, void *arg)
{
	struct store_turn turn = rows_turn("meanwhile", 0);

	rows_book(store, &turn);
	return real_ops->voice_list(store, each, arg);
}

static void test_a_source_that_changes_meanwhile_is_noticed(void **state)
{
	struct store *sqlite = opened(first);
	struct store *postgres = opened(shared);
	struct store_ops ops = *sqlite->ops;
	struct migrate_figures figures;
	int err;

	(void)state;
	fill(sqlite);
	real_ops = sqlite->ops;
	ops.voice_list = book_and_list;
	sqlite->ops = &ops;
	assert_int_equal(migrate(sqlite, postgres, &figures, &err), MIGRATE_CHANGED);
	sqlite->ops = real_ops;
	assert_int_equal(rows_count_turns(postgres), 0);
	mem_deref(postgres);
	mem_deref(sqlite);
}

static void test_what_is_in_memory_cannot_be_moved(void **state)
{
	struct store *memory = opened("memory:");
	struct store *sqlite = opened(first);
	struct migrate_figures figures;
	int err;

	(void)state;
	assert_int_equal(migrate(memory, sqlite, &figures, &err), MIGRATE_CANNOT);
	assert_int_equal(migrate(sqlite, memory, &figures, &err), MIGRATE_CANNOT);
	mem_deref(sqlite);
	mem_deref(memory);
}

/* In the middle of the copying somebody adds a key and books a turn. */
static struct store *writer;

static int write_and_list(struct store *store, store_voice_h *each, void *arg)
{
	struct store_turn turn = rows_turn("meanwhile", 0);

	if (writer) {
		rows_add_key(writer, "ka_mean1", STORE_ACCOUNT_DEFAULT);
		rows_book(writer, &turn);
		writer = NULL;
	}
	return real_ops->voice_list(store, each, arg);
}

static void test_a_copy_of_a_store_in_use_is_of_one_moment(void **state)
{
	struct store *postgres = opened(shared);
	struct store *other = opened(shared);
	struct store *copy = opened(second);
	struct store_ops ops = *postgres->ops;
	struct migrate_figures figures;
	struct migrate_figures after;
	struct store_key key;
	int err;

	(void)state;
	fill(postgres);
	assert_int_equal(migrate_count(postgres, &after), 0);
	real_ops = postgres->ops;
	ops.voice_list = write_and_list;
	postgres->ops = &ops;
	writer = other;
	assert_int_equal(migrate_snapshot(postgres, copy, &figures, &err), MIGRATE_WELL);
	postgres->ops = real_ops;
	assert_null(writer);
	assert_memory_equal(&figures, &after, sizeof(figures));
	assert_int_equal(copy->ops->key_find(copy, &key, "ka_mean1"), ENOENT);
	/* The snapshot is over: the store can be written to, and shows what was written. */
	assert_int_equal(postgres->ops->key_find(postgres, &key, "ka_mean1"), 0);
	rows_add_key(postgres, "ka_after", STORE_ACCOUNT_DEFAULT);
	mem_deref(copy);
	mem_deref(other);
	mem_deref(postgres);
}

static void test_looking_for_a_store_makes_none(void **state)
{
	const char *const addresses[] = {first, shared};

	(void)state;
	for (size_t i = 0; i < COUNT(addresses); ++i) {
		assert_int_equal(store_look(addresses[i]), ENOENT);
		assert_int_equal(store_look(addresses[i]), ENOENT);
		mem_deref(opened(addresses[i]));
		assert_int_equal(store_look(addresses[i]), 0);
	}
	assert_int_equal(store_look("memory:"), ENOENT);
	assert_int_equal(store_look("mysql://x"), EPROTONOSUPPORT);
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, make_place, remove_place)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_all_is_the_same_after_a_move_there_and_back),
		TEST(test_ids_go_on_after_the_last_that_was_given),
		TEST(test_an_empty_store_can_be_moved),
		TEST(test_only_an_empty_store_is_filled),
		TEST(test_nothing_is_left_of_a_move_that_failed),
		TEST(test_a_ledger_whose_sums_are_wrong_stays_where_it_is),
		TEST(test_a_source_that_changes_meanwhile_is_noticed),
		TEST(test_what_is_in_memory_cannot_be_moved),
		TEST(test_a_copy_of_a_store_in_use_is_of_one_moment),
		TEST(test_looking_for_a_store_makes_none),
	};

	if (postgres_server_start() != 0)
		return 77; /* meson's word for a test that was skipped */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
