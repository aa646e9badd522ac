/*
 * llama_vocabulary.c: the vocabulary of Llama's tokenizer (see llama_vocabulary.h).
 */
#include "cli/llama_vocabulary.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/base64.h"
#include "base/utf8.h"

/* The statement that defines the vocabulary; elsewhere in the program its name is followed by
 * something else. */
static const char llama_vocabulary_start[] = "llama_vocab_base64 = \"";

/* The engine numbers tokens by counting lines, so no line may be empty; and a line with a NUL would
 * end early. Some of Llama's tokens end with a carriage return. */
static bool llama_vocabulary_is_valid(const char *text, size_t len)
{
	struct utf8_state state = {0};
	size_t tokens = 0;
	size_t token_len = 0;

	if (!utf8_check(&state, text, len) || !utf8_is_complete(&state))
		return false;
	for (size_t i = 0; i < len; ++i) {
		if (text[i] != '\n') {
			if (text[i] == '\0' || ++token_len > LLAMA_VOCABULARY_TOKEN_MAX)
				return false;
			continue;
		}
		if (token_len == 0 || ++tokens == LLAMA_VOCABULARY_TOKENS_MAX)
			return false;
		token_len = 0;
	}
	return token_len > 0; /* the last token has no newline */
}

int llama_vocabulary_extract(struct buf *out, const struct buf *program)
{
	const size_t start_len = sizeof(llama_vocabulary_start) - 1;
	const char *end = program->bytes + program->len;
	const char *start = program->len > 0 ? memmem(program->bytes, program->len,
						      llama_vocabulary_start, start_len)
					     : NULL;
	const char *quote;
	size_t before = out->len;
	size_t len;
	int err;

	if (!start)
		return EINVAL;
	start += start_len;
	quote = memchr(start, '"', (size_t)(end - start));
	if (!quote || quote == start)
		return EINVAL;
	err = buf_reserve(out, base64_decoded_max((size_t)(quote - start)) + 1);
	if (err)
		return err;
	if (base64_decode(out->bytes + before, &len, start, (size_t)(quote - start)) != 0 ||
	    !llama_vocabulary_is_valid(out->bytes + before, len))
		return EINVAL;
	out->bytes[before + len] = '\n';
	out->len = before + len + 1;
	return 0;
}
