/*
 * conversations.c: what a conversation with a speech engine adds to the language model's time.
 *
 * The benchmark is both ends: the speech engine with all its conversations, and the model. Each
 * delta contains the time at which it was written. With each one, a message is sent through a
 * raw relay, alternately, so that the state of the machine affects both.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "agent/upstream.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/mem.h"
#include "bench/bench.h"
#include "bench/fake_model.h"
#include "bench/relay.h"
#include "bench/stats.h"
#include "bench/target.h"
#include "doors/elevenlabs/elevenlabs.h"
#include "wire/engine_reply.h"

#define SPEAKERS 500 /* conversations that receive an answer all the time */
#define DELTAS 20000
#define DELTA_US 200 /* between two deltas: each conversation receives ten per second */
#define CANCELS 2000
#define CANCEL_US 1000
#define IDLE 2000
#define WARM_UP 64 /* conversations before the measurement, for the memory of the server itself */
#define WAIT_MAX_US 10000000 /* the limit of conversations_run_until_count */
#define KEY "sk_bench"

struct conversations {
	struct target target;
	struct fake_model *model;
	struct relay relay;
	struct ws_client **clients;
	int64_t *event_ids; /* the newest of each conversation */
	/* When each conversation's answer was interrupted; 0 if it was not, or the model has
	 * noticed it. */
	uint64_t *cancelled_us;
	size_t count;
	int poll_fd;
	size_t asked; /* the number of requests that the model has received */
	size_t finals;
	bool says_all; /* the model answers at once, with one word */
	bool has_failed;
	/* Times to the speech engine, through Syrinx and through the relay. */
	struct stats delta_us, relay_us;
	/* Times to the model, through Syrinx and through the relay. */
	struct stats cancel_us, relay_back_us;
};

/* Events */

enum watched { WATCH_MODEL, WATCH_CLIENT, WATCH_RELAY_TO_ENGINE, WATCH_RELAY_TO_MODEL };

static int conversations_watch(const struct conversations *all, int fd, enum watched what,
			       size_t who)
{
	struct epoll_event event = {.events = EPOLLIN,
				    .data.u64 = (uint64_t)what << 32 | (uint64_t)who};

	return epoll_ctl(all->poll_fd, EPOLL_CTL_ADD, fd, &event) == 0 ? 0 : errno;
}

/* Every message contains "t=" and a time in microseconds. */
static void conversations_note_time(struct stats *stats, const char *bytes, size_t len)
{
	const char *mark = memmem(bytes, len, "t=", 2);

	if (mark)
		stats_add(stats, (double)(clock_monotonic_us() - strtoull(mark + 2, NULL, 10)));
}

static void conversations_read_client(struct conversations *all, size_t who)
{
	char *bytes;
	size_t len;
	bool is_binary;
	int err;

	while (!(err = ws_client_recv(all->clients[who], &bytes, &len, &is_binary, 0))) {
		if (memmem(bytes, len, "\"is_final\":true", 15))
			++all->finals;
		else
			conversations_note_time(&all->delta_us, bytes, len);
	}
	all->has_failed |= err != ETIMEDOUT;
}

static void conversations_read_relay(struct conversations *all, size_t who, bool to_engine)
{
	char bytes[256];
	ssize_t n = recv(all->relay.fds[who][to_engine ? 1 : 0], bytes, sizeof(bytes) - 1, 0);

	if (n <= 0)
		return;
	bytes[n] = '\0';
	conversations_note_time(to_engine ? &all->relay_us : &all->relay_back_us, bytes, (size_t)n);
}

static void conversations_take(struct conversations *all, uint64_t mark)
{
	size_t who = (size_t)(mark & UINT32_MAX);

	switch ((enum watched)(mark >> 32)) {
	case WATCH_MODEL:
		fake_model_run(all->model);
		break;
	case WATCH_CLIENT:
		conversations_read_client(all, who);
		break;
	case WATCH_RELAY_TO_ENGINE:
		conversations_read_relay(all, who, true);
		break;
	case WATCH_RELAY_TO_MODEL:
		conversations_read_relay(all, who, false);
		break;
	}
}

/* Processes events until this time; polls, because the interval may be shorter than a millisecond,
 * which is the shortest that epoll_wait can wait. */
static void conversations_run_until(struct conversations *all, uint64_t until_us)
{
	do {
		struct epoll_event events[64];
		int n = epoll_wait(all->poll_fd, events, 64, 0);

		for (int i = 0; i < n; ++i)
			conversations_take(all, events[i].data.u64);
	} while (clock_monotonic_us() < until_us);
}

/* Processes events until *number has reached `count`; ETIMEDOUT if that takes too long. */
static int conversations_run_until_count(struct conversations *all, const size_t *number,
					 size_t count)
{
	uint64_t end_us = clock_monotonic_us() + WAIT_MAX_US;

	while (*number < count && !all->has_failed) {
		conversations_run_until(all, 0);
		if (clock_monotonic_us() > end_us)
			return ETIMEDOUT;
	}
	return all->has_failed ? EIO : 0;
}

