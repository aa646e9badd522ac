/*
 * timestamp_body.c: HTTP answers with the times of characters (see elevenlabs.h).
 *
 *	{"audio_base64":"…","alignment":{"characters":["H",…],
 *	 "character_start_times_seconds":[0,…],"character_end_times_seconds":[0.05,…]},
 *	 "normalized_alignment":{…}}
 *
 * There is one such object for the whole answer, or one per line as audio and times become known.
 * Times are relative to the start of the answer.  A dialect has no state and cannot compute them,
 * so its messages are records, from which the form writes JSON.  Audio is sent as soon as it is
 * available, even inside the single object of a whole answer: only the times of characters are
 * kept until the end.
 */
#include <errno.h>
#include <string.h>

#include "base/base64.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "doors/elevenlabs/elevenlabs.h"
#include "wire/char_times.h"
#include "wire/json_write.h"

enum timestamp_kind { TIMESTAMP_AUDIO, TIMESTAMP_CHARACTER };

/* The header of a record, followed by the bytes of audio or of one character.  A message is one
 * record of audio, or the records of all characters of a chunk. */
struct timestamp_record {
	enum timestamp_kind kind;
	unsigned chunk_id;
	uint32_t len; /* how many bytes follow */
	double start_s, end_s; /* of a character, relative to the start of the chunk */
};

/* Room for the longest text (10,000 characters) with a space after each chunk, and more. */
#define CHARACTERS_MAX (16000u * (sizeof(struct timestamp_record) + 4))

#define SECOND_DECIMALS 3
#define GROUP 3 /* bytes that are encoded as four characters of base64 */
#define CJK_FIRST 0x2e80 /* scripts from here on have no spaces between sentences */

struct timestamp_body {
	bool in_lines; /* one object per line, not one for the whole answer */
	bool has_begun;
	unsigned sample_rate;
	unsigned chunk_id; /* the chunk of the last audio */
	uint64_t samples; /* in all audio so far */
	uint64_t chunk_start; /* samples before the chunk of the last audio */
	uint8_t rest[2]; /* audio that does not fill a group of base64 yet */
	size_t rest_len;
	double last_end_s; /* the end of the last character */
	bool needs_space; /* between the last character and the next one */
	struct buf characters; /* records with the times that were not written yet */
};

static int timestamp_body_put(struct buf *out, const struct timestamp_record *record,
			      const void *bytes)
{
	int err = buf_reserve(out, sizeof(*record) + record->len);

	if (err)
		return err;
	(void)buf_append(out, record, sizeof(*record));
	return buf_append(out, bytes, record->len);
}

static int timestamp_body_say_audio(struct buf *out, const char *context,
				    const struct audio_frame *frame,
				    const struct audio_format *format, unsigned idx,
				    unsigned chunk_id)
{
	struct timestamp_record record = {
		.kind = TIMESTAMP_AUDIO, .chunk_id = chunk_id, .len = (uint32_t)frame->len};

	(void)context;
	(void)format;
	(void)idx;
	return timestamp_body_put(out, &record, frame->bytes);
}

static int timestamp_body_say_words(struct buf *out, const char *context, unsigned chunk_id,
				    const struct dialect_words *said)
{
	struct timestamp_record record = {.kind = TIMESTAMP_CHARACTER, .chunk_id = chunk_id};
	struct char_times times;
	struct char_time next;
	int err = 0;

	(void)context;
	char_times_begin(&times, said);
	while (!err && char_times_next(&times, &next)) {
		record.len = (uint32_t)next.len;
		record.start_s = next.start_ms / 1000;
		record.end_s = next.end_ms / 1000;
		err = timestamp_body_put(out, &record, next.text);
	}
	return err;
}

static const struct dialect timestamp_body_dialect = {.audio = timestamp_body_say_audio,
						      .words = timestamp_body_say_words};

/* Reads the header of the record at `at` and returns its bytes; *next is set to the next record. */
static const char *timestamp_body_read_record(struct timestamp_record *record, const char *at,
					      const char **next)
{
	memcpy(record, at, sizeof(*record));
	*next = at + sizeof(*record) + record->len;
	return at + sizeof(*record);
}

