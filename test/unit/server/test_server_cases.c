/*
 * test_server_cases.c: runs scripts against a whole server and reports each case as TAP.
 *
 * A script is a text file of cases.  Every case has a server of its own (server_world.h), which
 * starts at the first line that needs it.  C is the name of a connection.
 *
 *     == what is guaranteed               begins a case
 *     # ...                               a comment
 *     config server.hosts = a.example     a setting; only before the server starts
 *     agent NAME api_key=... path=...     an agent that echoes what it hears; only before the start
 *     key NAME SCOPES [account=A] [prepaid] [credit=N] [turns=N] [connections=N] [requests=N]
 *         [characters=N] [text=N] [expires=SECONDS]   adds a key; once the server runs, $NAME is
 *                                         its text; only before the start
 *     token NAME KEY FROM TO              $NAME is a speech engine's token that is signed with KEY
 *                                         and valid between these times, in seconds from now
 *     long NAME N                         $NAME is a text of N letters
 *     form NAME FIELD=VALUE...            $NAME is a form (multipart/form-data; boundary=b); a file
 *                                         contains the words of its audio (fake_decoding.h)
 *     audio NAME WORDS                    $NAME is audio with these words (fake_hearing.h), in base64
 *     listen WORD                         how the engines that listen behave: well, none (no models),
 *                                         loading, full, breaks, deaf, no-decoder, busy-decoder,
 *                                         slow-decoder
 *
 *     METHOD PATH {Header: value}... `body` STATUS CHECK...   sends a request on a connection of
 *                                         its own, and checks the answer; {-Host} omits the header
 *     soon METHOD PATH ...                repeats the request until the answer passes the checks
 *     start C METHOD PATH ...             sends a request on a new connection, without waiting
 *     raw C `bytes`                       sends bytes on C, which may be new; | becomes \r\n
 *     answer C STATUS CHECK...            waits for the answer on C, and checks it
 *     begun C                             waits for the first bytes of the answer
 *     gone C                              the client resets the connection
 *     narrow                              the next connection has a small window
 *
 *     ws C PATH {Header: value}... STATUS CHECK...            opens a WebSocket
 *     say C `text`... / binary C `bytes`...                   sends messages, which arrive together
 *     flood C N `text`                    sends N messages, or fewer if the server stops reading
 *     hear C CHECK...                     the next message passes the checks
 *     until C CHECK...                    one of the next messages passes the checks
 *     alive C                             a ping is answered before anything else is sent
 *     closed C CODE CHECK...              the next frame closes C; the checks apply to the reason
 *     over C                              the server ends the connection, with a close or without
 *
 *     pass 10s                            the clock advances; also ms
 *     signal TERM                         sends the process a signal: TERM, INT, HUP or USR1
 *     ended                               the server has decided to end
 *     serving                             it has not
 *     file PATH / no-file PATH            a file in the data directory exists, or does not
 *     mark                                remembers /metrics
 *     counted SERIES N                    a series of /metrics has grown by N since the mark
 *
 * Checks of JSON: .json.path=value, .path~part, .path!=value, .path#count (elements of a list),
 * .path%a,b,c (the names of all members), .path (exists and is not null), .path! (does not exist).
 * Checks of headers: [header: value], [header~part], [header], [!header].  Checks of the body: ~part,
 * !~part, len=N, len>N, len<N, cut (the connection ended before the body did).  $name=.path and
 * $name=[header] set a value for later lines.
 *
 * At the end of a case all clients disconnect; then the server must become idle, and after it has
 * been closed no object may be left.
 */
#include <ctype.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "server_play.h"

#define LINE_MAX_LEN 4096

bool play_fail(struct play *play, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(play->why, sizeof(play->why), format, args);
	va_end(args);
	return false;
}

