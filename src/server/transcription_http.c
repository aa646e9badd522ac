/*
 * transcription_http.c: transcripts of recordings that are sent in a form (see transcription_http.h).
 *
 *   the body, as it arrives --> wire/upload_form.c --> hearing/decoding.h, which keeps the file
 *   the form is complete    --> session/transcription.c, for whose samples the decoder is asked
 *   segments                --> sent at once, or kept for the answer
 *
 * Fields may come after the file, so nothing is transcribed before the form is complete.  An error is
 * answered when the body has arrived, because many clients do not read an answer before that.  Runs on
 * the loop's thread.
 */
#include "server/transcription_http.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "hearing/decoding.h"
#include "server/server_private.h"
#include "session/denial.h"
#include "session/model_choice.h"
#include "session/session.h"
#include "session/transcription.h"

/* The longest answer: four hours of words with their times, twice. */
#define ANSWER_MAX (32u * 1024u * 1024u)

/* The decoder is asked for this many samples at a time, half a second, or more. */
#define GRANT_MIN (HEARING_RATE / 2)

struct transcription_http {
	struct link link;
	struct route_call call; /* with references to its request and its caller */
	const struct transcription_api *api;
	struct upload_form form;
	bool has_form; /* the form was opened, and must be reset */
	bool is_form_read; /* its end was read; what follows is ignored */
	bool is_body_read;
	bool is_feeding; /* a piece of the body is being handled */
	struct transcript_wish wish;
	struct decoding_job *job; /* NULL: it has not been started, or has ended */
	size_t file_len; /* bytes of the file that the decoder was given */
	struct transcription *transcription; /* NULL before the form is complete */
	uint64_t granted; /* samples that the decoder may still send */
	struct heard_transcript transcript;
	size_t segments; /* that were sent */
	uint64_t began_us; /* when the form was complete */
	struct stream_fault fault; /* WIRE_ERROR_NONE: it has not failed */
	bool has_begun; /* the status was sent */
};

static struct decoding *transcription_http_decoding(const struct transcription_http *http)
{
	return http->call.server->decoding;
}

/* The end */

static void transcription_http_stop(struct transcription_http *http)
{
	if (http->job)
		transcription_http_decoding(http)->ops->cancel(http->job);
	http->job = NULL;
	http->transcription = transcription_close(http->transcription);
}

static void transcription_http_destroy(void *object)
{
	struct transcription_http *http = object;
	struct server *server = http->call.server;

	transcription_http_stop(http);
	http_on_gone(http->call.request, NULL, NULL);
	mem_deref(http->call.request);
	mem_deref(http->call.caller);
	if (http->has_form)
		upload_form_reset(&http->form);
	heard_transcript_reset(&http->transcript);
	list_remove(&server->transcriptions, &http->link);
	drain_check(server);
}

static void transcription_http_on_gone(void *arg)
{
	mem_deref(arg);
}

/* After the status was sent, only live forms can report an error. */
static void transcription_http_break_off(struct transcription_http *http)
{
	const struct wire_notice notice = {.id = http->fault.id,
					   .detail = http->fault.detail,
					   .request_id = http->call.request_id};
	struct buf piece;

	session_note_error(&notice);
	outgoing_init_buf(&piece, ANSWER_MAX);
	if (http->wish.form->error && http->wish.form->error(&piece, &notice) == 0) {
		http_reply_piece(http->call.request, outgoing_take(&piece));
		http_reply_end(http->call.request);
	} else {
		buf_reset(&piece);
		http_abort(http->call.request);
	}
}

/* Answers with the fault, and releases the object. */
static void transcription_http_refuse(struct transcription_http *http)
{
	if (http->has_begun) {
		transcription_http_break_off(http);
	} else {
		answer_rate(http->call.request, http->call.caller);
		answer_fault(&http->call, &http->fault);
	}
	mem_deref(http);
}

/* Notes the fault.  It is answered now, or when the body has been read. */
static void transcription_http_fail(struct transcription_http *http,
				    const struct stream_fault *fault)
{
	if (http->fault.id != WIRE_ERROR_NONE)
		return;
	http->fault = *fault;
	transcription_http_stop(http);
	if (http->is_body_read)
		transcription_http_refuse(http);
	else if (!http->is_feeding)
		http_resume_body(http->call.request); /* the rest is ignored */
}

