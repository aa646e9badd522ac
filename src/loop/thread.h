/*
 * thread.h: a thread that does what would block the loop.
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

int thread_alloc(struct thread **threadp, struct loop *loop, const char *name, thread_run_h *run,
		 void *arg);
void thread_submit(struct thread *thread, struct task *task, task_done_h *done);

/* Blocks until everything that was submitted is finished, calls its `done`, and ends the thread.
 * mem_deref(thread) does so too. */
void thread_finish(struct thread *thread);

/* pthread_create for a thread that takes no signals: the default action of one that the loop does
 * not watch any more, or not yet, would end the process, even if the loop's thread blocks it. */
int thread_create(pthread_t *id, const pthread_attr_t *attributes, void *(*main)(void *),
		  void *arg);

#endif
