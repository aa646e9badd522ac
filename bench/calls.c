/*
 * calls.c: time to the first sound over HTTP, compared with /ws/tts.
 *
 * Both connections are open before the first question and stay open; they ask by
 * turns, so that the state of the machine affects both.
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
#define WARM_UP 10 /* not counted: workers start, pages are touched */
#define ANSWER_MS 10000
#define GOOD "HTTP/1.1 200"

#define BODY(voice)                                                                                \
	"{\"text\":\"The train to the coast leaves at noon from platform nine.\","                 \
	"\"voice_id\":" voice "}"

/* With eSpeak NG the doors are most of the time; 1071 is what people begin with. */
static const struct {
	const char *engine, *body;
} voices[] = {
	{"eSpeak NG", BODY("2003")},
	{"flite", BODY("1071")},
};

struct calls {
	const char *body;
	struct target target;
	struct ws_client *ws;
	int http; /* -1: not open */
};

static int calls_open_socket(struct calls *calls)
{
	struct target socket_target = calls->target;
	char *path = strstr(socket_target.url, "/stream");

	if (!path)
		return EINVAL;
	*path = '\0'; /* /ws/tts */
	return target_connect(&calls->ws, &socket_target);
}

static int calls_open_http(struct calls *calls)
{
	struct sockaddr_in address = {.sin_family = AF_INET};
	const char *port = strrchr(calls->target.url, ':');
	int one = 1;

	calls->http = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (calls->http < 0 || !port)
		return errno ? errno : EINVAL;
	address.sin_port = htons((uint16_t)strtoul(port + 1, NULL, 10));
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	setsockopt(calls->http, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	if (connect(calls->http, (struct sockaddr *)&address, sizeof(address)) != 0)
		return errno;
	return 0;
}

static bool calls_begins(const char *text, size_t len, const char *prefix)
{
	return len >= strlen(prefix) && memcmp(text, prefix, strlen(prefix)) == 0;
}

/* Until `final`; when the first audio came. */
static int calls_ask_socket(struct calls *calls, double *first_us)
{
	uint64_t asked = clock_monotonic_us();
	char *bytes;
	size_t len;
	bool is_binary;
	int err = ws_client_send(calls->ws, calls->body, strlen(calls->body));

	*first_us = 0;
	while (!err) {
		err = ws_client_recv(calls->ws, &bytes, &len, &is_binary, ANSWER_MS);
		if (err)
			break;
		if (*first_us <= 0 && calls_begins(bytes, len, "{\"audio\""))
			*first_us = (double)(clock_monotonic_us() - asked);
		if (calls_begins(bytes, len, "{\"final\""))
			return 0;
		if (calls_begins(bytes, len, "{\"error\"")) {
			fprintf(stderr, "syrinx bench: %.*s\n", (int)len, bytes);
			return EPROTO;
		}
	}
	return err;
}

static int calls_send_request(struct calls *calls)
{
	char request[1024];
	int len = snprintf(request, sizeof(request),
			   "POST /v1/tts/generate HTTP/1.1\r\nHost: 127.0.0.1\r\n%s\r\n"
			   "Content-Type: application/json\r\nContent-Length: %zu\r\n\r\n%s",
			   calls->target.header, strlen(calls->body), calls->body);

	return send(calls->http, request, (size_t)len, MSG_NOSIGNAL) == len ? 0 : EPIPE;
}

/* The answer ends in an empty chunk; what came last of it is enough to see that. */
struct answer {
	char head[4096];
	size_t len; /* of all that came */
	char tail[5];
};

static void calls_take(struct answer *answer, const char *bytes, size_t n)
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

/* Some of the body is there. */
static bool calls_has_audio(const struct answer *answer)
{
	const char *end = strstr(answer->head, "\r\n\r\n");
	const char *chunk = end ? strstr(end + 4, "\r\n") : NULL;

	return chunk && answer->len > (size_t)(chunk + 2 - answer->head);
}

static int calls_ask_http(struct calls *calls, double *first_us)
{
	struct answer answer = {{0}, 0, {0}};
	uint64_t asked = clock_monotonic_us();
	int err = calls_send_request(calls);

	*first_us = 0;
	while (!err && memcmp(answer.tail, "0\r\n\r\n", sizeof(answer.tail)) != 0) {
		char bytes[65536];
		ssize_t n = recv(calls->http, bytes, sizeof(bytes), 0);

		if (n <= 0)
			return EPIPE;
		calls_take(&answer, bytes, (size_t)n);
		if (answer.len >= strlen(GOOD) && !calls_begins(answer.head, answer.len, GOOD)) {
			fprintf(stderr, "syrinx bench: %.60s\n", answer.head);
			return EPROTO;
		}
		if (*first_us <= 0 && calls_has_audio(&answer))
			*first_us = (double)(clock_monotonic_us() - asked);
	}
	return err;
}

static int calls_measure(struct calls *calls, int64_t rounds, struct stats *socket,
			 struct stats *http)
{
	for (int64_t i = -WARM_UP; i < rounds; ++i) {
		double socket_us, http_us;
		int err = calls_ask_socket(calls, &socket_us);

		if (!err)
			err = calls_ask_http(calls, &http_us);
		if (err)
			return err;
		if (i < 0)
			continue;
		stats_add(socket, socket_us / 1000.0);
		stats_add(http, http_us / 1000.0);
	}
	return 0;
}

static void calls_print_row(const char *name, struct stats *stats)
{
	printf("  %-24s p50 %.3f ms, p90 %.3f, p99 %.3f\n", name, stats_quantile(stats, 0.5),
	       stats_quantile(stats, 0.9), stats_quantile(stats, 0.99));
}

static int calls_measure_voice(struct calls *calls, size_t voice, int64_t rounds)
{
	struct stats socket = {0};
	struct stats http = {0};
	int err;

	calls->body = voices[voice].body;
	err = calls_measure(calls, rounds, &socket, &http);
	if (!err) {
		printf("calls: first sound on a warm connection, by turns (%s)\n",
		       voices[voice].engine);
		calls_print_row("/ws/tts", &socket);
		calls_print_row("POST /v1/tts/generate", &http);
		printf("  ratio                    p50 %.2f, p90 %.2f (aim 1.3)\n",
		       stats_quantile(&http, 0.5) / stats_quantile(&socket, 0.5),
		       stats_quantile(&http, 0.9) / stats_quantile(&socket, 0.9));
	}
	stats_reset(&socket);
	stats_reset(&http);
	return err;
}

int bench_calls(const struct bench_options *options)
{
	struct calls calls = {.http = -1};
	int err = target_start(&calls.target, NULL);

	if (!err)
		err = calls_open_socket(&calls);
	if (!err)
		err = calls_open_http(&calls);
	for (size_t i = 0; !err && i < COUNT(voices); ++i)
		err = calls_measure_voice(&calls, i, options->rounds ? options->rounds : ROUNDS);
	if (err)
		fprintf(stderr, "syrinx bench: calls: %s\n", strerror(err));
	mem_deref(calls.ws);
	if (calls.http >= 0)
		close(calls.http);
	target_stop(&calls.target);
	return err;
}
