/*
 * query.h: what stands behind the '?' of a REST request, checked.
 *
 * Each returns 0, or EINVAL with the fault filled in.
 */
#ifndef SERVER_QUERY_H
#define SERVER_QUERY_H

#include <stdbool.h>
#include <stdint.h>

#include "net/http.h"
#include "wire/fault.h"

/* A whole number from min to max (INT64_MAX: no end), or `absent`. */
struct query_range {
	int64_t min, max, absent;
};
int query_number(int64_t *number, struct stream_fault *fault, const struct http_request *request,
		 const char *name, const struct query_range *range);

/* true, false, 1 or 0, or what *truth is without it. */
int query_bool(bool *truth, struct stream_fault *fault, const struct http_request *request,
	       const char *name);

/* Text of at most size - 1 bytes; "" without it. */
int query_text(char *text, size_t size, struct stream_fault *fault,
	       const struct http_request *request, const char *name);

#endif
