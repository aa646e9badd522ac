/*
 * talk.c: `syrinx talk`: a conversation with an agent, typed.
 *
 * It plays the speech engine's part over the real protocol, so whatever answers
 * here answers an engine.  At a terminal a line may be typed while the answer
 * still comes, and is a barge-in when it is entered.  Otherwise each line of the
 * input is a turn, and its answer a line of the output.
 */
#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/upstream.h"
#include "base/buf.h"
#include "base/count.h"
#include "base/log.h"
#include "base/mem.h"
#include "cli/agent_choice.h"
#include "cli/interrupt.h"
#include "cli/keyboard.h"
#include "cli/line_edit.h"
#include "cli/local_key.h"
#include "cli/place.h"
#include "cli/refusal.h"
#include "cli/settings.h"
#include "cli/talk_view.h"
#include "cli/talk_voice.h"
#include "cli/terminal.h"
#include "cli/voice_list.h"
#include "doors/doors_local.h"

#define URL_SIZE 2048
#define LINE_MAX_BYTES (64u * 1024u)
#define TALK_VOICE_DEFAULT "1071"

/* Longer than any agent may take for an answer. */
#define ANSWER_MS 600000

/* Between pings when nothing is said, so that proxies keep the line open. */
#define PING_S 15

struct talk {
	struct upstream *upstream;
	struct talk_voice *voice; /* NULL: it is only read */
	struct talk_view view;
	struct line_edit *edit; /* of a screen */
	const char *url; /* of the agent */
	bool has_token; /* of the user, not made by us */
	bool is_ping_out; /* without an answer so far */
	int64_t ping_s;
	struct buf input; /* typed, without its end; not of a screen */
};

/* Turns */

static void talk_take_heard(struct talk *talk, const struct upstream_event *heard)
{
	talk->is_ping_out = false;
	if (heard->kind == UPSTREAM_WORDS) {
		talk_view_words(&talk->view, heard->text, heard->len);
		if (talk->voice)
			talk_voice_say(talk->voice, heard->text, heard->len);
	} else if (heard->kind == UPSTREAM_FINAL) {
		talk_view_end(&talk->view);
		if (talk->voice)
			talk_voice_end(talk->voice);
	}
}

static int talk_tell_end(struct talk *talk, int err)
{
	uint16_t code = upstream_code(talk->upstream);

	talk_view_leave(&talk->view);
	if (err == ENOBUFS)
		fprintf(stderr, "syrinx talk: the conversation has become too long\n");
	else if (err == ETIMEDOUT)
		fprintf(stderr, "syrinx talk: no answer\n");
	else
		fprintf(stderr, "syrinx talk: the server has ended the conversation (%u)\n", code);
	return err;
}

/* The answers can be read all the same. */
static void talk_tell_trouble(struct talk *talk)
{
	const char *why = talk_voice_trouble(talk->voice);
	char note[640];

	if (!why)
		return;
	snprintf(note, sizeof(note), "(cannot speak: %s; going on in text)", why);
	if (talk->view.kind == TALK_VIEW_LINES)
		fprintf(stderr, "syrinx talk: %s\n", note);
	else
		talk_view_note(&talk->view, note);
}

/* All that is there, without waiting. */
static int talk_hear(struct talk *talk)
{
	struct upstream_event heard;
	int err;

	while (!(err = upstream_receive(talk->upstream, &heard, 0)))
		talk_take_heard(talk, &heard);
	return err == ETIMEDOUT ? 0 : talk_tell_end(talk, err);
}

static int talk_wait_for_answer(struct talk *talk)
{
	struct upstream_event heard;

	while (upstream_is_answering(talk->upstream)) {
		int err = upstream_receive(talk->upstream, &heard, ANSWER_MS);

		if (err)
			return talk_tell_end(talk, err);
		talk_take_heard(talk, &heard);
	}
	if (talk->voice) {
		talk_voice_wait(talk->voice);
		talk_tell_trouble(talk);
	}
	return 0;
}

