/*
 * dictionary_rest.h: what requests about dictionaries have in common, in every vendor's API.
 *
 * The functions run on the store's thread (see store_request.h).
 */
#ifndef SERVER_DICTIONARY_REST_H
#define SERVER_DICTIONARY_REST_H

#include "server/resource.h"

/* Every request about dictionaries may name a project and a page.  A change is answered once turns
 * that begin afterwards will use it. */
extern const struct store_subject dictionary_rest_subject;

/* How the store's errors ENOENT, EEXIST and EDQUOT are reported to clients. */
extern const struct resource_refusal dictionary_rest_refusals[], dictionary_rest_entry_refusals[];

/* Checks that the dictionary in the path exists in the request's project.  Called before anything
 * below a dictionary is accessed. */
int dictionary_rest_find(struct store_request *request, struct store *store);

#endif
