/*
 * walk.c: runs a fuzz driver for a given number of random steps.  The same seed produces the same
 * inputs.
 */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

/* Bytes of one input: a few hundred steps. */
#define INPUT_LEN 900
#define BYTES_PER_STEP 3 /* approximately: the operation, its context, its parameter */

static char farewell[64]; /* contains the seed of the current input */

/* Prints the seed, so that a walk that failed can be repeated from there. */
static void walk_on_abort(int number)
{
	(void)number;
	(void)!write(STDERR_FILENO, farewell, strlen(farewell));
}

/* xorshift64* is random enough for this, and the same on every machine. */
static uint64_t walk_random_number(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * UINT64_C(2685821657736338717);
}

int main(int argc, char **argv)
{
	static uint8_t bytes[INPUT_LEN];
	unsigned long long steps = argc > 1 ? strtoull(argv[1], NULL, 10) : 100000;
	uint64_t state = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
	unsigned long long done = 0;

	if (state == 0 || steps == 0) {
		fprintf(stderr, "usage: %s STEPS SEED (neither 0)\n", argv[0]);
		return 2;
	}
	signal(SIGABRT, walk_on_abort);
	while (done < steps) {
		uint64_t before = state;
		size_t len = 1 + walk_random_number(&state) % INPUT_LEN;

		for (size_t i = 0; i < len; ++i)
			bytes[i] = (uint8_t)(walk_random_number(&state) >> 56);
		snprintf(farewell, sizeof(farewell), "walk: it was seed %llu\n",
			 (unsigned long long)before);
		LLVMFuzzerTestOneInput(bytes, len);
		done += len / BYTES_PER_STEP;
	}
	printf("about %llu steps\n", done);
	return 0;
}
