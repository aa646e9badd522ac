/*
 * progress.c: shows the progress of a long command (see progress.h).
 */
#include "cli/progress.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#define NOTHING_SHOWN 101u
#define MEGABYTE 1e6

/* In a log, the progress of smaller steps is not reported. */
#define QUARTERS_MIN 10000000u

void progress_init(struct progress *progress, bool quiet)
{
	*progress = (struct progress){
		.quiet = quiet, .terminal = isatty(STDOUT_FILENO) == 1, .shown = NOTHING_SHOWN};
}

void progress_step(struct progress *progress, const char *format, ...)
{
	va_list args;

	progress_end(progress);
	va_start(args, format);
	vsnprintf(progress->step, sizeof(progress->step), format, args);
	va_end(args);
	progress->shown = NOTHING_SHOWN;
	if (progress->quiet)
		return;
	printf("%s%s", progress->step, progress->terminal ? "" : "\n");
	fflush(stdout);
}

/* Each quarter is reported once, except the last: the next step implies it. */
static void progress_log_quarter(struct progress *progress, unsigned percent, uint64_t total)
{
	unsigned quarter = percent / 25 * 25;
	bool is_new = progress->shown == NOTHING_SHOWN || quarter > progress->shown;

	if (total < QUARTERS_MIN || !is_new || quarter == 0 || quarter == 100)
		return;
	progress->shown = quarter;
	printf("%u %% of %.0f MB\n", quarter, (double)total / MEGABYTE);
	fflush(stdout);
}

void progress_update(struct progress *progress, uint64_t done, uint64_t total)
{
	unsigned percent;

	if (done > total)
		done = total;
	percent = total ? (unsigned)(done * 100 / total) : 100;
	if (progress->quiet || percent == progress->shown)
		return;
	if (!progress->terminal) {
		progress_log_quarter(progress, percent, total);
		return;
	}
	progress->shown = percent;
	printf("\r%s  %3u %%  %.1f of %.1f MB", progress->step, percent, (double)done / MEGABYTE,
	       (double)total / MEGABYTE);
	fflush(stdout);
}

void progress_end(struct progress *progress)
{
	if (progress->step[0] != '\0' && !progress->quiet && progress->terminal)
		printf("\n");
	progress->step[0] = '\0';
}
