/*
 * engine_settings.c: the configuration of a speech engine (see engine_settings.h).
 */
#include "doors/elevenlabs/engine_settings.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/count.h"
#include "base/mem.h"
#include "doors/elevenlabs/elevenlabs.h"
#include "net/url.h"

#define DAY_S 86400

/* The API's documented defaults where it has them.  The voice is the one that its own resources have
 * if none is named. */
static const char engine_settings_default_text[] =
	"{\"speech_engine\":{\"ws_url\":\"\",\"request_headers\":{}},"
	"\"asr\":{\"quality\":\"high\",\"provider\":\"scribe_realtime\","
	"\"user_input_audio_format\":\"pcm_16000\",\"keywords\":[]},"
	"\"tts\":{\"model_id\":\"eleven_flash_v2_5\",\"voice_id\":\"cjVigY5qzO86Huf0OWal\","
	"\"supported_voices\":[],\"suggested_audio_tags\":[],"
	"\"agent_output_audio_format\":\"pcm_16000\",\"optimize_streaming_latency\":3,"
	"\"stability\":0.5,\"speed\":1,\"similarity_boost\":0.8,"
	"\"text_normalisation_type\":\"system_prompt\",\"pronunciation_dictionary_locators\":[]},"
	"\"turn\":{\"turn_timeout\":7,\"silence_end_call_timeout\":-1,\"turn_eagerness\":\"normal\","
	"\"spelling_patience\":\"auto\",\"speculative_turn\":false,"
	"\"retranscribe_on_turn_timeout\":false,\"turn_model\":\"turn_v3\","
	"\"interruption_ignore_terms\":[],\"interruption_ignore_term_languages\":[],"
	"\"merge_with_default_ignore_terms\":true,\"transcribe_on_disabled_interruptions\":false},"
	"\"vad\":{},"
	"\"conversation\":{\"text_only\":false,\"max_duration_seconds\":600,\"client_events\":["
	"\"conversation_initiation_metadata\",\"ping\",\"audio\",\"interruption\","
	"\"user_transcript\",\"agent_response\",\"agent_response_correction\"],"
	"\"monitoring_enabled\":false,\"monitoring_events\":[]},"
	"\"privacy\":{\"record_voice\":true,\"retention_days\":-1,"
	"\"delete_transcript_and_pii\":false,\"delete_audio\":false,"
	"\"apply_to_existing_conversations\":false,\"zero_retention_mode\":false},"
	"\"call_limits\":{\"agent_concurrency_limit\":-1,\"daily_limit\":100000,"
	"\"bursting_enabled\":true},"
	"\"language\":\"en\",\"cascade_timeout_seconds\":4,\"tags\":[],"
	"\"overrides\":{\"first_message\":false}}";

/* What the rows fill; the rest of the settings is derived from it. */
struct engine_settings_form {
	struct engine_settings *settings;
	int64_t silence_end_ms, cascade_ms, duration_s;
	struct audio_format input;
	int eagerness, spelling;
	bool records_voice, deletes_audio, deletes_transcript, keeps_nothing;
	struct stream_fault *fault;
};

struct engine_settings_row;
typedef int(engine_settings_h)(struct engine_settings_form *form,
			       const struct engine_settings_row *row, const struct json_node *node);

/* Where a value is written: nowhere means that it is only checked. */
enum engine_settings_place { NOWHERE, IN_FORM, IN_SETTINGS };

/* A value of the configuration. */
struct engine_settings_row {
	const char *path; /* "block.key", or "key" */
	engine_settings_h *read;
	size_t offset; /* in what `place` says */
	size_t size; /* of a text or list there */
	double min, max; /* of numbers; lengths of texts; max is the largest number of elements */
	size_t item_max; /* the longest text in a list, in bytes */
	const char *const *words; /* the choices, terminated by NULL */
	enum engine_settings_place place;
	bool has_never; /* -1 is allowed too, and means never */
};

#define AT(member) .place = IN_FORM, .offset = offsetof(struct engine_settings_form, member)
#define SET(member) .place = IN_SETTINGS, .offset = offsetof(struct engine_settings, member)
#define SIZE(member) .size = sizeof(((struct engine_settings *)0)->member)

static void *engine_settings_at(struct engine_settings_form *form,
				const struct engine_settings_row *row)
{
	return (row->place == IN_FORM ? (char *)form : (char *)form->settings) + row->offset;
}

