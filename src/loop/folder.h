/*
 * folder.h: tells when something in a folder has changed.
 *
 * Told once things have settled, because files come in pieces and several at a
 * time.  The folder need not be there: it is waited for.  Files whose names
 * begin with a dot, or end like those of half a download, do not count.
 */
#ifndef LOOP_FOLDER_H
#define LOOP_FOLDER_H

#include "loop/loop.h"

struct folder;

typedef void(folder_changed_h)(void *arg);

/* The handler comes when the last change is settle_ms ago, and when a folder
 * appears that was not there. */
int folder_open(struct folder **folderp, struct loop *loop, const char *path, unsigned settle_ms,
		folder_changed_h *handler, void *arg);

/* From the handler: it is called again after settle_ms, whether or not anything changes. */
void folder_ask_again(struct folder *folder);

/* Ends it; allowed in its handler.  The memory goes when the loop has let go. */
void folder_close(struct folder *folder);

#endif
