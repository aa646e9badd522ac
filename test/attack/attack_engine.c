/*
 * attack_engine.c: an engine that an attacker controls, as the server starts it.
 *
 * For every text it makes the attempts that SYRINX_ENGINE_ATTACK names, writes
 * "attack: NAME done" or "attack: NAME refused ERRNO" to standard error, which
 * the server logs, and speaks a tenth of a second.  SYRINX_ENGINE_TARGET is
 * "data:" and the server's data directory.  Before it is ready it makes those that
 * SYRINX_ENGINE_ATTACK_EARLY names, which is where an engine in another language
 * always is.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "attack.h"
#include "base/mem.h"
#include "engine/engine.h"

#define RATE 24000
#define SOCKET 3
#define DESCRIPTORS 16 /* in one message */

/* A message of a type that the server skips, with descriptors that it has not
 * asked for. */
static int send_descriptors(void)
{
	static const unsigned char header[12] = {[4] = 99};
	union {
		char bytes[CMSG_SPACE(DESCRIPTORS * sizeof(int))];
		struct cmsghdr align;
	} control = {0};
	struct iovec bytes = {(void *)(uintptr_t)header, sizeof(header)};
	struct msghdr message = {.msg_iov = &bytes,
				 .msg_iovlen = 1,
				 .msg_control = control.bytes,
				 .msg_controllen = sizeof(control.bytes)};
	struct cmsghdr *rights = CMSG_FIRSTHDR(&message);
	int fds[DESCRIPTORS];

	for (int i = 0; i < DESCRIPTORS; ++i)
		fds[i] = i % 4;
	rights->cmsg_level = SOL_SOCKET;
	rights->cmsg_type = SCM_RIGHTS;
	rights->cmsg_len = CMSG_LEN(sizeof(fds));
	memcpy(CMSG_DATA(rights), fds, sizeof(fds));
	for (int sent = 0; sent < 500; ++sent) {
		while (sendmsg(SOCKET, &message, 0) < 0) {
			if (errno != ETOOMANYREFS) /* until the server has read some */
				return errno;
		}
	}
	return 0;
}

static void attempt(const char *name)
{
	const char *target = getenv("SYRINX_ENGINE_TARGET");
	const struct attack *attack = attack_find(name);
	const char *argument = target ? strchr(target, '/') : NULL;
	int err = ENOENT;

	if (strcmp(name, "send_descriptors") == 0)
		err = send_descriptors();
	else if (attack)
		err = attack->run(argument ? argument : "/nowhere");
	fprintf(stderr, "attack: %s %s%s\n", name, err ? "refused " : "done",
		err ? strerrorname_np(err) : "");
}

static void attempt_all(const char *variable)
{
	char names[512];
	char *rest = names;
	char *name;

	snprintf(names, sizeof(names), "%s", getenv(variable) ? getenv(variable) : "");
	while ((name = strsep(&rest, " "))) {
		if (name[0] != '\0')
			attempt(name);
	}
}

static int attack_open(void **statep, const struct engine_options *options)
{
	(void)options;
	attack_prepare();
	attempt_all("SYRINX_ENGINE_ATTACK_EARLY");
	*statep = mem_zalloc(1, NULL);
	return *statep ? 0 : ENOMEM;
}

static void attack_close(void *state)
{
	mem_deref(state);
}

static int attack_voices(void *state, engine_voice_h *each, void *arg)
{
	static const struct engine_voice voice = {.name = "attack",
						  .language = "en",
						  .title = "Attack",
						  .sample_rate = RATE,
						  .licence = "of a test"};

	(void)state;
	return each(&voice, arg);
}

static int attack_speak(void *state, const struct engine_text *text, struct sink *sink)
{
	int16_t samples[RATE / 10];

	(void)state;
	(void)text;
	attempt_all("SYRINX_ENGINE_ATTACK");
	for (size_t i = 0; i < RATE / 10; ++i)
		samples[i] = i / 40 % 2 ? 8000 : -8000;
	(void)sink_audio(sink, samples, RATE / 10);
	return 0;
}

static const struct engine attack_engine = {
	.name = "attack",
	.open = attack_open,
	.voices = attack_voices,
	.speak = attack_speak,
	.close = attack_close,
};

const struct engine *const engine_main = &attack_engine;