/* The model */

static void conversations_on_asked(void *arg, size_t who)
{
	struct conversations *all = arg;

	++all->asked;
	fake_model_say(all->model, who, "go ");
	if (all->says_all)
		fake_model_finish(all->model, who);
}

static void conversations_on_gone(void *arg, size_t who)
{
	struct conversations *all = arg;

	if (all->cancelled_us[who])
		stats_add(&all->cancel_us, (double)(clock_monotonic_us() - all->cancelled_us[who]));
	all->cancelled_us[who] = 0;
}

/* The engine */

static int conversations_say(struct conversations *all, size_t who)
{
	char text[64];
	struct llm_turn turn = {.role = LLM_USER, .text = text};
	struct buf out;
	int err;

	turn.len = (size_t)snprintf(text, sizeof(text), "turn %" PRId64 " who=%zu",
				    ++all->event_ids[who], who);
	buf_init(&out, 4096);
	err = engine_say_transcript(&out, &turn, 1, all->event_ids[who]);
	if (!err)
		err = ws_client_send(all->clients[who], out.bytes, out.len);
	buf_reset(&out);
	return err;
}

static int conversations_open_one(struct conversations *all, size_t who)
{
	static const char init[] = "{\"type\":\"init\",\"conversation_id\":\"conv_bench\"}";
	char header[ENGINE_TOKEN_HEADER_SIZE];
	char url[128];
	char why[256];
	const char *const headers[] = {header, NULL};
	const struct ws_client_options options = {.url = url, .headers = headers};
	const char *path = strstr(all->target.url, "/ws/");
	int err = path ? upstream_header(header, &elevenlabs_engine_tokens, KEY) : EINVAL;

	if (err)
		return err;
	snprintf(url, sizeof(url), "%.*s/bench", (int)(path - all->target.url), all->target.url);
	err = ws_client_open(&all->clients[who], &options, why, sizeof(why));
	if (err) {
		fprintf(stderr, "syrinx bench: %s: %s\n", url, why);
		return err;
	}
	err = ws_client_send(all->clients[who], init, strlen(init));
	return err ? err
		   : conversations_watch(all, ws_client_fd(all->clients[who]), WATCH_CLIENT, who);
}

static int conversations_open_some(struct conversations *all, size_t from, size_t to)
{
	int err = 0;

	for (size_t i = from; !err && i < to; ++i) {
		err = conversations_open_one(all, i);
		if (!err)
			err = conversations_say(all, i);
		if (!err) /* before the requests to the model time out */
			err = conversations_run_until_count(all, &all->asked, all->asked + 1);
	}
	return err;
}

/* Start and end */

static int conversations_open_server(struct conversations *all)
{
	static const char format[] = "[agent bench]\npath = /bench\napi_key = " KEY "\n"
				     "llm = openai\nllm_url = http://127.0.0.1:%u/v1\n"
				     "llm_model = fake\nfirst_token_ms = 60000\nbegin_ms = 60000\n"
				     "between_ms = 600000\nwhole_ms = 3600000\n";
	char config[512];
	const struct target_options options = {.config = config};

	snprintf(config, sizeof(config), format, (unsigned)fake_model_port(all->model));
	return target_start(&all->target, &options);
}

static int conversations_begin(struct conversations *all, size_t count)
{
	const struct fake_model_handlers handlers = {conversations_on_asked, conversations_on_gone,
						     all};
	struct rlimit limit;
	int err;

	/* Each conversation needs two descriptors, and so does each relay pair. */
	if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
	*all = (struct conversations){.count = count, .poll_fd = epoll_create1(EPOLL_CLOEXEC)};
	all->clients = calloc(count, sizeof(struct ws_client *));
	all->event_ids = calloc(count, sizeof(*all->event_ids));
	all->cancelled_us = calloc(count, sizeof(*all->cancelled_us));
	if (!all->clients || !all->event_ids || !all->cancelled_us)
		return ENOMEM;
	err = fake_model_alloc(&all->model, count, &handlers);
	if (!err)
		err = conversations_watch(all, fake_model_fd(all->model), WATCH_MODEL, 0);
	return err ? err : conversations_open_server(all);
}

static void conversations_end(struct conversations *all)
{
	for (size_t i = 0; all->clients && i < all->count; ++i)
		mem_deref(all->clients[i]);
	target_stop(&all->target);
	relay_stop(&all->relay);
	mem_deref(all->model);
	free(all->clients);
	free(all->event_ids);
	free(all->cancelled_us);
	stats_reset(&all->delta_us);
	stats_reset(&all->relay_us);
	stats_reset(&all->cancel_us);
	stats_reset(&all->relay_back_us);
	if (all->poll_fd >= 0)
		close(all->poll_fd);
}

/* Results */

