/*
 * folder.c: tells when something in a folder has changed (see folder.h).
 *
 * The kernel watches the folder that had this path when it was asked, which may
 * be removed and made anew: after every change it is asked again.
 */
#include "loop/folder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/mem.h"

/* A folder that is not there is looked for this often: one system call. */
#define LOOK_AGAIN_US 1000000

struct folder {
	uv_fs_event_t event;
	struct loop *loop;
	char *path;
	uint64_t settle_us;
	struct timer timer; /* things settle, or the folder is looked for */
	bool watched;
	folder_changed_h *handler;
	void *arg;
};

static bool ends_with(const char *name, const char *end)
{
	size_t len = strlen(name);
	size_t end_len = strlen(end);

	return len >= end_len && strcmp(name + len - end_len, end) == 0;
}

static bool counts(const char *name)
{
	static const char *const unfinished[] = {".part", ".tmp", "~"};

	if (!name)
		return true; /* nobody knows which it was */
	if (name[0] == '.')
		return false;
	for (size_t i = 0; i < COUNT(unfinished); ++i) {
		if (ends_with(name, unfinished[i]))
			return false;
	}
	return true;
}

static void on_timer(void *arg);

static void on_event(uv_fs_event_t *event, const char *name, int events, int status)
{
	struct folder *folder = event->data;

	(void)events;
	loop_enter(folder->loop);
	if (status != 0 || counts(name))
		timer_set(&folder->loop->timers, &folder->timer, folder->settle_us, on_timer,
			  folder);
	loop_leave(folder->loop);
}

static void watch(struct folder *folder)
{
	uv_fs_event_stop(&folder->event);
	folder->watched = uv_fs_event_start(&folder->event, on_event, folder->path, 0) == 0;
	if (!folder->watched)
		timer_set(&folder->loop->timers, &folder->timer, LOOK_AGAIN_US, on_timer, folder);
}

/* Watched again before it is told: what changes meanwhile is told once more.  A
 * folder that was looked for and is still not there is no news. */
static void on_timer(void *arg)
{
	struct folder *folder = arg;
	bool was_watched = folder->watched;

	watch(folder);
	if (folder->watched || was_watched)
		folder->handler(folder->arg);
}

void folder_ask_again(struct folder *folder)
{
	timer_set(&folder->loop->timers, &folder->timer, folder->settle_us, on_timer, folder);
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
	watch(folder);
	*folderp = folder;
	return 0;
}

static void on_closed(uv_handle_t *handle)
{
	mem_deref(handle->data);
}

void folder_close(struct folder *folder)
{
	timer_clear(&folder->loop->timers, &folder->timer);
	uv_close((uv_handle_t *)&folder->event, on_closed);
}
