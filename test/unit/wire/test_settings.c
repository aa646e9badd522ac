/* Settings stay until they are replaced, and conflicting formats are always refused. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/count.h"
#include "base/mem.h"
#include "mem_fail.h"
#include "wire/stream_message.h"

/* Returns the settings in a message. */
static struct settings sent(const char *text)
{
	char json[512];
	struct stream_message message;
	struct stream_fault fault;

	assert_true(strlen(text) < sizeof(json));
	memcpy(json, text, strlen(text));
	if (stream_message_parse(&message, &fault, json, strlen(text), 0) != 0)
		fail_msg("%s: %s", text, fault.detail);
	return message.settings;
}

static void assert_format(const struct settings *settings, enum audio_encoding encoding,
			  unsigned rate)
{
	struct audio_format format;

	assert_int_equal(settings_format(&format, settings), 0);
	assert_int_equal(format.encoding, encoding);
	assert_int_equal(format.sample_rate, rate);
}

static void test_only_what_was_sent_is_taken_over(void **state)
{
	struct settings kept = settings_default;
	struct settings next;

	(void)state;
	next = sent("{\"voice_id\":1071,\"speed\":1.1,\"language\":\"de\",\"normalize\":false,"
		    "\"chunk_length_schedule\":[1,2],\"dictionary_ids\":[]}");
	settings_merge(&kept, &next);
	next = sent(
		"{\"voice_id\":1072,\"model_id\":\"kugel-2\",\"auto_mode\":true,\"speed\":null}");
	settings_merge(&kept, &next);
	assert_int_equal(kept.voice_id, 1072);
	assert_string_equal(kept.model_id, "kugel-2");
	assert_string_equal(kept.language, "de");
	assert_false(kept.normalize);
	assert_true(kept.auto_mode);
	assert_true(kept.speed > 1.09 && kept.speed < 1.11);
	assert_int_equal(kept.schedule_len, 2);
	assert_int_equal(kept.schedule[1], 2);
	assert_int_equal(kept.max_buffer_length, 1000);
	assert_int_equal(kept.set, SETTING_VOICE_ID | SETTING_SPEED | SETTING_LANGUAGE |
					   SETTING_NORMALIZE | SETTING_SCHEDULE |
					   SETTING_DICTIONARY_IDS | SETTING_MODEL_ID |
					   SETTING_AUTO_MODE);
}

static void test_every_field_is_merged(void **state)
{
	struct settings kept = settings_default;
	struct settings next = sent(
		"{\"voice_id\":7,\"model_id\":\"kugel-1\",\"cfg_scale\":1.5,\"temperature\":0.5,"
		"\"max_new_tokens\":9,\"sample_rate\":8000,\"output_format\":\"ulaw_8000\","
		"\"normalize\":false,\"language\":\"fr\",\"speed\":0.9,\"word_timestamps\":true,"
		"\"flush_timeout_ms\":100,\"max_buffer_length\":50,\"chunk_length_schedule\":[3],"
		"\"auto_mode\":true,\"dictionary_ids\":[3,5],\"project_id\":1,\"seed\":4294967295}");

	(void)state;
	settings_merge(&kept, &next);
	assert_int_equal(next.set, (1 << 18) - 1);
	assert_int_equal(kept.seed, UINT32_MAX);
	assert_int_equal(kept.set, next.set);
	assert_int_equal(kept.voice_id, 7);
	assert_string_equal(kept.model_id, "kugel-1");
	assert_true(kept.cfg_scale < 1.51 && kept.cfg_scale > 1.49);
	assert_true(kept.temperature < 0.51 && kept.temperature > 0.49);
	assert_int_equal(kept.max_new_tokens, 9);
	assert_int_equal(kept.sample_rate, 8000);
	assert_int_equal(kept.format.encoding, AUDIO_MULAW);
	assert_false(kept.normalize);
	assert_string_equal(kept.language, "fr");
	assert_true(kept.speed < 0.91 && kept.speed > 0.89);
	assert_true(kept.word_timestamps);
	assert_int_equal(kept.flush_timeout_ms, 100);
	assert_int_equal(kept.max_buffer_length, 50);
	assert_int_equal(kept.schedule_len, 1);
	assert_int_equal(kept.schedule[0], 3);
	assert_true(kept.auto_mode);
	assert_int_equal(kept.project_id, 1);
	assert_int_equal(kept.dictionary_ids->count, 2);
	assert_int_equal(kept.dictionary_ids->ids[1], 5);
	settings_reset(&kept);
	settings_reset(&next);
}

static void test_copies_share_their_list_and_each_ends_alone(void **state)
{
	size_t before = mem_live();
	struct settings first = sent("{\"dictionary_ids\":[3,5]}");
	struct settings copy;

	(void)state;
	settings_copy(&copy, &first);
	assert_ptr_equal(copy.dictionary_ids, first.dictionary_ids);
	assert_int_equal(mem_live(), before + 1);
	settings_reset(&first);
	assert_int_equal(copy.dictionary_ids->ids[0], 3);
	settings_reset(&copy);
	assert_int_equal(mem_live(), before);
}

