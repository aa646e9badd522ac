/*
 * espeak_start.c: eSpeak NG, started (see espeak_start.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * eSpeak NG is under the GPL, version 3 or later, and so is a program that
 * links it.
 */
#include "engine/espeak_start.h"

#include <errno.h>
#include <espeak-ng/speak_lib.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

/* The library looks for a loudspeaker even when it is not to play anything, and
 * the sound libraries that it asks complain on standard error that they may
 * not.  Their words are dropped, for nothing is wrong: a worker may open no file
 * for writing, and a descriptor that cannot be written to does as well.
 *
 * One of them, PulseAudio's client, also creates ~/.config/pulse and a directory in /tmp
 * where nothing stops it, to look for a server there.  An empty PULSE_SERVER says that there
 * is none to look for. */
int espeak_start(uint32_t *sample_rate, int block_ms)
{
	int kept = dup(STDERR_FILENO);
	int nowhere = open("/dev/null", O_RDONLY | O_CLOEXEC);
	int rate;

	setenv("PULSE_SERVER", "", 1);
	if (kept >= 0 && nowhere >= 0)
		dup2(nowhere, STDERR_FILENO);
	rate = espeak_Initialize(AUDIO_OUTPUT_SYNCHRONOUS, block_ms, NULL,
				 espeakINITIALIZE_DONT_EXIT);
	if (kept >= 0) {
		dup2(kept, STDERR_FILENO);
		close(kept);
	}
	if (nowhere >= 0)
		close(nowhere);
	if (rate <= 0)
		return ENOENT;
	*sample_rate = (uint32_t)rate;
	return 0;
}
