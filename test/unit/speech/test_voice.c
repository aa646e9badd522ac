/* The catalogue: an id means the same voice on every machine, whichever engines
 * are there and in whatever order they answer. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/count.h"
#include "base/mem.h"
#include "mem_fail.h"
#include "speech/voice.h"

/* The languages that a client may name, from the protocol. */
static const char *const languages[] = {
	"de", "en", "fr", "es", "it", "pt", "nl", "pl", "sv", "da",  "no", "fi", "cs",
	"hu", "ro", "el", "uk", "bg", "tr", "vi", "ar", "hi", "zh",  "ja", "ko", "sk",
	"sl", "hr", "sr", "ru", "he", "fa", "ur", "bn", "ta", "yue", "th", "id", "ms",
};

static void offer(struct voices *voices, const char *engine, const char *engine_voice)
{
	struct voice voice = {.language = "en", .sex = VOICE_MALE, .quality = VOICE_HIGH};

	snprintf(voice.engine, sizeof(voice.engine), "%s", engine);
	snprintf(voice.engine_voice, sizeof(voice.engine_voice), "%s", engine_voice);
	snprintf(voice.name, sizeof(voice.name), "%s of %s", engine_voice, engine);
	assert_int_equal(voices_add(voices, &voice), 0);
}

static void assert_speaker(const struct voices *voices, int64_t id, const char *engine,
			   const char *engine_voice)
{
	const struct voice *voice = voices_find(voices, id);

	assert_non_null(voice);
	assert_int_equal(voice->id, id);
	assert_string_equal(voice->engine, engine);
	assert_string_equal(voice->engine_voice, engine_voice);
}

static void end(struct voices *voices)
{
	mem_deref(voices);
	assert_int_equal(mem_live(), 0);
}

static void test_every_row_has_an_id_of_its_own_in_order(void **state)
{
	(void)state;
	for (size_t i = 1; i < voice_table_len; ++i)
		assert_true(voice_table[i].id > voice_table[i - 1].id);
}

static void test_every_row_fits_its_voice(void **state)
{
	(void)state;
	for (size_t i = 0; i < voice_table_len; ++i) {
		const struct voice_row *row = &voice_table[i];

		assert_in_range(strlen(row->name), 1, VOICE_NAME_MAX - 1);
		assert_in_range(strlen(row->language), 2, 3);
		assert_non_null(row->speakers[0].engine);
		for (size_t n = 0; n < VOICE_SPEAKERS_MAX && row->speakers[n].engine; ++n) {
			assert_in_range(strlen(row->speakers[n].engine), 1, VOICE_ENGINE_MAX - 1);
			assert_in_range(strlen(row->speakers[n].engine_voice), 1,
					VOICE_NAME_MAX - 1);
		}
	}
}

static bool has_row(const char *language, enum voice_sex sex)
{
	for (size_t i = 0; i < voice_table_len; ++i) {
		if (strcmp(voice_table[i].language, language) == 0 && voice_table[i].sex == sex)
			return true;
	}
	return false;
}

static void test_every_language_has_a_woman_and_a_man(void **state)
{
	(void)state;
	assert_int_equal(COUNT(languages), 39);
	for (size_t i = 0; i < COUNT(languages); ++i) {
		assert_true(has_row(languages[i], VOICE_FEMALE));
		assert_true(has_row(languages[i], VOICE_MALE));
	}
}

static void test_without_flite_its_voices_are_spoken_by_another(void **state)
{
	struct voices *voices;

	(void)state;
	assert_int_equal(voices_alloc(&voices, true), 0);
	offer(voices, "espeak", "en-us");
	offer(voices, "espeak", "en-us+f2");
	assert_speaker(voices, 1071, "espeak", "en-us+f2");
	assert_speaker(voices, 1072, "espeak", "en-us");
	assert_speaker(voices, 2003, "espeak", "en-us");
	assert_null(voices_find(voices, 1073));
	assert_string_equal(voices_find(voices, 1071)->name, "Sally");
	end(voices);
}

static void test_with_flite_its_voices_are_its_own_in_either_order(void **state)
{
	(void)state;
	for (int flite_first = 0; flite_first < 2; ++flite_first) {
		struct voices *voices;

		assert_int_equal(voices_alloc(&voices, true), 0);
		if (flite_first)
			offer(voices, "flite", "slt");
		offer(voices, "espeak", "en-us+f2");
		if (!flite_first)
			offer(voices, "flite", "slt");
		assert_speaker(voices, 1071, "flite", "slt");
		assert_speaker(voices, 2004, "espeak", "en-us+f2");
		assert_int_equal(voices_find(voices, 1071)->sex, VOICE_FEMALE);
		end(voices);
	}
}

