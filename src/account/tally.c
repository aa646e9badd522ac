/*
 * tally.c: what an account or a key has used of its limits (see tally.h).
 */
#include "account/tally.h"

#include <assert.h>
#include <stddef.h>

/* Where the limits, the slots and the buckets of a meter are. */
static const struct {
	size_t limit, slots, bucket;
} places[TALLY_METERS] = {
	[STORE_METER_TURNS] = {offsetof(struct store_limits, turns), offsetof(struct tally, turns),
			       0},
	[STORE_METER_CONNECTIONS] = {offsetof(struct store_limits, connections),
				     offsetof(struct tally, connections), 0},
	[STORE_METER_REQUESTS] = {offsetof(struct store_limits, requests_per_minute), 0,
				  offsetof(struct tally, requests)},
	[STORE_METER_CHARACTERS] = {offsetof(struct store_limits, characters_per_minute), 0,
				    offsetof(struct tally, characters)},
};

static int64_t *number_at(void *object, size_t offset)
{
	return (int64_t *)(void *)((char *)object + offset);
}

static struct bucket *bucket_of(struct tally *tally, enum store_meter meter)
{
	size_t offset = places[meter].bucket;

	return offset ? (struct bucket *)(void *)((char *)tally + offset) : NULL;
}

void tally_init(struct tally *tally, enum store_holder_kind kind, int64_t id,
		const struct store_limits *limits, uint64_t now_us)
{
	*tally = (struct tally){.holder = {kind, id}, .limits = *limits};
	bucket_init(&tally->requests, limits->requests_per_minute, now_us);
	bucket_init(&tally->characters, limits->characters_per_minute, now_us);
}

void tally_set_limits(struct tally *tally, const struct store_limits *limits, uint64_t now_us)
{
	tally->limits = *limits;
	bucket_resize(&tally->requests, limits->requests_per_minute, now_us);
	bucket_resize(&tally->characters, limits->characters_per_minute, now_us);
}

static int64_t resolve(int64_t own, int64_t plan)
{
	int64_t limit = own == STORE_LIMIT_PLAN ? plan : own;

	return limit < 0 ? STORE_LIMIT_NONE : limit;
}

void tally_resolve(struct store_limits *limits, const struct store_limits *own,
		   const struct store_limits *plan)
{
	*limits = (struct store_limits){
		.turns = resolve(own->turns, plan->turns),
		.connections = resolve(own->connections, plan->connections),
		.requests_per_minute = resolve(own->requests_per_minute, plan->requests_per_minute),
		.characters_per_minute =
			resolve(own->characters_per_minute, plan->characters_per_minute),
		.text_max = resolve(own->text_max, plan->text_max),
	};
}

int64_t tally_limit(const struct tally *tally, enum store_meter meter)
{
	struct store_limits limits = tally->limits;

	return *number_at(&limits, places[meter].limit);
}

uint64_t tally_wait_us(struct tally *tally, enum store_meter meter, int64_t amount, uint64_t now_us)
{
	struct bucket *bucket = bucket_of(tally, meter);
	int64_t limit = tally_limit(tally, meter);

	if (bucket)
		return bucket_wait_us(bucket, amount, now_us);
	return limit < 0 || *number_at(tally, places[meter].slots) + amount <= limit ? 0
										     : TALLY_NEVER;
}

void tally_take(struct tally *tally, enum store_meter meter, int64_t amount, uint64_t now_us)
{
	struct bucket *bucket = bucket_of(tally, meter);

	if (bucket) {
		bucket_take(bucket, amount, now_us);
	} else {
		int64_t *slots = number_at(tally, places[meter].slots);

		*slots += amount;
		assert(*slots >= 0);
	}
}