static bool test_server_cases_serve(struct play *play)
{
	int err;

	if (play->world.is_open)
		return true;
	err = world_open(&play->world);
	if (err)
		return play_fail(play, "the server does not start: %s", strerror(err));
	for (size_t i = 0; i < play->world.keys_count; ++i)
		variables_set(&play->variables, play->world.keys[i].name, play->world.keys[i].text);
	variables_set(&play->variables, "port", play->world.url_port);
	return true;
}

/* Time and the process */

static bool test_server_cases_pass(struct play *play, char *rest)
{
	char *unit;
	uint64_t us = strtoull(checks_word(&rest), &unit, 10);

	us *= strcmp(unit, "ms") == 0 ? 1000u : 1000000u;
	world_pass(&play->world, us);
	return true;
}

static bool test_server_cases_signal(struct play *play, char *rest)
{
	char *name = checks_word(&rest);
	uint64_t until = clock_monotonic_us() + 200000;

	kill(getpid(), strcmp(name, "TERM") == 0  ? SIGTERM
		       : strcmp(name, "INT") == 0 ? SIGINT
		       : strcmp(name, "HUP") == 0 ? SIGHUP
						  : SIGUSR1);
	/* The signal is in libuv's pipe already.  A signal that begins a drain has been handled when
	 * the server drains; the others are given 200 ms. */
	do
		world_turn(&play->world, -1, 0, 5);
	while (!play->world.server.draining && clock_monotonic_us() < until);
	return true;
}

static bool test_server_cases_ended(struct play *play)
{
	for (int i = 0; i < WORLD_WAIT_MS / 50 && !play->world.has_ended; ++i)
		world_turn(&play->world, -1, 0, 50);
	return play->world.has_ended || play_fail(play, "the server goes on");
}

static bool test_server_cases_serving(struct play *play)
{
	for (int i = 0; i < 5; ++i)
		world_turn(&play->world, -1, 0, 1);
	return !play->world.has_ended || play_fail(play, "the server has ended");
}

static bool test_server_cases_file_is(struct play *play, char *rest, bool is_expected)
{
	char *name = checks_word(&rest);
	char path[256];

	snprintf(path, sizeof(path), "%s/data/%s", play->world.dir, name);
	if ((access(path, F_OK) == 0) == is_expected)
		return true;
	return play_fail(play, "%s is %s", name, is_expected ? "missing" : "still there");
}

static double test_server_cases_series(const char *page, const char *series)
{
	size_t len = strlen(series);

	for (const char *line = page; line && *line;) {
		if (strncmp(line, series, len) == 0 && line[len] == ' ')
			return strtod(line + len, NULL);
		line = strchr(line, '\n');
		line += line != NULL;
	}
	return -1;
}

/* Reads /metrics without a key, as a program on this machine can.  The page must be freed; NULL: the
 * case has failed. */
static char *test_server_cases_read_metrics(struct play *play)
{
	char request[] = "/metrics";
	char *rest = request;
	struct client *client = exchange_ask(play, "", "GET", &rest, false);
	char *page = NULL;

	if (client && client_read_answer(client) == 0 && client->status == 200)
		page = strdup(client->body);
	else
		play_fail(play, "no metrics");
	if (client)
		client_close(client);
	return page;
}

static bool test_server_cases_mark(struct play *play)
{
	free(play->metrics);
	play->metrics = test_server_cases_read_metrics(play);
	return play->metrics != NULL;
}

static bool test_server_cases_counted(struct play *play, char *rest)
{
	char *series = checks_word(&rest);
	char *number = checks_word(&rest);
	char *page = test_server_cases_read_metrics(play);
	double grown;

	if (!page)
		return false;
	grown = test_server_cases_series(page, series) -
		test_server_cases_series(play->metrics, series);
	free(page);
	if (grown > atof(number) - 0.5 && grown < atof(number) + 0.5)
		return true;
	return play_fail(play, "%s has grown by %g, not %s", series, grown, number);
}

