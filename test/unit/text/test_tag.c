/* Tags: markup is distinguished from less-than signs, in bounded time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/count.h"
#include "base/utf8.h"
#include "text/tag.h"

/* The verdict over a text that begins with '<', at its last code point or
 * where it was clear before. */
static enum tag_verdict test_tag_judge(struct tag *tag, const char *text)
{
	enum tag_verdict verdict = TAG_MORE;
	size_t len = strlen(text);

	tag_begin(tag);
	for (size_t at = 1; at < len && verdict == TAG_MORE;) {
		uint32_t c;
		size_t n = utf8_decode(&c, text + at, len - at);

		verdict = tag_step(tag, c, n);
		at += n;
	}
	return verdict;
}

static void test_tags_are_known_by_name_and_kind(void **state)
{
	struct tag tag;

	(void)state;
	assert_int_equal(test_tag_judge(&tag, "<break time=\"500ms\"/>"), TAG_WHOLE);
	assert_true(tag_is(&tag, "break") && tag.is_void && tag_is_pause(&tag));
	assert_int_equal(test_tag_judge(&tag, "<Spell group='4' >"), TAG_WHOLE);
	assert_true(tag_is(&tag, "spell") && !tag.is_void && !tag.closes);
	assert_int_equal(test_tag_judge(&tag, "</prosody>"), TAG_WHOLE);
	assert_true(tag_is(&tag, "prosody") && tag.closes && !tag_is_pause(&tag));
	assert_int_equal(test_tag_judge(&tag, "<prosody rate=slow>"), TAG_WHOLE);
	assert_int_equal(test_tag_judge(&tag, "<say-as interpret-as=\"a > b\">"), TAG_WHOLE);
	assert_int_equal(test_tag_judge(&tag, "<h1>"), TAG_WHOLE);
	assert_int_equal(test_tag_judge(&tag, "<br />"), TAG_WHOLE);
}

static void test_tag_text_is_not_taken_for_a_tag(void **state)
{
	static const char *const texts[] = {
		"<3",     "< 4",        "<>",     "</>",        "</ b>",   "<b and c>",
		"<b c>",  "<<",         "<a<",    "<a\n",       "<b@c.d>", "<https://a.b>",
		"<a b=>", "</a b='c'>", "<a / >", "<a b='c'd>", "<-a>",
	};
	struct tag tag;

	(void)state;
	for (size_t i = 0; i < COUNT(texts); ++i)
		assert_int_equal(test_tag_judge(&tag, texts[i]), TAG_TEXT);
}

static void test_tag_an_unfinished_tag_waits_but_not_for_ever(void **state)
{
	char text[TAG_MAX + 2] = "<a b=\"";
	struct tag tag;

	(void)state;
	assert_int_equal(test_tag_judge(&tag, text), TAG_MORE);
	memset(text + 6, 'x', TAG_MAX - 6);
	assert_int_equal(test_tag_judge(&tag, text), TAG_MORE);
	text[TAG_MAX] = 'x';
	assert_int_equal(test_tag_judge(&tag, text), TAG_TEXT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tags_are_known_by_name_and_kind),
		cmocka_unit_test(test_tag_text_is_not_taken_for_a_tag),
		cmocka_unit_test(test_tag_an_unfinished_tag_waits_but_not_for_ever),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
