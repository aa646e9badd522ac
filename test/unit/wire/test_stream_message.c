/* A message is accepted or refused as a whole, and a refusal says why. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/count.h"
#include "wire/stream_message.h"

/* The bytes of the message under test: message.text points into them. */
static char *bytes;
static struct stream_message message;
static struct stream_fault fault;

static int parse_with(const char *json, uint16_t surrogate)
{
	size_t len = strlen(json);

	free(bytes);
	bytes = malloc(len ? len : 1); /* exact, so that sanitizers find overruns */
	assert_non_null(bytes);
	memcpy(bytes, json, len);
	memset(&fault, 0, sizeof(fault));
	stream_message_reset(&message); /* releases the message before */
	return stream_message_parse(&message, &fault, bytes, len, surrogate);
}

static void parse(const char *json)
{
	if (parse_with(json, 0) != 0)
		fail_msg("%s: %s", json, fault.detail);
}

static void assert_text(const char *expected)
{
	assert_true(message.has_text);
	assert_int_equal(message.text_len, strlen(expected));
	assert_memory_equal(message.text, expected, message.text_len);
}

/* Returns one number of the parsed message as text, so that it can be compared with a table. */
static const char *shown(const char *what)
{
	static char text[64];
	const struct settings *s = &message.settings;
	const struct settings *u = &message.update;
	const struct settings_ids *ids = s->dictionary_ids;
	const struct {
		const char *name;
		double value;
	} numbers[] = {
		{"flush", message.flush},
		{"close", message.close},
		{"close_socket", message.close_socket},
		{"cancel", message.cancel},
		{"report", message.report},
		{"offset", (double)message.playback_offset_ms},
		{"has_text", message.has_text},
		{"text_len", (double)message.text_len},
		{"has_update", message.has_update},
		{"set", s->set},
		{"voice", (double)s->voice_id},
		{"cfg", s->cfg_scale},
		{"temperature", s->temperature},
		{"seed", s->seed},
		{"tokens", s->max_new_tokens},
		{"rate", s->sample_rate},
		{"encoding", s->format.encoding},
		{"format_rate", s->format.sample_rate},
		{"normalize", s->normalize},
		{"speed", s->speed},
		{"words", s->word_timestamps},
		{"timeout", s->flush_timeout_ms},
		{"buffer", s->max_buffer_length},
		{"schedule", (double)s->schedule_len},
		{"auto", s->auto_mode},
		{"project", (double)s->project_id},
		{"ids", ids ? (double)ids->count : 0},
		{"last id", ids ? (double)ids->ids[ids->count - 1] : 0},
		{"u.set", u->set},
		{"u.cfg", u->cfg_scale},
		{"u.speed", u->speed},
		{"u.tokens", u->max_new_tokens},
		{"u.normalize", u->normalize},
	};

	if (strcmp(what, "language") == 0)
		return s->language;
	if (strcmp(what, "model") == 0)
		return s->model_id;
	if (strcmp(what, "u.language") == 0)
		return u->language;
	for (size_t i = 0; i < COUNT(numbers); ++i) {
		if (strcmp(what, numbers[i].name) == 0) {
			snprintf(text, sizeof(text), "%g", numbers[i].value);
			return text;
		}
	}
	fail_msg("no such figure: %s", what);
	return NULL;
}

/* Replaces ' by ", because the tables are easier to read with '. */
static const char *unquoted(const char *json)
{
	static char text[2048];

	assert_true(strlen(json) < sizeof(text));
	snprintf(text, sizeof(text), "%s", json);
	for (char *p = text; (p = strchr(p, '\''));)
		*p = '"';
	return text;
}

