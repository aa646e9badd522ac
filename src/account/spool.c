/*
 * spool.c: rows of the ledger on the local disk (see spool.h).
 */
#include "account/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "account/disk_record.h"
#include "account/local_file.h"
#include "base/log.h"
#include "base/mem.h"

/* Rows begin after one page.  Each copy of the header is in a sector of its own, so that a torn
 * write damages only one of them. */
#define ROWS_AT 4096
#define COPY_STEP 512
#define COPIES 2

#define VERSION 1
#define ROWS_MAX ((size_t)1 << 32) /* a larger file was not written by this program */
#define PIECE 64 /* records that are written and read at once: 16 KiB */

static const char spool_magic[8] = "SYRXROWS";

/* The numbers of the header, which follow the magic: eight bytes each, little-endian.  A checksum
 * follows them. */
enum { NUMBER_VERSION, NUMBER_CAPACITY, NUMBER_HEAD, NUMBER_TAIL, NUMBER_GENERATION, NUMBERS };
#define HEADER_SIZE (sizeof(spool_magic) + (NUMBERS + 1) * 8)

struct spool {
	int fd;
	uint64_t capacity;
	uint64_t head, tail; /* the number of the oldest row, and of the next row to be written */
	uint64_t generation; /* of the header that was written last */
	uint8_t piece[PIECE * DISK_RECORD_SIZE];
};

static int spool_write_header(struct spool *spool, uint64_t head, uint64_t tail)
{
	const uint64_t numbers[NUMBERS] = {VERSION, spool->capacity, head, tail,
					   spool->generation + 1};
	uint8_t bytes[HEADER_SIZE];
	size_t len = sizeof(spool_magic);
	int err;

	memcpy(bytes, spool_magic, sizeof(spool_magic));
	for (int i = 0; i < NUMBERS; ++i, len += 8)
		disk_record_put_number(bytes + len, numbers[i]);
	disk_record_put_number(bytes + len, disk_record_checksum(bytes, len));
	err = local_file_write(spool->fd, bytes, sizeof(bytes),
			       (spool->generation + 1) % COPIES * COPY_STEP);
	if (!err)
		err = local_file_sync(spool->fd);
	if (err)
		return err;
	++spool->generation;
	spool->head = head;
	spool->tail = tail;
	return 0;
}

/* Uses a copy of the header if it is intact and newer than what was read before. */
static void spool_read_copy(struct spool *spool, const uint8_t *bytes)
{
	uint64_t numbers[NUMBERS];

	if (memcmp(bytes, spool_magic, sizeof(spool_magic)) != 0 ||
	    disk_record_number(bytes + HEADER_SIZE - 8) !=
		    disk_record_checksum(bytes, HEADER_SIZE - 8))
		return;
	for (size_t i = 0; i < NUMBERS; ++i)
		numbers[i] = disk_record_number(bytes + sizeof(spool_magic) + i * 8);
	if (numbers[NUMBER_VERSION] != VERSION || numbers[NUMBER_GENERATION] <= spool->generation)
		return;
	spool->capacity = numbers[NUMBER_CAPACITY];
	spool->head = numbers[NUMBER_HEAD];
	spool->tail = numbers[NUMBER_TAIL];
	spool->generation = numbers[NUMBER_GENERATION];
}

static bool spool_is_sound(const struct spool *spool, size_t size)
{
	return spool->generation > 0 && spool->capacity > 0 && spool->capacity <= ROWS_MAX &&
	       size == ROWS_AT + spool->capacity * DISK_RECORD_SIZE && spool->head <= spool->tail &&
	       spool->tail - spool->head <= spool->capacity;
}

/* How many records from `number` on can be read or written at once: at most a piece, and not beyond
 * the end of the file, where the ring wraps around. */
static size_t spool_piece_len(const struct spool *spool, uint64_t number, size_t wanted)
{
	uint64_t to_end = spool->capacity - number % spool->capacity;

	if (wanted > PIECE)
		wanted = PIECE;
	return wanted < to_end ? wanted : (size_t)to_end;
}

static size_t spool_place_of(const struct spool *spool, uint64_t number)
{
	return ROWS_AT + (size_t)(number % spool->capacity) * DISK_RECORD_SIZE;
}

/* If `turns` is NULL, the rows are only checked. */
static int spool_read_rows(struct spool *spool, uint64_t from, size_t count,
			   struct store_turn *turns)
{
	struct store_turn turn;
	uint64_t number;
	size_t done = 0;

	while (done < count) {
		size_t n = spool_piece_len(spool, from + done, count - done);
		int err = local_file_read(spool->fd, spool->piece, n * DISK_RECORD_SIZE,
					  spool_place_of(spool, from + done));

		for (size_t i = 0; i < n && !err; ++i) {
			if (disk_record_read(&turn, &number, spool->piece + i * DISK_RECORD_SIZE) ||
			    number != from + done + i)
				err = EBADMSG;
			else if (turns)
				turns[done + i] = turn;
		}
		if (err)
			return err;
		done += n;
	}
	return 0;
}

