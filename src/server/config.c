/*
 * config.c: everything an operator can set (see config.h).
 */
#include "server/config.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/count.h"
#include "base/log.h"

/* In the order of enum log_level. */
static const char *const log_levels[] = {"error", "warn", "info", "debug", NULL};

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
	{"speech", "workers", INT(workers, "16", 1, 1024),
	 .text = "Worker processes of each engine, and so the number of sentences that can be on "
		 "their way at once. More than there are cores is right: a worker runs only while "
		 "its listener needs audio."},
	{"speech", "slots", INT(slots, "0", 0, 1024),
	 .text = "Workers that may run at the same time. 0: the number of cores."},
	{"speech", "worker_memory_mb", INT(worker_memory_mb, "1024", 16, 1048576), .unit = "MiB",
	 .text = "Memory a worker may take; one that wants more is replaced."},
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

/* What was left empty. */
static int fill_in(struct config *config, struct buf *errors)
{
	int n;

	if (config->slots == 0)
		config->slots = count_cores();
	if (config->engines_dir[0] == '\0')
		find_own_dir(config->engines_dir);
	if (config->store_address[0] != '\0')
		return 0;
	n = snprintf(config->store_address, PARAM_STRING_SIZE, "sqlite:%s/syrinx.db",
		     config->data_dir);
	if (n < PARAM_STRING_SIZE)
		return 0;
	(void)buf_append_str(errors, "server.data: the path is too long\n");
	return EINVAL;
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

int config_load(struct config *config, const char *file, const struct config_override *overrides,
		size_t count, struct buf *errors)
{
	int err = 0;
	int err_env;

	memset(config, 0, sizeof(*config));
	params_set_initial(&params, config);
	if (file)
		err = params_read_file(&params, config, file, errors);
	err_env = params_read_env(&params, config, environ, errors);
	if (!err)
		err = err_env;
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
