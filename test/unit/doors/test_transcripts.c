/* Transcripts of recordings in the shapes of OpenAI, KugelAudio and ElevenLabs, and the forms of their
 * requests. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/count.h"
#include "doors/elevenlabs/scribe.h"
#include "doors/openai/transcripts.h"

static struct heard_transcript transcript;
static struct upload_form form;
static struct transcript_wish wish;
static struct stream_fault fault;
static struct buf out;
static char text[65536];

static int set_up(void **state)
{
	(void)state;
	heard_transcript_init(&transcript);
	buf_init(&out, sizeof(text) - 1);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	heard_transcript_reset(&transcript);
	buf_reset(&out);
	return 0;
}

/* Adds a segment that begins at this second and whose words last half a second each, with a pause of a
 * tenth between them. */
static void say(double at_s, const char *words, bool has_times)
{
	struct hearing_word list[64];
	struct heard_segment segment = {.from_sample = (uint64_t)(at_s * HEARING_RATE),
					.text = words,
					.text_len = strlen(words),
					.words = list,
					.language = "en",
					.language_probability = 0.75f};
	uint64_t sample = segment.from_sample + HEARING_RATE / 5;

	for (const char *p = words; *p;) {
		size_t len = strcspn(p, " ");

		assert_true(segment.word_count < COUNT(list));
		list[segment.word_count++] = (struct hearing_word){
			.byte_start = (uint32_t)(p - words),
			.byte_end = (uint32_t)(p - words + (ptrdiff_t)len),
			.sample_start = sample,
			.sample_end = sample + HEARING_RATE / 2,
			.probability = 0.5f,
		};
		sample += HEARING_RATE * 6 / 10;
		p += len + strspn(p + len, " ");
	}
	segment.to_sample = sample + HEARING_RATE / 5;
	if (!has_times)
		segment.word_count = 0;
	assert_int_equal(heard_transcript_add(&transcript, &segment), 0);
}

static const char *written(const struct transcript_form *as, unsigned parts)
{
	const struct transcript_facts facts = {
		.transcript = &transcript,
		.id = "row1",
		.model = "tiny",
		.duration_s = 7.25,
		.processing_ms = 120.46,
		.parts = parts,
	};

	out.len = 0;
	assert_int_equal(as->write(&out, &facts), 0);
	memcpy(text, out.bytes, out.len);
	text[out.len] = '\0';
	return text;
}

static void test_json_has_the_members_of_both_vendors(void **state)
{
	(void)state;
	say(1, "Good morning.", true);
	assert_string_equal(
		written(&transcript_json, 0),
		"{\"text\":\"Good morning.\",\"language\":\"en\",\"transcript\":\"Good morning.\","
		"\"duration_s\":7.25,\"word_timestamps\":[{\"word\":\"Good\",\"start_s\":1.2,"
		"\"end_s\":1.7,\"confidence\":0.5},{\"word\":\"morning.\",\"start_s\":1.8,"
		"\"end_s\":2.3,\"confidence\":0.5}],\"model\":\"tiny\",\"processing_ms\":120.5,"
		"\"usage\":{\"type\":\"duration\",\"seconds\":7.25}}");
}

static void test_silence_is_an_empty_text(void **state)
{
	(void)state;
	assert_string_equal(written(&transcript_json, 0),
			    "{\"text\":\"\",\"language\":null,\"transcript\":\"\","
			    "\"duration_s\":7.25,\"word_timestamps\":[],\"model\":\"tiny\","
			    "\"processing_ms\":120.5,\"usage\":{\"type\":\"duration\","
			    "\"seconds\":7.25}}");
	assert_string_equal(written(&transcript_json_text, 0), "\n");
	assert_string_equal(written(&subtitles_srt, 0), "");
	assert_string_equal(written(&subtitles_vtt, 0), "WEBVTT\n\n");
}

static void test_verbose_json_has_the_parts_that_were_asked_for(void **state)
{
	(void)state;
	say(0, "So it is.", true);
	say(4, "Yes.", true);
	assert_non_null(strstr(written(&transcript_json_verbose, TRANSCRIPTS_SEGMENTS),
			       "{\"task\":\"transcribe\",\"language\":\"english\","
			       "\"duration\":7.25,\"text\":\"So it is. Yes.\",\"segments\":["
			       "{\"id\":0,\"seek\":20,\"start\":0.2,\"end\":1.9,\"text\":"
			       "\"So it is.\",\"tokens\":[],\"temperature\":0,\"avg_logprob\":"
			       "-0.6931,\"compression_ratio\":1,\"no_speech_prob\":0},"
			       "{\"id\":1,\"seek\":420,\"start\":4.2,\"end\":4.7,"));
	assert_null(strstr(text, "\"words\""));
	assert_non_null(strstr(written(&transcript_json_verbose, TRANSCRIPTS_WORDS),
			       "\"words\":[{\"word\":\"So\",\"start\":0.2,\"end\":0.7},"));
	assert_null(strstr(text, "\"segments\""));
	assert_non_null(strstr(text, "\"word_timestamps\":["));
}

