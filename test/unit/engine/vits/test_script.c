/* Text becomes ids that the model knows, with its stops, and each id knows the
 * word of the text that it is of. */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/count.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "engine/vits/model_file_private.h"
#include "engine/vits/script.h"
#include "mem_fail.h"

/* Ids are places in these lists. */
#define LETTERS "abcdefhijklmnopqrstuvwxyzæðøħŋœɐɑɒɔɕəɚɛɜɟɡɣɨɪɫɬɯɲɹɾʀʁʃʊʋʌʎʏʑʒʔʲˈˌːβθχᵻ"
#define MARKS "\u0303\u0327\u0329\u032a\u032f"
static const char piper[] = "_^$ !\"',-.:;?ç" LETTERS MARKS;
static const char piper_plain[] = "_^$ .,ç" LETTERS; /* few stops, no marks */
static const char kokoro[] = "$;:,.!?—…\"() AIOQTWYᵊʤʧʣʦ" LETTERS "\u0303";

static struct model_file *test_script_make_model(const char *symbols, const char *voice,
						 bool is_kokoro)
{
	struct model_file *file = NULL;
	size_t left = strlen(symbols);
	char why[256] = "";
	struct buf json;

	buf_init(&json, 1 << 16);
	buf_printf(&json, "{\"audio\":{\"sample_rate\":22050},\"espeak\":{\"voice\":\"%s\"},%s",
		   voice,
		   is_kokoro ? "\"syrinx\":{\"family\":\"kokoro\",\"speakers\":[{\"name\":\"a\","
			       "\"style_file\":\"a.bin\"}]},"
			     : "");
	buf_append_str(&json, "\"phoneme_id_map\":{");
	for (unsigned id = 0; left > 0; ++id) {
		uint32_t c;
		size_t len = utf8_decode(&c, symbols, left);

		buf_printf(&json, "%s\"\\u%04x\":[%u]", id ? "," : "", c, id);
		symbols += len;
		left -= len;
	}
	buf_append_str(&json, "}}");
	if (model_file_parse(&file, "test.onnx", MODEL_COMPANION_JSON, json.bytes, json.len, NULL,
			     why, sizeof(why)))
		fail_msg("%s", why);
	buf_reset(&json);
	return file;
}

static struct script *test_script_write_text(const struct model_file *file, const char *text)
{
	struct script *script = NULL;

	assert_int_equal(script_write(&script, file, &file->speakers[0], text, strlen(text)), 0);
	return script;
}

static uint32_t test_script_symbol_of(const struct model_file *file, int64_t id)
{
	for (size_t i = 0; i < file->symbol_count; ++i)
		if (file->symbols[i].id == id)
			return file->symbols[i].code_point;
	fail_msg("id %lld is none of the model's", (long long)id);
	return 0;
}

/* The symbols again, a bar between utterances, without frames and pads. */
static void test_script_read_back(char *out, const struct model_file *file,
				  const struct script *script)
{
	size_t step = file->family == MODEL_VITS ? 2 : 1;

	for (size_t u = 0; u < script->utterance_count; ++u) {
		const struct script_utterance *utterance = &script->utterances[u];

		if (u > 0)
			*out++ = '|';
		for (size_t i = step; i + 1 < utterance->count; i += step)
			out += utf8_encode(out, test_script_symbol_of(file, utterance->ids[i]));
	}
	*out = '\0';
}

struct row {
	const char *text;
	const char *spoken;
};

static void test_script_check_rows(struct model_file *file, const struct row *rows, size_t count)
{
	char spoken[1024];

	for (size_t i = 0; i < count; ++i) {
		struct script *script = test_script_write_text(file, rows[i].text);

		test_script_read_back(spoken, file, script);
		assert_string_equal(spoken, rows[i].spoken);
		mem_deref(script);
	}
	mem_deref(file);
}

