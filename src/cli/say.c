/*
 * say.c: `syrinx say`: speaks text, with a server or locally.
 *
 * Either way the same messages are exchanged as on /ws/tts/stream: with a server over a
 * WebSocket, without one with a session in this process. A server running on this machine is
 * preferred, because its engines are already loaded.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/count.h"
#include "base/log.h"
#include "base/mem.h"
#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/playback.h"
#include "cli/refusal.h"
#include "cli/running_server.h"
#include "cli/say_local.h"
#include "cli/server_choice.h"
#include "cli/settings.h"
#include "cli/voice_list.h"
#include "net/ws_client.h"
#include "wire/json_write.h"

#define SAY_TEXT_MAX (200u * 1024u)
#define SAY_VOICE_DEFAULT "1071"
#define SAY_WHY_SIZE 700

/* A server that sends nothing for this long is not going to answer. */
#define SAY_SILENCE_MS 30000

/* A signal is noticed after at most this time. */
#define SAY_POLL_MS 200

/* How long a server may take to close the connection; by then all audio has arrived. */
#define SAY_CLOSE_MS 1000

struct say {
	const struct command_call *call;
	const struct config *config;
	const char *voice; /* as given by the user */
	double speed; /* the session checks its range */
	char base[1000]; /* the server's address; "" to speak locally */
	/* The server was found, not named by the user: if it fails, we can speak locally. */
	bool is_found;
	char key[KEY_SOURCE_SIZE];
	struct buf text;
};

/* Text */

static int say_read_speed(double *speed, const struct command_call *call)
{
	const char *value = command_value(call, "speed");
	char *end;

	*speed = 1;
	if (!value)
		return COMMAND_OK;
	*speed = strtod(value, &end);
	if (end != value && *end == '\0' && fabs(*speed) < 1000)
		return COMMAND_OK;
	return command_usage_error(call->command, "--speed must be a number like 0.9, not \"%s\"",
				   value);
}

/* A file name with the extension of another format would mislead players, and a terminal would
 * show a WAV file as garbage that may even change its settings. */
static int say_check_output(const struct command_call *call)
{
	static const char *const others[] = {".mp3", ".ogg", ".opus", ".flac", ".aac", ".m4a"};
	const char *file = command_value(call, "output");
	const char *end = file ? strrchr(file, '.') : NULL;

	if (file && strcmp(file, "-") == 0 && isatty(STDOUT_FILENO))
		return command_usage_error(
			call->command,
			"audio cannot be written to a terminal: redirect standard output, or "
			"give -o FILE.wav");
	for (size_t i = 0; end && i < COUNT(others); ++i) {
		if (strcasecmp(end, others[i]) == 0)
			return command_usage_error(
				call->command,
				"the output is a WAV file, so its name must end with .wav, not %s; "
				"POST /v1/tts/generate supports other formats",
				end);
	}
	return COMMAND_OK;
}

static int say_read_input(struct buf *text)
{
	char part[4096];
	size_t n;
	int err = 0;

	while (!err && (n = fread(part, 1, sizeof(part), stdin)) > 0)
		err = buf_append(text, part, n);
	return err;
}

/* Takes the text from the command line or, if it is "-" or missing there, from standard input. */
static int say_read_text(struct buf *text, const struct command_call *call)
{
	bool reads = call->operand_count == 0 ||
		     (call->operand_count == 1 && strcmp(call->operands[0], "-") == 0);
	int err = 0;

	if (call->operand_count == 0 && isatty(STDIN_FILENO))
		return command_usage_error(call->command, "TEXT is missing");
	if (reads)
		err = say_read_input(text);
	for (size_t i = 0; !err && !reads && i < call->operand_count; ++i) {
		if (i > 0)
			err = buf_append(text, " ", 1);
		if (!err)
			err = buf_append_str(text, call->operands[i]);
	}
	if (err)
		fprintf(stderr, "syrinx say: the text is too long (%u bytes at most)\n",
			SAY_TEXT_MAX);
	else if (text->len == 0)
		fprintf(stderr, "syrinx say: there is nothing to say: %s\n",
			reads ? "standard input is empty" : "the text is empty");
	return err || text->len == 0 ? COMMAND_FAILED : COMMAND_OK;
}

static void say_write_string(struct json_write *json, const char *key, const char *value)
{
	if (value)
		json_write_string(json, key, value, strlen(value));
}

/* Sends `close` instead of `flush`, because it is answered even if nothing can be said. */
static int say_write_request(struct buf *out, int64_t voice_id, void *arg)
{
	const struct say *say = arg;
	struct json_write json;

	json_write_open(&json, out);
	json_write_signed(&json, "voice_id", voice_id);
	say_write_string(&json, "language", command_value(say->call, "language"));
	json_write_double(&json, "speed", say->speed, 6);
	say_write_string(&json, "output_format", command_value(say->call, "format"));
	json_write_bool(&json, "close", true);
	json_write_string(&json, "text", say->text.bytes, say->text.len);
	return json_write_close(&json);
}

