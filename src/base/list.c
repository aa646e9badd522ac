/*
 * list.c: an intrusive doubly linked list (see list.h).
 */
#include "base/list.h"

#include <assert.h>

void list_init(struct list *list)
{
	list->head.prev = list->head.next = &list->head;
	list->count = 0;
}

static void list_insert(struct list *list, struct link *prev, struct link *link, struct link *next)
{
	assert(!link_is_on_list(link));
	link->prev = prev;
	link->next = next;
	prev->next = link;
	next->prev = link;
	++list->count;
}

void list_append(struct list *list, struct link *link)
{
	list_insert(list, list->head.prev, link, &list->head);
}

void list_prepend(struct list *list, struct link *link)
{
	list_insert(list, &list->head, link, list->head.next);
}

void list_insert_before(struct list *list, struct link *at, struct link *link)
{
	list_insert(list, at->prev, link, at);
}

void list_remove(struct list *list, struct link *link)
{
	assert(link_is_on_list(link));
	assert(list->count > 0);
	link->prev->next = link->next;
	link->next->prev = link->prev;
	link->prev = link->next = NULL;
	--list->count;
}

void list_append_all(struct list *to, struct list *from)
{
	struct link *link;

	while ((link = list_first(from))) {
		list_remove(from, link);
		list_append(to, link);
	}
}
