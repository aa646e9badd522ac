/*
 * top.c: `syrinx top`: what a server does, as it does it.
 *
 * Asks for /metrics again and again and shows the difference.  A server that is
 * away is waited for; one that refuses from the start, or is something else, would
 * not change its mind.
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
#include "cli/asking.h"
#include "cli/command.h"
#include "cli/json_list.h"
#include "cli/place.h"
#include "cli/settings.h"
#include "cli/terminal.h"
#include "cli/top_view.h"

#define INTERVAL_MAX_S 3600
#define RETRY_US 1000000u /* while the server is away */

/* A screen that is wider than ours stays empty there; escapes are a part of it. */
#define PICTURE_MAX (64u * 1024u)

/* A page and the text that its samples point into. */
struct look {
	struct exposition page;
	struct buf text;
	uint64_t at_us;
};

struct top {
	struct loop *loop;
	struct asking *asking;
	const char *base;
	uint64_t interval_us;
	bool is_once;
	bool is_json;
	bool has_colours;
	struct terminal terminal;
	struct look looks[2];
	struct look *now; /* NULL: none yet */
	struct look *before; /* of the same process; NULL: none yet */
	char trouble[600]; /* "": none */
	struct buf picture;
	struct timer timer;
	uv_signal_t signals[4];
	struct watch keys;
	bool has_keys;
	int status; /* of this process */
};

/* The picture */

/* Since a server's start there is only its own clock. */
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

/* Every sample of the page, with the value of its label where it has one. */
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

/* Whether somebody can see it; otherwise it was the last. */
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

/* Looks */

/* Words for an answer that is no page of metrics. */
static const char *top_refusal_of(unsigned status)
{
	switch (status) {
	case 401:
		return "it wants a key: --key-file FILE, or SYRINX_KEY";
	case 403:
		return "this key may not: it must be the operator's, with the scope admin";
	case 404:
		return "it has no /metrics: is it Syrinx?";
	default:
		return "is it Syrinx?";
	}
}

static int top_read_page(struct top *top, struct look *look, const struct asking_answer *answer)
{
	double started;
	size_t line;

	top->before = NULL; /* it is overwritten */
	look->text.len = 0;
	if (buf_append(&look->text, answer->body, answer->len + 1) != 0)
		return ENOMEM;
	look->at_us = loop_now_us(top->loop);
	if (exposition_parse(&look->page, look->text.bytes, answer->len, &line) != 0 ||
	    !top_view_started(&started, &look->page))
		return EBADMSG;
	return 0;
}

/* Another process counts from zero: there is no difference to what its predecessor
 * counted. */
static void top_take_look(struct top *top, struct look *look)
{
	double started, before;

	top->before = NULL;
	if (top->now && top_view_started(&started, &look->page) &&
	    top_view_started(&before, &top->now->page) && fabs(started - before) < 0.5)
		top->before = top->now;
	top->now = look;
	top->trouble[0] = '\0';
}

/* Whether there is nothing to wait for: an answer came, and it was the first. */
static bool top_is_hopeless(const struct top *top, const struct asking_answer *answer)
{
	return top->is_once || (!answer->why && answer->status < 500 && !top->now);
}

static void top_take_answer(struct top *top, const struct asking_answer *answer)
{
	struct look *look = top->now == &top->looks[0] ? &top->looks[1] : &top->looks[0];
	int err = answer->why || answer->status != 200 ? EPROTO : top_read_page(top, look, answer);

	if (!err)
		top_take_look(top, look);
	else if (answer->why)
		snprintf(top->trouble, sizeof(top->trouble), "%s%s",
			 top->is_once ? "" : "waiting for the server: ", answer->why);
	else if (answer->status != 200)
		snprintf(top->trouble, sizeof(top->trouble), "%s answered %u: %s", top->base,
			 answer->status, top_refusal_of(answer->status));
	else
		snprintf(top->trouble, sizeof(top->trouble),
			 "%s answered something else: is it Syrinx?", top->base);
}

static void top_look_again(void *arg);

static void top_on_answer(const struct asking_answer *answer, void *arg)
{
	struct top *top = arg;

	top_take_answer(top, answer);
	if (top->trouble[0] && top_is_hopeless(top, answer)) {
		top_end(top, COMMAND_FAILED);
		return;
	}
	if (!top_show(top))
		return;
	if (top->is_once)
		top_end(top, COMMAND_OK);
	else
		timer_set(&top->loop->timers, &top->timer,
			  top->trouble[0] ? RETRY_US : top->interval_us, top_look_again, top);
}

