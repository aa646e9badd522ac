/*
 * descriptions.h: the documents of the API as bytes, JSON without a NUL after it.
 *
 * Their definitions are made by tools/embed when the server is built.
 */
#ifndef SERVER_DESCRIPTIONS_H
#define SERVER_DESCRIPTIONS_H

#include <stddef.h>

extern const char descriptions_openapi[];
extern const size_t descriptions_openapi_len;
extern const char descriptions_asyncapi[];
extern const size_t descriptions_asyncapi_len;

#endif
