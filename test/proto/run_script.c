/*
 * run_script.c: runs scripts against a session and reports each case as TAP.
 *
 * A script is a text file of cases:
 *
 *     == what is guaranteed        begins a case; each has its own world (world.h)
 *     > {"text":"Hello."}          the client sends this message
 *     >binary                      the client sends a binary message
 *     >fill 300000 {"text":"@"}    a message in which @ is replaced by this many bytes of words
 *     >audio one two....           audio with these words, and a pause of 400 ms (fake_hearing.h)
 *     + 60ms                       time passes
 *     < {"final":true}             the next reply has these members (match.h)
 *     < audio samples=960          one or more audio frames
 *     < spoken Hello.              a chunk: started, audio, complete
 *     < end characters=6           final and session_closed
 *     < nothing                    there is no further reply
 *     <c1 spoken Hello.            the same, for the replies of one context
 *     ! manual                     sets how the engine, the peer and the ledger behave
 *     ? ledger status=finished     checks the ledger, the engine and the like
 *     repeat 3 … end               repeats the lines between them; $i counts from 0
 *
 * Lines that begin with # are comments.  At the end of a case no reply may be unread, and no object
 * and no timer may be left when the session has been released.
 */
#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/mem.h"
#include "elevenlabs_witness.h"
#include "once_witness.h"
#include "script.h"

#define LINES_MAX 2000
#define LINE_LEN_MAX 4096

struct file {
	char path[512];
	const char *name; /* without the folder and the extension */
	char *text;
	char *lines[LINES_MAX];
	size_t count;
};

static const char *run_script_check_stream(struct script *script, const json_t *reply)
{
	return witness_reply(&script->witness, reply);
}

static const char *run_script_check_multi(struct script *script, const json_t *reply)
{
	return multi_witness_reply(&script->multi_witness, reply);
}

static const char *run_script_check_once(struct script *script, const json_t *reply)
{
	return once_witness_reply(&script->witness, reply);
}

static const char *run_script_check_elevenlabs(struct script *script, const json_t *reply)
{
	return elevenlabs_witness_reply(&script->witness, reply);
}

static const char *run_script_check_elevenlabs_multi(struct script *script, const json_t *reply)
{
	const char *id = json_string_value(json_object_get(reply, "contextId"));

	if (!id) /* an error that ends the connection has no context */
		return json_object_get(reply, "error") ? NULL : "a reply without a context";
	return elevenlabs_witness_reply(multi_witness_find(&script->multi_witness, id), reply);
}

/* Every message has a type; the first is session_started, and so is no other. */
static const char *run_script_check_scribe(struct script *script, const json_t *reply)
{
	const char *type = json_string_value(json_object_get(reply, "message_type"));
	bool is_start = type && strcmp(type, "session_started") == 0;
	bool is_first = script->witness.idx++ == 0;
	bool is_text = type && strstr(type, "_transcript");

	if (!type)
		return "a message without a type";
	if (is_text && !json_is_string(json_object_get(reply, "text")))
		return "a transcript without text";
	if (!is_text && !is_start && strcmp(type, "voice_activity") != 0)
		return json_is_string(json_object_get(reply, "error")) ? NULL
								       : "an error without text";
	return is_start != is_first ? "session_started is not the first message" : NULL;
}

static const struct script_endpoint endpoints[] = {
	{"stream", world_connect, run_script_check_stream, false, NULL},
	{"multi", world_connect_multi, run_script_check_multi, true, "context_id"},
	{"once", world_connect_once, run_script_check_once, false, NULL},
	{"elevenlabs", world_connect_elevenlabs, run_script_check_elevenlabs, false, NULL},
	{"elevenlabs_multi", world_connect_elevenlabs_multi, run_script_check_elevenlabs_multi,
	 true, "contextId"},
	{"scribe", world_connect_scribe, run_script_check_scribe, false, NULL},
};

static const struct script_endpoint *endpoint; /* which endpoint the scripts are for */
static size_t cases_played;
static size_t cases_failed;

void script_fail(struct script *script, const char *format, ...)
{
	va_list args;

	if (script->has_failed)
		return;
	script->has_failed = true;
	va_start(args, format);
	vsnprintf(script->why, sizeof(script->why), format, args);
	va_end(args);
}

const char *script_after(const char *line, const char *word)
{
	size_t len = strlen(word);

	if (strncmp(line, word, len) != 0)
		return NULL;
	return line + len + strspn(line + len, " ");
}

uint64_t script_time_us(struct script *script, const char *text)
{
	char *unit;
	double time = strtod(text, &unit);

	if (unit != text && strcmp(unit, "ms") == 0)
		return (uint64_t)(time * 1e3);
	if (unit != text && strcmp(unit, "s") == 0)
		return (uint64_t)(time * 1e6);
	script_fail(script, "no time: %s", text);
	return 0;
}

static void run_script_skip(struct script *script, const char *line)
{
	(void)script;
	(void)line;
}

static void run_script_say_binary(struct script *script, const char *line)
{
	(void)line;
	script_say_binary(script);
}

static const struct {
	const char *word;
	void (*play)(struct script *script, const char *rest);
} commands[] = {
	{"#", run_script_skip},
	{">binary", run_script_say_binary},
	{">fill ", script_say_filled},
	{">audio ", script_say_audio},
	{"> ", script_say},
	{"+ ", script_pass},
	{"< ", script_expect},
	{"<", script_expect_of},
	{"! ", script_control},
	{"? ", script_check},
};

static void run_script_play_line(struct script *script, const char *line)
{
	if (line[0] == '\0')
		return;
	for (size_t i = 0; i < COUNT(commands); ++i) {
		if (strncmp(line, commands[i].word, strlen(commands[i].word)) == 0) {
			commands[i].play(script, line + strlen(commands[i].word));
			return;
		}
	}
	script_fail(script, "no such line: %s", line);
}