static void test_a_voice_stays_where_it_is_while_others_come(void **state)
{
	struct voices *voices;
	const struct voice *voice;
	char name[16];

	(void)state;
	assert_int_equal(voices_alloc(&voices, true), 0);
	offer(voices, "flite", "slt");
	voice = voices_find(voices, 1071);
	for (int i = 0; i < 100; ++i) {
		snprintf(name, sizeof(name), "voice-%d", i);
		offer(voices, "mine", name);
	}
	assert_ptr_equal(voices_find(voices, 1071), voice);
	assert_int_equal(voices_count(voices), 101);
	for (size_t i = 1; i < voices_count(voices); ++i)
		assert_true(voices_at(voices, i - 1)->id < voices_at(voices, i)->id);
	end(voices);
}

/* Ids that clients have written down: they must not move. */
static void test_a_foreign_voice_has_the_same_id_everywhere(void **state)
{
	struct voices *voices;

	(void)state;
	assert_int_equal(voices_alloc(&voices, true), 0);
	offer(voices, "mine", "anna");
	offer(voices, "mine", "bert");
	assert_speaker(voices, 1721905, "mine", "anna");
	assert_speaker(voices, 1534212, "mine", "bert");
	offer(voices, "mine", "anna");
	assert_int_equal(voices_count(voices), 2);
	end(voices);
}

/* Two names with one hash, found by trying. */
static void test_two_names_with_one_hash_are_two_voices(void **state)
{
	struct voices *voices;

	(void)state;
	assert_int_equal(voices_alloc(&voices, true), 0);
	offer(voices, "mine", "v6883");
	offer(voices, "mine", "v8702");
	offer(voices, "mine", "v8702");
	assert_int_equal(voices_count(voices), 2);
	assert_int_equal(voices_at(voices, 1)->id, voices_at(voices, 0)->id + 1);
	assert_string_equal(voices_at(voices, 1)->engine_voice, "v8702");
	end(voices);
}

static void test_an_unknown_id_is_no_voice(void **state)
{
	struct voices *voices;

	(void)state;
	assert_int_equal(voices_alloc(&voices, true), 0);
	assert_null(voices_find(voices, 1071));
	offer(voices, "flite", "slt");
	assert_null(voices_find(voices, 0));
	assert_null(voices_find(voices, -1));
	assert_null(voices_find(voices, 1070));
	assert_null(voices_find(voices, INT64_MAX));
	end(voices);
}

static struct voice made_voice(const char *engine, const char *engine_voice)
{
	struct voice voice = {.language = "en", .sample_rate = 22050, .licence = "MIT"};

	snprintf(voice.engine, sizeof(voice.engine), "%s", engine);
	snprintf(voice.engine_voice, sizeof(voice.engine_voice), "%s", engine_voice);
	return voice;
}

static struct voices *offer_three_sallys(bool fallback)
{
	struct voices *voices;

	assert_int_equal(voices_alloc(&voices, fallback), 0);
	offer(voices, "espeak", "en-us+f2");
	offer(voices, "vits", "libritts:sally");
	offer(voices, "vits", "libritts:clara");
	offer(voices, "flite", "slt");
	return voices;
}

static void test_the_best_speaker_speaks_in_any_order(void **state)
{
	struct voices *voices = offer_three_sallys(true);

	(void)state;
	assert_speaker(voices, 1071, "vits", "libritts:sally");
	assert_int_equal(voices_find(voices, 1071)->quality, VOICE_HIGH);
	assert_string_equal(voices_find(voices, 1071)->name, "Sally");
	assert_int_equal(voices_find(voices, 1081)->sex, VOICE_FEMALE);
	end(voices);
}

/* A turn that began with a speaker keeps it, with its sample rate. */
static void test_a_kept_voice_never_changes(void **state)
{
	struct voices *voices = offer_three_sallys(true);
	const struct voice *kept = voice_keep(voices_find(voices, 1071));
	struct voices_change change;

	(void)state;
	assert_int_equal(voices_replace(voices, "vits", NULL, 0, &change), 0);
	assert_int_equal(change.removed, 2);
	assert_speaker(voices, 1071, "flite", "slt");
	assert_null(voices_find(voices, 1081));
	assert_string_equal(kept->engine, "vits");
	assert_int_equal(kept->quality, VOICE_HIGH);
	assert_null(voice_drop(kept));
	end(voices);
}

