/*
 * talk.c: `syrinx talk`: a typed conversation with an agent.
 *
 * It takes the speech engine's role over the real protocol, so an agent that answers here also
 * answers a speech engine. At a terminal, a line can be typed while the answer is still
 * arriving; entering it is a barge-in. Otherwise each line of the input is a turn, and its
 * answer is a line of the output.
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
#include "cli/refusal.h"
#include "cli/server_choice.h"
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

/* The seconds of silence before a ping, which keeps connections through proxies open. */
#define PING_S 15

struct talk {
	struct upstream *upstream;
	struct talk_voice *voice; /* NULL if answers are not spoken */
	struct talk_view view;
	struct line_edit *edit; /* only with a screen */
	const char *url; /* the agent's URL */
	bool has_token; /* the token was given by the user, not made here */
	bool is_ping_out; /* a ping was sent and not answered yet */
	int64_t ping_s;
	struct buf input; /* an incomplete line of input; not used with a screen */
};

/* Turns */

static void talk_take_heard(struct talk *talk, const struct upstream_event *heard)
{
	talk->is_ping_out = false;
	if (heard->kind == UPSTREAM_WORDS) {
		talk_view_add_text(&talk->view, heard->text, heard->len);
		if (talk->voice)
			talk_voice_say(talk->voice, heard->text, heard->len);
	} else if (heard->kind == UPSTREAM_FINAL) {
		talk_view_end(&talk->view);
		if (talk->voice)
			talk_voice_end(talk->voice);
	}
}

static int talk_report_end(struct talk *talk, int err)
{
	uint16_t code = upstream_code(talk->upstream);

	talk_view_finish(&talk->view);
	if (err == ENOBUFS)
		fprintf(stderr, "syrinx talk: the conversation has become too long\n");
	else if (err == ETIMEDOUT)
		fprintf(stderr, "syrinx talk: no answer\n");
	else
		fprintf(stderr, "syrinx talk: the server ended the conversation (%u)\n", code);
	return err;
}

/* The answers can still be read if they cannot be spoken. */
static void talk_report_trouble(struct talk *talk)
{
	const char *why = talk_voice_trouble(talk->voice);
	char note[640];

	if (!why)
		return;
	snprintf(note, sizeof(note), "(cannot speak: %s; continuing with text only)", why);
	if (talk->view.kind == TALK_VIEW_LINES)
		fprintf(stderr, "syrinx talk: %s\n", note);
	else
		talk_view_add_note(&talk->view, note);
}

/* Processes all messages that have arrived, without waiting. */
static int talk_receive(struct talk *talk)
{
	struct upstream_event heard;
	int err;

	while (!(err = upstream_receive(talk->upstream, &heard, 0)))
		talk_take_heard(talk, &heard);
	return err == ETIMEDOUT ? 0 : talk_report_end(talk, err);
}

static int talk_wait_for_answer(struct talk *talk)
{
	struct upstream_event heard;

	while (upstream_is_answering(talk->upstream)) {
		int err = upstream_receive(talk->upstream, &heard, ANSWER_MS);

		if (err)
			return talk_report_end(talk, err);
		talk_take_heard(talk, &heard);
	}
	if (talk->voice) {
		talk_voice_wait(talk->voice);
		talk_report_trouble(talk);
	}
	return 0;
}

/* Pings the server after a period of silence, to find out whether it is still there. */
static int talk_ping(struct talk *talk)
{
	int err = talk->is_ping_out ? ETIMEDOUT : 0;

	if (!upstream_is_open(talk->upstream))
		return 0;
	if (!err)
		err = upstream_ping(talk->upstream);
	talk->is_ping_out = true;
	return err ? talk_report_end(talk, err) : 0;
}

static void talk_report_refusal(const char *url, char *why, bool has_token)
{
	refusal_shorten(why);
	fprintf(stderr, "syrinx talk: %s: %s\n", url, why);
	if (strncmp(why, "HTTP 401", 8) != 0)
		return;
	if (has_token)
		fprintf(stderr, "(the token has expired or was signed with another key; omit "
				"--token, or make a new one with: syrinx mint-token)\n");
	else
		fprintf(stderr, "(the agent has a different key: give the server's --data or "
				"--config, or --key-file)\n");
}

