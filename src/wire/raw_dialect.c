/*
 * raw_dialect.c: audio without any other message (see raw_dialect.h).
 */
#include "wire/raw_dialect.h"

static int raw_dialect_write_audio(struct buf *out, const char *context,
				   const struct audio_frame *frame,
				   const struct audio_format *format, unsigned idx,
				   unsigned chunk_id)
{
	(void)context;
	(void)format;
	(void)idx;
	(void)chunk_id;
	return buf_append(out, frame->bytes, frame->len);
}

const struct dialect dialect_raw = {.audio = raw_dialect_write_audio};