static void test_segments_without_words_have_their_own_times(void **state)
{
	(void)state;
	say(2, "One two.", false);
	assert_non_null(strstr(written(&transcript_json_verbose, TRANSCRIPTS_SEGMENTS),
			       "\"start\":2,\"end\":3.6,\"text\":\"One two.\",\"tokens\":[],"
			       "\"temperature\":0,\"avg_logprob\":0,"));
	assert_string_equal(written(&subtitles_srt, 0),
			    "1\n00:00:02,000 --> 00:00:03,600\nOne two.\n\n");
}

static void test_subtitles_are_cut_at_sentences_and_before_they_are_too_long(void **state)
{
	(void)state;
	say(3599, "This is one sentence. And here is another that goes on and on", true);
	say(3620, "End.", true);
	assert_string_equal(written(&subtitles_vtt, 0),
			    "WEBVTT\n\n"
			    "00:59:59.200 --> 01:00:01.500\nThis is one sentence.\n\n"
			    "01:00:01.600 --> 01:00:06.900\nAnd here is another that goes on and on"
			    "\n\n"
			    "01:00:20.200 --> 01:00:20.700\nEnd.\n\n");
	assert_non_null(
		strstr(written(&subtitles_srt, 0), "3\n01:00:20,200 --> 01:00:20,700\nEnd.\n\n"));
}

static void test_a_subtitle_lasts_seven_seconds_at_most(void **state)
{
	(void)state;
	say(0, "a b c d e f g h i j k l m n o p q r s t", true);
	assert_string_equal(written(&subtitles_vtt, 0),
			    "WEBVTT\n\n"
			    "00:00:00.200 --> 00:00:06.700\na b c d e f g h i j k\n\n"
			    "00:00:06.800 --> 00:00:12.100\nl m n o p q r s t\n\n");
}

static void test_markup_in_a_text_is_escaped_where_there_is_markup(void **state)
{
	(void)state;
	say(0, "R&D <b> --> x", true);
	assert_non_null(strstr(written(&subtitles_vtt, 0), "\nR&amp;D &lt;b&gt; --&gt; x\n\n"));
	assert_non_null(strstr(written(&subtitles_srt, 0), "\nR&D <b> --> x\n\n"));
}

static void test_events_are_the_text_piece_by_piece(void **state)
{
	const struct heard_segment first = {.text = "One.", .text_len = 4, .language = "en"};
	const struct heard_segment second = {.text = "二。", .text_len = 6, .language = "zh"};
	const struct heard_segment third = {.text = "Three.", .text_len = 6, .language = "en"};
	const struct wire_notice notice = {.id = WIRE_ERROR_HEARING_FAILED};

	(void)state;
	assert_int_equal(transcript_events.segment(&out, &first, true), 0);
	assert_int_equal(transcript_events.segment(&out, &second, false), 0);
	assert_int_equal(transcript_events.segment(&out, &third, false), 0);
	assert_int_equal(transcript_events.error(&out, &notice), 0);
	out.bytes[out.len] = '\0';
	assert_string_equal(out.bytes,
			    "data: {\"type\":\"transcript.text.delta\",\"delta\":\"One.\"}\n\n"
			    "data: {\"type\":\"transcript.text.delta\",\"delta\":\"二。\"}\n\n"
			    "data: {\"type\":\"transcript.text.delta\",\"delta\":\" Three.\"}\n\n"
			    "event: error\ndata: {\"error\":{\"message\":\"Transcription failed\","
			    "\"type\":\"server_error\",\"param\":null,\"code\":null}}\n\n");
	say(0, "One. Two.", true);
	assert_string_equal(written(&transcript_events, 0),
			    "data: {\"type\":\"transcript.text.done\",\"text\":\"One. Two.\","
			    "\"usage\":{\"type\":\"tokens\",\"input_tokens\":73,"
			    "\"output_tokens\":3,\"total_tokens\":76}}\n\n");
}

/* Forms */

