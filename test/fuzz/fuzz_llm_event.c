/*
 * fuzz_llm_event.c: events of language models, and members that an operator adds to requests.
 *
 * The first byte chooses the dialect.  Checked: the words are UTF-8 and inside the event; a body
 * with members that were accepted is JSON.
 */
#include <assert.h>
#include <jansson.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "wire/llm_body.h"
#include "wire/llm_event.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

static void check_text(const char *text, size_t len)
{
	struct utf8_state utf8 = {0};

	assert(utf8_check(&utf8, text, len) && utf8_is_complete(&utf8));
}

static void read_event(enum llm_dialect dialect, const char *bytes, size_t len)
{
	char *copy = malloc(len + 1);
	struct llm_event event;

	if (!copy)
		abort();
	memcpy(copy, bytes, len);
	if (llm_event_read(&event, dialect, copy, len) == 0) {
		assert(!event.text || (event.len > 0 && event.text >= copy &&
				       event.text + event.len <= copy + len));
		assert(!event.is_end || event.is_finished);
		check_text(event.text ? event.text : "", event.len);
		check_text(event.error ? event.error : "", event.error_len);
	}
	free(copy);
}

static void write_body(enum llm_dialect dialect, const char *bytes, size_t len)
{
	char *text = strndup(bytes, len);
	struct llm_turn turn = {.role = LLM_USER, .text = bytes, .len = len};
	struct llm_request request = {
		.model = "m", .prompt = "p", .temperature = 1, .turns = &turn, .count = 1};
	struct llm_extra *extra = NULL;
	const char *why;
	struct buf out;
	json_t *json;

	if (!text)
		abort();
	if (llm_extra_parse(&extra, text, &why) == 0) {
		buf_init(&out, 64 * (len + 64));
		request.extra = extra;
		assert(llm_body_write(&out, dialect, &request) == 0);
		json = json_loadb(out.bytes, out.len, JSON_ALLOW_NUL, NULL);
		/* A number above the largest double is JSON, but jansson refuses it. */
		assert(json || strpbrk(text, "eE0123456789\\"));
		json_decref(json);
		buf_reset(&out);
	}
	mem_deref(extra);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	enum llm_dialect dialect;

	if (len < 1)
		return 0;
	dialect = bytes[0] % 3u;
	read_event(dialect, (const char *)bytes + 1, len - 1);
	write_body(dialect, (const char *)bytes + 1, len - 1);
	return 0;
}
