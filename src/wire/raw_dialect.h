/*
 * raw_dialect.h: audio without any other message, for the bodies of HTTP answers.
 */
#ifndef WIRE_RAW_DIALECT_H
#define WIRE_RAW_DIALECT_H

#include "wire/dialect.h"

extern const struct dialect dialect_raw;

#endif
