/*
 * bare.c: drives engine processes without a server (see bare.h).
 */
#include "bench/bare.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "bench/resident.h"
#include "workers/message.h"

#define PROCESSES_MAX 64

/* A neural engine sends nothing while it loads its model. */
#define SILENCE_MAX_MS 60000

struct process {
	pid_t pid;
	int fd;
	struct buf in;
	unsigned sample_rate; /* the voice's rate, once it is known */
	uint64_t first_us; /* when the first samples arrived; 0 if not yet */
	uint32_t busy_us;
	bool ready, done;
	size_t left; /* texts that were sent together and are not finished */
};

struct bare {
	struct process processes[PROCESSES_MAX];
	size_t count;
	const char *voice;
	uint32_t job;
};

static void bare_destroy(void *object)
{
	struct bare *bare = object;

	for (size_t i = 0; i < bare->count; ++i) {
		if (bare->processes[i].pid <= 0)
			continue; /* it was never started, and kill treats 0 and -1 specially */
		close(bare->processes[i].fd);
		kill(bare->processes[i].pid, SIGKILL);
		waitpid(bare->processes[i].pid, NULL, 0);
		buf_reset(&bare->processes[i].in);
	}
}

static int bare_send_message(struct process *process, const struct message *message)
{
	struct buf out;
	int err;

	buf_init(&out, MESSAGE_PAYLOAD_MAX);
	err = message_encode(&out, message);
	if (!err && send(process->fd, out.bytes, out.len, MSG_NOSIGNAL) != (ssize_t)out.len)
		err = EIO;
	buf_reset(&out);
	return err;
}

static int bare_start(struct process *process, const char *program)
{
	struct message hello = {
		.type = MESSAGE_HELLO,
		.hello = {.version_min = MESSAGE_VERSION, .version_max = MESSAGE_VERSION},
	};
	int fds[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) != 0)
		return errno;
	process->pid = fork();
	if (process->pid == 0) {
		dup2(fds[1], 3);
		execl(program, program, (char *)NULL);
		_exit(127);
	}
	close(fds[1]);
	process->fd = fds[0];
	buf_init(&process->in, 4 * MESSAGE_PAYLOAD_MAX);
	return process->pid < 0 ? errno : bare_send_message(process, &hello);
}

static void bare_take(struct process *process, const struct bare *bare,
		      const struct message *message)
{
	switch (message->type) {
	case MESSAGE_VOICE:
		if (message->voice.name.len == strlen(bare->voice) &&
		    memcmp(message->voice.name.bytes, bare->voice, strlen(bare->voice)) == 0)
			process->sample_rate = message->voice.sample_rate;
		break;
	case MESSAGE_READY:
		process->ready = true;
		break;
	case MESSAGE_AUDIO:
		if (message->job == bare->job && !process->first_us) {
			process->first_us = clock_monotonic_us();
			process->busy_us = message->audio.busy_us;
		}
		break;
	case MESSAGE_DONE:
		process->done |= message->job == bare->job;
		process->left -= process->left > 0;
		break;
	default:
		break;
	}
}

static int bare_read_some(struct process *process, const struct bare *bare)
{
	static unsigned char bytes[256 * 1024];
	ssize_t n = recv(process->fd, bytes, sizeof(bytes), 0);
	struct message message;
	size_t used;
	size_t at = 0;
	int err;

	if (n <= 0)
		return EIO;
	err = buf_append(&process->in, bytes, (size_t)n);
	while (!err && (err = message_decode(&message, &used, process->in.bytes + at,
					     process->in.len - at)) == 0) {
		bare_take(process, bare, &message);
		at += used;
	}
	buf_consume(&process->in, at);
	return err == EAGAIN ? 0 : err;
}

static bool bare_is_ready(const struct process *process)
{
	return process->ready;
}

static bool bare_has_sound(const struct process *process)
{
	return process->first_us != 0;
}

static bool bare_is_done(const struct process *process)
{
	return process->done;
}