static void conversations_send_through_relay(const struct conversations *all, size_t who,
					     unsigned end_of_pair)
{
	char text[32];
	int n = snprintf(text, sizeof(text), "t=%" PRIu64 " ", clock_monotonic_us());

	if (send(all->relay.fds[who][end_of_pair], text, (size_t)n, MSG_NOSIGNAL) != n)
		fprintf(stderr, "syrinx bench: the relay does not accept data\n");
}

static int conversations_measure_deltas(struct conversations *all, int64_t rounds)
{
	for (int64_t i = 0; i < rounds && !all->has_failed; ++i) {
		size_t who = (size_t)i % all->count;
		uint64_t begun_us = clock_monotonic_us();
		char text[32];

		snprintf(text, sizeof(text), "t=%" PRIu64 " ", begun_us);
		fake_model_say(all->model, who, text);
		conversations_run_until(all, begun_us + DELTA_US / 2);
		conversations_send_through_relay(all, who, 0);
		conversations_run_until(all, begun_us + DELTA_US);
	}
	conversations_run_until(all, clock_monotonic_us() + 100000); /* waits for the last ones */
	return all->has_failed ? EIO : 0;
}

static int conversations_measure_cancels(struct conversations *all, int64_t rounds)
{
	for (int64_t i = 0; i < rounds && !all->has_failed; ++i) {
		size_t who = (size_t)i % all->count;
		uint64_t begun_us = clock_monotonic_us();
		int err;

		all->cancelled_us[who] = begun_us;
		err = conversations_say(all, who);
		if (err)
			return err;
		conversations_run_until(all, begun_us + CANCEL_US / 2);
		conversations_send_through_relay(all, who, 1);
		conversations_run_until(all, begun_us + CANCEL_US);
	}
	conversations_run_until(all, clock_monotonic_us() + 100000);
	return all->has_failed ? EIO : 0;
}

static void conversations_print_pair(const char *title, struct stats *ours, struct stats *raw,
				     double target_ms)
{
	printf("%s, %zu times\n", title, ours->count);
	printf("  through Syrinx   p50 %7.3f ms   p99 %7.3f ms\n", stats_quantile(ours, 0.5) / 1000,
	       stats_quantile(ours, 0.99) / 1000);
	printf("  through a relay  p50 %7.3f ms   p99 %7.3f ms\n", stats_quantile(raw, 0.5) / 1000,
	       stats_quantile(raw, 0.99) / 1000);
	printf("  p99 above the relay              %7.3f ms   (target %.1f)\n",
	       (stats_quantile(ours, 0.99) - stats_quantile(raw, 0.99)) / 1000, target_ms);
}

static int conversations_watch_relay(struct conversations *all)
{
	int err = relay_start(&all->relay, all->count);

	for (size_t i = 0; !err && i < all->count; ++i) {
		err = conversations_watch(all, all->relay.fds[i][0], WATCH_RELAY_TO_MODEL, i);
		if (!err)
			err = conversations_watch(all, all->relay.fds[i][1], WATCH_RELAY_TO_ENGINE,
						  i);
	}
	return err;
}

static int conversations_measure_speaking(const struct bench_options *options)
{
	struct conversations all;
	int err = conversations_begin(&all, SPEAKERS);

	if (!err)
		err = conversations_watch_relay(&all);
	if (!err)
		err = conversations_open_some(&all, 0, all.count);
	if (!err)
		err = conversations_measure_deltas(&all,
						   options->rounds ? options->rounds : DELTAS);
	if (!err)
		err = conversations_measure_cancels(&all,
						    options->rounds ? options->rounds : CANCELS);
	if (!err) {
		printf("%d conversations receiving an answer\n", SPEAKERS);
		conversations_print_pair("from the model's delta to the speech engine",
					 &all.delta_us, &all.relay_us, 1);
		conversations_print_pair(
			"from an interruption to the closing of the model's connection",
			&all.cancel_us, &all.relay_back_us, 2);
	}
	conversations_end(&all);
	return err;
}

static int conversations_measure_idle(void)
{
	struct conversations all;
	size_t before = 0;
	size_t after = 0;
	int err = conversations_begin(&all, WARM_UP + IDLE);

	all.says_all = true;
	if (!err)
		err = conversations_open_some(&all, 0, WARM_UP);
	if (!err)
		err = conversations_run_until_count(&all, &all.finals, WARM_UP);
	if (!err) {
		conversations_run_until(&all, clock_monotonic_us() + 500000);
		before = target_resident(&all.target);
		err = conversations_open_some(&all, WARM_UP, all.count);
	}
	if (!err)
		err = conversations_run_until_count(&all, &all.finals, all.count);
	if (!err) {
		conversations_run_until(&all, clock_monotonic_us() + 500000);
		after = target_resident(&all.target);
		printf("idle conversations after one turn (%d): %.2f KiB each (target 24)\n", IDLE,
		       ((double)after - (double)before) / 1024 / IDLE);
	}
	conversations_end(&all);
	return err;
}

int bench_conversations(const struct bench_options *options)
{
	int err = conversations_measure_speaking(options);

	return err ? err : conversations_measure_idle();
}
