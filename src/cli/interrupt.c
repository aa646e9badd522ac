/*
 * interrupt.c: lets a long command react to signals (see interrupt.h).
 */
#include "cli/interrupt.h"

#include <signal.h>
#include <stddef.h>
#include <unistd.h>

#include "base/count.h"

static const int interrupt_numbers[] = {SIGINT, SIGTERM, SIGHUP};
static volatile sig_atomic_t pending_signal; /* the number of the signal that arrived, or 0 */
static const char *const *volatile interrupt_paths;

static void interrupt_on_signal(int number)
{
	pending_signal = number;
}

void interrupt_watch(void)
{
	const struct sigaction action = {.sa_handler = interrupt_on_signal};

	for (size_t i = 0; i < COUNT(interrupt_numbers); ++i)
		sigaction(interrupt_numbers[i], &action, NULL);
}

/* Calls only async-signal-safe functions. The signal is raised again; when it is unblocked it
 * ends the process, so that a shell sees the reason. */
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

void interrupt_remove_files(const char *const *paths)
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

bool interrupt_is_pending(void)
{
	return pending_signal != 0;
}

void interrupt_watch_keys(void)
{
	const struct sigaction action = {.sa_handler = interrupt_on_signal};

	sigaction(SIGINT, &action, NULL);
}

bool interrupt_take(void)
{
	bool is_pending = pending_signal != 0;

	pending_signal = 0;
	return is_pending;
}

void interrupt_raise_again(void)
{
	const struct sigaction action = {.sa_handler = SIG_DFL};
	int number = pending_signal;

	if (number == 0)
		return;
	sigaction(number, &action, NULL);
	raise(number);
}
