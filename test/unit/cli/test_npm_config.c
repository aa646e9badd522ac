/* The registry, the proxy and the credentials are those that npm would use. */
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

	npm_config_read(&config);
	return config;
}

static void test_without_configuration_it_is_the_public_registry(void **state)
{
	struct npm_config config = read_config();

	(void)state;
	assert_string_equal(config.registry, "https://registry.npmjs.org/");
	assert_string_equal(config.proxy, "");
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
	assert_string_equal(read_config().proxy, "http://plain.test:1");
	setenv("HTTPS_PROXY", "http://secure.test:2", 1);
	assert_string_equal(read_config().proxy, "http://secure.test:2");
	setenv("npm_config_registry", "http://registry.test", 1);
	assert_string_equal(read_config().proxy, "http://plain.test:1");
	write_file(user_file, "proxy=http://npm.test:3\nhttps-proxy=http://npms.test:4\n");
	assert_string_equal(read_config().proxy, "http://npm.test:3");
	unsetenv("npm_config_registry");
	assert_string_equal(read_config().proxy, "http://npms.test:4");
	write_file(user_file, "https-proxy=null\n");
	assert_string_equal(read_config().proxy, "http://secure.test:2");
}

static void test_hosts_that_need_no_proxy_get_none(void **state)
{
	(void)state;
	setenv("HTTPS_PROXY", "http://secure.test:2", 1);
	setenv("NO_PROXY", "localhost,.npmjs.org", 1);
	assert_string_equal(read_config().proxy, "");
	setenv("npm_config_registry", "https://other.test:8443/npm", 1);
	assert_string_equal(read_config().proxy, "http://secure.test:2");
	write_file(user_file, "noproxy=other.test\n");
	assert_string_equal(read_config().proxy, "");
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
