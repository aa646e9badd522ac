/* Parameters: every source of values, every mistake with its place. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/count.h"
#include "base/params.h"

struct kettle {
	char name[PARAM_STRING_SIZE];
	int64_t degrees;
	bool whistle;
	int colour;
	int64_t price;
	struct cup {
		char name[PARAM_NAME_SIZE];
		int64_t volume;
		char motto[8];
	} cups[2];
	size_t cups_count;
};

static const char *const colours[] = {"red", "green", "blue", NULL};

static const char *check_name(const char *value)
{
	return strchr(value, ' ') ? "must be one word" : NULL;
}

static const struct param rows[] = {
	{"kettle", "name", PARAM_STRING, offsetof(struct kettle, name), "polly", 0, 0, NULL, NULL,
	 check_name, "What it is called.", 0, false},
	{"kettle", "degrees", PARAM_INT, offsetof(struct kettle, degrees), "96", 1, 100, "degrees",
	 NULL, NULL, "When it is done - not before.", 0, false},
	{"kettle", "whistle", PARAM_BOOL, offsetof(struct kettle, whistle), "on", 0, 0, NULL, NULL,
	 NULL, "Whether it says so.", 0, false},
	{"looks", "colour", PARAM_ENUM, offsetof(struct kettle, colour), "green", 0, 0, NULL,
	 colours, NULL, ".What it looks like.", 0, false},
	{"looks", "price", PARAM_DECIMAL, offsetof(struct kettle, price), "5.4", 0,
	 1000 * PARAM_MILLION, "crowns", NULL, NULL,
	 "What it costs, which is a long story that goes on for much more than a line of text.", 0,
	 false},
};

static const struct param cup_rows[] = {
	{"cup", "volume", PARAM_INT, offsetof(struct cup, volume), "25", 1, 100, "centilitres",
	 NULL, NULL, "What goes into it.", 0, false},
	{"cup", "motto", PARAM_STRING, offsetof(struct cup, motto), "", 0, 0, NULL, NULL, NULL,
	 "What stands on it.", sizeof(((struct cup *)0)->motto), true},
};

static const struct param_group groups[] = {
	{"cup", "One of the cups.", cup_rows, COUNT(cup_rows), offsetof(struct kettle, cups),
	 sizeof(struct cup), COUNT(((struct kettle *)0)->cups),
	 offsetof(struct kettle, cups_count)},
};

static const struct params params = {rows, COUNT(rows), "KETTLE_", groups, COUNT(groups)};

struct fixture {
	struct kettle kettle;
	struct buf errors;
	char path[32];
};

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	int fd;

	assert_non_null(f);
	buf_init(&f->errors, 65536);
	params_set_initial(&params, &f->kettle);
	strcpy(f->path, "/tmp/params.XXXXXX");
	fd = mkstemp(f->path);
	assert_true(fd >= 0);
	close(fd);
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	unlink(f->path);
	buf_reset(&f->errors);
	free(f);
	return 0;
}

static int read_text(struct fixture *f, const char *text)
{
	FILE *file = fopen(f->path, "w");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
	buf_reset(&f->errors);
	return params_read_file(&params, &f->kettle, f->path, &f->errors);
}

static void assert_says(struct fixture *f, const char *words)
{
	assert_int_equal(buf_append(&f->errors, "", 1), 0);
	--f->errors.len;
	if (!strstr(f->errors.bytes, words))
		fail_msg("\"%s\" is not in: %s", words, f->errors.bytes);
}

/* The text is refused, with these words and the number of the line. */
static void assert_refused(struct fixture *f, const char *text, unsigned line, const char *words)
{
	char where[64];

	assert_int_equal(read_text(f, text), EINVAL);
	snprintf(where, sizeof(where), "%s:%u: ", f->path, line);
	assert_says(f, where);
	assert_says(f, words);
}

static void test_defaults_need_no_file(void **state)
{
	struct fixture *f = *state;

	assert_string_equal(f->kettle.name, "polly");
	assert_int_equal(f->kettle.degrees, 96);
	assert_true(f->kettle.whistle);
	assert_int_equal(f->kettle.colour, 1);
	assert_int_equal(f->kettle.price, 5400000);
}

static void test_a_file_sets_what_it_names(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(read_text(f, "# tea\n[kettle]\nname = sukey\n  degrees=80\n\n"
				      "whistle = no ; at night\n[looks]\ncolour = blue\n"),
			 0);
	assert_int_equal(f->errors.len, 0);
	assert_string_equal(f->kettle.name, "sukey");
	assert_int_equal(f->kettle.degrees, 80);
	assert_false(f->kettle.whistle);
	assert_int_equal(f->kettle.colour, 2);
	assert_int_equal(f->kettle.price, 5400000);
}