static const struct {
	const char *json, *what, *value;
} good_messages[] = {
	/* commands: false and null have no effect */
	{"{'flush':true}", "flush", "1"},
	{"{'flush':false}", "flush", "0"},
	{"{'flush':null}", "flush", "0"},
	{"{'flush':true,'flush':false}", "flush", "1"},
	{"{}", "flush", "0"},
	{"{'close':true}", "close", "1"},
	{"{'end_session':true}", "close", "1"},
	{"{'close':false,'end_session':true}", "close", "1"},
	{"{'end_session':true,'close':false}", "close", "1"},
	{"{'end_session':false}", "close", "0"},
	{"{'close_socket':true}", "close_socket", "1"},
	{"{'close_socket':true}", "close", "0"},
	{"{'cancel':true}", "cancel", "1"},
	{"{'cancel':true}", "report", "0"},
	{"{'cancel':true}", "offset", "-1"},
	{"{'cancel':true,'report':true}", "report", "1"},
	{"{'cancel':true,'playback_offset_ms':1234}", "offset", "1234"},
	{"{'cancel':true,'playback_offset_ms':12.9}", "offset", "12"},
	{"{'cancel':true,'playback_offset_ms':0}", "offset", "0"},
	{"{'cancel':true,'playback_offset_ms':null}", "offset", "-1"},
	{"{'playback_offset_ms':5,'playback_offset_ms':null}", "offset", "-1"},
	/* text */
	{"{'text':''}", "has_text", "1"},
	{"{'text':''}", "text_len", "0"},
	{"{'text':null}", "has_text", "0"},
	{"{'text':'a','text':null}", "has_text", "0"},
	{"{'text':'a','text':'bcd'}", "text_len", "3"},
	{"{'te\\u0078t':'abc'}", "text_len", "3"},
	{"{'text':'\\u00e9'}", "text_len", "2"},
	/* unknown keys, with any value */
	{"{'unknown':{'text':'x','flush':true},'more':[1,[2]]}", "flush", "0"},
	{"{'keep_alive':true,'context_id':'a','voice_settings':{'speed':9}}", "set", "0"},
	{"{'unknown':1e999}", "set", "0"},
	{"{'':1}", "set", "0"},
	{"{'Flush':true}", "flush", "0"},
	{"{'TEXT':5}", "has_text", "0"},
	/* voices */
	{"{'voice_id':1071}", "voice", "1071"},
	{"{'voice_id':1071.0}", "voice", "1071"},
	{"{'voice_id':'1071'}", "voice", "1071"},
	{"{'voice_id':'007'}", "voice", "7"},
	{"{'voice_id':0}", "voice", "0"},
	{"{'voice_id':-1}", "voice", "-1"},
	{"{'voice_id':null}", "set", "0"},
	{"{'voice_id':1,'voice_id':null}", "set", "0"},
	{"{'voice_id':1,'voice_id':2}", "voice", "2"},
	/* models */
	{"{'model_id':'kugel-3'}", "model", "kugel-3"},
	{"{'model_id':'kugel-3.5'}", "model", "kugel-3.5"},
	{"{'model_id':'kugel-2.5'}", "model", "kugel-2.5"},
	{"{'model_id':'kugel-2-turbo'}", "model", "kugel-2-turbo"},
	{"{'model_id':'kugel-2'}", "model", "kugel-2"},
	{"{'model_id':'kugel-1'}", "model", "kugel-1"},
	{"{'model_id':'kugel-1-turbo'}", "model", "kugel-1-turbo"},
	{"{'model':'kugel-2'}", "model", "kugel-2"},
	{"{'model':'kugel-2'}", "set", "2"},
	{"{'model':'kugel-2','model_id':'kugel-3'}", "model", "kugel-3"},
	{"{'model_id':'kugel-3','model':'kugel-2'}", "model", "kugel-3"},
	{"{'model_id':'kugel-3','model':'other'}", "model", "kugel-3"},
	{"{'model_id':null,'model':'kugel-1'}", "model", "kugel-1"},
	{"{'model':null}", "set", "0"},
	/* numbers at the ends of their ranges */
	{"{'cfg_scale':2.0}", "cfg", "2"},
	{"{'cfg_scale':2}", "cfg", "2"},
	{"{'cfg_scale':0}", "cfg", "1.2"},
	{"{'cfg_scale':-1e300}", "cfg", "1.2"},
	{"{'cfg_scale':100}", "cfg", "2.5"},
	{"{'cfg_scale':1.2}", "cfg", "1.2"},
	{"{'cfg_scale':null}", "set", "0"},
	{"{'seed':0}", "seed", "0"},
	{"{'seed':4294967295}", "seed", "4.29497e+09"},
	{"{'seed':null}", "set", "0"},
	{"{'temperature':0}", "temperature", "0"},
	{"{'temperature':1}", "temperature", "1"},
	{"{'temperature':0.4}", "temperature", "0.4"},
	{"{'temperature':4e-1}", "temperature", "0.4"},
	{"{'temperature':null}", "set", "0"},
	{"{'speed':0.8}", "speed", "0.8"},
	{"{'speed':1.2}", "speed", "1.2"},
	{"{'speed':1}", "speed", "1"},
	{"{'max_new_tokens':1}", "tokens", "1"},
	{"{'max_new_tokens':2048}", "tokens", "2048"},
	{"{'max_new_tokens':2.048e3}", "tokens", "2048"},
	{"{'flush_timeout_ms':500}", "timeout", "500"},
	{"{'flush_timeout_ms':0}", "timeout", "0"},
	{"{'flush_timeout_ms':60000}", "timeout", "60000"},
	{"{'max_buffer_length':1}", "buffer", "1"},
	{"{'max_buffer_length':10000}", "buffer", "10000"},
	/* formats */
	{"{'sample_rate':8000}", "rate", "8000"},
	{"{'sample_rate':16000}", "rate", "16000"},
	{"{'sample_rate':22050}", "rate", "22050"},
	{"{'sample_rate':24000}", "rate", "24000"},
	{"{'sample_rate':44100}", "rate", "44100"},
	{"{'output_format':'pcm_8000'}", "format_rate", "8000"},
	{"{'output_format':'pcm_16000'}", "format_rate", "16000"},
	{"{'output_format':'pcm_22050'}", "format_rate", "22050"},
	{"{'output_format':'pcm_24000'}", "format_rate", "24000"},
	{"{'output_format':'pcm_24000'}", "encoding", "0"},
	{"{'output_format':'ulaw_8000'}", "encoding", "1"},
	{"{'output_format':'alaw_8000'}", "encoding", "2"},
	{"{'output_format':'alaw_8000','sample_rate':24000}", "encoding", "2"},
	{"{'output_format':'alaw_8000','sample_rate':8000}", "encoding", "2"},
	{"{'output_format':'alaw_8000','sample_rate':null}", "encoding", "2"},
	{"{'sample_rate':16000,'output_format':'ulaw_8000','sample_rate':8000}", "rate", "8000"},
	/* languages */
	{"{'language':'de'}", "language", "de"},
	{"{'language':'DE'}", "language", "de"},
	{"{'language':'de-DE'}", "language", "de"},
	{"{'language':'de_AT'}", "language", "de"},
	{"{'language':'zh-Hans-CN'}", "language", "zh"},
	{"{'language':'yue'}", "language", "yue"},
	{"{'language':'yue-HK'}", "language", "yue"},
	{"{'language':'ms'}", "language", "ms"},
	{"{'language':null}", "set", "0"},
	/* switches and lists */
	{"{'normalize':true}", "normalize", "1"},
	{"{'normalize':false}", "normalize", "0"},
	{"{'normalize':false}", "set", "128"},
	{"{'word_timestamps':true}", "words", "1"},
	{"{'auto_mode':true}", "auto", "1"},
	{"{'auto_mode':false}", "set", "16384"},
	{"{'speaker_prefix':true}", "set", "0"},
	{"{'project_id':12}", "set", "65536"},
	{"{'project_id':12}", "project", "12"},
	{"{'project_id':null}", "set", "0"},
	{"{'dictionary_ids':[]}", "set", "32768"},
	{"{'dictionary_ids':[]}", "ids", "0"},
	{"{'dictionary_ids':null}", "set", "0"},
	{"{'dictionary_ids':[4,7]}", "ids", "2"},
	{"{'dictionary_ids':[4,7]}", "last id", "7"},
	{"{'dictionary_ids':[4,7],'dictionary_ids':[9]}", "last id", "9"},
	{"{'dictionary_ids':[4,7],'dictionary_ids':[]}", "ids", "0"},
	{"{'dictionary_ids':[4,7],'dictionary_ids':null}", "set", "0"},
	{"{'chunk_length_schedule':[5,80,150,250]}", "schedule", "4"},
	{"{'chunk_length_schedule':[0]}", "schedule", "1"},
	{"{'chunk_length_schedule':[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16]}", "schedule", "16"},
	{"{'chunk_length_schedule':null}", "set", "0"},
	/* update_settings */
	{"{'update_settings':{}}", "has_update", "1"},
	{"{'update_settings':null}", "has_update", "0"},
	{"{'update_settings':{}}", "u.set", "0"},
	{"{'update_settings':{'speed':1.1}}", "u.speed", "1.1"},
	{"{'update_settings':{'speed':1.1}}", "set", "0"},
	{"{'update_settings':{'speed':null}}", "u.set", "0"},
	{"{'update_settings':{'cfg_scale':9}}", "u.cfg", "2.5"},
	{"{'update_settings':{'max_new_tokens':64}}", "u.tokens", "64"},
	{"{'update_settings':{'language':'fr-FR'}}", "u.language", "fr"},
	{"{'update_settings':{'normalize':false}}", "u.set", "128"},
	{"{'update_settings':{'voice_id':null}}", "u.set", "0"},
	{"{'update_settings':{'unknown':[{}],'text':1,'speed':1}}", "u.set", "512"},
	{"{'update_settings':{'speed':1},'update_settings':{}}", "u.set", "0"},
	{"{'update_settings':{'speed':1},'update_settings':null}", "has_update", "0"},
};

