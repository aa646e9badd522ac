/* The blocking client against the echo server (argv[1]), plain and TLS. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/count.h"
#include "base/mem.h"
#include "certificate.h"
#include "net/ws_client.h"

static char *program;
static char dir[] = "/tmp/test_ws_client_XXXXXX";
static char cert[64], key[64];

struct server {
	pid_t pid;
	int input; /* its end is the server's */
	unsigned port;
};

static void start(struct server *server, bool is_tls)
{
	int in[2];
	int out[2];
	char text[16] = "";

	assert_int_equal(pipe(in), 0);
	assert_int_equal(pipe(out), 0);
	server->pid = fork();
	if (server->pid == 0) {
		dup2(in[0], STDIN_FILENO);
		dup2(out[1], STDOUT_FILENO);
		close(in[0]);
		close(in[1]);
		close(out[0]);
		close(out[1]);
		if (is_tls)
			execl(program, program, "127.0.0.1:0", cert, key, NULL);
		else
			execl(program, program, "127.0.0.1:0", NULL);
		_exit(127);
	}
	close(in[0]);
	close(out[1]);
	server->input = in[1];
	assert_true(read(out[0], text, sizeof(text) - 1) > 0);
	close(out[0]);
	server->port = (unsigned)atoi(text);
}

static void stop(struct server *server)
{
	int status;

	close(server->input);
	assert_int_equal(waitpid(server->pid, &status, 0), server->pid);
	assert_int_equal(status, 0);
	assert_int_equal(mem_live(), 0);
}

static int open_to(struct ws_client **client, const char *scheme, const char *host, unsigned port,
		   const char *path, const char *ca_file, char why[256])
{
	char url[128];
	const char *const headers[] = {"X-Test: yes", NULL};
	struct ws_client_options options = {.url = url, .headers = headers, .ca_file = ca_file};

	snprintf(url, sizeof(url), "%s://%s:%u%s", scheme, host, port, path);
	return ws_client_open(client, &options, why, 256);
}

/* Messages of many lengths go there and come back. */
static void check_echo(struct ws_client *client)
{
	static const size_t lengths[] = {0, 5, 125, 126, 20000, 65536, 500000};

	for (size_t i = 0; i < COUNT(lengths); ++i) {
		char *text = malloc(lengths[i] + 1);
		char *got;
		size_t len;
		bool is_binary;

		assert_non_null(text);
		memset(text, 'a' + (int)i, lengths[i]);
		assert_int_equal(ws_client_send(client, text, lengths[i]), 0);
		assert_int_equal(ws_client_recv(client, &got, &len, &is_binary, 5000), 0);
		assert_int_equal(len, lengths[i]);
		assert_false(is_binary);
		if (len > 0)
			assert_memory_equal(got, text, len);
		free(text);
	}
}

static void check_close(struct ws_client *client)
{
	char *got;
	size_t len;
	bool is_binary;

	assert_int_equal(ws_client_recv(client, &got, &len, &is_binary, 0), ETIMEDOUT);
	assert_int_equal(ws_client_code(client), 0);
	ws_client_close(client, 4001, 5000);
	assert_int_equal(ws_client_code(client), 4001);
	assert_int_equal(ws_client_recv(client, &got, &len, &is_binary, 0), ENOTCONN);
	assert_int_equal(ws_client_send(client, "late", 4), ENOTCONN);
}

static void test_plain(void **state)
{
	struct server server;
	struct ws_client *client;
	char why[256];

	(void)state;
	start(&server, false);
	assert_int_equal(open_to(&client, "ws", "127.0.0.1", server.port, "/a?b=c", NULL, why), 0);
	assert_true(ws_client_fd(client) >= 0);
	check_echo(client);
	check_close(client);
	mem_deref(client);
	assert_int_equal(open_to(&client, "http", "127.0.0.1", server.port, "", NULL, why), 0);
	mem_deref(client);
	stop(&server);
}

static void test_tls_with_a_name_that_fits(void **state)
{
	struct server server;
	struct ws_client *client;
	char why[256];

	(void)state;
	start(&server, true);
	assert_int_equal(open_to(&client, "wss", "localhost", server.port, "/", cert, why), 0);
	check_echo(client);
	check_close(client);
	mem_deref(client);
	stop(&server);
}

static void test_a_certificate_must_be_for_the_name_and_known(void **state)
{
	struct server server;
	struct ws_client *client = NULL;
	char why[256];

	(void)state;
	start(&server, true);
	assert_int_equal(open_to(&client, "wss", "127.0.0.1", server.port, "/", cert, why), ENOKEY);
	assert_non_null(strstr(why, "not for this name"));
	assert_int_equal(open_to(&client, "https", "localhost", server.port, "/", NULL, why),
			 EKEYREJECTED);
	assert_non_null(strstr(why, "not signed by an authority"));
	stop(&server);
}

static void test_a_server_that_ends_is_noticed(void **state)
{
	struct server server;
	struct ws_client *client;
	char why[256];
	char *got;
	size_t len;
	bool is_binary;

	(void)state;
	start(&server, false);
	assert_int_equal(open_to(&client, "ws", "127.0.0.1", server.port, "/", NULL, why), 0);
	close(server.input);
	assert_int_equal(ws_client_recv(client, &got, &len, &is_binary, 5000), ECONNRESET);
	assert_int_equal(ws_client_code(client), 1006);
	mem_deref(client);
	server.input = -1;
	stop(&server);
}

static void test_what_keeps_it_from_opening_is_said(void **state)
{
	static const char *const bad[] = {"",
					  "localhost",
					  "ftp://localhost/",
					  "ws://",
					  "ws://:80/",
					  "ws://localhost:99999/",
					  "ws://localhost:x/"};
	struct ws_client *client = NULL;
	char why[256];

	(void)state;
	for (size_t i = 0; i < COUNT(bad); ++i) {
		struct ws_client_options options = {.url = bad[i]};

		assert_int_equal(ws_client_open(&client, &options, why, sizeof(why)), EINVAL);
		assert_non_null(strstr(why, "not a WebSocket address"));
	}
	assert_int_equal(open_to(&client, "ws", "127.0.0.1", 1, "/", NULL, why), ECONNREFUSED);
	assert_non_null(strstr(why, "127.0.0.1:1: Connection refused"));
	assert_null(client);
	assert_int_equal(mem_live(), 0);
}

static int make_files(void **state)
{
	(void)state;
	if (!mkdtemp(dir))
		return -1;
	snprintf(cert, sizeof(cert), "%s/cert.pem", dir);
	snprintf(key, sizeof(key), "%s/key.pem", dir);
	return certificate_make("DNS:localhost", cert, key) ? 0 : -1;
}

static int remove_files(void **state)
{
	(void)state;
	unlink(cert);
	unlink(key);
	return rmdir(dir);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain),
		cmocka_unit_test(test_tls_with_a_name_that_fits),
		cmocka_unit_test(test_a_certificate_must_be_for_the_name_and_known),
		cmocka_unit_test(test_a_server_that_ends_is_noticed),
		cmocka_unit_test(test_what_keeps_it_from_opening_is_said),
	};

	if (argc != 2)
		return 2;
	program = argv[1];
	return cmocka_run_group_tests(tests, make_files, remove_files);
}
