/*
 * disk.c: a thread for the files of this process (see async_store_private.h).
 *
 * The rows of a batch become durable together.  Its marks are written after them, because nothing
 * waits for marks.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "account/async_store_private.h"
#include "account/local_file.h"
#include "account/recovery.h"
#include "base/log.h"
#include "base/mem.h"

/* How many marks may wait for a slow disk.  Further ones are dropped, which does little harm: the
 * next mark of a turn overwrites its last one. */
#define MARKING_MAX 4096

struct marking {
	struct store_request request;
	size_t slot;
	struct store_turn turn;
};

/* Spools rows in order, as many as there is room for; runs on the thread. */
static void disk_put_rows(struct disk *disk, struct store_request **requests, size_t count)
{
	size_t room = spool_room(disk->spool);
	size_t n = count < room ? count : room;
	int err;

	for (size_t i = 0; i < n; ++i)
		disk->rows[i] = booking_of_local(requests[i])->turn;
	err = n > 0 ? spool_put(disk->spool, disk->rows, n) : 0;
	if (err)
		log_error("account", "rows cannot be written to %s: %s", disk->rows_path,
			  strerror(err));
	for (size_t i = 0; i < count; ++i)
		requests[i]->err = i < n ? err : ENOSPC;
}

static void disk_put_batch(struct disk *disk, struct list *batch)
{
	struct store_request *requests[LEDGER_BATCH];
	size_t count = 0;

	for (struct link *l = list_first(batch); l; l = list_next(batch, l)) {
		if (request_of(l)->kind != REQUEST_SPOOL)
			continue;
		requests[count++] = request_of(l);
		if (count == LEDGER_BATCH) {
			disk_put_rows(disk, requests, count);
			count = 0;
		}
	}
	if (count > 0)
		disk_put_rows(disk, requests, count);
}

static void disk_run_request(struct disk *disk, struct store_request *request)
{
	struct delivery *delivery = LIST_OBJECT(request, struct delivery, request);

	if (request->kind == REQUEST_PEEK)
		request->err =
			spool_peek(disk->spool, delivery->turns, LEDGER_BATCH, &delivery->count);
	else if (request->kind == REQUEST_REMOVE)
		request->err = spool_remove(disk->spool, delivery->count);
}

/* A mark is needed only after a crash, so a failure to write one is just logged. */
static void disk_write_marks(struct disk *disk, struct list *batch)
{
	bool is_written = false;
	int err = 0;

	for (struct link *l = list_first(batch); l; l = list_next(batch, l)) {
		struct store_request *request = request_of(l);
		struct marking *marking = LIST_OBJECT(request, struct marking, request);
		int failure = 0;

		if (request->kind == REQUEST_UNMARK) {
			failure = marks_clear(disk->marks, booking_of_local(request)->mark);
		} else if (request->kind == REQUEST_MARK) {
			failure = marks_write(disk->marks, marking->slot, &marking->turn);
			is_written = true;
		}
		err = err ? err : failure;
	}
	if (!err && is_written)
		err = marks_sync(disk->marks);
	if (err)
		log_warn("account", "running turns cannot be noted in %s: %s", disk->marks_path,
			 strerror(err));
}

static void disk_on_batch(struct list *batch, void *arg)
{
	struct disk *disk = arg;

	if (disk->spool) {
		disk_put_batch(disk, batch);
		for (struct link *l = list_first(batch); l; l = list_next(batch, l))
			disk_run_request(disk, request_of(l));
		atomic_store(&disk->room, spool_room(disk->spool));
		atomic_store(&disk->held, spool_count(disk->spool));
	}
	if (disk->marks)
		disk_write_marks(disk, batch);
}

void disk_submit(struct async_store *async, struct store_request *request,
		 enum store_request_kind kind, task_done_h *done)
{
	struct disk *disk = &async->disk;
	struct list alone;

