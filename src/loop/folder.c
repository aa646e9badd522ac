/*
 * folder.c: reports changes in a folder (see folder.h).
 *
 * The kernel watches the folder that had this path when the watch was set up.  That folder may be
 * removed and created again, so the watch is set up again after every change.  Runs on the loop's
 * thread.
 */
#include "loop/folder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/mem.h"

/* How often to look for a folder that does not exist, which costs one system call. */
#define FOLDER_RETRY_US 1000000

struct folder {
	uv_fs_event_t event;
	struct loop *loop;
	char *path;
	uint64_t settle_us;
	struct timer
		timer; /* until changes have settled, or until the folder is looked for again */
	bool watched;
	folder_changed_h *handler;
	void *arg;
};

static bool folder_ends_with(const char *name, const char *end)
{
	size_t len = strlen(name);
	size_t end_len = strlen(end);

	return len >= end_len && strcmp(name + len - end_len, end) == 0;
}

static bool folder_counts(const char *name)
{
	static const char *const unfinished[] = {".part", ".tmp", "~"};

	if (!name)
		return true; /* the kernel does not say which file it was */
	if (name[0] == '.')
		return false;
	for (size_t i = 0; i < COUNT(unfinished); ++i) {
		if (folder_ends_with(name, unfinished[i]))
			return false;
	}
	return true;
}

static void folder_on_timer(void *arg);

static void folder_on_event(uv_fs_event_t *event, const char *name, int events, int status)
{
	struct folder *folder = event->data;

	(void)events;
	loop_enter(folder->loop);
	if (status != 0 || folder_counts(name))
		timer_set(&folder->loop->timers, &folder->timer, folder->settle_us, folder_on_timer,
			  folder);
	loop_leave(folder->loop);
}

static void folder_watch(struct folder *folder)
{
	uv_fs_event_stop(&folder->event);
	folder->watched = uv_fs_event_start(&folder->event, folder_on_event, folder->path, 0) == 0;
	if (!folder->watched)
		timer_set(&folder->loop->timers, &folder->timer, FOLDER_RETRY_US, folder_on_timer,
			  folder);
}

/* The watch is set up before the handler is called, so that a change in between is reported by
 * another call.  The handler is not called for a folder that still does not exist. */
static void folder_on_timer(void *arg)
{
	struct folder *folder = arg;
	bool was_watched = folder->watched;

	folder_watch(folder);
	if (folder->watched || was_watched)
		folder->handler(folder->arg);
}

void folder_ask_again(struct folder *folder)
{
	timer_set(&folder->loop->timers, &folder->timer, folder->settle_us, folder_on_timer,
		  folder);
}

static void folder_destroy(void *object)
{
	struct folder *folder = object;

	free(folder->path);
}

int folder_open(struct folder **folderp, struct loop *loop, const char *path, unsigned settle_ms,
		folder_changed_h *handler, void *arg)
{
	struct folder *folder = mem_zalloc(sizeof(*folder), folder_destroy);

	if (!folder)
		return ENOMEM;
	folder->path = strdup(path);
	if (!folder->path || uv_fs_event_init(&loop->uv, &folder->event) != 0) {
		mem_deref(folder);
		return ENOMEM;
	}
	folder->event.data = folder;
	folder->loop = loop;
	folder->settle_us = settle_ms * UINT64_C(1000);
	folder->handler = handler;
	folder->arg = arg;
	folder_watch(folder);
	*folderp = folder;
	return 0;
}

static void folder_on_closed(uv_handle_t *handle)
{
	mem_deref(handle->data);
}

void folder_close(struct folder *folder)
{
	timer_clear(&folder->loop->timers, &folder->timer);
	uv_close((uv_handle_t *)&folder->event, folder_on_closed);
}
