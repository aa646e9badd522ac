/*
 * echo.c: work that is not speech, for the tests of fleets and seats (see echo.h).
 */
#include "echo.h"

#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"
#include "workers/endpoint.h"

#define LIMIT_US (60 * 1000000u)

static void on_demand(void *arg, struct fleet_demand *demand)
{
	const struct echo_bed *bed = arg;

	*demand = bed->demand;
}

/* Before READY an echo engine sends its motto as a piece. */
static int on_ready(void *arg, const struct message_ready *ready, const struct buf *said)
{
	struct echo_bed *bed = arg;
	struct message message;
	size_t used;

	assert_int_equal(ready->version, MESSAGE_VERSION);
	++bed->readies;
	bed->news += said != NULL;
	if (said && message_decode(&message, &used, said->bytes, said->len) == 0 &&
	    message.type == ECHO_PIECE) {
		assert_true(message.other.len < sizeof(bed->motto));
		memset(bed->motto, 0, sizeof(bed->motto));
		memcpy(bed->motto, message.other.bytes, message.other.len);
	}
	loop_stop(bed->loop);
	return 0;
}

static void on_changed(void *arg)
{
	struct echo_bed *bed = arg;

	loop_stop(bed->loop);
}

static void on_restarting(void *arg)
{
	struct echo_bed *bed = arg;

	++bed->restarts;
}

static void on_given_up(void *arg)
{
	struct echo_bed *bed = arg;

	++bed->given_up;
	loop_stop(bed->loop);
}

/* The motto costs nothing: it belongs to no piece of work. */
static uint32_t cost(const struct message *message)
{
	return message->type == ECHO_PIECE && message->job ? (uint32_t)message->other.len : 0;
}

static const char *on_message(void *user, const struct message *message)
{
	struct echo *echo = user;

	if (message->type != ECHO_PIECE)
		return "something that is not an echo";
	assert_true(echo->len + message->other.len <= strlen(echo->text));
	if (memcmp(echo->text + echo->len, message->other.bytes, message->other.len) != 0)
		return "another text";
	echo->len += message->other.len;
	++echo->pieces;
	seat_progress(echo->seat, UINT64_MAX);
	loop_stop(echo->bed->loop);
	return NULL;
}

static void on_done(void *user, const struct message *message)
{
	struct echo *echo = user;

	assert_int_equal(message->done.status, MESSAGE_DONE_OK);
	echo->seat = NULL;
	echo->is_done = true;
	++echo->bed->done;
	loop_stop(echo->bed->loop);
}

static void on_lost(void *user, uint64_t serial)
{
	struct echo *echo = user;

	echo->seat = NULL;
	echo->lost_with = serial;
	++echo->bed->lost;
	loop_stop(echo->bed->loop);
}

static const struct fleet_ops ops = {
	.demand = on_demand,
	.ready = on_ready,
	.changed = on_changed,
	.restarting = on_restarting,
	.given_up = on_given_up,
	.cost = cost,
	.message = on_message,
	.done = on_done,
	.lost = on_lost,
};

void echo_open(struct echo_bed *bed, const char *program, struct fleet_options options)
{
	*bed = (struct echo_bed){.demand = {.spare = 1}};
	options.name = "echo";
	options.program = program;
	options.launch.memory_mb = 4096;
	options.launch.cpu_seconds = 20;
	if (options.workers_max == 0)
		options.workers_max = 4;
	if (options.stall_ms == 0)
		options.stall_ms = 60000;
	options.cores = 2;
	assert_int_equal(loop_alloc(&bed->loop), 0);
	assert_int_equal(fleet_alloc(&bed->fleet, bed->loop, &options, &ops, bed), 0);
	fleet_staff(bed->fleet);
}

void echo_close(struct echo_bed *bed)
{
	timer_clear(&bed->loop->timers, &bed->limit);
	mem_deref(bed->fleet);
	mem_deref(bed->loop);
	assert_int_equal(mem_live(), 0);
}

static void on_limit(void *arg)
{
	struct echo_bed *bed = arg;

	loop_stop(bed->loop);
}

void echo_run_until(struct echo_bed *bed, const unsigned *counter, unsigned count)
{
	timer_set(&bed->loop->timers, &bed->limit, LIMIT_US, on_limit, bed);
	while (*counter < count) {
		assert_true(timer_is_set(&bed->limit));
		loop_run(bed->loop);
	}
	timer_clear(&bed->loop->timers, &bed->limit);
}

void echo_pass(struct echo_bed *bed, unsigned ms)
{
	timer_set(&bed->loop->timers, &bed->limit, ms * 1000u, on_limit, bed);
	while (timer_is_set(&bed->limit))
		loop_run(bed->loop);
}

