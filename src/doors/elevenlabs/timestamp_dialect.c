/*
 * timestamp_dialect.c: audio and the times of its characters (see
 * timestamp_dialect.h).
 */
#include "doors/elevenlabs/timestamp_dialect.h"

#include "wire/char_times.h"

static int timestamp_dialect_put(struct buf *out, const struct timestamp_record *record,
				 const void *bytes)
{
	int err = buf_reserve(out, sizeof(*record) + record->len);

	if (err)
		return err;
	(void)buf_append(out, record, sizeof(*record));
	return buf_append(out, bytes, record->len);
}

static int timestamp_dialect_audio(struct buf *out, const char *context,
				   const struct audio_frame *frame,
				   const struct audio_format *format, unsigned idx,
				   unsigned chunk_id)
{
	struct timestamp_record record = {
		.kind = TIMESTAMP_AUDIO, .chunk_id = chunk_id, .len = (uint32_t)frame->len};

	(void)context;
	(void)format;
	(void)idx;
	return timestamp_dialect_put(out, &record, frame->bytes);
}

static int timestamp_dialect_words(struct buf *out, const char *context, unsigned chunk_id,
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
		err = timestamp_dialect_put(out, &record, next.text);
	}
	return err;
}

const struct dialect dialect_timestamps = {.audio = timestamp_dialect_audio,
					   .words = timestamp_dialect_words};
