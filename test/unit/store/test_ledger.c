/* What every store guarantees of turns: booked whole, once, and summed up exactly. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/mem.h"
#include "rows.h"

static struct store *store; /* under test */

static int take_store(void **state)
{
	store = rows_store(state);
	return 0;
}

static bool keep_turn(const struct store_turn *turn, void *arg)
{
	*(struct store_turn *)arg = *turn;
	return true;
}

static struct store_turn last_turn(void)
{
	struct store_turn turn = {0};

	assert_int_equal(store->ops->turn_list(store, keep_turn, &turn), 0);
	return turn;
}

static void assert_audited(void)
{
	int64_t wrong = -1;

	assert_int_equal(store->ops->audit(store, &wrong), 0);
	assert_int_equal(wrong, 0);
}

static void test_a_turn_is_listed_as_it_was_booked(void **state)
{
	struct store_key key = rows_add_key(store, "ka_abcde", STORE_ACCOUNT_DEFAULT);
	struct store_turn turn;
	struct store_turn found;

	(void)state;
	for (int status = STORE_TURN_FINISHED; status <= STORE_TURN_LOST; ++status) {
		char id[8];

		snprintf(id, sizeof(id), "t%d", status);
		turn = rows_turn(id, key.id);
		turn.status = (enum store_turn_status)status;
		assert_int_equal(rows_book(store, &turn), 0);
		found = last_turn();
		rows_assert_turn(&found, &turn);
	}
	turn = rows_turn("nobody's", 0);
	turn.server[0] = '\0';
	assert_int_equal(rows_book(store, &turn), 0);
	found = last_turn();
	rows_assert_turn(&found, &turn);
	assert_audited();
}

static void test_a_batch_of_none_is_well(void **state)
{
	(void)state;
	assert_int_equal(store->ops->turns_add(store, NULL, 0, NULL), 0);
	assert_int_equal(rows_count_turns(store), 0);
}

static void test_a_second_booking_changes_nothing(void **state)
{
	struct store_key key = rows_add_key(store, "ka_abcde", STORE_ACCOUNT_DEFAULT);
	struct store_turn first = rows_turn("t1", key.id);
	struct store_turn batch[3];
	struct store_turn found;
	int errs[3] = {-1, -1, -1};

	(void)state;
	for (size_t i = 0; i < COUNT(batch); ++i) {
		batch[i] = first;
		batch[i].amount_microcents += (int64_t)i;
		batch[i].status = (enum store_turn_status)i;
	}
	assert_int_equal(rows_book(store, &first), 0);
	assert_int_equal(store->ops->turns_add(store, batch, 3, errs), 0);
	for (size_t i = 0; i < COUNT(errs); ++i)
		assert_int_equal(errs[i], 0);
	assert_int_equal(rows_count_turns(store), 1);
	found = last_turn();
	rows_assert_turn(&found, &first);
	assert_int_equal(rows_find_key(store, "ka_abcde").spent_microcents,
			 first.amount_microcents);
	assert_audited();
}

static void test_an_id_that_comes_twice_in_a_batch_is_booked_once(void **state)
{
	struct store_key key = rows_add_key(store, "ka_abcde", STORE_ACCOUNT_DEFAULT);
	struct store_turn batch[2] = {rows_turn("t1", key.id), rows_turn("t1", key.id)};
	int errs[2];

	(void)state;
	assert_int_equal(store->ops->turns_add(store, batch, 2, errs), 0);
	assert_int_equal(rows_count_turns(store), 1);
	assert_int_equal(rows_find_key(store, "ka_abcde").spent_microcents,
			 batch[0].amount_microcents);
}

