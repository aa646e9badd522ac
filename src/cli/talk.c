/*
 * talk.c: `syrinx talk`: a conversation with an agent, typed.
 *
 * It plays the speech engine's part over the real protocol, so whatever answers
 * here answers an engine.  At a terminal a line may be typed while the answer
 * still comes: that is a barge-in.  Otherwise each line of the input is a turn,
 * and its answer a line of the output.
 */
#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/log.h"
#include "base/mem.h"
#include "bench/engine_side.h"
#include "cli/agent_choice.h"
#include "cli/interrupt.h"
#include "cli/local_key.h"
#include "cli/place.h"
#include "cli/settings.h"
#include "cli/talk_voice.h"

#define URL_SIZE 2048
#define LINE_MAX_BYTES (64u * 1024u)
#define VOICE_INITIAL 1071
#define VOICE_MAX (INT64_C(1) << 53)

/* Longer than any agent may take for an answer. */
#define ANSWER_MS 600000

/* Between pings when nothing is said, so that proxies keep the line open. */
#define PING_S 15

#define DIM "\033[2m"
#define BOLD "\033[1m"
#define PLAIN "\033[0m"

struct talk {
	struct engine_side *side;
	struct talk_voice *voice; /* NULL: it is only read */
	const char *name; /* of the agent */
	bool is_terminal; /* a person is there */
	bool has_colours;
	bool is_line_open; /* the answer's line has begun */
	bool is_ping_out; /* without an answer so far */
	int64_t ping_s;
	struct buf input; /* typed, without its end */
};

/* What is shown */

static void show(const struct talk *talk, const char *style, const char *text)
{
	printf("%s%s%s", talk->has_colours ? style : "", text, talk->has_colours ? PLAIN : "");
}

static void prompt(const struct talk *talk)
{
	if (!talk->is_terminal)
		return;
	show(talk, BOLD, "you> ");
	fflush(stdout);
}

static void show_words(struct talk *talk, const char *text, size_t len)
{
	if (!talk->is_line_open && talk->is_terminal) {
		show(talk, BOLD, talk->name);
		show(talk, BOLD, "> ");
	}
	talk->is_line_open = true;
	fwrite(text, 1, len, stdout);
	fflush(stdout);
}

/* An answer has a line, also when it is empty: who reads by lines counts them. */
static void end_line(struct talk *talk)
{
	if (talk->is_line_open || !talk->is_terminal)
		printf("\n");
	talk->is_line_open = false;
	fflush(stdout);
}

static void greet(const struct talk *talk, const char *url)
{
	if (!talk->is_terminal)
		return;
	printf("Talking with %s at %s.\n", talk->name, url);
	show(talk, DIM, "Type and press Enter. Ctrl-C stops an answer, Ctrl-D ends.\n\n");
}

/* Turns */

static void take_heard(struct talk *talk, const struct engine_side_heard *heard)
{
	talk->is_ping_out = false;
	if (heard->kind == ENGINE_SIDE_WORDS) {
		show_words(talk, heard->text, heard->len);
		if (talk->voice)
			talk_voice_say(talk->voice, heard->text, heard->len);
	} else if (heard->kind == ENGINE_SIDE_FINAL) {
		end_line(talk);
		if (talk->voice)
			talk_voice_end(talk->voice);
		prompt(talk);
	}
}

static int tell_end(struct talk *talk, int err)
{
	uint16_t code = engine_side_code(talk->side);

	if (talk->is_line_open)
		end_line(talk);
	if (err == ENOBUFS)
		fprintf(stderr, "syrinx talk: the conversation has become too long\n");
	else if (err == ETIMEDOUT)
		fprintf(stderr, "syrinx talk: no answer\n");
	else
		fprintf(stderr, "syrinx talk: the server has ended the conversation (%u)\n", code);
	return err;
}

/* All that is there, without waiting. */
static int hear(struct talk *talk)
{
	struct engine_side_heard heard;
	int err;

	while (!(err = engine_side_hear(talk->side, &heard, 0)))
		take_heard(talk, &heard);
	return err == ETIMEDOUT ? 0 : tell_end(talk, err);
}

static int wait_for_answer(struct talk *talk)
{
	struct engine_side_heard heard;

	while (engine_side_is_answering(talk->side)) {
		int err = engine_side_hear(talk->side, &heard, ANSWER_MS);

		if (err)
			return tell_end(talk, err);
		take_heard(talk, &heard);
	}
	if (talk->voice)
		talk_voice_wait(talk->voice);
	return 0;
}

/* Silence for so long: is it still there? */
static int ping(struct talk *talk)
{
	int err = talk->is_ping_out ? ETIMEDOUT : 0;

	if (!engine_side_is_open(talk->side))
		return 0;
	if (!err)
		err = engine_side_ping(talk->side);
	talk->is_ping_out = true;
	return err ? tell_end(talk, err) : 0;
}

