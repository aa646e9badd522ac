/*
 * openai_errors.h: errors as OpenAI's clients read them.
 *
 *	{"error":{"message":"…","type":"invalid_request_error","param":"speed","code":null}}
 */
#ifndef DOORS_OPENAI_OPENAI_ERRORS_H
#define DOORS_OPENAI_OPENAI_ERRORS_H

#include "wire/error_shape.h"

extern const struct error_shape openai_errors;

#endif