static void test_script_stops_are_put_back(void **state)
{
	static const struct row rows[] = {
		{"", ""},
		{"  ", ""},
		{".", ""},
		{"Hello", "həlˈoʊ"},
		{"Hello, you.", "həlˈoʊ, juː."},
		{"Hello; you: go!", "həlˈoʊ; juː: ɡˈoʊ!"},
		{"Hello (you)?!", "həlˈoʊ juː?"},
		{"Hello… you", "həlˈoʊ, juː"},
		{"Hello...", "həlˈoʊ."},
		{"Hello—you", "həlˈoʊ; juː"},
		{"He said “Hello.”", "hiː sˈɛd həlˈoʊ."},
	};

	(void)state;
	test_script_check_rows(test_script_make_model(piper, "en-us", false), rows, COUNT(rows));
}

static void test_script_a_stop_that_the_model_lacks_is_its_nearest(void **state)
{
	static const struct row rows[] = {
		{"Hello; you: go!", "həlˈoʊ, juː, ɡˈoʊ."},
		{"Hello, you?", "həlˈoʊ, juː."},
		{"Hello—you", "həlˈoʊ, juː"},
	};

	(void)state;
	test_script_check_rows(test_script_make_model(piper_plain, "en-us", false), rows,
			       COUNT(rows));
}

static void test_script_greeks_ask_with_a_semicolon(void **state)
{
	static const struct row rows[] = {{"Ναι;", "nˈe?"}};

	(void)state;
	test_script_check_rows(test_script_make_model(piper, "el", false), rows, COUNT(rows));
}

static void test_script_sentences_are_utterances_unless_they_are_short(void **state)
{
	static const struct {
		const char *text;
		size_t count;
	} rows[] = {
		{"This is the first one. And this is the second one.", 2},
		{"Is this the first? And this is the second one, here. Yet another one!", 3},
		{"Hi! This is the second one.", 1},
		{"This is the first one. No.", 1},
		{"No. No. No.", 1},
		{"Our friend Dr. Smith saw the man in the U.S. Army and left.", 1},
		{"这是。", 1},
	};
	struct model_file *file = test_script_make_model(piper, "en-us", false);

	(void)state;
	for (size_t i = 0; i < COUNT(rows); ++i) {
		struct script *script = test_script_write_text(file, rows[i].text);

		assert_int_equal(script->utterance_count, rows[i].count);
		mem_deref(script);
	}
	mem_deref(file);
}

static void test_script_ids_are_framed_and_padded(void **state)
{
	struct model_file *file = test_script_make_model(piper, "en-us", false);
	struct script *script = test_script_write_text(file, "You, too.");
	const struct script_utterance *utterance = &script->utterances[0];

	(void)state;
	assert_int_equal(script->utterance_count, 1);
	assert_int_equal(utterance->count % 2, 1);
	assert_int_equal(utterance->ids[0], model_file_id(file, '^'));
	for (size_t i = 1; i < utterance->count; i += 2)
		assert_int_equal(utterance->ids[i], model_file_id(file, '_'));
	assert_int_equal(utterance->ids[utterance->count - 1], model_file_id(file, '$'));
	mem_deref(script);
	mem_deref(file);
}

/* "of:ʌv the:ðə", as ids tell it. */
static void test_script_tell_words(char *out, const struct model_file *file,
				   const struct script *script, const char *text)
{
	const struct script_utterance *utterance = &script->utterances[0];
	uint32_t last = SCRIPT_NO_WORD;

	for (size_t i = 2; i + 1 < utterance->count; i += 2) {
		uint32_t word = utterance->words[i];
		uint32_t c = test_script_symbol_of(file, utterance->ids[i]);

		assert_true(word < script->word_count);
		assert_int_equal(utterance->words[i + 1], word); /* its pad */
		if (word != last)
			out += sprintf(out, "%s%.*s:", last == SCRIPT_NO_WORD ? "" : " ",
				       (int)(script->words[word].byte_end -
					     script->words[word].byte_start),
				       text + script->words[word].byte_start);
		last = word;
		if (c != ' ')
			out += utf8_encode(out, c);
	}
	*out = '\0';
}

