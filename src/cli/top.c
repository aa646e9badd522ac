/*
 * top.c: `syrinx top`: shows a server's live activity.
 *
 * Reads /metrics repeatedly and shows the difference. Waits for a server that is not running; a
 * server whose first answer is an error, or is not from Syrinx, is not asked again.
 */
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/count.h"
#include "base/log.h"
#include "base/mem.h"
#include "cli/api_client.h"
#include "cli/command.h"
#include "cli/json_list.h"
#include "cli/server_choice.h"
#include "cli/settings.h"
#include "cli/terminal.h"
#include "cli/top_view.h"

#define INTERVAL_MAX_S 3600
#define RETRY_US 1000000u /* between attempts to reach the server */

/* The size of a full screen with escape sequences; a wider screen stays empty on the right. */
#define PICTURE_MAX (64u * 1024u)

/* One sample of /metrics, and the text that it points into. */
struct top_sample {
	struct exposition page;
	struct buf text;
	uint64_t at_us;
};

struct top {
	struct loop *loop;
	struct api_client *client;
	const char *base;
	uint64_t interval_us;
	bool is_once;
	bool is_json;
	bool has_colours;
	struct terminal terminal;
	struct top_sample samples[2];
	struct top_sample *now; /* NULL if there is none yet */
	/* The previous sample of the same process; NULL if there is none yet. */
	struct top_sample *before;
	char trouble[600]; /* "" if there is none */
	struct buf picture;
	struct timer timer;
	uv_signal_t signals[4];
	struct watch keys;
	bool has_keys;
	int status; /* the exit status */
};

/* Display */

/* Without a previous sample, the time since the server's start is only known from the server's
 * clock. */
static double top_seconds_between(const struct top *top)
{
	double started;

	if (top->now && top->before)
		return (double)(top->now->at_us - top->before->at_us) / 1e6;
	if (top->now && top_view_started(&started, &top->now->page))
		return (double)clock_wall_ms() / 1000 - started;
	return 0;
}

static int top_make_picture(struct top *top)
{
	struct top_view view = {
		.now = top->now ? &top->now->page : NULL,
		.before = top->before ? &top->before->page : NULL,
		.seconds = top_seconds_between(top),
		.base = top->base,
		.trouble = top->trouble[0] ? top->trouble : NULL,
		.wall_ms = clock_wall_ms(),
		.columns = TOP_VIEW_COLUMNS,
		.is_screen = !top->is_once,
		.has_colours = top->has_colours,
	};

	if (!top->is_once)
		terminal_size(&view.columns, &view.rows);
	top->picture.len = 0;
	return top_view_print(&top->picture, &view);
}

static void top_end(struct top *top, int status)
{
	top->status = status;
	loop_stop(top->loop);
}

/* Prints every value, with the value of its label if it has one. */
static int top_print_json(const struct top *top)
{
	const struct exposition *page = &top->now->page;
	struct json_list out;

	json_list_open_object(&out);
	json_write_string(&out.json, "server", top->base, strlen(top->base));
	json_write_list(&out.json, "metrics");
	for (size_t i = 0; i < page->count; ++i) {
		const struct exposition_sample *sample = &page->samples[i];

		json_write_object(&out.json, NULL);
		json_write_string(&out.json, "name", sample->name, strlen(sample->name));
		if (sample->label)
			json_write_string(&out.json, "label", sample->label, strlen(sample->label));
		json_write_double(&out.json, "value", sample->number, 9);
		json_write_object_end(&out.json);
	}
	return json_list_print(&out);
}

/* Shows the current state. Returns false if that failed, which ends the command. */
static bool top_show(struct top *top)
{
	int err = top->is_json ? top_print_json(top) : top_make_picture(top);

	if (top->is_json) {
		if (err)
			top_end(top, COMMAND_FAILED);
		return !err;
	}
	if (!err && top->is_once)
		fwrite(top->picture.bytes, 1, top->picture.len, stdout);
	else if (!err)
		err = terminal_show(&top->picture);
	if (err)
		top_end(top, COMMAND_FAILED);
	return !err;
}

/* Samples */

/* Explains an answer that is not a page of metrics. */
static const char *top_refusal_of(unsigned status)
{
	switch (status) {
	case 401:
		return "it requires an API key: give --key-file FILE or set SYRINX_KEY";
	case 403:
		return "the key is not allowed to read the metrics: it must be a key of the "
		       "operator's account, with the scope admin";
	case 404:
		return "it has no /metrics: is it Syrinx?";
	default:
		return "is it Syrinx?";
	}
}

