/*
 * thread.c: a thread for work that would block the loop (see thread.h).
 *
 *   loop --submit--> waiting --(lock)--> batch, run --(lock)--> finished --uv_async--> done
 */
#include "loop/thread.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#include "base/count.h"
#include "base/mem.h"

/* libuv needs this until its close callback has run, which is after the object is freed. */
struct thread_wakeup {
	uv_async_t async;
	struct thread *thread; /* NULL once the object is freed */
};

struct thread {
	struct loop *loop;
	struct thread_wakeup *wakeup;
	thread_run_h *run;
	void *arg;
	pthread_t id;
	bool running;

	pthread_mutex_t lock; /* guards the fields below */
	pthread_cond_t work;
	struct list waiting;
	struct list finished;
	bool stop;
};

static void *thread_main(void *arg)
{
	struct thread *thread = arg;
	struct list batch;

	list_init(&batch);
	pthread_mutex_lock(&thread->lock);
	for (;;) {
		while (thread->waiting.count == 0 && !thread->stop)
			pthread_cond_wait(&thread->work, &thread->lock);
		if (thread->waiting.count == 0)
			break;
		list_append_all(&batch, &thread->waiting);
		pthread_mutex_unlock(&thread->lock);
		thread->run(&batch, thread->arg);
		pthread_mutex_lock(&thread->lock);
		list_append_all(&thread->finished, &batch);
		uv_async_send(&thread->wakeup->async);
	}
	pthread_mutex_unlock(&thread->lock);
	return NULL;
}

/* Signals that are sent to the process are handled by the loop's thread.  Those that a bug in the
 * thread itself raises are not blocked, so that a sanitizer can report them. */
int thread_create(pthread_t *id, const pthread_attr_t *attributes, void *(*main)(void *), void *arg)
{
	static const int own[] = {SIGSEGV, SIGBUS,  SIGFPE, SIGILL,
				  SIGABRT, SIGTRAP, SIGSYS, SIGPROF};
	sigset_t blocked, before;
	int err;

	sigfillset(&blocked);
	for (size_t i = 0; i < COUNT(own); ++i)
		sigdelset(&blocked, own[i]);
	pthread_sigmask(SIG_SETMASK, &blocked, &before);
	err = pthread_create(id, attributes, main, arg);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return err;
}

static void thread_complete(struct thread *thread)
{
	struct list done;
	struct link *link;

	list_init(&done);
	pthread_mutex_lock(&thread->lock);
	list_append_all(&done, &thread->finished);
	pthread_mutex_unlock(&thread->lock);
	while ((link = list_first(&done))) {
		struct task *task = LIST_OBJECT(link, struct task, link);

		list_remove(&done, link);
		task->done(task);
	}
}

static void thread_on_async(uv_async_t *async)
{
	struct thread_wakeup *wakeup = async->data;
	struct loop *loop;

	if (!wakeup->thread)
		return;
	loop = wakeup->thread->loop;
	loop_enter(loop);
	thread_complete(wakeup->thread);
	loop_leave(loop);
}

static void thread_on_async_closed(uv_handle_t *handle)
{
	free(handle->data);
}

void thread_finish(struct thread *thread)
{
	if (!thread->running)
		return;
	pthread_mutex_lock(&thread->lock);
	thread->stop = true;
	pthread_cond_signal(&thread->work);
	pthread_mutex_unlock(&thread->lock);
	pthread_join(thread->id, NULL);
	thread->running = false;
	thread_complete(thread);
}

static void thread_destroy(void *object)
{
	struct thread *thread = object;

	thread_finish(thread);
	thread->wakeup->thread = NULL;
	uv_close((uv_handle_t *)&thread->wakeup->async, thread_on_async_closed);
	pthread_cond_destroy(&thread->work);
	pthread_mutex_destroy(&thread->lock);
}

int thread_alloc(struct thread **threadp, struct loop *loop, const char *name, thread_run_h *run,
		 void *arg)
{
	struct thread *thread = mem_zalloc(sizeof(*thread), NULL);
	struct thread_wakeup *wakeup = calloc(1, sizeof(*wakeup));
	int err = ENOMEM;

	if (!thread || !wakeup || uv_async_init(&loop->uv, &wakeup->async, thread_on_async) != 0)
		goto out;
	wakeup->async.data = wakeup;
	wakeup->thread = thread;
	thread->loop = loop;
	thread->wakeup = wakeup;
	thread->run = run;
	thread->arg = arg;
	list_init(&thread->waiting);
	list_init(&thread->finished);
	pthread_mutex_init(&thread->lock, NULL);
	pthread_cond_init(&thread->work, NULL);
	mem_set_destructor(thread, thread_destroy);
	wakeup = NULL; /* from here on the destructor closes it */
	err = thread_create(&thread->id, NULL, thread_main, thread);
	if (err)
		goto out;
	thread->running = true;
	pthread_setname_np(thread->id, name);
	*threadp = thread;
	return 0;
out:
	free(wakeup);
	mem_deref(thread);
	return err;
}

void thread_submit(struct thread *thread, struct task *task, task_done_h *done)
{
	task->done = done;
	pthread_mutex_lock(&thread->lock);
	assert(!thread->stop);
	list_append(&thread->waiting, &task->link);
	pthread_cond_signal(&thread->work);
	pthread_mutex_unlock(&thread->lock);
}