static void test_a_turn_that_cannot_be_is_left_out_alone(void **state)
{
	struct store_key key = rows_add_key(store, "ka_abcde", STORE_ACCOUNT_DEFAULT);
	struct store_turn batch[] = {
		rows_turn("good", key.id),       rows_turn("no key", 99),
		rows_turn("no account", key.id), rows_turn("half", key.id),
		rows_turn("other half", 0),      rows_turn("negative", key.id),
		rows_turn("late", key.id),
	};
	static const int expected[] = {0, EINVAL, EINVAL, EINVAL, EINVAL, EINVAL, 0};
	int errs[COUNT(batch)];

	(void)state;
	batch[2].account_id = 98;
	batch[3].account_id = 0;
	batch[4].account_id = STORE_ACCOUNT_DEFAULT;
	batch[5].amount_microcents = -1;
	assert_int_equal(store->ops->turns_add(store, batch, COUNT(batch), errs), 0);
	assert_memory_equal(errs, expected, sizeof(errs));
	assert_int_equal(rows_count_turns(store), 2);
	assert_int_equal(rows_find_key(store, "ka_abcde").spent_microcents,
			 2 * batch[0].amount_microcents);
	assert_audited();
}

#define BATCH 500

static void test_sums_are_kept_for_every_account_and_key(void **state)
{
	struct store_turn *batch = calloc(BATCH, sizeof(*batch));
	int *errs = calloc(BATCH, sizeof(*errs));
	int64_t of_account[2] = {0};
	int64_t of_key[3] = {0};
	int64_t account = rows_add_account(store, "a", true);
	struct store_key keys[] = {rows_add_key(store, "ka_one__", STORE_ACCOUNT_DEFAULT),
				   rows_add_key(store, "ka_two__", account),
				   rows_add_key(store, "ka_three", account)};

	(void)state;
	assert_true(batch && errs);
	for (int i = 0; i < BATCH; ++i) {
		const struct store_key *key = &keys[i % 3];
		char id[16];

		snprintf(id, sizeof(id), "t%d", i);
		batch[i] = rows_turn(id, key->id);
		batch[i].account_id = key->account_id;
		batch[i].amount_microcents = i * 1000003LL;
		snprintf(batch[i].server, sizeof(batch[i].server), "s%d", i % 7);
		of_key[i % 3] += batch[i].amount_microcents;
		of_account[i % 3 != 0] += batch[i].amount_microcents;
	}
	assert_int_equal(store->ops->turns_add(store, batch, BATCH / 2, errs), 0);
	assert_int_equal(store->ops->turns_add(store, batch, BATCH, errs), 0);
	assert_int_equal(rows_count_turns(store), BATCH);
	for (int i = 0; i < 3; ++i)
		assert_int_equal(rows_find_key(store, keys[i].prefix).spent_microcents, of_key[i]);
	assert_int_equal(rows_get_account(store, STORE_ACCOUNT_DEFAULT).spent_microcents,
			 of_account[0]);
	assert_int_equal(rows_get_account(store, account).spent_microcents, of_account[1]);
	assert_audited();
	free(batch);
	free(errs);
}

static void test_two_who_settle_one_turn_book_it_once(void **state)
{
	struct store *other = rows_open_again(state);
	struct store_key key = rows_add_key(store, "ka_abcde", STORE_ACCOUNT_DEFAULT);
	struct store_turn turn = rows_turn("t1", key.id);

	if (other) {
		assert_int_equal(rows_book(store, &turn), 0);
		turn.amount_microcents = 1;
		turn.status = STORE_TURN_LOST;
		assert_int_equal(rows_book(other, &turn), 0);
		assert_int_equal(rows_count_turns(other), 1);
		assert_int_equal(rows_find_key(other, "ka_abcde").spent_microcents, 486000);
		assert_audited();
	}
	mem_deref(other);
}

struct seen {
	size_t count;
	size_t enough; /* 0: all */
	int64_t last_seq;
	char ids[64][STORE_TURN_ID_MAX + 1];
};

static bool see_turn(const struct store_turn *turn, void *arg)
{
	struct seen *seen = arg;

	memcpy(seen->ids[seen->count], turn->id, sizeof(turn->id));
	return ++seen->count != seen->enough;
}

static bool see_paged(int64_t seq, const struct store_turn *turn, void *arg)
{
	struct seen *seen = arg;

	assert_true(seq > seen->last_seq);
	seen->last_seq = seq;
	return see_turn(turn, seen);
}

