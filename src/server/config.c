/*
 * config.c: everything an operator can set (see config.h).
 */
#include "server/config.h"

#include <errno.h>
#include <pwd.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/count.h"
#include "base/log.h"

/* In the order of enum log_level. */
static const char *const log_levels[] = {"error", "warn", "info", "debug", NULL};

/* In the order of enum pool_order. */
static const char *const orders[] = {"deadline", "arrival", NULL};

static const char *check_listen(const char *value)
{
	const char *colon = strrchr(value, ':');
	const char *digit;
	long port = 0;

	if (!colon || colon == value || colon[1] == '\0')
		return "must be HOST:PORT";
	for (digit = colon + 1; *digit; ++digit) {
		if (*digit < '0' || *digit > '9')
			return "must end with a port number";
		port = port * 10 + (*digit - '0');
		if (port > 65535)
			return "must have a port of at most 65535";
	}
	if (memchr(value, ':', (size_t)(colon - value)) && (value[0] != '[' || colon[-1] != ']'))
		return "must have an IPv6 address in brackets, as in [::1]:8080";
	return NULL;
}

static const char *check_not_empty(const char *value)
{
	return value[0] == '\0' ? "must not be empty" : NULL;
}

static const char *check_store(const char *value)
{
	if (value[0] == '\0' || strcmp(value, "memory:") == 0)
		return NULL;
	if (strncmp(value, "sqlite:", 7) == 0 && value[7] != '\0')
		return NULL;
	return "must be sqlite:PATH or memory:";
}

#define FIELD(member) .offset = offsetof(struct config, member)
#define STRING(member, value) .type = PARAM_STRING, FIELD(member), .initial = (value)
#define INT(member, value, low, high)                                                              \
	.type = PARAM_INT, FIELD(member), .initial = (value), .min = (low), .max = (high)
#define BOOL(member, value) .type = PARAM_BOOL, FIELD(member), .initial = (value)
#define ENUM(member, value, list)                                                                  \
	.type = PARAM_ENUM, FIELD(member), .initial = (value), .words = (list)
#define DECIMAL(member, value, high)                                                               \
	.type = PARAM_DECIMAL, FIELD(member), .initial = (value), .max = (high)*PARAM_MILLION

