/*
 * fuzz_http.c: HTTP requests, one after the other, any split.
 *
 * The first byte chooses the split.  Checked: the same requests are read with every split, up to
 * the first one that fails, whether bodies are collected or taken piece by piece; limits are
 * respected; handlers get valid strings.
 */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "net/http_parse.h"
#include "net/ws_handshake.h"

#define HEAD_MAX 2048u
#define BODY_MAX 1024u

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

struct digest {
	uint64_t sum;
	uint64_t body_sum;
	size_t body_len; /* of all bodies */
	size_t requests;
	bool failed;
};

static void add_to(uint64_t *sum, const char *bytes, size_t n)
{
	for (size_t i = 0; i < n; ++i)
		*sum = (*sum ^ (uint8_t)bytes[i]) * UINT64_C(0x100000001b3);
}

static void add(struct digest *digest, const char *bytes, size_t n)
{
	add_to(&digest->sum, bytes, n);
}

/* Takes bytes of the body out of the parser, as a handler of pieces does. */
static void take_body(struct digest *digest, struct http_parse *parse, size_t n)
{
	if (n > parse->body.len)
		n = parse->body.len;
	add_to(&digest->body_sum, parse->body.bytes, n);
	digest->body_len += n;
	http_parse_take_body(parse, n);
}

static void check_request(struct digest *digest, struct http_parse *parse)
{
	static const char *const names[] = {"host", "connection", "content-length", "x", ""};
	const char *path = http_parse_path(parse);
	const char *query = http_parse_query(parse);
	char out[64];
	size_t n;

	assert(path[0] == '/' || path[0] == '*' || strchr(path, '/') == NULL);
	assert(http_parse_body_len(parse) <= BODY_MAX);
	assert(parse->body.bytes[parse->body.len] == '\0');
	assert(parse->head_bytes <= HEAD_MAX);
	assert(parse->is_http_1_0 || http_parse_header(parse, "HOST", 0));
	assert(!http_parse_header(parse, "host", 1));
	add(digest, path, strlen(path));
	add(digest, query, strlen(query));
	take_body(digest, parse, parse->body.len);
	if (http_parse_decode(&n, out, sizeof(out), query, strlen(query), true) == 0)
		assert(strlen(out) == n);
	for (size_t i = 0; i < COUNT(names); ++i) {
		const char *value = http_parse_header(parse, names[i], 0);

		if (!value)
			continue;
		assert(!strpbrk(value, "\r\n"));
		add(digest, value, strlen(value));
		(void)ws_handshake_has_token(value, "upgrade");
		(void)ws_handshake_key_is_valid(value);
	}
	++digest->requests;
}

/* Reads all in pieces of `step` bytes, and takes up to `take` bytes of a body after each. */
static struct digest read_all(const uint8_t *bytes, size_t len, size_t step, size_t take)
{
	struct digest digest = {.sum = UINT64_C(0xcbf29ce484222325)};
	struct http_parse parse;
	size_t at = 0;

	http_parse_init(&parse, HEAD_MAX, BODY_MAX);
	while (at < len && !digest.failed) {
		size_t n = len - at < step ? len - at : step;
		char *piece = malloc(n);
		size_t used;

		if (!piece)
			abort();
		memcpy(piece, bytes + at, n);
		used = http_parse_feed(&parse, piece, n);
		free(piece);
		assert(used > 0 && used <= n);
		at += used;
		digest.failed = parse.state == HTTP_PARSE_FAILED;
		if (parse.state == HTTP_PARSE_BODY)
			take_body(&digest, &parse, take);
		assert(http_parse_body_len(&parse) <= BODY_MAX);
		if (parse.state != HTTP_PARSE_DONE)
			continue;
		check_request(&digest, &parse);
		http_parse_reset(&parse);
		http_parse_init(&parse, HEAD_MAX, BODY_MAX);
	}
	take_body(&digest, &parse, parse.body.len); /* of a request that is not complete */
	if (digest.failed)
		assert(parse.status >= 400 && parse.status < 600 && parse.reason);
	http_parse_reset(&parse);
	return digest;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	struct digest whole;

	if (len < 1)
		return 0;
	whole = read_all(bytes + 1, len - 1, len, 0);
	for (int is_streamed = 0; is_streamed < 2; ++is_streamed) {
		size_t take = is_streamed ? 1 + bytes[0] / 16u : 0;
		struct digest split = read_all(bytes + 1, len - 1, 1 + bytes[0] % 16u, take);

		assert(whole.failed == split.failed);
		assert(whole.requests == split.requests && whole.sum == split.sum);
		/* A body that fails is refused, however much of it was taken. */
		assert(whole.failed ||
		       (whole.body_len == split.body_len && whole.body_sum == split.body_sum));
	}
	return 0;
}
