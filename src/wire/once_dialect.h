/*
 * once_dialect.h: how /ws/tts says what happens to a request.
 *
 * The native messages without those of chunks and turns: a request has frames,
 * words and an end, which only its session can tell (reply_once_final).
 */
#ifndef WIRE_ONCE_DIALECT_H
#define WIRE_ONCE_DIALECT_H

#include "wire/dialect.h"

extern const struct dialect dialect_once;

#endif
