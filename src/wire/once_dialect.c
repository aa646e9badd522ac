/*
 * once_dialect.c: how /ws/tts reports what happens to a request (see once_dialect.h).
 */
#include "wire/once_dialect.h"

static int once_dialect_write_words(struct buf *out, const char *context, unsigned chunk_id,
				    const struct dialect_words *said)
{
	return reply_word_timestamps(out, context, chunk_id, said->words, said->count);
}

const struct dialect dialect_once = {
	.audio = reply_audio,
	.words = once_dialect_write_words,
	.error = reply_error,
	.interrupted = reply_interrupted,
	.settings_updated = reply_defaults_updated,
};