static int engine_settings_refuse(struct engine_settings_form *form,
				  const struct engine_settings_row *row, const char *must,
				  const struct json_node *node)
{
	return fault_value(form->fault, row->path, must, &node->value);
}

static int engine_settings_bool(struct engine_settings_form *form,
				const struct engine_settings_row *row, const struct json_node *node)
{
	if (node->value.kind != JSON_KIND_BOOL)
		return engine_settings_refuse(form, row, "true or false", node);
	if (row->place != NOWHERE)
		*(bool *)engine_settings_at(form, row) = node->value.truth;
	return 0;
}

static int engine_settings_text(struct engine_settings_form *form,
				const struct engine_settings_row *row, const struct json_node *node)
{
	char must[48];

	snprintf(must, sizeof(must), "a string of %d to %d bytes", (int)row->min, (int)row->max);
	if (node->value.kind != JSON_KIND_STRING || (double)node->value.len < row->min ||
	    (double)node->value.len > row->max)
		return engine_settings_refuse(form, row, must, node);
	if (row->place != NOWHERE)
		memcpy(engine_settings_at(form, row), node->value.text, node->value.len + 1);
	return 0;
}

/* Reads a number in the range of the row, or -1 if it may be "never". */
static int engine_settings_number_of(double *number, struct engine_settings_form *form,
				     const struct engine_settings_row *row,
				     const struct json_node *node)
{
	char must[64];

	snprintf(must, sizeof(must), "a number from %g to %g%s", row->min, row->max,
		 row->has_never ? ", or -1" : "");
	if (json_to_double(number, &node->value) != 0)
		return engine_settings_refuse(form, row, must, node);
	if ((*number >= row->min && *number <= row->max) ||
	    (row->has_never && *number >= -1 && *number <= -1))
		return 0;
	return engine_settings_refuse(form, row, must, node);
}

static int engine_settings_number(struct engine_settings_form *form,
				  const struct engine_settings_row *row,
				  const struct json_node *node)
{
	double number;
	int err = engine_settings_number_of(&number, form, row, node);

	if (!err && row->place != NOWHERE)
		*(double *)engine_settings_at(form, row) = number;
	return err;
}

static int engine_settings_integer(struct engine_settings_form *form,
				   const struct engine_settings_row *row,
				   const struct json_node *node)
{
	double number;
	int64_t integer;
	int err = engine_settings_number_of(&number, form, row, node);

	if (err)
		return err;
	if (json_to_integer(&integer, &node->value) != 0)
		return engine_settings_refuse(form, row, "a whole number", node);
	if (row->place != NOWHERE)
		*(int64_t *)engine_settings_at(form, row) = integer;
	return 0;
}

/* Reads seconds; the form has milliseconds. */
static int engine_settings_seconds(struct engine_settings_form *form,
				   const struct engine_settings_row *row,
				   const struct json_node *node)
{
	double number;
	int err = engine_settings_number_of(&number, form, row, node);

	if (!err)
		*(int64_t *)engine_settings_at(form, row) =
			number < 0 ? ENGINE_SETTINGS_NEVER_MS : llround(number * 1000);
	return err;
}

static int engine_settings_choice(struct engine_settings_form *form,
				  const struct engine_settings_row *row,
				  const struct json_node *node)
{
	int count = 0;

	for (; row->words[count]; ++count) {
		if (node->value.kind == JSON_KIND_STRING &&
		    strcmp(node->value.text, row->words[count]) == 0) {
			*(int *)engine_settings_at(form, row) = count;
			return 0;
		}
	}
	return fault_choice(form->fault, row->path, row->words, (size_t)count, &node->value);
}

static const char *const engine_settings_formats[] = {"pcm_8000",  "pcm_16000", "pcm_22050",
						      "pcm_24000", "pcm_44100", "pcm_48000",
						      "ulaw_8000", NULL};

static int engine_settings_format(struct engine_settings_form *form,
				  const struct engine_settings_row *row,
				  const struct json_node *node)
{
	size_t count = 0;

	for (; engine_settings_formats[count]; ++count) {
		if (node->value.kind == JSON_KIND_STRING &&
		    strcmp(node->value.text, engine_settings_formats[count]) == 0)
			return audio_format_parse(engine_settings_at(form, row), node->value.text,
						  node->value.len);
	}
	return fault_choice(form->fault, row->path, engine_settings_formats, count, &node->value);
}

