/*
 * answer.c: HTTP answers in the formats of the APIs.
 *
 * Runs on the loop's thread.
 */
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "base/clock.h"
#include "base/log.h"
#include "metrics/metrics.h"
#include "server/opening.h"
#include "server/server_private.h"

void answer_make_request_id(char id[REQUEST_ID_LEN + 1])
{
	uint64_t value;

	if (getrandom(&value, sizeof(value), GRND_NONBLOCK) != (ssize_t)sizeof(value))
		value = clock_monotonic_us(); /* it only has to distinguish requests */
	snprintf(id, REQUEST_ID_LEN + 1, "req_%016llx", (unsigned long long)value);
}

void answer_head(const struct route_call *call)
{
	char timing[48];

	snprintf(timing, sizeof(timing), "total;dur=%.2f",
		 (double)(clock_monotonic_us() - call->begun_us) / 1000.0);
	http_reply_header(call->request, "x-request-id", call->request_id);
	http_reply_header(call->request, "server-timing", timing);
	if (call->door->request_id_header)
		http_reply_header(call->request, call->door->request_id_header, call->request_id);
}

void answer_mark_speech(const struct route_call *call)
{
	for (const struct door *const *door = call->server->doors; *door; ++door) {
		const struct door_header *header = &(*door)->speech_header;

		if (header->name)
			http_reply_header(call->request, header->name, header->value);
	}
}

static void answer_at_level(const struct route_call *call, enum log_level level, int status,
			    const char *json, size_t len)
{
	/* The path is cut at a space, because what follows one could be mistaken for a key of the
	 * log line. */
	log_line(level, "http", "%s %.*s status=%d request=%s", call->request->method,
		 (int)strcspn(call->request->path, " "), call->request->path, status,
		 call->request_id);
	answer_head(call);
	http_reply(call->request, status, "application/json", json, len);
}

void answer_json(const struct route_call *call, int status, const char *json, size_t len)
{
	answer_at_level(call, status >= 500 ? LOG_WARN : LOG_DEBUG, status, json, len);
}

void answer_probe(const struct route_call *call, int status, const char *json, size_t len)
{
	answer_at_level(call, LOG_DEBUG, status, json, len);
}

void answer_empty(const struct route_call *call)
{
	answer_head(call);
	http_reply(call->request, 204, NULL, NULL, 0);
}

static void answer_notice(const struct route_call *call, const struct wire_notice *notice)
{
	const struct error_shape *shape = call->door->errors;
	struct buf *scratch = &call->server->scratch;
	unsigned retry_s = notice->retry_s ? notice->retry_s : wire_error_retry_s(notice->id);
	char seconds[16];

	metrics_add_named(METRIC_ERRORS, wire_error_get(notice->id)->code, 1);
	if (opening_tell_refusal(call, notice))
		return;
	scratch->len = 0;
	if (shape->write(scratch, notice) != 0)
		return; /* the HTTP server answers 500 if nothing else does */
	snprintf(seconds, sizeof(seconds), "%u", retry_s);
	if (retry_s)
		http_reply_header(call->request, "retry-after", seconds);
	answer_json(call, shape->status(notice->id), scratch->bytes, scratch->len);
}

void answer_error(const struct route_call *call, enum wire_error_id id, const char *detail)
{
	const struct wire_notice notice = {
		.id = id, .detail = detail, .request_id = call->request_id};

	answer_notice(call, &notice);
}

void answer_fault(const struct route_call *call, const struct stream_fault *fault)
{
	const struct wire_notice notice = {
		.id = fault->id,
		.retry_s = fault->retry_s,
		.detail = fault->detail,
		.field = fault->field,
		.request_id = call->request_id,
	};

	answer_notice(call, &notice);
}

void answer_rate(struct http_request *request, const struct caller *caller)
{
	struct caller_rate rate;
	char number[24];

	if (!caller_requests_left(caller, &rate))
		return;
	snprintf(number, sizeof(number), "%lld", (long long)rate.limit);
	http_reply_header(request, "x-ratelimit-limit", number);
	snprintf(number, sizeof(number), "%lld", (long long)rate.left);
	http_reply_header(request, "x-ratelimit-remaining", number);
	snprintf(number, sizeof(number), "%u", rate.reset_s);
	http_reply_header(request, "x-ratelimit-reset", number);
}
