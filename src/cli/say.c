/*
 * say.c: `syrinx say`: speaks a text, here or on a server.
 *
 * Either way the same messages are exchanged as on /ws/tts/stream: with a
 * server over a WebSocket, without one with a session in this process.
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
#include "cli/local_speech.h"
#include "cli/place.h"
#include "cli/playback.h"
#include "cli/refusal.h"
#include "cli/settings.h"
#include "net/ws_client.h"
#include "session/tts_stream.h"
#include "wire/json_write.h"

#define TEXT_MAX (200u * 1024u)
#define REQUEST_MAX (2u * 1024u * 1024u)

/* The greatest number that every JSON reader keeps. */
#define VOICE_MAX (INT64_C(1) << 53)
#define VOICE_INITIAL 1071

/* A server that is silent for so long has gone. */
#define SILENCE_MS 30000

/* What a server may take to say goodbye; all that was spoken is here by then. */
#define GOODBYE_MS 1000

static int read_all(struct buf *text, FILE *file)
{
	char part[4096];
	size_t n;
	int err = 0;

	while (!err && (n = fread(part, 1, sizeof(part), file)) > 0)
		err = buf_append(text, part, n);
	return err;
}

static void write_string(struct json_write *json, const char *key, const char *value)
{
	if (value)
		json_write_string(json, key, value, strlen(value));
}

/* What the options say in numbers; whether they are in range is the server's to
 * say. */
struct numbers {
	int64_t voice;
	double speed;
};

static int read_speed(double *speed, const struct command_call *call)
{
	const char *value = command_value(call, "speed");
	char *end;

	*speed = 1;
	if (!value)
		return 0;
	*speed = strtod(value, &end);
	if (end != value && *end == '\0' && fabs(*speed) < 1000)
		return 0;
	command_usage_error(call->command, "--speed must be a number like 0.9, not \"%s\"", value);
	return EINVAL;
}

static int read_numbers(struct numbers *numbers, const struct command_call *call)
{
	int err = command_number(&numbers->voice, call, "voice", 0, VOICE_MAX, VOICE_INITIAL);

	return err ? err : read_speed(&numbers->speed, call);
}

/* `close` and not `flush`, because it is answered also when nothing can be said. */
static int write_request(struct buf *out, const struct command_call *call,
			 const struct numbers *numbers, const struct buf *text)
{
	struct json_write json;

	json_write_open(&json, out);
	json_write_signed(&json, "voice_id", numbers->voice);
	write_string(&json, "language", command_value(call, "language"));
	json_write_double(&json, "speed", numbers->speed, 6);
	write_string(&json, "output_format", command_value(call, "format"));
	json_write_bool(&json, "close", true);
	json_write_string(&json, "text", text->bytes, text->len);
	return json_write_close(&json);
}

/* With a server */

static int make_url(char *url, size_t size, const struct command_call *call,
		    const struct config *config)
{
	char base[1000];
	int n;

	if (place_find(base, sizeof(base), call, config) != 0)
		return EINVAL;
	n = snprintf(url, size, "%s/ws/tts/stream", base);
	return n > 0 && (size_t)n < size ? 0 : EINVAL;
}

/* The key is read before the text: both may come from standard input, the key first. */
static int find_key(char key[KEY_SOURCE_SIZE], const struct command_call *call,
		    const struct config *config)
{
	char base[1000];
	bool found;
	int status;

	if (place_find(base, sizeof(base), call, config) != 0)
		return command_usage_error(call->command, "the address is too long");
	status = place_find_key(key, &found, base, call, config);
	if (status != COMMAND_OK || found)
		return status;
	fprintf(stderr,
		"syrinx say: no key: give --key-file FILE or set SYRINX_KEY (the local one is in "
		"%s/local.key)\n",
		config->data_dir);
	return COMMAND_FAILED;
}

static void tell_refusal(const char *url, char *why)
{
	bool is_key = strncmp(why, "HTTP 401", 8) == 0 || strncmp(why, "HTTP 403", 8) == 0;

	refusal_shorten(why);
	fprintf(stderr, "syrinx say: %s: %s\n", url, why);
	if (is_key)
		fprintf(stderr, "(is the key right, and of this server's data? syrinx key list "
				"shows which there are)\n");
}

