/*
 * mem.h: reference-counted objects.
 *
 * Every long-lived object of the program is made here, with a destructor that
 * must also cope with a half-built object (all fields zero is the start), so
 * that an error path and a normal end are the same code.
 *
 * An object belongs to one thread: the count is not atomic.  The number of
 * living objects is, because tests and /ready read it from elsewhere.
 */
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include <stddef.h>

typedef void(mem_destroy_h)(void *object);

/* A zeroed object with one reference, or NULL when memory is out. */
void *mem_zalloc(size_t size, mem_destroy_h *destroy);

/* For objects that are built in steps: the destructor is set when there is
 * something to destroy. */
void mem_set_destructor(void *object, mem_destroy_h *destroy);

/* One more reference; returns its argument.  NULL is allowed. */
void *mem_ref(void *object);

/* One reference less, the destructor at the last.  Always returns NULL, for
 * `x = mem_deref(x)`.  NULL is allowed. */
void *mem_deref(void *object);

/* Objects alive in this process: what leak tests count. */
size_t mem_live(void);

/* Test hook: the n-th allocation from now fails (1 is the next); 0 ends it. */
void mem_fail_after(size_t n);

#endif
