/*
 * call_variables.c: values that belong to one call (see call_variables.h).
 */
#include "call/call_variables.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "call/call_settings.h"

#define SEARCH_MAX (CALL_VARIABLES_NAME_MAX + 16u)

static bool call_variables_is_name(const char *name, size_t len)
{
	for (size_t i = 0; i < len; ++i) {
		unsigned char c = (unsigned char)name[i];

		if (c <= ' ' || c == '{' || c == '}' || c == 0x7f)
			return false;
	}
	return len > 0 && len <= CALL_VARIABLES_NAME_MAX;
}

const char *call_variables_get(const struct call_variables *variables, const char *name,
			       size_t name_len)
{
	const char *at = variables->bytes;
	const char *end = at + variables->len;

	while (at < end) {
		const char *value = at + strlen(at) + 1;

		if ((size_t)(value - at - 1) == name_len && memcmp(at, name, name_len) == 0)
			return value;
		at = value + strlen(value) + 1;
	}
	return NULL;
}

int call_variables_set(struct call_variables *variables, const char *name, size_t name_len,
		       const char *value, size_t value_len)
{
	const char *old;
	char *first = NULL;
	size_t old_len = 0;
	size_t len = name_len + value_len + 2;

	if (!call_variables_is_name(name, name_len) || memchr(value, '\0', value_len))
		return EINVAL;
	old = call_variables_get(variables, name, name_len);
	if (old) {
		first = variables->bytes + (old - variables->bytes) - name_len - 1;
		old_len = name_len + strlen(old) + 2;
	}
	if (len > CALL_VARIABLES_SIZE - (variables->len - old_len))
		return ENOBUFS;
	if (first) {
		char *rest = first + old_len;

		memmove(first, rest, (size_t)(variables->bytes + variables->len - rest));
		variables->len -= old_len;
	}
	first = variables->bytes + variables->len;
	memcpy(first, name, name_len);
	first[name_len] = '\0';
	memcpy(first + name_len + 1, value, value_len);
	first[len - 1] = '\0';
	variables->len += len;
	return 0;
}

/* Finds the name that the braces at the beginning of a text enclose.  Returns the length of it all, or 0
 * if it is not a name.  The closing braces are searched only as far as a name and some blanks reach, so
 * that a text of opening ones does not take long. */
static size_t call_variables_find(struct call_variables_name *name, const char *text, size_t len)
{
	const char *end;

	if (len < 5 || text[0] != '{' || text[1] != '{')
		return 0;
	end = memmem(text + 2, len - 2 < SEARCH_MAX ? len - 2 : SEARCH_MAX, "}}", 2);
	if (!end)
		return 0;
	*name = (struct call_variables_name){text + 2, (size_t)(end - text) - 2};
	for (; name->len > 0 && name->text[0] == ' '; --name->len)
		++name->text;
	while (name->len > 0 && name->text[name->len - 1] == ' ')
		--name->len;
	return call_variables_is_name(name->text, name->len) ? (size_t)(end - text) + 2 : 0;
}

static int call_variables_append(struct buf *out, enum call_variables_place place,
				 const char *value)
{
	size_t start = out->len;
	int err = buf_append_str(out, value);

	for (size_t i = start; !err && place == CALL_VARIABLES_IN_HEADER && i < out->len; ++i) {
		if ((unsigned char)out->bytes[i] < ' ' || out->bytes[i] == 0x7f)
			out->bytes[i] = ' ';
	}
	return err;
}

int call_variables_insert(struct buf *out, const struct call_variables *variables,
			  enum call_variables_place place, struct call_variables_name *missing,
			  const char *text, size_t len)
{
	size_t start = out->len;
	int err = 0;

	for (size_t i = 0; i < len && !err;) {
		const char *brace = memchr(text + i, '{', len - i);
		size_t plain = brace ? (size_t)(brace - text) - i : len - i;
		struct call_variables_name name;
		const char *value;
		size_t found;

		if (plain > 0) {
			err = buf_append(out, text + i, plain);
			i += plain;
			continue;
		}
		found = call_variables_find(&name, text + i, len - i);
		value = found ? call_variables_get(variables, name.text, name.len) : NULL;
		if (found && !value) {
			*missing = name;
			err = ENOENT;
		} else if (value) {
			err = call_variables_append(out, place, value);
		} else {
			err = buf_append(out, "{", 1);
		}
		i += found ? found : 1;
	}
	if (err)
		out->len = start;
	return err;
}

int call_variables_apply(struct call_settings *settings, struct stream_fault *fault,
			 const struct call_variables *variables, const char *first_message)
{
	struct call_variables_name missing = {"", 0};
	struct buf text;
	int err;

	buf_init(&text, sizeof(settings->first_message) - 1);
	err = call_variables_insert(&text, variables, CALL_VARIABLES_IN_TEXT, &missing,
				    first_message, strlen(first_message));
	if (err == ENOENT) {
		fault_set(fault, WIRE_ERROR_INVALID_REQUEST,
			  "the first message contains {{%.*s}}, which the client has not set",
			  (int)missing.len, missing.text);
		fault_of(fault, CALL_VARIABLES_FIELD);
	} else if (err == ENOBUFS) {
		fault_set(fault, WIRE_ERROR_INVALID_REQUEST,
			  "the first message must have at most %zu bytes",
			  sizeof(settings->first_message) - 1);
	} else if (err) {
		fault_set(fault, WIRE_ERROR_INTERNAL, "out of memory");
	} else {
		if (text.len > 0)
			memcpy(settings->first_message, text.bytes, text.len);
		settings->first_message[text.len] = '\0';
		settings->variables.len = variables->len;
		memmove(settings->variables.bytes, variables->bytes, variables->len);
	}
	buf_reset(&text);
	return err ? EINVAL : 0;
}
