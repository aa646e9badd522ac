/*
 * heap.h: an intrusive priority queue.
 *
 * The node is part of the object, so adding an object needs no memory and cannot fail.  The owner
 * of a heap supplies the function that orders two objects; of two that are equal, either may come
 * first.  A node filled with zeros is in no heap.
 *
 * Adding takes constant time and removing takes logarithmic time, amortized.  What an object is
 * ordered by must not change while it is in a heap: remove it, change it, and add it again.
 */
#ifndef BASE_HEAP_H
#define BASE_HEAP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/list.h"

struct heap_node {
	struct heap_node *child; /* its first child */
	struct heap_node *next; /* its next sibling */
	/* Its previous sibling, the parent of a first child, or the node itself at the root. */
	struct heap_node *prev;
};

/* Returns true if `a` must come out before `b`. */
typedef bool(heap_before_h)(const struct heap_node *a, const struct heap_node *b);

struct heap {
	struct heap_node *root; /* the object that comes first; NULL when the heap is empty */
	size_t count;
	heap_before_h *before;
};

void heap_init(struct heap *heap, heap_before_h *before);
/* The node must be in no heap. */
void heap_add(struct heap *heap, struct heap_node *node);
/* The node, which need not be the first, must be in this heap; afterwards it is in none. */
void heap_remove(struct heap *heap, struct heap_node *node);

static inline struct heap_node *heap_first(const struct heap *heap)
{
	return heap->root;
}

static inline bool heap_node_is_in(const struct heap_node *node)
{
	return node->prev != NULL;
}

/* The object that contains a node. */
#define HEAP_OBJECT(node, type, member) LIST_OBJECT(node, type, member)
#define HEAP_CONST_OBJECT(node, type, member)                                                      \
	((const type *)(const void *)((const char *)(node)-offsetof(type, member)))

#endif
