/*
 * decode.c: the program syrinx-decode: the bytes of a file in, samples out.
 *
 *     syrinx-decode [--fd N] [--cpu-seconds N] [--memory-mb N]
 *
 * It decodes one file after another, on one thread:
 *
 *     DECODE, BYTES … FINISH      the file is collected in memory, as it arrives
 *     AUDIO … DONE                it is decoded, no faster than there is credit
 *
 * Decoding begins with FINISH, because decoders read their files from both ends. A file is received
 * whether there is credit or not, so whoever uploads it never waits for those who listen to it.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "base/clock.h"
#include "base/mem.h"
#include "engine/connection.h"
#include "engine/decode/audio_file.h"
#include "engine/decode/farewell.h"
#include "engine/program.h"

#define DECODE_NAME "decode"

/* Bytes that the server may have sent and that have not been read. */
#define ROOM_MAX (256u << 10)
/* More room is granted when at least this much was used. */
#define ROOM_STEP (64u << 10)

/* Samples in one AUDIO: a quarter of a second, so that a cancel never waits for long. */
#define AUDIO_MAX 4096u

#define FORMAT_MAX 32

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "samples are sent as they are");

struct decode_job {
	uint32_t id; /* 0: there is no job */
	char format[FORMAT_MAX];
	unsigned char
		*bytes; /* room for the longest file, of which the kernel provides what is used */
	size_t len;
	size_t room; /* bytes that the server may send now */
	size_t granted; /* in all */
	uint64_t credit;
	uint64_t sent; /* samples */
	uint64_t busy_us;
	bool is_finished; /* the file is complete */
	bool is_cancelled;
	struct audio_file *file;
	const int16_t *samples; /* decoded, and waiting for credit */
	size_t count;
};

struct decode {
	const struct program *program;
	struct connection connection;
	bool is_greeted;
	struct decode_job job;
};

static void decode_end_job(struct decode_job *job)
{
	mem_deref(job->file);
	if (job->bytes)
		munmap(job->bytes, MESSAGE_FILE_MAX);
	*job = (struct decode_job){0};
}

static int decode_put(struct decode *decode, struct message *message)
{
	message->job = decode->job.id;
	return message_encode(&decode->connection.out, message);
}

static int decode_grant_room(struct decode *decode)
{
	struct decode_job *job = &decode->job;
	size_t more = ROOM_MAX - job->room;
	struct message message = {.type = MESSAGE_ROOM};

	if (more > MESSAGE_FILE_MAX - job->granted)
		more = MESSAGE_FILE_MAX - job->granted;
	/* The last step may be a short one. */
	if (more == 0 || (more < ROOM_STEP && more < MESSAGE_FILE_MAX - job->granted))
		return 0;
	job->room += more;
	job->granted += more;
	message.room = (uint32_t)more;
	return decode_put(decode, &message);
}

static int decode_done(struct decode *decode, enum message_done status, const char *detail)
{
	struct decode_job *job = &decode->job;
	struct message message = {
		.type = MESSAGE_DONE,
		.done =
			{
				.status = status,
				.busy_us = job->busy_us < UINT32_MAX ? (uint32_t)job->busy_us
								     : UINT32_MAX,
				.samples = job->sent,
				.detail = message_str_of(detail),
			},
	};
	int err = decode_put(decode, &message);

	decode_end_job(job);
	return err ? err : program_limit_cpu(0);
}

static int decode_on_hello(struct decode *decode, const struct message_hello *hello)
{
	const struct message ready = {
		.type = MESSAGE_READY,
		.ready = {.version = MESSAGE_VERSION,
			  .jobs_max = 1,
			  .capabilities = MESSAGE_DECODES,
			  .engine = message_str_of(DECODE_NAME)},
	};

	if (decode->is_greeted || hello->version_min > MESSAGE_VERSION ||
	    hello->version_max < MESSAGE_VERSION)
		return EPROTO;
	decode->is_greeted = true;
	return message_encode(&decode->connection.out, &ready);
}

/* A name that is too long is no format: it is cut, and is none then either. */
static void decode_set_format(struct decode_job *job, const struct message_str *format)
{
	message_str_copy(job->format, sizeof(job->format), format);
}

static int decode_on_decode(struct decode *decode, const struct message *message)
{
	struct decode_job *job = &decode->job;
	void *bytes;

	if (message->job == 0 || job->id != 0)
		return EPROTO;
	bytes = mmap(NULL, MESSAGE_FILE_MAX, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		     -1, 0);
	if (bytes == MAP_FAILED)
		return ENOMEM;
	job->bytes = bytes;
	job->id = message->job;
	job->credit = message->decode.credit_samples;
	decode_set_format(job, &message->decode.format);
	return decode_grant_room(decode);
}

static int decode_on_bytes(struct decode *decode, const struct message_bytes *bytes)
{
	struct decode_job *job = &decode->job;

	if (bytes->len > job->room || job->is_finished)
		return EPROTO;
	memcpy(job->bytes + job->len, bytes->bytes, bytes->len);
	job->len += bytes->len;
	job->room -= bytes->len;
	return decode_grant_room(decode);
}

