/*
 * record.c: what an engine said of itself when the server last ran.
 *
 * One file per engine, with its greeting in the worker protocol's own encoding: a VOICE message
 * for each voice, then READY.  With it a server that starts knows every voice before the engine,
 * which may load models for seconds, has said anything.  A record that cannot be read is as good
 * as none, so a damaged one is replaced by the next greeting.
 *
 * The files are a few kilobytes and written when an engine's voices have changed since the last
 * run, so the event loop writes them itself and does not wait for the disk.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "speech/pool_private.h"

/* An engine with the most voices that a greeting may have stays below it. */
#define RECORD_MAX (4u * 1024 * 1024)

#define RECORD_PATH_SIZE 4096

static int record_path(char path[RECORD_PATH_SIZE], const char *dir, const char *engine,
		       const char *suffix)
{
	int n = snprintf(path, RECORD_PATH_SIZE, "%s/%s%s", dir, engine, suffix);

	return n < RECORD_PATH_SIZE ? 0 : ENAMETOOLONG;
}

static int record_read_file(struct buf *bytes, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct stat status;
	ssize_t n = -1;
	int err;

	if (fd < 0)
		return errno;
	if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size > RECORD_MAX)
		err = EINVAL;
	else
		err = buf_reserve(bytes, (size_t)status.st_size);
	if (!err) {
		n = read(fd, bytes->bytes, (size_t)status.st_size);
		err = n < 0 ? errno : 0;
	}
	close(fd);
	bytes->len = n > 0 ? (size_t)n : 0;
	return err;
}

/* A message that is neither a voice nor READY is of a later version: it is ignored. */
static int record_decode(struct greeting *greeting, struct message_ready *ready, const char *engine,
			 const struct buf *bytes)
{
	struct message message;
	size_t at = 0;
	size_t used;
	int err = 0;

	while (!err && at < bytes->len) {
		err = message_decode(&message, &used, bytes->bytes + at, bytes->len - at);
		if (err)
			break;
		at += used;
		if (message.type == MESSAGE_VOICE)
			err = greeting_add_voice(greeting, engine, &message.voice);
		if (message.type != MESSAGE_READY)
			continue;
		*ready = message.ready;
		ready->engine = message_str_of("");
		greeting_set_features(greeting, ready->capabilities);
		return 0;
	}
	return err ? err : EPROTO;
}

int record_load(struct greeting *greeting, struct message_ready *ready, const char *dir,
		const char *engine)
{
	char path[RECORD_PATH_SIZE];
	struct buf bytes;
	int err = record_path(path, dir, engine, "");

	*greeting = (struct greeting){0};
	buf_init(&bytes, RECORD_MAX);
	if (!err)
		err = record_read_file(&bytes, path);
	if (!err)
		err = record_decode(greeting, ready, engine, &bytes);
	buf_reset(&bytes);
	if (err)
		greeting_reset(greeting);
	return err;
}

int record_encode(struct buf *record, const struct greeting *greeting,
		  const struct message_ready *ready)
{
	struct message last = {.type = MESSAGE_READY, .ready = *ready};
	int err = 0;

	buf_reset(record);
	buf_init(record, RECORD_MAX);
	for (size_t i = 0; i < greeting->voice_count && !err; ++i) {
		const struct voice *voice = &greeting->voices[i];
		const struct message message = {
			.type = MESSAGE_VOICE,
			.voice = {.name = message_str_of(voice->engine_voice),
				  .language = message_str_of(voice->language),
				  .title = message_str_of(voice->name),
				  .sample_rate = voice->sample_rate,
				  .sex = (uint8_t)voice->sex,
				  .quality = (uint8_t)voice->quality,
				  .licence = message_str_of(voice->licence)},
		};

		err = message_encode(record, &message);
	}
	return err ? err : message_encode(record, &last);
}

static bool record_is_current(const char *path, const struct buf *record)
{
	struct buf bytes;
	bool is_current;

	buf_init(&bytes, RECORD_MAX);
	is_current = record_read_file(&bytes, path) == 0 && bytes.len == record->len &&
		     memcmp(bytes.bytes, record->bytes, record->len) == 0;
	buf_reset(&bytes);
	return is_current;
}

static int record_write_file(const char *path, const struct buf *record)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	ssize_t n;

	if (fd < 0)
		return errno;
	n = write(fd, record->bytes, record->len);
	close(fd);
	return n == (ssize_t)record->len ? 0 : EIO;
}

int record_save(const char *dir, const char *engine, const struct buf *record)
{
	char path[RECORD_PATH_SIZE];
	char draft[RECORD_PATH_SIZE];
	int err = record_path(path, dir, engine, "");

	if (!err)
		err = record_path(draft, dir, engine, ".new");
	if (err || record_is_current(path, record))
		return err;
	if (mkdir(dir, 0700) != 0 && errno != EEXIST)
		return errno;
	err = record_write_file(draft, record);
	if (!err && rename(draft, path) != 0)
		err = errno;
	if (err)
		unlink(draft);
	return err;
}

void record_remove(const char *dir, const char *engine)
{
	char path[RECORD_PATH_SIZE];

	if (record_path(path, dir, engine, "") == 0)
		unlink(path);
}
