/*
 * keyless.c: connections that have not presented a valid key (see keyless.h).
 */
#include "net/keyless.h"

#include <assert.h>

void keyless_init(struct keyless *all)
{
	*all = (struct keyless){0};
	list_init(&all->members);
}

void keyless_join(struct keyless *all, struct keyless_member *member, keyless_evict_h *evict)
{
	assert(!member->all);
	member->all = all;
	member->evict = evict;
	member->bytes = 0;
	list_append(&all->members, &member->link);
}

void keyless_leave(struct keyless_member *member)
{
	struct keyless *all = member->all;

	if (!all)
		return;
	all->bytes -= member->bytes;
	member->bytes = 0;
	member->all = NULL;
	list_remove(&all->members, &member->link);
}

void keyless_touch(struct keyless_member *member)
{
	if (!member->all)
		return;
	list_remove(&member->all->members, &member->link);
	list_append(&member->all->members, &member->link);
}

static struct keyless_member *keyless_first(const struct keyless *all)
{
	struct link *link = list_first(&all->members);

	return link ? LIST_OBJECT(link, struct keyless_member, link) : NULL;
}

bool keyless_evict_oldest(struct keyless *all)
{
	struct keyless_member *oldest = keyless_first(all);

	if (!oldest)
		return false;
	oldest->evict(oldest);
	assert(!oldest->all); /* it has left */
	return true;
}

void keyless_count(struct keyless_member *member, size_t bytes)
{
	struct keyless *all = member->all;

	if (!all)
		return;
	all->bytes += bytes - member->bytes;
	member->bytes = bytes;
	keyless_touch(member); /* the last of the list, so that others go before it */
	while (all->bytes > KEYLESS_ALL_MAX && keyless_first(all) != member)
		keyless_evict_oldest(all);
}