/* Runs a line with its $i replaced. */
static void run_script_play_counted(struct script *script, const char *line, unsigned long i)
{
	char counted[LINE_LEN_MAX];
	size_t len = 0;

	for (; *line && len < sizeof(counted) - 24; ++line) {
		if (line[0] == '$' && line[1] == 'i')
			len += (size_t)sprintf(counted + len, "%lu", i), ++line;
		else
			counted[len++] = *line;
	}
	counted[len] = '\0';
	run_script_play_line(script, counted);
}

/* Runs the lines of a loop; returns the line after its end. */
static size_t run_script_play_loop(struct script *script, const struct file *file, size_t first,
				   unsigned long times)
{
	size_t last = first;

	while (last < file->count && strcmp(file->lines[last], "end") != 0)
		++last;
	for (unsigned long i = 0; i < times; ++i) {
		for (size_t at = first; at < last && !script->has_failed; ++at) {
			script->line = (unsigned)at + 1;
			run_script_play_counted(script, file->lines[at], i);
		}
	}
	return last + 1;
}

static void run_script_play_lines(struct script *script, const struct file *file, size_t first,
				  size_t last)
{
	for (size_t at = first; at < last && !script->has_failed;) {
		const char *times = script_after(file->lines[at], "repeat ");

		script->line = (unsigned)at + 1;
		if (times) {
			at = run_script_play_loop(script, file, at + 1, strtoul(times, NULL, 10));
		} else {
			run_script_play_line(script, file->lines[at]);
			++at;
		}
	}
}

/* Checks what must be true at the end of every case. */
static void run_script_finish(struct script *script)
{
	struct world *world = &script->world;

	if (!script->has_failed)
		script_expect(script, "nothing");
	if (world->peer.sent_after_close)
		script_fail(script, "a reply after the connection was closed");
	world_disconnect(world);
	if (world->speech.running.count > 0)
		script_fail(script, "the session is gone and a job runs on");
	if (world->timers.heap.count > 0)
		script_fail(script, "the session is gone and %zu timers are set",
			    world->timers.heap.count);
	world_close(world);
	witness_reset(&script->witness);
	multi_witness_reset(&script->multi_witness);
	if (mem_live() != 0)
		script_fail(script, "%zu objects are left", mem_live());
}

static void run_script_play_case(const struct file *file, const char *name, size_t first,
				 size_t last)
{
	static struct script script;

	memset(&script, 0, sizeof(script));
	script.path = file->path;
	script.line = (unsigned)first;
	script.endpoint = endpoint;
	if (world_open(&script.world) != 0 || endpoint->connect(&script.world) != 0)
		abort();
	witness_init(&script.witness, &script.world.ledger);
	multi_witness_init(&script.multi_witness, &script.world.ledger);
	run_script_play_lines(&script, file, first, last);
	run_script_finish(&script);
	++cases_played;
	printf("%s %zu - %s: %s\n", script.has_failed ? "not ok" : "ok", cases_played, file->name,
	       name);
	if (!script.has_failed)
		return;
	++cases_failed;
	printf("# %s:%u: %s\n", script.path, script.line, script.why);
}

static void run_script_play_file(const struct file *file)
{
	size_t at = 0;

	while (at < file->count) {
		const char *name = script_after(file->lines[at++], "==");
		size_t first = at;

		if (!name)
			continue;
		while (at < file->count && !script_after(file->lines[at], "=="))
			++at;
		run_script_play_case(file, name, first, at);
	}
}

static char *run_script_read_all(const char *path)
{
	FILE *stream = fopen(path, "r");
	char *text = NULL;
	size_t size = 0;

	if (!stream || getdelim(&text, &size, '\0', stream) < 0) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		exit(1);
	}
	fclose(stream);
	return text;
}

static void run_script_run_file(const char *folder, const char *name)
{
	struct file *file = calloc(1, sizeof(*file));
	char *rest;

	if (!file)
		abort();
	snprintf(file->path, sizeof(file->path), "%s/%s", folder, name);
	file->name = strndup(name, strcspn(name, "."));
	file->text = rest = run_script_read_all(file->path);
	while (rest && *rest && file->count < LINES_MAX)
		file->lines[file->count++] = strsep(&rest, "\n");
	if (rest && *rest)
		abort(); /* a script that long should be two */
	run_script_play_file(file);
	free((void *)(uintptr_t)file->name);
	free(file->text);
	free(file);
}

static int run_script_is_script(const struct dirent *entry)
{
	const char *dot = strrchr(entry->d_name, '.');

	return dot && strcmp(dot, ".script") == 0;
}

static const struct script_endpoint *run_script_find_endpoint(const char *name)
{
	for (size_t i = 0; i < COUNT(endpoints); ++i) {
		if (strcmp(endpoints[i].name, name) == 0)
			return &endpoints[i];
	}
	return NULL;
}

int main(int argc, char **argv)
{
	struct dirent **entries;
	int count;

	if (argc < 3 || !(endpoint = run_script_find_endpoint(argv[1])) ||
	    (count = scandir(argv[2], &entries, run_script_is_script, alphasort)) < 0) {
		fprintf(stderr, "usage: %s DOOR FOLDER [NAME.script…]\n", argv[0]);
		return 2;
	}
	for (int i = 0; i < count; ++i) {
		if (argc == 3)
			run_script_run_file(argv[2], entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
	for (int i = 3; i < argc; ++i)
		run_script_run_file(argv[2], argv[i]);
	printf("1..%zu\n", cases_played);
	return cases_failed > 0 || cases_played == 0;
}
