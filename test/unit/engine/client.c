/*
 * client.c: the server's end of the worker protocol (see client.h).
 */
#include "client.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "workers/confine.h"

static bool confined;

void client_confine(void)
{
	confined = true;
}

static void client_run(char *const argv[])
{
	/* A script's interpreter is the program, and the script its argument. */
	const struct confine_request request = {
		.memory_mb = 512, .program = argv[0], .paths = argv[1]};

	if (!confined || confine_outer(&request, NULL) == 0)
		execvp(argv[0], argv);
	_exit(127);
}

void client_start(struct client *client, char *const argv[])
{
	int fds[2];

	memset(client, 0, sizeof(*client));
	buf_init(&client->in, 1u << 22);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
	client->pid = fork();
	assert_true(client->pid >= 0);
	if (client->pid == 0) {
		if (fds[1] == 3)
			fcntl(3, F_SETFD, 0);
		else
			dup2(fds[1], 3);
		client_run(argv);
	}
	close(fds[1]);
	client->fd = fds[0];
}

void client_send_bytes(struct client *client, const void *bytes, size_t n)
{
	assert_int_equal(send(client->fd, bytes, n, MSG_NOSIGNAL), n);
}

void client_send(struct client *client, const struct message *message)
{
	struct buf buf;

	buf_init(&buf, MESSAGE_HEADER_LEN + MESSAGE_PAYLOAD_MAX);
	assert_int_equal(message_encode(&buf, message), 0);
	client_send_bytes(client, buf.bytes, buf.len);
	buf_reset(&buf);
}

struct message client_speak(uint32_t job, const char *voice, const char *text)
{
	return (struct message){
		.type = MESSAGE_SPEAK,
		.job = job,
		.speak =
			{
				.voice = message_str_of(voice),
				.language = message_str_of("en"),
				.text = message_str_of(text),
				.text_before = message_str_of(""),
				.turn = 0,
				.credit_samples = UINT32_MAX,
				.speed = 1,
				.temperature = 0.4f,
				.want_words = true,
			},
	};
}

/* False at the end of the stream. */
static bool client_receive(struct client *client)
{
	struct pollfd poll_fd = {.fd = client->fd, .events = POLLIN};
	ssize_t n;

	assert_int_equal(buf_reserve(&client->in, 65536), 0);
	assert_int_equal(poll(&poll_fd, 1, CLIENT_TIMEOUT_MS), 1);
	n = recv(client->fd, client->in.bytes + client->in.len, 65536, 0);
	if (n < 0 && errno == ECONNRESET)
		return false;
	assert_true(n >= 0);
	client->in.len += (size_t)n;
	return n > 0;
}

/* The message that is there, whole; what an engine says of samples that wait is
 * counted and passed over: it may always say that. */
static bool client_decode(struct client *client, struct message *message)
{
	size_t used = 0;
	int err;

	for (;;) {
		buf_consume(&client->in, client->in_used);
		client->in_used = 0;
		err = message_decode(message, &used, client->in.bytes, client->in.len);
		if (err == EAGAIN)
			return false;
		assert_int_equal(err, 0);
		client->in_used = used;
		if (message->type != MESSAGE_MADE)
			return true;
		client->made_samples = message->made_samples;
	}
}

bool client_is_silent(struct client *client, int ms)
{
	struct pollfd poll_fd = {.fd = client->fd, .events = POLLIN};
	struct message message;
	bool silent = !client_decode(client, &message);

	while (silent && poll(&poll_fd, 1, ms) > 0)
		silent = client_receive(client) && !client_decode(client, &message);
	return silent && client->in.len == client->in_used;
}

bool client_next(struct client *client, struct message *message)
{
	while (!client_decode(client, message))
		if (!client_receive(client))
			return false;
	return true;
}

static void client_copy_str(char *to, size_t size, const struct message_str *str)
{
	assert_true(str->len < size);
	memcpy(to, str->bytes, str->len);
	to[str->len] = '\0';
}

static void client_take_voice(struct client *client, const struct message_voice *voice)
{
	struct client_voice *mine = &client->voices[client->voice_count++];

	assert_true(client->voice_count <= CLIENT_VOICES_MAX);
	client_copy_str(mine->name, sizeof(mine->name), &voice->name);
	client_copy_str(mine->language, sizeof(mine->language), &voice->language);
	client_copy_str(mine->title, sizeof(mine->title), &voice->title);
	client_copy_str(mine->licence, sizeof(mine->licence), &voice->licence);
	mine->sample_rate = voice->sample_rate;
}