static const struct param rows[] = {
	{"server", "listen", STRING(listen, "127.0.0.1:8080"), .check = check_listen,
	 .text = "The address and port to listen on. Port 0 takes a free one; 0.0.0.0 listens on "
		 "every IPv4 address, [::] on every address."},
	{"server", "data", STRING(data_dir, "data"), .check = check_not_empty,
	 .text = "The directory of everything that must survive: keys, the ledger, and local.key. "
		 "Made when it is missing."},
	{"server", "tls_certificate", STRING(tls_certificate, ""),
	 .text = "A file with the certificate and its chain (PEM). Empty: no TLS."},
	{"server", "tls_key", STRING(tls_key, ""),
	 .text = "A file with the private key of the certificate (PEM)."},
	{"server", "log_level", ENUM(log_level, "info", log_levels),
	 .text = "How much is written to standard error."},
	{"server", "log_texts", BOOL(log_texts, "off"),
	 .text = "Whether the texts that clients send may stand in the log."},
	{"server", "drain_seconds", INT(drain_seconds, "60", 0, 86400), .unit = "seconds",
	 .text = "How long a server that was told to end waits for turns that are being spoken."},
	{"server", "max_connections", INT(max_connections, "10000", 1, 1000000),
	 .text = "Connections at once; more are refused. The limit of open files must allow it."},
	{"server", "max_lead_ms", INT(max_lead_ms, "0", 0, 3600000), .unit = "milliseconds",
	 .text = "How far ahead of playback audio is sent. 0: as fast as the client reads."},

	{"speech", "engines_dir", STRING(engines_dir, ""),
	 .text = "The directory of the engine programs (syrinx-NAME). Empty: that of the server's "
		 "own program."},
	{"speech", "voices_dir", STRING(voices_dir, ""),
	 .text = "The directory of neural voices and of the library that runs them; voices that "
		 "are put there are spoken without a restart. Also set by SYRINX_VOICES. Empty: "
		 "syrinx/voices in XDG_DATA_HOME, or in ~/.local/share; for a user without a home "
		 "there is none."},
	{"speech", "fetch_voices", BOOL(fetch_voices, "off"),
	 .text = "Whether a server that finds no neural voices there fetches them, as `syrinx "
		 "voices fetch` does, while it speaks with the others."},
	{"speech", "workers", INT(workers, "16", 1, 1024),
	 .text = "Worker processes of each engine, and so the number of sentences that can be on "
		 "their way at once. More than there are cores is right: a worker runs only while "
		 "its listener needs audio. An engine that speaks many sentences in one process "
		 "takes fewer."},
	{"speech", "slots", INT(slots, "0", 0, 1024),
	 .text = "Sentences that may be worked on at the same time. 0: the number of cores."},
	{"speech", "order", ENUM(order, "deadline", orders),
	 .text = "Whose sentence is worked on next: that of the listener who runs dry first, or, "
		 "to compare with, that of whoever came first."},
	{"speech", "fallback", BOOL(fallback, "on"),
	 .text = "Whether a voice whose engine has failed is spoken by its next best engine. Off: "
		 "clients are told that it is unavailable."},
	{"speech", "worker_memory_mb", INT(worker_memory_mb, "1024", 16, 1048576), .unit = "MiB",
	 .text = "Memory a worker may take; one that wants more is replaced."},
	{"speech", "neural_memory_mb", INT(neural_memory_mb, "3072", 64, 1048576), .unit = "MiB",
	 .text = "The same for the engine that loads neural voices, counted as address space."},
	{"speech", "worker_cpu_seconds", INT(worker_cpu_seconds, "20", 1, 86400), .unit = "seconds",
	 .text = "CPU time one sentence may take; a worker that needs more is replaced."},
	{"speech", "worker_recycle_jobs", INT(worker_recycle_jobs, "10000", 0, 1000000000),
	 .text = "Sentences after which an idle worker is replaced by a fresh one. 0: never."},
	{"speech", "start_timeout_ms", INT(start_timeout_ms, "2000", 1, 600000),
	 .unit = "milliseconds",
	 .text = "How long the first sentence of a turn may wait for a worker before the turn is "
		 "refused. Turns that have begun are never refused."},
	{"speech", "stall_seconds", INT(stall_seconds, "10", 1, 3600), .unit = "seconds",
	 .text = "How long a worker may be silent when audio is due before it is replaced."},
	{"speech", "test_hooks", BOOL(test_hooks, "off"),
	 .text = "Whether engines obey the words that make them crash or stall, for tests."},

	{"prices", "cents_per_minute", DECIMAL(microcents_per_minute, "5.4", 1000000),
	 .unit = "cents",
	 .text = "What a minute of audio costs. Empty: there is no price, and clients are told "
		 "that the cost is not known."},

	{"store", "address", STRING(store_address, ""), .check = check_store,
	 .text = "Where keys and the ledger are kept: sqlite:PATH, or memory: for a server that "
		 "forgets. Empty: syrinx.db in the data directory."},
};

static const struct params params = {rows, COUNT(rows), "SYRINX_"};

_Static_assert(COUNT(rows) <= PARAMS_MAX, "params.c has fixed tables");

/* Cores this process may use: in a container fewer than the machine has. */
static int64_t count_cores(void)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set) == 0 && CPU_COUNT(&set) > 0)
		return CPU_COUNT(&set);
	return 1;
}

static void find_own_dir(char dir[PARAM_STRING_SIZE])
{
	ssize_t n = readlink("/proc/self/exe", dir, PARAM_STRING_SIZE - 1);
	char *slash;

	dir[n > 0 ? n : 0] = '\0';
	slash = strrchr(dir, '/');
	if (slash && slash != dir)
		*slash = '\0';
	else
		memcpy(dir, ".", 2);
}

static int complain_path(struct buf *errors, const char *key)
{
	(void)buf_printf(errors, "%s: the path is too long\n", key);
	return EINVAL;
}

/* NULL: nobody is at home.  The root directory is the home of users that have
 * none, and no place for anyone's files. */
static const char *find_home(void)
{
	const char *home = getenv("HOME");
	const struct passwd *user;

	if (!home || home[0] == '\0') {
		user = getpwuid(geteuid());
		home = user ? user->pw_dir : NULL;
	}
	return home && home[strspn(home, "/")] != '\0' ? home : NULL;
}

/* Where the voices are for everybody who says nothing else, by the XDG base
 * directory specification: its variable counts only when it is absolute. */
static int find_voices_dir(char dir[PARAM_STRING_SIZE])
{
	const char *data_home = getenv("XDG_DATA_HOME");
	const char *home;
	int n = 0;

	if (data_home && data_home[0] == '/')
		n = snprintf(dir, PARAM_STRING_SIZE, "%s/syrinx/voices", data_home);
	else if ((home = find_home()))
		n = snprintf(dir, PARAM_STRING_SIZE, "%s/.local/share/syrinx/voices", home);
	return n < PARAM_STRING_SIZE ? 0 : ENAMETOOLONG;
}

