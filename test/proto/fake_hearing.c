/*
 * fake_hearing.c: a struct hearing whose audio contains its words (see fake_hearing.h).
 */
#include "fake_hearing.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/mem.h"

#define LOUDNESS 1000 /* of the first word; the nth is n times as loud */
#define TEXT_MAX 4096
#define WORDS_MAX 512

static const char *const words[] = {NULL,   "one", "two",   "three", "four",
				    "five", "six", "seven", "eight", "nine"};

struct fake_piece {
	struct link link;
	struct hearing_piece piece;
};

struct hearing_stream {
	struct link link;
	struct fake_hearing *fake;
	struct hearing_model model;
	const struct hearing_listener *listener;
	void *arg;
	bool want_times;
	int16_t *samples; /* all of them */
	uint64_t count, released, scored;
	struct list pieces;
	bool is_finished;
	bool lacks_room;
	bool is_gone; /* it was cancelled in a handler */
	bool is_busy; /* a handler is being called */
};

static struct fake_hearing *fake_of(const struct hearing *hearing)
{
	return (struct fake_hearing *)(uintptr_t)hearing;
}

static void drop_piece(struct hearing_stream *stream, struct fake_piece *piece)
{
	list_remove(&stream->pieces, &piece->link);
	free(piece);
}

static void free_stream(struct hearing_stream *stream)
{
	struct link *link;

	while ((link = list_first(&stream->pieces)))
		drop_piece(stream, LIST_OBJECT(link, struct fake_piece, link));
	list_remove(&stream->fake->streams, &stream->link);
	free(stream->samples);
	free(stream);
}

static size_t on_room(const struct hearing_stream *stream)
{
	size_t most = stream->fake->room ? stream->fake->room : HEARING_KEPT_MAX;
	size_t kept = (size_t)(stream->count - stream->released);

	return kept < most ? most - kept : 0;
}

static int on_start(struct hearing_stream **streamp, struct hearing *hearing,
		    const struct hearing_request *request, const struct hearing_listener *listener,
		    void *arg)
{
	struct fake_hearing *fake = fake_of(hearing);
	struct hearing_stream *stream;

	if (fake->mood == FAKE_HEARING_FULL)
		return ENOBUFS;
	if (!hearing_models_find(fake->models, request->model->name))
		return ENOENT;
	stream = calloc(1, sizeof(*stream));
	if (!stream)
		return ENOMEM;
	stream->fake = fake;
	stream->model = *request->model;
	stream->listener = listener;
	stream->arg = arg;
	stream->want_times = request->want_times;
	list_init(&stream->pieces);
	list_append(&fake->streams, &stream->link);
	++fake->started;
	snprintf(fake->language, sizeof(fake->language), "%s", request->language);
	snprintf(fake->prompt, sizeof(fake->prompt), "%s", request->prompt);
	fake->want_times = request->want_times;
	*streamp = stream;
	return 0;
}

static int on_send(struct hearing_stream *stream, const int16_t *samples, size_t count)
{
	int16_t *more;

	assert(!stream->is_finished);
	if (count > on_room(stream)) {
		stream->lacks_room = true;
		return ENOBUFS;
	}
	more = realloc(stream->samples, (stream->count + count + 1) * sizeof(*more));
	if (!more)
		return ENOMEM;
	memcpy(more + stream->count, samples, count * sizeof(*more));
	stream->samples = more;
	stream->count += count;
	stream->lacks_room |= on_room(stream) < HEARING_RATE;
	return 0;
}

static int on_recognize(struct hearing_stream *stream, const struct hearing_piece *piece)
{
	size_t most = stream->fake->pieces_max ? stream->fake->pieces_max : HEARING_PIECES_MAX;
	struct fake_piece *entry;

	assert(!stream->is_finished);
	if (piece->from_sample >= piece->to_sample || piece->from_sample < stream->released ||
	    piece->to_sample > stream->count ||
	    piece->to_sample - piece->from_sample > stream->model.piece_max)
		return EINVAL;
	if (stream->pieces.count >= most)
		return ENOBUFS;
	entry = calloc(1, sizeof(*entry));
	if (!entry)
		return ENOMEM;
	entry->piece = *piece;
	list_append(&stream->pieces, &entry->link);
	if (piece->is_final)
		++stream->fake->finals;
	else
		++stream->fake->partials;
	return 0;
}

