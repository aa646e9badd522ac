/*
 * pause.c: <break> (see pause.h).
 */
#include "text/pause.h"

#include <string.h>
#include <strings.h>

#include "base/count.h"
#include "text/tag.h"

enum { PAUSE_SHORT_MS = 200, PAUSE_MIDDLE_MS = 400, PAUSE_LONG_MS = 500 };

static const struct {
	const char *name;
	unsigned ms;
} pause_strengths[] = {
	{"none", 0},
	{"x-weak", PAUSE_SHORT_MS},
	{"weak", PAUSE_SHORT_MS},
	{"medium", PAUSE_SHORT_MS},
	{"strong", PAUSE_LONG_MS},
	{"x-strong", PAUSE_LONG_MS},
};

/* Rounds to the nearest length; halfway between two, the longer one. */
static unsigned pause_snap(double ms)
{
	if (ms <= 0)
		return 0;
	if (ms < (PAUSE_SHORT_MS + PAUSE_MIDDLE_MS) / 2.0)
		return PAUSE_SHORT_MS;
	return ms < (PAUSE_MIDDLE_MS + PAUSE_LONG_MS) / 2.0 ? PAUSE_MIDDLE_MS : PAUSE_LONG_MS;
}

static unsigned pause_exact(double ms)
{
	return ms < PAUSE_MAX_MS ? (unsigned)ms : PAUSE_MAX_MS;
}

/* "300ms", "1.5s", "0": false when it is not a time. */
static bool pause_read_time(double *ms, const char *text, size_t len)
{
	double value = 0;
	double unit = 1;
	bool has_digit = false;
	bool has_point = false;
	size_t at;

	for (at = 0; at < len; ++at) {
		if (text[at] == '.' && !has_point) {
			has_point = true;
			continue;
		}
		if (text[at] < '0' || text[at] > '9')
			break;
		has_digit = true;
		if (has_point)
			value += (text[at] - '0') * (unit /= 10);
		else if (value < 1e6) /* long enough, and no overflow */
			value = value * 10 + (text[at] - '0');
	}
	while (at < len && text[at] == ' ')
		++at;
	if (!has_digit)
		return false;
	*ms = value;
	if (len - at == 1 && (text[at] | 0x20) == 's')
		*ms = value * 1000;
	else if (len - at != 0 && !(len - at == 2 && strncasecmp(text + at, "ms", 2) == 0))
		return false;
	return true;
}

unsigned pause_ms(const char *tag, size_t len, bool is_exact)
{
	struct tag_attribute attribute;
	double ms;

	if (tag_attribute_find(&attribute, tag, len, "time") &&
	    pause_read_time(&ms, attribute.value, attribute.value_len))
		return is_exact ? pause_exact(ms) : pause_snap(ms);
	if (!tag_attribute_find(&attribute, tag, len, "strength"))
		return PAUSE_SHORT_MS;
	for (size_t i = 0; i < COUNT(pause_strengths); ++i) {
		if (strlen(pause_strengths[i].name) == attribute.value_len &&
		    strncasecmp(pause_strengths[i].name, attribute.value, attribute.value_len) == 0)
			return pause_strengths[i].ms;
	}
	return PAUSE_SHORT_MS;
}
