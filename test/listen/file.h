/*
 * file.h: files read whole, and the WAV files that `syrinx say` writes.
 */
#ifndef LISTEN_FILE_H
#define LISTEN_FILE_H

#include <stddef.h>
#include <stdint.h>

/* The bytes and a NUL after them, malloc'ed.  ENOENT: it cannot be opened; EIO,
 * ENOMEM. */
int file_read(char **bytesp, size_t *lenp, const char *path);

struct recording {
	unsigned rate;
	int16_t *samples; /* malloc'ed */
	size_t count;
};

/* EINVAL: it is no WAV file, or none of one channel of 16 bits. */
int file_read_wav(struct recording *recording, const char *path);

#endif
