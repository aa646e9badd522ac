/*
 * signal.h: the sounds that audio tests feed in, all of them repeatable.
 */
#ifndef TEST_SIGNAL_H
#define TEST_SIGNAL_H

#include <stddef.h>
#include <stdint.h>

/* A sine of this many hertz, from phase 0 at sample 0. */
void signal_sine(int16_t *samples, size_t count, double amplitude, double hz, unsigned rate);

/* Speech-like: harmonics of 120 Hz up to 3 kHz, swelling and fading four times
 * a second, in a whole envelope that begins and ends in 30 ms of silence. */
void signal_speech(int16_t *samples, size_t count, unsigned rate);

/* The decibels by which the sine that should be there exceeds what differs
 * from it: level, phase and noise all count.  samples[0] is sample `first`. */
double signal_snr_db(const int16_t *samples, size_t count, size_t first, double amplitude,
		     double hz, unsigned rate);

/* Root mean square. */
double signal_rms(const int16_t *samples, size_t count);

/* The largest step between neighbours. */
int signal_step_max(const int16_t *samples, size_t count);

/* A number below n, from a generator that starts the same in every test run. */
size_t signal_random(uint32_t *seed, size_t n);

#endif
