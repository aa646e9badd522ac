/*
 * text_source.c: divides the text of a turn into chunks that can be spoken (see text_source.h).
 */
#include "session/text_source.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "text/chunker.h"
#include "text/reader.h"

/* Sentences that wait only for the schedule are released when this much audio is left to hear.
 * Neural voices produce their first audio after 0.06 s, or 0.2 s on a busy machine; the rest is for
 * the network.  With more time, chunks would be shorter than the client has requested. */
#define RELEASE_AHEAD_US (250 * UINT64_C(1000))

struct text_source {
	struct timers *timers;
	const struct settings *settings;
	struct chunker *chunker;
	struct reader reader;
	struct lexicon *lexicon; /* used by the reader; NULL: no dictionary applies */
	uint64_t bytes; /* the length of all text */
	uint64_t bytes_flushed; /* the length of the text before the last flush */
	bool drops_unflushed; /* text_source_drop_unflushed was called */
	bool is_paused; /* text_source_resume was not called yet */
	bool is_stale; /* flush_timeout_ms has passed while it was paused */
	struct timer confirm_timer; /* fires if no text follows the end of a sentence */
	struct timer stale_timer; /* fires after flush_timeout_ms without more text */
	struct timer release_timer; /* fires when the listener has nearly heard everything */
	text_source_ready_h *ready;
	void *arg;
};

static void text_source_destroy(void *object)
{
	struct text_source *source = object;

	text_source_await_nothing(source);
	mem_deref(source->chunker);
	mem_deref(source->lexicon);
}

int text_source_alloc(struct text_source **sourcep, struct timers *timers,
		      const struct settings *settings, const char *language, bool reads_phonemes,
		      text_source_ready_h *ready, void *arg)
{
	struct text_source *source = mem_zalloc(sizeof(*source), NULL);
	struct chunker_options options = {
		.schedule_len = settings->schedule_len,
		.auto_mode = settings->auto_mode,
		.buffer_max = settings->max_buffer_length,
	};
	int err;

	if (!source)
		return ENOMEM;
	source->timers = timers;
	source->settings = settings;
	source->is_paused = true;
	source->ready = ready;
	source->arg = arg;
	source->reader = (struct reader){
		.language = language_find(language),
		.normalizes = settings->normalize,
		.reads_phonemes = reads_phonemes,
		.markup = settings->markup,
	};
	mem_set_destructor(source, text_source_destroy);
	for (size_t i = 0; i < settings->schedule_len; ++i)
		options.schedule[i] = settings->schedule[i];
	if (strlen(language) <
	    sizeof(options.language)) /* all known languages have shorter names */
		memcpy(options.language, language, strlen(language) + 1);
	err = chunker_alloc(&source->chunker, &options);
	if (err)
		mem_deref(source);
	else
		*sourcep = source;
	return err;
}

void text_source_set_lexicon(struct text_source *source, struct lexicon *lexicon)
{
	mem_deref(source->lexicon);
	source->lexicon = lexicon ? mem_ref(lexicon) : NULL;
	source->reader.lexicon = source->lexicon;
}

int text_source_feed(struct text_source *source, const char *text, size_t len)
{
	int err = chunker_feed(source->chunker, text, len);

	if (err)
		return err;
	source->bytes += len;
	chunker_end_message(source->chunker);
	return 0;
}

const char *text_source_fault(const struct text_source *source)
{
	return chunker_fault(source->chunker);
}

static void text_source_on_confirm(void *arg)
{
	struct text_source *source = arg;

	chunker_pause(source->chunker);
	source->ready(source->arg);
}

static void text_source_on_stale(void *arg);

/* Starts the timer after which incomplete text is spoken. */
static void text_source_await_rest(struct text_source *source)
{
	source->is_stale = false;
	timer_set(source->timers, &source->stale_timer,
		  source->settings->flush_timeout_ms * UINT64_C(1000), text_source_on_stale,
		  source);
}

static void text_source_time_out(struct text_source *source)
{
	if (chunker_timeout(source->chunker))
		text_source_await_rest(source);
}

