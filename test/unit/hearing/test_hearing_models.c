/* The catalogue of models: what engines offer, in the order of preference, whichever of them answers
 * first. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "hearing/hearing_models.h"
#include "mem_fail.h"

static const struct hearing_model english[] = {
	{.name = "tiny", .languages = "en", .piece_max = 480000},
	{.name = "base", .languages = "en", .piece_max = 480000},
	{.name = "many", .languages = "de fr zh-Hant", .piece_max = 480000},
};
static const struct hearing_model other[] = {
	{.name = "any", .piece_max = 480000},
	{.name = "base", .title = "not this one", .piece_max = 480000},
};

static void assert_names(const struct hearing_models *models, const char *want)
{
	char names[256] = "";
	size_t len = 0;

	for (size_t i = 0; i < hearing_models_count(models) && len < sizeof(names); ++i)
		len += (size_t)snprintf(names + len, sizeof(names) - len, "%s%s", i ? " " : "",
					hearing_models_at(models, i)->name);
	assert_string_equal(names, want);
	assert_null(hearing_models_at(models, hearing_models_count(models)));
}

static void test_the_order_does_not_depend_on_which_engine_is_faster(void **state)
{
	struct hearing_models *models;

	(void)state;
	assert_int_equal(hearing_models_alloc(&models, NULL), 0);
	assert_names(models, "");
	assert_null(hearing_models_choose(models, ""));
	assert_int_equal(hearing_models_replace(models, "hear-other", other, 2), 0);
	assert_names(models, "any base");
	assert_int_equal(hearing_models_replace(models, "hear", english, 3), 0);
	assert_names(models, "tiny many any base");
	assert_string_equal(hearing_models_find(models, "any")->engine, "hear-other");
	assert_int_equal(hearing_models_replace(models, "hear-other", NULL, 0), 0);
	assert_int_equal(hearing_models_replace(models, "hear", english, 3), 0);
	assert_int_equal(hearing_models_replace(models, "hear-other", other, 2), 0);
	assert_names(models, "tiny base many any");
	assert_string_equal(hearing_models_find(models, "base")->engine, "hear");
	assert_null(hearing_models_find(models, "none"));
	mem_deref(models);
}

static void test_the_operator_may_prefer_a_model(void **state)
{
	struct hearing_models *models;

	(void)state;
	assert_int_equal(hearing_models_alloc(&models, "many"), 0);
	assert_int_equal(hearing_models_replace(models, "hear", english, 3), 0);
	assert_int_equal(hearing_models_replace(models, "a", other, 1), 0);
	assert_names(models, "many any tiny base");
	mem_deref(models);
}

static void test_a_model_is_chosen_by_its_language(void **state)
{
	struct hearing_models *models;

	(void)state;
	assert_int_equal(hearing_models_alloc(&models, "tiny"), 0);
	assert_int_equal(hearing_models_replace(models, "hear", english, 3), 0);
	assert_string_equal(hearing_models_choose(models, "")->name, "tiny");
	assert_string_equal(hearing_models_choose(models, "en")->name, "tiny");
	assert_string_equal(hearing_models_choose(models, "EN-us")->name, "tiny");
	assert_string_equal(hearing_models_choose(models, "fr_CA")->name, "many");
	assert_string_equal(hearing_models_choose(models, "zh")->name, "many");
	assert_null(hearing_models_choose(models, "e"));
	assert_null(hearing_models_choose(models, "eng"));
	assert_null(hearing_models_choose(models, "ja"));
	assert_true(hearing_models_knows(&english[0], "en"));
	assert_true(hearing_models_knows(&english[0], ""));
	assert_false(hearing_models_knows(&english[0], "de"));
	assert_true(hearing_models_knows(&other[0], "ja"));
	mem_deref(models);
}

static void test_without_memory_there_is_no_catalogue(void **state)
{
	struct hearing_models *models = NULL;

	(void)state;
	mem_fail_after(1);
	assert_int_equal(hearing_models_alloc(&models, NULL), ENOMEM);
	mem_fail_after(0);
	assert_null(models);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_order_does_not_depend_on_which_engine_is_faster),
		cmocka_unit_test(test_the_operator_may_prefer_a_model),
		cmocka_unit_test(test_a_model_is_chosen_by_its_language),
		cmocka_unit_test(test_without_memory_there_is_no_catalogue),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
