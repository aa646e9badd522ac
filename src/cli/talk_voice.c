/*
 * talk_voice.c: speaks an answer while it is still being written (see talk_voice.h).
 */
#include "cli/talk_voice.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "cli/playback.h"
#include "cli/refusal.h"
#include "net/ws_client.h"
#include "wire/json_write.h"

/* A server that sends nothing for this long after the end of the text is considered dead. Before
 * the end there is no limit, because the next part of the text may take any time to arrive. */
#define SILENCE_MS 30000
#define PART 4096

#define TROUBLE_SIZE 512u

struct talk_voice {
	struct talk_voice_options options;
	pid_t pid; /* 0 if nothing is being spoken */
	int fd; /* for sending text to the child; -1 after the end of the text */
	int trouble_fd; /* for receiving errors from the child; -1 after its end */
	char trouble[TROUBLE_SIZE];
	bool is_mute; /* a problem was reported, and nothing more is spoken */
};

/* The child */

struct speaker {
	struct ws_client *client;
	struct playback *playback;
	struct buf out;
	char part[PART]; /* text that was not sent yet, such as the beginning of a character */
	size_t part_len;
	bool has_all_text; /* the parent has closed its end of the pipe */
	char why[TROUBLE_SIZE]; /* why it cannot speak, or "" */
};

static int talk_voice_open_speaker(struct speaker *speaker,
				   const struct talk_voice_options *options)
{
	char header[320];
	char why[256];
	const char *const headers[] = {header, NULL};
	const struct ws_client_options client = {
		.url = options->url, .headers = headers, .ca_file = options->ca_file};
	int err;

	snprintf(header, sizeof(header), "Authorization: Bearer %s", options->key);
	buf_init(&speaker->out, 16 * PART);
	err = playback_alloc_silent(&speaker->playback);
	if (err || playback_is_over(speaker->playback))
		return err;
	err = ws_client_open(&speaker->client, &client, why, sizeof(why));
	if (err) {
		refusal_shorten(why);
		snprintf(speaker->why, sizeof(speaker->why), "%.200s: %s", options->url, why);
	}
	return err;
}

static int talk_voice_send_settings(struct speaker *speaker,
				    const struct talk_voice_options *options)
{
	struct json_write json;
	int err;

	speaker->out.len = 0;
	json_write_open(&json, &speaker->out);
	json_write_signed(&json, "voice_id", options->voice_id);
	if (options->language)
		json_write_string(&json, "language", options->language, strlen(options->language));
	err = json_write_close(&json);
	return err ? err : ws_client_send(speaker->client, speaker->out.bytes, speaker->out.len);
}

/* Sends `close` instead of `flush`, because it is answered even if nothing can be said. */
static int talk_voice_send_text(struct speaker *speaker, size_t len, bool is_last)
{
	struct json_write json;
	int err;

	speaker->out.len = 0;
	json_write_open(&json, &speaker->out);
	json_write_string(&json, "text", speaker->part, len);
	if (is_last)
		json_write_bool(&json, "close", true);
	err = json_write_close(&json);
	memmove(speaker->part, speaker->part + len, speaker->part_len - len);
	speaker->part_len -= len;
	return err ? err : ws_client_send(speaker->client, speaker->out.bytes, speaker->out.len);
}

/* The length without an incomplete character at the end. */
static size_t talk_voice_whole_characters(const char *text, size_t len)
{
	for (size_t back = 1; back <= 3 && back <= len; ++back) {
		struct utf8_state state = {0};
		unsigned char c = (unsigned char)text[len - back];

		if (c < 0xc0)
			continue;
		return utf8_check(&state, text + len - back, back) && !utf8_is_complete(&state)
			       ? len - back
			       : len;
	}
	return len;
}

static int talk_voice_read_text(struct speaker *speaker)
{
	ssize_t n = read(STDIN_FILENO, speaker->part + speaker->part_len,
			 sizeof(speaker->part) - speaker->part_len);

	if (n < 0)
		return errno == EINTR ? 0 : errno;
	speaker->part_len += (size_t)n;
	speaker->has_all_text = n == 0;
	return talk_voice_send_text(
		speaker,
		n == 0 ? speaker->part_len
		       : talk_voice_whole_characters(speaker->part, speaker->part_len),
		n == 0);
}

static int talk_voice_take_audio(struct speaker *speaker)
{
	char *bytes;
	size_t len;
	bool is_binary;
	int err;

	while (!(err = ws_client_recv(speaker->client, &bytes, &len, &is_binary, 0)))
		playback_message(speaker->playback, bytes, len);
	return err == ETIMEDOUT ? 0 : err;
}

static int talk_voice_speak(struct speaker *speaker)
{
	int err = 0;

	while (!err && !playback_is_over(speaker->playback)) {
		struct pollfd fds[] = {
			{.fd = ws_client_fd(speaker->client), .events = POLLIN},
			{.fd = speaker->has_all_text ? -1 : STDIN_FILENO, .events = POLLIN},
		};
		int n = poll(fds, 2, speaker->has_all_text ? SILENCE_MS : -1);

		if (n == 0)
			return ETIMEDOUT;
		if (n > 0 && fds[1].revents)
			err = talk_voice_read_text(speaker);
		if (!err && n > 0 && fds[0].revents)
			err = talk_voice_take_audio(speaker);
	}
	return err;
}

