/*
 * fuzz_npm_config.c: npm's configuration, from the .npmrc of a user.
 *
 * Checked: values fit their buffers and have one line, the registry is the address of a folder, and
 * a value that is too long is refused with a reason that does not repeat it.
 */
#include <assert.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/count.h"
#include "cli/npm_config.h"

/* The registry's folders are looked up one by one, and each reads the file again. */
#define FUZZ_LEN_MAX 16384u

#define FUZZ_SECRET "thisisthesecret"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

/* A file in memory that can be opened by its name again and again. */
static int fuzz_open_file(void)
{
	static const char *const others[] = {"HTTPS_PROXY",        "https_proxy", "HTTP_PROXY",
					     "http_proxy",         "NO_PROXY",    "no_proxy",
					     "NODE_EXTRA_CA_CERTS"};
	int fd = memfd_create("npmrc", MFD_CLOEXEC);
	char path[32];

	assert(fd >= 0);
	for (size_t i = 0; i < COUNT(others); ++i)
		unsetenv(others[i]);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	setenv("npm_config_userconfig", path, 1);
	setenv("npm_config_globalconfig", "/dev/null", 1);
	setenv("TOKEN", FUZZ_SECRET, 1);
	return fd;
}

static void fuzz_check_value(const char value[NPM_CONFIG_VALUE_SIZE])
{
	assert(memchr(value, '\0', NPM_CONFIG_VALUE_SIZE));
	assert(!strchr(value, '\n'));
}

static void fuzz_check(const struct npm_config *config)
{
	static const char *const hosts[] = {"a", "r.test", "registry.npmjs.org", "10.0.0.1"};
	const char *authorization = config->authorization;

	fuzz_check_value(config->registry);
	fuzz_check_value(config->proxy);
	fuzz_check_value(config->https_proxy);
	fuzz_check_value(config->no_proxy);
	fuzz_check_value(config->ca_file);
	fuzz_check_value(config->extra_ca_file);
	fuzz_check_value(authorization);
	assert(config->registry[0] && config->registry[strlen(config->registry) - 1] == '/');
	assert(!authorization[0] || strncmp(authorization, "Bearer ", 7) == 0 ||
	       strncmp(authorization, "Basic ", 6) == 0);
	for (size_t i = 0; i < COUNT(hosts); ++i) {
		const char *proxy = npm_config_proxy(config, i % 2, hosts[i]);

		assert(!*proxy || proxy == config->proxy || proxy == config->https_proxy);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	static int fd = -1;
	static struct npm_config config;
	char why[NPM_CONFIG_WHY_SIZE];
	int err;

	if (len > FUZZ_LEN_MAX)
		return 0;
	if (fd < 0)
		fd = fuzz_open_file();
	assert(ftruncate(fd, 0) == 0);
	assert(pwrite(fd, bytes, len, 0) == (ssize_t)len);
	err = npm_config_read(&config, why);
	assert(err ? err == EMSGSIZE && strlen(why) < NPM_CONFIG_WHY_SIZE : !why[0]);
	assert(!strstr(why, FUZZ_SECRET));
	if (!err)
		fuzz_check(&config);
	return 0;
}
