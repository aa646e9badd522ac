/*
 * bucket.c: how much may be used in a minute (see bucket.h).
 */
#include "account/bucket.h"

#define TOKEN INT64_C(60000000) /* the microseconds of a minute */

static int64_t at_most(int64_t value, int64_t max)
{
	return value < max ? value : max;
}

static int64_t full(const struct bucket *bucket)
{
	return bucket->per_minute * TOKEN;
}

static void refill(struct bucket *bucket, uint64_t now_us)
{
	uint64_t elapsed_us = now_us - bucket->at_us;
	uint64_t missing = (uint64_t)(full(bucket) - bucket->level);

	/* A clock that went back gives nothing, and counts on from where it is. */
	if (now_us < bucket->at_us)
		elapsed_us = 0;
	bucket->at_us = now_us;
	if (bucket->per_minute == 0)
		return;
	if (elapsed_us > missing / (uint64_t)bucket->per_minute)
		bucket->level = full(bucket);
	else
		bucket->level += (int64_t)elapsed_us * bucket->per_minute;
}

void bucket_init(struct bucket *bucket, int64_t per_minute, uint64_t now_us)
{
	bucket->per_minute = at_most(per_minute, BUCKET_MAX);
	bucket->level = per_minute < 0 ? 0 : full(bucket);
	bucket->at_us = now_us;
}

void bucket_resize(struct bucket *bucket, int64_t per_minute, uint64_t now_us)
{
	int64_t used;

	if (per_minute < 0 || bucket->per_minute < 0) {
		bucket_init(bucket, per_minute, now_us);
		return;
	}
	refill(bucket, now_us);
	used = full(bucket) - bucket->level;
	bucket->per_minute = at_most(per_minute, BUCKET_MAX);
	/* A smaller one is empty at worst: nobody is to wait for what was allowed. */
	if (used > full(bucket))
		used = full(bucket);
	bucket->level = full(bucket) - used;
}

uint64_t bucket_wait_us(struct bucket *bucket, int64_t tokens, uint64_t now_us)
{
	int64_t missing;

	if (bucket->per_minute < 0)
		return 0;
	if (bucket->per_minute == 0)
		return tokens > 0 ? UINT64_MAX : 0;
	refill(bucket, now_us);
	missing = at_most(tokens, bucket->per_minute) * TOKEN - bucket->level;
	if (missing <= 0)
		return 0;
	return (uint64_t)((missing - 1) / bucket->per_minute) + 1;
}

void bucket_take(struct bucket *bucket, int64_t tokens, uint64_t now_us)
{
	/* Never lower than this: the longest debt is of one text of the longest kind. */
	const int64_t floor = -BUCKET_MAX * TOKEN / 2;
	int64_t amount = at_most(tokens, BUCKET_MAX / 2) * TOKEN;

	if (bucket->per_minute < 0)
		return;
	refill(bucket, now_us);
	bucket->level = bucket->level < floor + amount ? floor : bucket->level - amount;
}

void bucket_empty(struct bucket *bucket, uint64_t now_us)
{
	if (bucket->per_minute < 0)
		return;
	refill(bucket, now_us);
	bucket->level = at_most(bucket->level, 0);
}

int64_t bucket_left(struct bucket *bucket, uint64_t now_us)
{
	if (bucket->per_minute < 0)
		return INT64_MAX;
	refill(bucket, now_us);
	return bucket->level > 0 ? bucket->level / TOKEN : 0;
}
