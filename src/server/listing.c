/*
 * listing.c: pages of lists that are ordered by an id (see listing.h).
 */
#include "server/listing.h"

#include "server/query.h"

#define PAGE_DEFAULT 100
#define PAGE_MAX 1000 /* half a megabyte of keys */

int listing_open(struct listing *listing, struct errand *errand, const char *name)
{
	const struct http_request *request = errand->call.request;
	int err = query_number(&listing->after, &errand->fault, request, "after",
			       &(struct query_range){0, INT64_MAX, 0});

	if (!err)
		err = query_number(&listing->left, &errand->fault, request, "limit",
				   &(struct query_range){1, PAGE_MAX, PAGE_DEFAULT});
	listing->errand = errand;
	json_write_list(&errand->json, name);
	return err;
}

bool listing_shows(struct listing *listing, int64_t id)
{
	if (id <= listing->after)
		return false;
	listing->has_more = listing->left == 0;
	if (listing->has_more)
		return false;
	--listing->left;
	listing->last = id;
	return true;
}

void listing_close(struct listing *listing)
{
	struct json_write *json = &listing->errand->json;

	json_write_list_end(json);
	if (listing->has_more)
		json_write_signed(json, "next", listing->last);
	else
		json_write_null(json, "next");
}