static void test_a_new_list_leaves_what_it_does_not_change(void **state)
{
	struct voices *voices = offer_three_sallys(true);
	const struct voice *espeak = voices_find(voices, 2004);
	struct voice list[2] = {made_voice("vits", "libritts:sally"), made_voice("vits", "mine")};
	struct voices_change change;

	(void)state;
	assert_int_equal(voices_replace(voices, "vits", list, COUNT(list), &change), 0);
	assert_int_equal(change.added, 1);
	assert_int_equal(change.removed, 1);
	assert_ptr_equal(voices_find(voices, 2004), espeak);
	assert_int_equal(voices_find(voices, 1071)->sample_rate, 22050);
	assert_string_equal(voices_find(voices, 1071)->licence, "MIT");
	assert_int_equal(voices_count(voices), 3);
	assert_true(voices_at(voices, 2)->id >= 1000000);
	assert_int_equal(voices_replace(voices, "vits", list, COUNT(list), &change), 0);
	assert_int_equal(change.added + change.removed, 0);
	end(voices);
}

static void test_an_expected_speaker_keeps_its_place(void **state)
{
	const struct voice expected[] = {made_voice("vits", "libritts:sally"),
					 made_voice("vits", "libritts:clara"),
					 made_voice("vits", "mine")};
	struct voices_change change;
	struct voices *voices;
	int64_t mine;

	(void)state;
	assert_int_equal(voices_alloc(&voices, true), 0);
	offer(voices, "flite", "slt");
	assert_int_equal(voices_find(voices, 1071)->status, VOICE_STANDS_IN);
	assert_int_equal(voices_expect(voices, expected, COUNT(expected)), 0);
	assert_speaker(voices, 1071, "vits", "libritts:sally");
	assert_int_equal(voices_find(voices, 1071)->status, VOICE_LOADING);
	assert_int_equal(voices_find(voices, 1081)->status, VOICE_LOADING);
	assert_int_equal(voices_count(voices), 3);
	mine = voices_at(voices, 2)->id;
	assert_true(voices_has_speaker(voices, "vits", "mine"));

	/* The engine has two of the three. */
	assert_int_equal(voices_replace(voices, "vits", expected + 1, 2, &change), 0);
	assert_int_equal(change.added, 2);
	assert_int_equal(change.removed, 0);
	assert_int_equal(voices_find(voices, 1071)->status, VOICE_STANDS_IN);
	assert_speaker(voices, 1071, "flite", "slt");
	assert_int_equal(voices_find(voices, 1081)->status, VOICE_READY);
	assert_int_equal(voices_at(voices, 2)->id, mine);
	assert_false(voices_has_speaker(voices, "vits", "libritts:sally"));
	end(voices);
}

static void test_an_expected_speaker_that_fails_is_stood_in_for(void **state)
{
	const struct voice expected[] = {made_voice("vits", "libritts:sally"),
					 made_voice("vits", "libritts:clara")};
	const struct voice derived = {.id = VOICE_DERIVED_FIRST, .base_id = 1081, .name = "Own"};
	struct voices *voices;

	(void)state;
	assert_int_equal(voices_alloc(&voices, true), 0);
	offer(voices, "flite", "slt");
	assert_int_equal(voices_expect(voices, expected, COUNT(expected)), 0);
	assert_int_equal(voices_set_derived(voices, &derived, 1), 0);
	assert_int_equal(voices_find(voices, VOICE_DERIVED_FIRST)->status, VOICE_LOADING);
	assert_int_equal(voices_set_missing(voices, "vits", true), 0);
	assert_speaker(voices, 1071, "flite", "slt");
	assert_int_equal(voices_find(voices, 1071)->status, VOICE_STANDS_IN);
	assert_int_equal(voices_find(voices, 1081)->status, VOICE_UNAVAILABLE);
	assert_int_equal(voices_find(voices, VOICE_DERIVED_FIRST)->status, VOICE_UNAVAILABLE);
	assert_false(voices_has_speaker(voices, "vits", "libritts:clara"));
	end(voices);
}