/* Workers get it too, wherever they run. */
static int make_absolute(char path[PARAM_STRING_SIZE])
{
	char given[PARAM_STRING_SIZE];
	char here[PARAM_STRING_SIZE];

	if (path[0] == '/' || path[0] == '\0')
		return 0;
	if (!getcwd(here, sizeof(here)))
		return errno;
	memcpy(given, path, sizeof(given));
	return snprintf(path, PARAM_STRING_SIZE, "%s/%s", here, given) < PARAM_STRING_SIZE
		       ? 0
		       : ENAMETOOLONG;
}

static int fill_in_voices_dir(char dir[PARAM_STRING_SIZE])
{
	int err = dir[0] == '\0' ? find_voices_dir(dir) : 0;

	return err ? err : make_absolute(dir);
}

/* What was left empty. */
static int fill_in(struct config *config, struct buf *errors)
{
	int n;

	if (config->slots == 0)
		config->slots = count_cores();
	if (config->engines_dir[0] == '\0')
		find_own_dir(config->engines_dir);
	if (fill_in_voices_dir(config->voices_dir) != 0)
		return complain_path(errors, "speech.voices_dir");
	if (config->store_address[0] != '\0')
		return 0;
	n = snprintf(config->store_address, PARAM_STRING_SIZE, "sqlite:%s/syrinx.db",
		     config->data_dir);
	return n < PARAM_STRING_SIZE ? 0 : complain_path(errors, "server.data");
}

/* What no row can see alone. */
static int check_together(const struct config *config, struct buf *errors)
{
	if (!config->tls_certificate[0] == !config->tls_key[0])
		return 0;
	(void)buf_printf(errors,
			 "server.tls_certificate and server.tls_key go together: %s is not set\n",
			 config->tls_key[0] ? "server.tls_certificate" : "server.tls_key");
	return EINVAL;
}

/* The short name that the voices folder has for people and engines alike; the
 * long one wins over it. */
static int read_voices_variable(struct config *config, struct buf *errors)
{
	const char *value = getenv("SYRINX_VOICES");

	return value ? params_set(&params, config, "speech.voices_dir", value, "SYRINX_VOICES",
				  errors)
		     : 0;
}

int config_load(struct config *config, const char *file, const struct config_override *overrides,
		size_t count, struct buf *errors)
{
	int err = 0;
	int err_short, err_env;

	memset(config, 0, sizeof(*config));
	params_set_initial(&params, config);
	if (file)
		err = params_read_file(&params, config, file, errors);
	err_short = read_voices_variable(config, errors);
	err_env = params_read_env(&params, config, environ, errors);
	if (!err)
		err = err_short ? err_short : err_env;
	for (size_t i = 0; i < count; ++i) {
		if (params_set(&params, config, overrides[i].key, overrides[i].value,
			       overrides[i].option, errors) != 0)
			err = err ? err : EINVAL;
	}
	if (!err)
		err = check_together(config, errors);
	if (!err)
		err = fill_in(config, errors);
	return err;
}

int config_print_sample(struct buf *out)
{
	int err = buf_append_str(
		out, "# Configuration of syrinx, for `syrinx serve --config FILE`.\n"
		     "#\n"
		     "# Every key is shown with its default. An environment variable\n"
		     "# (SYRINX_SERVER_LISTEN) wins over this file, an option over both.\n"
		     "# `syrinx check --config FILE` finds mistakes; `syrinx check --sample`\n"
		     "# prints this file.\n\n");

	return err ? err : params_print_sample(&params, out);
}

int config_print_manual(struct buf *out)
{
	int err = buf_append_str(
		out,
		".\\\" Printed by `syrinx check --manual`; the table is in src/server/config.c.\n"
		".TH SYRINX.CONF 5 \"\" \"syrinx\" \"File formats\"\n"
		".SH NAME\n"
		"syrinx.conf \\- configuration of the syrinx voice server\n"
		".SH DESCRIPTION\n"
		"The file is read by\n.B syrinx serve \\-\\-config\n.IR FILE .\n"
		"It holds lines of the form\n.IR name \" = \" value\n"
		"under the heading of a\n.RI [ section ].\n"
		"Lines that begin with # or ; are comments, and so is what follows a ; after a\n"
		"blank. Every key has a default, and no file is needed. A key that does not\n"
		"exist, a value out of range and a key given twice are errors.\n"
		".PP\n"
		"Each key can also be set by an environment variable, which wins over the\n"
		"file; an option of the command line wins over both.\n"
		".SH KEYS\n");

	if (!err)
		err = params_print_manual(&params, out);
	if (!err)
		err = buf_append_str(out, ".SH SEE ALSO\n.BR syrinx (1)\n");
	return err;
}
