/*
 * hear_local.c: listens without a server (see hear_local.h).
 *
 *   the file --> a decoder --> samples, as many as there is room for --> session/transcription.c
 *
 * The file is read whenever the decoder has room, which blocks the loop; there is nothing else to do.
 */
#include "cli/hear_local.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "cli/local_ledger.h"
#include "doors/doors_local.h"
#include "hearing/decoding_pool.h"
#include "server/engines.h"
#include "server/model_files.h"
#include "session/heard_transcript.h"
#include "session/model_choice.h"
#include "session/transcription.h"

/* The decoder is asked for this many samples at a time, half a second, or more. */
#define GRANT_MIN (HEARING_RATE / 2)

#define PIECE_LEN (64u * 1024u)

/* The longest recording, as on a server. */
#define AUDIO_S (4u * 3600u)

struct hear_local {
	const struct config *config;
	const struct hear_local_request *request;
	struct loop *loop;
	struct engines_budget budget;
	struct hearing_pool *hearing_pool;
	struct decoding_pool *decoding_pool;
	struct local_ledger ledger;
	struct session_services services;
	struct caller *nobody;
	struct decoding *decoding;
	struct decoding_job *job; /* NULL once it has ended */
	bool is_read; /* the whole file was read */
	uint64_t granted; /* samples that the decoder may still send */
	struct transcription *transcription;
	struct heard_transcript transcript;
	uint64_t began_us;
	struct buf *answer;
	int err;
};

/* Prints the reason of the first failure, and ends. */
static void hear_local_fail(struct hear_local *hear, int err, const char *why, const char *detail)
{
	if (!hear->err)
		fprintf(stderr, "syrinx hear: %s%s%s\n", why, detail[0] ? ": " : "", detail);
	hear->err = hear->err ? hear->err : err;
	loop_stop(hear->loop);
}

static void hear_local_fail_with(struct hear_local *hear, const struct stream_fault *fault)
{
	hear_local_fail(hear, EIO, wire_error_get(fault->id)->text, fault->detail);
}

/* The words */

static void hear_local_on_segment(void *arg, const struct heard_segment *segment)
{
	struct hear_local *hear = arg;
	int err = heard_transcript_add(&hear->transcript, segment);

	if (err)
		hear_local_fail(hear, err, "the words cannot be kept", strerror(err));
}

static void hear_local_on_failed(void *arg, const struct stream_fault *fault)
{
	hear_local_fail_with(arg, fault);
}

static void hear_local_on_done(void *arg, const struct transcription_usage *usage)
{
	struct hear_local *hear = arg;
	bool has_times = hear->request->has_times;
	const struct transcript_form *form =
		has_times ? doors_local_transcript_timed : doors_local_transcript;
	const struct transcript_facts facts = {
		.transcript = &hear->transcript,
		.id = "",
		.model = usage->model,
		.duration_s = (double)usage->samples / HEARING_RATE,
		.processing_ms = (double)(clock_monotonic_us() - hear->began_us) / 1000,
		.parts = has_times ? doors_local_transcript_parts : 0,
	};
	int err = form->write(hear->answer, &facts);

	if (err)
		hear_local_fail(hear, err, "the words cannot be written", strerror(err));
	loop_stop(hear->loop);
}

/* Asks the decoder for as many samples as the transcription has room for. */
static void hear_local_grant(void *arg)
{
	struct hear_local *hear = arg;
	size_t room = transcription_room(hear->transcription);

	if (!hear->job || room < hear->granted + GRANT_MIN)
		return;
	hear->decoding->ops->grant(hear->job, (uint32_t)(room - hear->granted));
	hear->granted = room;
}

static const struct transcription_ops hear_local_ops = {
	.segment = hear_local_on_segment,
	.room = hear_local_grant,
	.failed = hear_local_on_failed,
	.done = hear_local_on_done,
};

/* The file */

/* Reads as much of the file as the decoder has room for. */
static void hear_local_feed(void *arg)
{
	static char piece[PIECE_LEN];
	struct hear_local *hear = arg;
	size_t room;

	while (!hear->is_read && !hear->err && (room = hear->decoding->ops->room(hear->job)) > 0) {
		ssize_t n = read(hear->request->fd, piece, room < PIECE_LEN ? room : PIECE_LEN);
		int err = n < 0 ? errno : 0;

		if (n > 0)
			err = hear->decoding->ops->send(hear->job, piece, (size_t)n);
		if (err)
			hear_local_fail(hear, err, "the file cannot be read",
					err == EFBIG ? "it is larger than 25 MB" : strerror(err));
		hear->is_read = n == 0;
	}
	if (hear->is_read)
		hear->decoding->ops->finish(hear->job, "");
}

static void hear_local_on_samples(void *arg, const int16_t *samples, size_t count)
{
	struct hear_local *hear = arg;

	hear->granted -= count < hear->granted ? count : hear->granted;
	if (hear->err)
		return;
	transcription_send(hear->transcription, samples, count);
	hear_local_grant(hear);
}

