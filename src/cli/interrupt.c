/*
 * interrupt.c: a signal that asks a long command to end (see interrupt.h).
 */
#include "cli/interrupt.h"

#include <signal.h>
#include <stddef.h>

#include "base/count.h"

static volatile sig_atomic_t came; /* the signal's number; 0: none */

static void on_signal(int number)
{
	came = number;
}

void interrupt_watch(void)
{
	static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
	const struct sigaction action = {.sa_handler = on_signal};

	for (size_t i = 0; i < COUNT(numbers); ++i)
		sigaction(numbers[i], &action, NULL);
}

bool interrupt_came(void)
{
	return came != 0;
}

void interrupt_watch_keys(void)
{
	const struct sigaction action = {.sa_handler = on_signal};

	sigaction(SIGINT, &action, NULL);
}

bool interrupt_take(void)
{
	bool has_come = came != 0;

	came = 0;
	return has_come;
}

void interrupt_pass_on(void)
{
	const struct sigaction action = {.sa_handler = SIG_DFL};
	int number = came;

	if (number == 0)
		return;
	sigaction(number, &action, NULL);
	raise(number);
}