	request->async = async;
	request->kind = kind;
	request->err = 0;
	if (!disk->is_finishing) {
		thread_submit(disk->thread, &request->task, done);
		return;
	}
	list_init(&alone);
	list_append(&alone, &request->task.link);
	disk_on_batch(&alone, disk);
	list_remove(&alone, &request->task.link);
	done(&request->task);
}

static void disk_on_marked(struct task *task)
{
	struct store_request *request = request_of(&task->link);

	--request->async->disk.marking;
	mem_deref(LIST_OBJECT(request, struct marking, request));
}

static void disk_warn_unmarked(struct disk *disk, const char *why)
{
	if (!disk->has_warned)
		log_warn("account", "some running turns are not noted on the disk: %s", why);
	disk->has_warned = true;
}

void async_store_mark(struct async_store *async, size_t *slot, const struct store_turn *turn)
{
	struct disk *disk = &async->disk;
	struct marking *marking;

	if (!disk->marks)
		return;
	if (*slot == USAGE_NO_MARK)
		*slot = marks_take(disk->marks);
	if (*slot == USAGE_NO_MARK) {
		disk_warn_unmarked(disk, "too many");
		return;
	}
	marking = disk->marking < MARKING_MAX ? mem_zalloc(sizeof(*marking), NULL) : NULL;
	if (!marking) {
		disk_warn_unmarked(disk, "the disk is too slow, or memory is out");
		return;
	}
	marking->slot = *slot;
	marking->turn = *turn;
	++disk->marking;
	disk_submit(async, &marking->request, REQUEST_MARK, disk_on_marked);
}

static void disk_open_spool(struct async_store *async, const char *dir, size_t rows)
{
	struct disk *disk = &async->disk;

	snprintf(disk->rows_path, sizeof(disk->rows_path), "%s/%s.rows", dir, async->server_id);
	if (spool_open(&disk->spool, disk->rows_path, rows) != 0) {
		log_error("account", "rows cannot wait in %s while the store is away", dir);
		return;
	}
	atomic_init(&disk->room, rows);
	atomic_init(&disk->held, 0);
}

static void disk_open_marks(struct async_store *async, const char *dir)
{
	struct disk *disk = &async->disk;

	snprintf(disk->marks_path, sizeof(disk->marks_path), "%s/%s.marks", dir, async->server_id);
	if (marks_open(&disk->marks, disk->marks_path) != 0)
		log_error("account", "running turns cannot be noted in %s", dir);
}

int disk_open(struct async_store *async, const char *dir, size_t rows)
{
	struct disk *disk = &async->disk;

	disk_open_spool(async, dir, rows);
	disk_open_marks(async, dir);
	if (!disk->spool && !disk->marks)
		return 0;
	local_file_sync_dir(dir);
	disk->rows = mem_zalloc(LEDGER_BATCH * sizeof(*disk->rows), NULL);
	if (!disk->rows)
		return ENOMEM;
	return thread_alloc(&disk->thread, async->loop, "disk", disk_on_batch, disk);
}

void disk_finish(struct async_store *async)
{
	async->disk.is_finishing = true;
	if (async->disk.thread)
		thread_finish(async->disk.thread);
}

static void disk_tell_left(const struct disk *disk)
{
	size_t count = spool_count(disk->spool);

	log_warn("account",
		 "%zu turn%s left in %s, to be recorded within %u s by a server that runs with "
		 "this data directory, or by the next one to start",
		 count, count == 1 ? " is" : "s are", disk->rows_path,
		 (unsigned)(RECOVERY_INTERVAL_US / 1000000u));
}

void disk_close(struct async_store *async)
{
	struct disk *disk = &async->disk;

	if (disk->spool && spool_count(disk->spool) == 0)
		unlink(disk->rows_path);
	else if (disk->spool)
		disk_tell_left(disk);
	if (disk->marks && marks_taken(disk->marks) == 0)
		unlink(disk->marks_path);
	mem_deref(disk->thread);
	mem_deref(disk->spool);
	mem_deref(disk->marks);
	mem_deref(disk->rows);
}