static void put_le(char *bytes, uint32_t value)
{
	for (int i = 0; i < 4; ++i)
		bytes[i] = (char)(value >> 8 * i);
}

void echo_start(struct echo_bed *bed, struct echo *echo, const char *text, uint32_t credit)
{
	struct worker *worker = fleet_pick(bed->fleet);
	char bytes[4 + sizeof(echo->text)];
	struct message start = {.type = ECHO_START};
	size_t len = strlen(text);

	assert_non_null(worker);
	*echo = (struct echo){.bed = bed};
	assert_true(len < sizeof(echo->text));
	snprintf(echo->text, sizeof(echo->text), "%s", text);
	put_le(bytes, credit);
	snprintf(bytes + 4, sizeof(bytes) - 4, "%s", text);
	start.other = (struct message_bytes){(const unsigned char *)bytes, 4 + len};
	assert_int_equal(seat_take(&echo->seat, worker, &start, credit, echo), 0);
}

static void peer_send(struct echo_peer *peer, uint16_t type, uint32_t job, const void *bytes,
		      size_t len)
{
	struct message message = {.type = type, .job = job, .other = {bytes, len}};

	assert_int_equal(endpoint_send(peer->endpoint, &message), 0);
}

static void peer_done(struct echo_peer *peer, uint32_t job, uint32_t status)
{
	struct message done = {
		.type = MESSAGE_DONE, .job = job, .done = {.status = status, .detail = {"", 0}}};

	assert_int_equal(endpoint_send(peer->endpoint, &done), 0);
}

static void peer_greet(struct echo_peer *peer)
{
	struct message ready = {
		.type = MESSAGE_READY,
		.ready = {MESSAGE_VERSION, peer->seats, 0, {"echo", 4}, peer->batch},
	};

	peer_send(peer, ECHO_PIECE, 0, "from afar", 9);
	assert_int_equal(endpoint_send(peer->endpoint, &ready), 0);
}

/* The peer sends the whole text at once: tests must grant enough credit at the start. */
static void on_peer_message(const struct message *message, void *arg)
{
	struct echo_peer *peer = arg;
	const unsigned char *text = message->other.bytes + 4;

	switch (message->type) {
	case MESSAGE_HELLO:
		peer_greet(peer);
		break;
	case MESSAGE_CANCEL:
		++peer->cancelled;
		if (!peer->is_silent)
			peer_done(peer, message->job, MESSAGE_DONE_CANCELLED);
		break;
	case ECHO_START:
		++peer->started;
		peer->last_job = message->job;
		if (peer->is_silent)
			break;
		peer_send(peer, ECHO_PIECE, message->job, text, message->other.len - 4);
		if (peer->is_greedy)
			peer_send(peer, ECHO_PIECE, message->job, "!", 1);
		peer_done(peer, message->job, MESSAGE_DONE_OK);
		if (peer->says_done_twice)
			peer_done(peer, message->job, MESSAGE_DONE_OK);
		break;
	default:
		break;
	}
	loop_stop(peer->bed->loop);
}

static void on_peer_lost(int err, void *arg)
{
	struct echo_peer *peer = arg;

	(void)err;
	echo_disconnect(peer);
	loop_stop(peer->bed->loop);
}

void echo_connect(struct echo_bed *bed, struct echo_peer *peer)
{
	struct sockaddr_in address = {.sin_family = AF_INET};
	socklen_t len = sizeof(address);
	int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int ours = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int theirs;
	struct stream *stream;

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_int_equal(bind(listener, (struct sockaddr *)&address, len), 0);
	assert_int_equal(getsockname(listener, (struct sockaddr *)&address, &len), 0);
	assert_int_equal(listen(listener, 1), 0);
	(void)connect(ours, (struct sockaddr *)&address, len);
	theirs = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	assert_true(theirs >= 0);
	close(listener);
	peer->bed = bed;
	assert_int_equal(stream_alloc(&stream, bed->loop, theirs, NULL, NULL, NULL), 0);
	assert_int_equal(
		endpoint_alloc(&peer->endpoint, stream, on_peer_message, on_peer_lost, peer), 0);
	assert_int_equal(stream_connect(&stream, bed->loop, ours, NULL, NULL, NULL, NULL), 0);
	assert_int_equal(fleet_connect(bed->fleet, stream), 0);
}

void echo_disconnect(struct echo_peer *peer)
{
	if (peer->endpoint)
		endpoint_close(peer->endpoint);
	peer->endpoint = NULL;
}