/* Silence for so long: is it still there? */
static int talk_ping(struct talk *talk)
{
	int err = talk->is_ping_out ? ETIMEDOUT : 0;

	if (!upstream_is_open(talk->upstream))
		return 0;
	if (!err)
		err = upstream_ping(talk->upstream);
	talk->is_ping_out = true;
	return err ? talk_tell_end(talk, err) : 0;
}

static void talk_tell_refusal(const char *url, char *why, bool has_token)
{
	refusal_shorten(why);
	fprintf(stderr, "syrinx talk: %s: %s\n", url, why);
	if (strncmp(why, "HTTP 401", 8) != 0)
		return;
	if (has_token)
		fprintf(stderr, "(the token has expired or was made with another key; leave out "
				"--token, or make one with: syrinx mint-token)\n");
	else
		fprintf(stderr, "(the agent there has another key: give the server's --data or "
				"--config, or --key-file)\n");
}

static int talk_reopen(struct talk *talk)
{
	char why[256];
	int err = upstream_reopen(talk->upstream, why, sizeof(why));

	if (!err)
		return 0;
	talk_view_leave(&talk->view);
	talk_tell_refusal(talk->url, why, talk->has_token);
	return err;
}

static bool talk_is_blank(const char *text, size_t len)
{
	for (size_t i = 0; i < len; ++i) {
		if (!strchr(" \t\r", text[i]))
			return false;
	}
	return true;
}

static int talk_say(struct talk *talk, const char *text, size_t len)
{
	bool was_answering = upstream_is_answering(talk->upstream);
	int err = 0;

	if (talk_is_blank(text, len)) {
		if (!was_answering)
			talk_view_prompt(&talk->view);
		return 0;
	}
	if (talk->voice)
		talk_voice_stop(talk->voice);
	talk_view_said(&talk->view, text, len, was_answering);
	if (!upstream_is_open(talk->upstream))
		err = talk_reopen(talk);
	if (err)
		return err;
	err = upstream_ask(talk->upstream, text, len);
	if (err)
		return talk_tell_end(talk, err);
	return talk->view.kind == TALK_VIEW_LINES ? talk_wait_for_answer(talk) : 0;
}

/* Lines */

static int talk_say_lines(struct talk *talk, bool is_end)
{
	int err = 0;

	while (!err && talk->input.len > 0) {
		char *newline = memchr(talk->input.bytes, '\n', talk->input.len);
		size_t len = newline ? (size_t)(newline - talk->input.bytes) : talk->input.len;

		if (!newline && !is_end)
			break;
		err = talk_say(talk, talk->input.bytes, len);
		buf_consume(&talk->input, len + (newline ? 1 : 0));
	}
	return err;
}

/* ENODATA: Ctrl-D. */
static int talk_read_input(struct talk *talk)
{
	char part[4096];
	ssize_t n = read(STDIN_FILENO, part, sizeof(part));
	int err;

	if (n < 0)
		return errno == EINTR ? 0 : errno;
	if (n == 0) {
		err = talk_say_lines(talk, true);
		return err ? err : ENODATA;
	}
	if (buf_append(&talk->input, part, (size_t)n) != 0) {
		fprintf(stderr, "syrinx talk: a line is longer than %u bytes\n", LINE_MAX_BYTES);
		return ENOBUFS;
	}
	return talk_say_lines(talk, false);
}

/* Ctrl-C: the protocol knows no word for "stop", only the next turn and the end.  So
 * this conversation ends, and the next line begins another with the same history. */
static int talk_stop_answer(struct talk *talk)
{
	bool was_answering = upstream_is_answering(talk->upstream);
	bool was_speaking = talk->voice && talk_voice_stop(talk->voice);

	if (!was_answering && !was_speaking)
		return ENODATA;
	if (was_answering)
		upstream_close(talk->upstream);
	talk->input.len = 0;
	talk_view_stopped(&talk->view);
	return 0;
}

/* Keys */

