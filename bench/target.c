/*
 * target.c: the server that is measured (see target.h).
 */
#include "bench/target.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "bench/resident.h"
#include "cli/program_path.h"

/* Loading a neural model on a busy machine takes some seconds. */
#define READY_MAX_US 60000000

static unsigned target_free_port(void)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	socklen_t len = sizeof(address);
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	unsigned port = 0;

	if (bind(fd, (struct sockaddr *)&address, len) == 0 &&
	    getsockname(fd, (struct sockaddr *)&address, &len) == 0)
		port = ntohs(address.sin_port);
	close(fd);
	return port;
}

/* Sends one request and reads at most size - 1 bytes of the answer, with its head. */
static void target_ask(unsigned port, const char *request, char *answer, size_t size)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET,
		.sin_port = htons((uint16_t)port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	ssize_t n = 0;

	if (connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0 &&
	    write(fd, request, strlen(request)) > 0)
		n = recv(fd, answer, size - 1, MSG_WAITALL);
	answer[n > 0 ? n : 0] = '\0';
	close(fd);
}

static void target_get(unsigned port, const char *path, char *answer, size_t size)
{
	char request[80];

	snprintf(request, sizeof(request), "GET %s HTTP/1.0\r\n\r\n", path);
	target_ask(port, request, answer, size);
}

int target_post(const struct target *target, const char *path, const char *body, char *answer,
		size_t size)
{
	char request[4096];
	const char *content;

	snprintf(request, sizeof(request),
		 "POST %s HTTP/1.0\r\n%s\r\nContent-Type: application/json\r\n"
		 "Content-Length: %zu\r\n\r\n%s",
		 path, target->header, strlen(body), body);
	target_ask(target->port, request, answer, size);
	content = strstr(answer, "\r\n\r\n");
	if (strlen(answer) < 12 || strncmp(answer + 9, "200", 3) != 0 || !content) {
		fprintf(stderr, "syrinx bench: %s: %.300s\n", path, answer);
		return EPROTO;
	}
	memmove(answer, content + 4, strlen(content + 4) + 1);
	return 0;
}

static bool target_is_ready(unsigned port)
{
	char answer[13];

	target_get(port, "/ready", answer, sizeof(answer));
	return strlen(answer) == 12 && strncmp(answer + 9, "200", 3) == 0;
}

static int target_make_certificate(const struct target *target)
{
	char command[512];

	snprintf(command, sizeof(command),
		 "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes "
		 "-keyout %s/key.pem -out %s/cert.pem -days 2 -subj /CN=127.0.0.1 "
		 "-addext subjectAltName=IP:127.0.0.1 >/dev/null 2>&1",
		 target->data_dir, target->data_dir);
	return system(command) == 0 ? 0 : EIO;
}

/* Uses empty folders if there must be no neural voices or no models. */
static void target_choose_folders(const struct target *target, const struct target_options *options)
{
	char voices[96], models[96];

	snprintf(voices, sizeof(voices), "%s/voices", target->data_dir);
	snprintf(models, sizeof(models), "%s/models", target->data_dir);
	unsetenv("SYRINX_SPEECH_VOICES_DIR"); /* these would take precedence */
	unsetenv("SYRINX_HEARING_MODELS_DIR");
	setenv("SYRINX_VOICES", options->voices_dir ? options->voices_dir : voices, 1);
	setenv("SYRINX_MODELS", options->models_dir ? options->models_dir : models, 1);
}

/* Writes the configuration and its path. If writing fails, the server reports the missing file. */
static void target_write_config(char path[96], const struct target *target, const char *text)
{
	FILE *file;

	snprintf(path, 96, "%s/syrinx.conf", target->data_dir);
	file = fopen(path, "we");
	if (!file)
		return;
	fputs(text ? text : "", file);
	fclose(file);
}

