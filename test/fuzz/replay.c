/*
 * replay.c: runs a fuzz driver with the files of a directory, so that a corpus, including every
 * input that has failed before, is also a unit test.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

static int replay(const char *path)
{
	FILE *file = fopen(path, "rb");
	uint8_t *bytes = NULL;
	size_t len = 0;
	size_t size = 0;

	if (!file)
		return -1;
	do {
		if (len == size) {
			uint8_t *more = realloc(bytes, size += 65536);

			if (!more)
				abort();
			bytes = more;
		}
		len += fread(bytes + len, 1, size - len, file);
	} while (!feof(file) && !ferror(file));
	fclose(file);
	LLVMFuzzerTestOneInput(bytes, len);
	free(bytes);
	return 0;
}

int main(int argc, char **argv)
{
	unsigned count = 0;

	for (int i = 1; i < argc; ++i) {
		struct dirent *entry;
		DIR *dir = opendir(argv[i]);

		if (!dir) {
			perror(argv[i]);
			return 1;
		}
		while ((entry = readdir(dir))) {
			char path[4096];

			if (entry->d_name[0] == '.')
				continue;
			snprintf(path, sizeof(path), "%s/%s", argv[i], entry->d_name);
			if (replay(path) == 0)
				++count;
		}
		closedir(dir);
	}
	printf("%u inputs\n", count);
	return count > 0 ? 0 : 1; /* an empty corpus proves nothing */
}