static void client_take_model(struct client *client, const struct message_model *model)
{
	struct client_model *mine = &client->models[client->model_count++];

	assert_true(client->model_count <= CLIENT_MODELS_MAX);
	client_copy_str(mine->name, sizeof(mine->name), &model->name);
	mine->capabilities = model->capabilities;
	mine->piece_max = model->piece_max;
}

void client_greet(struct client *client)
{
	const struct message hello = {.type = MESSAGE_HELLO,
				      .hello = {MESSAGE_VERSION, MESSAGE_VERSION}};
	struct message message;

	client->voices = calloc(CLIENT_VOICES_MAX, sizeof(client->voices[0]));
	assert_non_null(client->voices);
	client_send(client, &hello);
	for (;;) {
		assert_true(client_next(client, &message));
		if (message.type == MESSAGE_READY)
			break;
		if (message.type == MESSAGE_NOTE) {
			client_copy_str(client->note, sizeof(client->note), &message.note.text);
			++client->note_count;
			continue;
		}
		if (message.type == MESSAGE_MODEL) {
			client_take_model(client, &message.model);
			continue;
		}
		assert_int_equal(message.type, MESSAGE_VOICE);
		client_take_voice(client, &message.voice);
	}
	assert_int_equal(message.ready.version, MESSAGE_VERSION);
	client->jobs_max = message.ready.jobs_max;
	client->capabilities = message.ready.capabilities;
	client_copy_str(client->engine, sizeof(client->engine), &message.ready.engine);
}

/* The worker's end of the socket goes with it, so the end of the stream is
 * waited for first, with the time limit that waitpid lacks. */
int client_wait(struct client *client)
{
	struct message message;
	int status = 0;

	while (client_next(client, &message))
		;
	assert_int_equal(waitpid(client->pid, &status, 0), client->pid);
	close(client->fd);
	buf_reset(&client->in);
	free(client->voices);
	return status;
}

int client_end(struct client *client)
{
	assert_int_equal(shutdown(client->fd, SHUT_WR), 0);
	return client_wait(client);
}

const struct client_voice *client_voice_of(const struct client *client, const char *language)
{
	for (size_t i = 0; i < client->voice_count; ++i)
		if (strcmp(client->voices[i].language, language) == 0)
			return &client->voices[i];
	return &client->voices[0];
}

static void client_take_audio(struct client_job *job, const struct message_audio *audio)
{
	int16_t *samples = realloc(job->samples, (job->count + audio->count + 1) * 2);

	assert_non_null(samples);
	if (job->count > 0)
		assert_int_equal(audio->sample_rate, job->sample_rate);
	job->sample_rate = audio->sample_rate;
	memcpy(samples + job->count, audio->samples, audio->count * 2);
	job->samples = samples;
	job->count += audio->count;
}

static void client_take_word(struct client_job *job, const struct message_word *word)
{
	if (!job->words)
		job->words = calloc(CLIENT_WORDS_MAX, sizeof(job->words[0]));
	assert_non_null(job->words);
	assert_true(job->word_count < CLIENT_WORDS_MAX);
	job->words[job->word_count++] = *word;
}

static void client_take_done(struct client_job *job, const struct message_done_report *done)
{
	job->is_done = true;
	job->done = *done;
	job->done.detail = (struct message_str){0};
}

struct client_job *client_read_any(struct client *client, struct client_job *jobs,
				   uint32_t first_id, size_t n)
{
	struct message message;
	struct client_job *job;

	assert_true(client_next(client, &message));
	assert_in_range(message.job, first_id, first_id + n - 1);
	job = &jobs[message.job - first_id];
	assert_false(job->is_done);
	if (message.type == MESSAGE_AUDIO)
		client_take_audio(job, &message.audio);
	else if (message.type == MESSAGE_WORD)
		client_take_word(job, &message.word);
	else if (message.type == MESSAGE_DONE)
		client_take_done(job, &message.done);
	else
		fail_msg("message of type %u", message.type);
	return job;
}

void client_read_all(struct client *client, struct client_job *jobs, uint32_t first_id, size_t n)
{
	size_t done = 0;

	for (size_t i = 0; i < n; ++i)
		done += jobs[i].is_done;
	while (done < n)
		done += client_read_any(client, jobs, first_id, n)->is_done;
}

void client_read_job(struct client *client, struct client_job *job, uint32_t id, size_t until)
{
	job->is_done = false;
	while (!job->is_done && job->count < until)
		client_read_any(client, job, id, 1);
}

void client_job_reset(struct client_job *job)
{
	free(job->samples);
	free(job->words);
	memset(job, 0, sizeof(*job));
}

void client_skip(const char *reason)
{
	print_message("skipped: %s\n", reason);
	skip();
}