static int talk_reopen(struct talk *talk)
{
	char why[256];
	int err = upstream_reopen(talk->upstream, why, sizeof(why));

	if (!err)
		return 0;
	talk_view_finish(&talk->view);
	talk_report_refusal(talk->url, why, talk->has_token);
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
	talk_view_add_user_text(&talk->view, text, len, was_answering);
	if (!upstream_is_open(talk->upstream))
		err = talk_reopen(talk);
	if (err)
		return err;
	err = upstream_ask(talk->upstream, text, len);
	if (err)
		return talk_report_end(talk, err);
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

/* Returns ENODATA at the end of the input, which Ctrl-D is at a terminal. */
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

/* Handles Ctrl-C. The protocol has no message for "stop", only the next turn and the end of the
 * conversation. Therefore this conversation ends, and the next line begins another one with the
 * same history. ENODATA if there is no answer to stop. */
static int talk_stop_answer(struct talk *talk)
{
	bool was_answering = upstream_is_answering(talk->upstream);
	bool was_speaking = talk->voice && talk_voice_stop(talk->voice);

	if (!was_answering && !was_speaking)
		return ENODATA;
	if (was_answering)
		upstream_close(talk->upstream);
	talk->input.len = 0;
	talk_view_mark_stopped(&talk->view);
	return 0;
}

/* Keys */

/* Moves the line up into the conversation and begins a new one. */
static int talk_on_enter(struct talk *talk)
{
	char line[LINE_EDIT_SIZE];
	size_t len = line_edit_len(talk->edit);

	memcpy(line, line_edit_text(talk->edit), len);
	line_edit_accept(talk->edit);
	return talk_say(talk, line, len);
}

/* The first Ctrl-C stops the answer and keeps the line; the next one clears it. */
static int talk_on_interrupt(struct talk *talk)
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
		return talk_on_enter(talk);
	case LINE_EDIT_INTERRUPT:
		return talk_on_interrupt(talk);
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
	int err = talk->edit ? talk_on_interrupt(talk) : talk_stop_answer(talk);

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
		if (interrupt_take()) {
			err = talk_take_interrupt(talk);
			continue; /* What was polled may have been closed. */
		}
		if (n == 0)
			err = talk_ping(talk);
		if (n <= 0)
			continue;
		if (fds[1].revents)
			err = talk_receive(talk);
		if (!err && fds[2].revents)
			talk_report_trouble(talk);
		if (!err && fds[0].revents)
			err = talk->edit ? talk_read_keys(talk) : talk_read_input(talk);
	}
	if (err == ENODATA && talk->view.kind == TALK_VIEW_DUMB)
		printf("\n");
	if (err == ENODATA)
		talk_view_finish(&talk->view);
	return err == ENODATA ? 0 : err;
}

/* The agent and the keys */

struct talk_target {
	char url[URL_SIZE]; /* the agent's URL */
	char base[URL_SIZE / 2]; /* the Syrinx server, which speaks the answers */
	char speech_url[URL_SIZE];
	const char *key; /* the speech engine's API key */
	/* The key from the options, if it is not that of a configured agent. */
	char given_key[KEY_SOURCE_SIZE];
	const char *name;
	char own_key[KEY_SOURCE_SIZE]; /* the API key of the Syrinx server, for speech */
};

/* With --url, the server may be anything that supports the protocol, so it has no agent of our
 * configuration. Returns a status. */
static int talk_find_target(struct talk_target *target, const struct command_call *call,
			    struct config *config)
{
	const char *url = command_value(call, "url");
	const struct config_agent *agent;
	bool has_key;
	int status = key_source_read(target->given_key, &has_key, call);

	if (status != COMMAND_OK)
		return status;
	target->key = has_key ? target->given_key : NULL;
	status = server_choice_find(target->base, sizeof(target->base), call, config);
	if (status != COMMAND_OK)
		return status;
	snprintf(target->speech_url, sizeof(target->speech_url), "%s/ws/tts/stream", target->base);
	if (url && target->key) {
		snprintf(target->url, sizeof(target->url), "%s", url);
		target->name = "agent";
		return COMMAND_OK;
	}
	if (agent_choice_find(&agent, config, call->command, command_value(call, "agent")) != 0)
		return COMMAND_FAILED;
	if (url)
		snprintf(target->url, sizeof(target->url), "%s", url);
	else
		snprintf(target->url, sizeof(target->url), "%s%.1000s", target->base, agent->path);
	if (!target->key)
		target->key = agent->api_key;
	target->name = agent->name;
	return COMMAND_OK;
}

/* Does not use server_choice_find_key, because --key is the speech engine's key. */
static int talk_find_own_key(struct talk_target *target, const struct command *command,
			     const struct config *config)
{
	bool found;

	if (server_choice_find_own_key(target->own_key, &found, target->base, command, config) !=
	    COMMAND_OK)
		return EINVAL;
	if (found)
		return 0;
	if (server_choice_is_this_machine(target->base))
		fprintf(stderr,
			"syrinx talk: speech needs an API key, and %s/local.key cannot be "
			"read; set SYRINX_KEY, or name the server's data directory with "
			"--data DIR\n",
			config->data_dir);
	else
		fprintf(stderr,
			"syrinx talk: speech needs an API key: set SYRINX_KEY to a key of %s\n",
			target->base);
	return ENOENT;
}

