/*
 * fuzz_bpe.c: tokenizer.json, and lists of tokens, with any bytes.
 *
 * The first byte chooses: 'l' is a list, 'b' a tokenizer.json with blanks, anything else one with
 * bytes.  What was read must be usable: every token can be asked for, and every mark is found by its name.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "engine/hear/bpe.h"

#define MUST(condition)                                                                            \
	do {                                                                                       \
		if (!(condition))                                                                  \
			abort();                                                                   \
	} while (0)

static void check(const struct bpe *bpe, size_t len)
{
	size_t bytes = 0;

	MUST(bpe_count(bpe) > 0 && bpe_count(bpe) <= BPE_IDS_MAX);
	for (size_t id = 0; id < bpe_count(bpe); ++id) {
		struct bpe_token token = bpe_token(bpe, id);

		bytes += token.len;
		if (token.is_mark && token.len < 32 && !memchr(token.bytes, '\0', token.len)) {
			char name[32] = "";
			uint32_t found;

			memcpy(name, token.bytes, token.len);
			MUST(bpe_find_mark(bpe, name, &found));
			MUST(found <= id && bpe_token(bpe, found).len == token.len);
		}
	}
	MUST(bytes <= len);
	MUST(bpe_token(bpe, bpe_count(bpe)).len == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	struct bpe *bpe = NULL;
	char why[64] = "";
	char *copy;
	int err;

	if (len == 0)
		return 0;
	copy = malloc(len);
	MUST(copy);
	memcpy(copy, bytes + 1, --len);
	if (bytes[0] == 'l')
		err = bpe_parse_lines(&bpe, copy, len, why, sizeof(why));
	else
		err = bpe_parse(&bpe, bytes[0] == 'b' ? BPE_BLANKS : BPE_BYTES, copy, len, why,
				sizeof(why));
	free(copy); /* nothing may point into it */
	MUST(!err == !!bpe);
	MUST(!err == !why[0]);
	if (bpe)
		check(bpe, len);
	mem_deref(bpe);
	return 0;
}