static void test_decimals_are_exact(void **state)
{
	static const struct {
		const char *text;
		int64_t millionths;
	} good[] = {
		{"0", 0},       {"0.1", 100000}, {"999.999999", 999999999}, {"1000", 1000000000},
		{".5", 500000}, {"7.", 7000000}, {"", PARAM_NONE},          {"0.000001", 1},
	};
	static const char *const bad[] = {
		".",     "1.0000001", "-1", "1e3", "1000.000001",          "5,4",
		"1.2.3", "0x10",      " 1", "nan", "9223372036854.999999", "99999999999999999999"};
	struct fixture *f = *state;

	for (size_t i = 0; i < COUNT(good); ++i) {
		assert_int_equal(params_set(&params, &f->kettle, "looks.price", good[i].text,
					    "--price", &f->errors),
				 0);
		assert_int_equal(f->kettle.price, good[i].millionths);
	}
	for (size_t i = 0; i < COUNT(bad); ++i)
		assert_int_equal(params_set(&params, &f->kettle, "looks.price", bad[i], "--price",
					    &f->errors),
				 EINVAL);
	assert_says(f, "--price: looks.price must be a number from 0 to 1000 crowns with at most "
		       "six decimals, or nothing, not \".\"\n");
}

static void test_wrong_values_are_told_with_their_line(void **state)
{
	struct fixture *f = *state;

	assert_refused(f, "[kettle]\n\ndegrees = 101\n", 3,
		       "kettle.degrees must be a number from 1 to 100 degrees, not \"101\"");
	assert_refused(f, "[kettle]\ndegrees = 1x\n", 2, "not \"1x\"");
	assert_refused(f, "[kettle]\ndegrees =\n", 2, "not \"\"");
	assert_refused(f, "[kettle]\nwhistle = perhaps\n", 2, "must be on or off");
	assert_refused(f, "[looks]\ncolour = mauve\n", 2, "must be red, green or blue");
	assert_refused(f, "[kettle]\nname = two words\n", 2, "must be one word: \"two words\"");
	assert_int_equal(f->kettle.degrees, 96);
}

static void test_unknown_keys_are_told_with_the_nearest_name(void **state)
{
	struct fixture *f = *state;

	assert_refused(f, "[kettle]\nwistle = on\n", 2, "did you mean kettle.whistle?");
	assert_refused(f, "[kettle]\ncolour = red\n", 2, "did you mean looks.colour?");
	assert_refused(f, "[ketle]\ndegrees = 9\n", 2, "did you mean kettle.degrees?");
	assert_refused(f, "degrees = 9\n", 1, "no such key: degrees; did you mean kettle.degrees?");
	assert_refused(f, "[kettle]\nhandle = wood\n", 2, "no such key: kettle.handle\n");
}

static void test_all_mistakes_of_a_file_are_told_at_once(void **state)
{
	struct fixture *f = *state;

	assert_refused(f, "[kettle]\ndegrees = 0\nnonsense\nwhistle = 3\n", 2, "degrees");
	assert_says(f, ":3: this is neither [section] nor name = value");
	assert_says(f, ":4: kettle.whistle");
}

static void test_a_key_is_set_once(void **state)
{
	struct fixture *f = *state;

	assert_refused(f, "[kettle]\ndegrees = 5\n[looks]\n[kettle]\ndegrees = 6\n", 5,
		       "kettle.degrees was already set in line 2");
}

static void test_a_line_that_does_not_fit_is_refused_whole(void **state)
{
	struct fixture *f = *state;
	char text[PARAM_LINE_MAX + 64];

	snprintf(text, sizeof(text), "[kettle]\nname = %0*d\ndegrees = 0\n", PARAM_LINE_MAX, 7);
	assert_refused(f, text, 2, "the line is longer than");
	assert_says(f, ":3: kettle.degrees");
	assert_string_equal(f->kettle.name, "polly");
}

static void test_what_is_no_line_is_told(void **state)
{
	struct fixture *f = *state;

	assert_refused(f, "[kettle]\nboil\n", 2, "neither [section] nor name = value");
	assert_refused(f, "[kettle\n", 1, "neither [section] nor name = value");
	assert_refused(f, "degrees = 5\n", 1, "no such key: degrees; did you mean kettle.degrees?");
	assert_refused(f, "[kettle]\n = 5\n", 2, "no such key");
}

static void test_comments_and_blanks_are_nothing(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(read_text(f, "; one\n  # two\n\n [ kettle ] ; three\r\n"
				      "\tdegrees=50;4\n"),
			 EINVAL);
	assert_int_equal(read_text(f, "[kettle]\n  degrees : 50 ; four\nname = a;b#c"), 0);
	assert_int_equal(f->kettle.degrees, 50);
	assert_string_equal(f->kettle.name, "a;b#c");
}