/* Audio from a client has the same formats. */
static int engine_settings_input(struct engine_settings_form *form,
				 const struct engine_settings_row *row,
				 const struct json_node *node)
{
	int err = engine_settings_format(form, row, node);

	if (!err)
		form->settings->call.input = (struct listen_format){
			.encoding =
				form->input.encoding == AUDIO_MULAW ? LISTEN_MULAW : LISTEN_PCM16,
			.sample_rate = form->input.sample_rate,
		};
	return err;
}

/* Reads a list of texts, which become one text: each is followed by what separates it from the next
 * one (a NUL of its own if that is empty), and the last one also by a NUL. */
static int engine_settings_texts(struct engine_settings_form *form,
				 const struct engine_settings_row *row,
				 const struct json_node *node, const char *separator)
{
	char *out = engine_settings_at(form, row);
	bool is_kept = row->place != NOWHERE;
	size_t gap = separator[0] ? strlen(separator) : 1;
	size_t len = 0;
	double count = 0;
	char must[80];

	snprintf(must, sizeof(must), "a list of at most %d strings of 1 to %zu bytes",
		 (int)row->max, row->item_max);
	if (node->value.kind != JSON_KIND_ARRAY)
		return engine_settings_refuse(form, row, must, node);
	for (const struct json_node *item = node->child; item; item = item->next) {
		if (item->value.kind != JSON_KIND_STRING || item->value.len == 0 ||
		    item->value.len > row->item_max || ++count > row->max)
			return engine_settings_refuse(form, row, must, item);
		if (!is_kept)
			continue;
		if (len + item->value.len + gap >= row->size)
			return fault_set(form->fault, WIRE_ERROR_INVALID_REQUEST,
					 "%s must have at most %zu bytes in all", row->path,
					 row->size - 2);
		memcpy(out + len, item->value.text, item->value.len);
		len += item->value.len;
		if (item->next || !separator[0]) {
			memcpy(out + len, separator, gap);
			len += gap;
		}
	}
	if (is_kept)
		out[len] = '\0';
	return 0;
}

static int engine_settings_list(struct engine_settings_form *form,
				const struct engine_settings_row *row, const struct json_node *node)
{
	return engine_settings_texts(form, row, node, "");
}

static int engine_settings_names(struct engine_settings_form *form,
				 const struct engine_settings_row *row,
				 const struct json_node *node)
{
	return engine_settings_texts(form, row, node, ", ");
}

static const struct {
	const char *name;
	enum call_wants wants;
} engine_settings_events[] = {
	{"ping", CALL_WANTS_PING},
	{"audio", CALL_WANTS_AUDIO},
	{"interruption", CALL_WANTS_INTERRUPTION},
	{"user_transcript", CALL_WANTS_TRANSCRIPT},
	{"tentative_user_transcript", CALL_WANTS_TENTATIVE},
	{"agent_response", CALL_WANTS_RESPONSE},
	{"agent_response_correction", CALL_WANTS_CORRECTION},
	{"agent_chat_response_part", CALL_WANTS_PARTS},
	{"vad_score", CALL_WANTS_ACTIVITY},
};

/* Events that this server never sends are allowed, and ignored. */
static int engine_settings_read_events(struct engine_settings_form *form,
				       const struct engine_settings_row *row,
				       const struct json_node *node)
{
	unsigned wants = 0;
	int err = engine_settings_list(form, row, node);

	for (const struct json_node *item = node->child; !err && item; item = item->next) {
		for (size_t i = 0; i < COUNT(engine_settings_events); ++i) {
			if (strcmp(item->value.text, engine_settings_events[i].name) == 0)
				wants |= engine_settings_events[i].wants;
		}
	}
	if (!err)
		form->settings->call.wants = wants;
	return err;
}

/* A URL with http is one that developers copy from their tunnel.  An empty one is the default, which
 * a resource must replace (see engine_rest.c). */
