/*
 * mapping.c: a file mapped into memory (see mapping.h).
 */
#include "engine/neural/mapping.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Models of two hundred million parameters: larger ones are too slow for conversations. */
#define SIZE_LIMIT (1024u << 20)

int mapping_open(struct mapping *mapping, const char *path, char why[RUNTIME_WHY_SIZE])
{
	struct stat status;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* opening a pipe would block */
	int err = 0;

	if (fd < 0 || fstat(fd, &status) != 0) {
		err = errno;
		snprintf(why, RUNTIME_WHY_SIZE, "cannot be read: %s", strerror(err));
	} else if (!S_ISREG(status.st_mode) || status.st_size == 0) {
		err = EINVAL;
		snprintf(why, RUNTIME_WHY_SIZE, "is empty or no file");
	} else if (status.st_size > SIZE_LIMIT) {
		err = EFBIG;
		snprintf(why, RUNTIME_WHY_SIZE, "is larger than %u MiB", SIZE_LIMIT >> 20);
	} else {
		size_t len = (size_t)status.st_size;
		void *bytes = mmap(NULL, len, PROT_READ, MAP_PRIVATE, fd, 0);

		if (bytes == MAP_FAILED) {
			err = errno;
			snprintf(why, RUNTIME_WHY_SIZE, "cannot be read: %s", strerror(err));
		} else {
			*mapping = (struct mapping){.bytes = bytes, .len = len};
		}
	}
	if (fd >= 0)
		close(fd);
	return err;
}

void mapping_close(struct mapping *mapping)
{
	if (mapping->bytes)
		munmap(mapping->bytes, mapping->len);
	*mapping = (struct mapping){0};
}
