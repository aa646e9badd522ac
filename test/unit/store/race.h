/*
 * race.h: many threads that do the same to one store, each with a handle of its own.
 */
#ifndef TEST_STORE_RACE_H
#define TEST_STORE_RACE_H

#include <pthread.h>

#include "store/store.h"

#define RACERS 8

/* cmocka's asserts belong to the first thread alone: what went wrong in a racer is its
 * err. */
struct racer {
	pthread_t thread;
	struct store *store;
	int number;
	int err;
	int64_t taken;
	pthread_barrier_t *start; /* the line they wait at */
};

/* Opens the address for each, or leaves that to them (NULL); none may fail. */
void race(void *(*run)(void *racer), struct racer racers[RACERS], const char *address);

#endif
