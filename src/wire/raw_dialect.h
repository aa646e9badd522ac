/*
 * raw_dialect.h: audio as it is, and not a word besides: bodies of HTTP answers.
 */
#ifndef WIRE_RAW_DIALECT_H
#define WIRE_RAW_DIALECT_H

#include "wire/dialect.h"

extern const struct dialect dialect_raw;

#endif
