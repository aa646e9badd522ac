/* The IPA in eSpeak NG's phonemes: what the library itself writes down of a word
 * comes back as the same, and what it lacks as the nearest. */
#include <errno.h>
#include <espeak-ng/speak_lib.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/count.h"
#include "engine/espeak_ipa.h"
#include "engine/espeak_start.h"

#define MODE_IPA 0x02

/* HOME and TMPDIR while the library starts. */
static char home[] = "/tmp/syrinx-espeak-XXXXXX";

static int test_espeak_ipa_drop_samples(short *samples, int n, espeak_EVENT *events)
{
	(void)samples;
	(void)n;
	(void)events;
	return 0;
}

static int test_espeak_ipa_set_up(void **state)
{
	uint32_t rate;

	(void)state;
	if (!mkdtemp(home) || setenv("HOME", home, 1) != 0 || setenv("TMPDIR", home, 1) != 0)
		return -1;
	unsetenv("XDG_RUNTIME_DIR");
	unsetenv("PULSE_SERVER");
	if (espeak_start(&rate, 0) != 0)
		return -1;
	espeak_SetSynthCallback(test_espeak_ipa_drop_samples);
	return 0;
}

/* The pronunciation of a text, or of phonemes in brackets. */
static void test_espeak_ipa_pronounce(char *ipa, size_t size, const char *text)
{
	const void *at = text;

	ipa[0] = '\0';
	while (at) {
		const char *clause = espeak_TextToPhonemes(&at, espeakCHARS_UTF8, MODE_IPA);
		size_t len = strlen(ipa);

		snprintf(ipa + len, size - len, "%s", clause ? clause : "");
	}
}

static struct given_ipa test_espeak_ipa_signs_of(const char *signs)
{
	struct given_ipa ipa = {0};

	snprintf(ipa.signs, sizeof(ipa.signs), "%s", signs);
	return ipa;
}

/* What is heard of an IPA. */
static int test_espeak_ipa_speak(char *heard, size_t size, struct espeak_ipa *voice,
				 const char *signs)
{
	const struct given_ipa ipa = test_espeak_ipa_signs_of(signs);
	char text[1100];
	struct buf out;
	int err;

	buf_init(&out, 1000);
	err = espeak_ipa_write(&out, &ipa, voice);
	snprintf(text, sizeof(text), "[[%.*s]]", (int)out.len, out.bytes ? out.bytes : "");
	if (!err)
		test_espeak_ipa_pronounce(heard, size, text);
	buf_reset(&out);
	return err;
}

static void test_espeak_ipa_what_a_voice_says_it_can_be_told_to_say(void **state)
{
	static const struct {
		const char *voice;
		const char *words;
	} rows[] = {
		{"en-us", "house thought azure church judge butter world singing measure voyage "
			  "throughout beautiful water near cure bird fire our choir"},
		{"gmw/en", "house thought azure church judge butter world singing near cure bird"},
		{"de", "Straße Mädchen König über schön Zeitung Bücher Pferd Junge Wörter Freude"},
		{"fr", "bonjour maison deux peur brun vin bon temps fille nuit oui agneau chaise"},
		{"es", "niño calle zapato perro gente queso ciudad lluvia guerra agua hijo"},
		{"it", "gnocchi famiglia pizza ciao giorno acqua zero sciopero"},
		{"nl", "goed vrouw huis school dag water lekker"},
		{"pl", "szczęście źródło żaba cześć dzień człowiek"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); ++i) {
		struct espeak_ipa voice = {0};
		const char *at = rows[i].words;

		assert_int_equal(espeak_SetVoiceByName(rows[i].voice), EE_OK);
		while (*at) {
			size_t len = strcspn(at, " ");
			char word[64];
			char want[128];
			char heard[128];

			snprintf(word, sizeof(word), "%.*s", (int)len, at);
			at += len + strspn(at + len, " ");
			test_espeak_ipa_pronounce(want, sizeof(want), word);
			assert_int_equal(test_espeak_ipa_speak(heard, sizeof(heard), &voice, want),
					 0);
			assert_string_equal(heard, want);
		}
	}
}

/* Each by itself would be an end of the word for a voice without it. */
static void test_espeak_ipa_sounds_that_a_voice_lacks_are_the_nearest(void **state)
{
	static const struct {
		const char *voice;
		const char *given;
		const char *want;
	} rows[] = {
		{"es", "mˈɪkəl", "mˈikəl"},
		{"en-us", "møːlˈeː", "meːlˈeː"},
		{"fr", "hˈʊk", "hˈuk"},
	};
	char heard[128];

	(void)state;
	for (size_t i = 0; i < COUNT(rows); ++i) {
		struct espeak_ipa voice = {0};

		assert_int_equal(espeak_SetVoiceByName(rows[i].voice), EE_OK);
		assert_int_equal(test_espeak_ipa_speak(heard, sizeof(heard), &voice, rows[i].given),
				 0);
		assert_string_equal(heard, rows[i].want);
	}
}

static void test_espeak_ipa_what_can_hardly_be_said_is_left_to_the_text(void **state)
{
	struct espeak_ipa voice = {0};
	char heard[128];
	char longest[400] = "";

	(void)state;
	assert_int_equal(espeak_SetVoiceByName("en-us"), EE_OK);
	assert_int_equal(test_espeak_ipa_speak(heard, sizeof(heard), &voice, ""), ENOENT);
	assert_int_equal(test_espeak_ipa_speak(heard, sizeof(heard), &voice, "#?"), ENOENT);
	assert_int_equal(test_espeak_ipa_speak(heard, sizeof(heard), &voice, "a你好"), ENOENT);
	assert_int_equal(test_espeak_ipa_speak(heard, sizeof(heard), &voice, "banana#"), 0);
	for (size_t i = 0; i < 200; ++i)
		longest[i] = i % 2 ? 'a' : 'm';
	assert_int_equal(test_espeak_ipa_speak(heard, sizeof(heard), &voice, longest), ENOENT);
}

/* Nothing but rows of the table comes out: no change of language, no brackets. */
static void test_espeak_ipa_nothing_is_passed_through(void **state)
{
	const struct given_ipa ipa = test_espeak_ipa_signs_of("a]]b[[c_^_fr ma_n|d{e}");
	struct espeak_ipa voice = {0};
	struct buf out;

	(void)state;
	assert_int_equal(espeak_SetVoiceByName("en-us"), EE_OK);
	buf_init(&out, 1000);
	espeak_ipa_write(&out, &ipa, &voice);
	assert_null(memchr(out.bytes, ']', out.len));
	assert_null(memchr(out.bytes, '[', out.len));
	assert_null(memchr(out.bytes, '_', out.len));
	assert_null(memchr(out.bytes, '^', out.len));
	buf_reset(&out);
}

/* Only an empty directory can be removed this way. */
static void test_espeak_ipa_starting_the_library_creates_no_files(void **state)
{
	(void)state;
	assert_int_equal(rmdir(home), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_espeak_ipa_what_a_voice_says_it_can_be_told_to_say),
		cmocka_unit_test(test_espeak_ipa_sounds_that_a_voice_lacks_are_the_nearest),
		cmocka_unit_test(test_espeak_ipa_what_can_hardly_be_said_is_left_to_the_text),
		cmocka_unit_test(test_espeak_ipa_nothing_is_passed_through),
		cmocka_unit_test(test_espeak_ipa_starting_the_library_creates_no_files),
	};

	return cmocka_run_group_tests(tests, test_espeak_ipa_set_up, NULL);
}
