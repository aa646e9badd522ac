/*
 * dialect.h: how a door says what happens in a turn.
 *
 * Sessions and turns know what happened; a dialect writes it in the shape that
 * the door's clients read.  A door is a dialect, a table of the keys that it
 * reads, and a row in the routes.  Each function appends one whole message, or
 * nothing (ENOBUFS, ENOMEM, or 0 with nothing written: then nothing is sent).
 * NULL: this door never says it.
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
	unsigned audio_ms; /* of all its audio */
	unsigned before_ms; /* audio that its times count from before the chunk's start; 0: none */
	unsigned markup; /* flags of text/markup.h: what of the text was not read */
};

struct dialect {
	/* Of a turn.  context is NULL on doors without contexts. */
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
	/* A turn without a context is booked, or has failed and was ended. */
	int (*closed)(struct buf *out, const struct reply_totals *totals,
		      const struct reply_usage *usage);
	int (*error)(struct buf *out, const char *context, const struct wire_notice *notice);

	/* Of a connection. */
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