static void transcription_http_fail_because(struct transcription_http *http, enum wire_error_id id,
					    const char *detail)
{
	struct stream_fault fault;

	fault_set(&fault, id, "%s", detail);
	fault.retry_s = wire_error_retry_s(id);
	transcription_http_fail(http, &fault);
}

/* The words */

static int transcription_http_begin_answer(struct transcription_http *http)
{
	struct http_request *request = http->call.request;

	answer_head(&http->call);
	answer_rate(request, http->call.caller);
	http_reply_header(request, "Cache-Control", "no-cache");
	if (http_reply_begin(request, 200, http->wish.form->type) != 0)
		return ECONNRESET;
	http->has_begun = true;
	return 0;
}

static int transcription_http_send_segment(struct transcription_http *http,
					   const struct heard_segment *segment)
{
	struct buf piece;
	int err = http->has_begun ? 0 : transcription_http_begin_answer(http);

	if (err)
		return err;
	outgoing_init_buf(&piece, ANSWER_MAX);
	err = http->wish.form->segment(&piece, segment, http->segments++ == 0);
	if (err)
		buf_reset(&piece);
	else
		http_reply_piece(http->call.request, outgoing_take(&piece));
	return err;
}

static void transcription_http_on_segment(void *arg, const struct heard_segment *segment)
{
	struct transcription_http *http = arg;
	int err = heard_transcript_add(&http->transcript, segment);

	if (!err && http->wish.form->is_live && segment->text_len > 0)
		err = transcription_http_send_segment(http, segment);
	if (err == ENOBUFS)
		transcription_http_fail_because(http, WIRE_ERROR_AUDIO_TOO_LONG, "");
	else if (err && err != ECONNRESET)
		transcription_http_fail_because(http, WIRE_ERROR_INTERNAL, "");
}

static void transcription_http_on_failed(void *arg, const struct stream_fault *fault)
{
	transcription_http_fail(arg, fault);
}

static void transcription_http_on_done(void *arg, const struct transcription_usage *usage)
{
	struct transcription_http *http = arg;
	struct http_request *request = http->call.request;
	const struct transcript_facts facts = {
		.transcript = &http->transcript,
		.id = usage->id,
		.model = usage->model,
		.duration_s = (double)usage->samples / HEARING_RATE,
		.processing_ms = (double)(clock_monotonic_us() - http->began_us) / 1000,
		.parts = http->wish.parts,
	};
	struct buf answer;
	int err = 0;

	outgoing_init_buf(&answer, ANSWER_MAX);
	if (http->wish.form->is_live && !http->has_begun)
		err = transcription_http_begin_answer(http);
	if (!err)
		err = http->wish.form->write(&answer, &facts);
	if (err) {
		buf_reset(&answer);
		transcription_http_fail_because(http, WIRE_ERROR_INTERNAL, "");
		return;
	}
	if (http->has_begun) {
		http_reply_piece(request, outgoing_take(&answer));
		http_reply_end(request);
	} else {
		answer_head(&http->call);
		answer_rate(request, http->call.caller);
		http_reply(request, 200, http->wish.form->type, answer.bytes, answer.len);
		buf_reset(&answer);
	}
	mem_deref(http);
}

/* Asks the decoder for as many samples as the transcription has room for. */
static void transcription_http_grant(struct transcription_http *http)
{
	size_t room = http->transcription ? transcription_room(http->transcription) : 0;

	if (!http->job || room < http->granted + GRANT_MIN)
		return;
	transcription_http_decoding(http)->ops->grant(http->job, (uint32_t)(room - http->granted));
	http->granted = room;
}

static void transcription_http_on_room(void *arg)
{
	transcription_http_grant(arg);
}

static const struct transcription_ops transcription_http_ops = {
	.segment = transcription_http_on_segment,
	.room = transcription_http_on_room,
	.failed = transcription_http_on_failed,
	.done = transcription_http_on_done,
};

/* The decoder */

