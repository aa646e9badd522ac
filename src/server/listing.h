/*
 * listing.h: pages of lists that are ordered by an id: ?after=&limit=, and `next` in
 * the answer.
 */
#ifndef SERVER_LISTING_H
#define SERVER_LISTING_H

#include "server/errand.h"

struct listing {
	struct errand *errand;
	int64_t account_id; /* for the lister's own use */
	int64_t after, left, last;
	bool has_more;
};

/* Reads the query and opens the list.  EINVAL with the errand's fault. */
int listing_open(struct listing *listing, struct errand *errand, const char *name);

/* Whether the row of this id is to be shown; rows come in the order of their ids. */
bool listing_shows(struct listing *listing, int64_t id);

/* Ends the list and says whether there is more of it. */
void listing_close(struct listing *listing);

#endif