static void test_sections_with_names_are_objects(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(read_text(f, "[cup blue]\nvolume = 30\n[kettle]\ndegrees = 50\n"
				      "[cup  red-1]\nmotto = drink\n[cup blue]\nmotto = me\n"),
			 0);
	assert_int_equal(f->kettle.cups_count, 2);
	assert_string_equal(f->kettle.cups[0].name, "blue");
	assert_int_equal(f->kettle.cups[0].volume, 30);
	assert_string_equal(f->kettle.cups[0].motto, "me");
	assert_string_equal(f->kettle.cups[1].name, "red-1");
	assert_int_equal(f->kettle.cups[1].volume, 25);
	assert_string_equal(f->kettle.cups[1].motto, "drink");
	assert_int_equal(f->kettle.degrees, 50);
}

static void test_mistakes_in_named_sections_are_told(void **state)
{
	struct fixture *f = *state;

	assert_refused(f, "[cup]\nvolume = 30\n", 1, "[cup NAME] wants a name");
	assert_refused(f, "[cup a b]\n", 1, "[cup NAME] wants a name");
	assert_refused(f, "[pot x]\nvolume = 30\n", 1, "no such section: [pot ...]");
	assert_refused(f, "[cup a]\nvolum = 30\n", 2, "did you mean cup.volume?");
	assert_refused(f, "[cup a]\nvolume = 0\n", 2, "cup.volume must be a number from 1 to 100");
	assert_refused(f, "[cup a]\nmotto = 12345678\n", 2, "text of at most 7 bytes\n");
}

static void test_an_object_takes_each_key_once(void **state)
{
	struct fixture *f = *state;

	assert_refused(f, "[cup a]\nvolume = 3\n[cup b]\nvolume = 3\n[cup a]\nvolume = 4\n", 6,
		       "cup.volume was already set in line 2");
}

static void test_there_is_room_for_so_many_objects(void **state)
{
	struct fixture *f = *state;

	assert_refused(f, "[cup a]\n[cup b]\n[cup c]\nvolume = 200\n", 3,
		       "there are more than 2 [cup NAME] sections");
	assert_int_equal(f->kettle.cups_count, 2);
}

static void test_a_missing_file_is_told(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(params_read_file(&params, &f->kettle, "/nowhere/k.conf", &f->errors),
			 ENOENT);
	assert_says(f, "/nowhere/k.conf: No such file or directory\n");
	assert_int_not_equal(params_read_file(&params, &f->kettle, "/tmp", &f->errors), 0);
}

static void test_the_environment_sets_and_checks(void **state)
{
	char *good[] = {(char[]){"PATH=/bin"}, (char[]){"KETTLE_KETTLE_DEGREES=50"},
			(char[]){"KETTLE_SERVICE_HOST=10.0.0.1"}, (char[]){"KETTLE_LOOKS_PRICE="},
			NULL};
	char *bad[] = {(char[]){"KETTLE_KETTLE_DEGRES=1"}, (char[]){"KETTLE_LOOKS_COLOUR=x"}, NULL};
	struct fixture *f = *state;

	assert_int_equal(params_read_env(&params, &f->kettle, good, &f->errors), 0);
	assert_int_equal(f->kettle.degrees, 50);
	assert_int_equal(f->kettle.price, PARAM_NONE);
	assert_int_equal(f->errors.len, 0);
	assert_int_equal(params_read_env(&params, &f->kettle, bad, &f->errors), EINVAL);
	assert_says(f, "KETTLE_KETTLE_DEGRES: no such key; did you mean KETTLE_KETTLE_DEGREES?\n");
	assert_says(f, "KETTLE_LOOKS_COLOUR: looks.colour must be red, green or blue, not \"x\"\n");
}

/* Every "#name = value" of the sample, with the # taken away, is a file that
 * changes nothing. */
static void test_the_sample_is_a_file_of_the_defaults(void **state)
{
	struct fixture *f = *state;
	struct kettle before = f->kettle;
	char text[4096];
	size_t n = 0;
	struct buf out;

	buf_init(&out, sizeof(text) - 1);
	assert_int_equal(params_print_sample(&params, &out), 0);
	for (size_t i = 0; i < out.len; ++i)
		if (out.bytes[i] != '#' || out.bytes[i + 1] == ' ')
			text[n++] = out.bytes[i];
	text[n] = '\0';
	assert_non_null(strstr(text, "\ndegrees = 96\n"));
	assert_non_null(strstr(text, "# Values: a number from 1 to 100 degrees.\n"));
	memset(&f->kettle, 0, sizeof(f->kettle));
	assert_int_equal(read_text(f, text), 0);
	assert_string_equal(f->kettle.name, before.name);
	assert_int_equal(f->kettle.degrees, before.degrees);
	assert_int_equal(f->kettle.whistle, before.whistle);
	assert_int_equal(f->kettle.colour, before.colour);
	assert_int_equal(f->kettle.price, before.price);
	assert_int_equal(f->kettle.cups_count, 1);
	assert_int_equal(f->kettle.cups[0].volume, 25);
	buf_reset(&out);
}

