/* An endpoint passes on whole messages in order, however they were divided into reads; it ends at
 * the first bytes that are not a message, and never holds more than its limit. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/mem.h"
#include "metrics/metrics.h"
#include "workers/endpoint.h"

struct bed {
	struct loop *loop;
	struct endpoint *endpoint; /* NULL: it has been closed */
	int fd; /* the worker's end */
	struct timer limit;
	unsigned heard; /* messages so far */
	unsigned stop_after; /* the loop stops after this many messages */
	unsigned close_after; /* the endpoint is closed after this many messages; 0: never */
	uint32_t last_job;
	int lost; /* the error of the lost handler */
};

static void on_limit(void *arg)
{
	struct bed *bed = arg;

	loop_stop(bed->loop);
}

static void close_endpoint(struct bed *bed)
{
	if (bed->endpoint)
		endpoint_close(bed->endpoint);
	bed->endpoint = NULL;
}

/* Every message of these tests is a WORD, counted by its job. */
static void on_message(const struct message *message, void *arg)
{
	struct bed *bed = arg;

	assert_int_equal(message->type, MESSAGE_WORD);
	assert_int_equal(message->job, bed->last_job + 1);
	assert_int_equal(message->word.byte_end, message->job);
	bed->last_job = message->job;
	++bed->heard;
	if (bed->heard == bed->close_after)
		close_endpoint(bed);
	if (bed->heard == bed->stop_after)
		loop_stop(bed->loop);
}

static void on_lost(int err, void *arg)
{
	struct bed *bed = arg;

	assert_int_equal(bed->lost, 0);
	bed->lost = err;
	loop_stop(bed->loop);
}

static void bed_open(struct bed *bed)
{
	struct stream *stream;
	int fds[2];

	memset(bed, 0, sizeof(*bed));
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, fds),
			 0);
	assert_int_equal(loop_alloc(&bed->loop), 0);
	bed->fd = fds[1];
	assert_int_equal(stream_alloc(&stream, bed->loop, fds[0], NULL, NULL, NULL), 0);
	assert_int_equal(endpoint_alloc(&bed->endpoint, stream, on_message, on_lost, bed), 0);
}

static void bed_run(struct bed *bed, unsigned ms)
{
	timer_set(&bed->loop->timers, &bed->limit, ms * 1000u, on_limit, bed);
	loop_run(bed->loop);
	timer_clear(&bed->loop->timers, &bed->limit);
}

static void bed_close(struct bed *bed)
{
	close_endpoint(bed);
	if (bed->fd >= 0)
		close(bed->fd);
	mem_deref(bed->loop);
	assert_int_equal(mem_live(), 0);
}

static void put_words(struct buf *out, uint32_t first, uint32_t count)
{
	for (uint32_t job = first; job < first + count; ++job) {
		struct message word = {.type = MESSAGE_WORD, .job = job, .word = {.byte_end = job}};

		assert_int_equal(message_encode(out, &word), 0);
	}
}

static void send_bytes(const struct bed *bed, const void *bytes, size_t n)
{
	assert_int_equal(send(bed->fd, bytes, n, MSG_NOSIGNAL), (ssize_t)n);
}

static void test_a_message_that_comes_byte_by_byte_is_whole(void **state)
{
	struct bed bed;
	struct buf out;

	(void)state;
	bed_open(&bed);
	buf_init(&out, 4096);
	put_words(&out, 1, 2);
	bed.stop_after = 2;
	for (size_t i = 0; i < out.len; ++i) {
		send_bytes(&bed, out.bytes + i, 1);
		bed_run(&bed, i + 1 < out.len ? 1 : 1000);
	}
	assert_int_equal(bed.heard, 2);
	buf_reset(&out);
	bed_close(&bed);
}

/* Cuts that fall at every place inside a message. */
static void test_messages_are_whole_wherever_they_are_cut(void **state)
{
	struct bed bed;
	struct buf out;
	size_t sent = 0;

	(void)state;
	bed_open(&bed);
	buf_init(&out, 1 << 20);
	put_words(&out, 1, 500);
	bed.stop_after = 500;
	while (sent < out.len) {
		size_t n = out.len - sent < 251 ? out.len - sent : 251;

		send_bytes(&bed, out.bytes + sent, n);
		sent += n;
		bed_run(&bed, sent < out.len ? 1 : 1000);
	}
	assert_int_equal(bed.heard, 500);
	buf_reset(&out);
	bed_close(&bed);
}