static void test_turns_are_listed_in_order_until_it_is_enough(void **state)
{
	static const char *const ids[] = {"z", "m", "a"};
	struct seen seen = {0};

	(void)state;
	for (size_t i = 0; i < COUNT(ids); ++i) {
		struct store_turn turn = rows_turn(ids[i], 0);

		turn.at_ms -= (int64_t)i; /* the clock went back */
		assert_int_equal(rows_book(store, &turn), 0);
	}
	assert_int_equal(store->ops->turn_list(store, see_turn, &seen), 0);
	assert_int_equal(seen.count, 3);
	for (size_t i = 0; i < COUNT(ids); ++i)
		assert_string_equal(seen.ids[i], ids[i]);
	seen = (struct seen){.enough = 1};
	assert_int_equal(store->ops->turn_list(store, see_turn, &seen), 0);
	assert_int_equal(seen.count, 1);
}

#define DAY_MS 86400000LL
#define MIDNIGHT (20000 * DAY_MS)

/* Turns of two accounts, a key each in two projects of the second; every combination
 * has turns of its own in three days. */
struct world {
	int64_t account;
	struct store_key keys[3];
};

#define WORLD_TURNS 54

static struct world make_world(void)
{
	static const int64_t times[] = {MIDNIGHT - 1,          MIDNIGHT,
					MIDNIGHT + DAY_MS - 1, MIDNIGHT + DAY_MS,
					MIDNIGHT + DAY_MS + 1, MIDNIGHT + 5};
	struct world world = {.account = rows_add_account(store, "a", false)};
	struct store_project project = {.account_id = world.account, .name = "second"};

	world.keys[0] = rows_add_key(store, "ka_one__", STORE_ACCOUNT_DEFAULT);
	world.keys[1] = rows_add_key(store, "ka_two__", world.account);
	assert_int_equal(store->ops->project_add(store, &project), 0);
	world.keys[2] = rows_add_key(store, "ka_three", world.account);
	assert_int_equal(world.keys[2].project_id, project.id);
	for (int i = 0; i < WORLD_TURNS; ++i) {
		const struct store_key *key = &world.keys[i % 3];
		struct store_turn turn;
		char id[16];

		snprintf(id, sizeof(id), "t%02d", i);
		turn = rows_turn(id, key->id);
		turn.account_id = key->account_id;
		turn.at_ms = times[i / 3 % 6];
		turn.samples = 1;
		turn.sample_rate = i % 2 ? 44100 : 8000; /* 22.68 and 125 us */
		turn.characters = (uint64_t)i;
		turn.amount_microcents = INT64_C(1) << i % 40;
		turn.voice_id = 2000 - i / 18;
		snprintf(turn.model_id, sizeof(turn.model_id), "m%d", i / 9 % 2);
		assert_int_equal(rows_book(store, &turn), 0);
	}
	return world;
}

static void test_pages_show_every_turn_once(void **state)
{
	const struct store_turn_filter all = {0};

	(void)state;
	make_world();
	for (int64_t limit = 1; limit <= WORLD_TURNS + 1; limit += 7) {
		struct seen seen = {0};
		size_t before;

		do {
			before = seen.count;
			assert_int_equal(store->ops->turn_page(store, &all, seen.last_seq, limit,
							       see_paged, &seen),
					 0);
			assert_true(seen.count - before <= (size_t)limit);
		} while (seen.count > before);
		assert_int_equal(seen.count, WORLD_TURNS);
		for (int i = 0; i < WORLD_TURNS; ++i)
			assert_int_equal(atoi(seen.ids[i] + 1), i);
	}
}

static size_t count_page(const struct store_turn_filter *filter)
{
	struct seen seen = {0};

	assert_int_equal(store->ops->turn_page(store, filter, 0, -1, see_paged, &seen), 0);
	return seen.count;
}

