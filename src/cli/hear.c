/*
 * hear.c: `syrinx hear`: prints what is said in an audio file.
 *
 * The file is sent to a server as it is; the server finds out its format. Without a server, engines are
 * started for this command. Only the words are printed to standard output.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/count.h"
#include "base/json.h"
#include "base/log.h"
#include "cli/command.h"
#include "cli/hear_local.h"
#include "cli/refusal.h"
#include "cli/running_server.h"
#include "cli/server_choice.h"
#include "cli/settings.h"
#include "cli/upload.h"

#define HEAR_PATH "/v1/audio/transcriptions"

/* An hour of speech has about 60 KB of words; with the times of each word, fifty times as much. */
#define HEAR_ANSWER_MAX (16u * 1024u * 1024u)

struct hear {
	const struct command_call *call;
	const struct config *config;
	const char *path; /* the file, "-" for standard input */
	char base[1000]; /* the server's address; "" to listen locally */
	char key[KEY_SOURCE_SIZE];
};

/* Listening locally takes longer, because the models must be loaded, and the server's settings do not
 * apply: unless it was asked for, the reason is printed. */
static int hear_find_place(struct hear *hear)
{
	const struct command_call *call = hear->call;
	bool is_local = command_value(call, "local") || command_value(call, "models");
	bool found = false;
	int status = COMMAND_OK;

	if (command_value(call, "server") && is_local)
		return command_usage_error(call->command,
					   "--server cannot be combined with --local or --models");
	if (command_value(call, "server")) {
		status = server_choice_find(hear->base, sizeof(hear->base), call, hear->config);
	} else if (is_local ||
		   running_server_find(hear->base, sizeof(hear->base), call, hear->config) != 0) {
		hear->base[0] = '\0';
		if (!is_local)
			fprintf(stderr,
				"syrinx hear: no server is running on the data directory %s; "
				"starting engines for this command (use --local to do this "
				"without a message)\n",
				hear->config->data_dir);
		return COMMAND_OK;
	}
	if (status == COMMAND_OK)
		status = server_choice_find_key(hear->key, &found, hear->base, call, hear->config);
	if (status != COMMAND_OK || found)
		return status;
	server_choice_explain_no_key(hear->base, call->command, hear->config);
	return COMMAND_FAILED;
}

/* Prints words from a server. Control characters could change the settings of a terminal. */
static void hear_print_words(const char *text, size_t len)
{
	for (size_t i = 0; i < len; ++i) {
		bool is_control = (unsigned char)text[i] < ' ' && text[i] != '\n';

		putchar(is_control || text[i] == 0x7f ? ' ' : text[i]);
	}
	if (len > 0)
		putchar('\n');
}

/* Prints the text of {"text":"..."}. */
static int hear_print_text(struct buf *answer)
{
	struct json scan;
	struct json_value key;
	struct json_value value;

	json_open(&scan, answer->bytes, answer->len);
	if (json_value(&scan, &value) != 0 || value.kind != JSON_KIND_OBJECT)
		return EPROTO;
	while (json_member(&scan, &key) && json_value(&scan, &value) == 0) {
		if (value.kind == JSON_KIND_STRING && json_is(&key, "text")) {
			hear_print_words(value.text, value.len);
			return 0;
		}
		json_skip(&scan, &value);
	}
	return EPROTO;
}

static int hear_print(const struct hear *hear, struct buf *answer)
{
	bool is_json = command_value(hear->call, "json");

	if (is_json && answer->len > 0) {
		fwrite(answer->bytes, 1, answer->len, stdout);
		if (answer->bytes[answer->len - 1] != '\n')
			putchar('\n');
		return COMMAND_OK;
	}
	if (answer->len > 0 && hear_print_text(answer) == 0)
		return COMMAND_OK;
	fprintf(stderr, "syrinx hear: %s: the answer is not a transcript\n",
		hear->base[0] ? hear->base : "engine");
	return COMMAND_FAILED;
}

static int hear_refuse(const struct hear *hear, unsigned status, struct buf *answer)
{
	const char *message = "";
	size_t len = 0;

	if (answer->len > 0)
		(void)refusal_find(&message, &len, answer->bytes, answer->len);
	fprintf(stderr, "syrinx hear: %s: HTTP %u%s%.*s\n", hear->base, status, len ? ": " : "",
		(int)(len < 1000 ? len : 1000), message);
	if (status == 401 || status == 403)
		fprintf(stderr,
			"(is this a key of this server? To list its keys: syrinx key list)\n");
	return COMMAND_FAILED;
}

