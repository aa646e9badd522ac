/*
 * quota.c: what an account or a key has used of its limits (see quota.h).
 */
#include "account/quota.h"

#include <assert.h>
#include <stddef.h>

#include "base/clock.h"

const struct store_limits quota_no_limits = {STORE_LIMIT_NONE, STORE_LIMIT_NONE, STORE_LIMIT_NONE,
					     STORE_LIMIT_NONE, STORE_LIMIT_NONE, STORE_LIMIT_NONE};

/* The offsets of each meter's limit, and of its slots or its bucket. */
static const struct {
	size_t limit, slots, bucket;
} quota_meters[QUOTA_METERS] = {
	[STORE_METER_TURNS] = {offsetof(struct store_limits, turns), offsetof(struct quota, turns),
			       0},
	[STORE_METER_CONNECTIONS] = {offsetof(struct store_limits, connections),
				     offsetof(struct quota, connections), 0},
	[STORE_METER_REQUESTS] = {offsetof(struct store_limits, requests_per_minute), 0,
				  offsetof(struct quota, requests)},
	[STORE_METER_CHARACTERS] = {offsetof(struct store_limits, characters_per_minute), 0,
				    offsetof(struct quota, characters)},
	[STORE_METER_HEARD] = {offsetof(struct store_limits, heard_seconds_per_minute), 0,
			       offsetof(struct quota, heard)},
};

static int64_t *quota_number_at(void *object, size_t offset)
{
	return (int64_t *)(void *)((char *)object + offset);
}

static struct bucket *quota_bucket_of(struct quota *quota, enum store_meter meter)
{
	size_t offset = quota_meters[meter].bucket;

	return offset ? (struct bucket *)(void *)((char *)quota + offset) : NULL;
}

void quota_init(struct quota *quota, enum store_holder_kind kind, int64_t id,
		const struct store_limits *limits, uint64_t now_us)
{
	*quota =
		(struct quota){.holder = {kind, id}, .limits = *limits, .made_ms = clock_wall_ms()};
	bucket_init(&quota->requests, limits->requests_per_minute, now_us);
	bucket_init(&quota->characters, limits->characters_per_minute, now_us);
	bucket_init(&quota->heard, limits->heard_seconds_per_minute, now_us);
}

void quota_set_limits(struct quota *quota, const struct store_limits *limits, uint64_t now_us)
{
	quota->limits = *limits;
	bucket_resize(&quota->requests, limits->requests_per_minute, now_us);
	bucket_resize(&quota->characters, limits->characters_per_minute, now_us);
	bucket_resize(&quota->heard, limits->heard_seconds_per_minute, now_us);
}

static int64_t quota_resolve_one(int64_t own, int64_t plan)
{
	int64_t limit = own == STORE_LIMIT_PLAN ? plan : own;

	return limit < 0 ? STORE_LIMIT_NONE : limit;
}

void quota_resolve(struct store_limits *limits, const struct store_limits *own,
		   const struct store_limits *plan)
{
	*limits = (struct store_limits){
		.turns = quota_resolve_one(own->turns, plan->turns),
		.connections = quota_resolve_one(own->connections, plan->connections),
		.requests_per_minute =
			quota_resolve_one(own->requests_per_minute, plan->requests_per_minute),
		.characters_per_minute =
			quota_resolve_one(own->characters_per_minute, plan->characters_per_minute),
		.text_max = quota_resolve_one(own->text_max, plan->text_max),
		.heard_seconds_per_minute = quota_resolve_one(own->heard_seconds_per_minute,
							      plan->heard_seconds_per_minute),
	};
}

int64_t quota_limit(const struct quota *quota, enum store_meter meter)
{
	struct store_limits limits = quota->limits;

	return *quota_number_at(&limits, quota_meters[meter].limit);
}

uint64_t quota_wait_us(struct quota *quota, enum store_meter meter, int64_t amount, uint64_t now_us)
{
	struct bucket *bucket = quota_bucket_of(quota, meter);
	int64_t limit = quota_limit(quota, meter);

	if (bucket)
		return bucket_wait_us(bucket, amount, now_us);
	return limit < 0 || *quota_number_at(quota, quota_meters[meter].slots) + amount <= limit
		       ? 0
		       : QUOTA_NEVER;
}

void quota_take(struct quota *quota, enum store_meter meter, int64_t amount, uint64_t now_us)
{
	struct bucket *bucket = quota_bucket_of(quota, meter);

	if (bucket) {
		bucket_take(bucket, amount, now_us);
	} else {
		int64_t *slots = quota_number_at(quota, quota_meters[meter].slots);

		*slots += amount;
		assert(*slots >= 0);
	}
}