static int spool_write_rows(struct spool *spool, const struct store_turn *turns, size_t count)
{
	size_t done = 0;

	while (done < count) {
		size_t n = spool_piece_len(spool, spool->tail + done, count - done);
		int err;

		for (size_t i = 0; i < n; ++i)
			disk_record_write(spool->piece + i * DISK_RECORD_SIZE,
					  spool->tail + done + i, &turns[done + i]);
		err = local_file_write(spool->fd, spool->piece, n * DISK_RECORD_SIZE,
				       spool_place_of(spool, spool->tail + done));
		if (err)
			return err;
		done += n;
	}
	return 0;
}

/* Checks that a file without a header is blank: then the process died before it added a row.
 * EBADMSG otherwise. */
static int spool_check_never_begun(struct spool *spool, size_t size)
{
	static const uint8_t zeros[sizeof(spool->piece)];

	for (size_t at = 0; at < size;) {
		size_t n = size - at < sizeof(spool->piece) ? size - at : sizeof(spool->piece);
		int err = local_file_read(spool->fd, spool->piece, n, at);

		if (err)
			return err;
		if (memcmp(spool->piece, zeros, n) != 0)
			return EBADMSG;
		at += n;
	}
	return 0;
}

static int spool_read_file(struct spool *spool, size_t size)
{
	uint8_t copies[COPIES * COPY_STEP];
	int err;

	if (size < ROWS_AT)
		return spool_check_never_begun(spool, size);
	err = local_file_read(spool->fd, copies, sizeof(copies), 0);
	for (int i = 0; i < COPIES && !err; ++i)
		spool_read_copy(spool, copies + (size_t)i * COPY_STEP);
	if (err)
		return err;
	if (spool->generation == 0)
		return spool_check_never_begun(spool, size);
	if (!spool_is_sound(spool, size))
		return EBADMSG;
	return spool_read_rows(spool, spool->head, spool_count(spool), NULL);
}

static void spool_destroy(void *object)
{
	struct spool *spool = object;

	if (spool->fd >= 0)
		close(spool->fd); /* releases the lock too */
}

int spool_open(struct spool **spoolp, const char *path, size_t rows)
{
	struct spool *spool = mem_zalloc(sizeof(*spool), spool_destroy);
	size_t size = 0;
	int err;

	if (!spool)
		return ENOMEM;
	spool->fd = -1;
	err = local_file_open(&spool->fd, &size, path);
	if (!err) {
		err = spool_read_file(spool, size);
		if (err)
			log_error("account", "%s is damaged: %s", path, strerror(err));
	} else if (err == ENOENT && rows > 0) {
		spool->capacity = rows;
		err = local_file_make(&spool->fd, path, ROWS_AT + rows * DISK_RECORD_SIZE);
		if (!err)
			err = spool_write_header(spool, 0, 0);
	}
	if (err) {
		mem_deref(spool);
		return err;
	}
	*spoolp = spool;
	return 0;
}

int spool_put(struct spool *spool, const struct store_turn *turns, size_t count)
{
	int err;

	if (count > spool_room(spool))
		return ENOSPC;
	err = spool_write_rows(spool, turns, count);
	return err ? err : spool_write_header(spool, spool->head, spool->tail + count);
}

int spool_peek(struct spool *spool, struct store_turn *turns, size_t max, size_t *count)
{
	size_t n = spool_count(spool) < max ? spool_count(spool) : max;
	int err = spool_read_rows(spool, spool->head, n, turns);

	if (!err)
		*count = n;
	return err;
}

/* The new header is made durable at once, because the rows may be overwritten after this. */
int spool_remove(struct spool *spool, size_t count)
{
	return spool_write_header(spool, spool->head + count, spool->tail);
}

size_t spool_count(const struct spool *spool)
{
	return (size_t)(spool->tail - spool->head);
}

size_t spool_room(const struct spool *spool)
{
	return (size_t)(spool->capacity - (spool->tail - spool->head));
}

/* Calls `each` for every intact row in the file, whatever the header says. */
static int spool_read_intact(int fd, size_t size, spool_h *each, void *arg)
{
	uint8_t record[DISK_RECORD_SIZE];
	struct store_turn turn;
	uint64_t number;
	int err = 0;

	for (size_t at = ROWS_AT; at + DISK_RECORD_SIZE <= size && !err; at += DISK_RECORD_SIZE) {
		err = local_file_read(fd, record, sizeof(record), at);
		if (!err && disk_record_read(&turn, &number, record) == 0)
			err = each(&turn, arg);
	}
	return err;
}

int spool_rescue(const char *path, spool_h *each, void *arg)
{
	size_t size;
	int fd;
	int err = local_file_open(&fd, &size, path);

	if (err)
		return err;
	err = spool_read_intact(fd, size, each, arg);
	close(fd);
	return err;
}

int spool_look(const char *path, spool_h *each, void *arg)
{
	struct stat status;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	int err = EBADMSG;

	if (fd < 0)
		return errno;
	if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode))
		err = spool_read_intact(fd, (size_t)status.st_size, each, arg);
	close(fd);
	return err;
}