/* That a turn was cut short, for want of credit, is told behind its end. */
static void say_goodbye(struct ws_client *client, struct playback *playback)
{
	static const char goodbye[] = "{\"close_socket\":true}";
	char *bytes;
	size_t len;
	bool is_binary;
	int err = ws_client_send(client, goodbye, strlen(goodbye));

	while (!err) {
		err = ws_client_recv(client, &bytes, &len, &is_binary, GOODBYE_MS);
		if (!err)
			playback_message(playback, bytes, len);
	}
	ws_client_close(client, 1000, GOODBYE_MS);
}

static int say_remote(const struct command_call *call, const struct config *config, const char *key,
		      const struct buf *request, struct playback *playback)
{
	char url[1024];
	char header[KEY_SOURCE_SIZE + 32];
	char why[256];
	const char *const headers[] = {header, NULL};
	struct ws_client_options options = {.url = url, .headers = headers};
	struct ws_client *client;
	char *bytes;
	size_t len;
	bool is_binary;
	int err;

	options.ca_file = command_value(call, "ca");
	if (make_url(url, sizeof(url), call, config) != 0)
		return EINVAL;
	snprintf(header, sizeof(header), "Authorization: Bearer %s", key);
	err = ws_client_open(&client, &options, why, sizeof(why));
	if (err) {
		tell_refusal(url, why);
		return err;
	}
	err = ws_client_send(client, request->bytes, request->len);
	while (!err && !playback_is_over(playback)) {
		err = ws_client_recv(client, &bytes, &len, &is_binary, SILENCE_MS);
		if (!err)
			playback_message(playback, bytes, len);
	}
	if (!err)
		say_goodbye(client, playback);
	mem_deref(client);
	return 0; /* playback_finish says what is missing */
}

/* Without a server */

struct local_peer {
	struct loop *loop;
	struct playback *playback;
	struct session *session;
};

static void peer_send(void *arg, const char *json, size_t len, uint64_t tag, uint32_t samples)
{
	struct local_peer *peer = arg;
	char *copy = malloc(len);

	(void)tag;
	(void)samples;
	if (copy) {
		memcpy(copy, json, len);
		playback_message(peer->playback, copy, len);
	}
	free(copy);
	if (playback_is_over(peer->playback))
		loop_stop(peer->loop);
}

static uint64_t peer_drop(void *arg, uint64_t tag)
{
	(void)arg;
	(void)tag;
	return 0;
}

static bool peer_is_full(void *arg)
{
	(void)arg;
	return false;
}

/* What is sent is there at once. */
static bool peer_tell_when_sent(void *arg, uint64_t tag)
{
	(void)arg;
	(void)tag;
	return false;
}

static void peer_close(void *arg, uint16_t code, const char *reason)
{
	struct local_peer *peer = arg;

	(void)code;
	(void)reason;
	loop_stop(peer->loop);
}

static const struct peer_ops local_peer_ops = {
	.send = peer_send,
	.drop = peer_drop,
	.is_full = peer_is_full,
	.tell_when_sent = peer_tell_when_sent,
	.close = peer_close,
};

/* Nothing is charged for what was made at home. */
struct no_ledger {
	struct loop *loop;
	struct deferred done;
	ledger_booked_h *booked;
	void *arg;
};

static void on_no_booking(void *arg)
{
	struct no_ledger *ledger = arg;

	ledger->booked(0, ledger->arg);
}

static int book_nothing(void **bookingp, void *arg, const struct store_turn *turn, size_t mark,
			ledger_booked_h *booked, void *booked_arg)
{
	struct no_ledger *ledger = arg;

	(void)turn;
	(void)mark;
	*bookingp = ledger;
	if (!booked)
		return 0;
	ledger->booked = booked;
	ledger->arg = booked_arg;
	loop_defer(ledger->loop, &ledger->done, on_no_booking, ledger);
	return 0;
}

static void unlisten_nothing(void *booking)
{
	struct no_ledger *ledger = booking;

	loop_undefer(ledger->loop, &ledger->done);
}

static const struct ledger_ops no_ledger_ops = {
	.book = book_nothing,
	.unlisten = unlisten_nothing,
};
static const struct prices no_prices = {.microcents_per_minute = PRICE_UNKNOWN};

static int say_local(const struct config *config, const struct buf *request,
		     struct playback *playback)
{
	struct local_speech speech = {0};
	struct member *nobody = NULL;
	struct buf scratch;
	int err = local_speech_open(&speech, config);

	if (err)
		return err;
	buf_init(&scratch, 1024 * 1024);
	struct no_ledger ledger = {.loop = speech.loop};
	struct session_services services = {
		.timers = &speech.loop->timers,
		.speech = pool_speech(speech.pool),
		.voices = pool_voices(speech.pool),
		.ledger_ops = &no_ledger_ops,
		.ledger = &ledger,
		.prices = &no_prices,
		.scratch = &scratch,
	};
	struct local_peer local = {.loop = speech.loop, .playback = playback};
	struct peer peer = {.ops = &local_peer_ops, .peer = &local};

