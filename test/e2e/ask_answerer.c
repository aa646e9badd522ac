/*
 * ask_answerer.c: asks a developer's server as a call would do, for tests with other libraries.
 *
 *   ask-answerer URL KEY CASCADE_MS
 *
 * Reads "ask ID WORDS" and "drop" from standard input, whose end closes the answerer, and prints
 * what it delivers: "words ID TEXT", "complete ID", "failed ID FAULT WHY".
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/remote_answerer.h"
#include "base/count.h"
#include "base/mem.h"
#include "doors/elevenlabs/elevenlabs.h"

struct asker {
	struct answerer *answerer;
	struct watch input;
	char line[4096];
	size_t len;
};

static void on_words(void *arg, int64_t id, const char *text, size_t len)
{
	(void)arg;
	printf("words %" PRId64 " %.*s\n", id, (int)len, text);
}

static void on_complete(void *arg, int64_t id)
{
	(void)arg;
	printf("complete %" PRId64 "\n", id);
}

static void on_failed(void *arg, int64_t id, enum answerer_fault fault, const char *why)
{
	static const char *const names[] = {"UNREACHABLE", "SILENT", "STALLED", "REFUSED"};

	(void)arg;
	printf("failed %" PRId64 " %s %s\n", id, names[fault], why);
}

static void on_closed(void *arg, const char *why)
{
	(void)arg;
	printf("closed %s\n", why);
}

static void do_line(struct asker *asker, const char *line)
{
	const struct answerer_ops *ops = asker->answerer->ops;
	int64_t id;
	int at = 0;

	if (strcmp(line, "drop") == 0) {
		ops->drop(asker->answerer);
	} else if (sscanf(line, "ask %" SCNd64 " %n", &id, &at) == 1 && at > 0) {
		const struct answerer_said said[] = {
			{.text = "Hi", .len = 2},
			{.by_agent = true, .text = "Hello", .len = 5},
			{.text = line + at, .len = strlen(line + at)},
		};

		if (ops->ask(asker->answerer, id, said, COUNT(said)) != 0)
			abort();
	}
}

static void on_input_closed(void *arg)
{
	(void)arg;
}

static void on_input(void *arg, int events)
{
	struct asker *asker = arg;
	ssize_t n =
		read(STDIN_FILENO, asker->line + asker->len, sizeof(asker->line) - 1 - asker->len);
	char *newline;

	(void)events;
	if (n <= 0) {
		asker->answerer->ops->close(asker->answerer);
		watch_close(&asker->input, on_input_closed);
		return;
	}
	asker->len += (size_t)n;
	while ((newline = memchr(asker->line, '\n', asker->len))) {
		*newline = '\0';
		do_line(asker, asker->line);
		asker->len -= (size_t)(newline + 1 - asker->line);
		memmove(asker->line, newline + 1, asker->len);
	}
}

int main(int argc, char **argv)
{
	static const struct answerer_listener listener = {.words = on_words,
							  .complete = on_complete,
							  .failed = on_failed,
							  .closed = on_closed};
	static const char *const headers[] = {"X-User: 5", NULL};
	static struct asker asker;
	struct upstream_sockets *sockets = NULL;
	struct engine_token_keys keys;
	struct remote_answerer_options options;
	struct loop *loop;

	setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
	if (argc != 4 || loop_alloc(&loop) != 0 ||
	    upstream_sockets_alloc(&sockets, loop, NULL) != 0 ||
	    engine_token_keys(&keys, &elevenlabs_engine_tokens, argv[2]) != 0)
		return 2;
	options = (struct remote_answerer_options){
		.sockets = sockets,
		.url = argv[1],
		.keys = &keys,
		.headers = headers,
		.conversation_id = "conv_asker",
		.cascade_timeout_ms = (uint32_t)strtoul(argv[3], NULL, 10),
	};
	if (remote_answerer_alloc(&asker.answerer, &options, &listener, &asker) != 0 ||
	    watch_open(&asker.input, loop, STDIN_FILENO, on_input, &asker) != 0)
		return 2;
	watch_set(&asker.input, WATCH_READ);
	loop_run(loop); /* until the connection is closed, too */
	mem_deref(sockets);
	mem_deref(loop);
	return mem_live() == 0 ? 0 : 1;
}