static void test_an_engine_that_fails_is_stood_in_for(void **state)
{
	struct voices *voices = offer_three_sallys(true);
	const struct voice *sally;

	(void)state;
	assert_int_equal(voices_set_missing(voices, "vits", true), 0);
	assert_speaker(voices, 1071, "flite", "slt");
	sally = voices_find(voices, 1071);
	assert_speaker(voices, 1081, "vits", "libritts:clara"); /* there is no other speaker */
	assert_int_equal(voices_set_missing(voices, "flite", true), 0);
	assert_true(voices_find(voices, 1071) != sally);
	assert_speaker(voices, 1071, "espeak", "en-us+f2");
	assert_int_equal(voices_set_missing(voices, "vits", false), 0);
	assert_speaker(voices, 1071, "vits", "libritts:sally");
	end(voices);
}

static void test_without_fallback_a_voice_keeps_its_speaker(void **state)
{
	struct voices *voices = offer_three_sallys(false);
	struct voices_change change;

	(void)state;
	assert_int_equal(voices_set_missing(voices, "vits", true), 0);
	assert_speaker(voices, 1071, "vits", "libritts:sally");
	assert_int_equal(voices_replace(voices, "vits", NULL, 0, &change), 0);
	assert_speaker(voices, 1071, "vits", "libritts:sally");
	end(voices);
}

/* Even if the voice that has the same hash was removed. */
static void test_a_foreign_voice_keeps_its_id_when_others_go(void **state)
{
	struct voice list[2] = {made_voice("mine", "v6883"), made_voice("mine", "v8702")};
	struct voices *voices;
	struct voices_change change;
	int64_t id;

	(void)state;
	assert_int_equal(voices_alloc(&voices, true), 0);
	assert_int_equal(voices_replace(voices, "mine", list, 2, &change), 0);
	assert_int_equal(change.added, 2);
	id = voices_at(voices, 1)->id;
	assert_int_equal(voices_replace(voices, "mine", list + 1, 1, &change), 0);
	assert_int_equal(voices_count(voices), 1);
	assert_int_equal(voices_at(voices, 0)->id, id);
	end(voices);
}

static void test_no_memory_leaves_the_catalogue_as_it_was(void **state)
{
	struct voice list[1] = {made_voice("vits", "mine")};
	struct voices_change change;

	(void)state;
	for (size_t n = 1; n <= 2; ++n) {
		struct voices *voices = offer_three_sallys(true);

		mem_fail_after(n);
		assert_int_equal(voices_replace(voices, "vits", list, 1, &change), ENOMEM);
		mem_fail_after(0);
		assert_speaker(voices, 1071, "vits", "libritts:sally");
		assert_int_equal(voices_count(voices), 3);
		end(voices);
	}
}

/* One of project 5 that is `base` a bit higher. */
static struct voice derived_from(int64_t id, int64_t base_id, const char *name)
{
	struct voice voice = {.id = id,
			      .base_id = base_id,
			      .project_id = 5,
			      .pitch = 2,
			      .rate = 1.5f,
			      .variant = "f3"};

	snprintf(voice.name, sizeof(voice.name), "%s", name);
	return voice;
}

static void test_a_derived_voice_is_its_base_with_its_own_sound(void **state)
{
	struct voice list[1] = {derived_from(100000, 1071, "Mine")};
	struct voices *voices = offer_three_sallys(true);
	const struct voice *voice;

	(void)state;
	assert_int_equal(voices_set_derived(voices, list, 1), 0);
	assert_speaker(voices, 100000, "vits", "libritts:sally");
	voice = voices_find(voices, 100000);
	assert_string_equal(voice->name, "Mine");
	assert_string_equal(voice->language, "en");
	assert_string_equal(voice->variant, "f3");
	assert_int_equal(voice->sex, VOICE_FEMALE);
	assert_int_equal(voice->base_id, 1071);
	assert_true(voice_rate(voice) > 1.4);
	assert_true(voice_rate(voices_find(voices, 1071)) < 1.1);
	snprintf(list[0].language, sizeof(list[0].language), "de");
	assert_int_equal(voices_set_derived(voices, list, 1), 0);
	assert_string_equal(voices_find(voices, 100000)->language, "de");
	end(voices);
}

