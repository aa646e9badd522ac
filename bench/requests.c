/*
 * requests.c: time to first audio over HTTP, compared with /ws/tts.
 *
 * Both connections are opened before the first request and stay open. They are used alternately,
 * so that the state of the machine affects both.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/count.h"
#include "base/mem.h"
#include "bench/bench.h"
#include "bench/stats.h"
#include "bench/target.h"

#define ROUNDS 300
#define WARM_UP 10 /* not counted, because workers start and pages are first touched */
#define ANSWER_MS 10000
#define GOOD "HTTP/1.1 200"

#define BODY(voice)                                                                                \
	"{\"text\":\"The train to the coast leaves at noon from platform nine.\","                 \
	"\"voice_id\":" voice "}"

/* With eSpeak NG most of the time is spent in the API handlers; 1071 is the default voice. */
static const struct {
	const char *engine, *body;
} voices[] = {
	{"eSpeak NG", BODY("2003")},
	{"flite", BODY("1071")},
};

struct requests {
	const char *body;
	struct target target;
	struct ws_client *ws;
	int http; /* -1 if not open */
};

static int requests_open_socket(struct requests *requests)
{
	struct target socket_target = requests->target;
	char *path = strstr(socket_target.url, "/stream");

	if (!path)
		return EINVAL;
	*path = '\0'; /* /ws/tts */
	return target_connect(&requests->ws, &socket_target);
}