/* Reads a form with these fields: names and values in turn, NULL at the end. */
static int read_form(transcript_read_h *read, const char *const *fields)
{
	static char body[8192];
	const char *bytes = body;
	const char *file;
	size_t len = 0;
	size_t file_len;
	int err;

	body[0] = '\0';
	for (; fields[0]; fields += 2)
		len += (size_t)snprintf(
			body + len, sizeof(body) - len,
			"--b\r\nContent-Disposition: form-data; name=\"%s\"\r\n\r\n%s\r\n",
			fields[0], fields[1]);
	len += (size_t)snprintf(body + len, sizeof(body) - len, "--b--\r\n");
	assert_int_equal(upload_form_open(&form, "multipart/form-data; boundary=b", "file"), 0);
	while ((err = upload_form_read(&form, &bytes, &len, SIZE_MAX, &file, &file_len)) == 0)
		;
	assert_int_equal(err, ENOENT);
	fault = (struct stream_fault){.id = WIRE_ERROR_NONE};
	err = read(&wish, &fault, &form);
	assert_int_equal(err != 0, fault.id != WIRE_ERROR_NONE);
	upload_form_reset(&form);
	return err;
}

#define READ(read, ...) read_form(read, (const char *const[]){__VA_ARGS__, NULL})

static void test_openai_s_fields_say_what_is_wanted(void **state)
{
	(void)state;
	assert_int_equal(READ(transcript_body_read, "model", "whisper-1"), 0);
	assert_string_equal(wish.model, "");
	assert_string_equal(wish.language, "");
	assert_ptr_equal(wish.form, &transcript_json);
	assert_false(wish.want_times);
	assert_int_equal(wish.parts, TRANSCRIPTS_SEGMENTS);
	assert_int_equal(READ(transcript_body_read, "language", "de", "model", "whisper-base",
			      "prompt", "Syrinx, Pan", "response_format", "verbose_json",
			      "timestamp_granularities[]", "word", "timestamp_granularities[]",
			      "segment", "temperature", "0"),
			 0);
	assert_string_equal(wish.model, "whisper-base");
	assert_string_equal(wish.language, "de");
	assert_string_equal(wish.prompt, "Syrinx, Pan");
	assert_ptr_equal(wish.form, &transcript_json_verbose);
	assert_true(wish.want_times);
	assert_int_equal(wish.parts, TRANSCRIPTS_WORDS | TRANSCRIPTS_SEGMENTS);
}

static void test_the_vendors_models_are_chosen_by_the_server(void **state)
{
	static const char *const theirs[] = {"whisper-1", "gpt-4o-transcribe",
					     "gpt-4o-mini-transcribe", "luchs-1", ""};
	static const char *const ours[] = {"whisper-10", "moonshine-tiny", "luchs"};

	(void)state;
	for (size_t i = 0; i < COUNT(theirs); ++i) {
		assert_int_equal(READ(transcript_body_read, "model", theirs[i]), 0);
		assert_string_equal(wish.model, "");
	}
	for (size_t i = 0; i < COUNT(ours); ++i) {
		assert_int_equal(READ(transcript_body_read, "model", ours[i]), 0);
		assert_string_equal(wish.model, ours[i]);
	}
}

static void test_every_response_format_has_its_form(void **state)
{
	static const struct {
		const char *name;
		const struct transcript_form *form;
		bool want_times;
	} forms[] = {
		{"json", &transcript_json, false},
		{"text", &transcript_json_text, false},
		{"srt", &subtitles_srt, true},
		{"vtt", &subtitles_vtt, true},
		{"verbose_json", &transcript_json_verbose, false},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(forms); ++i) {
		assert_int_equal(READ(transcript_body_read, "response_format", forms[i].name), 0);
		assert_ptr_equal(wish.form, forms[i].form);
		assert_int_equal(wish.want_times, forms[i].want_times);
	}
	assert_int_equal(READ(transcript_body_read, "stream", "true"), 0);
	assert_ptr_equal(wish.form, &transcript_events);
	assert_int_equal(READ(transcript_body_read, "stream", "false"), 0);
	assert_ptr_equal(wish.form, &transcript_json);
	assert_int_equal(READ(transcript_body_read_timed, "language", "en"), 0);
	assert_true(wish.want_times);
}

static void test_fields_that_make_no_sense_are_named(void **state)
{
	static const char *const cases[][3] = {
		{"response_format", "mp3", "response_format"},
		{"response_format", "diarized_json", "response_format"},
		{"timestamp_granularities[]", "letter", "timestamp_granularities"},
		{"timestamp_granularities", "letter", "timestamp_granularities"},
		{"stream", "perhaps", "stream"},
		{"language", "a-language-without-end", "language"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); ++i) {
		assert_int_equal(READ(transcript_body_read, cases[i][0], cases[i][1]), EINVAL);
		assert_int_equal(fault.id, WIRE_ERROR_INVALID_REQUEST);
		assert_string_equal(fault.field, cases[i][2]);
		assert_non_null(strstr(fault.detail, cases[i][2]));
	}
}

