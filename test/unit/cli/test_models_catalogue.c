/*
 * The catalogue of models: what would be installed is complete, pinned and free to be used.
 */
#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/count.h"
#include "cli/command.h"
#include "cli/install_file.h"
#include "cli/models_catalogue.h"
#include "cli/runtime_package.h"
#include "cli/voices_packages.h"

const struct command *const command_table[] = {NULL};

static bool is_hash(const char *text)
{
	return strlen(text) == INSTALL_FILE_HASH_LEN &&
	       strspn(text, "0123456789abcdef") == INSTALL_FILE_HASH_LEN;
}

static void assert_pinned(const struct pinned_package *package)
{
	static const char *const licences[] = {"MIT", "Apache-2.0"};
	bool is_free = false;

	assert_true(package->version[0] &&
		    package->version[strspn(package->version, "0123456789.")] == '\0');
	assert_true(is_hash(package->hash));
	assert_true(package->size > 0 && package->file_count > 0);
	for (size_t i = 0; i < COUNT(licences); ++i)
		is_free |= strcmp(package->licence, licences[i]) == 0;
	assert_true(is_free);
	for (size_t i = 0; i < package->file_count; ++i) {
		assert_true(is_hash(package->files[i].hash));
		assert_int_equal(strncmp(package->files[i].member, "package/", 8), 0);
		assert_null(strstr(package->files[i].member, ".."));
		assert_null(strstr(package->files[i].name, ".."));
	}
}

static void test_every_package_is_pinned_and_may_be_used_commercially(void **state)
{
	(void)state;
	assert_pinned(&voices_package_libritts);
	assert_pinned(&voices_package_kokoro);
	if (runtime_package_find())
		assert_pinned(runtime_package_find());
	for (const struct models_entry *entry = models_catalogue; entry->name; ++entry) {
		for (size_t i = 0; i < entry->package_count; ++i)
			assert_pinned(entry->packages[i]);
	}
}

/* Otherwise it would not be placed with its model, and be missing from it. */
static void test_every_file_is_in_the_folder_of_its_model_and_only_once(void **state)
{
	(void)state;
	for (const struct models_entry *entry = models_catalogue; entry->name; ++entry) {
		const char *seen[32];
		size_t count = 0;

		for (size_t i = 0; i < entry->package_count; ++i) {
			const struct pinned_package *package = entry->packages[i];

			for (size_t n = 0; n < package->file_count; ++n) {
				const char *name = package->files[n].name;

				assert_int_equal(strncmp(name, entry->name, strlen(entry->name)),
						 0);
				assert_int_equal(name[strlen(entry->name)], '/');
				for (size_t other = 0; other < count; ++other)
					assert_string_not_equal(seen[other], name);
				assert_true(count < COUNT(seen));
				seen[count++] = name;
			}
		}
		assert_string_equal(entry->licence, entry->packages[0]->licence);
	}
}

static void test_models_have_different_names_and_needed_ones_come_first(void **state)
{
	bool is_needed = true;
	size_t defaults = 0;

	(void)state;
	for (const struct models_entry *entry = models_catalogue; entry->name; ++entry) {
		assert_ptr_equal(models_catalogue_find(entry->name), entry);
		for (const char *c = entry->name; *c; ++c)
			assert_true(islower((unsigned char)*c) || *c == '-');
		assert_true(is_needed || !entry->is_needed);
		is_needed = entry->is_needed;
		defaults += entry->is_default;
	}
	assert_int_equal(defaults, 1);
	assert_null(models_catalogue_find("moonshine"));
	assert_null(models_catalogue_find(""));
}

static void test_the_size_of_a_model_is_that_of_its_packages(void **state)
{
	const struct models_entry *tiny = models_catalogue_find("moonshine-tiny");

	(void)state;
	assert_int_equal(tiny->package_count, 2);
	assert_int_equal(models_catalogue_size(tiny),
			 tiny->packages[0]->size + tiny->packages[1]->size);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_package_is_pinned_and_may_be_used_commercially),
		cmocka_unit_test(test_every_file_is_in_the_folder_of_its_model_and_only_once),
		cmocka_unit_test(test_models_have_different_names_and_needed_ones_come_first),
		cmocka_unit_test(test_the_size_of_a_model_is_that_of_its_packages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