static void test_script_ids_know_their_words(void **state)
{
	static const struct row rows[] = {
		{"Hello, (you) two!", "Hello:həlˈoʊ, you:juː two:tˈuː!"},
		{"One of the men", "One:wˈʌn of:ʌv the:ðə men:mˈɛn"},
		{"the 42 men", "the:ðə 42:fˈoːɹɾitˈuː men:mˈɛn"},
		{"in the iPhone", "in:ɪn the:ðɪ iPhone:ˈaɪfˈoʊn"},
		{"Dr. Smith", "Dr:dˈɑːktɚ Smith:smˈɪθ"},
		{"50% of it", "50%:fˈɪftipɚsˈɛnt of:ʌv it:ɪt"},
	};
	struct model_file *file = test_script_make_model(piper, "en-us", false);
	char told[512];

	(void)state;
	for (size_t i = 0; i < COUNT(rows); ++i) {
		struct script *script = test_script_write_text(file, rows[i].text);

		test_script_tell_words(told, file, script, rows[i].text);
		assert_string_equal(told, rows[i].spoken);
		assert_int_equal(script->utterances[0].words[0], SCRIPT_NO_WORD);
		assert_int_equal(script->utterances[0].words[1], SCRIPT_NO_WORD);
		mem_deref(script);
	}
	mem_deref(file);
}

static void test_script_marks_of_other_languages_are_not_spoken(void **state)
{
	struct model_file *file = test_script_make_model(piper, "fr", false);
	struct script *script = test_script_write_text(file, "Le weekend est fini.");
	char spoken[256];

	(void)state;
	test_script_read_back(spoken, file, script);
	assert_int_equal(script->unknown, 0);
	assert_null(strchr(spoken, '('));
	assert_non_null(strstr(spoken, "wiːk"));
	assert_null(strstr(spoken, "en"));
	mem_deref(script);
	mem_deref(file);
}

static void test_script_signs_are_decomposed_as_in_training(void **state)
{
	static const struct row apart[] = {{"ich", "ɪc\xcc\xa7"}}; /* c and a cedilla */
	static const struct row whole[] = {{"ich", "ɪ\xc3\xa7"}};

	(void)state;
	test_script_check_rows(test_script_make_model(piper, "de", false), apart, COUNT(apart));
	test_script_check_rows(test_script_make_model(piper_plain, "de", false), whole,
			       COUNT(whole));
}

static void test_script_phonemes_outside_the_table_are_counted(void **state)
{
	struct model_file *file = test_script_make_model("_^$ həlo", "en-us", false);
	struct script *script = test_script_write_text(file, "Hello");
	char spoken[64];

	(void)state;
	test_script_read_back(spoken, file, script);
	assert_string_equal(spoken, "həlo");
	assert_int_equal(script->unknown, 2);
	mem_deref(script);
	script = test_script_write_text(file, "Zzz"); /* nothing of it is known */
	assert_true(script->unknown > 0);
	mem_deref(script);
	mem_deref(file);
}

struct given {
	const char *text;
	struct engine_phonemes span;
	const char *spoken;
	size_t words;
};

static void test_script_check_given(struct model_file *file, const struct given *rows, size_t count)
{
	char spoken[1024];

	for (size_t i = 0; i < count; ++i) {
		const struct engine_text text = {.text = rows[i].text,
						 .text_len = strlen(rows[i].text),
						 .phonemes = &rows[i].span,
						 .phonemes_count = 1};
		struct script *script = NULL;

		assert_int_equal(script_write_text(&script, file, &file->speakers[0], &text), 0);
		test_script_read_back(spoken, file, script);
		assert_string_equal(spoken, rows[i].spoken);
		assert_int_equal(script->word_count, rows[i].words);
		mem_deref(script);
	}
	mem_deref(file);
}

