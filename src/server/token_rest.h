/*
 * token_rest.h: tokens in answers, for every vendor's API.
 */
#ifndef SERVER_TOKEN_REST_H
#define SERVER_TOKEN_REST_H

#include "server/store_request.h"

/* On the store's thread: creates a token of the request's key for a path returned by
 * routes_token_path, valid for `seconds`, and writes it as `token` into the answer; *expires_ms is
 * the wall-clock time at which it expires.  Returns EINVAL with the request's fault filled in, or
 * an error of the store. */
int token_rest_make(struct store_request *request, struct store *store, const char *path,
		    int64_t seconds, int64_t *expires_ms);

#endif
