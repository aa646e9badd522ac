/*
 * rest_body.c: reads the body of a REST request by a table of its keys (see rest_body.h).
 */
#include "wire/rest_body.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

void *rest_body_member(const struct rest_reader *reader, const struct rest_field *field)
{
	return (char *)reader->body + field->offset;
}

static int rest_body_text(struct rest_reader *reader, const struct rest_field *field,
			  const struct json_value *value)
{
	enum wire_error_id bad_length = reader->form->bad_length;
	const char *must = field->is_nullable ? "a string or null" : "a string";
	size_t length;

	if (value->kind != JSON_KIND_STRING)
		return fault_value(reader->fault, field->name, field->must ? field->must : must,
				   value);
	length = utf8_count(value->text, value->len);
	if ((int64_t)length < field->min || (int64_t)length > field->max)
		return fault_set(reader->fault,
				 bad_length ? bad_length : WIRE_ERROR_INVALID_REQUEST,
				 "%s must have %lld to %lld characters (got %zu)", field->name,
				 (long long)field->min, (long long)field->max, length);
	value->text[value->len] = '\0'; /* overwrites the closing quote, or a byte before it */
	*(const char **)rest_body_member(reader, field) = value->text;
	return 0;
}

static int rest_body_choice(struct rest_reader *reader, const struct rest_field *field,
			    const struct json_value *value)
{
	size_t count = 0;

	for (; field->words[count]; ++count) {
		if (value->kind == JSON_KIND_STRING && json_is(value, field->words[count])) {
			*(const char **)rest_body_member(reader, field) = field->words[count];
			return 0;
		}
	}
	return fault_choice(reader->fault, field->name, field->words, count, value);
}

static int rest_body_bool(struct rest_reader *reader, const struct rest_field *field,
			  const struct json_value *value)
{
	if (value->kind != JSON_KIND_BOOL)
		return fault_value(reader->fault, field->name, "true or false", value);
	*(bool *)rest_body_member(reader, field) = value->truth;
	return 0;
}

static int rest_body_integer(struct rest_reader *reader, const struct rest_field *field,
			     const struct json_value *value)
{
	char must[96];
	int64_t number;

	if (value->kind == JSON_KIND_NUMBER && json_to_integer(&number, value) == 0 &&
	    number >= field->min && number <= field->max) {
		*(int64_t *)rest_body_member(reader, field) = number;
		return 0;
	}
	snprintf(must, sizeof(must), "a whole number from %lld to %lld%s", (long long)field->min,
		 (long long)field->max, field->is_nullable ? ", or null" : "");
	return fault_value(reader->fault, field->name, must, value);
}

static int rest_body_number(struct rest_reader *reader, const struct rest_field *field,
			    const struct json_value *value)
{
	double number;

	if (value->kind != JSON_KIND_NUMBER || json_to_double(&number, value) != 0 ||
	    number < field->low || number > field->high)
		return fault_range(reader->fault, field->name, field->low, field->high, value);
	*(double *)rest_body_member(reader, field) = number;
	return 0;
}

static bool rest_body_is_word(const struct json_value *value)
{
	if (value->kind != JSON_KIND_STRING || value->len == 0)
		return false;
	for (size_t i = 0; i < value->len; ++i) {
		if ((value->text[i] < 'a' || value->text[i] > 'z') && value->text[i] != '_')
			return false;
	}
	return true;
}

static int rest_body_words(struct rest_reader *reader, const struct rest_field *field,
			   const struct json_value *list)
{
	struct rest_words *words = rest_body_member(reader, field);
	struct json_value value;
	size_t len = 0;

	if (list->kind != JSON_KIND_ARRAY)
		return fault_value(reader->fault, field->name, "a list of names", list);
	words->text[0] = '\0';
	while (json_element(reader->json)) {
		if (json_value(reader->json, &value))
			return EINVAL;
		if (!rest_body_is_word(&value) || len + 1 + value.len >= sizeof(words->text))
			return fault_value(reader->fault, field->name, "a short list of names",
					   &value);
		len += (size_t)snprintf(words->text + len, sizeof(words->text) - len, "%s%.*s",
					len ? "," : "", (int)value.len, value.text);
	}
	return 0;
}