/* The words around them are spoken as ever. */
static void test_script_given_phonemes_are_spoken_as_they_are(void **state)
{
	static const struct given rows[] = {
		{"I met Xi today.", {6, 8, "ˈʃiː"}, "aɪ mˈɛt ʃˈiː tədˈeɪ.", 4},
		{"I met (Xi), my friend.", {7, 9, "ʃiː"}, "aɪ mˈɛt ʃˈiː, maɪ fɹˈɛnd.", 5},
		{"Xi", {0, 2, "ˈʃiː"}, "ʃˈiː", 1},
		{"Xi's car", {0, 2, "ˈʃiː"}, "ʃˈiːz kˈɑːɹ", 2},
		{"We saw Dr. No in it.", {7, 13, "ˈdɒktə ˈnəʊ"}, "wiː sˈɔː dˈɒktə nˈəʊ ɪn ɪt.", 5},
		{"A Xi-like one.", {2, 4, "ˈʃiː"}, "ɐ ʃˈiːlˈaɪk wˌʌn.", 4},
		{"Say Zürich now.",
		 {4, 11, "ˈtsʏɐ̯ɽɪç"},
		 "sˈeɪ tsˈʏɐ̯ɾɪc\u0327 nˈaʊ.",
		 3}, /* the nearest */
		{"Say Xi now.", {4, 6, "😀"}, "sˈeɪ zˈaɪ nˈaʊ.", 3}, /* read */
		{"Say Xi now.", {4, 6, "/"}, "sˈeɪ zˈaɪ nˈaʊ.", 3},
	};
	static const struct given plain_rows[] = {
		{"Say Xi now.", {4, 6, "ɓɸʎɴ"}, "sˈeɪ bfʎŋ nˈaʊ.", 3},
	};

	(void)state;
	test_script_check_given(test_script_make_model(piper, "en-us", false), rows, COUNT(rows));
	test_script_check_given(test_script_make_model(piper_plain, "en-us", false), plain_rows,
				COUNT(plain_rows));
}

static void test_script_given_phonemes_are_rewritten_for_kokoro(void **state)
{
	static const struct given rows[] = {
		{"I met Jo today.", {6, 8, "ˈdʒəʊ"}, "I mˈɛt ʤˈəʊ tədˈA.", 4},
		{"I met Jo today.", {6, 8, "ˈt͡ʃeɪɚ"}, "I mˈɛt ʧˈAəɹ tədˈA.", 4},
	};

	(void)state;
	test_script_check_given(test_script_make_model(kokoro, "en-us", true), rows, COUNT(rows));
}

/* Longer than a piece: spoken once, where it begins. */
static void test_script_given_phonemes_of_a_long_place_are_spoken_once(void **state)
{
	struct model_file *file = test_script_make_model(piper, "en-us", false);
	char place[901] = "";
	char long_text[1000];
	const struct engine_phonemes span = {4, 904, "ˈʃiː"};
	const struct engine_text text = {
		.text = long_text, .text_len = 909, .phonemes = &span, .phonemes_count = 1};
	struct script *script = NULL;
	char spoken[1024];

	(void)state;
	for (size_t i = 0; i < 900; ++i)
		place[i] = "aaaaaaaa. "[i % 10];
	snprintf(long_text, sizeof(long_text), "Say %.900s now.", place);
	assert_int_equal(script_write_text(&script, file, NULL, &text), 0);
	test_script_read_back(spoken, file, script);
	assert_string_equal(spoken, "sˈeɪ ʃˈiː nˈaʊ.");
	assert_int_equal(script->word_count, 3);
	mem_deref(script);
	mem_deref(file);
}

