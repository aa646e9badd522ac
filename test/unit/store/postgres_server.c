/*
 * postgres_server.c: a real PostgreSQL server on the loopback (see postgres_server.h).
 */
#include "postgres_server.h"

#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <glob.h>
#include <grp.h>
#include <libpq-fe.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define PROGRAMS "/usr/lib/postgresql/*/bin"

/* Debug builds on a busy machine; a start takes a second. */
#define START_TRIES 6000
#define TRY_MS 20

static struct {
	char programs[128]; /* their directory */
	char dir[64];
	char data[80];
	char port[8];
	pid_t pid; /* 0: it does not run */
} server;

static int find_programs(void)
{
	glob_t found;
	int err = glob(PROGRAMS, 0, NULL, &found);

	if (!err && found.gl_pathc > 0)
		snprintf(server.programs, sizeof(server.programs), "%s",
			 found.gl_pathv[found.gl_pathc - 1]);
	globfree(&found);
	return server.programs[0] ? 0 : ENOTSUP;
}

static const struct passwd *find_user(void)
{
	const struct passwd *user = getpwnam("postgres");

	return user ? user : getpwnam("nobody");
}

/* Called in a child.  PR_SET_PDEATHSIG is set last, because a change of user resets it. */
static void become_user(void)
{
	pid_t parent = getppid();

	if (geteuid() == 0) {
		const struct passwd *user = find_user();

		if (!user || setgroups(0, NULL) != 0 || setgid(user->pw_gid) != 0 ||
		    setuid(user->pw_uid) != 0)
			_exit(126);
	}
	prctl(PR_SET_PDEATHSIG, SIGQUIT);
	if (getppid() != parent)
		_exit(126);
}

/* arguments[0] is the name of a program of PostgreSQL and is replaced by its full path: initdb
 * looks for the others in its own directory, or if it was started without a path, in PATH, where
 * Debian does not install them. */
static pid_t launch(const char *arguments[])
{
	char program[192];
	char log[96];
	pid_t child;

	snprintf(program, sizeof(program), "%s/%s", server.programs, arguments[0]);
	snprintf(log, sizeof(log), "%s/log", server.dir);
	child = fork();
	if (child != 0)
		return child;
	arguments[0] = program;
	become_user();
	freopen(log, "a", stdout);
	freopen(log, "a", stderr);
	freopen("/dev/null", "r", stdin);
	if (chdir(server.dir) == 0)
		execv(program, (char *const *)(uintptr_t)arguments);
	_exit(127);
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *place)
{
	(void)status;
	(void)type;
	(void)place;
	return remove(path);
}

static void show_log(void)
{
	char path[96];
	char line[512];
	FILE *log;

	snprintf(path, sizeof(path), "%s/log", server.dir);
	log = fopen(path, "r");
	while (log && fgets(line, sizeof(line), log))
		fputs(line, stderr);
	if (log)
		fclose(log);
}

static pid_t owner; /* a child of a test that forks must not end its parent's server */