/* Errors are sent to the parent, because only it knows where on the screen there is room. */
static int talk_voice_speak_alone(const struct talk_voice_options *options, int trouble_fd)
{
	struct speaker speaker = {0};
	const char *why = speaker.why;
	int err = talk_voice_open_speaker(&speaker, options);

	if (!err && speaker.client)
		err = talk_voice_send_settings(&speaker, options);
	if (!err && speaker.client)
		err = talk_voice_speak(&speaker);
	if (speaker.playback && why[0] == '\0')
		why = playback_end(speaker.playback);
	else if (err && why[0] == '\0')
		why = strerror(err);
	if (why[0] != '\0' && write(trouble_fd, why, strlen(why)) < 0)
		err = errno; /* the parent has exited */
	mem_deref(speaker.client);
	mem_deref(speaker.playback);
	buf_reset(&speaker.out);
	return err;
}

/* The parent */

static void talk_voice_close_end(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void talk_voice_forget(struct talk_voice *voice)
{
	talk_voice_close_end(&voice->fd);
	voice->pid = 0;
}

/* The child has its own process group, which includes the player, because Ctrl-C belongs to the
 * conversation. */
static int talk_voice_begin(struct talk_voice *voice)
{
	int ends[2], trouble[2];
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) != 0)
		return errno;
	if (pipe2(trouble, O_CLOEXEC | O_NONBLOCK) != 0) {
		close(ends[0]);
		close(ends[1]);
		return errno;
	}
	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		setpgid(0, 0);
		signal(SIGINT, SIG_DFL);
		dup2(ends[0], STDIN_FILENO);
		close(ends[0]);
		close(ends[1]);
		_exit(talk_voice_speak_alone(&voice->options, trouble[1]) == 0 ? 0 : 1);
	}
	close(ends[0]);
	close(trouble[1]);
	talk_voice_close_end(&voice->trouble_fd);
	voice->trouble_fd = trouble[0];
	voice->fd = ends[1];
	if (pid < 0) {
		talk_voice_close_end(&voice->trouble_fd);
		talk_voice_forget(voice);
		return EAGAIN;
	}
	setpgid(pid, pid);
	voice->pid = pid;
	return 0;
}

void talk_voice_say(struct talk_voice *voice, const char *text, size_t len)
{
	if (voice->is_mute || (voice->pid == 0 && talk_voice_begin(voice) != 0))
		return;
	while (voice->fd >= 0 && len > 0) {
		ssize_t n = write(voice->fd, text, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) { /* the child could not speak and reports the reason */
			talk_voice_close_end(&voice->fd);
			return;
		}
		text += n;
		len -= (size_t)n;
	}
}

void talk_voice_end(struct talk_voice *voice)
{
	talk_voice_close_end(&voice->fd);
}

bool talk_voice_stop(struct talk_voice *voice)
{
	bool was_speaking;

	if (voice->pid == 0)
		return false;
	was_speaking = waitpid(voice->pid, NULL, WNOHANG) == 0;
	if (was_speaking) {
		kill(-voice->pid, SIGTERM);
		while (waitpid(voice->pid, NULL, 0) < 0 && errno == EINTR)
			;
		talk_voice_close_end(&voice->trouble_fd);
	}
	talk_voice_forget(voice);
	return was_speaking;
}

void talk_voice_wait(struct talk_voice *voice)
{
	talk_voice_end(voice);
	while (voice->pid && waitpid(voice->pid, NULL, 0) < 0 && errno == EINTR)
		;
	talk_voice_forget(voice);
}

int talk_voice_fd(const struct talk_voice *voice)
{
	return voice->trouble_fd;
}

const char *talk_voice_trouble(struct talk_voice *voice)
{
	ssize_t n;

	if (voice->trouble_fd < 0)
		return NULL;
	n = read(voice->trouble_fd, voice->trouble, sizeof(voice->trouble) - 1);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return NULL;
	talk_voice_close_end(&voice->trouble_fd); /* the child writes its error in one piece */
	voice->is_mute = n > 0;
	return n > 0 ? voice->trouble : NULL;
}

static void talk_voice_destroy(void *object)
{
	struct talk_voice *voice = object;

	talk_voice_stop(voice);
	talk_voice_close_end(&voice->trouble_fd);
}

int talk_voice_alloc(struct talk_voice **voicep, const struct talk_voice_options *options)
{
	struct talk_voice *voice = mem_zalloc(sizeof(*voice), talk_voice_destroy);

	if (!voice)
		return ENOMEM;
	voice->options = *options;
	voice->fd = -1;
	voice->trouble_fd = -1;
	signal(SIGPIPE, SIG_IGN); /* the child may have exited */
	*voicep = voice;
	return 0;
}