static int top_read_page(struct top *top, struct top_sample *sample,
			 const struct api_client_answer *answer)
{
	double started;
	size_t line;

	top->before = NULL; /* its storage is reused */
	sample->text.len = 0;
	if (buf_append(&sample->text, answer->body, answer->len + 1) != 0)
		return ENOMEM;
	sample->at_us = loop_now_us(top->loop);
	if (exposition_parse(&sample->page, sample->text.bytes, answer->len, &line) != 0 ||
	    !top_view_started(&started, &sample->page))
		return EBADMSG;
	return 0;
}

/* Another process counts from zero, so its values cannot be compared with those of its
 * predecessor. */
static void top_take_sample(struct top *top, struct top_sample *sample)
{
	double started, before;

	top->before = NULL;
	if (top->now && top_view_started(&started, &sample->page) &&
	    top_view_started(&before, &top->now->page) && fabs(started - before) < 0.5)
		top->before = top->now;
	top->now = sample;
	top->trouble[0] = '\0';
}

/* Whether waiting is useless: the first request was answered with an error. */
static bool top_should_give_up(const struct top *top, const struct api_client_answer *answer)
{
	return top->is_once || (!answer->why && answer->status < 500 && !top->now);
}

static void top_take_answer(struct top *top, const struct api_client_answer *answer)
{
	struct top_sample *sample =
		top->now == &top->samples[0] ? &top->samples[1] : &top->samples[0];
	int err =
		answer->why || answer->status != 200 ? EPROTO : top_read_page(top, sample, answer);

	if (!err)
		top_take_sample(top, sample);
	else if (answer->why)
		snprintf(top->trouble, sizeof(top->trouble), "%s%s",
			 top->is_once ? "" : "waiting for the server: ", answer->why);
	else if (answer->status != 200)
		snprintf(top->trouble, sizeof(top->trouble), "%s answered %u: %s", top->base,
			 answer->status, top_refusal_of(answer->status));
	else
		snprintf(top->trouble, sizeof(top->trouble),
			 "%s did not answer with Syrinx metrics: is it Syrinx?", top->base);
}

static void top_send_request(void *arg);

static void top_on_answer(const struct api_client_answer *answer, void *arg)
{
	struct top *top = arg;

	top_take_answer(top, answer);
	if (top->trouble[0] && top_should_give_up(top, answer)) {
		top_end(top, COMMAND_FAILED);
		return;
	}
	if (!top_show(top))
		return;
	if (top->is_once)
		top_end(top, COMMAND_OK);
	else
		timer_set(&top->loop->timers, &top->timer,
			  top->trouble[0] ? RETRY_US : top->interval_us, top_send_request, top);
}

static void top_send_request(void *arg)
{
	struct top *top = arg;

	if (api_client_get(top->client, "/metrics", top_on_answer, top) != 0)
		top_end(top, COMMAND_FAILED);
}

/* Keys and signals */

static void top_on_keys(void *arg, int events)
{
	struct top *top = arg;
	char keys[64];
	ssize_t n = read(STDIN_FILENO, keys, sizeof(keys));

	(void)events;
	/* If reading fails, the terminal is closed. */
	if (n <= 0 || memchr(keys, 'q', (size_t)n) || memchr(keys, 'Q', (size_t)n))
		top_end(top, COMMAND_OK);
}

static void top_on_keys_closed(void *arg)
{
	(void)arg;
}

static void top_on_signal(uv_signal_t *handle, int number)
{
	struct top *top = handle->data;

	loop_enter(top->loop);
	if (number != SIGWINCH)
		top_end(top, COMMAND_OK);
	else
		(void)top_show(top);
	loop_leave(top->loop);
}

static int top_open_screen(struct top *top)
{
	static const int numbers[COUNT(top->signals)] = {SIGINT, SIGTERM, SIGHUP, SIGWINCH};
	int err = terminal_open(&top->terminal);

	for (size_t i = 0; !err && i < COUNT(numbers); ++i) {
		uv_signal_init(&top->loop->uv, &top->signals[i]);
		top->signals[i].data = top;
		uv_signal_start(&top->signals[i], top_on_signal, numbers[i]);
	}
	if (!err && top->terminal.has_keys) {
		err = watch_open(&top->keys, top->loop, STDIN_FILENO, top_on_keys, top);
		top->has_keys = !err;
	}
	if (top->has_keys)
		watch_set(&top->keys, WATCH_READ);
	return err;
}

static void top_close_screen(struct top *top)
{
	for (size_t i = 0; i < COUNT(top->signals); ++i) {
		if (top->signals[i].data)
			uv_close((uv_handle_t *)&top->signals[i], NULL);
	}
	if (top->has_keys)
		watch_close(&top->keys, top_on_keys_closed);
	terminal_close(&top->terminal);
}