/* ElevenLabs */

static void test_elevenlabs_answer_has_words_and_spaces(void **state)
{
	(void)state;
	assert_int_equal(READ(scribe_body_read, "model_id", "scribe_v2", "language_code", "eng"),
			 0);
	assert_string_equal(wish.model, "");
	assert_string_equal(wish.language, "en");
	assert_true(wish.want_times);
	assert_string_equal(wish.format, "");
	say(0, "So it", true);
	say(2, "is.", true);
	assert_string_equal(
		written(wish.form, wish.parts),
		"{\"language_code\":\"eng\",\"language_probability\":0.75,\"text\":\"So it is.\","
		"\"words\":[{\"text\":\"So\",\"start\":0.2,\"end\":0.7,\"type\":\"word\","
		"\"logprob\":-0.6931},{\"text\":\" \",\"start\":0.7,\"end\":0.8,\"type\":"
		"\"spacing\",\"logprob\":0},{\"text\":\"it\",\"start\":0.8,\"end\":1.3,\"type\":"
		"\"word\",\"logprob\":-0.6931},{\"text\":\" \",\"start\":1.3,\"end\":2.2,\"type\":"
		"\"spacing\",\"logprob\":0},{\"text\":\"is.\",\"start\":2.2,\"end\":2.7,\"type\":"
		"\"word\",\"logprob\":-0.6931}],\"transcription_id\":\"row1\","
		"\"audio_duration_secs\":7.25}");
	assert_int_equal(READ(scribe_body_read, "timestamps_granularity", "none"), 0);
	assert_false(wish.want_times);
	assert_non_null(strstr(written(wish.form, wish.parts), "\"words\":[]"));
}

static void test_elevenlabs_fields_say_what_is_wanted(void **state)
{
	(void)state;
	assert_int_equal(READ(scribe_body_read, "model_id", "tiny", "file_format", "pcm_s16le_16",
			      "keyterms", "Pan", "keyterms", "Syrinx", "diarize", "true", "webhook",
			      "false"),
			 0);
	assert_string_equal(wish.model, "tiny");
	assert_string_equal(wish.format, "pcm_16000");
	assert_string_equal(wish.prompt, "Pan, Syrinx");
	assert_int_equal(READ(scribe_body_read, "webhook", "true"), EINVAL);
	assert_int_equal(READ(scribe_body_read, "use_multi_channel", "true"), EINVAL);
	assert_int_equal(READ(scribe_body_read, "source_url", "https://a/"), EINVAL);
	assert_int_equal(READ(scribe_body_read, "file_format", "mp3"), EINVAL);
	assert_int_equal(READ(scribe_body_read, "timestamps_granularity", "second"), EINVAL);
	assert_int_equal(READ(scribe_body_read, "language_code", "a-language-without-end"), EINVAL);
}

static void test_a_transcript_has_bounds(void **state)
{
	struct heard_segment segment = {.text_len = 60000, .language = "en"};
	char *words = malloc(segment.text_len);
	int err = 0;

	(void)state;
	assert_non_null(words);
	memset(words, 'a', segment.text_len);
	segment.text = words;
	for (int i = 0; !err && i < 100; ++i)
		err = heard_transcript_add(&transcript, &segment);
	assert_int_equal(err, ENOBUFS);
	free(words);
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_json_has_the_members_of_both_vendors),
		CASE(test_silence_is_an_empty_text),
		CASE(test_verbose_json_has_the_parts_that_were_asked_for),
		CASE(test_segments_without_words_have_their_own_times),
		CASE(test_subtitles_are_cut_at_sentences_and_before_they_are_too_long),
		CASE(test_a_subtitle_lasts_seven_seconds_at_most),
		CASE(test_markup_in_a_text_is_escaped_where_there_is_markup),
		CASE(test_events_are_the_text_piece_by_piece),
		CASE(test_openai_s_fields_say_what_is_wanted),
		CASE(test_the_vendors_models_are_chosen_by_the_server),
		CASE(test_every_response_format_has_its_form),
		CASE(test_fields_that_make_no_sense_are_named),
		CASE(test_elevenlabs_answer_has_words_and_spaces),
		CASE(test_elevenlabs_fields_say_what_is_wanted),
		CASE(test_a_transcript_has_bounds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