static void test_a_derived_voice_follows_its_base_and_outlives_it(void **state)
{
	struct voice list[1] = {derived_from(100000, 1071, "Mine")};
	struct voices *voices = offer_three_sallys(true);
	struct voices_change change;
	const struct voice *kept;

	(void)state;
	assert_int_equal(voices_set_derived(voices, list, 1), 0);
	kept = voice_keep(voices_find(voices, 100000));
	assert_int_equal(voices_set_missing(voices, "vits", true), 0);
	assert_speaker(voices, 100000, "flite", "slt");
	assert_int_equal(voices_replace(voices, "vits", NULL, 0, &change), 0);
	assert_int_equal(voices_replace(voices, "flite", NULL, 0, &change), 0);
	assert_int_equal(voices_replace(voices, "espeak", NULL, 0, &change), 0);
	assert_null(voices_find(voices, 1071));
	assert_speaker(voices, 100000, "", "");
	assert_string_equal(kept->engine, "vits");
	voice_drop(kept);
	assert_int_equal(voices_set_derived(voices, NULL, 0), 0);
	assert_null(voices_find(voices, 100000));
	end(voices);
}

static void test_a_derived_voice_is_its_projects_until_it_is_public(void **state)
{
	struct voice list[2] = {derived_from(100000, 1071, "Mine"),
				derived_from(100001, 1071, "Ours")};
	struct voices *voices = offer_three_sallys(true);

	(void)state;
	list[1].is_public = true;
	assert_int_equal(voices_set_derived(voices, list, 2), 0);
	assert_non_null(voices_find_for(voices, 5, 100000));
	assert_null(voices_find_for(voices, 6, 100000));
	assert_non_null(voices_find_for(voices, 6, 100001));
	assert_non_null(voices_find_for(voices, 6, 1071));
	assert_null(voices_find_named(voices, 6, "mine-100000", 11));
	assert_null(voices_find_called(voices, 6, "mine-100000", 11));
	assert_null(voices_find_called(voices, 6, "Mine", 4));
	end(voices);
}

static void test_a_voice_is_found_by_what_people_call_it(void **state)
{
	static const struct {
		const char *name;
		int64_t id; /* 0: none */
	} rows[] = {{"Sally", 1071},  {"SALLY", 1071},  {"sally", 1071},         {"1071", 1071},
		    {"MINE", 100000}, {"mine", 100000}, {"Mine-100001", 100001}, {"sall", 0},
		    {"", 0},          {"nobody", 0}};
	struct voice list[2] = {derived_from(100000, 1071, "Mine"),
				derived_from(100001, 1071, "Mine")};
	struct voices *voices = offer_three_sallys(true);

	(void)state;
	assert_int_equal(voices_set_derived(voices, list, 2), 0);
	for (size_t i = 0; i < COUNT(rows); ++i) {
		const struct voice *voice =
			voices_find_called(voices, 5, rows[i].name, strlen(rows[i].name));

		assert_int_equal(voice ? voice->id : 0, rows[i].id);
	}
	end(voices);
}

static void test_a_projects_own_voice_comes_before_others_of_its_name(void **state)
{
	struct voice list[3] = {derived_from(100000, 1071, "Mine"),
				derived_from(100001, 1071, "Mine"),
				derived_from(100002, 1071, "A B")};
	struct voices *voices = offer_three_sallys(true);
	struct voice other = made_voice("vits", "other");

	(void)state;
	snprintf(other.name, sizeof(other.name), "A B"); /* its handle is a-b */
	assert_int_equal(voices_add(voices, &other), 0);
	list[0].project_id = list[2].project_id = 6;
	list[0].is_public = list[2].is_public = true;
	assert_int_equal(voices_set_derived(voices, list, 3), 0);
	assert_int_equal(voices_find_called(voices, 5, "mine", 4)->id, 100001);
	assert_int_equal(voices_find_called(voices, 6, "mine", 4)->id, 100000);
	assert_int_equal(voices_find_called(voices, 7, "mine", 4)->id, 100000);
	assert_string_equal(voices_find_called(voices, 5, "A B", 3)->handle, "a-b");
	assert_int_equal(voices_find_called(voices, 6, "A B", 3)->id, 100002);
	end(voices);
}

static void test_an_id_outside_its_range_is_left_out(void **state)
{
	struct voice list[3] = {derived_from(1071, 1072, "Thief"),
				derived_from(VOICE_DERIVED_LAST + 1, 1071, "Late"),
				derived_from(VOICE_DERIVED_LAST, 1071, "Last")};
	struct voices *voices = offer_three_sallys(true);
	size_t before = voices_count(voices);

	(void)state;
	assert_int_equal(voices_set_derived(voices, list, 3), 0);
	assert_int_equal(voices_count(voices), before + 1);
	assert_string_equal(voices_find(voices, 1071)->name, "Sally");
	end(voices);
}

