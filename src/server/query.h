/*
 * query.h: reads and checks the query parameters of a REST request.
 *
 * Each function returns 0, or EINVAL with the fault filled in.
 */
#ifndef SERVER_QUERY_H
#define SERVER_QUERY_H

#include <stdbool.h>
#include <stdint.h>

#include "net/http.h"
#include "wire/fault.h"

/* Reads an integer from min to max (INT64_MAX: no upper limit), or `absent` if the parameter is
 * missing. */
struct query_range {
	int64_t min, max, absent;
};
int query_number(int64_t *number, struct stream_fault *fault, const struct http_request *request,
		 const char *name, const struct query_range *range);

/* Reads true, false, 1 or 0.  If the parameter is missing, *truth is left as it is. */
int query_bool(bool *truth, struct stream_fault *fault, const struct http_request *request,
	       const char *name);

/* Reads text of at most size - 1 bytes, or "" if the parameter is missing. */
int query_text(char *text, size_t size, struct stream_fault *fault,
	       const struct http_request *request, const char *name);

#endif
