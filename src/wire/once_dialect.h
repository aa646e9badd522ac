/*
 * once_dialect.h: how /ws/tts reports what happens to a request.
 *
 * It has the native messages without those about chunks and turns.  A request has frames, words and
 * an end, which only its session can write (reply_once_final).
 */
#ifndef WIRE_ONCE_DIALECT_H
#define WIRE_ONCE_DIALECT_H

#include "wire/dialect.h"

extern const struct dialect dialect_once;

#endif
