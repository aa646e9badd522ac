/*
 * reply.h: writes the server's messages on the native sockets as JSON.
 *
 * Each function appends one complete JSON object, or (ENOBUFS, ENOMEM) nothing.  The audio frame is
 * written by hand, directly from the samples into the frame: at thousands of frames a second a JSON
 * library would cost more than sending them.
 *
 * `context` is the context_id of the message, as reply_context_id wrote it; NULL on sockets without
 * contexts.
 *
 * Seconds have up to nine decimals: a sample is 23 µs or more, so the figures of a turn's chunks
 * add up to its total.
 */
#ifndef WIRE_REPLY_H
#define WIRE_REPLY_H

#include <stdbool.h>
#include <stdint.h>

#include "audio/pipeline.h"
#include "base/buf.h"
#include "wire/error.h"
#include "wire/stream_message.h"

/* The longest context_id in bytes before escaping, and the size that it can grow to as JSON: six
 * bytes for each that needs an escape, and the quotes. */
#define REPLY_CONTEXT_ID_MAX 256
#define REPLY_CONTEXT_MAX (6 * REPLY_CONTEXT_ID_MAX + 2)

struct reply_word {
	const char *word; /* slice of the chunk's text */
	size_t word_len;
	unsigned start_ms, end_ms;
	unsigned char_start, char_end;
};

struct reply_usage {
	const char *turn_id; /* NULL: there is no ledger row, or there are several (see turn_ids) */
	const char *turn_ids; /* consecutive strings, each with its NUL; NULL: not known */
	size_t turn_ids_len; /* of all of them, including their NULs */
	const char *model_id;
	double audio_seconds;
	uint64_t characters;
	bool cost_known;
	bool has_default_price; /* no price is configured, so people need not see the cost */
	int64_t cost_microcents;
	const char *currency; /* "eur"; NULL: not known */
	const char *cut_short_by; /* the code of the error that cut it short; NULL: none did */
};

struct reply_totals {
	double audio_seconds;
	unsigned text_chunks;
	unsigned audio_chunks;
};

/* Writes the id as a JSON string with a NUL, for use as `context` below. */
int reply_context_id(struct buf *out, const char *id, size_t len);

int reply_generation_started(struct buf *out, const char *context, unsigned chunk_id,
			     const char *text, size_t len);
int reply_audio(struct buf *out, const char *context, const struct audio_frame *frame,
		const struct audio_format *format, unsigned idx, unsigned chunk_id);
int reply_word_timestamps(struct buf *out, const char *context, unsigned chunk_id,
			  const struct reply_word *words, size_t count);
int reply_chunk_complete(struct buf *out, const char *context, unsigned chunk_id,
			 double audio_seconds, double gen_ms);
int reply_idle_warning(struct buf *out);
int reply_final(struct buf *out, const struct reply_totals *totals);
int reply_session_closed(struct buf *out, const struct reply_totals *totals,
			 const struct reply_usage *usage);

/* On /ws/tts/multi, `final` has no totals, every context_closed has the usage of its context, and
 * session_closed has only the sum of all audio. */
int reply_context_created(struct buf *out, const char *context);
int reply_context_final(struct buf *out, const char *context);
int reply_context_closed(struct buf *out, const char *context, const struct reply_usage *usage);
int reply_multi_closed(struct buf *out, double total_audio_seconds);

/* Writes all six settings that can be updated; temperature and language are null until they are
 * given. */
int reply_settings_updated(struct buf *out, const struct settings *settings);

/* The same on /ws/tts, where the settings are defaults: only those that were given. */
int reply_defaults_updated(struct buf *out, const struct settings *settings);

/* The end of a request on /ws/tts. */
struct reply_request {
	unsigned frames;
	uint64_t samples;
	unsigned sample_rate;
	double gen_ms;
	double first_audio_ms; /* negative: there was no audio */
	double speed;
	const char *text; /* as it was received */
	size_t text_len;
};
int reply_once_final(struct buf *out, const struct reply_request *request,
		     const struct reply_usage *usage);

/* Also the body of an HTTP error. */
int reply_error(struct buf *out, const char *context, const struct wire_notice *notice);

/* `report` is NULL unless the client's cancel asked for one; its usage may be NULL. */
struct reply_interruption {
	const struct reply_usage *usage;
	const char *text_spoken;
	size_t text_spoken_len;
	const char *text_remaining;
	size_t text_remaining_len;
	double audio_seconds;
};
int reply_interrupted(struct buf *out, const char *context,
		      const struct reply_interruption *report);

#endif
