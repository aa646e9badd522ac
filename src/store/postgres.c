/*
 * postgres.c: a store in a PostgreSQL database, which many servers can share.
 *
 * A handle is used by one thread at a time and has one connection.  A program with several threads
 * opens one handle per thread, which replaces a connection pool.
 *
 * postgres_private.h lists the other files.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "store/postgres_exchange.h"

static int postgres_version(struct store *store, int64_t *number)
{
	return postgres_number(postgres_of(store), POSTGRES_VERSION, NULL,
			       "cannot look for changes", number);
}

struct postgres_change_viewer {
	store_change_h *each;
	void *arg;
};

static int postgres_show_change(const struct postgres_row *row, void *arg)
{
	const struct postgres_change_viewer *viewer = arg;
	const struct store_change change = {
		.kind = (enum store_change_kind)postgres_number_at(row, 0),
		.project_id = postgres_number_at(row, 1),
		.version = postgres_number_at(row, 2),
	};

	return viewer->each(&change, viewer->arg) ? 0 : ECANCELED;
}

static int postgres_changes(struct store *store, int64_t since_version, store_change_h *each,
			    void *arg)
{
	struct postgres_values values = {.count = 0};
	struct postgres_change_viewer viewer = {each, arg};
	int err;

	postgres_put_number(&values, since_version);
	err = postgres_rows(postgres_of(store), POSTGRES_CHANGES, &values,
			    "cannot look for changes", postgres_show_change, &viewer);
	return err == ENOENT ? 0 : err;
}

static int postgres_others(struct store *store, int64_t *count)
{
	return postgres_number(postgres_of(store), POSTGRES_OTHERS, NULL,
			       "cannot count the other connections", count);
}

static const struct store_ops postgres_ops = {
	.key_add = postgres_key_add,
	.key_find = postgres_key_find,
	.key_revoke = postgres_key_revoke,
	.key_list = postgres_key_list,
	.key_change = postgres_key_change,
	.key_used = postgres_key_used,
	.account_add = postgres_account_add,
	.account_get = postgres_account_get,
	.account_list = postgres_account_list,
	.account_change = postgres_account_change,
	.project_add = postgres_project_add,
	.project_list = postgres_project_list,
	.top_up_add = postgres_top_up_add,
	.top_up_list = postgres_top_up_list,
	.token_add = postgres_token_add,
	.token_take = postgres_token_take,
	.lease_take = postgres_lease_take,
	.lease_return = postgres_lease_return,
	.turns_add = postgres_turns_add,
	.turn_page = postgres_turn_page,
	.turn_list = postgres_turn_list,
	.usage_sum = postgres_usage_sum,
	.audit = postgres_audit,
	.share_take = postgres_share_take,
	.share_heartbeat = postgres_share_heartbeat,
	.share_return = postgres_share_return,
	.dictionary_list = postgres_dictionary_list,
	.dictionary_get = postgres_dictionary_get,
	.dictionary_add = postgres_dictionary_add,
	.dictionary_change = postgres_dictionary_change,
	.dictionary_remove = postgres_dictionary_remove,
	.entry_list = postgres_entry_list,
	.entry_count = postgres_entry_count,
	.entry_get = postgres_entry_get,
	.entry_add = postgres_entry_add,
	.entry_change = postgres_entry_change,
	.entry_remove = postgres_entry_remove,
	.entry_replace = postgres_entry_replace,
	.entry_put = postgres_entry_put,
	.entry_remove_words = postgres_entry_remove_words,
	.voice_list = postgres_voice_list,
	.voice_add = postgres_voice_add,
	.voice_change = postgres_voice_change,
	.voice_remove = postgres_voice_remove,
	.speech_engine_list = postgres_speech_engine_list,
	.speech_engine_get = postgres_speech_engine_get,
	.speech_engine_add = postgres_speech_engine_add,
	.speech_engine_change = postgres_speech_engine_change,
	.speech_engine_remove = postgres_speech_engine_remove,
	.version = postgres_version,
	.changes = postgres_changes,
	.others = postgres_others,
	.snapshot_begin = postgres_snapshot_begin,
	.snapshot_end = postgres_snapshot_end,
	.import_begin = postgres_import_begin,
	.import_row = postgres_import_row,
	.import_settle = postgres_import_settle,
	.import_end = postgres_import_end,
	.last_ids = postgres_last_ids,
};

static void postgres_destroy(void *object)
{
	struct postgres *postgres = object;

	postgres_disconnect(postgres);
	free(postgres->address);
}

static int postgres_alloc(struct postgres **postgresp, const char *address)
{
	struct postgres *postgres = mem_zalloc(sizeof(*postgres), postgres_destroy);

	if (!postgres)
		return ENOMEM;
	postgres->store.ops = &postgres_ops;
	postgres->address = strdup(address);
	if (!postgres->address) {
		mem_deref(postgres);
		return ENOMEM;
	}
	*postgresp = postgres;
	return 0;
}

int store_open_postgres(struct store **storep, const char *address)
{
	struct postgres *postgres;
	int err = postgres_alloc(&postgres, address);

	if (err)
		return err;
	err = postgres_connect(postgres);
	if (err) {
		mem_deref(postgres);
		return err;
	}
	*storep = &postgres->store;
	return 0;
}

int store_open_postgres_patiently(struct store **storep, bool *is_away, const char *address)
{
	struct postgres *postgres;
	int err = postgres_alloc(&postgres, address);

	if (err)
		return err;
	err = postgres_be_connected(postgres);
	if (err == ENOMEM || store_is_permanent_error(err)) {
		mem_deref(postgres);
		return err;
	}
	*is_away = err != 0;
	*storep = &postgres->store;
	return 0;
}

int store_look_postgres(const char *address)
{
	struct postgres *postgres;
	int err = postgres_alloc(&postgres, address);

	if (err)
		return err;
	err = postgres_look(postgres);
	mem_deref(postgres);
	return err;
}