static int requests_open_http(struct requests *requests)
{
	struct sockaddr_in address = {.sin_family = AF_INET};
	const char *port = strrchr(requests->target.url, ':');
	int one = 1;

	requests->http = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (requests->http < 0 || !port)
		return errno ? errno : EINVAL;
	address.sin_port = htons((uint16_t)strtoul(port + 1, NULL, 10));
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	setsockopt(requests->http, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	if (connect(requests->http, (struct sockaddr *)&address, sizeof(address)) != 0)
		return errno;
	return 0;
}

static bool requests_begins(const char *text, size_t len, const char *prefix)
{
	return len >= strlen(prefix) && memcmp(text, prefix, strlen(prefix)) == 0;
}

/* Reads until `final`; *first_us is when the first audio arrived. */
static int requests_ask_socket(struct requests *requests, double *first_us)
{
	uint64_t asked = clock_monotonic_us();
	char *bytes;
	size_t len;
	bool is_binary;
	int err = ws_client_send(requests->ws, requests->body, strlen(requests->body));

	*first_us = 0;
	while (!err) {
		err = ws_client_recv(requests->ws, &bytes, &len, &is_binary, ANSWER_MS);
		if (err)
			break;
		if (*first_us <= 0 && requests_begins(bytes, len, "{\"audio\""))
			*first_us = (double)(clock_monotonic_us() - asked);
		if (requests_begins(bytes, len, "{\"final\""))
			return 0;
		if (requests_begins(bytes, len, "{\"error\"")) {
			fprintf(stderr, "syrinx bench: %.*s\n", (int)len, bytes);
			return EPROTO;
		}
	}
	return err;
}

static int requests_send_request(struct requests *requests)
{
	char request[1024];
	int len = snprintf(request, sizeof(request),
			   "POST /v1/tts/generate HTTP/1.1\r\nHost: 127.0.0.1\r\n%s\r\n"
			   "Content-Type: application/json\r\nContent-Length: %zu\r\n\r\n%s",
			   requests->target.header, strlen(requests->body), requests->body);

	return send(requests->http, request, (size_t)len, MSG_NOSIGNAL) == len ? 0 : EPIPE;
}

/* The answer ends with an empty chunk, which the last bytes are enough to recognize. */
struct answer {
	char head[4096];
	size_t len; /* the number of all bytes received */
	char tail[5];
};

static void requests_take(struct answer *answer, const char *bytes, size_t n)
{
	size_t keep = n < sizeof(answer->tail) ? sizeof(answer->tail) - n : 0;

	if (answer->len < sizeof(answer->head) - 1) {
		size_t room = sizeof(answer->head) - 1 - answer->len;

		memcpy(answer->head + answer->len, bytes, n < room ? n : room);
	}
	answer->len += n;
	memmove(answer->tail, answer->tail + sizeof(answer->tail) - keep, keep);
	memcpy(answer->tail + keep, bytes + n - (sizeof(answer->tail) - keep),
	       sizeof(answer->tail) - keep);
}

/* Whether part of the body has arrived. */
static bool requests_has_audio(const struct answer *answer)
{
	const char *end = strstr(answer->head, "\r\n\r\n");
	const char *chunk = end ? strstr(end + 4, "\r\n") : NULL;

	return chunk && answer->len > (size_t)(chunk + 2 - answer->head);
}

static int requests_ask_http(struct requests *requests, double *first_us)
{
	struct answer answer = {{0}, 0, {0}};
	uint64_t asked = clock_monotonic_us();
	int err = requests_send_request(requests);

	*first_us = 0;
	while (!err && memcmp(answer.tail, "0\r\n\r\n", sizeof(answer.tail)) != 0) {
		char bytes[65536];
		ssize_t n = recv(requests->http, bytes, sizeof(bytes), 0);

		if (n <= 0)
			return EPIPE;
		requests_take(&answer, bytes, (size_t)n);
		if (answer.len >= strlen(GOOD) && !requests_begins(answer.head, answer.len, GOOD)) {
			fprintf(stderr, "syrinx bench: %.60s\n", answer.head);
			return EPROTO;
		}
		if (*first_us <= 0 && requests_has_audio(&answer))
			*first_us = (double)(clock_monotonic_us() - asked);
	}
	return err;
}

static int requests_measure(struct requests *requests, int64_t rounds, struct stats *socket,
			    struct stats *http)
{
	for (int64_t i = -WARM_UP; i < rounds; ++i) {
		double socket_us, http_us;
		int err = requests_ask_socket(requests, &socket_us);

		if (!err)
			err = requests_ask_http(requests, &http_us);
		if (err)
			return err;
		if (i < 0)
			continue;
		stats_add(socket, socket_us / 1000.0);
		stats_add(http, http_us / 1000.0);
	}
	return 0;
}

static void requests_print_row(const char *name, struct stats *stats)
{
	printf("  %-24s p50 %.3f ms, p90 %.3f, p99 %.3f\n", name, stats_quantile(stats, 0.5),
	       stats_quantile(stats, 0.9), stats_quantile(stats, 0.99));
}

static int requests_measure_voice(struct requests *requests, size_t voice, int64_t rounds)
{
	struct stats socket = {0};
	struct stats http = {0};
	int err;

	requests->body = voices[voice].body;
	err = requests_measure(requests, rounds, &socket, &http);
	if (!err) {
		printf("requests: time to first audio on a warm connection, alternating (%s)\n",
		       voices[voice].engine);
		requests_print_row("/ws/tts", &socket);
		requests_print_row("POST /v1/tts/generate", &http);
		printf("  ratio                    p50 %.2f, p90 %.2f (target 1.3)\n",
		       stats_quantile(&http, 0.5) / stats_quantile(&socket, 0.5),
		       stats_quantile(&http, 0.9) / stats_quantile(&socket, 0.9));
	}
	stats_reset(&socket);
	stats_reset(&http);
	return err;
}

int bench_requests(const struct bench_options *options)
{
	struct requests requests = {.http = -1};
	int err = target_start(&requests.target, NULL);

	if (!err)
		err = requests_open_socket(&requests);
	if (!err)
		err = requests_open_http(&requests);
	for (size_t i = 0; !err && i < COUNT(voices); ++i)
		err = requests_measure_voice(&requests, i,
					     options->rounds ? options->rounds : ROUNDS);
	if (err)
		fprintf(stderr, "syrinx bench: requests: %s\n", strerror(err));
	mem_deref(requests.ws);
	if (requests.http >= 0)
		close(requests.http);
	target_stop(&requests.target);
	return err;
}
