/* TLS: the operator is told what is wrong with a file; bytes are intact however
 * slowly they are read and whatever is dropped between. */
#include <errno.h>
#include <openssl/err.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"
#include "certificate.h"
#include "net/stream.h"
#include "pump.h"

static char dir[] = "/tmp/test_tls_XXXXXX";
static char cert[64], key[64], other_cert[64], other_key[64], garbage[64];

static int make_files(void **state)
{
	FILE *file;

	(void)state;
	if (!mkdtemp(dir))
		return -1;
	snprintf(cert, sizeof(cert), "%s/cert.pem", dir);
	snprintf(key, sizeof(key), "%s/key.pem", dir);
	snprintf(other_cert, sizeof(other_cert), "%s/other.pem", dir);
	snprintf(other_key, sizeof(other_key), "%s/other-key.pem", dir);
	snprintf(garbage, sizeof(garbage), "%s/garbage.pem", dir);
	file = fopen(garbage, "w");
	if (!file)
		return -1;
	fputs("not PEM\n", file);
	fclose(file);
	return certificate_make("DNS:localhost", cert, key) &&
			       certificate_make("DNS:localhost", other_cert, other_key)
		       ? 0
		       : -1;
}

static int remove_files(void **state)
{
	(void)state;
	unlink(cert);
	unlink(key);
	unlink(other_cert);
	unlink(other_key);
	unlink(garbage);
	return rmdir(dir);
}

static void assert_refused(const char *cert_file, const char *key_file, const char *needle)
{
	struct tls *tls = NULL;
	char why[256] = "";

	assert_int_equal(tls_server_alloc(&tls, cert_file, key_file, why, sizeof(why)), EINVAL);
	if (!strstr(why, needle))
		fail_msg("'%s' does not say '%s'", why, needle);
	assert_null(tls);
	assert_int_equal(mem_live(), 0);
}

static void test_what_is_wrong_with_a_file_is_said(void **state)
{
	(void)state;
	assert_refused("/nowhere/cert.pem", key, "certificate /nowhere/cert.pem: No such file");
	assert_refused(cert, "/nowhere/key.pem", "private key /nowhere/key.pem: No such file");
	assert_refused(garbage, key, garbage);
	assert_refused(cert, garbage, garbage);
	assert_refused(cert, other_key, "mismatch");
}

static void test_authorities_that_are_not_there_are_said(void **state)
{
	struct tls *tls = NULL;
	char why[256] = "";

	(void)state;
	assert_int_equal(tls_client_alloc(&tls, "/nowhere/ca.pem", why, sizeof(why)), EINVAL);
	assert_non_null(strstr(why, "/nowhere/ca.pem"));
}

/* A stream of ours and a bare client, both on this thread. */
struct talk {
	struct loop *loop;
	struct tls *server;
	struct tls *client;
	struct stream *stream;
	SSL *ssl;
	int fd;
	char read[64];
	size_t read_len;
	int ends;
	int closes;
};

static void on_read(void *arg, char *bytes, size_t n)
{
	struct talk *talk = arg;

	talk->ends += n == 0;
	assert_true(talk->read_len + n <= sizeof(talk->read));
	memcpy(talk->read + talk->read_len, bytes, n);
	talk->read_len += n;
}

static void on_closed(void *arg, int err)
{
	struct talk *talk = arg;

	(void)err;
	++talk->closes;
}

static const struct stream_handlers handlers = {.read = on_read, .closed = on_closed};

static void begin(struct talk *talk)
{
	char why[256];
	int fd[2];

	*talk = (struct talk){0};
	assert_int_equal(loop_alloc(&talk->loop), 0);
	assert_int_equal(tls_server_alloc(&talk->server, cert, key, why, sizeof(why)), 0);
	assert_int_equal(tls_client_alloc(&talk->client, cert, why, sizeof(why)), 0);
	socket_pair(fd);
	talk->fd = fd[1];
	assert_int_equal(
		stream_alloc(&talk->stream, talk->loop, fd[0], talk->server, &handlers, talk), 0);
	talk->ssl = tls_open(talk->client, fd[1], "localhost");
	assert_non_null(talk->ssl);
	for (int i = 0; i < 10; ++i) {
		ERR_clear_error();
		if (SSL_do_handshake(talk->ssl) == 1)
			break;
		pump(talk->loop);
	}
	assert_true(SSL_is_init_finished(talk->ssl));
	pump(talk->loop);
}

static void end(struct talk *talk)
{
	if (talk->closes == 0)
		stream_abort(talk->stream, 0);
	pump(talk->loop);
	assert_int_equal(talk->closes, 1);
	SSL_free(talk->ssl);
	close(talk->fd);
	mem_deref(talk->server);
	mem_deref(talk->client);
	mem_deref(talk->loop);
	assert_int_equal(mem_live(), 0);
}