static int engine_settings_url(struct engine_settings_form *form,
			       const struct engine_settings_row *row, const struct json_node *node)
{
	static const struct {
		const char *scheme, *ws;
	} schemes[] = {{"ws://", "ws://"},
		       {"wss://", "wss://"},
		       {"http://", "ws://"},
		       {"https://", "wss://"}};
	const char *must = "a URL with ws, wss, http or https, and at most 2048 bytes";
	char *url = engine_settings_at(form, row);
	struct url parts;

	if (node->value.kind == JSON_KIND_STRING && node->value.len == 0)
		return 0;
	if (node->value.kind != JSON_KIND_STRING || node->value.len > ENGINE_SETTINGS_URL_MAX)
		return engine_settings_refuse(form, row, must, node);
	for (size_t i = 0; i < COUNT(schemes); ++i) {
		size_t len = strlen(schemes[i].scheme);

		if (strncasecmp(node->value.text, schemes[i].scheme, len) != 0)
			continue;
		snprintf(url, row->size, "%s%s", schemes[i].ws, node->value.text + len);
		if (url_parse(&parts, url) == 0)
			return 0;
	}
	return engine_settings_refuse(form, row, must, node);
}

static bool engine_settings_is_header_name(const char *name, size_t len)
{
	static const char *const ours[] = {"Host", "Connection", "Upgrade", "Content-Length",
					   "Transfer-Encoding"};
	static const char handshake[] = "Sec-WebSocket-";

	if (len == 0 || len >= ENGINE_SETTINGS_NAME_SIZE ||
	    strncasecmp(name, handshake, strlen(handshake)) == 0 ||
	    strcasecmp(name, elevenlabs_engine_tokens.header) == 0)
		return false;
	for (size_t i = 0; i < COUNT(ours); ++i) {
		if (strcasecmp(name, ours[i]) == 0)
			return false;
	}
	/* RFC 9110, 5.6.2: a token. */
	return strspn(name, "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz"
			    "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == len;
}

int engine_settings_add_header(struct call_settings *call, const char *name, const char *value,
			       size_t len)
{
	size_t used = strlen(call->headers);

	for (size_t i = 0; i < len; ++i) {
		if ((unsigned char)value[i] < ' ' || (unsigned char)value[i] >= 0x7f)
			return EINVAL;
	}
	if (used + strlen(name) + len + strlen(": \r\n") >= sizeof(call->headers))
		return ENOBUFS;
	snprintf(call->headers + used, sizeof(call->headers) - used, "%s: %.*s\r\n", name, (int)len,
		 value);
	return 0;
}

/* Reads one header.  Its value is a string, or {"variable_name":…}: that variable of the
 * conversation. */
static int engine_settings_header(struct engine_settings_form *form,
				  const struct engine_settings_row *row,
				  const struct json_node *item)
{
	struct engine_settings *settings = form->settings;
	const struct json_node *named =
		item->value.kind == JSON_KIND_OBJECT ? json_tree_get(item, "variable_name") : NULL;
	struct engine_settings_variable *variable;
	int err = EINVAL;

	if (!engine_settings_is_header_name(item->key, item->key_len))
		return fault_set(form->fault, WIRE_ERROR_INVALID_REQUEST,
				 "%s: %.60s is not a header that can be set", row->path, item->key);
	if (item->value.kind == JSON_KIND_STRING) {
		err = engine_settings_add_header(&settings->call, item->key, item->value.text,
						 item->value.len);
	} else if (named && named->value.kind == JSON_KIND_STRING && named->value.len > 0 &&
		   named->value.len < ENGINE_SETTINGS_NAME_SIZE) {
		if (settings->variables_count == ENGINE_SETTINGS_VARIABLES_MAX)
			return fault_set(form->fault, WIRE_ERROR_INVALID_REQUEST,
					 "%s: more than %d variables", row->path,
					 ENGINE_SETTINGS_VARIABLES_MAX);
		variable = &settings->variables[settings->variables_count++];
		memcpy(variable->header, item->key, item->key_len + 1);
		memcpy(variable->variable, named->value.text, named->value.len + 1);
		err = 0;
	}
	if (err == ENOBUFS)
		return fault_set(form->fault, WIRE_ERROR_INVALID_REQUEST,
				 "%s must have at most %d bytes in all", row->path,
				 CALL_SETTINGS_HEADERS_SIZE);
	return err ? fault_set(form->fault, WIRE_ERROR_INVALID_REQUEST,
			       "%s: %.40s must be a string of printable ASCII, or an object with "
			       "variable_name; secrets are not available",
			       row->path, item->key)
		   : 0;
}

static int engine_settings_headers(struct engine_settings_form *form,
				   const struct engine_settings_row *row,
				   const struct json_node *node)
{
	int err = 0;

	if (node->value.kind != JSON_KIND_OBJECT)
		return engine_settings_refuse(form, row, "an object", node);
	for (const struct json_node *item = node->child; !err && item; item = item->next)
		err = engine_settings_header(form, row, item);
	return err;
}

static const char *const engine_settings_eagerness[] = {
	[TURN_END_PATIENT] = "patient",
	[TURN_END_NORMAL] = "normal",
	[TURN_END_EAGER] = "eager",
	NULL,
};
enum { SPELLING_AUTO, SPELLING_OFF };
static const char *const engine_settings_spelling[] = {
	[SPELLING_AUTO] = "auto", [SPELLING_OFF] = "off", NULL};

#define OF(read_as) .read = engine_settings_##read_as
#define TEXT(member) OF(text), SET(member), SIZE(member)
#define LIST(kind, member) OF(kind), SET(member), SIZE(member)

/* Keys that are not in the table are kept and shown, but mean nothing here. */
static const struct engine_settings_row engine_settings_rows[] = {
	{"speech_engine.ws_url", OF(url), SET(call.url), SIZE(call.url)},
	{"speech_engine.request_headers", OF(headers)},
	{"asr.user_input_audio_format", OF(input), AT(input)},
	{"asr.keywords", LIST(names, call.keywords), .max = 100, .item_max = 100},
	{"tts.model_id", OF(text), .max = 100},
	{"tts.voice_id", TEXT(voice_id), .min = 1, .max = ENGINE_SETTINGS_VOICE_SIZE - 1},
	{"tts.agent_output_audio_format", OF(format), SET(call.output)},
	{"tts.speed", OF(number), SET(call.speed), .min = 0.7, .max = 1.2},
	{"tts.stability", OF(number), .max = 1},
	{"tts.similarity_boost", OF(number), .max = 1},
	{"turn.turn_timeout", OF(seconds), SET(turn_timeout_ms), .min = 1, .max = 300,
	 .has_never = true},
	{"turn.initial_wait_time", OF(seconds), SET(initial_wait_ms), .max = 300,
	 .has_never = true},
	{"turn.silence_end_call_timeout", OF(seconds), AT(silence_end_ms), .min = 1, .max = DAY_S,
	 .has_never = true},
	{"turn.turn_eagerness", OF(choice), AT(eagerness), .words = engine_settings_eagerness},
	{"turn.spelling_patience", OF(choice), AT(spelling), .words = engine_settings_spelling},
	{"turn.speculative_turn", OF(bool), SET(call.is_speculative)},
	{"turn.retranscribe_on_turn_timeout", OF(bool)},
	{"turn.interruption_ignore_terms", LIST(list, call.ignored_terms), .max = 200,
	 .item_max = 100},
	{"turn.interruption_ignore_term_languages", LIST(list, ignored_languages), .max = 50,
	 .item_max = 16},
	{"turn.merge_with_default_ignore_terms", OF(bool), SET(call.adds_default_terms)},
	{"turn.transcribe_on_disabled_interruptions", OF(bool)},
	{"conversation.text_only", OF(bool), SET(call.is_text_only)},
	{"conversation.max_duration_seconds", OF(integer), AT(duration_s), .min = 1,
	 .max = CALL_DURATION_MAX_S},
	{"conversation.client_events", OF(read_events), .max = 100, .item_max = 100},
	{"privacy.record_voice", OF(bool), AT(records_voice)},
	{"privacy.retention_days", OF(integer), SET(retention_days), .min = -1, .max = 36500},
	{"privacy.delete_transcript_and_pii", OF(bool), AT(deletes_transcript)},
	{"privacy.delete_audio", OF(bool), AT(deletes_audio)},
	{"privacy.zero_retention_mode", OF(bool), AT(keeps_nothing)},
	{"call_limits.agent_concurrency_limit", OF(integer), SET(concurrent_max), .min = -1,
	 .max = 1e6},
	{"call_limits.daily_limit", OF(integer), SET(daily_max), .min = -1, .max = 1e9},
	{"call_limits.bursting_enabled", OF(bool)},
	{"language", TEXT(call.language), .min = 2, .max = LISTEN_LANGUAGE_SIZE - 1},
	{"cascade_timeout_seconds", OF(seconds), AT(cascade_ms),
	 .min = CALL_CASCADE_MIN_MS / 1000.0, .max = CALL_CASCADE_MAX_MS / 1000.0},
	{"first_message", TEXT(call.first_message), .max = CALL_SETTINGS_FIRST_SIZE - 1},
	{"tags", OF(list), .max = 100, .item_max = 128},
	{"overrides.first_message", OF(bool), SET(call.allows_first_message)},
};

static const char *const engine_settings_blocks[] = {
	"speech_engine", "asr",     "tts",         "turn",      "vad",
	"conversation",  "privacy", "call_limits", "overrides",
};

/* Finds a value by the path of a row; NULL: there is none. */
static const struct json_node *engine_settings_find(const struct json_node *root, const char *path)
{
	char block[32];
	const char *dot = strchr(path, '.');
	size_t len = dot ? (size_t)(dot - path) : 0;
	const struct json_node *object;

	if (!dot)
		return json_tree_get(root, path);
	assert(len < sizeof(block));
	memcpy(block, path, len);
	block[len] = '\0';
	object = json_tree_get(root, block);
	return object ? json_tree_get(object, dot + 1) : NULL;
}

/* Reads all rows into a form. */
static int engine_settings_fill(struct engine_settings_form *form, const struct json_node *root)
{
	struct engine_settings *settings = form->settings;
	int err = 0;

	for (size_t i = 0; i < COUNT(engine_settings_blocks); ++i) {
		const struct json_node *block = json_tree_get(root, engine_settings_blocks[i]);

		if (block && block->value.kind != JSON_KIND_OBJECT)
			return fault_value(form->fault, engine_settings_blocks[i], "an object",
					   &block->value);
	}
	settings->call = call_settings_default;
	settings->initial_wait_ms = INT64_MIN;
	for (size_t i = 0; !err && i < COUNT(engine_settings_rows); ++i) {
		const struct engine_settings_row *row = &engine_settings_rows[i];
		const struct json_node *node = engine_settings_find(root, row->path);

		if (node)
			err = row->read(form, row, node);
	}
	if (err)
		return err;
	if (settings->initial_wait_ms == INT64_MIN)
		settings->initial_wait_ms = settings->turn_timeout_ms;
	settings->call.cascade_timeout_ms = (uint32_t)form->cascade_ms;
	settings->call.duration_max_s = (unsigned)form->duration_s;
	settings->call.silence_end_s =
		form->silence_end_ms < 0 ? -1 : (int32_t)((form->silence_end_ms + 999) / 1000);
	settings->call.turn_end = (struct turn_end_settings){
		.eagerness = (enum turn_end_eagerness)form->eagerness,
		.is_patient_with_spelling = form->spelling == SPELLING_AUTO,
	};
	settings->records_audio =
		form->records_voice && !form->deletes_audio && !form->keeps_nothing;
	settings->records_transcript = !form->deletes_transcript && !form->keeps_nothing;
	return 0;
}

int engine_settings_read(struct engine_settings **settingsp, struct stream_fault *fault,
			 const struct json_node *complete)
{
	struct engine_settings *settings = mem_zalloc(sizeof(*settings), NULL);
	struct engine_settings_form form = {.settings = settings, .fault = fault};
	int err = settings ? engine_settings_fill(&form, complete) : ENOMEM;

	if (err || !settingsp)
		mem_deref(settings);
	else
		*settingsp = settings;
	return err;
}

int engine_settings_defaults(struct json_tree **treep)
{
	struct stream_fault fault;
	int err = json_tree_parse(treep, &fault, engine_settings_default_text,
				  strlen(engine_settings_default_text));

	assert(err != EINVAL);
	return err;
}

/* A value of null means the default, so it is removed before the rest is merged. */
void engine_settings_complete(struct json_node *defaults, struct json_node *given)
{
	struct json_node clean = {.value.kind = JSON_KIND_OBJECT};

	json_tree_merge(&clean, given);
	json_tree_merge(defaults, &clean);
}

int engine_settings_parse(struct engine_settings **settingsp, struct stream_fault *fault,
			  const char *config, size_t len)
{
	struct json_tree *complete = NULL;
	struct json_tree *given = NULL;
	int err = engine_settings_defaults(&complete);

	if (!err)
		err = json_tree_parse(&given, fault, config, len);
	if (!err) {
		engine_settings_complete(json_tree_root(complete), json_tree_root(given));
		err = engine_settings_read(settingsp, fault, json_tree_root(complete));
	}
	mem_deref(given);
	mem_deref(complete);
	return err;
}