static void top_look_again(void *arg)
{
	struct top *top = arg;

	if (asking_get(top->asking, "/metrics", top_on_answer, top) != 0)
		top_end(top, COMMAND_FAILED);
}

/* Keys and signals */

static void top_on_keys(void *arg, int events)
{
	struct top *top = arg;
	char keys[64];
	ssize_t n = read(STDIN_FILENO, keys, sizeof(keys));

	(void)events;
	/* Without keys the terminal has gone. */
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

static int top_watch_server(struct top *top, const struct asking_place *place)
{
	char why[300] = "out of memory";
	int err = loop_alloc(&top->loop);

	if (!err)
		err = asking_alloc(&top->asking, top->loop, place, why, sizeof(why));
	if (err) {
		snprintf(top->trouble, sizeof(top->trouble), "%s: %s", place->base, why);
		return COMMAND_FAILED;
	}
	if (!top->is_once)
		err = top_open_screen(top);
	if (!err && !top->is_once) {
		snprintf(top->trouble, sizeof(top->trouble), "asking the server");
		(void)top_show(top); /* an answer may take its time */
	}
	if (!err) {
		top_look_again(top);
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
	mem_deref(top->asking);
	mem_deref(top->loop);
	for (size_t i = 0; i < COUNT(top->looks); ++i)
		buf_reset(&top->looks[i].text);
	buf_reset(&top->picture);
}

static int top_loop(const struct command_call *call, const struct asking_place *place,
		    int64_t interval_s)
{
	struct top *top = mem_zalloc(sizeof(*top), top_destroy);
	char trouble[sizeof(top->trouble)];
	int status;

	if (!top)
		return COMMAND_FAILED;
	top->base = place->base;
	top->interval_us = (uint64_t)interval_s * 1000000;
	top->is_json = command_value(call, "json") != NULL;
	top->is_once = command_value(call, "once") || top->is_json || !isatty(STDOUT_FILENO);
	top->has_colours = !top->is_once && top_wants_colours();
	for (size_t i = 0; i < COUNT(top->looks); ++i)
		buf_init(&top->looks[i].text, ASKING_ANSWER_MAX + 1);
	buf_init(&top->picture, PICTURE_MAX);
	status = top_watch_server(top, place);
	memcpy(trouble, top->trouble, sizeof(trouble));
	mem_deref(top); /* the terminal is the user's again */
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
	struct asking_place place = {.base = base, .ca_file = command_value(call, "ca")};
	int64_t interval_s;
	int status = settings_load(&config, call);

	if (status != COMMAND_OK)
		return status;
	if (command_number(&interval_s, call, "interval", 1, INTERVAL_MAX_S, 1) != 0)
		return COMMAND_USAGE;
	status = place_find(base, sizeof(base), call, &config);
	if (status != COMMAND_OK)
		return status;
	status = place_find_key(key, &has_key, base, call, &config);
	if (status != COMMAND_OK)
		return status;
	place.key = has_key ? key : NULL;
	log_set_level(LOG_ERROR);
	status = top_loop(call, &place, interval_s);
	explicit_bzero(key, sizeof(key));
	return status;
}

static const struct command_option options[] = {
	{"server", 0, "URL", "the server's address (of the one that runs on the data directory)"},
	KEY_SOURCE_FILE_OPTION,
	{"key", 0, "KEY", "the operator's key itself (SYRINX_KEY, or the local key)"},
	{"once", 0, NULL, "print one table and exit, as without a terminal"},
	{"json", 0, NULL, "print the metrics once as JSON and exit"},
	{"interval", 0, "SECONDS", "seconds between two updates (1)"},
	{"ca", 0, "FILE", "trust these certificate authorities (the system's)"},
	{"config", 0, "FILE", "read this configuration"},
	{"data", 0, "DIR", "the server's data directory, with the local key (data)"},
	{0},
};

const struct command command_top = {
	.name = "top",
	.summary = "Watch what a server does; q quits.",
	.options = options,
	.run = top_run,
	.examples =
		"  syrinx top\n"
		"  syrinx top --once --server https://voice.example.com --key-file operator.key\n",
};
