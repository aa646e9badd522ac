/*
 * race.c: many threads that do the same to one store (see race.h).
 */
#include "race.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/mem.h"

void race(void *(*run)(void *racer), struct racer racers[RACERS], const char *address)
{
	pthread_barrier_t start;

	pthread_barrier_init(&start, NULL, RACERS);
	for (int i = 0; i < RACERS; ++i) {
		racers[i] = (struct racer){.number = i, .start = &start};
		if (address)
			assert_int_equal(store_open(&racers[i].store, address), 0);
		assert_int_equal(pthread_create(&racers[i].thread, NULL, run, &racers[i]), 0);
	}
	for (int i = 0; i < RACERS; ++i) {
		pthread_join(racers[i].thread, NULL);
		mem_deref(racers[i].store);
		assert_int_equal(racers[i].err, 0);
	}
	pthread_barrier_destroy(&start);
}