static int reopen(struct talk *talk)
{
	char why[256];
	int err = engine_side_reopen(talk->side, why, sizeof(why));

	if (err)
		fprintf(stderr, "syrinx talk: %s\n", why);
	return err;
}

static bool is_blank(const char *text, size_t len)
{
	for (size_t i = 0; i < len; ++i) {
		if (!strchr(" \t\r", text[i]))
			return false;
	}
	return true;
}

static int say(struct talk *talk, const char *text, size_t len)
{
	int err = 0;

	if (is_blank(text, len)) {
		if (!engine_side_is_answering(talk->side))
			prompt(talk);
		return 0;
	}
	if (talk->voice)
		talk_voice_stop(talk->voice);
	talk->is_line_open = false; /* Enter has ended it */
	if (!engine_side_is_open(talk->side))
		err = reopen(talk);
	if (!err)
		err = engine_side_say(talk->side, text, len);
	if (err)
		return tell_end(talk, err);
	return talk->is_terminal ? 0 : wait_for_answer(talk);
}

/* Lines */

static int say_lines(struct talk *talk, bool is_end)
{
	int err = 0;

	while (!err && talk->input.len > 0) {
		char *newline = memchr(talk->input.bytes, '\n', talk->input.len);
		size_t len = newline ? (size_t)(newline - talk->input.bytes) : talk->input.len;

		if (!newline && !is_end)
			break;
		err = say(talk, talk->input.bytes, len);
		buf_consume(&talk->input, len + (newline ? 1 : 0));
	}
	return err;
}

/* ENODATA: Ctrl-D. */
static int read_input(struct talk *talk)
{
	char part[4096];
	ssize_t n = read(STDIN_FILENO, part, sizeof(part));
	int err;

	if (n < 0)
		return errno == EINTR ? 0 : errno;
	if (n == 0) {
		err = say_lines(talk, true);
		return err ? err : ENODATA;
	}
	if (buf_append(&talk->input, part, (size_t)n) != 0) {
		fprintf(stderr, "syrinx talk: a line is longer than %u bytes\n", LINE_MAX_BYTES);
		return ENOBUFS;
	}
	return say_lines(talk, false);
}

/* Ctrl-C: the protocol knows no word for "stop", only the next turn and the end.  So
 * this conversation ends, and the next line begins another with the same history. */
static int stop_answer(struct talk *talk)
{
	bool was_answering = engine_side_is_answering(talk->side);
	bool was_speaking = talk->voice && talk_voice_stop(talk->voice);

	if (!was_answering && !was_speaking) {
		printf("\n");
		return ENODATA;
	}
	if (was_answering)
		engine_side_close(talk->side);
	talk->input.len = 0;
	talk->is_line_open = false;
	show(talk, DIM, " (stopped)");
	printf("\n");
	prompt(talk);
	return 0;
}

static int converse(struct talk *talk)
{
	int err = 0;

	prompt(talk);
	while (!err) {
		struct pollfd fds[] = {
			{.fd = STDIN_FILENO, .events = POLLIN},
			{.fd = engine_side_fd(talk->side), .events = POLLIN},
		};
		int n = poll(fds, 2, (int)talk->ping_s * 1000);

		if (interrupt_take())
			err = stop_answer(talk);
		else if (n == 0)
			err = ping(talk);
		if (n <= 0)
			continue;
		if (!err && fds[1].revents)
			err = hear(talk);
		if (!err && fds[0].revents)
			err = read_input(talk);
	}
	if (err == ENODATA && talk->is_terminal)
		printf("\n");
	return err == ENODATA ? 0 : err;
}

/* Where and who */

/* What the options say in numbers. */
struct numbers {
	int64_t voice;
	int64_t ping_s;
};

struct place {
	char url[URL_SIZE]; /* the agent's */
	char speech_url[URL_SIZE];
	const char *key; /* the engine's */
	const char *name;
	char own_key[256]; /* ours, for speech */
};

/* Another server may be anything that speaks the protocol: then it has no agent of
 * our configuration. */
static int find_place(struct place *place, const struct command_call *call, struct config *config)
{
	const char *url = command_value(call, "url");
	const struct config_agent *agent;
	char base[URL_SIZE / 2];

	place->key = command_value(call, "key");
	if (place_find(base, sizeof(base), call, config) != 0)
		return EINVAL;
	snprintf(place->speech_url, sizeof(place->speech_url), "%s/ws/tts/stream", base);
	if (url && place->key) {
		snprintf(place->url, sizeof(place->url), "%s", url);
		place->name = "agent";
		return 0;
	}
	if (agent_choice_find(&agent, config, call->command, command_value(call, "agent")) != 0)
		return ENOENT;
	if (url)
		snprintf(place->url, sizeof(place->url), "%s", url);
	else
		snprintf(place->url, sizeof(place->url), "%s%.1000s", base, agent->path);
	if (!place->key)
		place->key = agent->api_key;
	place->name = agent->name;
	return 0;
}

