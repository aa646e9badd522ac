/* What every store guarantees of derived voices. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/mem.h"
#include "rows.h"
#include "store/voice_row.h"

#define PROJECT STORE_PROJECT_DEFAULT
#define NOW 1790000000123
#define LATER 1790000005678

static struct store *store; /* under test */

static int take_store(void **state)
{
	store = rows_store(state);
	return 0;
}

/* A row in which every field has a value of its own. */
static const struct store_voice full = {
	.project_id = PROJECT,
	.base_id = 2001,
	.name = "Käthe",
	.pitch = -3.5,
	.rate = 1.25,
	.variant = "f3",
	.description = "a description",
	.generative_description = "generated",
	.sample_text = "Guten Tag.",
	.sex = "female",
	.age = "old",
	.category = "narrative",
	.quality = "mid",
	.languages = "de,en",
	.is_public = true,
	.created_ms = NOW,
};

static const struct store_voice other = {
	.base_id = 1071,
	.name = "Other",
	.pitch = 2,
	.rate = 0.5,
	.languages = "fr",
	.sampled_ms = LATER - 1,
	.updated_ms = LATER,
};

struct seen {
	size_t count;
	struct store_voice rows[8];
};

static bool see(const struct store_voice *row, void *arg)
{
	struct seen *seen = arg;

	assert_true(seen->count < COUNT(seen->rows));
	assert_int_equal(voice_row_copy(&seen->rows[seen->count++], row), 0);
	return true;
}

static struct seen look(void)
{
	struct seen seen = {0};

	assert_int_equal(store->ops->voice_list(store, see, &seen), 0);
	return seen;
}

static void forget(struct seen *seen)
{
	for (size_t i = 0; i < seen->count; ++i)
		voice_row_free(&seen->rows[i]);
}

static void assert_text(const char *text, const char *expected)
{
	if (expected)
		assert_string_equal(text, expected);
	else
		assert_null(text);
}

static void assert_row(const struct store_voice *row, const struct store_voice *expected)
{
	assert_int_equal(row->base_id, expected->base_id);
	assert_text(row->name, expected->name);
	assert_true(row->pitch >= expected->pitch && row->pitch <= expected->pitch);
	assert_true(row->rate >= expected->rate && row->rate <= expected->rate);
	assert_text(row->variant, expected->variant);
	assert_text(row->description, expected->description);
	assert_text(row->generative_description, expected->generative_description);
	assert_text(row->sample_text, expected->sample_text);
	assert_text(row->sex, expected->sex);
	assert_text(row->age, expected->age);
	assert_text(row->category, expected->category);
	assert_text(row->quality, expected->quality);
	assert_text(row->languages, expected->languages);
	assert_int_equal(row->is_public, expected->is_public);
	assert_int_equal(row->sampled_ms, expected->sampled_ms);
}

static void a_voice_is_kept_as_it_was_given(void **state)
{
	struct seen seen;
	int64_t id;

	(void)state;
	assert_int_equal(store->ops->voice_add(store, &id, &full), 0);
	assert_int_equal(id, STORE_VOICE_FIRST);
	seen = look();
	assert_int_equal(seen.count, 1);
	assert_row(&seen.rows[0], &full);
	assert_int_equal(seen.rows[0].id, id);
	assert_int_equal(seen.rows[0].project_id, PROJECT);
	assert_int_equal(seen.rows[0].revision, 1);
	assert_int_equal(seen.rows[0].created_ms, NOW);
	assert_int_equal(seen.rows[0].updated_ms, NOW);
	forget(&seen);
}

static void each_field_is_changed_alone(void **state)
{
	int64_t id;

	(void)state;
	assert_int_equal(store->ops->voice_add(store, &id, &full), 0);
	for (unsigned field = STORE_VOICE_NAME; field <= STORE_VOICE_SAMPLED; field <<= 1) {
		struct store_voice expected = full;
		struct store_voice back = full;
		struct seen seen;

		voice_row_merge(&expected, field, &other);
		assert_int_equal(store->ops->voice_change(store, PROJECT, id, field, &other), 0);
		seen = look();
		assert_row(&seen.rows[0], &expected);
		assert_int_equal(seen.rows[0].created_ms, NOW);
		assert_int_equal(seen.rows[0].updated_ms, LATER);
		assert_true(seen.rows[0].revision > 1);
		forget(&seen);
		back.updated_ms = LATER;
		assert_int_equal(store->ops->voice_change(store, PROJECT, id, field, &back), 0);
	}
}

static void an_id_is_never_given_twice(void **state)
{
	int64_t first;
	int64_t second;

	(void)state;
	assert_int_equal(store->ops->voice_add(store, &first, &full), 0);
	assert_int_equal(store->ops->voice_remove(store, PROJECT, first), 0);
	assert_int_equal(store->ops->voice_add(store, &second, &full), 0);
	assert_int_equal(second, first + 1);
}

static void what_is_not_there_cannot_be_changed(void **state)
{
	struct store_voice stranger = full;
	struct seen seen;
	int64_t id;

	(void)state;
	assert_int_equal(store->ops->voice_add(store, &id, &full), 0);
	assert_int_equal(store->ops->voice_change(store, PROJECT, id + 1, 1, &other), ENOENT);
	assert_int_equal(store->ops->voice_change(store, PROJECT + 1, id, 1, &other), ENOENT);
	assert_int_equal(store->ops->voice_remove(store, PROJECT + 1, id), ENOENT);
	stranger.project_id = 77;
	assert_int_equal(store->ops->voice_add(store, &id, &stranger), ENOENT);
	seen = look();
	assert_int_equal(seen.count, 1);
	assert_row(&seen.rows[0], &full);
	forget(&seen);
}

static void a_project_has_a_limit(void **state)
{
	int64_t id;

	(void)state;
	for (int i = 0; i < STORE_VOICES_MAX; ++i)
		assert_int_equal(store->ops->voice_add(store, &id, &full), 0);
	assert_int_equal(store->ops->voice_add(store, &id, &full), EDQUOT);
	assert_int_equal(store->ops->voice_remove(store, PROJECT, id), 0);
	assert_int_equal(store->ops->voice_add(store, &id, &full), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_voice_is_kept_as_it_was_given, take_store),
		cmocka_unit_test_setup(each_field_is_changed_alone, take_store),
		cmocka_unit_test_setup(an_id_is_never_given_twice, take_store),
		cmocka_unit_test_setup(what_is_not_there_cannot_be_changed, take_store),
		cmocka_unit_test_setup(a_project_has_a_limit, take_store),
	};

	return ROWS_RUN(tests);
}