static void timestamp_body_write_list(struct json_write *json, const char *key,
				      const struct buf *characters,
				      double (*second)(const struct timestamp_record *record))
{
	const char *end = characters->bytes + characters->len;
	struct timestamp_record record;

	json_write_list(json, key);
	for (const char *at = characters->bytes; at < end;) {
		const char *text = timestamp_body_read_record(&record, at, &at);

		if (second)
			json_write_double(json, NULL, second(&record), SECOND_DECIMALS);
		else
			json_write_string(json, NULL, text, record.len);
	}
	json_write_list_end(json);
}

static double timestamp_body_start_of(const struct timestamp_record *record)
{
	return record->start_s;
}

static double timestamp_body_end_of(const struct timestamp_record *record)
{
	return record->end_s;
}

static void timestamp_body_write_alignment(struct json_write *json, const char *key,
					   const struct buf *characters)
{
	if (characters->len == 0) {
		json_write_null(json, key);
		return;
	}
	json_write_object(json, key);
	timestamp_body_write_list(json, "characters", characters, NULL);
	timestamp_body_write_list(json, "character_start_times_seconds", characters,
				  timestamp_body_start_of);
	timestamp_body_write_list(json, "character_end_times_seconds", characters,
				  timestamp_body_end_of);
	json_write_object_end(json);
}

/* Both alignments are the same: the times of the text as the client wrote it. */
static void timestamp_body_write_alignments(struct json_write *json, const struct buf *characters)
{
	timestamp_body_write_alignment(json, "alignment", characters);
	timestamp_body_write_alignment(json, "normalized_alignment", characters);
}

static int timestamp_body_append_base64(struct buf *out, const void *bytes, size_t len)
{
	int err = buf_reserve(out, base64_encoded_len(len));

	if (!err)
		out->len += base64_encode(out->bytes + out->len, bytes, len);
	return err;
}

static int timestamp_body_write_audio_line(struct buf *out, const char *bytes, size_t len)
{
	static const char tail[] = "\",\"alignment\":null,\"normalized_alignment\":null}\n";
	int err = buf_append_str(out, "{\"audio_base64\":\"");

	if (!err)
		err = timestamp_body_append_base64(out, bytes, len);
	return err ? err : buf_append_str(out, tail);
}

static int timestamp_body_write_times_line(struct timestamp_body *body, struct buf *out)
{
	struct json_write json;
	int err;

	json_write_open(&json, out);
	json_write_string(&json, "audio_base64", "", 0);
	timestamp_body_write_alignments(&json, &body->characters);
	err = json_write_close(&json);
	body->characters.len = 0;
	return err ? err : buf_append_str(out, "\n");
}

/* Completes the group of base64 that the audio before has begun. */
static int timestamp_body_finish_group(struct timestamp_body *body, struct buf *out,
				       const char **bytes, size_t *len)
{
	uint8_t group[GROUP];
	size_t missing = GROUP - body->rest_len;

	if (body->rest_len == 0 || *len < missing)
		return 0;
	memcpy(group, body->rest, body->rest_len);
	memcpy(group + body->rest_len, *bytes, missing);
	*bytes += missing;
	*len -= missing;
	body->rest_len = 0;
	return timestamp_body_append_base64(out, group, GROUP);
}

/* Writes the next part of the single string with all audio. */
static int timestamp_body_write_audio_part(struct timestamp_body *body, struct buf *out,
					   const char *bytes, size_t len)
{
	int err = body->has_begun ? 0 : buf_append_str(out, "{\"audio_base64\":\"");
	size_t whole;

	body->has_begun = true;
	if (!err)
		err = timestamp_body_finish_group(body, out, &bytes, &len);
	whole = body->rest_len > 0 ? 0 : len - len % GROUP;
	if (!err)
		err = timestamp_body_append_base64(out, bytes, whole);
	memcpy(body->rest + body->rest_len, bytes + whole, len - whole);
	body->rest_len += len - whole;
	return err;
}