static int find_own_key(struct place *place, const struct config *config)
{
	const char *key = getenv("SYRINX_KEY");
	char local[ACCOUNT_KEY_LEN + 1];

	if (!key && local_key_read(local, config->data_dir) == 0)
		key = local;
	if (!key || strlen(key) >= sizeof(place->own_key)) {
		fprintf(stderr,
			"syrinx talk: to hear it set SYRINX_KEY (the local key is in "
			"%s/local.key)\n",
			config->data_dir);
		return ENOENT;
	}
	snprintf(place->own_key, sizeof(place->own_key), "%s", key);
	return 0;
}

static int open_voice(struct talk *talk, struct place *place, const struct command_call *call,
		      const struct config *config, int64_t voice_id)
{
	const struct talk_voice_options options = {
		.url = place->speech_url,
		.key = place->own_key,
		.ca_file = command_value(call, "ca"),
		.language = command_value(call, "language"),
		.voice_id = voice_id,
	};
	int err;

	if (!command_value(call, "speak") && !command_value(call, "voice"))
		return 0;
	err = find_own_key(place, config);
	return err ? err : talk_voice_alloc(&talk->voice, &options);
}

static int open_side(struct talk *talk, const struct place *place, const struct command_call *call)
{
	const struct engine_side_options options = {
		.url = place->url,
		.key = place->key,
		.token = command_value(call, "token"),
		.ca_file = command_value(call, "ca"),
	};
	char why[256];
	int err = engine_side_open(&talk->side, &options, why, sizeof(why));

	if (!err)
		return 0;
	fprintf(stderr, "syrinx talk: %s: %s\n", place->url, why);
	if (strncmp(why, "HTTP 401", 8) == 0)
		fprintf(stderr, "(the agent there has another key: give --data or --config of the "
				"server, or --key)\n");
	return err;
}

static int talk_with(struct place *place, const struct command_call *call,
		     const struct config *config, const struct numbers *numbers)
{
	struct talk talk = {.name = place->name, .ping_s = numbers->ping_s};
	int err;

	talk.is_terminal = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
	talk.has_colours = talk.is_terminal && !getenv("NO_COLOR");
	buf_init(&talk.input, LINE_MAX_BYTES);
	err = open_voice(&talk, place, call, config, numbers->voice);
	if (!err)
		err = open_side(&talk, place, call);
	if (!err) {
		if (talk.is_terminal)
			interrupt_watch_keys();
		greet(&talk, place->url);
		err = converse(&talk);
		engine_side_close(talk.side);
	}
	mem_deref(talk.side);
	mem_deref(talk.voice);
	buf_reset(&talk.input);
	return err;
}

static int run(const struct command_call *call)
{
	static struct config config;
	static struct place place;
	struct numbers numbers;
	int status;

	if (command_number(&numbers.voice, call, "voice", 0, VOICE_MAX, VOICE_INITIAL) != 0 ||
	    command_number(&numbers.ping_s, call, "ping", 1, 3600, PING_S) != 0)
		return COMMAND_USAGE;
	status = settings_load(&config, call);
	if (status != COMMAND_OK)
		return status;
	log_set_level(LOG_ERROR);
	if (find_place(&place, call, &config) != 0)
		return COMMAND_FAILED;
	return talk_with(&place, call, &config, &numbers) == 0 ? COMMAND_OK : COMMAND_FAILED;
}

static const struct command_option options[] = {
	{"agent", 0, "NAME", "with this agent of the configuration (the first)"},
	{"speak", 0, NULL, "say the answers aloud, too"},
	{"voice", 0, "ID", "say them with this voice (1071); see: syrinx voices"},
	{"language", 0, "CODE", "the language of the answers (the voice's own)"},
	{"server", 0, "URL", "where Syrinx is (the address of the configuration)"},
	{"url", 0, "URL", "whole, of any server that gives an engine its words"},
	{"key", 0, "KEY", "the speech engine's API key for it (the agent's)"},
	{"token", 0, "TOKEN", "carry this token instead of one made with the key"},
	{"ping", 0, "SECONDS", "of silence until it is asked whether it is there (15)"},
	{"ca", 0, "FILE", "authorities that may vouch for it (the system's)"},
	{"config", 0, "FILE", "read this configuration"},
	{"data", 0, "DIR", "where the local key is (data)"},
	{0},
};

const struct command command_talk = {
	.name = "talk",
	.summary = "Talk with an agent: type, and read or hear its answers.",
	.options = options,
	.run = run,
};