static void test_a_handle_names_one_voice(void **state)
{
	struct voice list[3] = {derived_from(100000, 1071, "Sally"),
				derived_from(100001, 1071, "  Ä 7!"),
				derived_from(100002, 1071, "日本")};
	struct voices *voices = offer_three_sallys(true);
	static const struct {
		const char *name;
		int64_t id;
	} rows[] = {
		{"sally", 1071},
		{"1071", 1071},
		{"sally-100000", 100000},
		{"7-100001", 100001},
		{"100001", 100001},
		{"voice-100002", 100002},
		{"Sally", 0},
		{"", 0},
		{"sally-", 0},
		{"99999999999999999999", 0},
		{"-1071", 0},
	};

	(void)state;
	assert_int_equal(voices_set_derived(voices, list, 3), 0);
	for (size_t i = 0; i < COUNT(rows); ++i) {
		const struct voice *voice =
			voices_find_named(voices, 5, rows[i].name, strlen(rows[i].name));

		assert_int_equal(voice ? voice->id : 0, rows[i].id);
	}
	end(voices);
}

static void test_no_memory_leaves_what_was_derived(void **state)
{
	struct voice list[2] = {derived_from(100000, 1071, "Mine"),
				derived_from(100001, 1071, "Ours")};

	(void)state;
	for (size_t n = 1; n <= 1; ++n) {
		struct voices *voices = offer_three_sallys(true);

		assert_int_equal(voices_set_derived(voices, list, 1), 0);
		mem_fail_after(n);
		assert_int_equal(voices_set_derived(voices, list, 2), ENOMEM);
		mem_fail_after(0);
		assert_non_null(voices_find(voices, 100000));
		assert_null(voices_find(voices, 100001));
		end(voices);
	}
}

static void test_variants_are_known_by_name(void **state)
{
	(void)state;
	assert_true(voice_has_variant("f1"));
	assert_true(voice_has_variant("m8"));
	assert_false(voice_has_variant(""));
	assert_false(voice_has_variant("f9"));
	for (size_t i = 0; i < voice_variants_len; ++i)
		assert_true(strlen(voice_variants[i]) < VOICE_VARIANT_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_row_has_an_id_of_its_own_in_order),
		cmocka_unit_test(test_every_row_fits_its_voice),
		cmocka_unit_test(test_every_language_has_a_woman_and_a_man),
		cmocka_unit_test(test_without_flite_its_voices_are_spoken_by_another),
		cmocka_unit_test(test_with_flite_its_voices_are_its_own_in_either_order),
		cmocka_unit_test(test_a_voice_stays_where_it_is_while_others_come),
		cmocka_unit_test(test_a_foreign_voice_has_the_same_id_everywhere),
		cmocka_unit_test(test_two_names_with_one_hash_are_two_voices),
		cmocka_unit_test(test_an_unknown_id_is_no_voice),
		cmocka_unit_test(test_the_best_speaker_speaks_in_any_order),
		cmocka_unit_test(test_a_kept_voice_never_changes),
		cmocka_unit_test(test_a_new_list_leaves_what_it_does_not_change),
		cmocka_unit_test(test_an_expected_speaker_keeps_its_place),
		cmocka_unit_test(test_an_expected_speaker_that_fails_is_stood_in_for),
		cmocka_unit_test(test_an_engine_that_fails_is_stood_in_for),
		cmocka_unit_test(test_without_fallback_a_voice_keeps_its_speaker),
		cmocka_unit_test(test_a_foreign_voice_keeps_its_id_when_others_go),
		cmocka_unit_test(test_no_memory_leaves_the_catalogue_as_it_was),
		cmocka_unit_test(test_a_derived_voice_is_its_base_with_its_own_sound),
		cmocka_unit_test(test_a_derived_voice_follows_its_base_and_outlives_it),
		cmocka_unit_test(test_a_derived_voice_is_its_projects_until_it_is_public),
		cmocka_unit_test(test_a_voice_is_found_by_what_people_call_it),
		cmocka_unit_test(test_a_projects_own_voice_comes_before_others_of_its_name),
		cmocka_unit_test(test_an_id_outside_its_range_is_left_out),
		cmocka_unit_test(test_a_handle_names_one_voice),
		cmocka_unit_test(test_no_memory_leaves_what_was_derived),
		cmocka_unit_test(test_variants_are_known_by_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