int rest_body_place_fault(struct stream_fault *fault, const char *name, size_t index)
{
	char detail[sizeof(fault->detail)];

	memcpy(detail, fault->detail, sizeof(detail));
	if (index == REST_BODY_NO_INDEX)
		return fault_set(fault, fault->id, "%s: %.120s", name, detail);
	return fault_set(fault, fault->id, "%s[%zu]: %.120s", name, index, detail);
}

static int rest_body_object(struct rest_reader *reader, const struct rest_field *field,
			    const struct json_value *value)
{
	struct rest_reader inner = *reader;
	int err;

	if (value->kind != JSON_KIND_OBJECT)
		return fault_value(reader->fault, field->name, "an object", value);
	inner.form = field->inner;
	err = rest_body_members(&inner);
	return err && !reader->json->reason
		       ? rest_body_place_fault(reader->fault, field->name, REST_BODY_NO_INDEX)
		       : err;
}

static int rest_body_field(struct rest_reader *reader, const struct rest_field *field,
			   const struct json_value *value)
{
	static rest_field_h *const read[] = {
		[REST_FIELD_TEXT] = rest_body_text,     [REST_FIELD_CHOICE] = rest_body_choice,
		[REST_FIELD_BOOL] = rest_body_bool,     [REST_FIELD_INTEGER] = rest_body_integer,
		[REST_FIELD_NUMBER] = rest_body_number, [REST_FIELD_WORDS] = rest_body_words,
		[REST_FIELD_OBJECT] = rest_body_object,
	};
	void *member = rest_body_member(reader, field);
	int err = 0;

	reader->body->fields &= ~field->bit; /* forgets an earlier key of the same name */
	if (value->kind == JSON_KIND_NULL && !field->is_nullable)
		return 0;
	if (value->kind != JSON_KIND_NULL)
		err = (field->read ? field->read : read[field->kind])(reader, field, value);
	else if (field->kind == REST_FIELD_INTEGER)
		*(int64_t *)member = field->none;
	else if (field->kind == REST_FIELD_NUMBER)
		*(double *)member = (double)field->none;
	else
		*(const char **)member = NULL;
	if (!err)
		reader->body->fields |= field->bit;
	return err;
}

int rest_body_refuse_key(struct stream_fault *fault, const struct json_value *key)
{
	struct json_value name = *key;

	name.kind = JSON_KIND_STRING;
	return fault_value(fault, "a key", "a known one", &name);
}

int rest_body_members(struct rest_reader *reader)
{
	const struct rest_form *form = reader->form;
	struct json_value key;
	struct json_value value;

	while (json_member(reader->json, &key)) {
		const struct rest_field *field = NULL;
		int err;

		for (size_t i = 0; i < form->count && !field; ++i) {
			if (json_is(&key, form->fields[i].name))
				field = &form->fields[i];
		}
		if (json_value(reader->json, &value))
			return EINVAL;
		if (field)
			err = rest_body_field(reader, field, &value);
		else if (form->ignores_others)
			err = json_skip(reader->json, &value);
		else
			err = rest_body_refuse_key(reader->fault, &key);
		if (err)
			return err;
	}
	return reader->json->reason ? EINVAL : 0;
}

int rest_body_read(struct rest_body *body, struct json *json, struct stream_fault *fault,
		   const struct rest_form *form, bool is_new)
{
	struct rest_reader reader = {body, json, fault, form};
	struct json_value value;
	int err;

	if (json_value(json, &value))
		return EINVAL;
	if (value.kind != JSON_KIND_OBJECT)
		return fault_value(fault, "it", "a JSON object", &value);
	err = rest_body_members(&reader);
	for (size_t i = 0; i < form->count && is_new && !err; ++i) {
		if (form->fields[i].is_required && !(body->fields & form->fields[i].bit))
			err = fault_set(fault, WIRE_ERROR_INVALID_REQUEST, "%s is required",
					form->fields[i].name);
	}
	return err;
}

int rest_body_end(struct json *json, struct stream_fault *fault, int err)
{
	if (!err && json_close(json) != 0)
		err = EINVAL;
	return json->reason ? fault_json(fault, json) : err;
}

int rest_body_parse(struct rest_body *body, struct stream_fault *fault, char *text, size_t len,
		    const struct rest_form *form, bool is_new)
{
	struct json json;
	int err;

	json_open(&json, text, len);
	err = rest_body_read(body, &json, fault, form, is_new);
	return err == ENOMEM ? err : rest_body_end(&json, fault, err);
}