static void test_script_a_voice_that_espeak_lacks_is_refused(void **state)
{
	struct model_file *file = test_script_make_model(piper, "zz-zz", false);
	struct script *script = NULL;

	(void)state;
	assert_int_equal(script_check_voice("zz-zz"), ENOENT);
	assert_int_equal(script_check_voice(""), ENOENT);
	assert_int_equal(script_check_voice("en-gb"), 0); /* a language, but no file */
	assert_int_equal(script_write(&script, file, NULL, "Hello", 5), ENOENT);
	assert_null(script);
	assert_int_equal(script_check_voice("en-us"), 0);
	mem_deref(file);
}

static void test_script_a_speaker_may_have_a_voice_of_its_own(void **state)
{
	struct model_file *file = test_script_make_model(piper, "en-us", false);
	struct model_speaker speaker = {.espeak_voice = strdup("de")};
	struct script *script = NULL;
	char spoken[64];

	(void)state;
	assert_int_equal(script_write(&script, file, &speaker, "Haus", 4), 0);
	test_script_read_back(spoken, file, script);
	assert_string_equal(spoken, "hˈaʊs");
	mem_deref(script);
	free(speaker.espeak_voice);
	mem_deref(file);
}

/* What holds of any text. */
static void test_script_check(const struct model_file *file, const char *text, size_t ids_max)
{
	struct script *script = test_script_write_text(file, text);
	uint32_t last = 0;

	for (size_t u = 0; u < script->utterance_count; ++u) {
		const struct script_utterance *utterance = &script->utterances[u];

		assert_true(utterance->count > 2);
		assert_true(utterance->count <= ids_max);
		for (size_t i = 0; i < utterance->count; ++i) {
			uint32_t word = utterance->words[i];

			test_script_symbol_of(file, utterance->ids[i]);
			if (word == SCRIPT_NO_WORD)
				continue;
			assert_true(word < script->word_count);
			assert_true(word >= last);
			last = word;
		}
	}
	mem_deref(script);
}

static void test_script_any_text_can_be_written(void **state)
{
	static const char *const texts[] = {
		"\xff\xfe broken \xe2\x80 text \x01\x02",
		"<speak>no markup</speak> [[h@'loU]] &amp;",
		"Привет мир. 你好，世界。こんにちは 😀 👍🏽 مرحبا नमस्ते",
		"a.b.c... ?! ,,, ;;; --- ___ *** ((( )))",
		"1/2 3/4/2024 10:30 $12.50 €5 50% #1 @home C++ C# R&D +1-555-0100 1e10 0x1F",
		"foo@bar.org www.example.com/a?b=c#d",
		"ALL CAPITALS AND iPhone XVI McDonald's rock'n'roll",
		"Zürich naïve façade Ørsted Łódź",
	};
	struct model_file *file = test_script_make_model(piper, "en-us", false);

	(void)state;
	for (size_t i = 0; i < COUNT(texts); ++i)
		test_script_check(file, texts[i], SCRIPT_IDS_MAX);
	mem_deref(file);
}

static void test_script_fill(char *text, const char *unit, size_t size)
{
	size_t len = strlen(unit);
	size_t n = size / len * len;

	for (size_t i = 0; i < n; ++i)
		text[i] = unit[i % len];
	text[n] = '\0';
}

static void test_script_long_texts_are_divided(void **state)
{
	static const char *const units[] = {
		"word ", "a", "9", "of the people ", "a, ", "你", "! ", "hello. ",
	};
	struct model_file *vits = test_script_make_model(piper, "en-us", false);
	struct model_file *other = test_script_make_model(kokoro, "en-us", true);
	char text[10001];

	(void)state;
	for (size_t i = 0; i < COUNT(units); ++i) {
		test_script_fill(text, units[i], 10000);
		test_script_check(vits, text, SCRIPT_IDS_MAX);
		test_script_check(other, text, 500);
	}
	mem_deref(vits);
	mem_deref(other);
}

