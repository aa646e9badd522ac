/*
 * run_script.c: plays scripts against a session and reports each case as TAP.
 *
 * A script is a text file of cases:
 *
 *     == what is guaranteed        a case; each has a world of its own
 *     > {"text":"Hello."}          the client says this, raw
 *     >binary                      a binary message
 *     >fill 300000 {"text":"@"}    a message with so many bytes of words at @
 *     + 60ms                       time passes
 *     < {"final":true}             the next reply has these members (match.h)
 *     < audio samples=960          one or more audio frames
 *     < spoken Hello.              a chunk: started, audio, complete
 *     < end characters=6           final and session_closed
 *     < nothing                    no reply waits
 *     <c1 spoken Hello.            the same of the replies of one context alone
 *     ! manual                     how engine, peer and ledger behave
 *     ? ledger status=finished     what must be so around the session
 *     repeat 3 … end               these lines so often; $i counts from 0
 *
 * Lines that begin with # are comments.  At the end of a case no reply may be
 * left unread, and when the session is gone no object and no timer.
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
	const char *name; /* without folder and ending */
	char *text;
	char *lines[LINES_MAX];
	size_t count;
};

static const char *see_stream(struct script *script, const json_t *reply)
{
	return witness_reply(&script->witness, reply);
}

static const char *see_multi(struct script *script, const json_t *reply)
{
	return multi_witness_reply(&script->multi_witness, reply);
}

static const char *see_once(struct script *script, const json_t *reply)
{
	return once_witness_reply(&script->witness, reply);
}

static const char *see_elevenlabs(struct script *script, const json_t *reply)
{
	return elevenlabs_witness_reply(&script->witness, reply);
}

static const char *see_elevenlabs_multi(struct script *script, const json_t *reply)
{
	const char *id = json_string_value(json_object_get(reply, "contextId"));

	if (!id) /* what ends the connection is nobody's own */
		return json_object_get(reply, "error") ? NULL : "a reply without a context";
	return elevenlabs_witness_reply(multi_witness_find(&script->multi_witness, id), reply);
}

static const struct script_door doors[] = {
	{"stream", world_connect, see_stream, false, NULL},
	{"multi", world_connect_multi, see_multi, true, "context_id"},
	{"once", world_connect_once, see_once, false, NULL},
	{"elevenlabs", world_connect_elevenlabs, see_elevenlabs, false, NULL},
	{"elevenlabs_multi", world_connect_elevenlabs_multi, see_elevenlabs_multi, true,
	 "contextId"},
};

static const struct script_door *door; /* which socket the scripts are for */
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

static void skip(struct script *script, const char *line)
{
	(void)script;
	(void)line;
}

static void say_binary(struct script *script, const char *line)
{
	(void)line;
	script_say_binary(script);
}

static const struct {
	const char *word;
	void (*play)(struct script *script, const char *rest);
} commands[] = {
	{"#", skip},
	{">binary", say_binary},
	{">fill ", script_say_filled},
	{"> ", script_say},
	{"+ ", script_pass},
	{"< ", script_expect},
	{"<", script_expect_of},
	{"! ", script_control},
	{"? ", script_check},
};

static void play_line(struct script *script, const char *line)
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

/* Plays a line with its $i replaced. */
static void play_counted(struct script *script, const char *line, unsigned long i)
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
	play_line(script, counted);
}

/* Plays the lines of a loop; gives the line after its end. */
static size_t play_loop(struct script *script, const struct file *file, size_t first,
			unsigned long times)
{
	size_t last = first;

	while (last < file->count && strcmp(file->lines[last], "end") != 0)
		++last;
	for (unsigned long i = 0; i < times; ++i) {
		for (size_t at = first; at < last && !script->has_failed; ++at) {
			script->line = (unsigned)at + 1;
			play_counted(script, file->lines[at], i);
		}
	}
	return last + 1;
}

static void play_lines(struct script *script, const struct file *file, size_t first, size_t last)
{
	for (size_t at = first; at < last && !script->has_failed;) {
		const char *times = script_after(file->lines[at], "repeat ");

		script->line = (unsigned)at + 1;
		if (times) {
			at = play_loop(script, file, at + 1, strtoul(times, NULL, 10));
		} else {
			play_line(script, file->lines[at]);
			++at;
		}
	}
}

/* What must be so at the end of every case. */
static void finish(struct script *script)
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

static void play_case(const struct file *file, const char *name, size_t first, size_t last)
{
	static struct script script;

	memset(&script, 0, sizeof(script));
	script.path = file->path;
	script.line = (unsigned)first;
	script.door = door;
	if (world_open(&script.world) != 0 || door->connect(&script.world) != 0)
		abort();
	witness_init(&script.witness, &script.world.ledger);
	multi_witness_init(&script.multi_witness, &script.world.ledger);
	play_lines(&script, file, first, last);
	finish(&script);
	++cases_played;
	printf("%s %zu - %s: %s\n", script.has_failed ? "not ok" : "ok", cases_played, file->name,
	       name);
	if (!script.has_failed)
		return;
	++cases_failed;
	printf("# %s:%u: %s\n", script.path, script.line, script.why);
}

static void play_file(const struct file *file)
{
	size_t at = 0;

	while (at < file->count) {
		const char *name = script_after(file->lines[at++], "==");
		size_t first = at;

		if (!name)
			continue;
		while (at < file->count && !script_after(file->lines[at], "=="))
			++at;
		play_case(file, name, first, at);
	}
}

static char *read_all(const char *path)
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

static void run_file(const char *folder, const char *name)
{
	struct file *file = calloc(1, sizeof(*file));
	char *rest;

	if (!file)
		abort();
	snprintf(file->path, sizeof(file->path), "%s/%s", folder, name);
	file->name = strndup(name, strcspn(name, "."));
	file->text = rest = read_all(file->path);
	while (rest && *rest && file->count < LINES_MAX)
		file->lines[file->count++] = strsep(&rest, "\n");
	if (rest && *rest)
		abort(); /* a script that long should be two */
	play_file(file);
	free((void *)(uintptr_t)file->name);
	free(file->text);
	free(file);
}

static int is_script(const struct dirent *entry)
{
	const char *dot = strrchr(entry->d_name, '.');

	return dot && strcmp(dot, ".script") == 0;
}

static const struct script_door *find_door(const char *name)
{
	for (size_t i = 0; i < COUNT(doors); ++i) {
		if (strcmp(doors[i].name, name) == 0)
			return &doors[i];
	}
	return NULL;
}

int main(int argc, char **argv)
{
	struct dirent **entries;
	int count;

	if (argc < 3 || !(door = find_door(argv[1])) ||
	    (count = scandir(argv[2], &entries, is_script, alphasort)) < 0) {
		fprintf(stderr, "usage: %s DOOR FOLDER [NAME.script…]\n", argv[0]);
		return 2;
	}
	for (int i = 0; i < count; ++i) {
		if (argc == 3)
			run_file(argv[2], entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
	for (int i = 3; i < argc; ++i)
		run_file(argv[2], argv[i]);
	printf("1..%zu\n", cases_played);
	return cases_failed > 0 || cases_played == 0;
}