/* Server or local engines */

/* Prints why no server is used, because speaking locally takes much longer, and the server's
 * settings do not apply. */
static void say_note_local(struct say *say, const char *why)
{
	fprintf(stderr,
		"syrinx say: %s; starting engines for this command (use --local to "
		"do this without a message)\n",
		why);
	say->base[0] = '\0';
}

/* Reads the key before the text, because both may come from standard input, the key first. */
static int say_find_key(struct say *say)
{
	bool found;
	int status = server_choice_find_key(say->key, &found, say->base, say->call, say->config);

	if (status != COMMAND_OK || found)
		return status;
	if (say->is_found) {
		char why[SAY_WHY_SIZE];

		snprintf(why, sizeof(why),
			 "a server is running, but %.300s/local.key cannot be read",
			 say->config->data_dir);
		say_note_local(say, why);
		return COMMAND_OK;
	}
	server_choice_explain_no_key(say->base, say->call->command, say->config);
	return COMMAND_FAILED;
}

static int say_find_place(struct say *say)
{
	const struct command_call *call = say->call;
	bool is_local = command_value(call, "local");
	char why[SAY_WHY_SIZE];
	int status;

	if (command_value(call, "server")) {
		if (is_local)
			return command_usage_error(call->command,
						   "give --server or --local, not both");
		status = server_choice_find(say->base, sizeof(say->base), call, say->config);
		return status == COMMAND_OK ? say_find_key(say) : status;
	}
	/* --voices implies local engines. */
	if (!is_local && !command_value(call, "voices")) {
		if (running_server_find(say->base, sizeof(say->base), call, say->config) == 0) {
			say->is_found = true;
			return say_find_key(say);
		}
		snprintf(why, sizeof(why), "no server is running on the data directory %.300s",
			 say->config->data_dir);
		say_note_local(say, why);
	}
	if (command_value(call, "key-file"))
		return command_usage_error(call->command,
					   "--key-file needs a server: give --server");
	return COMMAND_OK;
}

/* With a server */

static void say_report_refusal(const char *url, char *why)
{
	bool is_key = strncmp(why, "HTTP 401", 8) == 0 || strncmp(why, "HTTP 403", 8) == 0;

	refusal_shorten(why);
	fprintf(stderr, "syrinx say: %s: %s\n", url, why);
	if (is_key)
		fprintf(stderr,
			"(is this a key of this server? To list its keys: syrinx key list)\n");
}

/* Finds the id of the voice. ENOENT or EEXIST if there is none or several, which has been
 * printed. */
static int say_find_voice(int64_t *id, const struct say *say, char why[SAY_WHY_SIZE])
{
	const struct api_client_options server = {
		.base = say->base, .key = say->key, .ca_file = command_value(say->call, "ca")};
	struct voice_list list = {0};
	int err = 0;

	if (voice_list_is_id(id, say->voice))
		return 0;
	err = voice_list_ask(&list, &server, why, SAY_WHY_SIZE);
	if (!err) {
		err = voice_list_find(id, &list, say->voice, why, SAY_WHY_SIZE);
		if (err)
			fprintf(stderr, "syrinx say: %s\n", why);
	} else if (err == ENOENT || err == EEXIST) {
		err = EIO;
	}
	voice_list_reset(&list);
	return err;
}

/* Waits for the close, because a turn that was cut short for lack of credit is reported after its
 * end. */
static void say_wait_for_close(struct ws_client *client, struct playback *playback)
{
	static const char goodbye[] = "{\"close_socket\":true}";
	char *bytes;
	size_t len;
	bool is_binary;
	int err = ws_client_send(client, goodbye, strlen(goodbye));

	while (!err) {
		err = ws_client_recv(client, &bytes, &len, &is_binary, SAY_CLOSE_MS);
		if (!err)
			playback_message(playback, bytes, len);
	}
	ws_client_close(client, 1000, SAY_CLOSE_MS);
}

static void say_play(struct ws_client *client, const struct buf *request, struct playback *playback)
{
	unsigned silence_ms = 0;
	char *bytes;
	size_t len;
	bool is_binary;
	int err = ws_client_send(client, request->bytes, request->len);

	while (!err && !playback_is_over(playback) && !interrupt_is_pending()) {
		err = ws_client_recv(client, &bytes, &len, &is_binary, SAY_POLL_MS);
		if (err == ETIMEDOUT && silence_ms < SAY_SILENCE_MS) {
			silence_ms += SAY_POLL_MS;
			err = 0;
		} else if (!err) {
			silence_ms = 0;
			playback_message(playback, bytes, len);
		}
	}
	if (!err && !interrupt_is_pending())
		say_wait_for_close(client, playback);
}