static void test_script_long_sentences_are_divided_at_words(void **state)
{
	struct model_file *file = test_script_make_model(piper, "en-us", false);
	struct script *script;
	char text[1001];
	size_t ids = 0;

	(void)state;
	test_script_fill(text, "hello ", 1000);
	script = test_script_write_text(file, text);
	assert_true(script->utterance_count > 1);
	assert_int_equal(script->word_count, 166);
	for (size_t u = 0; u < script->utterance_count; ++u) {
		const struct script_utterance *utterance = &script->utterances[u];

		assert_int_equal(utterance->ids[2], model_file_id(file, 'h'));
		for (size_t i = 2; i + 1 < utterance->count; i += 2)
			ids += utterance->ids[i] == model_file_id(file, 'h');
	}
	assert_int_equal(ids, 166); /* none is lost */
	mem_deref(script);
	mem_deref(file);
}

static void test_script_kokoro_has_its_own_alphabet(void **state)
{
	static const struct row american[] = {
		{"Hello, you.", "həlˈO, ju."},
		{"I say now", "I sˈA nˈW"},
		{"joy", "ʤˈY"},
		{"people", "pˈipᵊl"},
		{"church", "ʧˈɜɹʧ"},
		{"Wait… what?", "wˈAt… wˌʌt?"},
		{"storm", "stˈɔɹm"},
	};
	static const struct row british[] = {{"go home", "ɡˌQ hˈQm"}};
	static const struct row spanish[] = {{"mucho", "mˈuʧo"}};

	(void)state;
	test_script_check_rows(test_script_make_model(kokoro, "en-us", true), american,
			       COUNT(american));
	test_script_check_rows(test_script_make_model(kokoro, "en-gb", true), british,
			       COUNT(british));
	test_script_check_rows(test_script_make_model(kokoro, "es", true), spanish, COUNT(spanish));
}

static void test_script_kokoros_ids_have_no_pads(void **state)
{
	struct model_file *file = test_script_make_model(kokoro, "en-us", true);
	struct script *script = test_script_write_text(file, "You");
	const struct script_utterance *utterance = &script->utterances[0];

	(void)state;
	assert_int_equal(utterance->count, 4);
	assert_int_equal(utterance->ids[0], 0);
	assert_int_equal(utterance->ids[1], model_file_id(file, 'j'));
	assert_int_equal(utterance->ids[3], 0);
	assert_int_equal(utterance->words[0], SCRIPT_NO_WORD);
	assert_int_equal(utterance->words[1], 0);
	assert_int_equal(utterance->words[3], SCRIPT_NO_WORD);
	mem_deref(script);
	mem_deref(file);
}

/* Nothing of an utterance is heard before all of it was made. */
static void test_script_kokoros_utterances_are_clauses_unless_they_are_short(void **state)
{
	static const struct {
		const char *text;
		size_t count;
	} rows[] = {
		{"When the storm had passed over the valley, we came out of the houses.", 2},
		{"When the storm had passed, we came out of the houses, all of us together.", 3},
		{"Yes, we came out of the houses.", 1},
		{"When the storm had passed over the valley, too.", 1},
		{"This is the first. And this is the second one.", 2},
	};
	struct model_file *file = test_script_make_model(kokoro, "en-us", true);
	struct model_file *other = test_script_make_model(piper, "en-us", false);

	(void)state;
	for (size_t i = 0; i < COUNT(rows); ++i) {
		struct script *script = test_script_write_text(file, rows[i].text);

		assert_int_equal(script->utterance_count, rows[i].count);
		mem_deref(script);
	}
	for (size_t i = 0; i < 4; ++i) {
		struct script *script = test_script_write_text(other, rows[i].text);

		assert_int_equal(script->utterance_count, 1);
		mem_deref(script);
	}
	mem_deref(file);
	mem_deref(other);
}

/* Each thread has a language of its own and must never hear another's. */
struct caller {
	struct model_file *file;
	const char *text;
	char expected[128];
	int mistakes;
};