static int hear_send(struct hear *hear, int fd)
{
	const char *slash = strrchr(hear->path, '/');
	bool is_json = command_value(hear->call, "json");
	const struct upload_field fields[] = {
		{"model", command_value(hear->call, "model")},
		{"language", command_value(hear->call, "language")},
		{"response_format", is_json ? "verbose_json" : "json"},
		{"timestamp_granularities[]", is_json ? "segment" : NULL},
		{"timestamp_granularities[]", is_json ? "word" : NULL},
	};
	const struct upload upload = {
		.base = hear->base,
		.path = HEAR_PATH,
		.key = hear->key,
		.ca_file = command_value(hear->call, "ca"),
		.fd = fd,
		.file_name = strcmp(hear->path, "-") == 0 ? "audio"
			     : slash                      ? slash + 1
							  : hear->path,
		.fields = fields,
		.field_count = COUNT(fields),
	};
	char why[UPLOAD_WHY_SIZE];
	struct buf answer;
	unsigned status = 0;
	int result;

	buf_init(&answer, HEAR_ANSWER_MAX);
	if (upload_run(&upload, &status, &answer, why) != 0) {
		fprintf(stderr, "syrinx hear: %s\n", why);
		result = COMMAND_FAILED;
	} else if (status == 200) {
		result = hear_print(hear, &answer);
	} else {
		result = hear_refuse(hear, status, &answer);
	}
	buf_reset(&answer);
	return result;
}

static int hear_locally(const struct hear *hear, int fd)
{
	const struct hear_local_request request = {
		.fd = fd,
		.model = command_value(hear->call, "model"),
		.language = command_value(hear->call, "language"),
		.has_times = command_value(hear->call, "json") != NULL,
	};
	struct buf answer;
	int result = COMMAND_FAILED;

	log_set_level(LOG_ERROR);
	buf_init(&answer, HEAR_ANSWER_MAX);
	if (hear_local(&answer, hear->config, &request) == 0)
		result = hear_print(hear, &answer);
	buf_reset(&answer);
	return result;
}

/* The key is read before the audio, because both may come from standard input. */
static int hear_run(const struct command_call *call)
{
	static struct config config;
	struct hear hear = {.call = call, .config = &config, .path = call->operands[0]};
	bool is_input = strcmp(hear.path, "-") == 0;
	int fd = is_input ? STDIN_FILENO : open(hear.path, O_RDONLY | O_CLOEXEC);
	int status;

	if (fd < 0) {
		fprintf(stderr, "syrinx hear: %s: %s\n", hear.path, strerror(errno));
		return COMMAND_FAILED;
	}
	status = settings_load(&config, call);
	if (status == COMMAND_OK)
		status = hear_find_place(&hear);
	if (status == COMMAND_OK)
		status = hear.base[0] ? hear_send(&hear, fd) : hear_locally(&hear, fd);
	explicit_bzero(hear.key, sizeof(hear.key));
	if (!is_input)
		close(fd);
	return status;
}

static const struct command_option hear_options[] = {
	{"json", 0, NULL, "print JSON with segments, words and their times"},
	{"model", 0, "NAME", "the model to use (the server's default); see: syrinx models"},
	{"language", 0, "CODE", "the language that is spoken (the model's own, or detected)"},
	{"server", 0, "URL", "use this server (the server running on the data directory)"},
	{"local", 0, NULL, "start engines for this command even if a server is running"},
	KEY_SOURCE_FILE_OPTION,
	{"key", 0, "KEY", "the API key itself (SYRINX_KEY, or the local key)"},
	{"ca", 0, "FILE", "trust these certificate authorities (the system's)"},
	{"config", 0, "FILE", "read this configuration"},
	{"data", 0, "DIR", "the server's data directory, with the local key (data)"},
	{"models", 0, "DIR", "start engines for this command, with this folder of models"},
	{0},
};

const struct command command_hear = {
	.name = "hear",
	.operands = "FILE",
	.operands_min = 1,
	.operands_max = 1,
	.summary = "Print what is said in an audio file.",
	.options = hear_options,
	.run = hear_run,
	.examples = "  syrinx hear meeting.mp3\n"
		    "  syrinx hear brief.wav --model whisper-base --language de\n"
		    "  syrinx hear - --json < call.wav\n",
};