static void test_good_messages_mean_what_they_say(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(good_messages); ++i) {
		parse(unquoted(good_messages[i].json));
		if (strcmp(shown(good_messages[i].what), good_messages[i].value) != 0)
			fail_msg("%s: %s is %s, not %s", good_messages[i].json,
				 good_messages[i].what, shown(good_messages[i].what),
				 good_messages[i].value);
	}
}

static const struct {
	const char *json, *detail;
} bad_messages[] = {
	/* not a message */
	{"", "malformed JSON at byte 0: expected a value"},
	{"hello", "malformed JSON at byte 0: expected a value"},
	{"[]", "a message must be a JSON object (got a list)"},
	{"'text'", "a message must be a JSON object (got 'text')"},
	{"null", "a message must be a JSON object (got null)"},
	{"5", "a message must be a JSON object (got 5)"},
	{"{'text':'a'", "malformed JSON at byte 11: unexpected end"},
	{"{'text':'a'}}", "malformed JSON at byte 12: more after the end"},
	{"{'text':'a'} {}", "malformed JSON at byte 13: more after the end"},
	{"{'text' 'a'}", "malformed JSON at byte 8: expected ':'"},
	{"{'text':'a',}", "malformed JSON at byte 12: expected a key"},
	{"{'text':'a\nb'}", "malformed JSON at byte 10: control character in a string"},
	{"{'text':'a\xff'}", "malformed JSON at byte 10: invalid UTF-8"},
	{"{'text':'\\u12'}", "malformed JSON at byte 9: \\u without four hex digits"},
	{"{'unknown':[1,2}", "malformed JSON at byte 15: expected ',' or ']'"},
	{"{'unknown':{'a':tru}}", "malformed JSON at byte 16: expected a value"},
	{"{'chunk_length_schedule':[1,2}", "malformed JSON at byte 29: expected ',' or ']'"},
	{"{'chunk_length_schedule':[1,]}", "malformed JSON at byte 28: expected a value"},
	{"{'dictionary_ids':[1,x]}", "malformed JSON at byte 21: expected a value"},
	{"{'dictionary_ids':[1", "malformed JSON at byte 20: unexpected end"},
	{"{'update_settings':{'speed':1]}", "malformed JSON at byte 29: expected ',' or '}'"},
	{"{'update_settings':{'x':[}}", "malformed JSON at byte 25: expected a value"},
	{"{'speed':1", "malformed JSON at byte 10: unexpected end"},
	/* commands and text of the wrong type */
	{"{'flush':1}", "flush must be true or false (got 1)"},
	{"{'flush':'true'}", "flush must be true or false (got 'true')"},
	{"{'close':{}}", "close must be true or false (got an object)"},
	{"{'end_session':[]}", "end_session must be true or false (got a list)"},
	{"{'close_socket':0}", "close_socket must be true or false (got 0)"},
	{"{'cancel':'now'}", "cancel must be true or false (got 'now')"},
	{"{'cancel':true,'report':1}", "report must be true or false (got 1)"},
	{"{'playback_offset_ms':-1}",
	 "playback_offset_ms must be between 0 and 3600000000 (got -1)"},
	{"{'playback_offset_ms':1e12}",
	 "playback_offset_ms must be between 0 and 3600000000 (got 1e12)"},
	{"{'playback_offset_ms':'5'}", "playback_offset_ms must be a number (got '5')"},
	{"{'text':5}", "text must be a string (got 5)"},
	{"{'text':true}", "text must be a string (got true)"},
	{"{'text':['a']}", "text must be a string (got a list)"},
	{"{'text':5,'text':'a'}", "text must be a string (got 5)"},
	/* voices and models */
	{"{'voice_id':1.5}", "voice_id must be an integer (got 1.5)"},
	{"{'voice_id':1e30}", "voice_id must be an integer (got 1e30)"},
	{"{'voice_id':true}", "voice_id must be an integer or a string (got true)"},
	{"{'voice_id':[1]}", "voice_id must be an integer or a string (got a list)"},
	{"{'model_id':'kugel-9'}",
	 "model_id must be one of kugel-3, kugel-3.5, kugel-2.5, kugel-2-turbo, kugel-2, "
	 "kugel-1, kugel-1-turbo (got 'kugel-9')"},
	{"{'model_id':3}", "model_id must be a string (got 3)"},
	{"{'model':3}", "model must be a string (got 3)"},
	{"{'model':'x'}",
	 "model must be one of kugel-3, kugel-3.5, kugel-2.5, kugel-2-turbo, kugel-2, "
	 "kugel-1, kugel-1-turbo (got 'x')"},
	/* numbers out of range or of the wrong type */
	{"{'cfg_scale':'2'}", "cfg_scale must be a number (got '2')"},
	{"{'cfg_scale':1e999}", "cfg_scale must be between 1.2 and 2.5 (got 1e999)"},
	{"{'seed':-1}", "seed must be between 0 and 4294967295 (got -1)"},
	{"{'seed':4294967296}", "seed must be between 0 and 4294967295 (got 4294967296)"},
	{"{'seed':1.5}", "seed must be an integer (got 1.5)"},
	{"{'seed':'x'}", "seed must be an integer (got 'x')"},
	{"{'temperature':1.01}", "temperature must be between 0 and 1 (got 1.01)"},
	{"{'temperature':-0.1}", "temperature must be between 0 and 1 (got -0.1)"},
	{"{'temperature':'hot'}", "temperature must be a number (got 'hot')"},
	{"{'speed':3}", "speed must be between 0.8 and 1.2 (got 3)"},
	{"{'speed':0.79}", "speed must be between 0.8 and 1.2 (got 0.79)"},
	{"{'speed':1.2000001}", "speed must be between 0.8 and 1.2 (got 1.2000001)"},
	{"{'speed':true}", "speed must be a number (got true)"},
	{"{'max_new_tokens':0}", "max_new_tokens must be between 1 and 2048 (got 0)"},
	{"{'max_new_tokens':2049}", "max_new_tokens must be between 1 and 2048 (got 2049)"},
	{"{'max_new_tokens':1.5}", "max_new_tokens must be an integer (got 1.5)"},
	{"{'max_new_tokens':1e99}", "max_new_tokens must be between 1 and 2048 (got 1e99)"},
	{"{'max_new_tokens':'9'}", "max_new_tokens must be an integer (got '9')"},
	{"{'flush_timeout_ms':-1}", "flush_timeout_ms must be between 0 and 60000 (got -1)"},
	{"{'flush_timeout_ms':60001}", "flush_timeout_ms must be between 0 and 60000 (got 60001)"},
	{"{'max_buffer_length':0}", "max_buffer_length must be between 1 and 10000 (got 0)"},
	{"{'max_buffer_length':10001}",
	 "max_buffer_length must be between 1 and 10000 (got 10001)"},
	/* formats */
	{"{'sample_rate':48000}",
	 "sample_rate must be one of 8000, 16000, 22050, 24000, 44100 (got 48000)"},
	{"{'sample_rate':'24000'}",
	 "sample_rate must be one of 8000, 16000, 22050, 24000, 44100 (got '24000')"},
	{"{'sample_rate':24000.5}",
	 "sample_rate must be one of 8000, 16000, 22050, 24000, 44100 (got 24000.5)"},
	{"{'output_format':'pcm_44100'}",
	 "output_format must be one of pcm_8000, pcm_16000, pcm_22050, pcm_24000, ulaw_8000, "
	 "alaw_8000 (got 'pcm_44100')"},
	{"{'output_format':'mp3'}",
	 "output_format must be one of pcm_8000, pcm_16000, pcm_22050, pcm_24000, ulaw_8000, "
	 "alaw_8000 (got 'mp3')"},
	{"{'output_format':8000}",
	 "output_format must be one of pcm_8000, pcm_16000, pcm_22050, pcm_24000, ulaw_8000, "
	 "alaw_8000 (got 8000)"},
	{"{'output_format':'ulaw_8000','sample_rate':16000}",
	 "sample_rate 16000 conflicts with an output_format of 8000 Hz"},
	{"{'sample_rate':44100,'output_format':'pcm_24000'}",
	 "sample_rate 44100 conflicts with an output_format of 24000 Hz"},
	/* languages */
	{"{'language':'xx'}", "language must be the code of a supported language (got 'xx')"},
	{"{'language':''}", "language must be the code of a supported language (got '')"},
	{"{'language':'-de'}", "language must be the code of a supported language (got '-de')"},
	{"{'language':'deu'}", "language must be the code of a supported language (got 'deu')"},
	{"{'language':'english'}",
	 "language must be the code of a supported language (got 'english')"},
	{"{'language':'yueh'}", "language must be the code of a supported language (got 'yueh')"},
	{"{'language':5}", "language must be a string (got 5)"},
	/* switches and lists */
	{"{'normalize':'on'}", "normalize must be true or false (got 'on')"},
	{"{'word_timestamps':1}", "word_timestamps must be true or false (got 1)"},
	{"{'auto_mode':'auto'}", "auto_mode must be true or false (got 'auto')"},
	{"{'speaker_prefix':0}", "speaker_prefix must be true or false (got 0)"},
	{"{'project_id':'p'}", "project_id must be an integer (got 'p')"},
	{"{'dictionary_ids':[1],'speed':9}", "speed must be between 0.8 and 1.2 (got 9)"},
	{"{'dictionary_ids':[1,2.5]}",
	 "dictionary_ids must be a list of at most 50 integers (got 2.5)"},
	{"{'dictionary_ids':['a']}",
	 "dictionary_ids must be a list of at most 50 integers (got 'a')"},
	{"{'dictionary_ids':{}}",
	 "dictionary_ids must be a list of at most 50 integers (got an object)"},
	{"{'chunk_length_schedule':[]}",
	 "chunk_length_schedule must be a list of 1 to 16 integers between 0 and 10000 "
	 "(got a list)"},
	{"{'chunk_length_schedule':5}",
	 "chunk_length_schedule must be a list of 1 to 16 integers between 0 and 10000 "
	 "(got 5)"},
	{"{'chunk_length_schedule':[5,-1]}",
	 "chunk_length_schedule must be a list of 1 to 16 integers between 0 and 10000 "
	 "(got -1)"},
	{"{'chunk_length_schedule':[[]]}",
	 "chunk_length_schedule must be a list of 1 to 16 integers between 0 and 10000 "
	 "(got a list)"},
	{"{'chunk_length_schedule':[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17]}",
	 "chunk_length_schedule must be a list of 1 to 16 integers between 0 and 10000 "
	 "(got 17)"},
	/* update_settings */
	{"{'update_settings':[]}", "update_settings must be an object (got a list)"},
	{"{'update_settings':true}", "update_settings must be an object (got true)"},
	{"{'update_settings':{'speed':2}}", "speed must be between 0.8 and 1.2 (got 2)"},
	{"{'update_settings':{'voice_id':1071}}", "voice_id cannot be changed by update_settings"},
	{"{'update_settings':{'model_id':'kugel-3'}}",
	 "model_id cannot be changed by update_settings"},
	{"{'update_settings':{'model':'kugel-3'}}", "model cannot be changed by update_settings"},
	{"{'update_settings':{'sample_rate':8000}}",
	 "sample_rate cannot be changed by update_settings"},
	{"{'update_settings':{'output_format':'ulaw_8000'}}",
	 "output_format cannot be changed by update_settings"},
	{"{'update_settings':{'project_id':1}}", "project_id cannot be changed by update_settings"},
	{"{'update_settings':{'dictionary_ids':[]}}",
	 "dictionary_ids cannot be changed by update_settings"},
	{"{'update_settings':{'word_timestamps':true}}",
	 "word_timestamps cannot be changed by update_settings"},
	{"{'update_settings':{'chunk_length_schedule':[1]}}",
	 "chunk_length_schedule cannot be changed by update_settings"},
	/* a long value is cut between characters */
	{"{'flush':'0123456789012345678901234567890'}",
	 "flush must be true or false (got '012345678901234567890123\xe2\x80\xa6')"},
	{"{'flush':'0123456789012345678901\xe2\x82\xac\xe2\x82\xac'}",
	 "flush must be true or false (got '0123456789012345678901\xe2\x80\xa6')"},
};