static void test_the_list_is_replaced_by_each_that_is_sent(void **state)
{
	static const char *const lists[] = {"{\"dictionary_ids\":[1,2]}", "{\"speed\":1}",
					    "{\"dictionary_ids\":[3]}", "{\"dictionary_ids\":[]}",
					    "{\"dictionary_ids\":[4]}"};
	static const size_t counts[] = {2, 2, 1, 0, 1};
	size_t before = mem_live();
	struct settings kept;

	(void)state;
	settings_copy(&kept, &settings_default);
	for (size_t i = 0; i < COUNT(lists); ++i) {
		struct settings next = sent(lists[i]);

		settings_merge(&kept, &next);
		settings_reset(&next);
		assert_int_equal(kept.dictionary_ids ? kept.dictionary_ids->count : 0, counts[i]);
	}
	settings_reset(&kept);
	assert_int_equal(mem_live(), before);
}

static void test_without_memory_a_list_is_refused(void **state)
{
	char json[] = "{\"dictionary_ids\":[1]}";
	struct stream_message message;
	struct stream_fault fault;

	(void)state;
	mem_fail_after(1);
	assert_int_equal(stream_message_parse(&message, &fault, json, strlen(json), 0), EINVAL);
	mem_fail_after(0);
	assert_int_equal(fault.id, WIRE_ERROR_INTERNAL);
}

static void test_defaults_are_the_documented_ones(void **state)
{
	const struct settings *d = &settings_default;

	(void)state;
	assert_int_equal(d->set, 0);
	assert_string_equal(d->model_id, "kugel-3");
	assert_int_equal(d->max_new_tokens, 2048);
	assert_int_equal(d->flush_timeout_ms, 500);
	assert_int_equal(d->max_buffer_length, 1000);
	assert_int_equal(d->schedule_len, 4);
	assert_int_equal(d->schedule[0], 5);
	assert_int_equal(d->schedule[3], 250);
	assert_true(d->normalize && !d->auto_mode && !d->word_timestamps);
	assert_string_equal(d->language, "");
	assert_format(d, AUDIO_PCM16, 24000);
}

static void test_a_token_and_a_rate_mean_one_format(void **state)
{
	struct settings s;

	(void)state;
	s = sent("{\"sample_rate\":44100}");
	assert_format(&s, AUDIO_PCM16, 44100);
	s = sent("{\"output_format\":\"alaw_8000\",\"sample_rate\":8000}");
	assert_format(&s, AUDIO_ALAW, 8000);
	s = sent("{\"output_format\":\"pcm_16000\"}");
	assert_format(&s, AUDIO_PCM16, 16000);
	/* SDKs always send 24000, so output_format takes precedence over it. */
	s = sent("{\"sample_rate\":24000,\"output_format\":\"ulaw_8000\"}");
	assert_format(&s, AUDIO_MULAW, 8000);
	s = sent("{\"sample_rate\":16000,\"output_format\":null}");
	assert_format(&s, AUDIO_PCM16, 16000);
	s.set |= SETTING_OUTPUT_FORMAT;
	s.format = (struct audio_format){AUDIO_MULAW, 8000, 0};
	assert_int_equal(settings_format(&(struct audio_format){0}, &s), EINVAL);
}

static void test_of_token_and_rate_the_last_written_wins(void **state)
{
	struct settings kept = settings_default;
	struct settings next;

	(void)state;
	next = sent("{\"sample_rate\":44100}");
	settings_merge(&kept, &next);
	next = sent("{\"output_format\":\"ulaw_8000\"}");
	settings_merge(&kept, &next);
	assert_format(&kept, AUDIO_MULAW, 8000);
	next = sent("{\"speed\":1.0}");
	settings_merge(&kept, &next);
	assert_format(&kept, AUDIO_MULAW, 8000);
	next = sent("{\"sample_rate\":16000}");
	settings_merge(&kept, &next);
	assert_format(&kept, AUDIO_PCM16, 16000);
	next = sent("{\"sample_rate\":24000,\"output_format\":\"alaw_8000\"}");
	settings_merge(&kept, &next);
	assert_format(&kept, AUDIO_ALAW, 8000);
	next = sent("{\"sample_rate\":24000}");
	settings_merge(&kept, &next);
	assert_format(&kept, AUDIO_PCM16, 24000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_only_what_was_sent_is_taken_over),
		cmocka_unit_test(test_every_field_is_merged),
		cmocka_unit_test(test_copies_share_their_list_and_each_ends_alone),
		cmocka_unit_test(test_the_list_is_replaced_by_each_that_is_sent),
		cmocka_unit_test(test_without_memory_a_list_is_refused),
		cmocka_unit_test(test_defaults_are_the_documented_ones),
		cmocka_unit_test(test_a_token_and_a_rate_mean_one_format),
		cmocka_unit_test(test_of_token_and_rate_the_last_written_wins),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
