/*
 * mem_fail.h: allocations that fail, for tests of what then happens.
 *
 * The programs of test/unit link mem_fail.c, which takes the place of base/mem.c.
 */
#ifndef TEST_MEM_FAIL_H
#define TEST_MEM_FAIL_H

#include <stddef.h>

/* The n-th mem_zalloc from now on fails (1 is the next); 0 ends it. */
void mem_fail_after(size_t n);

#endif
