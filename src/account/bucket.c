/*
 * bucket.c: a token bucket for limits per minute (see bucket.h).
 */
#include "account/bucket.h"

#define TOKEN INT64_C(60000000) /* the microseconds of a minute */

static int64_t bucket_min(int64_t value, int64_t max)
{
	return value < max ? value : max;
}

static int64_t bucket_capacity(const struct bucket *bucket)
{
	return bucket->per_minute * TOKEN;
}

static void bucket_refill(struct bucket *bucket, uint64_t now_us)
{
	uint64_t elapsed_us = now_us - bucket->at_us;
	uint64_t missing = (uint64_t)(bucket_capacity(bucket) - bucket->level);

	/* If the clock was set back nothing is refilled, and time counts from there. */
	if (now_us < bucket->at_us)
		elapsed_us = 0;
	bucket->at_us = now_us;
	if (bucket->per_minute == 0)
		return;
	if (elapsed_us > missing / (uint64_t)bucket->per_minute)
		bucket->level = bucket_capacity(bucket);
	else
		bucket->level += (int64_t)elapsed_us * bucket->per_minute;
}

void bucket_init(struct bucket *bucket, int64_t per_minute, uint64_t now_us)
{
	bucket->per_minute = bucket_min(per_minute, BUCKET_MAX);
	bucket->level = per_minute < 0 ? 0 : bucket_capacity(bucket);
	bucket->at_us = now_us;
}

void bucket_resize(struct bucket *bucket, int64_t per_minute, uint64_t now_us)
{
	int64_t used;

	/* Keys are read again whenever something has changed in the store, mostly something else. */
	if (bucket_min(per_minute, BUCKET_MAX) == bucket->per_minute)
		return;
	if (per_minute < 0 || bucket->per_minute < 0) {
		bucket_init(bucket, per_minute, now_us);
		return;
	}
	bucket_refill(bucket, now_us);
	used = bucket_capacity(bucket) - bucket->level;
	bucket->per_minute = bucket_min(per_minute, BUCKET_MAX);
	/* A bucket that was made smaller is empty at worst, so that nobody waits for what was
	 * allowed before. */
	if (used > bucket_capacity(bucket))
		used = bucket_capacity(bucket);
	bucket->level = bucket_capacity(bucket) - used;
}

uint64_t bucket_wait_us(struct bucket *bucket, int64_t tokens, uint64_t now_us)
{
	int64_t missing;

	if (bucket->per_minute < 0)
		return 0;
	if (bucket->per_minute == 0)
		return tokens > 0 ? UINT64_MAX : 0;
	bucket_refill(bucket, now_us);
	missing = bucket_min(tokens, bucket->per_minute) * TOKEN - bucket->level;
	if (missing <= 0)
		return 0;
	return (uint64_t)((missing - 1) / bucket->per_minute) + 1;
}

void bucket_take(struct bucket *bucket, int64_t tokens, uint64_t now_us)
{
	/* The lowest level, so that it cannot overflow; a text of the greatest length stays
	 * above it. */
	const int64_t floor = -BUCKET_MAX * TOKEN / 2;
	int64_t amount = bucket_min(tokens, BUCKET_MAX / 2) * TOKEN;

	if (bucket->per_minute < 0)
		return;
	bucket_refill(bucket, now_us);
	bucket->level = bucket->level < floor + amount ? floor : bucket->level - amount;
}

void bucket_empty(struct bucket *bucket, uint64_t now_us)
{
	if (bucket->per_minute < 0)
		return;
	bucket_refill(bucket, now_us);
	bucket->level = bucket_min(bucket->level, 0);
}

int64_t bucket_left(struct bucket *bucket, uint64_t now_us)
{
	if (bucket->per_minute < 0)
		return INT64_MAX;
	bucket_refill(bucket, now_us);
	return bucket->level > 0 ? bucket->level / TOKEN : 0;
}
