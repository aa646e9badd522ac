/*
 * bucket.h: a token bucket for limits per minute.
 *
 * It holds a minute's worth of tokens and is refilled continuously.  `now_us` is the time of a
 * monotonic clock.  The level is counted in sixty-millionths of a token (one microsecond adds
 * per_minute of them), so that a refill is exact however often it happens.
 */
#ifndef ACCOUNT_BUCKET_H
#define ACCOUNT_BUCKET_H

#include <stdbool.h>
#include <stdint.h>

/* The largest rate; larger ones count as this, so that the level fits into 64 bits. */
#define BUCKET_MAX INT64_C(100000000000)

struct bucket {
	int64_t per_minute; /* negative: there is no limit */
	/* In sixty-millionths of a token; negative after more was taken than was there. */
	int64_t level;
	uint64_t at_us; /* when the level was computed */
};

/* bucket_init makes it full. bucket_resize changes the size of one that is in use; what was used
 * stays used. */
void bucket_init(struct bucket *bucket, int64_t per_minute, uint64_t now_us);
void bucket_resize(struct bucket *bucket, int64_t per_minute, uint64_t now_us);

/* How long until `tokens` may be taken; 0: now, UINT64_MAX: never.  For more tokens than the bucket
 * can hold, it is the time until the bucket is full. */
uint64_t bucket_wait_us(struct bucket *bucket, int64_t tokens, uint64_t now_us);

/* Takes tokens, even if the level becomes negative. */
void bucket_take(struct bucket *bucket, int64_t tokens, uint64_t now_us);

/* Empties it, because another server has used the tokens. */
void bucket_empty(struct bucket *bucket, uint64_t now_us);

/* Whole tokens that are in it. */
int64_t bucket_left(struct bucket *bucket, uint64_t now_us);

#endif
