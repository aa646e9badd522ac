/* The registry, the proxy and the credentials are those that npm would use. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/count.h"
#include "cli/command.h"
#include "cli/npm_config.h"
#include "net/url.h"

const struct command *const command_table[] = {NULL};

static char user_file[] = "/tmp/test_npmrc.XXXXXX";
static char system_file[] = "/tmp/test_npmrc.XXXXXX";

static const char *const variables[] = {
	"npm_config_registry",
	"NPM_CONFIG_REGISTRY",
	"npm_config_https_proxy",
	"npm_config_proxy",
	"npm_config_noproxy",
	"npm_config_cafile",
	"HTTPS_PROXY",
	"https_proxy",
	"HTTP_PROXY",
	"http_proxy",
	"NO_PROXY",
	"no_proxy",
	"NODE_EXTRA_CA_CERTS",
	"TEST_TOKEN",
};

static void write_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static int set_up(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(variables); ++i)
		unsetenv(variables[i]);
	write_file(user_file, "");
	write_file(system_file, "");
	setenv("npm_config_userconfig", user_file, 1);
	setenv("npm_config_globalconfig", system_file, 1);
	return 0;
}

static struct npm_config read_config(void)
{
	struct npm_config config;
	char why[NPM_CONFIG_WHY_SIZE];

	assert_int_equal(npm_config_read(&config, why), 0);
	assert_string_equal(why, "");
	return config;
}

static void assert_proxy(const char *proxy, const char *url)
{
	struct npm_config config = read_config();
	struct url parts;

	assert_int_equal(url_parse(&parts, url), 0);
	assert_string_equal(npm_config_proxy(&config, parts.is_tls, parts.host), proxy);
}

/* Writes a file with one line: the text followed by `count` letters. */
static void write_long(const char *path, const char *text, size_t count)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	for (size_t i = 0; i < count; ++i)
		fputc('a', file);
	fputs("\nregistry=https://r.test\n", file);
	fclose(file);
}

static void test_without_configuration_it_is_the_public_registry(void **state)
{
	struct npm_config config = read_config();

	(void)state;
	assert_string_equal(config.registry, "https://registry.npmjs.org/");
	assert_string_equal(config.proxy, "");
	assert_string_equal(config.https_proxy, "");
	assert_string_equal(config.ca_file, "");
	assert_string_equal(config.extra_ca_file, "");
	assert_string_equal(config.authorization, "");
}

static void test_environment_counts_before_the_users_file_and_that_before_the_systems(void **state)
{
	(void)state;
	write_file(system_file, "registry=https://system.test\ncafile = /system.pem\n");
	assert_string_equal(read_config().registry, "https://system.test/");
	write_file(user_file, "; a comment\n# registry=https://no.test\n"
			      "  registry = \"https://user.test/npm/\"  \n[section]\nnothing\n");
	assert_string_equal(read_config().registry, "https://user.test/npm/");
	assert_string_equal(read_config().ca_file, "/system.pem");
	setenv("NPM_CONFIG_REGISTRY", "https://environment.test", 1);
	assert_string_equal(read_config().registry, "https://environment.test/");
}

static void test_proxy_is_that_of_the_scheme(void **state)
{
	(void)state;
	setenv("HTTP_PROXY", "http://plain.test:1", 1);
	assert_proxy("http://plain.test:1", "https://a.test");
	setenv("HTTPS_PROXY", "http://secure.test:2", 1);
	assert_proxy("http://secure.test:2", "https://a.test");
	assert_proxy("http://plain.test:1", "http://a.test");
	write_file(user_file, "proxy=http://npm.test:3\nhttps-proxy=http://npms.test:4\n");
	assert_proxy("http://npm.test:3", "http://a.test");
	assert_proxy("http://npms.test:4", "https://a.test");
	write_file(user_file, "https-proxy=null\n");
	assert_proxy("http://secure.test:2", "https://a.test");
}