static void transcription_http_on_decoder_room(void *arg)
{
	struct transcription_http *http = arg;

	if (!http->is_body_read)
		http_resume_body(http->call.request);
}

/* The transcription may end in the middle of this, and the request with it. */
static void transcription_http_on_samples(void *arg, const int16_t *samples, size_t count)
{
	struct transcription_http *http = arg;

	mem_ref(http);
	http->granted -= count < http->granted ? count : http->granted;
	if (http->transcription)
		transcription_send(http->transcription, samples, count);
	transcription_http_grant(http);
	mem_deref(http);
}

static void transcription_http_on_decoded(void *arg, enum decoding_end how, const char *detail)
{
	struct transcription_http *http = arg;

	http->job = NULL;
	if (how == DECODING_DONE && http->transcription)
		transcription_finish(http->transcription);
	else if (how == DECODING_REFUSED)
		transcription_http_fail_because(http, WIRE_ERROR_BAD_AUDIO, detail);
	else if (how == DECODING_UNAVAILABLE)
		transcription_http_fail_because(http, WIRE_ERROR_UNAVAILABLE, "");
	else
		transcription_http_fail_because(http, WIRE_ERROR_HEARING_FAILED, "");
}

static const struct decoding_listener transcription_http_listener = {
	.room = transcription_http_on_decoder_room,
	.samples = transcription_http_on_samples,
	.end = transcription_http_on_decoded,
};

/* The form */

/* Begins to transcribe, with all that the form says. */
static int transcription_http_begin(struct transcription_http *http, struct stream_fault *fault)
{
	struct transcription_request request = {
		.services = &http->call.server->services,
		.caller = http->call.caller,
		.language = http->wish.language,
		.want_times = http->wish.want_times,
		.seconds_max = TRANSCRIPTION_HTTP_AUDIO_S,
	};
	int err = model_choice_find(&request.model, request.services, http->wish.model,
				    http->wish.language, fault);

	if (err)
		return err;
	request.segments = segmenter_defaults(request.model->piece_max);
	request.segments.partial_ms = 0;
	if (transcription_alloc(&http->transcription, &request, &transcription_http_ops, http) != 0)
		return fault_set(fault, WIRE_ERROR_INTERNAL, "%s", "");
	http->began_us = clock_monotonic_us();
	transcription_http_decoding(http)->ops->finish(http->job, http->wish.format);
	transcription_begin(http->transcription, http->wish.prompt);
	return 0;
}

/* The body has been read.  The last call for it, which may release the object. */
static void transcription_http_on_body(struct transcription_http *http)
{
	struct stream_fault fault;
	int err = 0;

	http->is_body_read = true;
	if (http->fault.id != WIRE_ERROR_NONE) {
		transcription_http_refuse(http);
		return;
	}
	if (!http->is_form_read)
		err = fault_set(&fault, WIRE_ERROR_INVALID_REQUEST, "the form is cut off");
	else if (!http->form.has_file)
		err = fault_set(&fault, WIRE_ERROR_INVALID_REQUEST, "%s is required",
				http->api->file_name);
	if (err)
		fault_of(&fault, http->api->file_name);
	else
		err = http->api->read(&http->wish, &fault, &http->form);
	if (!err)
		err = transcription_http_begin(http, &fault);
	if (err)
		transcription_http_fail(http, &fault);
}

/* Passes file bytes to the decoder, and returns how many bytes of the body were taken. */
static size_t transcription_http_feed(struct transcription_http *http, const char *bytes,
				      size_t len)
{
	const struct decoding_ops *decoding = transcription_http_decoding(http)->ops;
	size_t left = len;
	int err = 0;

	while (!err && !http->is_form_read) {
		const char *file;
		size_t file_len;

		err = upload_form_read(&http->form, &bytes, &left, decoding->room(http->job), &file,
				       &file_len);
		http->is_form_read = err == ENOENT;
		if (!err)
			err = decoding->send(http->job, file, file_len);
		if (!err)
			http->file_len += file_len;
	}
	/* There is never room for more than the longest file. */
	if (err == ENOBUFS && http->file_len == DECODING_FILE_MAX)
		err = EFBIG;
	if (err == ENOBUFS)
		return len - left; /* transcription_http_on_decoder_room continues */
	if (err == EINVAL)
		transcription_http_fail_because(http, WIRE_ERROR_INVALID_REQUEST,
						"the form is malformed");
	else if (err == E2BIG)
		transcription_http_fail_because(http, WIRE_ERROR_INVALID_REQUEST,
						"the fields of the form are too long");
	else if (err == EFBIG)
		transcription_http_fail_because(http, WIRE_ERROR_FILE_TOO_LARGE, "");
	else if (err && err != EAGAIN && err != ENOENT)
		transcription_http_fail_because(http, WIRE_ERROR_INTERNAL, "");
	return len;
}