static void test_bad_messages_are_refused_with_their_reason(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(bad_messages); ++i) {
		char expected[256];

		if (parse_with(unquoted(bad_messages[i].json), 0) != EINVAL)
			fail_msg("taken: %s", bad_messages[i].json);
		/* The messages of the JSON scanner contain ' themselves. */
		snprintf(expected, sizeof(expected), "%s",
			 strstr(bad_messages[i].detail, "malformed")
				 ? bad_messages[i].detail
				 : unquoted(bad_messages[i].detail));
		if (strcmp(fault.detail, expected) != 0)
			fail_msg("%s: %s", bad_messages[i].json, fault.detail);
		assert_int_equal(fault.id, WIRE_ERROR_INVALID_REQUEST);
	}
}

static void test_a_voice_may_be_named(void **state)
{
	static const char *const names[] = {
		"emma", "", "12a", "-5", "1.0", " 1", "99999999999999999999"};

	(void)state;
	for (size_t i = 0; i < COUNT(names); ++i) {
		char json[64];

		snprintf(json, sizeof(json), "{\"voice_id\":\"%s\"}", names[i]);
		parse(json);
		assert_true(message.settings.set & SETTING_VOICE_ID);
		assert_int_equal(message.settings.voice_id, 0);
		assert_int_equal(message.voice_name.len, strlen(names[i]));
		assert_memory_equal(message.voice_name.text, names[i], strlen(names[i]));
	}
	parse("{\"voice_id\":\"emma\",\"voice_id\":\"7\"}"); /* the last one counts */
	assert_null(message.voice_name.text);
	assert_int_equal(message.settings.voice_id, 7);
}

