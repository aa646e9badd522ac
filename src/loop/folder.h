/*
 * folder.h: reports changes in a folder.
 *
 * They are reported once they have settled, because files are written in pieces and several at a
 * time.  The folder need not exist yet.  Files whose names begin with a dot, or end like those of
 * an unfinished download, do not count.
 */
#ifndef LOOP_FOLDER_H
#define LOOP_FOLDER_H

#include "loop/loop.h"

struct folder;

typedef void(folder_changed_h)(void *arg);

/* The handler is called settle_ms after the last change, and when the folder comes into existence. */
int folder_open(struct folder **folderp, struct loop *loop, const char *path, unsigned settle_ms,
		folder_changed_h *handler, void *arg);

/* For the handler: has it called again after settle_ms, whether or not anything changes. */
void folder_ask_again(struct folder *folder);

/* Stops watching; the handler may call it.  The loop frees the memory later. */
void folder_close(struct folder *folder);

#endif