/* What follows the form or an error is read and ignored. */
static size_t transcription_http_on_piece(void *arg, const char *bytes, size_t len)
{
	struct transcription_http *http = arg;

	if (len == 0) {
		transcription_http_on_body(http);
		return 0;
	}
	if (http->fault.id != WIRE_ERROR_NONE || http->is_form_read)
		return len;
	http->is_feeding = true;
	len = transcription_http_feed(http, bytes, len);
	http->is_feeding = false;
	return len;
}

/* Checks what can be checked before the body, and starts a decoder. */
static int transcription_http_open(struct transcription_http *http, struct stream_fault *fault)
{
	const struct session_services *services = &http->call.server->services;
	struct decoding *decoding = transcription_http_decoding(http);
	const char *type = http_header(http->call.request, "content-type");
	const struct hearing_model *model;
	int err = model_choice_find(&model, services, "", "", fault);

	if (err)
		return err;
	if (upload_form_open(&http->form, type ? type : "", http->api->file_name) != 0)
		return fault_set(fault, WIRE_ERROR_INVALID_REQUEST,
				 "the body must be a form (multipart/form-data)");
	http->has_form = true;
	err = decoding->ops->start(&http->job, decoding, "", &transcription_http_listener, http);
	if (err == ENOENT)
		return fault_set(fault, WIRE_ERROR_NO_HEARING,
				 "the program syrinx-decode is not installed");
	if (err == ENOBUFS)
		return fault_set(fault, WIRE_ERROR_UNAVAILABLE, "%s", "");
	return err ? fault_set(fault, WIRE_ERROR_INTERNAL, "%s", "") : 0;
}

static int transcription_http_alloc(struct transcription_http **httpp,
				    const struct route_call *call)
{
	struct transcription_http *http = mem_zalloc(sizeof(*http), NULL);

	if (!http)
		return ENOMEM;
	http->call = *call;
	mem_ref(call->request);
	mem_ref(call->caller);
	http->api =
		call->door->transcription ? call->door->transcription : call->route->transcription;
	heard_transcript_init(&http->transcript);
	list_append(&call->server->transcriptions, &http->link);
	mem_set_destructor(http, transcription_http_destroy);
	*httpp = http;
	return 0;
}

void transcription_http_hear(const struct route_call *call)
{
	struct transcription_http *http;
	struct stream_fault fault;
	int err;

	if (transcription_http_alloc(&http, call) != 0) {
		answer_error(call, WIRE_ERROR_INTERNAL, NULL);
		return;
	}
	if (transcription_http_open(http, &fault) != 0)
		http->fault = fault;
	http_on_gone(call->request, transcription_http_on_gone, http);
	err = http_stream_body(call->request, transcription_http_on_piece, http);
	if (!err)
		transcription_http_on_body(http); /* there is none */
	else if (err != EINPROGRESS)
		mem_deref(http); /* it has been answered, or the client is gone */
}

void transcription_http_abort_invalid(struct server *server)
{
	static const struct denied ended = {.why = DENIAL_KEY, .limit = -1};
	struct link *next = list_first(&server->transcriptions);
	struct stream_fault fault;

	denial_describe(&fault, &ended);
	while (next) {
		struct transcription_http *http =
			LIST_OBJECT(next, struct transcription_http, link);

		next = list_next(&server->transcriptions, next);
		if (!caller_may_speak(http->call.caller))
			transcription_http_fail(http, &fault);
	}
}
