/*
 * marks.h: the turns that are running, on the local disk, in case the process dies.
 *
 * A turn is marked when its audio begins and again after every USAGE_MARK_SECONDS of audio.  A
 * mark is a slot in a file whose blocks are allocated in advance.  Nothing waits for a mark to be
 * written, and clearing one need not be durable: a turn that was booked is not booked again as
 * lost, because its id is known.  The next process finds the marks of processes that died (their
 * files are not locked) and books them as lost.
 *
 *   header: magic, version, checksum
 *   slots:  a record (disk_record.h) each, or zeros
 */
#ifndef ACCOUNT_MARKS_H
#define ACCOUNT_MARKS_H

#include <stddef.h>
#include <stdint.h>

#include "store/store.h"

/* How many turns may be marked at the same time.  Further turns run without a mark, which is
 * logged. */
#define MARKS_MAX 65536

struct marks;

/* Creates the file, which must not exist.  mem_deref closes the file and keeps it. */
int marks_open(struct marks **marksp, const char *path);

/* These are called on the loop's thread.  marks_take takes a slot; SIZE_MAX when there is none. */
size_t marks_take(struct marks *marks);
void marks_free(struct marks *marks, size_t slot);
size_t marks_taken(const struct marks *marks);

/* These block and are called on the disk's thread.  What was written becomes durable with
 * marks_sync. */
int marks_write(struct marks *marks, size_t slot, const struct store_turn *turn);
int marks_clear(struct marks *marks, size_t slot);
int marks_sync(struct marks *marks);

/* Reads every marked turn of a file that a process left.  ENOENT; EBUSY when the process is alive;
 * EBADMSG when some of it is damaged, after all complete records were passed to the handler.  An
 * error of the handler ends the reading and is returned. */
typedef int(marks_h)(const struct store_turn *turn, void *arg);
int marks_read(const char *path, marks_h *each, void *arg);

/* The same for a file that is known to be damaged: incomplete records in it are skipped. */
int marks_rescue(const char *path, marks_h *each, void *arg);

#endif
