/*
 * bpe.h: the tokens of a model, read from tokenizer.json or from a list.
 *
 * A token is either some bytes of text, not necessarily whole characters, or a mark, which is not
 * text: the end, a language, a time.  Only the way from tokens to text is implemented; how text is
 * cut into tokens does not matter to a recognizer.
 *
 * The file is the user's and may be anything: parsing it is fuzzed.  The object never changes after
 * it was made.
 */
#ifndef ENGINE_HEAR_BPE_H
#define ENGINE_HEAR_BPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The largest file that is read: five times as large as those of models with 200 languages. */
#define BPE_FILE_MAX (32u << 20)

/* Ids are smaller than this; Whisper has 51866 tokens. */
#define BPE_IDS_MAX (UINT32_C(1) << 18)

struct bpe;

struct bpe_token {
	const char *bytes; /* of a mark its name: "<|endoftext|>" */
	size_t len;
	bool is_mark;
};

/* How a vocabulary writes the bytes of a token. */
enum bpe_spelling {
	/* Whisper's: each byte is one printable character, itself if it is one, otherwise one of those
	 * from U+0100 on. */
	BPE_BYTES,
	/* Moonshine's: as text, in which U+2581 is a blank; "<0x0A>" is a token of one byte. */
	BPE_BLANKS,
};

/* Reads tokenizer.json, whose text is overwritten, into an object of base/mem.h.  EINVAL: it is no
 * such file; `why` says what is wrong with it, for people.  ENOMEM. */
int bpe_parse(struct bpe **bpep, enum bpe_spelling spelling, char *json, size_t len, char *why,
	      size_t why_size);

/* The same for a list with one token per line, spelled with BPE_BLANKS; the first has the id 0. */
int bpe_parse_lines(struct bpe **bpep, const char *text, size_t len, char *why, size_t why_size);

/* One more than the largest id. */
size_t bpe_count(const struct bpe *bpe);

/* An id that no token has, up to the largest possible size_t, is empty text. */
struct bpe_token bpe_token(const struct bpe *bpe, size_t id);

/* The id of the mark of that name; false if there is none. */
bool bpe_find_mark(const struct bpe *bpe, const char *name, uint32_t *id);

#endif