static void test_pages_show_only_what_was_asked_for(void **state)
{
	struct world world = make_world();
	const struct {
		struct store_turn_filter filter;
		size_t count;
	} cases[] = {
		{{0}, 54},
		{{.account_id = STORE_ACCOUNT_DEFAULT}, 18},
		{{.account_id = world.account}, 36},
		{{.account_id = 99}, 0},
		{{.project_id = world.keys[2].project_id}, 18},
		{{.project_id = STORE_PROJECT_DEFAULT}, 18},
		{{.account_id = STORE_ACCOUNT_DEFAULT, .project_id = world.keys[1].project_id}, 0},
		{{.key_id = world.keys[1].id}, 18},
		{{.account_id = world.account, .key_id = world.keys[0].id}, 0},
		{{.to_ms = MIDNIGHT}, 9},
		{{.from_ms = MIDNIGHT, .to_ms = MIDNIGHT + DAY_MS}, 27},
		{{.from_ms = MIDNIGHT + DAY_MS}, 18},
		{{.from_ms = MIDNIGHT + DAY_MS, .to_ms = MIDNIGHT}, 0},
		{{.account_id = world.account, .from_ms = MIDNIGHT + DAY_MS}, 12},
	};
	struct seen seen = {.enough = 2};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); ++i)
		assert_int_equal(count_page(&cases[i].filter), cases[i].count);
	assert_int_equal(store->ops->turn_page(store, &cases[0].filter, 0, 10, see_paged, &seen),
			 0);
	assert_int_equal(seen.count, 2);
}

struct sums {
	size_t count;
	size_t enough; /* 0: all */
	struct store_usage rows[64];
	struct store_usage all;
};

static bool see_usage(const struct store_usage *usage, void *arg)
{
	struct sums *sums = arg;

	sums->rows[sums->count] = *usage;
	sums->all.turns += usage->turns;
	sums->all.audio_us += usage->audio_us;
	sums->all.characters += usage->characters;
	sums->all.amount_microcents += usage->amount_microcents;
	return ++sums->count != sums->enough;
}

static struct sums sum(const struct store_turn_filter *filter, unsigned by)
{
	struct sums sums = {0};

	assert_int_equal(store->ops->usage_sum(store, filter, by, see_usage, &sums), 0);
	return sums;
}

/* In the order of the report. */
static bool comes_before(const struct store_usage *a, const struct store_usage *b)
{
	if (a->day_ms != b->day_ms)
		return a->day_ms < b->day_ms;
	if (a->key_id != b->key_id)
		return a->key_id < b->key_id;
	if (a->voice_id != b->voice_id)
		return a->voice_id < b->voice_id;
	return strcmp(a->model_id, b->model_id) < 0;
}

static void assert_same_sums(const struct store_usage *a, const struct store_usage *b)
{
	assert_int_equal(a->turns, b->turns);
	assert_int_equal(a->audio_us, b->audio_us);
	assert_int_equal(a->characters, b->characters);
	assert_int_equal(a->amount_microcents, b->amount_microcents);
}

static void test_reports_sum_up_to_the_ledger_however_they_are_cut(void **state)
{
	static const struct store_turn_filter everything;
	struct world world = make_world();
	struct sums total = sum(&everything, 0);
	int64_t spent = 0;

	(void)state;
	assert_int_equal(total.count, 1);
	assert_int_equal(total.all.turns, WORLD_TURNS);
	assert_int_equal(total.all.audio_us, 27 * 125 + 27 * 23); /* each rounded half up */
	assert_int_equal(total.all.characters, WORLD_TURNS * (WORLD_TURNS - 1) / 2);
	for (int i = 0; i < 3; ++i)
		spent += rows_find_key(store, world.keys[i].prefix).spent_microcents;
	assert_int_equal(total.all.amount_microcents, spent);
	assert_int_equal(rows_get_account(store, STORE_ACCOUNT_DEFAULT).spent_microcents +
				 rows_get_account(store, world.account).spent_microcents,
			 spent);
	for (unsigned by = 1; by < 16; ++by) {
		struct sums sums = sum(&everything, by);

		assert_same_sums(&sums.all, &total.all);
		for (size_t i = 1; i < sums.count; ++i)
			assert_true(comes_before(&sums.rows[i - 1], &sums.rows[i]));
	}
	assert_audited();
}

