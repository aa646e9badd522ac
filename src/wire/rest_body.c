/*
 * rest_body.c: reading the body of a REST request by a table of its keys (see
 * rest_body.h).
 */
#include "wire/rest_body.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

static const struct rest_field *find(const struct rest_field *fields, size_t count,
				     const struct json_value *key)
{
	for (size_t i = 0; i < count; ++i) {
		if (strlen(fields[i].name) == key->len &&
		    memcmp(fields[i].name, key->text, key->len) == 0)
			return &fields[i];
	}
	return NULL;
}

static void *member(struct rest_body *body, const struct rest_field *field)
{
	return (char *)body + field->offset;
}

static int refuse_length(struct stream_fault *fault, const struct rest_field *field, size_t length)
{
	return fault_set(fault, WIRE_ERROR_INVALID_REQUEST,
			 "%s must have %lld to %lld characters (got %zu)", field->name,
			 (long long)field->min, (long long)field->max, length);
}

static int read_text(struct rest_body *body, struct stream_fault *fault,
		     const struct rest_field *field, const struct json_value *value)
{
	size_t length;

	if (value->kind != JSON_KIND_STRING)
		return fault_value(fault, field->name,
				   field->is_nullable ? "a string or null" : "a string", value);
	length = utf8_count(value->text, value->len);
	if ((int64_t)length < field->min || (int64_t)length > field->max)
		return refuse_length(fault, field, length);
	value->text[value->len] = '\0'; /* where its closing quote was, or before it */
	*(const char **)member(body, field) = value->text;
	return 0;
}

static int read_bool(struct rest_body *body, struct stream_fault *fault,
		     const struct rest_field *field, const struct json_value *value)
{
	if (value->kind != JSON_KIND_BOOL)
		return fault_value(fault, field->name, "true or false", value);
	*(bool *)member(body, field) = value->truth;
	return 0;
}

static int read_integer(struct rest_body *body, struct stream_fault *fault,
			const struct rest_field *field, const struct json_value *value)
{
	char must[96];
	int64_t number;

	if (value->kind == JSON_KIND_NUMBER && json_to_integer(&number, value) == 0 &&
	    number >= field->min && number <= field->max) {
		*(int64_t *)member(body, field) = number;
		return 0;
	}
	snprintf(must, sizeof(must), "a whole number from %lld to %lld%s", (long long)field->min,
		 (long long)field->max, field->is_nullable ? ", or null" : "");
	return fault_value(fault, field->name, must, value);
}

static bool is_word(const struct json_value *value)
{
	if (value->kind != JSON_KIND_STRING || value->len == 0)
		return false;
	for (size_t i = 0; i < value->len; ++i) {
		if ((value->text[i] < 'a' || value->text[i] > 'z') && value->text[i] != '_')
			return false;
	}
	return true;
}

static int read_words(struct rest_body *body, struct json *json, struct stream_fault *fault,
		      const struct rest_field *field, const struct json_value *list)
{
	struct rest_words *words = member(body, field);
	struct json_value value;
	size_t len = 0;

	if (list->kind != JSON_KIND_ARRAY)
		return fault_value(fault, field->name, "a list of names", list);
	words->text[0] = '\0';
	while (json_element(json)) {
		if (json_value(json, &value))
			return EINVAL;
		if (!is_word(&value) || len + 1 + value.len >= sizeof(words->text))
			return fault_value(fault, field->name, "a short list of names", &value);
		len += (size_t)snprintf(words->text + len, sizeof(words->text) - len, "%s%.*s",
					len ? "," : "", (int)value.len, value.text);
	}
	return 0;
}

static int read_members(struct rest_body *body, struct json *json, struct stream_fault *fault,
			const struct rest_field *fields, size_t count);