	err = member_alloc_alone(&nobody, services.timers, NULL, NULL);
	if (!err)
		err = tts_stream_alloc(&local.session, &services, &peer, "say", nobody);
	if (!err) {
		local.session->ops->message(local.session, request->bytes, request->len);
		if (!playback_is_over(playback))
			loop_run(speech.loop);
		mem_deref(local.session);
	}
	mem_deref(nobody);
	buf_reset(&scratch);
	local_speech_close(&speech);
	return err;
}

/* A name that promises what is not in the file: players would go by it. */
static int check_output(const struct command_call *call)
{
	static const char *const others[] = {".mp3", ".ogg", ".opus", ".flac", ".aac", ".m4a"};
	const char *file = command_value(call, "output");
	const char *end = file ? strrchr(file, '.') : NULL;

	for (size_t i = 0; end && i < COUNT(others); ++i) {
		if (strcasecmp(end, others[i]) == 0) {
			command_usage_error(call->command,
					    "a WAV file is written, so call it .wav and not %s; "
					    "POST /v1/tts/generate makes others",
					    end);
			return EINVAL;
		}
	}
	return 0;
}

static int get_text(struct buf *text, const struct command_call *call)
{
	int err;

	if (strcmp(call->operands[0], "-") == 0)
		err = read_all(text, stdin);
	else
		err = buf_append_str(text, call->operands[0]);
	if (err)
		fprintf(stderr, "syrinx say: the text is too long (%u bytes at most)\n", TEXT_MAX);
	return err;
}

static int say(const struct command_call *call, const struct config *config, const char *key,
	       const struct buf *request)
{
	struct playback *playback;
	int err = playback_alloc(&playback, command_value(call, "output"), true);

	if (err)
		return err;
	if (command_value(call, "server"))
		err = say_remote(call, config, key, request, playback);
	else
		err = say_local(config, request, playback);
	if (!err)
		err = playback_finish(playback);
	mem_deref(playback);
	return err;
}

static int run(const struct command_call *call)
{
	static struct config config;
	char key[KEY_SOURCE_SIZE];
	struct numbers numbers;
	struct buf text;
	struct buf request;
	int status;
	int err;

	if (read_numbers(&numbers, call) != 0 || check_output(call) != 0)
		return COMMAND_USAGE;
	status = settings_load(&config, call);
	if (status != COMMAND_OK)
		return status;
	if (command_value(call, "server"))
		status = find_key(key, call, &config);
	else if (command_value(call, "key-file"))
		status = command_usage_error(call->command, "--key-file is for a server: --server");
	if (status != COMMAND_OK)
		return status;
	log_set_level(LOG_ERROR);
	buf_init(&text, TEXT_MAX);
	buf_init(&request, REQUEST_MAX);
	err = get_text(&text, call);
	if (!err)
		err = write_request(&request, call, &numbers, &text);
	if (!err)
		err = say(call, &config, key, &request);
	explicit_bzero(key, sizeof(key));
	buf_reset(&text);
	buf_reset(&request);
	return err ? COMMAND_FAILED : COMMAND_OK;
}

static const struct command_option options[] = {
	{"output", 'o', "FILE", "write a WAV file (- for standard output) instead of playing"},
	{"voice", 0, "ID", "the voice (1071); see: syrinx voices"},
	{"language", 0, "CODE", "the language of the text (the voice's own)"},
	{"speed", 0, "N", "0.8 to 1.2 (1)"},
	{"format", 0, "NAME", "pcm_8000 … pcm_24000, ulaw_8000, alaw_8000 (pcm_24000)"},
	{"server", 0, "URL", "speak through this server instead of here"},
	KEY_SOURCE_FILE_OPTION,
	{"key", 0, "KEY", "the key for it itself (SYRINX_KEY, or the local one)"},
	{"ca", 0, "FILE", "authorities that may vouch for it (the system's)"},
	{"config", 0, "FILE", "read this configuration"},
	{"data", 0, "DIR", "where the local key is (data)"},
	{"voices", 0, "DIR", "the folder of neural voices"},
	{0},
};

const struct command command_say = {
	.name = "say",
	.operands = "TEXT",
	.operands_min = 1,
	.operands_max = 1,
	.summary = "Speak a text (- reads it from standard input).",
	.options = options,
	.run = run,
};
