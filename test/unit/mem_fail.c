/*
 * mem_fail.c: base/mem.c with an allocator that fails on demand (see mem_fail.h).
 */
#include "mem_fail.h"

#include <stdatomic.h>
#include <stdlib.h>

static atomic_size_t fail_after;

void mem_fail_after(size_t n)
{
	atomic_store(&fail_after, n);
}

static void *mem_fail_calloc(size_t count, size_t size)
{
	size_t left = atomic_load(&fail_after);

	if (left > 0)
		atomic_store(&fail_after, left - 1);
	return left == 1 ? NULL : calloc(count, size);
}

#define calloc mem_fail_calloc
#include "../../src/base/mem.c" /* NOLINT(bugprone-suspicious-include): all of it but this call */
