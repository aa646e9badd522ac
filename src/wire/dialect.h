/*
 * dialect.h: how an API reports what happens in a turn.
 *
 * Sessions and turns know what happened; a dialect writes it in the format that the API's clients
 * read.  Each function appends one complete message, or nothing (ENOBUFS, ENOMEM, or 0 without
 * output: then nothing is sent).  A function that is NULL means that this API has no such message.
 *
 * The arguments are those of reply.h, whose functions are the native dialect.
 */
#ifndef WIRE_DIALECT_H
#define WIRE_DIALECT_H

#include "wire/reply.h"

/* The words of a chunk, and the chunk's text as the client wrote it. */
struct dialect_words {
	const struct reply_word *words;
	size_t count;
	const char *text;
	size_t text_len;
	unsigned audio_ms; /* the length of all the chunk's audio */
	/* The length of audio before the chunk that is added to its times; 0: none. */
	unsigned before_ms;
	unsigned markup; /* flags of text/markup.h: which parts of the text were not spoken */
};

struct dialect {
	/* Events of a turn.  `context` is NULL in APIs without contexts. */
	int (*generation_started)(struct buf *out, const char *context, unsigned chunk_id,
				  const char *text, size_t len);
	int (*audio)(struct buf *out, const char *context, const struct audio_frame *frame,
		     const struct audio_format *format, unsigned idx, unsigned chunk_id);
	int (*words)(struct buf *out, const char *context, unsigned chunk_id,
		     const struct dialect_words *words);
	int (*chunk_complete)(struct buf *out, const char *context, unsigned chunk_id,
			      double audio_seconds, double gen_ms);
	int (*idle_warning)(struct buf *out);
	int (*final)(struct buf *out, const char *context, const struct reply_totals *totals);
	/* A turn without a context has been booked, or has failed and ended. */
	int (*closed)(struct buf *out, const struct reply_totals *totals,
		      const struct reply_usage *usage);
	int (*error)(struct buf *out, const char *context, const struct wire_notice *notice);

	/* Events of a connection. */
	int (*interrupted)(struct buf *out, const char *context,
			   const struct reply_interruption *report);
	int (*settings_updated)(struct buf *out, const struct settings *settings);
	int (*context_created)(struct buf *out, const char *context);
	int (*context_closed)(struct buf *out, const char *context,
			      const struct reply_usage *usage);
	int (*contexts_closed)(struct buf *out, double total_audio_seconds);
};

extern const struct dialect dialect_native;

#endif