/* The line goes up into the conversation: the one being typed is a new one. */
static int talk_enter(struct talk *talk)
{
	char line[LINE_EDIT_SIZE];
	size_t len = line_edit_len(talk->edit);

	memcpy(line, line_edit_text(talk->edit), len);
	line_edit_accept(talk->edit);
	return talk_say(talk, line, len);
}

/* What was typed survives the answer's end, not a second Ctrl-C. */
static int talk_press_interrupt(struct talk *talk)
{
	int err = talk_stop_answer(talk);

	if (err != ENODATA || line_edit_len(talk->edit) == 0)
		return err;
	line_edit_clear(talk->edit);
	return 0;
}

static int talk_press(struct talk *talk, char key)
{
	switch (line_edit_key(talk->edit, key)) {
	case LINE_EDIT_NOTHING:
		return 0;
	case LINE_EDIT_ENTER:
		return talk_enter(talk);
	case LINE_EDIT_INTERRUPT:
		return talk_press_interrupt(talk);
	case LINE_EDIT_END:
		return ENODATA;
	case LINE_EDIT_FULL:
		fputc('\a', stdout);
		return 0;
	}
	return 0;
}

static int talk_read_keys(struct talk *talk)
{
	char keys[256];
	ssize_t n = read(STDIN_FILENO, keys, sizeof(keys));
	int err = n == 0 ? ENODATA : 0;

	if (n < 0)
		return errno == EINTR ? 0 : errno;
	for (ssize_t i = 0; !err && i < n; ++i)
		err = talk_press(talk, keys[i]);
	if (!err)
		talk_view_prompt(&talk->view);
	return err;
}

/* The conversation */

static void talk_see_size(struct talk *talk)
{
	unsigned columns, rows;

	terminal_size(&columns, &rows);
	talk_view_resize(&talk->view, columns);
}

static int talk_take_interrupt(struct talk *talk)
{
	int err = talk->edit ? talk_press_interrupt(talk) : talk_stop_answer(talk);

	if (err == ENODATA && !talk->edit)
		printf("\n");
	return err;
}

static int talk_converse(struct talk *talk)
{
	int err = 0;

	talk_view_prompt(&talk->view);
	while (!err) {
		struct pollfd fds[] = {
			{.fd = STDIN_FILENO, .events = POLLIN},
			{.fd = upstream_fd(talk->upstream), .events = POLLIN},
			{.fd = talk->voice ? talk_voice_fd(talk->voice) : -1, .events = POLLIN},
		};
		int n = poll(fds, COUNT(fds), (int)talk->ping_s * 1000);

		if (talk->edit)
			talk_see_size(talk);
		if (interrupt_take())
			err = talk_take_interrupt(talk);
		else if (n == 0)
			err = talk_ping(talk);
		if (n <= 0)
			continue;
		if (!err && fds[1].revents)
			err = talk_hear(talk);
		if (!err && fds[2].revents)
			talk_tell_trouble(talk);
		if (!err && fds[0].revents)
			err = talk->edit ? talk_read_keys(talk) : talk_read_input(talk);
	}
	if (err == ENODATA && talk->view.kind == TALK_VIEW_DUMB)
		printf("\n");
	if (err == ENODATA)
		talk_view_leave(&talk->view);
	return err == ENODATA ? 0 : err;
}

/* Where and who */

struct place {
	char url[URL_SIZE]; /* the agent's */
	char base[URL_SIZE / 2]; /* of our own server, which speaks */
	char speech_url[URL_SIZE];
	const char *key; /* the engine's */
	char given_key[KEY_SOURCE_SIZE]; /* where it is not an agent's of the configuration */
	const char *name;
	char own_key[KEY_SOURCE_SIZE]; /* ours, for speech */
};

/* Another server may be anything that speaks the protocol: then it has no agent of
 * our configuration.  Gives a status. */
static int talk_find_place(struct place *place, const struct command_call *call,
			   struct config *config)
{
	const char *url = command_value(call, "url");
	const struct config_agent *agent;
	bool has_key;
	int status = key_source_read(place->given_key, &has_key, call);