static void test_the_first_message_of_an_sdk_is_understood(void **state)
{
	(void)state;
	parse("{\"text\": \"Hello \", \"flush\": false, \"voice_id\": 1071, \"cfg_scale\": 2.0, "
	      "\"max_new_tokens\": 2048, \"sample_rate\": 24000, \"flush_timeout_ms\": 500, "
	      "\"max_buffer_length\": 1000, \"normalize\": true, \"word_timestamps\": false, "
	      "\"speed\": 1.0, \"output_format\": \"ulaw_8000\", \"dictionary_ids\": []}");
	assert_text("Hello ");
	assert_false(message.flush);
	assert_int_equal(message.settings.voice_id, 1071);
	assert_int_equal(message.settings.format.encoding, AUDIO_MULAW);
}

static void test_a_pair_split_over_two_messages_is_joined(void **state)
{
	(void)state;
	parse("{\"text\":\"Hi \\ud83d\"}");
	assert_text("Hi ");
	assert_int_equal(message.text_surrogate, 0xd83d);
	assert_int_equal(parse_with("{\"text\":\"\\ude00 there\"}", 0xd83d), 0);
	assert_text("\xf0\x9f\x98\x80 there");
	assert_int_equal(message.text_surrogate, 0);
	assert_int_equal(parse_with("{\"text\":\"\\ude00\",\"flush\":true}", 0xd83d), 0);
	assert_text("\xf0\x9f\x98\x80");
	assert_true(message.flush);
	assert_int_equal(parse_with("{\"text\":\"\\ude00\\ud83c\"}", 0xd83d), 0);
	assert_text("\xf0\x9f\x98\x80");
	assert_int_equal(message.text_surrogate, 0xd83c);
}

