/*
 * dialect.c: the dialect of the native sockets (see dialect.h).
 */
#include "wire/dialect.h"

static int dialect_write_words(struct buf *out, const char *context, unsigned chunk_id,
			       const struct dialect_words *said)
{
	return reply_word_timestamps(out, context, chunk_id, said->words, said->count);
}

static int dialect_write_final(struct buf *out, const char *context,
			       const struct reply_totals *totals)
{
	return context ? reply_context_final(out, context) : reply_final(out, totals);
}

const struct dialect dialect_native = {
	.generation_started = reply_generation_started,
	.audio = reply_audio,
	.words = dialect_write_words,
	.chunk_complete = reply_chunk_complete,
	.idle_warning = reply_idle_warning,
	.final = dialect_write_final,
	.closed = reply_session_closed,
	.error = reply_error,
	.interrupted = reply_interrupted,
	.settings_updated = reply_settings_updated,
	.context_created = reply_context_created,
	.context_closed = reply_context_closed,
	.contexts_closed = reply_multi_closed,
};