	if (status != COMMAND_OK)
		return status;
	place->key = has_key ? place->given_key : NULL;
	status = place_find(place->base, sizeof(place->base), call, config);
	if (status != COMMAND_OK)
		return status;
	snprintf(place->speech_url, sizeof(place->speech_url), "%s/ws/tts/stream", place->base);
	if (url && place->key) {
		snprintf(place->url, sizeof(place->url), "%s", url);
		place->name = "agent";
		return COMMAND_OK;
	}
	if (agent_choice_find(&agent, config, call->command, command_value(call, "agent")) != 0)
		return COMMAND_FAILED;
	if (url)
		snprintf(place->url, sizeof(place->url), "%s", url);
	else
		snprintf(place->url, sizeof(place->url), "%s%.1000s", place->base, agent->path);
	if (!place->key)
		place->key = agent->api_key;
	place->name = agent->name;
	return COMMAND_OK;
}

/* Not place_find_key: --key is the engine's. */
static int talk_find_own_key(struct place *place, const struct command *command,
			     const struct config *config)
{
	bool found;

	if (place_find_own_key(place->own_key, &found, place->base, command, config) != COMMAND_OK)
		return EINVAL;
	if (found)
		return 0;
	if (place_is_this_machine(place->base))
		fprintf(stderr,
			"syrinx talk: speaking needs a key: %s/local.key cannot be read; set SYRINX_KEY, or "
			"name the server's data directory with --data DIR\n",
			config->data_dir);
	else
		fprintf(stderr,
			"syrinx talk: speaking needs a key: set SYRINX_KEY to a key of %s\n",
			place->base);
	return ENOENT;
}

/* The id of the voice that --voice names. */
static int talk_find_voice(int64_t *id, const struct place *place, const struct command_call *call)
{
	const struct asking_place server = {
		.base = place->base, .key = place->own_key, .ca_file = command_value(call, "ca")};
	const char *name = command_value(call, "voice");
	struct voice_list list = {0};
	char why[600];
	int err;

	if (voice_list_is_id(id, name ? name : TALK_VOICE_DEFAULT))
		return 0;
	err = voice_list_ask(&list, &server, why, sizeof(why));
	if (err)
		fprintf(stderr, "syrinx talk: %s: %s\n", place->base, why);
	else
		err = voice_list_find(id, &list, name, why, sizeof(why));
	if (err && list.count > 0)
		fprintf(stderr, "syrinx talk: %s\n", why);
	voice_list_reset(&list);
	return err;
}

static int talk_open_voice(struct talk *talk, struct place *place, const struct command_call *call,
			   const struct config *config)
{
	struct talk_voice_options options = {
		.url = place->speech_url,
		.key = place->own_key,
		.ca_file = command_value(call, "ca"),
		.language = command_value(call, "language"),
	};
	int err;

	if (!command_value(call, "speak") && !command_value(call, "voice"))
		return 0;
	err = talk_find_own_key(place, call->command, config);
	if (!err)
		err = talk_find_voice(&options.voice_id, place, call);
	return err ? err : talk_voice_alloc(&talk->voice, &options);
}

static int talk_open_upstream(struct talk *talk, const struct place *place,
			      const struct command_call *call)
{
	const struct upstream_options options = {
		.url = place->url,
		.tokens = doors_local_engine_tokens,
		.key = place->key,
		.token = command_value(call, "token"),
		.ca_file = command_value(call, "ca"),
	};
	char why[256];
	int err = upstream_open(&talk->upstream, &options, why, sizeof(why));

	talk->url = place->url;
	talk->has_token = options.token;
	if (err)
		talk_tell_refusal(talk->url, why, talk->has_token);
	return err;
}

/* A terminal that understands no more than letters has an editor of its own. */
static enum talk_view_kind talk_kind_of_view(void)
{
	const char *terminal = getenv("TERM");

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return TALK_VIEW_LINES;
	return !terminal || !terminal[0] || strcmp(terminal, "dumb") == 0 ? TALK_VIEW_DUMB
									  : TALK_VIEW_SCREEN;
}