static size_t client_reads(struct talk *talk, char *out, size_t size)
{
	size_t len = 0;

	for (int idle = 0; idle < 5; ++idle) {
		int n;

		pump(talk->loop);
		ERR_clear_error();
		while ((n = SSL_read(talk->ssl, out + len, (int)(size - len))) > 0) {
			len += (size_t)n;
			idle = 0;
		}
	}
	return len;
}

static void test_both_ways(void **state)
{
	struct talk talk;
	char got[16];

	(void)state;
	begin(&talk);
	assert_int_equal(SSL_write(talk.ssl, "hello", 5), 5);
	pump(talk.loop);
	assert_int_equal(talk.read_len, 5);
	assert_memory_equal(talk.read, "hello", 5);
	stream_queue(talk.stream, outgoing_copy("you", 3));
	stream_queue(talk.stream, outgoing_copy(" too", 4));
	pump(talk.loop);
	assert_int_equal(SSL_read(talk.ssl, got, sizeof(got)), 7); /* in one record */
	assert_memory_equal(got, "you too", 7);
	end(&talk);
}

static void test_a_pause_leaves_nothing_behind(void **state)
{
	struct talk talk;

	(void)state;
	begin(&talk);
	stream_pause(talk.stream, true);
	assert_int_equal(SSL_write(talk.ssl, "one", 3), 3);
	assert_int_equal(SSL_write(talk.ssl, "two", 3), 3);
	pump(talk.loop);
	assert_int_equal(talk.read_len, 0);
	stream_pause(talk.stream, false);
	pump(talk.loop);
	assert_int_equal(talk.read_len, 6);
	end(&talk);
}

/* Bytes SSL_write has seen must be given to it again, so a drop spares them:
 * whatever it dropped, the client reads whole messages and no torn record. */
static void test_a_drop_tears_no_record(void **state)
{
	enum { COUNT = 1000, LEN = 1001 };
	struct talk talk;
	char *got = malloc(COUNT * LEN + 16);
	uint64_t dropped;
	size_t len;

	(void)state;
	assert_non_null(got);
	begin(&talk);
	for (int i = 0; i < COUNT; ++i) {
		struct outgoing *message = outgoing_alloc(LEN);

		assert_non_null(message);
		memset(outgoing_payload(message), i, LEN);
		message->len = LEN;
		message->tag = 1;
		message->weight = 1;
		stream_queue(talk.stream, message);
	}
	for (int i = 0; i < 20; ++i)
		pump(talk.loop); /* until the pair is full: nobody reads */
	dropped = stream_drop(talk.stream, 1);
	assert_in_range(dropped, 1, COUNT - 1);
	stream_queue(talk.stream, outgoing_copy("the end", 7));
	len = client_reads(&talk, got, COUNT * LEN + 16);
	assert_int_equal(len, (COUNT - dropped) * LEN + 7);
	for (size_t i = 0; i < len - 7; ++i)
		assert_int_equal(got[i], (char)(i / LEN));
	assert_memory_equal(got + len - 7, "the end", 7);
	free(got);
	end(&talk);
}

static void test_a_close_is_told_to_the_peer(void **state)
{
	struct talk talk;
	char got[16];

	(void)state;
	begin(&talk);
	stream_queue(talk.stream, outgoing_copy("bye", 3));
	stream_close(talk.stream);
	pump(talk.loop);
	assert_int_equal(SSL_read(talk.ssl, got, sizeof(got)), 3);
	assert_int_equal(SSL_read(talk.ssl, got, sizeof(got)), 0);
	assert_int_equal(SSL_get_shutdown(talk.ssl), SSL_RECEIVED_SHUTDOWN);
	SSL_shutdown(talk.ssl);
	pump(talk.loop);
	assert_int_equal(talk.closes, 1);
	end(&talk);
}

static void test_plain_words_to_a_tls_port_end_it(void **state)
{
	struct talk talk = {0};
	char why[256];
	int fd[2];

	(void)state;
	assert_int_equal(loop_alloc(&talk.loop), 0);
	assert_int_equal(tls_server_alloc(&talk.server, cert, key, why, sizeof(why)), 0);
	socket_pair(fd);
	talk.fd = fd[1];
	assert_int_equal(
		stream_alloc(&talk.stream, talk.loop, fd[0], talk.server, &handlers, &talk), 0);
	assert_int_equal(send(talk.fd, "GET / HTTP/1.1\r\n\r\n", 18, 0), 18);
	pump(talk.loop);
	assert_int_equal(talk.closes, 1);
	end(&talk);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_is_wrong_with_a_file_is_said),
		cmocka_unit_test(test_authorities_that_are_not_there_are_said),
		cmocka_unit_test(test_both_ways),
		cmocka_unit_test(test_a_pause_leaves_nothing_behind),
		cmocka_unit_test(test_a_drop_tears_no_record),
		cmocka_unit_test(test_a_close_is_told_to_the_peer),
		cmocka_unit_test(test_plain_words_to_a_tls_port_end_it),
	};

	return cmocka_run_group_tests(tests, make_files, remove_files);
}
