/*
 * list.h: an intrusive doubly linked list.
 *
 * The link is part of the object, so moving an object between lists cannot fail, and a state can be
 * represented by the list that an object is on.  A link filled with zeros is on no list; a list
 * must be initialised.  A link must be on no list when it is added to one.
 */
#ifndef BASE_LIST_H
#define BASE_LIST_H

#include <stdbool.h>
#include <stddef.h>

struct link {
	struct link *prev;
	struct link *next;
};

struct list {
	struct link head; /* head.next is the first, head.prev the last */
	size_t count;
};

void list_init(struct list *list);
void list_append(struct list *list, struct link *link);
void list_prepend(struct list *list, struct link *link);
/* Inserts `link` before `at`, which must be on this list. */
void list_insert_before(struct list *list, struct link *at, struct link *link);
/* The link must be on this list; afterwards it is on none. */
void list_remove(struct list *list, struct link *link);

/* Moves everything on `from` to the end of `to`, in the same order. */
void list_append_all(struct list *to, struct list *from);

static inline bool link_is_on_list(const struct link *link)
{
	return link->next != NULL;
}

static inline struct link *list_first(const struct list *list)
{
	return list->head.next == &list->head ? NULL : list->head.next;
}

static inline struct link *list_last(const struct list *list)
{
	return list->head.prev == &list->head ? NULL : list->head.prev;
}

static inline struct link *list_next(const struct list *list, const struct link *link)
{
	return link->next == &list->head ? NULL : link->next;
}

static inline struct link *list_prev(const struct list *list, const struct link *link)
{
	return link->prev == &list->head ? NULL : link->prev;
}

/* The object that contains a link. */
#define LIST_OBJECT(link, type, member) ((type *)(void *)((char *)(link)-offsetof(type, member)))

#endif