static int timestamp_body_take_audio(struct timestamp_body *body, struct buf *out,
				     const char *message, uint32_t samples)
{
	struct timestamp_record record;
	const char *end;
	const char *bytes = timestamp_body_read_record(&record, message, &end);

	if (record.chunk_id != body->chunk_id) {
		body->chunk_id = record.chunk_id;
		body->chunk_start = body->samples;
	}
	body->samples += samples;
	if (record.len == 0)
		return 0;
	return body->in_lines ? timestamp_body_write_audio_line(out, bytes, record.len)
			      : timestamp_body_write_audio_part(body, out, bytes, record.len);
}

/* Keeps the characters of a chunk with their times.  Chunks do not contain the white space around
 * them, so a space is inserted between two chunks, unless their script has none. */
static int timestamp_body_take_characters(struct timestamp_body *body, const char *message,
					  size_t len)
{
	double shift = (double)body->chunk_start / body->sample_rate;
	struct timestamp_record space = {
		.kind = TIMESTAMP_CHARACTER, .len = 1, .start_s = body->last_end_s};
	struct timestamp_record record = {0};
	uint32_t code_point = CJK_FIRST;
	const char *text = "";
	const char *at = message;
	int err = 0;

	while (!err && at < message + len) {
		text = timestamp_body_read_record(&record, at, &at);
		record.start_s += shift;
		record.end_s += shift;
		space.end_s = record.start_s;
		if (body->needs_space)
			err = timestamp_body_put(&body->characters, &space, " ");
		body->needs_space = false;
		if (!err)
			err = timestamp_body_put(&body->characters, &record, text);
	}
	if (record.len > 0)
		utf8_decode(&code_point, text, record.len);
	body->last_end_s = record.end_s;
	body->needs_space = code_point < CJK_FIRST;
	return err;
}

static int timestamp_body_take(void *state, struct buf *out, const char *message, size_t len,
			       uint32_t samples)
{
	struct timestamp_body *body = state;
	struct timestamp_record record;
	int err;

	memcpy(&record, message, sizeof(record));
	if (record.kind == TIMESTAMP_AUDIO)
		return timestamp_body_take_audio(body, out, message, samples);
	err = timestamp_body_take_characters(body, message, len);
	if (err || !body->in_lines)
		return err;
	return timestamp_body_write_times_line(body, out);
}

static int timestamp_body_end(void *state, struct buf *out, uint64_t characters,
			      double audio_seconds)
{
	struct timestamp_body *body = state;
	struct json_write json;
	size_t start;
	int err;

	(void)characters;
	(void)audio_seconds;
	if (body->in_lines)
		return 0;
	err = timestamp_body_write_audio_part(body, out, "", 0);
	if (!err)
		err = timestamp_body_append_base64(out, body->rest, body->rest_len);
	if (!err)
		err = buf_append_str(out, "\",");
	if (err)
		return err;
	start = out->len;
	json_write_open(&json, out);
	timestamp_body_write_alignments(&json, &body->characters);
	err = json_write_close(&json);
	if (!err) { /* removes the brace: the object was begun with the audio */
		memmove(out->bytes + start, out->bytes + start + 1, out->len - start - 1);
		--out->len;
	}
	return err;
}

static void timestamp_body_destroy(void *object)
{
	struct timestamp_body *body = object;

	buf_reset(&body->characters);
}

static int timestamp_body_alloc(void **statep, const struct audio_format *format)
{
	struct timestamp_body *body = mem_zalloc(sizeof(*body), timestamp_body_destroy);

	if (!body)
		return ENOMEM;
	body->sample_rate = format->sample_rate;
	buf_init(&body->characters, CHARACTERS_MAX);
	*statep = body;
	return 0;
}

static int timestamp_body_alloc_lines(void **statep, const struct audio_format *format)
{
	int err = timestamp_body_alloc(statep, format);

	if (!err)
		((struct timestamp_body *)*statep)->in_lines = true;
	return err;
}

const struct speech_form timestamp_body_object = {
	.type = "application/json",
	.dialect = &timestamp_body_dialect,
	.has_times = true,
	.alloc = timestamp_body_alloc,
	.take = timestamp_body_take,
	.end = timestamp_body_end,
};

const struct speech_form timestamp_body_lines = {
	.type = "application/x-ndjson",
	.dialect = &timestamp_body_dialect,
	.has_times = true,
	.alloc = timestamp_body_alloc_lines,
	.take = timestamp_body_take,
	.end = timestamp_body_end,
};
