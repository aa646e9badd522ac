/*
 * file.c: reading files (see file.h).
 */
#include "file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int file_read(char **bytesp, size_t *lenp, const char *path)
{
	FILE *file = fopen(path, "rb");
	char *bytes = NULL;
	long len = -1;
	int err = EIO;

	if (!file)
		return ENOENT;
	if (fseek(file, 0, SEEK_END) == 0)
		len = ftell(file);
	if (len >= 0 && fseek(file, 0, SEEK_SET) == 0) {
		bytes = malloc((size_t)len + 1);
		if (!bytes)
			err = ENOMEM;
		else if (fread(bytes, 1, (size_t)len, file) == (size_t)len)
			err = 0;
	}
	fclose(file);
	if (err) {
		free(bytes);
		return err;
	}
	bytes[len] = '\0';
	*bytesp = bytes;
	*lenp = (size_t)len;
	return 0;
}

static uint32_t read_u32(const char *bytes)
{
	uint32_t value; /* little endian, as every machine is that we know */

	memcpy(&value, bytes, sizeof(value));
	return value;
}

static uint16_t read_u16(const char *bytes)
{
	uint16_t value;

	memcpy(&value, bytes, sizeof(value));
	return value;
}

#define PCM 1

static int read_format(struct recording *recording, const char *chunk, size_t len)
{
	if (len < 16 || read_u16(chunk) != PCM || read_u16(chunk + 2) != 1 ||
	    read_u16(chunk + 14) != 16)
		return EINVAL;
	recording->rate = read_u32(chunk + 4);
	return recording->rate >= 8000 && recording->rate <= 48000 ? 0 : EINVAL;
}

static int copy_samples(struct recording *recording, const char *chunk, size_t len)
{
	recording->count = len / sizeof(int16_t);
	recording->samples = malloc(len + sizeof(int16_t));
	if (!recording->samples)
		return ENOMEM;
	memcpy(recording->samples, chunk, recording->count * sizeof(int16_t));
	return 0;
}

/* Chunk after chunk until the samples; a file that was written to a pipe says
 * that they are longer than the file is. */
static int parse(struct recording *recording, const char *bytes, size_t len)
{
	size_t at = 12;

	if (len < 12 || memcmp(bytes, "RIFF", 4) != 0 || memcmp(bytes + 8, "WAVE", 4) != 0)
		return EINVAL;
	while (len - at >= 8) {
		const char *chunk = bytes + at + 8;
		size_t room = len - at - 8;
		size_t size = read_u32(bytes + at + 4);

		if (size > room)
			size = room;
		if (memcmp(bytes + at, "fmt ", 4) == 0 && read_format(recording, chunk, size) != 0)
			return EINVAL;
		if (memcmp(bytes + at, "data", 4) == 0)
			return recording->rate ? copy_samples(recording, chunk, size) : EINVAL;
		at += 8 + size + (size & 1 && size < room);
	}
	return EINVAL;
}

int file_read_wav(struct recording *recording, const char *path)
{
	char *bytes;
	size_t len;
	int err = file_read(&bytes, &len, path);

	if (err)
		return err;
	memset(recording, 0, sizeof(*recording));
	err = parse(recording, bytes, len);
	free(bytes);
	return err;
}