/* The command */

static bool top_wants_colours(void)
{
	const char *terminal = getenv("TERM");
	const char *no_color = getenv("NO_COLOR");

	return terminal && strcmp(terminal, "dumb") != 0 && !(no_color && no_color[0]);
}

static int top_watch_server(struct top *top, const struct api_client_options *server)
{
	char why[300] = "out of memory";
	int err = loop_alloc(&top->loop);

	if (!err)
		err = api_client_alloc(&top->client, top->loop, server, why, sizeof(why));
	if (err) {
		snprintf(top->trouble, sizeof(top->trouble), "%s: %s", server->base, why);
		return COMMAND_FAILED;
	}
	if (!top->is_once)
		err = top_open_screen(top);
	if (!err && !top->is_once) {
		snprintf(top->trouble, sizeof(top->trouble), "asking the server");
		(void)top_show(top); /* the first answer may take some time */
	}
	if (!err) {
		top_send_request(top);
		loop_run(top->loop);
	}
	return err ? COMMAND_FAILED : top->status;
}

static void top_destroy(void *object)
{
	struct top *top = object;

	if (top->loop) {
		top_close_screen(top);
		timer_clear(&top->loop->timers, &top->timer);
	}
	mem_deref(top->client);
	mem_deref(top->loop);
	for (size_t i = 0; i < COUNT(top->samples); ++i)
		buf_reset(&top->samples[i].text);
	buf_reset(&top->picture);
}

static int top_loop(const struct command_call *call, const struct api_client_options *server,
		    int64_t interval_s)
{
	struct top *top = mem_zalloc(sizeof(*top), top_destroy);
	char trouble[sizeof(top->trouble)];
	int status;

	if (!top)
		return COMMAND_FAILED;
	top->base = server->base;
	top->interval_us = (uint64_t)interval_s * 1000000;
	top->is_json = command_value(call, "json") != NULL;
	top->is_once = command_value(call, "once") || top->is_json || !isatty(STDOUT_FILENO);
	top->has_colours = !top->is_once && top_wants_colours();
	for (size_t i = 0; i < COUNT(top->samples); ++i)
		buf_init(&top->samples[i].text, API_CLIENT_ANSWER_MAX + 1);
	buf_init(&top->picture, PICTURE_MAX);
	status = top_watch_server(top, server);
	memcpy(trouble, top->trouble, sizeof(trouble));
	mem_deref(top); /* restores the terminal */
	if (status == COMMAND_FAILED && trouble[0])
		fprintf(stderr, "syrinx top: %s\n", trouble);
	return status;
}

static int top_run(const struct command_call *call)
{
	static struct config config;
	char base[1024];
	char key[KEY_SOURCE_SIZE];
	bool has_key;
	struct api_client_options server = {.base = base, .ca_file = command_value(call, "ca")};
	int64_t interval_s;
	int status = settings_load(&config, call);

	if (status != COMMAND_OK)
		return status;
	if (command_number(&interval_s, call, "interval", 1, INTERVAL_MAX_S, 1) != 0)
		return COMMAND_USAGE;
	status = server_choice_find(base, sizeof(base), call, &config);
	if (status != COMMAND_OK)
		return status;
	status = server_choice_find_key(key, &has_key, base, call, &config);
	if (status != COMMAND_OK)
		return status;
	server.key = has_key ? key : NULL;
	log_set_level(LOG_ERROR);
	status = top_loop(call, &server, interval_s);
	explicit_bzero(key, sizeof(key));
	return status;
}

static const struct command_option options[] = {
	{"server", 0, "URL", "the server's address (the server running on the data directory)"},
	KEY_SOURCE_FILE_OPTION,
	{"key", 0, "KEY", "the operator's key itself (SYRINX_KEY, or the local key)"},
	{"once", 0, NULL, "print one table and exit (the default without a terminal)"},
	{"json", 0, NULL, "print the metrics once as JSON and exit"},
	{"interval", 0, "SECONDS", "seconds between updates (1)"},
	{"ca", 0, "FILE", "trust these certificate authorities (the system's)"},
	{"config", 0, "FILE", "read this configuration"},
	{"data", 0, "DIR", "the server's data directory, with the local key (data)"},
	{0},
};

const struct command command_top = {
	.name = "top",
	.summary = "Show a server's live activity; q quits.",
	.options = options,
	.run = top_run,
	.examples =
		"  syrinx top\n"
		"  syrinx top --once --server https://voice.example.com --key-file operator.key\n",
};