static void test_sample_lines_fit_a_terminal(void **state)
{
	struct buf out;
	size_t column = 0;

	(void)state;
	buf_init(&out, 65536);
	assert_int_equal(params_print_sample(&params, &out), 0);
	for (size_t i = 0; i < out.len; ++i) {
		column = out.bytes[i] == '\n' ? 0 : column + 1;
		assert_true(column <= 80);
	}
	buf_reset(&out);
}

static void test_the_manual_has_no_stray_requests(void **state)
{
	struct buf out;

	(void)state;
	buf_init(&out, 65536);
	assert_int_equal(params_print_manual(&params, &out), 0);
	assert_int_equal(buf_append(&out, "", 1), 0);
	assert_non_null(strstr(out.bytes, ".SS [looks]\n"));
	assert_non_null(strstr(out.bytes, "\n\\&.What it looks like.\n"));
	assert_non_null(strstr(out.bytes, "done \\- not before."));
	assert_non_null(strstr(out.bytes, "Variable: KETTLE_LOOKS_COLOUR.\n"));
	buf_reset(&out);
}

#define WITH_FIXTURE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

static void test_what_differs_is_named_without_its_value(void **state)
{
	struct kettle other;
	struct buf keys;
	struct fixture *f = *state;

	assert_int_equal(read_text(f, "[cup first]\nmotto = secret\n[cup gone]\n"), 0);
	other = f->kettle;
	buf_init(&keys, 128);
	assert_int_equal(params_differ(&params, &f->kettle, &other, NULL, &keys), 0);
	assert_int_equal(keys.len, 0);
	strcpy(other.name, "molly");
	other.degrees = 90;
	other.whistle = !other.whistle;
	other.colour = 0;
	other.price = PARAM_NONE;
	strcpy(other.cups[0].motto, "other");
	strcpy(other.cups[1].name, "new");
	assert_int_equal(params_differ(&params, &f->kettle, &other, NULL, &keys), 0);
	assert_int_equal(buf_append(&keys, "", 1), 0);
	assert_string_equal(keys.bytes,
			    "kettle.name, kettle.degrees, kettle.whistle, looks.colour, "
			    "looks.price, [cup first] motto, [cup gone], [cup new]");
	keys.len = 0;
	assert_int_equal(params_differ(&params, &f->kettle, &other, "cup", &keys), 0);
	assert_int_equal(keys.len, strlen("kettle.name, kettle.degrees, kettle.whistle, "
					  "looks.colour, looks.price"));
	buf_reset(&keys);
	buf_init(&keys, 20); /* no room for all of them */
	assert_int_equal(params_differ(&params, &f->kettle, &other, NULL, &keys), ENOBUFS);
	assert_memory_equal(keys.bytes, "kettle.name", keys.len);
	buf_reset(&keys);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_FIXTURE(test_defaults_need_no_file),
		WITH_FIXTURE(test_a_file_sets_what_it_names),
		WITH_FIXTURE(test_decimals_are_exact),
		WITH_FIXTURE(test_wrong_values_are_told_with_their_line),
		WITH_FIXTURE(test_unknown_keys_are_told_with_the_nearest_name),
		WITH_FIXTURE(test_all_mistakes_of_a_file_are_told_at_once),
		WITH_FIXTURE(test_a_key_is_set_once),
		WITH_FIXTURE(test_a_line_that_does_not_fit_is_refused_whole),
		WITH_FIXTURE(test_what_is_no_line_is_told),
		WITH_FIXTURE(test_comments_and_blanks_are_nothing),
		WITH_FIXTURE(test_sections_with_names_are_objects),
		WITH_FIXTURE(test_mistakes_in_named_sections_are_told),
		WITH_FIXTURE(test_an_object_takes_each_key_once),
		WITH_FIXTURE(test_there_is_room_for_so_many_objects),
		WITH_FIXTURE(test_a_missing_file_is_told),
		WITH_FIXTURE(test_the_environment_sets_and_checks),
		WITH_FIXTURE(test_the_sample_is_a_file_of_the_defaults),
		WITH_FIXTURE(test_what_differs_is_named_without_its_value),
		cmocka_unit_test(test_sample_lines_fit_a_terminal),
		cmocka_unit_test(test_the_manual_has_no_stray_requests),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