static bool test_server_cases_with_client(struct play *play, const char *verb, char *rest)
{
	char *name = checks_word(&rest);
	struct client *client = exchange_find(play, name);

	if (!client || client->fd < 0)
		return play_fail(play, "there is no client %s for %s", name, verb);
	if (strcmp(verb, "answer") == 0)
		return exchange_answer(play, client, rest);
	if (strcmp(verb, "begun") == 0)
		return client_wait(client) == 0 || play_fail(play, "nothing has come");
	if (strcmp(verb, "say") == 0)
		return exchange_say(play, client, rest, CLIENT_TEXT);
	if (strcmp(verb, "binary") == 0)
		return exchange_say(play, client, rest, CLIENT_BINARY);
	if (strcmp(verb, "hear") == 0 || strcmp(verb, "until") == 0)
		return exchange_hear(play, client, rest, verb[0] == 'u');
	if (strcmp(verb, "alive") == 0)
		return exchange_alive(play, client);
	if (strcmp(verb, "closed") == 0)
		return exchange_closed(play, client, rest);
	if (strcmp(verb, "over") == 0)
		return exchange_over(play, client);
	if (strcmp(verb, "flood") == 0)
		return exchange_flood(client, rest);
	if (strcmp(verb, "gone") == 0) {
		client_abort(client);
		return true;
	}
	return play_fail(play, "no such verb: %s", verb);
}

static bool test_server_cases_line(struct play *play, char *line)
{
	char *rest = line;
	char *verb = checks_word(&rest);

	if (!verb)
		return true;
	if (strcmp(verb, "config") == 0)
		return setup_config(play, rest);
	if (strcmp(verb, "agent") == 0)
		return setup_agent(play, rest);
	if (strcmp(verb, "key") == 0)
		return setup_key(play, rest);
	if (strcmp(verb, "token") == 0)
		return setup_token(play, rest);
	if (strcmp(verb, "long") == 0)
		return setup_long(play, rest);
	if (strcmp(verb, "form") == 0)
		return setup_form(play, rest);
	if (strcmp(verb, "audio") == 0)
		return setup_audio(play, rest);
	if (strcmp(verb, "listen") == 0)
		return setup_listen(play, rest);
	if (isupper((unsigned char)verb[0]))
		return exchange_run(play, verb, rest);
	if (strcmp(verb, "soon") == 0)
		return exchange_soon(play, rest);
	if (strcmp(verb, "start") == 0)
		return exchange_start(play, rest);
	if (strcmp(verb, "raw") == 0)
		return exchange_raw(play, rest);
	if (strcmp(verb, "ws") == 0)
		return exchange_ws(play, rest);
	if (strcmp(verb, "narrow") == 0)
		return play->is_narrow = true;
	if (strcmp(verb, "mark") == 0)
		return test_server_cases_mark(play);
	if (strcmp(verb, "counted") == 0)
		return test_server_cases_counted(play, rest);
	if (strcmp(verb, "pass") == 0)
		return test_server_cases_pass(play, rest);
	if (strcmp(verb, "signal") == 0)
		return test_server_cases_signal(play, rest);
	if (strcmp(verb, "ended") == 0)
		return test_server_cases_ended(play);
	if (strcmp(verb, "serving") == 0)
		return test_server_cases_serving(play);
	if (strcmp(verb, "file") == 0 || strcmp(verb, "no-file") == 0)
		return test_server_cases_file_is(play, rest, verb[0] == 'f');
	return test_server_cases_with_client(play, verb, rest);
}

/* Whether the line needs no server, so that it does not start one. */
static bool test_server_cases_is_setting(const char *line)
{
	return strncmp(line, "config ", 7) == 0 || strncmp(line, "agent ", 6) == 0 ||
	       strncmp(line, "key ", 4) == 0 || strncmp(line, "token ", 6) == 0 ||
	       strncmp(line, "long ", 5) == 0 || strncmp(line, "form ", 5) == 0 ||
	       strncmp(line, "audio ", 6) == 0 || strncmp(line, "listen ", 7) == 0 ||
	       line[0] == '#' || line[0] == '\0';
}

