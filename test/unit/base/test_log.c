/* The log: lines for people, and objects for programs, whatever is in them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>
#include <jansson.h>

#include "base/log.h"

static char line[4096];

/* What `say` writes on standard error. */
static const char *written(void (*say)(const char *text), const char *text)
{
	int kept = dup(STDERR_FILENO);
	int ends[2];
	ssize_t n;

	assert_int_equal(pipe(ends), 0);
	dup2(ends[1], STDERR_FILENO);
	close(ends[1]);
	say(text);
	dup2(kept, STDERR_FILENO); /* the only writing end: the reader sees the end */
	close(kept);
	n = read(ends[0], line, sizeof(line) - 1);
	close(ends[0]);
	line[n > 0 ? n : 0] = '\0';
	return line;
}

static void say(const char *text)
{
	log_info("test", "%s", text);
}

static json_t *as_json(const char *text)
{
	json_error_t error;
	json_t *object;

	log_set_form(LOG_JSON);
	object = json_loads(written(say, text), 0, &error);
	if (!object)
		fail_msg("%s: %s", error.text, line);
	assert_int_equal(line[strlen(line) - 1], '\n');
	assert_null(memchr(line, '\n', strlen(line) - 1));
	return object;
}

static void assert_member(const json_t *object, const char *name, const char *value)
{
	assert_string_equal(json_string_value(json_object_get(object, name)), value);
}

static void test_a_line_for_people(void **state)
{
	(void)state;
	log_set_form(LOG_TEXT);
	written(say, "it speaks voice=1071");
	assert_string_equal(line + strlen("2026-01-01T00:00:00.000Z"),
			    " info  test: it speaks voice=1071\n");
	assert_int_equal(line[23], 'Z');
}

static void test_an_object_for_programs(void **state)
{
	json_t *object = as_json("a \"turn\" has\tended turn=ab12 request=req_1 x=");

	(void)state;
	assert_member(object, "level", "info");
	assert_member(object, "area", "test");
	assert_member(object, "message", "a \"turn\" has\tended");
	assert_member(object, "turn", "ab12");
	assert_member(object, "request", "req_1");
	assert_member(object, "x", "");
	json_decref(object);
	object = as_json("words level=error area=account time=1 message=forged turn=1");
	assert_member(object, "message", "words level=error area=account time=1 message=forged");
	assert_member(object, "turn", "1");
	json_decref(object);
	object = as_json("two = three is no key");
	assert_member(object, "message", "two = three is no key");
	json_decref(object);
}

/* As systemd starts a service: the variable names what standard error is. */
static void say_to_journal(const char *text)
{
	struct stat status;
	char stream[64];

	assert_int_equal(fstat(STDERR_FILENO, &status), 0);
	snprintf(stream, sizeof(stream), "%llu:%llu", (unsigned long long)status.st_dev,
		 (unsigned long long)status.st_ino);
	setenv("JOURNAL_STREAM", stream, 1);
	log_find_journal();
	log_warn("test", "%s", text);
}

static void say_elsewhere(const char *text)
{
	log_find_journal(); /* with the variable of another stream */
	say(text);
}

static void test_the_journal_gets_a_priority_instead_of_the_time(void **state)
{
	json_error_t error;
	json_t *object;

	(void)state;
	log_set_form(LOG_TEXT);
	assert_string_equal(written(say_to_journal, "it speaks voice=1071"),
			    "<4>warn  test: it speaks voice=1071\n");
	log_set_form(LOG_JSON);
	assert_memory_equal(written(say_to_journal, "it speaks voice=1071"), "<4>{", 4);
	object = json_loads(line + 3, 0, &error);
	assert_non_null(object);
	assert_member(object, "voice", "1071");
	assert_non_null(json_object_get(object, "time"));
	json_decref(object);
	log_set_form(LOG_TEXT);
	assert_string_equal(written(say_elsewhere, "it speaks") +
				    strlen("2026-01-01T00:00:00.000Z"),
			    " info  test: it speaks\n");
	unsetenv("JOURNAL_STREAM");
}

/* What a client may have put into it: lines of its own, a terminal's commands, bytes that are
 * no text. */
static void test_whatever_is_said_is_one_line_of_text(void **state)
{
	json_t *object = as_json("GET /a\xff\n\xc3\xa9\xe2\x82 error");

	(void)state;
	assert_member(object, "message",
		      "GET /a\xef\xbf\xbd\n\xc3\xa9\xef\xbf\xbd\xef\xbf\xbd error");
	json_decref(object);
	log_set_form(LOG_TEXT);
	written(say, "GET /a\n\033[2J\177\xc2\x9b\xc3\xa9");
	assert_string_equal(line + strlen("2026-01-01T00:00:00.000Z info  test: "),
			    "GET /a??[2J??\xc3\xa9\n");
}

/* Lines of every length, also such that an escape stands where they are cut. */
static void test_lines_that_are_cut_are_still_lines(void **state)
{
	char text[1200];

	(void)state;
	for (size_t len = 800; len < sizeof(text) - 1; ++len) {
		memset(text, "a\"\t\xff"[len % 4], len);
		text[len] = '\0';
		json_decref(as_json(text));
		log_set_form(LOG_TEXT);
		written(say, text);
		assert_int_equal(line[strlen(line) - 1], '\n');
	}
	for (size_t len = 0; len < 6; ++len) {
		memset(text, 'a', len);
		for (size_t i = len; i + 3 < sizeof(text); i += 3)
			memcpy(text + i, "\xe2\x82\xac", 4);
		json_decref(as_json(text));
	}
	memset(text, 'a', 700);
	snprintf(text + 700, 400, " key=%0300d", 1);
	json_decref(as_json(text));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_line_for_people),
		cmocka_unit_test(test_an_object_for_programs),
		cmocka_unit_test(test_the_journal_gets_a_priority_instead_of_the_time),
		cmocka_unit_test(test_whatever_is_said_is_one_line_of_text),
		cmocka_unit_test(test_lines_that_are_cut_are_still_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