static void end(void)
{
	if (getpid() != owner)
		return;
	postgres_server_stop();
	nftw(server.dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static void give(const char *path)
{
	const struct passwd *user = find_user();

	if (geteuid() == 0 && user)
		assert(chown(path, user->pw_uid, user->pw_gid) == 0);
}

static void make_dir(void)
{
	const char *scratch = getenv("TMPDIR");

	snprintf(server.dir, sizeof(server.dir), "%s/syrinx-pg-XXXXXX", scratch ? scratch : "/tmp");
	assert(mkdtemp(server.dir));
	snprintf(server.data, sizeof(server.data), "%s/data", server.dir);
	give(server.dir);
	owner = getpid();
	atexit(end);
}

static void make_data(void)
{
	char password[96];
	char from_file[112];
	const char *initdb[] = {
		"initdb", "-D",   server.data,  "-U",        "syrinx",  "-A", "scram-sha-256",
		"-E",     "UTF8", "--locale=C", "--no-sync", from_file, NULL};
	FILE *file;
	int status;

	snprintf(password, sizeof(password), "%s/password", server.dir);
	snprintf(from_file, sizeof(from_file), "--pwfile=%s", password);
	file = fopen(password, "w");
	assert(file);
	fprintf(file, "%s\n", POSTGRES_PASSWORD);
	fclose(file);
	give(password);
	assert(waitpid(launch(initdb), &status, 0) > 0);
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
		show_log();
	assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void find_port(void)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
				      .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(address);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert(bind(fd, (struct sockaddr *)&address, len) == 0);
	assert(getsockname(fd, (struct sockaddr *)&address, &len) == 0);
	snprintf(server.port, sizeof(server.port), "%d", ntohs(address.sin_port));
	close(fd);
}

void postgres_server_address(char *address, size_t size, const char *database, const char *more)
{
	snprintf(address, size, "postgresql://syrinx:%s@127.0.0.1:%s/%s%s",
		 POSTGRES_PASSWORD_WRITTEN, server.port, database, more);
}

int postgres_server_port(void)
{
	return atoi(server.port);
}

static PGconn *bare(const char *database)
{
	char address[192];
	PGconn *db;

	postgres_server_address(address, sizeof(address), database, "?gssencmode=disable");
	db = PQconnectdb(address);
	if (PQstatus(db) != CONNECTION_OK)
		fprintf(stderr, "%s\n", PQerrorMessage(db));
	assert(PQstatus(db) == CONNECTION_OK);
	return db;
}

static void wait_until_ready(void)
{
	char address[192];
	int tries = 0;

	postgres_server_address(address, sizeof(address), "postgres", "?gssencmode=disable");
	while (PQping(address) != PQPING_OK) {
		++tries;
		assert(tries < START_TRIES);
		assert(waitpid(server.pid, NULL, WNOHANG) == 0);
		poll(NULL, 0, TRY_MS);
	}
}

void postgres_server_restart(void)
{
	const char *postgres[] = {"postgres",
				  "-D",
				  server.data,
				  "-k",
				  server.dir,
				  "-p",
				  server.port,
				  "-c",
				  "listen_addresses=127.0.0.1",
				  "-c",
				  "fsync=off",
				  "-c",
				  "shared_buffers=16MB",
				  "-c",
				  "max_connections=40",
				  "-c",
				  "logging_collector=off",
				  NULL};

	assert(server.pid == 0);
	server.pid = launch(postgres);
	assert(server.pid > 0);
	wait_until_ready();
}

void postgres_server_stop(void)
{
	if (server.pid <= 0)
		return;
	kill(server.pid, SIGQUIT);
	waitpid(server.pid, NULL, 0);
	server.pid = 0;
}

static int64_t ask(const char *database, const char *sql)
{
	PGconn *db = bare(database);
	PGresult *result = PQexec(db, sql);
	ExecStatusType status = PQresultStatus(result);
	int64_t number = -1;

	if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK)
		fprintf(stderr, "%s: %s\n", sql, PQerrorMessage(db));
	assert(status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK);
	if (status == PGRES_TUPLES_OK && PQntuples(result) > 0)
		number = strtoll(PQgetvalue(result, 0, 0), NULL, 10);
	PQclear(result);
	PQfinish(db);
	return number;
}

int64_t postgres_server_ask(const char *sql)
{
	return ask("syrinx", sql);
}

bool postgres_server_refuses(const char *sql)
{
	PGconn *db = bare("syrinx");
	PGresult *result = PQexec(db, sql);
	bool is_refused = PQresultStatus(result) == PGRES_FATAL_ERROR;

	PQclear(result);
	PQfinish(db);
	return is_refused;
}

int postgres_server_start(void)
{
	if (server.pid > 0)
		return 0;
	if (find_programs() != 0) {
		printf("skipped: there is no PostgreSQL server (Debian's package postgresql): "
		       "nothing is " PROGRAMS "\n");
		return ENOTSUP;
	}
	make_dir();
	make_data();
	find_port();
	postgres_server_restart();
	ask("postgres", "CREATE DATABASE syrinx");
	return 0;
}

/* Signals all process groups of the server's children, because each backend has its own. */
static void signal_all(int number)
{
	char path[64];
	char line[4096];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)server.pid, (int)server.pid);
	file = fopen(path, "r");
	assert(file);
	if (fgets(line, sizeof(line), file)) {
		for (char *word = strtok(line, " "); word; word = strtok(NULL, " "))
			kill((pid_t)atoi(word), number);
	}
	fclose(file);
	kill(server.pid, number);
}

void postgres_server_freeze(void)
{
	signal_all(SIGSTOP);
}

void postgres_server_thaw(void)
{
	signal_all(SIGCONT);
}

void postgres_server_empty(void)
{
	postgres_server_ask("SET client_min_messages TO warning;"
			    "DROP SCHEMA IF EXISTS syrinx CASCADE");
}

void postgres_server_set_now(int64_t now_ms)
{
	char sql[192];

	if (now_ms < 0)
		snprintf(sql, sizeof(sql),
			 "CREATE OR REPLACE FUNCTION syrinx.now_ms() RETURNS bigint LANGUAGE sql"
			 " AS 'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint'");
	else
		snprintf(sql, sizeof(sql),
			 "CREATE OR REPLACE FUNCTION syrinx.now_ms() RETURNS bigint LANGUAGE sql"
			 " AS 'SELECT %lld::bigint'",
			 (long long)now_ms);
	postgres_server_ask(sql);
}