static void on_release(struct hearing_stream *stream, uint64_t sample)
{
	assert(sample <= stream->count);
	if (sample > stream->released)
		stream->released = sample;
}

static void on_finish(struct hearing_stream *stream)
{
	stream->is_finished = true;
}

static void on_cancel(struct hearing_stream *stream)
{
	++stream->fake->cancelled;
	stream->is_gone = true;
	if (!stream->is_busy)
		free_stream(stream);
}

static enum hearing_state on_state(const struct hearing *hearing)
{
	return fake_of(hearing)->state;
}

static const struct hearing_ops fake_ops = {
	.start = on_start,
	.send = on_send,
	.room = on_room,
	.recognize = on_recognize,
	.release = on_release,
	.finish = on_finish,
	.cancel = on_cancel,
	.state = on_state,
};

int fake_hearing_open(struct fake_hearing *fake)
{
	int err;

	*fake = (struct fake_hearing){.state = HEARING_READY};
	list_init(&fake->streams);
	err = hearing_models_alloc(&fake->models, NULL);
	if (err)
		return err;
	fake->hearing = (struct hearing){.ops = &fake_ops, .models = fake->models};
	return fake_hearing_install(fake, true);
}

void fake_hearing_close(struct fake_hearing *fake)
{
	assert(fake->streams.count == 0);
	fake->models = mem_deref(fake->models);
}

int fake_hearing_install(struct fake_hearing *fake, bool is_installed)
{
	static const struct hearing_model models[] = {
		{.name = "tiny",
		 .engine = "hear",
		 .title = "Tiny",
		 .languages = "en",
		 .piece_max = 30 * HEARING_RATE,
		 .has_times = true,
		 .has_probabilities = true,
		 .has_partials = true},
		{.name = "big",
		 .engine = "hear",
		 .title = "Big",
		 .languages = "",
		 .piece_max = 30 * HEARING_RATE,
		 .has_times = true,
		 .times_are_approximate = true,
		 .detects_language = true},
	};

	return hearing_models_replace(fake->models, "hear", models,
				      is_installed ? COUNT(models) : 0);
}

static int word_at(const struct hearing_stream *stream, uint64_t sample)
{
	return stream->samples[sample] / LOUDNESS;
}

static bool give_activity(struct hearing_stream *stream)
{
	uint8_t levels[64];
	uint64_t first = stream->scored;
	size_t count = 0;

	while (count < sizeof(levels) && stream->scored + HEARING_FRAME <= stream->count) {
		bool is_loud = word_at(stream, stream->scored + HEARING_FRAME / 2) != 0;

		levels[count++] = is_loud ? 250 : 5;
		stream->scored += HEARING_FRAME;
	}
	if (count > 0)
		stream->listener->activity(stream->arg, first, levels, count);
	return count > 0;
}

struct heard {
	char text[TEXT_MAX];
	struct hearing_word words[WORDS_MAX];
	size_t len, count;
};

static void hear(struct heard *heard, const struct hearing_stream *stream,
		 const struct hearing_piece *piece)
{
	uint64_t at = piece->from_sample;

	heard->len = heard->count = 0;
	while (at < piece->to_sample) {
		int word = word_at(stream, at);
		uint64_t from = at;

		while (at < piece->to_sample && word_at(stream, at) == word)
			++at;
		if (word <= 0 || (size_t)word >= COUNT(words) || heard->count == WORDS_MAX)
			continue;
		heard->len += (size_t)snprintf(heard->text + heard->len, TEXT_MAX - heard->len,
					       "%s%s", heard->count ? " " : "", words[word]);
		heard->words[heard->count++] = (struct hearing_word){
			.byte_start = (uint32_t)(heard->len - strlen(words[word])),
			.byte_end = (uint32_t)heard->len,
			.sample_start = from,
			.sample_end = at,
			.probability = 0.5f,
		};
	}
}

