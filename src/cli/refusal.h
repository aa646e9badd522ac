/*
 * refusal.h: finds the reason in a server's answer to a request that it refused.
 */
#ifndef CLI_REFUSAL_H
#define CLI_REFUSAL_H

#include <stdbool.h>
#include <stddef.h>

/* Finds the message of an error in the body of an answer, whatever the API: the string `error`, or
 * `message` in the object `error` or `detail`. The JSON is overwritten and may be truncated. The message points
 * into it and does not end with a NUL. */
bool refusal_find(const char **message, size_t *len, char *body, size_t body_len);

/* Shortens "HTTP 403: {"error":"Forbidden",…}", as reported by ws_client_open, to "HTTP 403:
 * Forbidden"; other text is not changed. The JSON may be truncated. */
void refusal_shorten(char *why);

#endif