static void test_what_is_not_asked_for_is_not_told_apart(void **state)
{
	static const struct store_turn_filter everything;
	struct world world = make_world();
	struct sums sums = sum(&everything, STORE_USAGE_KEY);

	(void)state;
	assert_int_equal(sums.count, 3);
	for (int i = 0; i < 3; ++i) {
		assert_int_equal(sums.rows[i].key_id, world.keys[i].id);
		assert_int_equal(sums.rows[i].turns, 18);
		assert_int_equal(sums.rows[i].day_ms, 0);
		assert_int_equal(sums.rows[i].voice_id, 0);
		assert_string_equal(sums.rows[i].model_id, "");
	}
	sums = sum(&everything, STORE_USAGE_VOICE);
	assert_int_equal(sums.count, 3);
	assert_int_equal(sums.rows[0].voice_id, 1998);
	sums = sum(&everything, STORE_USAGE_MODEL);
	assert_int_equal(sums.count, 2);
	assert_string_equal(sums.rows[1].model_id, "m1");
	sums = (struct sums){.enough = 1};
	assert_int_equal(
		store->ops->usage_sum(store, &everything, STORE_USAGE_VOICE, see_usage, &sums), 0);
	assert_int_equal(sums.count, 1);
}

static void test_days_are_those_of_utc(void **state)
{
	static const struct store_turn_filter everything;
	static const int64_t turns[] = {9, 27, 18};
	struct sums sums;

	(void)state;
	make_world();
	sums = sum(&everything, STORE_USAGE_DAY);
	assert_int_equal(sums.count, 3);
	for (int i = 0; i < 3; ++i) {
		assert_int_equal(sums.rows[i].day_ms, MIDNIGHT + (i - 1) * DAY_MS);
		assert_int_equal(sums.rows[i].turns, turns[i]);
	}
}

static void test_reports_are_of_those_who_were_asked_for(void **state)
{
	struct world world = make_world();
	struct store_turn_filter filter = {.account_id = world.account};
	struct sums sums = sum(&filter, STORE_USAGE_KEY);

	(void)state;
	assert_int_equal(sums.count, 2);
	assert_int_equal(sums.all.amount_microcents,
			 rows_get_account(store, world.account).spent_microcents);
	filter.project_id = world.keys[2].project_id;
	sums = sum(&filter, 0);
	assert_int_equal(sums.all.amount_microcents,
			 rows_find_key(store, "ka_three").spent_microcents);
	filter = (struct store_turn_filter){
		.account_id = world.account, .from_ms = MIDNIGHT, .to_ms = MIDNIGHT + DAY_MS};
	assert_int_equal(sum(&filter, 0).all.turns, 18);
	filter.from_ms = MIDNIGHT + 10 * DAY_MS;
	filter.to_ms = 0;
	assert_int_equal(sum(&filter, 0).count, 0);
}

static struct store_turn row_of(const char *id, enum store_kind kind, enum store_unit unit,
				uint64_t quantity)
{
	struct store_turn turn = rows_turn(id, 0);

	turn.kind = kind;
	turn.unit = unit;
	turn.quantity = quantity;
	turn.samples = turn.characters = 0;
	turn.sample_rate = kind == STORE_KIND_HEARING ? 16000 : 0;
	turn.voice_id = 0;
	turn.amount_microcents = 10;
	snprintf(turn.model_id, sizeof(turn.model_id), "%s",
		 "meta-llama/Meta-Llama-3.1-70B-Instruct-Turbo");
	return turn;
}

static void book_one_of_each_kind(void)
{
	struct store_turn speech = rows_turn("t1", 0);
	struct store_turn heard = row_of("t2", STORE_KIND_HEARING, STORE_UNIT_SAMPLES, 24000);
	struct store_turn in = row_of("t3", STORE_KIND_MODEL_INPUT, STORE_UNIT_TOKENS, 100);
	struct store_turn out = row_of("t4", STORE_KIND_MODEL_OUTPUT, STORE_UNIT_TOKENS, 7);
	struct store_turn letters = row_of("t5", STORE_KIND_SPEECH, STORE_UNIT_CHARACTERS, 40);

	out.is_estimated = true;
	speech.amount_microcents = 1000;
	assert_int_equal(rows_book(store, &speech), 0);
	assert_int_equal(rows_book(store, &heard), 0);
	assert_int_equal(rows_book(store, &in), 0);
	assert_int_equal(rows_book(store, &out), 0);
	assert_int_equal(rows_book(store, &letters), 0);
}

