/*
 * interrupt.c: a signal that asks a long command to end (see interrupt.h).
 */
#include "cli/interrupt.h"

#include <signal.h>
#include <stddef.h>
#include <unistd.h>

#include "base/count.h"

static const int interrupt_numbers[] = {SIGINT, SIGTERM, SIGHUP};
static volatile sig_atomic_t came; /* the signal's number; 0: none */
static const char *const *volatile interrupt_paths;

static void interrupt_on_signal(int number)
{
	came = number;
}

void interrupt_watch(void)
{
	const struct sigaction action = {.sa_handler = interrupt_on_signal};

	for (size_t i = 0; i < COUNT(interrupt_numbers); ++i)
		sigaction(interrupt_numbers[i], &action, NULL);
}

/* Calls only what a handler may call.  The signal comes again when it is unblocked, and ends the
 * process, so that a shell knows why. */
static void interrupt_on_removal(int number)
{
	const struct sigaction action = {.sa_handler = SIG_DFL};
	sigset_t signals;

	for (const char *const *path = interrupt_paths; *path; ++path)
		unlink(*path);
	sigaction(number, &action, NULL);
	sigemptyset(&signals);
	sigaddset(&signals, number);
	raise(number);
	sigprocmask(SIG_UNBLOCK, &signals, NULL);
}

void interrupt_remove(const char *const *paths)
{
	const struct sigaction action = {.sa_handler = interrupt_on_removal};
	struct sigaction before;

	interrupt_paths = paths;
	for (size_t i = 0; i < COUNT(interrupt_numbers); ++i) {
		if (sigaction(interrupt_numbers[i], NULL, &before) == 0 &&
		    before.sa_handler != SIG_IGN)
			sigaction(interrupt_numbers[i], &action, NULL);
	}
}

bool interrupt_came(void)
{
	return came != 0;
}

void interrupt_watch_keys(void)
{
	const struct sigaction action = {.sa_handler = interrupt_on_signal};

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