static void test_hosts_that_need_no_proxy_get_none(void **state)
{
	(void)state;
	setenv("HTTPS_PROXY", "http://secure.test:2", 1);
	setenv("NO_PROXY", "localhost,.npmjs.org", 1);
	assert_proxy("", "https://registry.npmjs.org/");
	assert_proxy("http://secure.test:2", "https://other.test:8443/npm");
	write_file(user_file, "noproxy=other.test\n");
	assert_proxy("", "https://other.test:8443/npm");
	assert_proxy("http://secure.test:2", "https://registry.npmjs.org/");
}

static void test_long_tokens_are_kept_whole_or_refused(void **state)
{
	static struct npm_config config;
	char why[NPM_CONFIG_WHY_SIZE];

	(void)state;
	write_long(user_file, "//r.test/:_authToken=", 6000);
	assert_int_equal(strlen(read_config().authorization), strlen("Bearer ") + 6000);
	/* Just too long for the buffer, and for a line. */
	for (size_t count = NPM_CONFIG_VALUE_SIZE - 8; count < 100000; count *= 5) {
		write_long(user_file, "//r.test/:_authToken=", count);
		assert_int_equal(npm_config_read(&config, why), EMSGSIZE);
		assert_memory_equal(why, "the token in ", strlen("the token in "));
		assert_non_null(strstr(why, user_file));
		assert_non_null(strstr(why, " is too long"));
		assert_null(strstr(why, "aaaa"));
	}
	write_long(user_file, "//r.test/:_authToken=${TEST_TOKEN}${TEST_TOKEN}", 5000);
	setenv("TEST_TOKEN", "0123456789012345678901234567890123456789", 1);
	assert_int_equal(strlen(read_config().authorization), strlen("Bearer ") + 5080);
}

static void test_long_lines_of_others_are_passed_over_whole(void **state)
{
	(void)state;
	write_long(user_file, "# a comment ", 100000);
	assert_string_equal(read_config().registry, "https://r.test/");
}

static void test_lists_name_hosts_and_domains(void **state)
{
	(void)state;
	assert_true(npm_config_is_listed("a.test, b.test", "b.test"));
	assert_true(npm_config_is_listed("b.test", "A.B.Test"));
	assert_true(npm_config_is_listed(".b.test", "a.b.test"));
	assert_true(npm_config_is_listed("b.test:443", "b.test"));
	assert_true(npm_config_is_listed("x,*", "anything"));
	assert_false(npm_config_is_listed("b.test", "ab.test"));
	assert_false(npm_config_is_listed("a.b.test", "b.test"));
	assert_false(npm_config_is_listed("", "b.test"));
	assert_false(npm_config_is_listed(", ,", "b.test"));
}

static void test_credentials_are_those_of_the_registry_alone(void **state)
{
	(void)state;
	setenv("npm_config_registry", "https://r.test/a/b", 1);
	write_file(user_file, "//other.test/:_authToken=no\n//r.test/a/bc/:_authToken=no\n");
	assert_string_equal(read_config().authorization, "");
	write_file(user_file, "//r.test/a/b/:_auth=dTpw==\n");
	assert_string_equal(read_config().authorization, "Basic dTpw==");
	setenv("TEST_TOKEN", "secret", 1);
	write_file(user_file, "//r.test/:_authToken=x${TEST_TOKEN}${TEST_NONE}\n");
	assert_string_equal(read_config().authorization, "Bearer xsecret${TEST_NONE}");
}

#define FRESH(test) cmocka_unit_test_setup(test, set_up)

int main(void)
{
	const struct CMUnitTest tests[] = {
		FRESH(test_without_configuration_it_is_the_public_registry),
		FRESH(test_environment_counts_before_the_users_file_and_that_before_the_systems),
		FRESH(test_proxy_is_that_of_the_scheme),
		FRESH(test_hosts_that_need_no_proxy_get_none),
		FRESH(test_long_tokens_are_kept_whole_or_refused),
		FRESH(test_long_lines_of_others_are_passed_over_whole),
		FRESH(test_lists_name_hosts_and_domains),
		FRESH(test_credentials_are_those_of_the_registry_alone),
	};
	int failed;

	close(mkstemp(user_file));
	close(mkstemp(system_file));
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(user_file);
	unlink(system_file);
	return failed;
}
