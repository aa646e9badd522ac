/*
 * prosody.c: <prosody rate="slow"> (see prosody.h).
 */
#include "text/prosody.h"

#include <string.h>
#include <strings.h>

#include "base/count.h"

#define FAULT_MALFORMED "<prosody> is malformed: write <prosody rate=\"slow\">words</prosody>"
#define FAULT_RATE "the rate of <prosody> must be slow, medium, fast or a number from 0.8 to 1.2"

static const struct {
	const char *name;
	double rate;
} prosody_named_rates[] = {
	{"slow", 0.8},
	{"medium", 1.0},
	{"fast", 1.2},
};

static bool prosody_is_word(const char *text, size_t len, const char *word)
{
	return len == strlen(word) && strncasecmp(text, word, len) == 0;
}

/* A plain decimal number, independent of the locale. Far beyond the limits its size does not
 * matter, so digits that would overflow are dropped. */
static bool prosody_read_number(double *number, const char *text, size_t len)
{
	bool has_sign = len > 0 && (text[0] == '-' || text[0] == '+');
	bool has_point = false;
	bool has_digit = false;
	double value = 0;
	double unit = 1;

	for (size_t i = has_sign; i < len; ++i) {
		if (text[i] == '.' && !has_point) {
			has_point = true;
			continue;
		}
		if (text[i] < '0' || text[i] > '9')
			return false;
		has_digit = true;
		if (has_point)
			value += (text[i] - '0') * (unit /= 10);
		else if (value < 1000)
			value = value * 10 + (text[i] - '0');
	}
	*number = has_sign && text[0] == '-' ? -value : value;
	return has_digit;
}

static bool prosody_read_rate(double *rate, const char *text, size_t len)
{
	for (size_t i = 0; i < COUNT(prosody_named_rates); ++i) {
		if (prosody_is_word(text, len, prosody_named_rates[i].name)) {
			*rate = prosody_named_rates[i].rate;
			return true;
		}
	}
	if (!prosody_read_number(rate, text, len))
		return false;
	if (*rate < PROSODY_RATE_MIN)
		*rate = PROSODY_RATE_MIN;
	if (*rate > PROSODY_RATE_MAX)
		*rate = PROSODY_RATE_MAX;
	return true;
}

const char *prosody_parse(double *ratep, const char *tag, size_t len)
{
	struct tag_attribute attribute;
	bool has_rate = false;
	double rate = 0;
	size_t at = 0;

	while (tag_attribute_next(&attribute, tag, len, &at)) {
		if (!prosody_is_word(attribute.name, attribute.name_len, "rate"))
			return "<prosody> takes no attribute but rate";
		if (has_rate)
			return "<prosody> has two rates";
		has_rate = true;
		if (!prosody_read_rate(&rate, attribute.value, attribute.value_len))
			return FAULT_RATE;
	}
	if (!has_rate)
		return "<prosody> needs a rate";
	*ratep = rate;
	return NULL;
}

static void prosody_note_fault(struct prosody *prosody, const char *fault)
{
	if (!prosody->fault)
		prosody->fault = fault;
}

static const char *prosody_close_span(struct prosody *prosody)
{
	if (!prosody->is_open)
		return "</prosody> closes nothing: no <prosody> is open";
	prosody->is_open = false;
	return NULL;
}

static const char *prosody_open_span(struct prosody *prosody, const struct tag *tag,
				     const char *text, size_t len)
{
	double rate;

	if (tag->is_void)
		return "<prosody/> has no words inside";
	if (prosody->is_open)
		return "<prosody> inside another <prosody>: close the first one before";
	prosody->is_open = true;
	return prosody_parse(&rate, text, len);
}

void prosody_tag(struct prosody *prosody, const struct tag *tag, const char *text, size_t len)
{
	prosody_note_fault(prosody, tag->closes ? prosody_close_span(prosody)
						: prosody_open_span(prosody, tag, text, len));
}

void prosody_malformed(struct prosody *prosody)
{
	prosody_note_fault(prosody, FAULT_MALFORMED);
}

void prosody_end(struct prosody *prosody)
{
	if (prosody->is_open)
		prosody_note_fault(prosody, "<prosody> is not closed");
}

const char *prosody_check(const char *text, size_t len)
{
	struct prosody prosody = {0};
	bool in_spell = false;
	size_t n;

	for (size_t at = 0; at < len; at += n) {
		struct tag tag;

		n = 1;
		if (text[at] != '<')
			continue;
		n = tag_read(&tag, text + at, len - at);
		if (n > 0 && tag_is(&tag, "spell"))
			in_spell = !tag.closes;
		else if (!in_spell && n > 0 && tag_is(&tag, "prosody"))
			prosody_tag(&prosody, &tag, text + at, n);
		else if (!in_spell && n == 0 && tag_is(&tag, "prosody"))
			prosody_malformed(&prosody);
		n = n > 0 ? n : 1;
	}
	prosody_end(&prosody);
	return prosody.fault;
}