static void test_a_half_that_stays_alone_becomes_a_replacement(void **state)
{
	(void)state;
	parse("{\"text\":\"\\ude00 a\"}");
	assert_text("\xef\xbf\xbd a");
	parse("{\"text\":\"a\\ud83db\"}");
	assert_text("a\xef\xbf\xbd"
		    "b");
	assert_int_equal(parse_with("{\"text\":\"abc\"}", 0xd83d), 0);
	assert_text("\xef\xbf\xbd"
		    "abc");
	assert_int_equal(parse_with("{\"text\":\"\\ud83c\"}", 0xd83d), 0);
	assert_text("\xef\xbf\xbd");
	assert_int_equal(message.text_surrogate, 0xd83c);
	assert_int_equal(parse_with("{\"x\":\"\\ud83d\",\"text\":\"b\"}", 0xd83d), 0);
	assert_text("\xef\xbf\xbd"
		    "b");
}

static void test_a_half_waits_over_messages_without_text(void **state)
{
	(void)state;
	assert_int_equal(parse_with("{\"text\":\"\"}", 0xd83d), 0);
	assert_text("");
	assert_int_equal(message.text_surrogate, 0xd83d);
	assert_int_equal(parse_with("{\"speed\":1}", 0xd83d), 0);
	assert_false(message.has_text);
}

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Parses a message whose text is n times `unit`, and returns the CPU time. */
static double time_of(const char *unit, size_t n)
{
	size_t unit_len = strlen(unit);
	struct buf json;
	double start;

	buf_init(&json, n * unit_len + 16);
	assert_int_equal(buf_append(&json, "{\"text\":\"", 9), 0);
	for (size_t i = 0; i < n; ++i)
		assert_int_equal(buf_append(&json, unit, unit_len), 0);
	assert_int_equal(buf_append(&json, "\"}", 2), 0);
	start = seconds();
	assert_int_equal(stream_message_parse(&message, &fault, json.bytes, json.len, 0), 0);
	start = seconds() - start;
	buf_reset(&json);
	return start;
}