static void test_bytes_that_are_no_message_end_it(void **state)
{
	struct bed bed;
	struct buf out;

	(void)state;
	bed_open(&bed);
	buf_init(&out, 4096);
	put_words(&out, 1, 3);
	assert_int_equal(buf_append_str(&out, "HTTP/1.1 400 Bad Request\r\n\r\n"), 0);
	put_words(&out, 4, 3);
	send_bytes(&bed, out.bytes, out.len);
	bed_run(&bed, 1000);
	assert_int_equal(bed.heard, 3);
	assert_int_equal(bed.lost, EPROTO);
	send_bytes(&bed, out.bytes, out.len);
	bed_run(&bed, 20);
	assert_int_equal(bed.heard, 3);
	buf_reset(&out);
	bed_close(&bed);
}

static void test_the_end_of_the_worker_is_told_after_its_last_message(void **state)
{
	struct bed bed;
	struct buf out;

	(void)state;
	bed_open(&bed);
	buf_init(&out, 4096);
	put_words(&out, 1, 3);
	send_bytes(&bed, out.bytes, out.len - 1);
	close(bed.fd);
	bed.fd = -1;
	bed_run(&bed, 1000);
	assert_int_equal(bed.heard, 2);
	assert_int_equal(bed.lost, ECONNRESET);
	buf_reset(&out);
	bed_close(&bed);
}

static void test_nothing_is_heard_after_a_close_inside_the_handler(void **state)
{
	struct bed bed;
	struct buf out;

	(void)state;
	bed_open(&bed);
	buf_init(&out, 4096);
	put_words(&out, 1, 5);
	bed.close_after = 2;
	send_bytes(&bed, out.bytes, 10); /* so that the rest is read into the buffer */
	bed_run(&bed, 5);
	send_bytes(&bed, out.bytes + 10, out.len - 10);
	bed_run(&bed, 20);
	assert_int_equal(bed.heard, 2);
	assert_int_equal(bed.lost, 0);
	buf_reset(&out);
	bed_close(&bed);
}

/* An invalid header is noticed at once, although the payload that it announces has not arrived. */
static void test_a_header_that_comes_in_two_parts_and_is_none_ends_it(void **state)
{
	static const unsigned char header[MESSAGE_HEADER_LEN] = {100, 0, 0, 0, MESSAGE_WORD, 0, 1};
	struct bed bed;

	(void)state;
	bed_open(&bed);
	send_bytes(&bed, header, 5);
	bed_run(&bed, 5);
	send_bytes(&bed, header + 5, sizeof(header) - 5);
	bed_run(&bed, 1000);
	assert_int_equal(bed.heard, 0);
	assert_int_equal(bed.lost, EPROTO);
	bed_close(&bed);
}

/* The stream's system calls cannot be counted here, but what one read of the peer finds can. */
static void test_what_is_sent_in_one_callback_arrives_at_once(void **state)
{
	enum { CREDITS = 500, LEN = MESSAGE_HEADER_LEN + 4 };
	static char bytes[2 * CREDITS * LEN];
	struct bed bed;

	(void)state;
	bed_open(&bed);
	for (uint32_t job = 1; job <= CREDITS; ++job) {
		struct message credit = {.type = MESSAGE_CREDIT, .job = job, .credit_samples = job};

		assert_int_equal(endpoint_send(bed.endpoint, &credit), 0);
	}
	assert_int_equal(recv(bed.fd, bytes, sizeof(bytes), MSG_DONTWAIT), -1);
	bed_run(&bed, 1);
	assert_int_equal(recv(bed.fd, bytes, LEN, MSG_DONTWAIT), LEN);
	assert_int_equal(recv(bed.fd, bytes, sizeof(bytes), MSG_DONTWAIT), (CREDITS - 1) * LEN);
	bed_close(&bed);
}

