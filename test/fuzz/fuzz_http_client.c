/*
 * fuzz_http_client.c: answers of HTTP servers, any split.
 *
 * The first byte chooses the split.  Checked: head, body and end are the same with every split; the
 * head is never longer than its maximum.
 */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "net/http_client_parse.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

struct digest {
	uint64_t sum;
	size_t taken;
	unsigned heads;
	int state;
};

static void add(struct digest *digest, const char *bytes, size_t len)
{
	for (size_t i = 0; i < len; ++i)
		digest->sum = (digest->sum ^ (uint8_t)bytes[i]) * UINT64_C(0x100000001b3);
}

static void on_head(const struct http_client_parse *parse, void *arg)
{
	struct digest *digest = arg;
	const char *type = http_client_parse_header(parse, "content-type");

	assert(parse->status >= 200 && parse->head.len <= HTTP_CLIENT_HEAD_MAX);
	++digest->heads;
	add(digest, type ? type : "", type ? strlen(type) : 0);
	add(digest, (const char *)&parse->status, sizeof(parse->status));
}

static void on_body(const char *bytes, size_t n, void *arg)
{
	struct digest *digest = arg;

	assert(digest->heads == 1);
	add(digest, bytes, n);
}

static const struct http_client_parse_handlers handlers = {.head = on_head, .body = on_body};

static struct digest read_all(const uint8_t *bytes, size_t len, size_t step)
{
	struct digest digest = {.sum = UINT64_C(0xcbf29ce484222325)};
	struct http_client_parse parse;

	http_client_parse_init(&parse, &handlers, &digest);
	for (size_t at = 0; at < len && parse.state < HTTP_CLIENT_PARSE_DONE;) {
		size_t n = len - at < step ? len - at : step;
		char *piece = malloc(n); /* a copy, so that a read past its end is detected */

		if (!piece)
			abort();
		memcpy(piece, bytes + at, n);
		digest.taken += http_client_parse_feed(&parse, piece, n);
		free(piece);
		at += n;
	}
	http_client_parse_end(&parse);
	assert(parse.state == HTTP_CLIENT_PARSE_DONE || parse.reason);
	digest.state = parse.state;
	http_client_parse_reset(&parse);
	return digest;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	struct digest whole;
	struct digest split;

	if (len < 2)
		return 0;
	whole = read_all(bytes + 1, len - 1, len);
	split = read_all(bytes + 1, len - 1, 1 + bytes[0] % 16u);
	assert(whole.state == split.state && whole.heads == split.heads);
	if (whole.state == HTTP_CLIENT_PARSE_DONE)
		assert(whole.sum == split.sum && whole.taken == split.taken);
	return 0;
}
