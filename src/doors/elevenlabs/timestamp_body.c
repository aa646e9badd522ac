/*
 * timestamp_body.c: audio with the times of its characters (see
 * timestamp_body.h).
 *
 * Audio goes out as it comes, also inside the one object of a whole answer:
 * only the times of characters are kept to its end.
 */
#include "doors/elevenlabs/timestamp_body.h"

#include <errno.h>
#include <string.h>

#include "base/base64.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "doors/elevenlabs/timestamp_dialect.h"
#include "wire/json_write.h"

/* 10,000 characters, a blank for each that ends a chunk, and room. */
#define CHARACTERS_MAX (16000u * (sizeof(struct timestamp_record) + 4))

#define SECOND_DECIMALS 3
#define GROUP 3 /* bytes that become four characters of base64 */
#define CJK_FIRST 0x2e80 /* scripts from here on have no blanks between sentences */

void timestamp_body_init(struct timestamp_body *body, bool in_lines, unsigned sample_rate)
{
	*body = (struct timestamp_body){.in_lines = in_lines, .sample_rate = sample_rate};
	buf_init(&body->characters, CHARACTERS_MAX);
}

void timestamp_body_reset(struct timestamp_body *body)
{
	buf_reset(&body->characters);
}

/* The record at `at`, and where the next one is; its bytes are behind it. */
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

/* The times are those of the text as the client wrote it: both are the same. */
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

/* Fills the group that the audio before has begun. */
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

/* The next of the one long string. */
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

static int timestamp_body_keep_character(struct timestamp_body *body,
					 const struct timestamp_record *record, const char *text)
{
	int err = buf_reserve(&body->characters, sizeof(*record) + record->len);

	if (err)
		return err;
	(void)buf_append(&body->characters, record, sizeof(*record));
	return buf_append(&body->characters, text, record->len);
}

/* Chunks come without the blanks around them; one is put back between two,
 * unless their script has none. */
static int timestamp_body_keep_blank(struct timestamp_body *body, double until_s)
{
	struct timestamp_record blank = {
		.kind = TIMESTAMP_CHARACTER, .len = 1, .start_s = body->heard_s, .end_s = until_s};

	if (!body->owes_blank)
		return 0;
	body->owes_blank = false;
	return timestamp_body_keep_character(body, &blank, " ");
}

static bool timestamp_body_needs_blank(const char *text, size_t len)
{
	uint32_t code_point;

	utf8_decode(&code_point, text, len);
	return code_point < CJK_FIRST;
}

static int timestamp_body_take_characters(struct timestamp_body *body, const char *message,
					  size_t len)
{
	double shift = (double)body->chunk_start / body->sample_rate;
	struct timestamp_record record = {0};
	const char *text = "";
	const char *at = message;
	int err = 0;

	while (!err && at < message + len) {
		text = timestamp_body_read_record(&record, at, &at);
		record.start_s += shift;
		record.end_s += shift;
		err = timestamp_body_keep_blank(body, record.start_s);
		if (!err)
			err = timestamp_body_keep_character(body, &record, text);
	}
	body->heard_s = record.end_s;
	body->owes_blank = record.len > 0 && timestamp_body_needs_blank(text, record.len);
	return err;
}

int timestamp_body_take(struct timestamp_body *body, struct buf *out, const char *message,
			size_t len, uint32_t samples)
{
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

int timestamp_body_end(struct timestamp_body *body, struct buf *out)
{
	struct json_write json;
	size_t start;
	int err;

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
	if (!err) { /* the members alone: the object is open already */
		memmove(out->bytes + start, out->bytes + start + 1, out->len - start - 1);
		--out->len;
	}
	return err;
}

static void timestamp_body_destroy(void *object)
{
	timestamp_body_reset(object);
}

static int timestamp_body_alloc(void **statep, const struct audio_format *format, bool in_lines)
{
	struct timestamp_body *body = mem_zalloc(sizeof(*body), timestamp_body_destroy);

	if (!body)
		return ENOMEM;
	timestamp_body_init(body, in_lines, format->sample_rate);
	*statep = body;
	return 0;
}

static int timestamp_body_alloc_object(void **statep, const struct audio_format *format)
{
	return timestamp_body_alloc(statep, format, false);
}

static int timestamp_body_alloc_lines(void **statep, const struct audio_format *format)
{
	return timestamp_body_alloc(statep, format, true);
}

static int timestamp_body_form_take(void *state, struct buf *out, const char *message, size_t len,
				    uint32_t samples)
{
	return timestamp_body_take(state, out, message, len, samples);
}

static int timestamp_body_form_end(void *state, struct buf *out, uint64_t characters,
				   double audio_seconds)
{
	(void)characters;
	(void)audio_seconds;
	return timestamp_body_end(state, out);
}

const struct speech_form timestamp_body_object = {
	.type = "application/json",
	.dialect = &dialect_timestamps,
	.has_times = true,
	.alloc = timestamp_body_alloc_object,
	.take = timestamp_body_form_take,
	.end = timestamp_body_form_end,
};
const struct speech_form timestamp_body_lines = {
	.type = "application/x-ndjson",
	.dialect = &dialect_timestamps,
	.has_times = true,
	.alloc = timestamp_body_alloc_lines,
	.take = timestamp_body_form_take,
	.end = timestamp_body_form_end,
};
