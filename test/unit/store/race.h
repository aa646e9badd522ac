/*
 * race.h: runs the same operation on one store from many threads, each with its own handle.
 */
#ifndef TEST_STORE_RACE_H
#define TEST_STORE_RACE_H

#include <pthread.h>

#include "store/store.h"

#define RACERS 8

/* cmocka's asserts work only on the first thread, so a racer stores its error in `err`. */
struct racer {
	pthread_t thread;
	struct store *store;
	int number;
	int err;
	int64_t taken;
	pthread_barrier_t *start; /* makes all racers start at the same time */
};

/* Opens the address for each racer, or leaves that to them if it is NULL.  No racer may fail. */
void race(void *(*run)(void *racer), struct racer racers[RACERS], const char *address);

#endif