static void target_run_server(const struct target *target, unsigned port,
			      const struct target_options *options)
{
	char program[PATH_MAX];
	char listen[32];
	char path[96];
	int log;

	snprintf(listen, sizeof(listen), "127.0.0.1:%u", port);
	snprintf(path, sizeof(path), "%s/log", target->data_dir);
	log = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	dup2(log, STDERR_FILENO);
	dup2(log, STDOUT_FILENO);
	target_choose_folders(target, options);
	/* So that every round has the same amount of speech. */
	setenv("SYRINX_SPEECH_REPEATABLE", "on", 1);
	if (options->order)
		setenv("SYRINX_SPEECH_ORDER", options->order, 1);
	if (options->with_tls) {
		snprintf(path, sizeof(path), "%s/cert.pem", target->data_dir);
		setenv("SYRINX_SERVER_TLS_CERTIFICATE", path, 1);
		snprintf(path, sizeof(path), "%s/key.pem", target->data_dir);
		setenv("SYRINX_SERVER_TLS_KEY", path, 1);
	}
	target_write_config(path, target, options->config);
	if (program_path_find(program, sizeof(program), "syrinx") != 0)
		_exit(127);
	execl(program, "syrinx", "serve", "--data", target->data_dir, "--listen", listen,
	      "--config", path, (char *)NULL);
	_exit(127);
}

static int target_read_key(struct target *target)
{
	char path[96];
	char key[80] = "";
	FILE *file;

	snprintf(path, sizeof(path), "%s/local.key", target->data_dir);
	file = fopen(path, "re");
	if (!file)
		return errno;
	if (!fgets(key, sizeof(key), file))
		key[0] = '\0';
	fclose(file);
	key[strcspn(key, "\n")] = '\0';
	snprintf(target->header, sizeof(target->header), "Authorization: Bearer %s", key);
	return 0;
}

int target_start(struct target *target, const struct target_options *options)
{
	static const struct target_options plain = {0};
	bool with_tls = options && options->with_tls;
	unsigned port = target_free_port();
	uint64_t start_us;
	const struct timespec pause = {.tv_nsec = 1000000};

	*target = (struct target){.data_dir = "/tmp/syrinx-bench-XXXXXX"};
	if (!mkdtemp(target->data_dir)) {
		target->data_dir[0] = '\0';
		return errno;
	}
	if (with_tls && target_make_certificate(target) != 0)
		return EIO;
	start_us = clock_monotonic_us();
	target->pid = fork();
	if (target->pid < 0)
		return errno;
	if (target->pid == 0)
		target_run_server(target, port, options ? options : &plain);
	target->port = port;
	snprintf(target->url, sizeof(target->url), "%s://127.0.0.1:%u/ws/tts/stream",
		 with_tls ? "wss" : "ws", port);
	if (with_tls) { /* /ready would need TLS; here, a connection is enough */
		sleep(1);
		target->tls_certificate = "cert.pem";
		return target_read_key(target);
	}
	while (!target_is_ready(port)) {
		if (clock_monotonic_us() - start_us > READY_MAX_US)
			return ETIMEDOUT;
		nanosleep(&pause, NULL);
	}
	target->ready_ms = (double)(clock_monotonic_us() - start_us) / 1000;
	return target_read_key(target);
}

static void target_remove_data(const struct target *target)
{
	char command[96];

	snprintf(command, sizeof(command), "rm -rf %s", target->data_dir);
	if (system(command) != 0)
		fprintf(stderr, "cannot remove %s\n", target->data_dir);
}

void target_stop(struct target *target)
{
	/* A process that was never started has the id 0 or -1, which kill treats specially. */
	if (target->pid > 0) {
		kill(target->pid, SIGTERM);
		kill(target->pid, SIGTERM); /* the second one stops it at once */
		waitpid(target->pid, NULL, 0);
	}
	if (target->data_dir[0] != '\0')
		target_remove_data(target);
}

static int target_connect_url(struct ws_client **clientp, const struct target *target,
			      const char *url)
{
	const char *const headers[] = {target->header, NULL};
	char ca[96];
	char why[256];
	struct ws_client_options options = {.url = url, .headers = headers};
	int err;

	if (target->tls_certificate) {
		snprintf(ca, sizeof(ca), "%s/%s", target->data_dir, target->tls_certificate);
		options.ca_file = ca;
	}
	err = ws_client_open(clientp, &options, why, sizeof(why));
	if (err)
		fprintf(stderr, "syrinx bench: %s: %s\n", url, why);
	return err;
}

int target_connect(struct ws_client **clientp, const struct target *target)
{
	return target_connect_url(clientp, target, target->url);
}