/* Which object it is in. */
static int read_object(struct rest_body *body, struct json *json, struct stream_fault *fault,
		       const struct rest_field *field, const struct json_value *value)
{
	char detail[sizeof(fault->detail)];
	int err;

	if (value->kind != JSON_KIND_OBJECT)
		return fault_value(fault, field->name, "an object", value);
	err = read_members(body, json, fault, field->inner, field->inner_count);
	if (!err || json->reason)
		return err;
	memcpy(detail, fault->detail, sizeof(detail));
	return fault_set(fault, fault->id, "%s: %.120s", field->name, detail);
}

static int read_value(struct rest_body *body, struct json *json, struct stream_fault *fault,
		      const struct rest_field *field, const struct json_value *value)
{
	switch (field->kind) {
	case REST_FIELD_BOOL:
		return read_bool(body, fault, field, value);
	case REST_FIELD_INTEGER:
		return read_integer(body, fault, field, value);
	case REST_FIELD_WORDS:
		return read_words(body, json, fault, field, value);
	case REST_FIELD_OBJECT:
		return read_object(body, json, fault, field, value);
	case REST_FIELD_TEXT:
		break;
	}
	return read_text(body, fault, field, value);
}

static void set_none(struct rest_body *body, const struct rest_field *field)
{
	if (field->kind == REST_FIELD_INTEGER)
		*(int64_t *)member(body, field) = field->none;
	else
		*(const char **)member(body, field) = NULL;
}

static int read_field(struct rest_body *body, struct json *json, struct stream_fault *fault,
		      const struct rest_field *field, const struct json_value *value)
{
	int err = 0;

	body->fields &= ~field->bit; /* an earlier one of the same name */
	if (value->kind == JSON_KIND_NULL && !field->is_nullable)
		return 0;
	if (value->kind == JSON_KIND_NULL)
		set_none(body, field);
	else
		err = read_value(body, json, fault, field, value);
	if (!err)
		body->fields |= field->bit;
	return err;
}

static int check_required(const struct rest_body *body, struct stream_fault *fault,
			  const struct rest_field *fields, size_t count)
{
	for (size_t i = 0; i < count; ++i) {
		if (fields[i].is_required && !(body->fields & fields[i].bit))
			return fault_set(fault, WIRE_ERROR_INVALID_REQUEST, "%s is required",
					 fields[i].name);
	}
	return 0;
}

int rest_body_refuse_key(struct stream_fault *fault, const struct json_value *key)
{
	struct json_value name = *key;

	name.kind = JSON_KIND_STRING;
	return fault_value(fault, "a key", "a known one", &name);
}

static int read_members(struct rest_body *body, struct json *json, struct stream_fault *fault,
			const struct rest_field *fields, size_t count)
{
	struct json_value key;
	struct json_value value;

	while (json_member(json, &key)) {
		const struct rest_field *field = find(fields, count, &key);
		int err;

		if (json_value(json, &value))
			return EINVAL;
		err = field ? read_field(body, json, fault, field, &value)
			    : rest_body_refuse_key(fault, &key);
		if (err)
			return err;
	}
	return json->reason ? EINVAL : 0;
}

int rest_body_read(struct rest_body *body, struct json *json, struct stream_fault *fault,
		   const struct rest_field *fields, size_t count, bool is_new)
{
	struct json_value value;
	int err;

	if (json_value(json, &value))
		return EINVAL;
	if (value.kind != JSON_KIND_OBJECT)
		return fault_value(fault, "it", "a JSON object", &value);
	err = read_members(body, json, fault, fields, count);
	if (err)
		return err;
	return is_new ? check_required(body, fault, fields, count) : 0;
}

int rest_body_end(struct json *json, struct stream_fault *fault, int err)
{
	if (!err && json_close(json) != 0)
		err = EINVAL;
	return json->reason ? fault_json(fault, json) : err;
}

int rest_body_parse(struct rest_body *body, struct stream_fault *fault, char *text, size_t len,
		    const struct rest_field *fields, size_t count, bool is_new)
{
	struct json json;
	int err;

	json_open(&json, text, len);
	err = rest_body_read(body, &json, fault, fields, count, is_new);
	return rest_body_end(&json, fault, err);
}
