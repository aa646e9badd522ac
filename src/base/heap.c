/*
 * heap.c: an intrusive priority queue as a pairing heap (see heap.h).
 *
 * Every node is part of a tree in which no child is ordered before its parent.  The children of a
 * node are a doubly linked list; `prev` of the first child is its parent, so that any node can be
 * removed without a search.
 */
#include "base/heap.h"

#include <assert.h>

void heap_init(struct heap *heap, heap_before_h *before)
{
	*heap = (struct heap){.before = before};
}

/* Joins two trees, each of which may be NULL: the root that is ordered later becomes the first
 * child of the other.  If they are equal, `first` becomes the root. */
static struct heap_node *heap_meld(const struct heap *heap, struct heap_node *first,
				   struct heap_node *second)
{
	struct heap_node *top = first;
	struct heap_node *below = second;

	if (!first)
		return second;
	if (!second)
		return first;
	if (heap->before(second, first)) {
		top = second;
		below = first;
	}
	below->prev = top;
	below->next = top->child;
	if (top->child)
		top->child->prev = below;
	top->child = below;
	return top;
}

/* Joins a list of siblings into one tree: neighbours are joined in pairs, then the pairs from the
 * last to the first, which keeps later removals cheap. */
static struct heap_node *heap_meld_siblings(const struct heap *heap, struct heap_node *sibling)
{
	struct heap_node *pairs = NULL; /* the pairs, last one first, linked by `next` */
	struct heap_node *root = NULL;

	while (sibling) {
		struct heap_node *first = sibling;
		struct heap_node *second = first->next;
		struct heap_node *pair;

		sibling = second ? second->next : NULL;
		first->next = first->prev = NULL;
		if (second)
			second->next = second->prev = NULL;
		pair = heap_meld(heap, first, second);
		pair->next = pairs;
		pairs = pair;
	}
	while (pairs) {
		struct heap_node *pair = pairs;

		pairs = pair->next;
		pair->next = NULL;
		root = heap_meld(heap, pair, root);
	}
	return root;
}

static void heap_set_root(struct heap *heap, struct heap_node *root)
{
	heap->root = root;
	if (root)
		root->prev = root;
}

void heap_add(struct heap *heap, struct heap_node *node)
{
	assert(!heap_node_is_in(node));
	heap_set_root(heap, heap_meld(heap, heap->root, node));
	++heap->count;
}

void heap_remove(struct heap *heap, struct heap_node *node)
{
	struct heap_node *below = heap_meld_siblings(heap, node->child);

	assert(heap_node_is_in(node));
	if (node == heap->root) {
		heap_set_root(heap, below);
	} else {
		if (node->prev->child == node)
			node->prev->child = node->next;
		else
			node->prev->next = node->next;
		if (node->next)
			node->next->prev = node->prev;
		heap_set_root(heap, heap_meld(heap, heap->root, below));
	}
	*node = (struct heap_node){0};
	--heap->count;
}
