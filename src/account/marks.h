/*
 * marks.h: what runs now, on the local disk, in case the process dies.
 *
 * A turn is noted when it begins and again every USAGE_MARK_SECONDS of its audio.  A mark
 * is a slot of a file made whole beforehand; writing it is nobody's wait, and
 * freeing it need not be durable: a turn that was booked is not booked again as
 * lost, for its id is known.  The next process finds the marks of those that died
 * (their files are locked by nobody) and books them.
 *
 *   header: magic, version, checksum
 *   slots:  a record (disk_record.h) each, or zeros
 */
#ifndef ACCOUNT_MARKS_H
#define ACCOUNT_MARKS_H

#include <stddef.h>
#include <stdint.h>

#include "store/store.h"

#define MARKS_MAX 65536 /* turns at once that are noted; others run unmarked, and the log says so */

struct marks;

/* Makes the file, which must not be there. */
int marks_open(struct marks **marksp, const char *path);

/* On the loop: takes a slot; SIZE_MAX when there is none. */
size_t marks_take(struct marks *marks);
void marks_free(struct marks *marks, size_t slot);
size_t marks_taken(const struct marks *marks);

/* On the thread: writes, and what was written becomes durable with marks_sync. */
int marks_write(struct marks *marks, size_t slot, const struct store_turn *turn);
int marks_clear(struct marks *marks, size_t slot);
int marks_sync(struct marks *marks);

/* Of a file that somebody left: every turn that was marked.  ENOENT, and EBUSY when
 * its process lives.  EBADMSG when some of it is damaged, after all that is whole
 * was shown; an error of the handler ends it. */
typedef int(marks_h)(const struct store_turn *turn, void *arg);
int marks_read(const char *path, marks_h *each, void *arg);

/* The same for a file that is known to be damaged: incomplete records in it are skipped. */
int marks_rescue(const char *path, marks_h *each, void *arg);

#endif
