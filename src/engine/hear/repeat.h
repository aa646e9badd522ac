/*
 * repeat.h: a decoder that repeats itself.
 *
 * A model that hears something unlike speech, or that has lost its way, says the same words over and
 * over until it is stopped. A decoding ends when its last tokens are such a loop.
 */
#ifndef ENGINE_HEAR_REPEAT_H
#define ENGINE_HEAR_REPEAT_H

#include <stddef.h>
#include <stdint.h>

/* How many of the tokens remain when the last ones are a phrase that is repeated over and over, of
 * which one occurrence remains; all of them otherwise. */
size_t repeat_cut(const int64_t *tokens, size_t count);

#endif
