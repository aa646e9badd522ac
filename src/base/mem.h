/*
 * mem.h: reference-counted objects.
 *
 * Every long-lived object of the program is created here, with a destructor that also handles a
 * half-built object (all fields are zero at first), so that an error path and a normal end are the
 * same code.  What a function named x_alloc returns is such an object, and the caller releases it
 * with mem_deref, unless the header says otherwise.
 *
 * An object belongs to one thread: the reference count is not atomic.  The number of living objects
 * is, because tests and /ready read it from other threads.
 */
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include <stddef.h>

typedef void(mem_destroy_h)(void *object);

/* Returns a zeroed object with one reference, or NULL if there is no memory.  destroy frees what
 * the object holds, but not the object itself; it may be NULL. */
void *mem_zalloc(size_t size, mem_destroy_h *destroy);

/* For objects that are built in steps: sets the destructor once there is something to destroy. */
void mem_set_destructor(void *object, mem_destroy_h *destroy);

/* Adds a reference and returns its argument.  NULL is allowed. */
void *mem_ref(void *object);

/* Removes a reference, and calls the destructor with the last one.  Always returns NULL, for `x =
 * mem_deref(x)`.  NULL is allowed. */
void *mem_deref(void *object);

/* The number of living objects in this process, which leak tests check. */
size_t mem_live(void);

#endif