/* The line of a metric, as /metrics shows it. */
static void metric_line(char *line, size_t size, const char *name)
{
	struct buf page;
	const char *at;

	buf_init(&page, 1024 * 1024);
	assert_int_equal(metrics_print(&page, NULL, NULL), 0);
	assert_int_equal(buf_append(&page, "", 1), 0);
	at = strstr(page.bytes, name);
	assert_non_null(at);
	snprintf(line, size, "%.*s", (int)strcspn(at, "\n"), at);
	buf_reset(&page);
}

static void test_bytes_to_workers_are_not_counted_as_sent_to_clients(void **state)
{
	struct message cancel = {.type = MESSAGE_CANCEL, .job = 1};
	char before[128], after[128];
	char bytes[64];
	struct bed bed;

	(void)state;
	bed_open(&bed);
	metric_line(before, sizeof(before), "\nsyrinx_sent_bytes_total");
	assert_int_equal(endpoint_send(bed.endpoint, &cancel), 0);
	endpoint_push(bed.endpoint);
	assert_int_equal(recv(bed.fd, bytes, sizeof(bytes), MSG_DONTWAIT), MESSAGE_HEADER_LEN);
	metric_line(after, sizeof(after), "\nsyrinx_sent_bytes_total");
	assert_string_equal(after, before);
	bed_close(&bed);
}

static void test_an_abort_is_told_by_the_loop(void **state)
{
	struct bed bed;

	(void)state;
	bed_open(&bed);
	endpoint_abort(bed.endpoint, ENOBUFS);
	assert_int_equal(bed.lost, 0);
	bed_run(&bed, 1000);
	assert_int_equal(bed.lost, ENOBUFS);
	bed_close(&bed);
}

static struct message long_speak(char *text, size_t len, uint32_t job)
{
	struct message speak = {.type = MESSAGE_SPEAK, .job = job};

	memset(text, 'a', len);
	speak.speak.text = (struct message_str){text, (uint32_t)len};
	speak.speak.speed = 1;
	return speak;
}

/* Reads what the endpoint has sent, until this many messages are complete. */
static void read_speaks(struct bed *bed, uint32_t count)
{
	struct buf in;
	uint32_t job = 0;

	buf_init(&in, 16u << 20);
	while (job < count) {
		char part[65536];
		struct message message;
		size_t used;
		ssize_t n = recv(bed->fd, part, sizeof(part), MSG_DONTWAIT);

		if (n > 0)
			assert_int_equal(buf_append(&in, part, (size_t)n), 0);
		else
			bed_run(bed, 1);
		while (in.len > 0 && message_decode(&message, &used, in.bytes, in.len) == 0) {
			assert_int_equal(message.job, ++job);
			buf_consume(&in, used);
		}
	}
	assert_int_equal(in.len, 0);
	buf_reset(&in);
}

static void test_a_worker_that_does_not_read_is_refused_more_and_loses_nothing(void **state)
{
	static char text[100000];
	struct bed bed;
	uint32_t sent = 0;
	int err = 0;

	(void)state;
	bed_open(&bed);
	while (!err && sent < 1000) {
		struct message speak = long_speak(text, sizeof(text), sent + 1);

		err = endpoint_send(bed.endpoint, &speak);
		sent += !err;
	}
	assert_int_equal(err, ENOBUFS);
	assert_in_range(sent, 10, 40); /* two megabytes, and what the socket holds */
	read_speaks(&bed, sent);
	assert_int_equal(bed.lost, 0);
	bed_close(&bed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_message_that_comes_byte_by_byte_is_whole),
		cmocka_unit_test(test_messages_are_whole_wherever_they_are_cut),
		cmocka_unit_test(test_bytes_that_are_no_message_end_it),
		cmocka_unit_test(test_the_end_of_the_worker_is_told_after_its_last_message),
		cmocka_unit_test(test_nothing_is_heard_after_a_close_inside_the_handler),
		cmocka_unit_test(test_a_header_that_comes_in_two_parts_and_is_none_ends_it),
		cmocka_unit_test(test_what_is_sent_in_one_callback_arrives_at_once),
		cmocka_unit_test(test_bytes_to_workers_are_not_counted_as_sent_to_clients),
		cmocka_unit_test(test_an_abort_is_told_by_the_loop),
		cmocka_unit_test(
			test_a_worker_that_does_not_read_is_refused_more_and_loses_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