int target_connect_to(struct ws_client **clientp, const struct target *target, const char *path)
{
	char url[512];

	snprintf(url, sizeof(url), "ws://127.0.0.1:%u%s", target->port, path);
	return target_connect_url(clientp, target, url);
}

/* Reads the CPU time (utime + stime) and the parent of a process. */
static bool target_read_stat(const char *pid, double *cpu_s, long *parent)
{
	char path[300];
	unsigned long user;
	unsigned long system_time;
	FILE *file;
	int n;

	snprintf(path, sizeof(path), "/proc/%s/stat", pid);
	file = fopen(path, "re");
	if (!file)
		return false;
	n = fscanf(file, "%*d (%*[^)]) %*c %ld %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", parent,
		   &user, &system_time);
	fclose(file);
	*cpu_s = (double)(user + system_time) / (double)sysconf(_SC_CLK_TCK);
	return n == 3;
}

/* The CPU time with nanosecond resolution, finer than the ticks in stat. */
static double target_exact_cpu(const char *pid, double ticks_s)
{
	char path[300];
	struct dirent *entry;
	DIR *dir;
	double sum = 0;

	snprintf(path, sizeof(path), "/proc/%s/task", pid);
	dir = opendir(path);
	while (dir && (entry = readdir(dir))) {
		unsigned long long ns;
		FILE *file;

		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "/proc/%.20s/task/%.20s/schedstat", pid,
			 entry->d_name);
		file = fopen(path, "re");
		if (!file)
			continue;
		if (fscanf(file, "%llu", &ns) == 1)
			sum += (double)ns / 1e9;
		fclose(file);
	}
	if (dir)
		closedir(dir);
	return sum > 0 ? sum : ticks_s;
}

/* Whether the process is a worker of this engine.  The kernel keeps 15 bytes of a program's name. */
static bool target_is_program(const char *pid, const char *program)
{
	char path[300];
	char name[32] = "";
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%.20s/comm", pid);
	file = fopen(path, "re");
	if (!file)
		return false;
	if (!fgets(name, sizeof(name), file))
		name[0] = '\0';
	fclose(file);
	name[strcspn(name, "\n")] = '\0';
	return name[0] && strncmp(name, program, 15) == 0;
}

size_t target_find_workers(const struct target *target, const char *program,
			   struct target_worker *workers, size_t max)
{
	struct dirent *entry;
	DIR *dir = opendir("/proc");
	size_t count = 0;

	while (dir && count < max && (entry = readdir(dir))) {
		double cpu;
		long parent;

		if (atoi(entry->d_name) == 0 || !target_read_stat(entry->d_name, &cpu, &parent) ||
		    parent != target->pid || !target_is_program(entry->d_name, program))
			continue;
		workers[count].pid = atoi(entry->d_name);
		workers[count++].cpu_s = target_exact_cpu(entry->d_name, cpu);
	}
	if (dir)
		closedir(dir);
	return count;
}

const char *target_metrics(const struct target *target)
{
	static char answer[1 << 20];

	target_get(target->port, "/metrics", answer, sizeof(answer));
	return answer;
}

double target_value(const char *metrics, const char *name)
{
	const char *at = metrics;

	while ((at = strstr(at, name)) && (at == metrics || at[-1] != '\n'))
		++at;
	return at ? strtod(at + strlen(name), NULL) : 0;
}

double target_metric(const struct target *target, const char *name)
{
	return target_value(target_metrics(target), name);
}

void target_cpu(const struct target *target, double *server_s, double *workers_s)
{
	struct dirent *entry;
	DIR *dir = opendir("/proc");

	*server_s = *workers_s = 0;
	while (dir && (entry = readdir(dir))) {
		double cpu;
		long parent;

		if (atoi(entry->d_name) == 0 || !target_read_stat(entry->d_name, &cpu, &parent))
			continue;
		if (atoi(entry->d_name) == target->pid)
			*server_s = target_exact_cpu(entry->d_name, cpu);
		else if (parent == target->pid)
			*workers_s += target_exact_cpu(entry->d_name, cpu);
	}
	if (dir)
		closedir(dir);
}

size_t target_resident(const struct target *target)
{
	return resident_bytes(target->pid);
}
