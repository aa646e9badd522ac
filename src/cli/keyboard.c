/*
 * keyboard.c: reads a terminal's keys one by one (see keyboard.h).
 */
#include "cli/keyboard.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <termios.h>
#include <unistd.h>

#include "base/count.h"

static const int endings[] = {SIGHUP, SIGQUIT, SIGTERM, SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL};

/* Global, because a signal handler has no other way to find it. */
static struct {
	volatile sig_atomic_t is_open;
	pid_t owner; /* a child process must not change the terminal */
	struct termios before;
	struct sigaction old[COUNT(endings)];
} keyboard;

static bool keyboard_give_back(void)
{
	if (!keyboard.is_open || keyboard.owner != getpid())
		return false;
	keyboard.is_open = 0;
	(void)tcsetattr(STDIN_FILENO, TCSADRAIN, &keyboard.before);
	return true;
}

/* A fault occurs again on return and then reaches the previous handler, such as a sanitizer's;
 * any other signal is raised again. */
static bool keyboard_is_fault(const siginfo_t *info)
{
	return info->si_code > 0 && (info->si_signo == SIGSEGV || info->si_signo == SIGBUS ||
				     info->si_signo == SIGFPE || info->si_signo == SIGILL);
}

static void keyboard_on_ending(int number, siginfo_t *info, void *context)
{
	(void)context;
	if (keyboard_give_back() && write(STDOUT_FILENO, "\r\n", 2) < 0)
		_exit(1); /* the terminal is closed */
	for (size_t i = 0; i < COUNT(endings); ++i) {
		if (endings[i] == number)
			sigaction(number, &keyboard.old[i], NULL);
	}
	if (!keyboard_is_fault(info))
		raise(number);
}

void keyboard_close(void)
{
	if (!keyboard_give_back())
		return;
	for (size_t i = 0; i < COUNT(endings); ++i)
		sigaction(endings[i], &keyboard.old[i], NULL);
}

static void keyboard_watch_endings(void)
{
	const struct sigaction action = {.sa_sigaction = keyboard_on_ending,
					 .sa_flags = SA_SIGINFO};

	for (size_t i = 0; i < COUNT(endings); ++i)
		sigaction(endings[i], &action, &keyboard.old[i]);
}

int keyboard_open(void)
{
	struct termios raw;

	if (tcgetattr(STDIN_FILENO, &keyboard.before) != 0)
		return errno;
	if (atexit(keyboard_close) != 0)
		return ENOMEM;
	raw = keyboard.before;
	raw.c_lflag &= (tcflag_t) ~(ICANON | ECHO | IEXTEN);
	raw.c_cc[VMIN] = 1;
	raw.c_cc[VTIME] = 0;
	raw.c_cc[VINTR] = _POSIX_VDISABLE;
	raw.c_cc[VSUSP] = _POSIX_VDISABLE;
	keyboard.owner = getpid();
	keyboard.is_open = 1;
	keyboard_watch_endings();
	if (tcsetattr(STDIN_FILENO, TCSADRAIN, &raw) == 0)
		return 0;
	keyboard_close();
	return EIO;
}