static bool bare_has_none_left(const struct process *process)
{
	return process->left == 0;
}

static int bare_wait_for(struct bare *bare, size_t count, bool (*met)(const struct process *))
{
	struct pollfd fds[PROCESSES_MAX];
	size_t waiting;

	for (;;) {
		waiting = 0;
		for (size_t i = 0; i < count; ++i) {
			bool met_already = met(&bare->processes[i]);

			fds[i] = (struct pollfd){.fd = met_already ? -1 : bare->processes[i].fd,
						 .events = POLLIN};
			waiting += !met_already;
		}
		if (waiting == 0)
			return 0;
		if (poll(fds, count, SILENCE_MAX_MS) <= 0)
			return ETIMEDOUT;
		for (size_t i = 0; i < count; ++i) {
			if (fds[i].revents && bare_read_some(&bare->processes[i], bare) != 0)
				return EIO;
		}
	}
}

int bare_alloc(struct bare **barep, const char *program, const char *voice, size_t count)
{
	struct bare *bare = mem_zalloc(sizeof(*bare), bare_destroy);
	int err = 0;

	if (!bare)
		return ENOMEM;
	bare->voice = voice;
	for (; !err && bare->count < count && bare->count < PROCESSES_MAX; ++bare->count)
		err = bare_start(&bare->processes[bare->count], program);
	if (!err)
		err = bare_wait_for(bare, bare->count, bare_is_ready);
	if (err) {
		mem_deref(bare);
		return err;
	}
	*barep = bare;
	return 0;
}

static int bare_call_off(struct bare *bare, size_t count)
{
	struct message cancel = {.type = MESSAGE_CANCEL, .job = bare->job};

	for (size_t i = 0; i < count; ++i) {
		if (!bare->processes[i].done &&
		    bare_send_message(&bare->processes[i], &cancel) != 0)
			return EIO;
	}
	return bare_wait_for(bare, count, bare_is_done);
}

static struct message bare_speak_message(struct bare *bare, const char *text)
{
	return (struct message){
		.type = MESSAGE_SPEAK,
		.job = ++bare->job,
		.speak =
			{
				.voice = {bare->voice, (uint32_t)strlen(bare->voice)},
				.language = {"", 0},
				.text = {text, (uint32_t)strlen(text)},
				.text_before = {"", 0},
				.speed = 1,
				.temperature = 0.4f,
				.want_words = true,
			},
	};
}

int bare_at_once(struct bare *bare, const char *text, size_t times)
{
	struct process *process = &bare->processes[0];
	int err = 0;

	for (size_t i = 0; !err && i < times; ++i) {
		struct message speak = bare_speak_message(bare, text);

		speak.speak.credit_samples = UINT32_MAX;
		err = bare_send_message(process, &speak);
		++process->left;
	}
	return err ? err : bare_wait_for(bare, 1, bare_has_none_left);
}

size_t bare_resident(const struct bare *bare)
{
	return resident_bytes(bare->processes[0].pid);
}

int bare_burst(struct bare *bare, const char *text, size_t count, unsigned first_ms,
	       struct stats *wall_us, struct stats *busy_us)
{
	struct message speak = bare_speak_message(bare, text);
	uint64_t start_us;
	int err = 0;

	for (size_t i = 0; i < count; ++i) {
		bare->processes[i].first_us = 0;
		bare->processes[i].done = false;
	}
	start_us = clock_monotonic_us();
	for (size_t i = 0; !err && i < count; ++i) {
		speak.speak.credit_samples = bare->processes[i].sample_rate * first_ms / 1000;
		err = bare_send_message(&bare->processes[i], &speak);
	}
	if (!err)
		err = bare_wait_for(bare, count, bare_has_sound);
	for (size_t i = 0; !err && i < count; ++i) {
		stats_add(wall_us, (double)(bare->processes[i].first_us - start_us));
		stats_add(busy_us, bare->processes[i].busy_us);
	}
	return err ? err : bare_call_off(bare, count);
}
