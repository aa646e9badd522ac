/*
 * fuzz_spool.c: only intact records are read from a file of rows or marks, whatever it contains.
 *
 * The first byte chooses the kind of file.  The others overwrite parts of a valid file with a few
 * rows: two bytes are a position, one is a length, then come that many bytes (length 0: the file is
 * truncated there).  A spool that can be opened gives as many rows as it says, accepts more, and
 * returns them.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "account/disk_record.h"
#include "account/marks.h"
#include "account/spool.h"
#include "base/log.h"
#include "base/mem.h"

#define ROWS 8

#define MUST(condition)                                                                            \
	do {                                                                                       \
		if (!(condition))                                                                  \
			abort();                                                                   \
	} while (0)

static char path[64];

static struct store_turn turn_of(size_t number)
{
	struct store_turn turn = {.key_id = 1, .samples = number, .sample_rate = 24000};

	snprintf(turn.id, sizeof(turn.id), "turn-%zu", number);
	return turn;
}

static int check_turn(const struct store_turn *turn, void *arg)
{
	(void)arg;
	MUST(turn->id[0] != '\0' && strlen(turn->id) <= STORE_TURN_ID_MAX);
	MUST(strlen(turn->server) <= STORE_SERVER_ID_LEN);
	MUST(strlen(turn->model_id) < sizeof(turn->model_id));
	MUST(turn->status <= STORE_TURN_LOST);
	return 0;
}

static void make_spool(void)
{
	struct spool *spool;

	MUST(spool_open(&spool, path, ROWS) == 0);
	for (size_t i = 0; i < ROWS - 2; ++i) {
		struct store_turn turn = turn_of(i);

		MUST(spool_put(spool, &turn, 1) == 0);
	}
	MUST(spool_remove(spool, 2) == 0);
	mem_deref(spool);
}

static void make_marks(void)
{
	struct marks *marks;

	MUST(marks_open(&marks, path) == 0);
	for (size_t i = 0; i < ROWS; ++i) {
		struct store_turn turn = turn_of(i);

		MUST(marks_write(marks, marks_take(marks), &turn) == 0);
	}
	mem_deref(marks);
}

static void spoil(const uint8_t *data, size_t size)
{
	FILE *file = fopen(path, "r+");

	MUST(file);
	while (size >= 3) {
		size_t at = data[0] | (size_t)data[1] << 8;
		size_t len = data[2] < size - 3 ? data[2] : size - 3;

		data += 3;
		size -= 3;
		if (len == 0) {
			fflush(file);
			MUST(ftruncate(fileno(file), (off_t)at) == 0);
		}
		fseek(file, (long)at, SEEK_SET);
		MUST(fwrite(data, 1, len, file) == len);
		data += len;
		size -= len;
	}
	fclose(file);
}

/* Compares turns as they are written, because the padding of a struct may contain anything. */
static bool is_same(const struct store_turn *a, const struct store_turn *b)
{
	uint8_t record_a[DISK_RECORD_SIZE];
	uint8_t record_b[DISK_RECORD_SIZE];

	disk_record_write(record_a, 0, a);
	disk_record_write(record_b, 0, b);
	return memcmp(record_a, record_b, sizeof(record_a)) == 0;
}

static void read_spool(void)
{
	struct store_turn turns[ROWS];
	struct spool *spool;
	size_t count;

	MUST(spool_rescue(path, check_turn, NULL) == 0);
	if (spool_open(&spool, path, 0) != 0)
		return;
	MUST(spool_peek(spool, turns, ROWS, &count) == 0);
	MUST(count == (spool_count(spool) < ROWS ? spool_count(spool) : ROWS));
	for (size_t i = 0; i < count; ++i)
		check_turn(&turns[i], NULL);
	MUST(spool_remove(spool, count) == 0);
	if (spool_room(spool) > 0) {
		struct store_turn turn = turn_of(77);

		MUST(spool_put(spool, &turn, 1) == 0);
		MUST(spool_peek(spool, turns, ROWS, &count) == 0 && count >= 1);
		MUST(is_same(&turns[count - 1], &turn));
	}
	mem_deref(spool);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	bool is_marks;

	if (size == 0)
		return 0;
	log_set_level(LOG_ERROR);
	is_marks = data[0] & 1;
	snprintf(path, sizeof(path), "/dev/shm/syrinx-fuzz-%d", (int)getpid());
	unlink(path);
	if (is_marks)
		make_marks();
	else
		make_spool();
	spoil(data + 1, size - 1);
	if (is_marks)
		marks_read(path, check_turn, NULL);
	else
		read_spool();
	unlink(path);
	return 0;
}