static void test_rows_of_every_kind_are_listed_as_they_were_booked(void **state)
{
	struct store_turn in = row_of("t3", STORE_KIND_MODEL_INPUT, STORE_UNIT_TOKENS, UINT32_MAX);
	struct store_turn found;

	(void)state;
	in.is_estimated = true;
	assert_int_equal(rows_book(store, &in), 0);
	found = last_turn();
	rows_assert_turn(&found, &in);
	assert_audited();
}

static void test_figures_of_speech_are_of_speech_alone(void **state)
{
	static const struct store_turn_filter everything;
	struct store_turn speech = rows_turn("t1", 0);
	struct sums sums;

	(void)state;
	book_one_of_each_kind();
	sums = sum(&everything, 0);
	assert_int_equal(sums.count, 1);
	assert_int_equal(sums.rows[0].turns, 1);
	assert_int_equal(sums.rows[0].audio_us, speech.samples * 1000000 / speech.sample_rate);
	assert_int_equal(sums.rows[0].characters, speech.characters);
	assert_int_equal(sums.rows[0].heard_us, 1500000);
	assert_int_equal(sums.rows[0].answers, 1);
	assert_int_equal(sums.rows[0].tokens_in, 100);
	assert_int_equal(sums.rows[0].tokens_out, 7);
	assert_int_equal(sums.rows[0].tokens_estimated, 7);
	assert_int_equal(sums.rows[0].amount_microcents, 1040);
}

static void test_reports_by_kind_are_in_the_order_of_kinds(void **state)
{
	static const struct store_turn_filter everything;
	static const int64_t amounts[] = {1010, 10, 10, 10};
	struct sums sums;

	(void)state;
	book_one_of_each_kind();
	sums = sum(&everything, STORE_USAGE_KIND);
	assert_int_equal(sums.count, STORE_KIND_COUNT);
	for (size_t i = 0; i < sums.count; ++i) {
		assert_int_equal(sums.rows[i].kind, i);
		assert_int_equal(sums.rows[i].amount_microcents, amounts[i]);
	}
	sums = sum(&everything, STORE_USAGE_KIND | STORE_USAGE_MODEL);
	assert_string_equal(sums.rows[sums.count - 1].model_id,
			    "meta-llama/Meta-Llama-3.1-70B-Instruct-Turbo");
}

static void test_a_turn_without_audio_is_summed_up(void **state)
{
	static const struct store_turn_filter everything;
	struct store_turn turn = rows_turn("t1", 0);

	(void)state;
	turn.samples = 0;
	turn.sample_rate = 0;
	turn.status = STORE_TURN_FAILED;
	turn.amount_microcents = 0;
	assert_int_equal(rows_book(store, &turn), 0);
	assert_int_equal(sum(&everything, 0).all.turns, 1);
	assert_int_equal(sum(&everything, 0).all.audio_us, 0);
}

#define CASE(test) cmocka_unit_test_setup(test, take_store)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_a_turn_is_listed_as_it_was_booked),
		CASE(test_a_batch_of_none_is_well),
		CASE(test_a_second_booking_changes_nothing),
		CASE(test_an_id_that_comes_twice_in_a_batch_is_booked_once),
		CASE(test_a_turn_that_cannot_be_is_left_out_alone),
		CASE(test_sums_are_kept_for_every_account_and_key),
		CASE(test_two_who_settle_one_turn_book_it_once),
		CASE(test_turns_are_listed_in_order_until_it_is_enough),
		CASE(test_pages_show_every_turn_once),
		CASE(test_pages_show_only_what_was_asked_for),
		CASE(test_reports_sum_up_to_the_ledger_however_they_are_cut),
		CASE(test_what_is_not_asked_for_is_not_told_apart),
		CASE(test_days_are_those_of_utc),
		CASE(test_reports_are_of_those_who_were_asked_for),
		CASE(test_a_turn_without_audio_is_summed_up),
		CASE(test_rows_of_every_kind_are_listed_as_they_were_booked),
		CASE(test_figures_of_speech_are_of_speech_alone),
		CASE(test_reports_by_kind_are_in_the_order_of_kinds),
	};

	return ROWS_RUN(tests);
}
