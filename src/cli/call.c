/*
 * call.c: `syrinx call`: plays a caller's recording to an agent, and shows and records what happens.
 *
 * The recording is sent as fast as it is spoken, so the agent does not notice the difference from a
 * microphone; with --text, messages are typed instead.
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/count.h"
#include "base/log.h"
#include "cli/caller_socket.h"
#include "cli/command.h"
#include "cli/server_choice.h"
#include "cli/settings.h"

#define CALL_PATH "/v1/convai/conversation?agent_id="
#define CALL_URL_SIZE 2048u
#define CALL_BASE_SIZE 1000u

/* The agent of a server whose configuration has none. */
#define CALL_AGENT_DEFAULT "echo"

#define CALL_WAIT_S 3
#define CALL_TIMEOUT_S 30
#define CALL_SECONDS_MAX 3600

struct call_target {
	char url[CALL_URL_SIZE];
	char base[CALL_BASE_SIZE];
	char key[KEY_SOURCE_SIZE];
};

/* Appends text to the URL with all but the unreserved characters of RFC 3986 escaped. */
static bool call_append_escaped(char url[CALL_URL_SIZE], const char *text)
{
	static const char plain[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
	size_t len = strlen(url);

	for (; *text; ++text) {
		if (len + 4 > CALL_URL_SIZE)
			return false;
		if (strchr(plain, *text))
			url[len++] = *text;
		else
			len += (size_t)snprintf(url + len, 4, "%%%02X", (unsigned char)*text);
	}
	url[len] = '\0';
	return true;
}

static int call_find_target(struct call_target *target, const struct command_call *call,
			    const struct config *config)
{
	const char *agent = command_value(call, "agent");
	bool found = false;
	int status = server_choice_find(target->base, sizeof(target->base), call, config);

	if (status == COMMAND_OK)
		status = server_choice_find_key(target->key, &found, target->base, call, config);
	if (status != COMMAND_OK)
		return status;
	if (!found) {
		server_choice_explain_no_key(target->base, call->command, config);
		return COMMAND_FAILED;
	}
	if (!agent)
		agent = config->agents_count > 0 ? config->agents[0].name : CALL_AGENT_DEFAULT;
	snprintf(target->url, sizeof(target->url), "%s%s", target->base, CALL_PATH);
	if (call_append_escaped(target->url, agent))
		return COMMAND_OK;
	return command_usage_error(call->command, "the agent's name is too long");
}

/* All files are read before the call, because a mistake in the last one must not end it. */
static int call_load_sounds(struct caller_sound *sounds, const struct command_call *call)
{
	char why[CALLER_SOUND_WHY_SIZE];

	for (size_t i = 0; i < call->operand_count; ++i) {
		if (caller_sound_load(&sounds[i], call->operands[i], why) != 0) {
			fprintf(stderr, "syrinx call: %s: %s\n", call->operands[i], why);
			return COMMAND_FAILED;
		}
	}
	return COMMAND_OK;
}

static int call_check_options(struct caller_turns *turns, const struct command_call *call)
{
	int64_t wait_s, timeout_s;

	if (call->operand_count > 0 && call->repeated_count > 0)
		return command_usage_error(call->command, "FILE cannot be combined with --text");
	if (call->operand_count == 0 && call->repeated_count == 0)
		return command_usage_error(call->command, "FILE or --text is missing");
	if (command_value(call, "stereo") && !command_value(call, "output"))
		return command_usage_error(call->command, "--stereo needs --output");
	if (call->repeated_count > 0 && command_value(call, "output"))
		return command_usage_error(call->command,
					   "--output cannot be combined with --text");
	if (command_number(&wait_s, call, "wait", 0, CALL_SECONDS_MAX, CALL_WAIT_S) != 0 ||
	    command_number(&timeout_s, call, "timeout", 1, CALL_SECONDS_MAX, CALL_TIMEOUT_S) != 0)
		return COMMAND_USAGE;
	turns->wait_us = (uint64_t)wait_s * 1000000;
	turns->patience_us = (uint64_t)timeout_s * 1000000;
	turns->is_text = call->repeated_count > 0;
	for (size_t i = 0; i < call->operand_count; ++i)
		caller_turns_add(turns, call->operands[i]);
	for (size_t i = 0; i < call->repeated_count; ++i)
		caller_turns_add(turns, call->repeated[i]);
	return COMMAND_OK;
}

static int call_run(const struct command_call *call)
{
	static struct config config;
	static struct call_target target;
	static struct caller_turns turns;
	static struct caller_sound sounds[CALLER_TURNS_MAX];
	const struct caller_socket_options options = {
		.url = target.url,
		.key = target.key,
		.ca_file = command_value(call, "ca"),
		.first_message = command_value(call, "first-message"),
		.recording = command_value(call, "output"),
		.is_stereo = command_value(call, "stereo"),
		.is_json = command_value(call, "json"),
	};
	int status = call_check_options(&turns, call);

	if (status == COMMAND_OK)
		status = call_load_sounds(sounds, call);
	if (status == COMMAND_OK)
		status = settings_load(&config, call);
	log_set_level(LOG_ERROR);
	if (status == COMMAND_OK)
		status = call_find_target(&target, call, &config);
	if (status == COMMAND_OK)
		status = caller_socket_run(&options, &turns, sounds);
	explicit_bzero(target.key, sizeof(target.key));
	for (size_t i = 0; i < COUNT(sounds); ++i)
		caller_sound_reset(&sounds[i]);
	return status;
}

static const struct command_option call_options[] = {
	{"agent", 0, "NAME", "the agent to call (the first one of the configuration)"},
	{"text", 0, "TEXT...", "type this instead of playing files; can be repeated"},
	{"first-message", 0, "TEXT", "what the agent says first (what it is configured to say)"},
	{"wait", 0, "SECONDS", "the silence after which the agent has finished (3)"},
	{"timeout", 0, "SECONDS", "how long to wait for the beginning of an answer (30)"},
	{"output", 'o', "FILE", "write what is heard to this WAV file"},
	{"stereo", 0, NULL, "with --output: the caller on the left, the agent on the right"},
	{"json", 0, NULL, "print the server's events as JSON, one per line"},
	{"server", 0, "URL", "use this server (the server running on the data directory)"},
	KEY_SOURCE_FILE_OPTION,
	{"key", 0, "KEY", "the API key itself (SYRINX_KEY, or the local key)"},
	{"ca", 0, "FILE", "trust these certificate authorities (the system's)"},
	{"config", 0, "FILE", "read this configuration"},
	{"data", 0, "DIR", "the server's data directory, with the local key (data)"},
	{0},
};

const struct command command_call = {
	.name = "call",
	.operands = "[FILE]...",
	.operands_max = CALLER_TURNS_MAX,
	.summary = "Call an agent: play recordings to it, and see, time and record its answers.",
	.options = call_options,
	.run = call_run,
	.notes =
		"A FILE is a WAV file of 16 bit PCM. Each is played after the agent has finished.\n"
		"Exit status: 0 if the agent answered, 3 if the connection was refused, 4 after an\n"
		"error of the server, 5 if there was no answer.\n",
	.examples = "  syrinx call question.wav --agent support -o call.wav --stereo\n"
		    "  syrinx call hello.wav question.wav --json\n"
		    "  syrinx call --text \"Hello.\" --text \"What time is it?\"\n",
};
