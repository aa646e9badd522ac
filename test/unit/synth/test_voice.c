/* The catalogue: an id means the same voice on every machine, whichever engines
 * are there and in whatever order they answer. */
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
#include "synth/voice.h"

/* Those a client may name, from the protocol. */
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
		assert_in_range(strlen(row->engine), 1, VOICE_ENGINE_MAX - 1);
		assert_in_range(strlen(row->engine_voice), 1, VOICE_NAME_MAX - 1);
		assert_int_equal(!row->fallback_engine, !row->fallback_voice);
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
	assert_int_equal(voices_alloc(&voices), 0);
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

		assert_int_equal(voices_alloc(&voices), 0);
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
	assert_int_equal(voices_alloc(&voices), 0);
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
	assert_int_equal(voices_alloc(&voices), 0);
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
	assert_int_equal(voices_alloc(&voices), 0);
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
	assert_int_equal(voices_alloc(&voices), 0);
	assert_null(voices_find(voices, 1071));
	offer(voices, "flite", "slt");
	assert_null(voices_find(voices, 0));
	assert_null(voices_find(voices, -1));
	assert_null(voices_find(voices, 1070));
	assert_null(voices_find(voices, INT64_MAX));
	end(voices);
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
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