static void hear_local_on_decoded(void *arg, enum decoding_end how, const char *detail)
{
	struct hear_local *hear = arg;

	hear->job = NULL;
	if (how == DECODING_DONE && !hear->err)
		transcription_finish(hear->transcription);
	else if (how == DECODING_REFUSED)
		hear_local_fail(hear, EINVAL, "the file cannot be decoded", detail);
	else if (how != DECODING_DONE)
		hear_local_fail(hear, EIO, "the decoder failed", detail);
}

static const struct decoding_listener hear_local_listener = {
	.room = hear_local_feed,
	.samples = hear_local_on_samples,
	.end = hear_local_on_decoded,
};

/* The engines */

static void hear_local_on_ready(void *arg)
{
	loop_stop(arg);
}

static int hear_local_open(struct hear_local *hear)
{
	int err = loop_alloc(&hear->loop);

	hear->budget.memory.limit = (uint64_t)hear->config->memory_mb << 20;
	if (!err)
		err = engines_open_hearing(&hear->hearing_pool, hear->loop, hear->config,
					   &hear->budget, NULL);
	if (!err)
		err = engines_open_decoding(&hear->decoding_pool, hear->loop, hear->config,
					    &hear->budget);
	if (!err)
		err = caller_alloc_standalone(&hear->nobody, &hear->loop->timers, NULL, NULL);
	if (err) {
		fprintf(stderr, "syrinx hear: the engines of %s cannot be started: %s\n",
			hear->config->engines_dir, strerror(err));
		return err;
	}
	hearing_pool_on_ready(hear->hearing_pool, hear_local_on_ready, hear->loop);
	loop_run(hear->loop);
	local_ledger_init(&hear->ledger, hear->loop);
	hear->decoding = decoding_pool_decoding(hear->decoding_pool);
	hear->services = (struct session_services){
		.timers = &hear->loop->timers,
		.hearing = hearing_pool_hearing(hear->hearing_pool),
		.ledger = &hear->ledger.ledger,
		.prices = &local_ledger_prices,
	};
	return 0;
}

/* Explains why no model can be used. */
static int hear_local_refuse(const struct hear_local *hear, const struct stream_fault *fault)
{
	char missing[MODEL_FILES_TEXT_SIZE];

	if (fault->id == WIRE_ERROR_NO_HEARING && model_files_find_missing(missing, hear->config))
		fprintf(stderr, "syrinx hear: this machine lacks %s in %s; to install: %s\n",
			missing, hear->config->models_dir, MODEL_FILES_COMMAND);
	else
		fprintf(stderr, "syrinx hear: %s%s%s\n", wire_error_get(fault->id)->text,
			fault->detail[0] ? ": " : "", fault->detail);
	return ENOENT;
}

static int hear_local_begin(struct hear_local *hear)
{
	const char *model = hear->request->model;
	const char *language = hear->request->language;
	struct transcription_request request = {
		.services = &hear->services,
		.caller = hear->nobody,
		.language = language ? language : "",
		.want_times = hear->request->has_times,
		.seconds_max = AUDIO_S,
	};
	struct stream_fault fault = {0};
	int err = model_choice_find(&request.model, &hear->services, model ? model : "",
				    request.language, &fault);

	if (err)
		return hear_local_refuse(hear, &fault);
	request.segments = segmenter_defaults(request.model->piece_max);
	request.segments.partial_ms = 0;
	err = hear->decoding->ops->start(&hear->job, hear->decoding, "", &hear_local_listener,
					 hear);
	if (!err)
		err = transcription_alloc(&hear->transcription, &request, &hear_local_ops, hear);
	if (err)
		fprintf(stderr, "syrinx hear: %s\n",
			err == ENOENT ? "there is no syrinx-decode to decode files with"
				      : strerror(err));
	return err;
}

static void hear_local_close(struct hear_local *hear)
{
	if (hear->job)
		hear->decoding->ops->cancel(hear->job);
	transcription_close(hear->transcription);
	heard_transcript_reset(&hear->transcript);
	mem_deref(hear->nobody);
	mem_deref(hear->decoding_pool);
	mem_deref(hear->hearing_pool);
	mem_deref(hear->loop);
}

int hear_local(struct buf *answer, const struct config *config,
	       const struct hear_local_request *request)
{
	static struct hear_local hear; /* zeroed; a command listens once */
	int err;

	hear.config = config;
	hear.request = request;
	hear.answer = answer;
	heard_transcript_init(&hear.transcript);
	err = hear_local_open(&hear);
	if (!err)
		err = hear_local_begin(&hear);
	if (!err) {
		hear.began_us = clock_monotonic_us();
		transcription_begin(hear.transcription, "");
		hear_local_feed(&hear);
		loop_run(hear.loop);
		err = hear.err;
	}
	hear_local_close(&hear);
	return err;
}
