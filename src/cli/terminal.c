/*
 * terminal.c: uses the full screen of a terminal (see terminal.h).
 */
#include "cli/terminal.h"

#include <errno.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Supported by xterm and all later terminals: the alternate screen, no cursor, no wrapping; and
 * back. */
#define BORROW "\033[?1049h\033[?25l\033[?7l"
#define GIVE_BACK "\033[?7h\033[?25h\033[?1049l"
#define CORNER "\033[H"
#define CLEAR_REST "\033[J"

static int terminal_flush(void)
{
	return fflush(stdout) == 0 ? 0 : errno;
}

int terminal_open(struct terminal *terminal)
{
	struct termios raw;

	terminal->has_keys = tcgetattr(STDIN_FILENO, &terminal->before) == 0;
	if (terminal->has_keys) {
		raw = terminal->before;
		raw.c_lflag &= (tcflag_t) ~(ICANON | ECHO);
		raw.c_cc[VMIN] = 1;
		raw.c_cc[VTIME] = 0;
		raw.c_cc[VSUSP] = _POSIX_VDISABLE;
		if (tcsetattr(STDIN_FILENO, TCSAFLUSH, &raw) != 0)
			return errno;
	}
	terminal->is_open = true;
	fputs(BORROW, stdout);
	return terminal_flush();
}

void terminal_close(struct terminal *terminal)
{
	if (!terminal->is_open)
		return;
	terminal->is_open = false;
	fputs(GIVE_BACK, stdout);
	(void)terminal_flush();
	if (terminal->has_keys)
		tcsetattr(STDIN_FILENO, TCSAFLUSH, &terminal->before);
}

void terminal_size(unsigned *columns, unsigned *rows)
{
	struct winsize size = {0};

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0)
		size = (struct winsize){0};
	*columns = size.ws_col ? size.ws_col : 80;
	*rows = size.ws_row ? size.ws_row : 24;
}

int terminal_show(const struct buf *picture)
{
	fputs(CORNER, stdout);
	fwrite(picture->bytes, 1, picture->len, stdout);
	fputs(CLEAR_REST, stdout);
	return terminal_flush();
}
