/*
 * bucket.h: how much may be used in a minute.
 *
 * A token bucket that holds a minute's worth and is refilled all the time.  The
 * clock is the caller's, monotonic.  What is in it is counted in sixty millionths
 * of a token, so that a refill is exact however often it is asked for.
 */
#ifndef ACCOUNT_BUCKET_H
#define ACCOUNT_BUCKET_H

#include <stdbool.h>
#include <stdint.h>

/* More than that a minute is as much as that: the figures stay within 64 bits. */
#define BUCKET_MAX INT64_C(100000000000)

struct bucket {
	int64_t per_minute; /* negative: there is no limit */
	int64_t level; /* below 0 after more was taken than it holds */
	uint64_t at_us; /* when the level was so */
};

/* Makes it full, or, of one that is in use, changes its size: what was used
 * counts on. */
void bucket_init(struct bucket *bucket, int64_t per_minute, uint64_t now_us);
void bucket_resize(struct bucket *bucket, int64_t per_minute, uint64_t now_us);

/* How long until `tokens` may be taken; 0: now.  UINT64_MAX: never.  Who wants more
 * than it ever holds waits until it is full. */
uint64_t bucket_wait_us(struct bucket *bucket, int64_t tokens, uint64_t now_us);

/* Takes them, also when it must go below zero for it. */
void bucket_take(struct bucket *bucket, int64_t tokens, uint64_t now_us);

/* Nothing is in it now, for another server has used it; it fills as ever. */
void bucket_empty(struct bucket *bucket, uint64_t now_us);

/* Whole tokens that are in it. */
int64_t bucket_left(struct bucket *bucket, uint64_t now_us);

#endif
