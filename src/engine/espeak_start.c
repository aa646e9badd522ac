/*
 * espeak_start.c: initializes eSpeak NG (see espeak_start.h).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * eSpeak NG is under the GPL, version 3 or later, and so is a program that links it.
 */
#include "engine/espeak_start.h"

#include <errno.h>
#include <espeak-ng/speak_lib.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

/* The library looks for an audio device even when it does not play anything, and the sound
 * libraries print errors when they cannot access one. These messages are suppressed, because
 * nothing is wrong. A worker may not open a file for writing, so standard error becomes a
 * descriptor that cannot be written to.
 *
 * PulseAudio's client also creates ~/.config/pulse and a directory in /tmp, if it can, to look
 * for a server there. An empty PULSE_SERVER prevents that. */
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
