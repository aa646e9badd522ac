/*
 * rows.c: rows to put into a store under test (see rows.h).
 */
#include "rows.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"

struct store_key rows_key(const char *prefix)
{
	struct store_key key = {
		.project_id = STORE_PROJECT_DEFAULT,
		.scopes = STORE_SCOPE_SPEAK | STORE_SCOPE_ADMIN,
		.name = "Stra\xc3\x9f"
			"e \"7\"",
		.credit_cents = 12345678901,
		.limits = {3, 5, 70, 11000, 1300},
		.created_ms = 1790000000123,
		.expires_ms = 1890000000321,
	};

	snprintf(key.prefix, sizeof(key.prefix), "%s", prefix);
	for (size_t i = 0; i < sizeof(key.hash); ++i)
		key.hash[i] = (uint8_t)(i * 7); /* a zero byte among them */
	return key;
}

struct store_turn rows_turn(const char *id, int64_t key_id)
{
	struct store_turn turn = {
		.key_id = key_id,
		.account_id = key_id ? STORE_ACCOUNT_DEFAULT : 0,
		.server = "0123456789abcdef",
		.at_ms = 1790000000456,
		.status = STORE_TURN_CANCELLED,
		.samples = 129600,
		.sample_rate = 24000,
		.characters = 142,
		.voice_id = 1071,
		.model_id = "kugel-1-turbo",
		.amount_microcents = 486000,
	};

	snprintf(turn.id, sizeof(turn.id), "%s", id);
	return turn;
}

void rows_assert_key(const struct store_key *key, const struct store_key *expected)
{
	assert_int_equal(key->id, expected->id);
	assert_int_equal(key->project_id, expected->project_id);
	assert_int_equal(key->scopes, expected->scopes);
	assert_string_equal(key->prefix, expected->prefix);
	assert_memory_equal(key->hash, expected->hash, sizeof(key->hash));
	assert_string_equal(key->name, expected->name);
	assert_int_equal(key->credit_cents, expected->credit_cents);
	assert_memory_equal(&key->limits, &expected->limits, sizeof(key->limits));
	assert_int_equal(key->account_id, expected->account_id);
	assert_int_equal(key->expires_ms, expected->expires_ms);
	assert_int_equal(key->used_ms, expected->used_ms);
	assert_int_equal(key->spent_microcents, expected->spent_microcents);
	assert_int_equal(key->created_ms, expected->created_ms);
	assert_int_equal(key->revoked_ms, expected->revoked_ms);
}

void rows_assert_turn(const struct store_turn *turn, const struct store_turn *expected)
{
	assert_string_equal(turn->id, expected->id);
	assert_int_equal(turn->key_id, expected->key_id);
	assert_int_equal(turn->account_id, expected->account_id);
	assert_string_equal(turn->server, expected->server);
	assert_int_equal(turn->at_ms, expected->at_ms);
	assert_int_equal(turn->status, expected->status);
	assert_int_equal(turn->samples, expected->samples);
	assert_int_equal(turn->sample_rate, expected->sample_rate);
	assert_int_equal(turn->characters, expected->characters);
	assert_int_equal(turn->voice_id, expected->voice_id);
	assert_string_equal(turn->model_id, expected->model_id);
	assert_int_equal(turn->amount_microcents, expected->amount_microcents);
}

int rows_open(struct rows_backend *backend)
{
	char address[128] = "memory:";

	if (strcmp(backend->name, "sqlite") == 0) {
		rows_make_dir(backend->dir);
		snprintf(address, sizeof(address), "sqlite:%s/test.db", backend->dir);
	}
	return store_open(&backend->store, address);
}

void rows_close(struct rows_backend *backend)
{
	backend->store = mem_deref(backend->store);
	if (backend->dir[0])
		rows_remove_dir(backend->dir);
	backend->dir[0] = '\0';
}

static bool count_turn(const struct store_turn *turn, void *arg)
{
	(void)turn;
	++*(size_t *)arg;
	return true;
}

size_t rows_count_turns(struct store *store)
{
	size_t count = 0;

	assert_int_equal(store->ops->turn_list(store, count_turn, &count), 0);
	return count;
}

void rows_make_dir(char path[64])
{
	snprintf(path, 64, "/tmp/syrinx-store-XXXXXX");
	assert_non_null(mkdtemp(path));
}

void rows_remove_dir(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *entry;

	assert_non_null(dir);
	while ((entry = readdir(dir))) {
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			assert_int_equal(unlinkat(dirfd(dir), entry->d_name, 0), 0);
	}
	closedir(dir);
	assert_int_equal(rmdir(path), 0);
}