static void *test_script_call(void *arg)
{
	struct caller *caller = arg;
	char spoken[128];

	for (unsigned i = 0; i < 50; ++i) {
		struct script *script = NULL;

		if (script_write(&script, caller->file, NULL, caller->text, strlen(caller->text))) {
			++caller->mistakes;
			continue;
		}
		test_script_read_back(spoken, caller->file, script);
		caller->mistakes += strcmp(spoken, caller->expected) != 0;
		mem_deref(script);
	}
	return NULL;
}

static void test_script_threads_do_not_disturb_each_other(void **state)
{
	static const struct row rows[] = {
		{"en-us", "Hello of the world."}, {"de", "Guten Tag."}, {"fr", "Bonjour."}};
	struct caller callers[COUNT(rows)] = {0};
	pthread_t threads[COUNT(rows)];

	(void)state;
	for (size_t i = 0; i < COUNT(rows); ++i) {
		struct script *script;

		callers[i].file = test_script_make_model(piper, rows[i].text, false);
		callers[i].text = rows[i].spoken;
		script = test_script_write_text(callers[i].file, callers[i].text);
		test_script_read_back(callers[i].expected, callers[i].file, script);
		mem_deref(script);
	}
	for (size_t i = 0; i < COUNT(rows); ++i)
		assert_int_equal(pthread_create(&threads[i], NULL, test_script_call, &callers[i]),
				 0);
	for (size_t i = 0; i < COUNT(rows); ++i) {
		pthread_join(threads[i], NULL);
		assert_int_equal(callers[i].mistakes, 0);
		mem_deref(callers[i].file);
	}
}

static void test_script_no_memory_is_told(void **state)
{
	struct model_file *file = test_script_make_model(piper, "en-us", false);
	struct script *script = NULL;

	(void)state;
	mem_fail_after(1);
	assert_int_equal(script_write(&script, file, NULL, "Hello", 5), ENOMEM);
	mem_fail_after(0);
	assert_null(script);
	mem_deref(file);
	assert_int_equal(mem_live(), 0);
}

static int test_script_open_espeak(void **state)
{
	(void)state;
	if (script_open())
		return -1;
	return script_open(); /* once more does no harm */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_script_stops_are_put_back),
		cmocka_unit_test(test_script_a_stop_that_the_model_lacks_is_its_nearest),
		cmocka_unit_test(test_script_greeks_ask_with_a_semicolon),
		cmocka_unit_test(test_script_sentences_are_utterances_unless_they_are_short),
		cmocka_unit_test(test_script_ids_are_framed_and_padded),
		cmocka_unit_test(test_script_ids_know_their_words),
		cmocka_unit_test(test_script_marks_of_other_languages_are_not_spoken),
		cmocka_unit_test(test_script_signs_are_decomposed_as_in_training),
		cmocka_unit_test(test_script_phonemes_outside_the_table_are_counted),
		cmocka_unit_test(test_script_given_phonemes_are_spoken_as_they_are),
		cmocka_unit_test(test_script_given_phonemes_are_rewritten_for_kokoro),
		cmocka_unit_test(test_script_given_phonemes_of_a_long_place_are_spoken_once),
		cmocka_unit_test(test_script_a_voice_that_espeak_lacks_is_refused),
		cmocka_unit_test(test_script_a_speaker_may_have_a_voice_of_its_own),
		cmocka_unit_test(test_script_any_text_can_be_written),
		cmocka_unit_test(test_script_long_texts_are_divided),
		cmocka_unit_test(test_script_long_sentences_are_divided_at_words),
		cmocka_unit_test(test_script_kokoro_has_its_own_alphabet),
		cmocka_unit_test(test_script_kokoros_ids_have_no_pads),
		cmocka_unit_test(test_script_kokoros_utterances_are_clauses_unless_they_are_short),
		cmocka_unit_test(test_script_threads_do_not_disturb_each_other),
		cmocka_unit_test(test_script_no_memory_is_told),
	};

	return cmocka_run_group_tests(tests, test_script_open_espeak, NULL);
}