static void text_source_on_stale(void *arg)
{
	struct text_source *source = arg;

	if (source->is_paused) { /* it could not be spoken, and more text may still arrive */
		source->is_stale = true;
		return;
	}
	text_source_time_out(source);
	source->ready(source->arg);
}

void text_source_resume(struct text_source *source)
{
	source->is_paused = false;
	if (source->is_stale)
		text_source_time_out(source);
}

void text_source_await_more(struct text_source *source)
{
	unsigned pause_ms = chunker_pause_ms(source->chunker);

	text_source_await_rest(source);
	if (pause_ms)
		timer_set(source->timers, &source->confirm_timer, pause_ms * UINT64_C(1000),
			  text_source_on_confirm, source);
	else
		timer_clear(source->timers, &source->confirm_timer);
}

void text_source_await_nothing(struct text_source *source)
{
	timer_clear(source->timers, &source->confirm_timer);
	timer_clear(source->timers, &source->stale_timer);
	timer_clear(source->timers, &source->release_timer);
}

void text_source_flush(struct text_source *source)
{
	source->bytes_flushed = source->bytes;
	timer_clear(source->timers, &source->confirm_timer);
	timer_clear(source->timers, &source->stale_timer);
	chunker_emit(source->chunker);
}

void text_source_release(struct text_source *source)
{
	chunker_pause(source->chunker);
	chunker_release(source->chunker);
}

void text_source_end(struct text_source *source)
{
	text_source_await_nothing(source);
	if (!source->drops_unflushed)
		chunker_flush(source->chunker);
}

void text_source_drop_unflushed(struct text_source *source)
{
	source->drops_unflushed = true;
}

bool text_source_has_flushed(const struct text_source *source, const struct text_chunk *chunk)
{
	return chunk->end <= source->bytes_flushed;
}

bool text_source_was_flushed(const struct text_source *source)
{
	return source->bytes_flushed > 0;
}

int text_source_next(struct text_source *source, struct text_chunk *chunk)
{
	struct chunk next;

	while (chunker_next(source->chunker, &next)) {
		uint64_t end = source->bytes - chunker_buffered(source->chunker);
		struct spoken *spoken;
		int err;

		if (source->drops_unflushed && end > source->bytes_flushed)
			return ENOENT;
		err = reader_read(&spoken, &source->reader, next.text, next.len);
		if (err)
			return err;
		if (spoken->parts_len == 0) { /* it contains nothing to speak */
			mem_deref(spoken);
			continue;
		}
		*chunk = (struct text_chunk){
			.text = malloc(next.len),
			.len = next.len,
			.spoken = spoken,
			.end = end,
		};
		if (!chunk->text) {
			text_chunk_reset(chunk);
			return ENOMEM;
		}
		memcpy(chunk->text, next.text, next.len);
		timer_clear(source->timers, &source->release_timer);
		return 0;
	}
	return ENOENT;
}

void text_chunk_reset(struct text_chunk *chunk)
{
	free(chunk->text);
	mem_deref(chunk->spoken);
	*chunk = (struct text_chunk){0};
}

static void text_source_on_release(void *arg)
{
	struct text_source *source = arg;

	source->ready(source->arg);
}

/* A schedule that the client has set is always kept.  The default schedule is ignored if the
 * listener would otherwise hear a gap. */
bool text_source_release_before(struct text_source *source, uint64_t end_us)
{
	uint64_t now_us = source->timers->now_us;

	timer_clear(source->timers, &source->release_timer);
	if ((source->settings->set & SETTING_SCHEDULE) || !chunker_has_sentence(source->chunker))
		return false;
	if (end_us > now_us + RELEASE_AHEAD_US) {
		timer_set(source->timers, &source->release_timer,
			  end_us - now_us - RELEASE_AHEAD_US, text_source_on_release, source);
		return false;
	}
	chunker_release(source->chunker);
	return true;
}

size_t text_source_buffered(const struct text_source *source)
{
	return chunker_buffered(source->chunker);
}

void text_source_add_rest(struct text_source *source, struct transcript *transcript)
{
	struct chunk chunk;

	chunker_flush(source->chunker);
	while (chunker_next(source->chunker, &chunk)) {
		if (transcript_add(transcript, chunk.text, chunk.len) != 0)
			return;
	}
}
