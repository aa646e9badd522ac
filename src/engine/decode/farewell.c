/*
 * farewell.c: the last message of a process that a library ends (see farewell.h).
 *
 * A signal handler can only see globals, and may call little more than send and _exit.
 */
#include "engine/decode/farewell.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/count.h"
#include "workers/confine.h"
#include "workers/message.h"

#define FAREWELL_MAX 256u

/* Where DONE has its number of samples: after status and time. */
#define SAMPLES_AT (MESSAGE_HEADER_LEN + 8)

/* A crash may be an overflow of the stack, so the handler has one of its own. */
#define STACK_SIZE 65536u

struct farewell {
	unsigned char bytes[FAREWELL_MAX];
	size_t len;
};

static int farewell_fd;
static struct farewell farewell_crash, farewell_late;
static volatile sig_atomic_t farewell_is_armed;

static void farewell_on_signal(int number)
{
	const struct farewell *farewell = number == SIGPROF ? &farewell_late : &farewell_crash;

	/* It is less than any socket accepts at once. */
	if (farewell_is_armed)
		(void)send(farewell_fd, farewell->bytes, farewell->len,
			   MSG_NOSIGNAL | MSG_DONTWAIT);
	_exit(1);
}

int farewell_install(int fd)
{
	static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGPROF};
	static char stack[STACK_SIZE];
	const stack_t own = {.ss_sp = stack, .ss_size = sizeof(stack)};
	struct sigaction action = {.sa_handler = farewell_on_signal, .sa_flags = SA_ONSTACK};

	farewell_fd = fd;
	if (!confine_has_engine_filter())
		return 0;
	if (sigaltstack(&own, NULL) != 0)
		return errno;
	for (size_t i = 0; i < COUNT(signals); ++i) {
		if (sigaction(signals[i], &action, NULL) != 0)
			return errno;
	}
	return 0;
}

static int farewell_encode(struct farewell *farewell, uint32_t job, const char *detail)
{
	const struct message message = {
		.type = MESSAGE_DONE,
		.job = job,
		.done = {.status = MESSAGE_DONE_FAILED, .detail = message_str_of(detail)},
	};
	struct buf buf;
	int err;

	buf_init(&buf, sizeof(farewell->bytes));
	err = message_encode(&buf, &message);
	if (!err) {
		memcpy(farewell->bytes, buf.bytes, buf.len);
		farewell->len = buf.len;
	}
	buf_reset(&buf);
	return err;
}

int farewell_prepare(uint32_t job)
{
	int err = farewell_encode(&farewell_crash, job,
				  "the file is damaged, or decoding it takes too much memory");

	return err ? err
		   : farewell_encode(&farewell_late, job, "decoding the file takes too much time");
}

void farewell_arm(uint64_t samples)
{
	for (size_t i = 0; i < 8; ++i)
		farewell_crash.bytes[SAMPLES_AT + i] = farewell_late.bytes[SAMPLES_AT + i] =
			(unsigned char)(samples >> 8 * i);
	farewell_is_armed = true;
}

void farewell_disarm(void)
{
	farewell_is_armed = false;
}
