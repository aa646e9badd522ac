/*
 * folder.h: reports changes in a folder.
 *
 * A change is reported only after a quiet period, because files are written in pieces and several
 * at a time.  The folder need not exist yet.  Files whose names begin with a dot, or end like those
 * of an unfinished download, are ignored.
 */
#ifndef LOOP_FOLDER_H
#define LOOP_FOLDER_H

#include "loop/loop.h"

struct folder;

typedef void(folder_changed_h)(void *arg);

/* The handler is called settle_ms after the last change, and within a second of the folder's
 * creation.  It is not called for what the folder contains at first.  ENOMEM. */
int folder_open(struct folder **folderp, struct loop *loop, const char *path, unsigned settle_ms,
		folder_changed_h *handler, void *arg);

/* Requests, from inside the handler, another call after settle_ms even if nothing changes. */
void folder_ask_again(struct folder *folder);

/* Stops watching; the handler may call it.  The loop frees the memory later. */
void folder_close(struct folder *folder);

#endif