/* Messages about a job that has ended are ignored: the server sent them before it read DONE. */
static int decode_on_message(const struct message *message, void *arg)
{
	struct decode *decode = arg;
	struct decode_job *job = &decode->job;

	if (message->type == MESSAGE_HELLO)
		return decode_on_hello(decode, &message->hello);
	if (!decode->is_greeted)
		return EPROTO;
	if (message->type == MESSAGE_DECODE)
		return decode_on_decode(decode, message);
	if (job->id == 0 || message->job != job->id)
		return 0;
	if (message->type == MESSAGE_BYTES)
		return decode_on_bytes(decode, &message->bytes);
	if (message->type == MESSAGE_CREDIT)
		job->credit += message->credit_samples;
	if (message->type == MESSAGE_CANCEL)
		job->is_cancelled = true;
	if (message->type == MESSAGE_FINISH) {
		job->is_finished = true;
		if (message->finish_format.len > 0)
			decode_set_format(job, &message->finish_format);
	}
	return 0; /* message types of later versions are ignored */
}

/* Decodes more samples; the job ends if there are none. */
static int decode_make_samples(struct decode *decode)
{
	struct decode_job *job = &decode->job;
	uint64_t begun_us = clock_thread_cpu_us();
	char why[AUDIO_FILE_WHY_MAX] = "";
	int err = 0;

	farewell_arm(job->sent);
	if (!job->file)
		err = audio_file_open(&job->file, why, job->bytes, job->len, job->format);
	if (!err)
		err = audio_file_read(job->file, why, &job->samples, &job->count);
	farewell_disarm();
	job->busy_us += clock_thread_cpu_us() - begun_us;
	if (!err && job->count > 0)
		return 0;
	if (!err)
		return decode_done(decode, MESSAGE_DONE_OK, why);
	if (err == ENOMEM)
		snprintf(why, sizeof(why), "decoding the file takes too much memory");
	return decode_done(decode,
			   err == ENOTSUP ? MESSAGE_DONE_UNKNOWN_VOICE : MESSAGE_DONE_FAILED, why);
}

static int decode_send_samples(struct decode *decode)
{
	struct decode_job *job = &decode->job;
	struct message message = {.type = MESSAGE_AUDIO};
	size_t n = job->count < AUDIO_MAX ? job->count : AUDIO_MAX;
	int err;

	if (n > job->credit)
		n = (size_t)job->credit;
	message.audio = (struct message_audio){
		.busy_us = job->busy_us < UINT32_MAX ? (uint32_t)job->busy_us : UINT32_MAX,
		.sample_rate = MESSAGE_HEARING_RATE,
		.samples = (const unsigned char *)job->samples,
		.count = n,
	};
	err = decode_put(decode, &message);
	job->samples += n;
	job->count -= n;
	job->sent += n;
	job->credit -= n;
	return err ? err : program_limit_cpu(decode->program->cpu_seconds); /* from here on */
}

/* Whether the job can go on now. What the server does not read must not pile up here, and samples are
 * decoded only when all messages have been sent (farewell.h). */
static bool decode_can_work(const struct decode *decode)
{
	const struct decode_job *job = &decode->job;

	return job->id != 0 &&
	       (job->is_cancelled || (job->is_finished && decode->connection.out.len == 0 &&
				      (job->count == 0 || job->credit > 0)));
}

static int decode_work(struct decode *decode)
{
	struct decode_job *job = &decode->job;
	int err;

	if (job->is_cancelled)
		return decode_done(decode, MESSAGE_DONE_CANCELLED, "");
	if (job->count > 0)
		return decode_send_samples(decode);
	err = job->file ? 0 : farewell_prepare(job->id);
	if (!err && !job->file)
		err = program_limit_cpu(decode->program->cpu_seconds);
	return err ? err : decode_make_samples(decode);
}

static int decode_serve(struct decode *decode)
{
	struct connection *connection = &decode->connection;
	int err = 0;

	while (!err && !connection->closed) {
		if (decode_can_work(decode))
			err = connection_read(connection);
		else
			err = connection_wait(connection, connection->out.len > 0, -1);
		if (!err)
			err = connection_take(connection, decode_on_message, decode);
		if (!err && decode_can_work(decode))
			err = decode_work(decode);
		if (!err)
			err = connection_send(connection);
	}
	return err == EPIPE || err == ECONNRESET ? 0 : err;
}

static ssize_t decode_drop(void *cookie, const char *bytes, size_t n)
{
	(void)cookie;
	(void)bytes;
	return (ssize_t)n;
}

/* libmpg123 prints what it thinks of a file, which belongs to a customer and not into the operator's
 * log. Our own log writes to the descriptor. */
static int decode_silence_libraries(void)
{
	FILE *nowhere = fopencookie(NULL, "w", (cookie_io_functions_t){.write = decode_drop});

	if (!nowhere)
		return ENOMEM;
	stderr = nowhere;
	return 0;
}

int main(int argc, char **argv)
{
	/* 20 s of CPU time without a sample: a hundred times what the longest tag or index takes.
	 * 512 MB: the file, and ten times what decoders take. */
	struct program program = {
		.name = DECODE_NAME, .fd = 3, .cpu_seconds = 20, .request = {.memory_mb = 512}};
	struct decode decode = {.program = &program};
	int err;

	if (program_init(&program, argc, argv) != 0)
		return 2;
	connection_init(&decode.connection, program.fd);
	err = program_confine(&program);
	if (!err)
		err = decode_silence_libraries();
	if (!err)
		err = farewell_install(program.fd);
	if (!err)
		err = confine_engine();
	if (!err)
		err = decode_serve(&decode);
	program_leave(DECODE_NAME, err);
}