/* Disconnects all clients and closes the server, of which nothing may be left. */
static void test_server_cases_finish(struct play *play)
{
	size_t left;

	for (size_t i = 0; i < play->clients_count; ++i)
		client_close(&play->clients[i].client);
	if (play->world.is_open && !play->why[0]) {
		for (int i = 0; i < WORLD_WAIT_MS / 50 && !play->world.has_ended &&
				!world_is_quiet(&play->world);
		     ++i)
			world_turn(&play->world, -1, 0, 50);
		if (!play->world.has_ended && !world_is_quiet(&play->world))
			play_fail(play, "all clients have left, and not all is over");
	}
	left = world_close(&play->world);
	if (left > 0 && !play->why[0])
		play_fail(play, "%zu objects are left", left);
	variables_reset(&play->variables);
	free(play->metrics);
}

/* Runs the lines of one case, up to the title of the next one, which is left in `line` ("": there is
 * none).  *number is the number of the line that was read last. */
static bool test_server_cases_play(FILE *file, const char *path, const char *engine, char *line,
				   unsigned *number)
{
	struct play *play = calloc(1, sizeof(*play));
	unsigned failed = 0;
	bool has_failed;

	if (!play || world_init(&play->world, engine) != 0)
		abort();
	while (fgets(line, LINE_MAX_LEN, file)) {
		char *text;

		++*number;
		line[strcspn(line, "\n")] = '\0';
		if (strncmp(line, "==", 2) == 0)
			break;
		if (play->why[0] ||
		    (!test_server_cases_is_setting(line) && !test_server_cases_serve(play)))
			continue;
		text = variables_expand(&play->variables, line);
		if (!test_server_cases_line(play, text))
			failed = *number;
		free(text);
	}
	if (feof(file))
		line[0] = '\0';
	test_server_cases_finish(play);
	has_failed = play->why[0] != '\0';
	if (has_failed)
		printf("# %s:%u: %s\n", path, failed, play->why);
	free(play);
	return !has_failed;
}

static int test_server_cases_file(const char *path, const char *engine, const char *only)
{
	FILE *file = fopen(path, "re");
	char line[LINE_MAX_LEN] = "";
	unsigned number = 0, count = 0, failures = 0;

	if (!file)
		return 1;
	while (strncmp(line, "==", 2) != 0) {
		if (!fgets(line, sizeof(line), file))
			return 1;
		++number;
	}
	line[strcspn(line, "\n")] = '\0';
	while (line[0]) {
		char title[256];
		bool holds = true;

		snprintf(title, sizeof(title), "%s", line + 2 + strspn(line + 2, " "));
		if (only && !strstr(title, only)) {
			while (fgets(line, sizeof(line), file) && strncmp(line, "==", 2) != 0)
				++number;
			++number;
			line[feof(file) ? 0 : strcspn(line, "\n")] = '\0';
			continue;
		}
		holds = test_server_cases_play(file, path, engine, line, &number);
		failures += !holds;
		printf("%s %u - %s\n", holds ? "ok" : "not ok", ++count, title);
		fflush(stdout);
	}
	printf("1..%u\n", count);
	fclose(file);
	return failures > 0;
}

/* The server starts engines with the command "confine" of its own program, which here is this test.
 * The engine, whose command line follows "--", is run without being confined. */
static int test_server_cases_launch(char **argv)
{
	while (*argv && strcmp(*argv, "--") != 0)
		++argv;
	if (*argv)
		execv(argv[1], argv + 1);
	return 127;
}

int main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], "confine") == 0)
		return test_server_cases_launch(argv);
	if (argc < 3) {
		fprintf(stderr, "usage: test_server_cases ENGINE SCRIPT [PART OF A NAME]\n");
		return 2;
	}
	signal(SIGPIPE, SIG_IGN);
	return test_server_cases_file(argv[2], argv[1], argv[3]);
}
