/*
 * mem.c: reference-counted objects (see mem.h).
 */
#include "base/mem.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>

struct mem_header {
	size_t references;
	mem_destroy_h *destroy;
};

/* Keeps the alignment of malloc for the object that follows the header. */
_Static_assert(sizeof(struct mem_header) % _Alignof(max_align_t) == 0,
	       "the header must not misalign what follows");

static atomic_size_t live;

void *mem_zalloc(size_t size, mem_destroy_h *destroy)
{
	struct mem_header *h = calloc(1, sizeof(*h) + size);

	if (!h)
		return NULL;
	h->references = 1;
	h->destroy = destroy;
	atomic_fetch_add_explicit(&live, 1, memory_order_relaxed);
	return h + 1;
}

void mem_set_destructor(void *object, mem_destroy_h *destroy)
{
	((struct mem_header *)object - 1)->destroy = destroy;
}

void *mem_ref(void *object)
{
	if (object) {
		struct mem_header *h = (struct mem_header *)object - 1;

		assert(h->references > 0);
		++h->references;
	}
	return object;
}

void *mem_deref(void *object)
{
	struct mem_header *h;

	if (!object)
		return NULL;
	h = (struct mem_header *)object - 1;
	assert(h->references > 0);
	if (--h->references > 0)
		return NULL;
	if (h->destroy)
		h->destroy(object);
	assert(h->references == 0); /* a destructor must not revive its object */
	free(h);
	atomic_fetch_sub_explicit(&live, 1, memory_order_relaxed);
	return NULL;
}

size_t mem_live(void)
{
	return atomic_load_explicit(&live, memory_order_relaxed);
}
