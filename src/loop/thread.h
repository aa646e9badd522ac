/*
 * thread.h: a thread for work that would block the loop.
 *
 * A task belongs to the thread from thread_submit until its `done` is called.  `run` is called on
 * the thread with all tasks that were waiting, in order, so that a store can commit them together.
 * Then the loop calls the `done` of each task, in the same order.
 */
#ifndef LOOP_THREAD_H
#define LOOP_THREAD_H

#include <pthread.h>

#include "base/list.h"
#include "loop/loop.h"

struct task;
typedef void(task_done_h)(struct task *task);

struct task {
	struct link link;
	task_done_h *done;
};

/* Does the work of every task of the batch (the links are task.link), on the thread.  It must not
 * change the list. */
typedef void(thread_run_h)(struct list *batch, void *arg);

struct thread;

/* `name` is shown by tools such as top; 15 characters at most. */
int thread_alloc(struct thread **threadp, struct loop *loop, const char *name, thread_run_h *run,
		 void *arg);

/* The task must be zeroed before its first use.  Not allowed after thread_finish. */
void thread_submit(struct thread *thread, struct task *task, task_done_h *done);

/* Blocks until all submitted tasks are finished, calls their `done` before it returns, and ends the
 * thread.  mem_deref(thread) does the same. */
void thread_finish(struct thread *thread);

/* pthread_create for a thread with all signals blocked.  A signal that the loop does not watch, or
 * not yet, could otherwise be delivered to this thread and end the process, even though the loop's
 * thread blocks it. */
int thread_create(pthread_t *id, const pthread_attr_t *attributes, void *(*main)(void *),
		  void *arg);

#endif