/* Returns EAGAIN if the server that was found cannot be used, which has been printed. */
static int say_remote(struct say *say, struct playback *playback)
{
	char url[1024];
	char header[KEY_SOURCE_SIZE + 32];
	char why[SAY_WHY_SIZE];
	char note[SAY_WHY_SIZE + sizeof(url)];
	const char *const headers[] = {header, NULL};
	const struct ws_client_options options = {
		.url = url, .headers = headers, .ca_file = command_value(say->call, "ca")};
	struct ws_client *client;
	struct buf request;
	int64_t voice_id;
	int err = say_find_voice(&voice_id, say, why);

	if (err == ENOENT || err == EEXIST)
		return err;
	snprintf(url, sizeof(url), "%s/ws/tts/stream", say->base);
	snprintf(header, sizeof(header), "Authorization: Bearer %s", say->key);
	if (!err)
		err = ws_client_open(&client, &options, why, sizeof(why));
	explicit_bzero(header, sizeof(header));
	if (err && say->is_found) {
		refusal_shorten(why);
		snprintf(note, sizeof(note), "the server at %s cannot be used: %s", say->base, why);
		say_note_local(say, note);
		return EAGAIN;
	}
	if (err) {
		say_report_refusal(url, why);
		return err;
	}
	buf_init(&request, SAY_REQUEST_MAX);
	err = say_write_request(&request, voice_id, say);
	if (!err) {
		interrupt_watch();
		say_play(client, &request, playback);
	}
	buf_reset(&request);
	mem_deref(client);
	return err; /* playback_finish prints what is missing */
}

static int say_all(struct say *say)
{
	struct playback *playback;
	int err = playback_alloc(&playback, command_value(say->call, "output"), true);

	if (err)
		return err;
	if (say->base[0])
		err = say_remote(say, playback);
	if (!say->base[0])
		err = say_local(say->config, say->voice, say_write_request, say, playback);
	if (!err && interrupt_is_pending())
		playback_interrupt(playback);
	if (!err)
		err = playback_finish(playback);
	mem_deref(playback);
	return err;
}

static int say_run(const struct command_call *call)
{
	static struct config config;
	const char *voice = command_value(call, "voice");
	struct say say = {
		.call = call, .config = &config, .voice = voice ? voice : SAY_VOICE_DEFAULT};
	int status = say_read_speed(&say.speed, call);

	if (status == COMMAND_OK)
		status = say_check_output(call);
	if (status == COMMAND_OK)
		status = settings_load(&config, call);
	if (status == COMMAND_OK)
		status = say_find_place(&say);
	if (status != COMMAND_OK)
		return status;
	log_set_level(LOG_ERROR);
	buf_init(&say.text, SAY_TEXT_MAX);
	status = say_read_text(&say.text, call);
	if (status == COMMAND_OK)
		status = say_all(&say) == 0 ? COMMAND_OK : COMMAND_FAILED;
	explicit_bzero(say.key, sizeof(say.key));
	buf_reset(&say.text);
	interrupt_raise_again();
	return status;
}

static const struct command_option say_options[] = {
	{"output", 'o', "FILE", "write a WAV file (- for standard output) instead of playing"},
	{"voice", 0, "VOICE", "the voice, by id or name (1071); see: syrinx voices"},
	{"language", 0, "CODE", "the language of the text (the voice's own)"},
	{"speed", 0, "N", "the speaking rate, 0.8 to 1.2 (1)"},
	{"format", 0, "NAME",
	 "the audio format: pcm_8000 … pcm_24000, ulaw_8000, alaw_8000 (pcm_24000)"},
	{"server", 0, "URL", "use this server (the server running on the data directory)"},
	{"local", 0, NULL, "start engines for this command even if a server is running"},
	KEY_SOURCE_FILE_OPTION,
	{"key", 0, "KEY", "the API key itself (SYRINX_KEY, or the local key)"},
	{"ca", 0, "FILE", "trust these certificate authorities (the system's)"},
	{"config", 0, "FILE", "read this configuration"},
	{"data", 0, "DIR", "the server's data directory, with the local key (data)"},
	{"voices", 0, "DIR", "start engines for this command, with this folder of neural voices"},
	{0},
};

const struct command command_say = {
	.name = "say",
	.operands = "[TEXT]...",
	.operands_max = COMMAND_OPERANDS_MAX,
	.summary = "Speak text from the command line or standard input.",
	.options = say_options,
	.run = say_run,
	.examples = "  syrinx say Hello from Syrinx\n"
		    "  syrinx say \"Guten Tag.\" --voice \"German, female\" -o tag.wav\n"
		    "  fortune | syrinx say --voice nova\n",
};