static void give_result(struct hearing_stream *stream, const struct hearing_piece *piece)
{
	static struct heard heard;
	bool has_times = stream->want_times && stream->model.has_times;

	hear(&heard, stream, piece);
	stream->listener->result(
		stream->arg,
		&(struct hearing_result){
			.piece = *piece,
			.text = heard.text,
			.text_len = heard.len,
			.words = heard.words,
			.word_count = has_times ? heard.count : 0,
			.times_are_approximate = stream->model.times_are_approximate,
			.language = stream->model.detects_language ? "de" : "en",
			.language_probability = stream->model.detects_language ? 0.75f : 1.0f,
			.busy_us = FAKE_HEARING_BUSY_US,
		});
}

static bool end_stream(struct hearing_stream *stream, enum hearing_end how)
{
	const struct hearing_listener *listener = stream->listener;
	void *arg = stream->arg;

	stream->is_busy = false;
	free_stream(stream);
	listener->end(arg, how, "so the test wants");
	return true;
}

static bool give_piece(struct hearing_stream *stream)
{
	struct link *link = stream->fake->is_backwards ? list_last(&stream->pieces)
						       : list_first(&stream->pieces);
	struct hearing_piece piece;

	if (!link || stream->fake->is_deaf)
		return false;
	piece = LIST_OBJECT(link, struct fake_piece, link)->piece;
	drop_piece(stream, LIST_OBJECT(link, struct fake_piece, link));
	give_result(stream, &piece);
	return true;
}

static bool give_room(struct hearing_stream *stream)
{
	if (!stream->lacks_room || on_room(stream) < HEARING_RATE)
		return false;
	stream->lacks_room = false;
	stream->listener->room(stream->arg);
	return true;
}

static bool give_stream(struct hearing_stream *stream)
{
	enum fake_hearing_mood mood = stream->fake->mood;
	bool is_given;

	if (mood == FAKE_HEARING_AWAY)
		return end_stream(stream, HEARING_UNAVAILABLE);
	if (mood == FAKE_HEARING_BREAKS && stream->pieces.count > 0)
		return end_stream(stream, HEARING_FAILED);
	if (stream->is_finished && stream->pieces.count == 0 &&
	    stream->scored + HEARING_FRAME > stream->count)
		return end_stream(stream, HEARING_DONE);
	stream->is_busy = true;
	is_given = give_activity(stream);
	if (!stream->is_gone && !is_given)
		is_given = give_piece(stream);
	if (!stream->is_gone)
		is_given |= give_room(stream);
	stream->is_busy = false;
	if (stream->is_gone)
		free_stream(stream);
	return is_given;
}

bool fake_hearing_give(struct fake_hearing *fake)
{
	struct link *next = list_first(&fake->streams);
	bool is_given = false;

	while (next) {
		struct hearing_stream *stream = LIST_OBJECT(next, struct hearing_stream, link);

		next = list_next(&fake->streams, next);
		is_given |= give_stream(stream);
	}
	return is_given;
}

size_t fake_hearing_say(int16_t *samples, size_t max, const char *text)
{
	size_t count = 0;

	while (*text) {
		size_t len = strcspn(text, " .");
		int word = 0;

		for (int i = 1; i < (int)COUNT(words); ++i) {
			if (strlen(words[i]) == len && strncmp(words[i], text, len) == 0)
				word = i;
		}
		if (len > 0) {
			assert(word > 0 && count + FAKE_HEARING_WORD + FAKE_HEARING_GAP <= max);
			for (size_t i = 0; i < FAKE_HEARING_WORD; ++i)
				samples[count++] = (int16_t)(word * LOUDNESS);
			for (size_t i = 0; i < FAKE_HEARING_GAP; ++i)
				samples[count++] = 0;
		} else if (*text == '.') {
			assert(count + HEARING_RATE / 10 <= max);
			for (size_t i = 0; i < HEARING_RATE / 10; ++i)
				samples[count++] = 0;
			len = 1;
		} else {
			len = 1;
		}
		text += len;
	}
	return count;
}
