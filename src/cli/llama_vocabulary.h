/*
 * llama_vocabulary.h: the vocabulary of Llama's tokenizer, which Moonshine also uses.
 *
 * Moonshine's packages have no vocabulary. The package llama-tokenizer-js has it inside a program,
 * as base64; nothing of the program is run. Pure; any thread may use it.
 */
#ifndef CLI_LLAMA_VOCABULARY_H
#define CLI_LLAMA_VOCABULARY_H

#include "base/buf.h"

/* A vocabulary with more or longer tokens is refused; Llama's has 32,000 of up to 48 bytes. */
#define LLAMA_VOCABULARY_TOKENS_MAX 65536u
#define LLAMA_VOCABULARY_TOKEN_MAX 256u

/* Appends the tokens in the order of their numbers, as lines of UTF-8. EINVAL if the program has no
 * vocabulary, or one that is not plain lines of text; ENOBUFS if it does not fit into `out`. */
int llama_vocabulary_extract(struct buf *out, const struct buf *program);

#endif