/* Finds the id of the voice given by --voice. */
static int talk_find_voice(int64_t *id, const struct talk_target *target,
			   const struct command_call *call)
{
	const struct api_client_options server = {
		.base = target->base, .key = target->own_key, .ca_file = command_value(call, "ca")};
	const char *name = command_value(call, "voice");
	struct voice_list list = {0};
	char why[600];
	int err;

	if (voice_list_is_id(id, name ? name : TALK_VOICE_DEFAULT))
		return 0;
	err = voice_list_ask(&list, &server, why, sizeof(why));
	if (err)
		fprintf(stderr, "syrinx talk: %s: %s\n", target->base, why);
	else
		err = voice_list_find(id, &list, name, why, sizeof(why));
	if (err && list.count > 0)
		fprintf(stderr, "syrinx talk: %s\n", why);
	voice_list_reset(&list);
	return err;
}

static int talk_open_voice(struct talk *talk, struct talk_target *target,
			   const struct command_call *call, const struct config *config)
{
	struct talk_voice_options options = {
		.url = target->speech_url,
		.key = target->own_key,
		.ca_file = command_value(call, "ca"),
		.language = command_value(call, "language"),
	};
	int err;

	if (!command_value(call, "speak") && !command_value(call, "voice"))
		return 0;
	err = talk_find_own_key(target, call->command, config);
	if (!err)
		err = talk_find_voice(&options.voice_id, target, call);
	return err ? err : talk_voice_alloc(&talk->voice, &options);
}

static int talk_open_upstream(struct talk *talk, const struct talk_target *target,
			      const struct command_call *call)
{
	const struct upstream_options options = {
		.url = target->url,
		.tokens = doors_local_engine_tokens,
		.key = target->key,
		.token = command_value(call, "token"),
		.ca_file = command_value(call, "ca"),
	};
	char why[256];
	int err = upstream_open(&talk->upstream, &options, why, sizeof(why));

	talk->url = target->url;
	talk->has_token = options.token;
	if (err)
		talk_report_refusal(talk->url, why, talk->has_token);
	return err;
}

/* A dumb terminal edits lines itself. */
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
	setvbuf(stdout, NULL, _IOFBF, BUFSIZ); /* each row is written at once */
	return err;
}

static int talk_begin_conversation(struct talk *talk)
{
	int err = 0;

	if (talk->view.kind != TALK_VIEW_LINES)
		interrupt_watch_keys();
	talk_view_print_greeting(&talk->view, talk->url);
	if (talk->edit) {
		talk_see_size(talk);
		err = keyboard_open();
	}
	if (err)
		fprintf(stderr, "syrinx talk: the terminal: %s\n", strerror(err));
	return err;
}

static int talk_with(struct talk_target *target, const struct command_call *call,
		     const struct config *config, int64_t ping_s)
{
	struct talk talk = {.ping_s = ping_s};
	int err = talk_open_view(&talk, target->name);

	buf_init(&talk.input, LINE_MAX_BYTES);
	if (!err)
		err = talk_open_voice(&talk, target, call, config);
	if (!err)
		err = talk_open_upstream(&talk, target, call);
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
	static struct talk_target target;
	int64_t ping_s;
	int status;

	if (command_number(&ping_s, call, "ping", 1, 3600, PING_S) != 0)
		return COMMAND_USAGE;
	status = settings_load(&config, call);
	if (status != COMMAND_OK)
		return status;
	log_set_level(LOG_ERROR);
	status = talk_find_target(&target, call, &config);
	if (status != COMMAND_OK)
		return status;
	return talk_with(&target, call, &config, ping_s) == 0 ? COMMAND_OK : COMMAND_FAILED;
}

static const struct command_option options[] = {
	{"agent", 0, "NAME", "the configured agent to talk to (the first)"},
	{"speak", 0, NULL, "also speak the answers"},
	{"voice", 0, "VOICE", "speak them with this voice, by id or name (1071)"},
	{"language", 0, "CODE", "the language of the answers (the voice's own)"},
	{"server", 0, "URL", "the server's address (the server running on the data directory)"},
	{"url", 0, "URL", "the agent's full URL, on any server that supports the protocol"},
	KEY_SOURCE_FILE_OPTION,
	{"key", 0, "KEY", "the speech engine's API key itself (the agent's)"},
	{"token", 0, "TOKEN", "send this token instead of one signed with the key"},
	{"ping", 0, "SECONDS", "ping the server after this many seconds of silence (15)"},
	{"ca", 0, "FILE", "trust these certificate authorities (the system's)"},
	{"config", 0, "FILE", "read this configuration"},
	{"data", 0, "DIR", "the server's data directory, with the local key (data)"},
	{0},
};

const struct command command_talk = {
	.name = "talk",
	.summary = "Talk to an agent: type, and read or hear its answers.",
	.options = options,
	.uses_agents = true,
	.run = talk_run,
	.examples =
		"  syrinx talk\n"
		"  syrinx talk --agent support --config /etc/syrinx/syrinx.conf --voice Sally\n",
};
