/*
 * marks.c: the turns that are running, on the local disk (see marks.h).
 */
#include "account/marks.h"

#include <assert.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "account/disk_record.h"
#include "account/local_file.h"
#include "base/log.h"
#include "base/mem.h"

#define SLOTS_AT 4096 /* after the header's page */
#define FILE_SIZE (SLOTS_AT + (size_t)MARKS_MAX * DISK_RECORD_SIZE)

#define VERSION 1
#define PIECE 64 /* records that are read at once: 16 KiB */

static const char marks_magic[8] = "SYRXMARK";
#define HEADER_SIZE (sizeof(marks_magic) + 16)

struct marks {
	int fd;
	/* The free slots, of which the last is taken next.  Owned by the loop. */
	uint32_t free[MARKS_MAX];
	size_t free_len;
};

static void marks_make_header(uint8_t header[HEADER_SIZE])
{
	memcpy(header, marks_magic, sizeof(marks_magic));
	disk_record_put_number(header + 8, VERSION);
	disk_record_put_number(header + 16, disk_record_checksum(header, 16));
}

static void marks_destroy(void *object)
{
	struct marks *marks = object;

	if (marks->fd >= 0)
		close(marks->fd); /* releases the lock too */
}

int marks_open(struct marks **marksp, const char *path)
{
	struct marks *marks = mem_zalloc(sizeof(*marks), marks_destroy);
	uint8_t header[HEADER_SIZE];
	int err;

	if (!marks)
		return ENOMEM;
	marks->fd = -1;
	/* Low slots are taken first, so that those in use are close together on the disk. */
	while (marks->free_len < MARKS_MAX) {
		marks->free[marks->free_len] = (uint32_t)(MARKS_MAX - 1 - marks->free_len);
		++marks->free_len;
	}
	marks_make_header(header);
	err = local_file_make(&marks->fd, path, FILE_SIZE);
	if (!err)
		err = local_file_write(marks->fd, header, sizeof(header), 0);
	if (!err)
		err = local_file_sync(marks->fd);
	if (err) {
		mem_deref(marks);
		return err;
	}
	*marksp = marks;
	return 0;
}

size_t marks_take(struct marks *marks)
{
	return marks->free_len > 0 ? marks->free[--marks->free_len] : SIZE_MAX;
}

void marks_free(struct marks *marks, size_t slot)
{
	assert(slot < MARKS_MAX && marks->free_len < MARKS_MAX);
	marks->free[marks->free_len++] = (uint32_t)slot;
}

size_t marks_taken(const struct marks *marks)
{
	return MARKS_MAX - marks->free_len;
}

static int marks_write_slot(struct marks *marks, size_t slot, const uint8_t *record)
{
	return local_file_write(marks->fd, record, DISK_RECORD_SIZE,
				SLOTS_AT + slot * DISK_RECORD_SIZE);
}

int marks_write(struct marks *marks, size_t slot, const struct store_turn *turn)
{
	uint8_t record[DISK_RECORD_SIZE];

	disk_record_write(record, slot, turn);
	return marks_write_slot(marks, slot, record);
}

int marks_clear(struct marks *marks, size_t slot)
{
	static const uint8_t zeros[DISK_RECORD_SIZE];

	return marks_write_slot(marks, slot, zeros);
}

int marks_sync(struct marks *marks)
{
	return local_file_sync(marks->fd);
}

/* ENODATA: the header is blank, so the process died before it marked anything.  EBADMSG: the file
 * is damaged. */
static int marks_check_header(const uint8_t header[HEADER_SIZE], size_t size)
{
	static const uint8_t zeros[HEADER_SIZE];
	uint8_t expected[HEADER_SIZE];

	marks_make_header(expected);
	if (memcmp(header, expected, HEADER_SIZE) == 0 && size == FILE_SIZE)
		return 0;
	return memcmp(header, zeros, HEADER_SIZE) == 0 ? ENODATA : EBADMSG;
}

/* Counts damaged records instead of failing. */
static int marks_read_slot(const uint8_t *record, size_t slot, marks_h *each, void *arg,
			   size_t *damaged)
{
	struct store_turn turn;
	uint64_t number = slot;
	int err = disk_record_read(&turn, &number, record);

	if (err == ENOENT)
		return 0;
	if (err || number != slot) {
		++*damaged;
		return 0;
	}
	return each(&turn, arg);
}

static int marks_read_slots(int fd, marks_h *each, void *arg, size_t *damaged)
{
	uint8_t piece[PIECE * DISK_RECORD_SIZE];

	_Static_assert(MARKS_MAX % PIECE == 0, "slots are read in whole pieces");
	for (size_t slot = 0; slot < MARKS_MAX; slot += PIECE) {
		int err = local_file_read(fd, piece, sizeof(piece),
					  SLOTS_AT + slot * DISK_RECORD_SIZE);

		for (size_t i = 0; i < PIECE && !err; ++i)
			err = marks_read_slot(piece + i * DISK_RECORD_SIZE, slot + i, each, arg,
					      damaged);
		if (err)
			return err;
	}
	return 0;
}

/* Sets *damaged to the number of damaged records.  EBADMSG if this is not a file of marks. */
static int marks_read_file(const char *path, marks_h *each, void *arg, size_t *damaged)
{
	uint8_t header[HEADER_SIZE] = {0};
	size_t size;
	int fd;
	int err = local_file_open(&fd, &size, path);

	*damaged = 0;
	if (err)
		return err;
	if (size > 0)
		err = local_file_read(fd, header, sizeof(header), 0);
	if (!err)
		err = marks_check_header(header, size);
	if (!err)
		err = marks_read_slots(fd, each, arg, damaged);
	close(fd);
	return err == ENODATA ? 0 : err;
}

int marks_read(const char *path, marks_h *each, void *arg)
{
	size_t damaged;
	int err = marks_read_file(path, each, arg, &damaged);

	if (!err && damaged > 0)
		err = EBADMSG;
	if (err == EBADMSG)
		log_error("account", "%s is damaged: %zu marks cannot be read", path, damaged);
	return err;
}

int marks_rescue(const char *path, marks_h *each, void *arg)
{
	size_t damaged;
	int err = marks_read_file(path, each, arg, &damaged);

	return err == EBADMSG ? 0 : err;
}
