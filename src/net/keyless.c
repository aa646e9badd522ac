/*
 * keyless.c: connections that have not presented a valid key (see keyless.h).
 */
#include "net/keyless.h"

#include <assert.h>

static struct list *keyless_list(struct keyless_member *member)
{
	return member->read + member->queued > 0 ? &member->all->holding : &member->all->idle;
}

static struct keyless_member *keyless_first(const struct list *list)
{
	struct link *link = list_first(list);

	return link ? LIST_OBJECT(link, struct keyless_member, link) : NULL;
}

/* Sets how much a member holds, and moves it to the end as the most recently active one. */
static void keyless_set(struct keyless_member *member, size_t read, size_t queued)
{
	struct keyless *all = member->all;

	list_remove(keyless_list(member), &member->link);
	all->bytes += read + queued - member->read - member->queued;
	member->read = read;
	member->queued = queued;
	member->touched = ++all->touches;
	list_append(keyless_list(member), &member->link);
}

void keyless_init(struct keyless *all)
{
	*all = (struct keyless){0};
	list_init(&all->holding);
	list_init(&all->idle);
}

void keyless_join(struct keyless *all, struct keyless_member *member, keyless_evict_h *evict)
{
	assert(!member->all);
	*member = (struct keyless_member){.all = all, .evict = evict, .touched = ++all->touches};
	list_append(&all->idle, &member->link);
}

void keyless_leave(struct keyless_member *member)
{
	if (!member->all)
		return;
	keyless_set(member, 0, 0);
	list_remove(&member->all->idle, &member->link);
	member->all = NULL;
}

static void keyless_evict(struct keyless_member *member)
{
	keyless_leave(member);
	member->evict(member);
}

void keyless_count(struct keyless_member *member, size_t read)
{
	struct keyless *all = member->all;
	struct keyless_member *oldest;

	if (!all)
		return;
	keyless_set(member, read, member->queued);
	while (all->bytes > KEYLESS_ALL_MAX && (oldest = keyless_first(&all->holding)) &&
	       oldest != member)
		keyless_evict(oldest);
}

void keyless_count_queued(struct keyless_member *member, ptrdiff_t change)
{
	size_t queued = member->queued + (size_t)change;

	if (!member->all)
		return;
	/* While something is queued, reading it does not count as activity: a client that reads one
	 * byte per second would otherwise never be evicted. */
	if (queued > 0 && member->queued > 0) {
		member->all->bytes += (size_t)change;
		member->queued = queued;
	} else {
		keyless_set(member, member->read, queued);
	}
}

bool keyless_evict_oldest(struct keyless *all)
{
	struct keyless_member *oldest = keyless_first(&all->idle);
	struct keyless_member *holding = keyless_first(&all->holding);

	if (!oldest || (holding && holding->touched < oldest->touched))
		oldest = holding;
	if (!oldest)
		return false;
	keyless_evict(oldest);
	return true;
}