static void test_a_message_of_a_mebibyte_takes_linear_time(void **state)
{
	static const char *const units[] = {"a", "\\n", "\\ud83d\\ude00", "\xe2\x82\xac",
					    "a\\u00e9b\xc3\xa9"};

	(void)state;
	for (size_t i = 0; i < COUNT(units); ++i) {
		size_t n = (1 << 20) / strlen(units[i]) - 16;

		/* A quadratic parser would need minutes for this; this one needs a few ms. */
		assert_true(time_of(units[i], n) < 1.0);
		assert_true(message.text_len > 0);
	}
}

static int free_bytes(void **state)
{
	(void)state;
	free(bytes);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good_messages_mean_what_they_say),
		cmocka_unit_test(test_bad_messages_are_refused_with_their_reason),
		cmocka_unit_test(test_a_voice_may_be_named),
		cmocka_unit_test(test_the_first_message_of_an_sdk_is_understood),
		cmocka_unit_test(test_a_pair_split_over_two_messages_is_joined),
		cmocka_unit_test(test_a_half_that_stays_alone_becomes_a_replacement),
		cmocka_unit_test(test_a_half_waits_over_messages_without_text),
		cmocka_unit_test(test_a_message_of_a_mebibyte_takes_linear_time),
	};

	return cmocka_run_group_tests(tests, NULL, free_bytes);
}