static int talk_open_view(struct talk *talk, const char *name)
{
	int err = 0;

	talk->view = (struct talk_view){.out = stdout, .kind = talk_kind_of_view(), .name = name};
	talk->view.has_colours = talk->view.kind == TALK_VIEW_SCREEN && !getenv("NO_COLOR");
	if (talk->view.kind != TALK_VIEW_SCREEN)
		return 0;
	err = line_edit_alloc(&talk->edit);
	talk->view.edit = talk->edit;
	setvbuf(stdout, NULL, _IOFBF, BUFSIZ); /* a row is seen whole or not at all */
	return err;
}

static int talk_begin_conversation(struct talk *talk)
{
	int err = 0;

	if (talk->view.kind != TALK_VIEW_LINES)
		interrupt_watch_keys();
	talk_view_greet(&talk->view, talk->url);
	if (talk->edit) {
		talk_see_size(talk);
		err = keyboard_open();
	}
	if (err)
		fprintf(stderr, "syrinx talk: the terminal: %s\n", strerror(err));
	return err;
}

static int talk_with(struct place *place, const struct command_call *call,
		     const struct config *config, int64_t ping_s)
{
	struct talk talk = {.ping_s = ping_s};
	int err = talk_open_view(&talk, place->name);

	buf_init(&talk.input, LINE_MAX_BYTES);
	if (!err)
		err = talk_open_voice(&talk, place, call, config);
	if (!err)
		err = talk_open_upstream(&talk, place, call);
	if (!err)
		err = talk_begin_conversation(&talk);
	if (!err)
		err = talk_converse(&talk);
	keyboard_close();
	if (talk.upstream)
		upstream_close(talk.upstream);
	mem_deref(talk.upstream);
	mem_deref(talk.voice);
	mem_deref(talk.edit);
	buf_reset(&talk.input);
	return err;
}

static int talk_run(const struct command_call *call)
{
	static struct config config;
	static struct place place;
	int64_t ping_s;
	int status;

	if (command_number(&ping_s, call, "ping", 1, 3600, PING_S) != 0)
		return COMMAND_USAGE;
	status = settings_load(&config, call);
	if (status != COMMAND_OK)
		return status;
	log_set_level(LOG_ERROR);
	status = talk_find_place(&place, call, &config);
	if (status != COMMAND_OK)
		return status;
	return talk_with(&place, call, &config, ping_s) == 0 ? COMMAND_OK : COMMAND_FAILED;
}

static const struct command_option options[] = {
	{"agent", 0, "NAME", "talk with this agent of the configuration (the first)"},
	{"speak", 0, NULL, "say the answers aloud, too"},
	{"voice", 0, "VOICE", "say them with this voice, by id or name (1071)"},
	{"language", 0, "CODE", "the language of the answers (the voice's own)"},
	{"server", 0, "URL", "the server's address (of the one that runs on the data directory)"},
	{"url", 0, "URL", "the agent's whole address, on any server that speaks the protocol"},
	KEY_SOURCE_FILE_OPTION,
	{"key", 0, "KEY", "the speech engine's API key itself (the agent's)"},
	{"token", 0, "TOKEN", "send this token instead of one made with the key"},
	{"ping", 0, "SECONDS", "ping the server after this many seconds of silence (15)"},
	{"ca", 0, "FILE", "trust these certificate authorities (the system's)"},
	{"config", 0, "FILE", "read this configuration"},
	{"data", 0, "DIR", "the server's data directory, with the local key (data)"},
	{0},
};

const struct command command_talk = {
	.name = "talk",
	.summary = "Talk with an agent: type, and read or hear its answers.",
	.options = options,
	.uses_agents = true,
	.run = talk_run,
	.examples =
		"  syrinx talk\n"
		"  syrinx talk --agent support --config /etc/syrinx/syrinx.conf --voice Sally\n",
};
