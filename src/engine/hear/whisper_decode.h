/*
 * whisper_decode.h: a piece of audio to tokens, with a Whisper model.
 *
 * The encoder reads 30 seconds, of which what is missing is silence.  The decoder then gives one
 * token after the other, always the likeliest.  What its layers computed before goes in again each
 * time instead of being computed anew.
 *
 * Everything runs on the caller's thread.
 */
#ifndef ENGINE_HEAR_WHISPER_DECODE_H
#define ENGINE_HEAR_WHISPER_DECODE_H

#include "engine/hear/recognizer.h"
#include "engine/hear/whisper_model.h"

struct whisper_tokens {
	int64_t ids[WHISPER_TOKENS_MAX]; /* text, without marks */
	float probabilities[WHISPER_TOKENS_MAX];
	size_t count;
	/* The mean of the logarithms of the probabilities, the end included. */
	float mean_log;
	const struct whisper_language *language; /* NULL if the model has none */
	float language_probability;
	float no_speech; /* the probability that there is no speech; 0 if it is not known */
	/* The frame of 20 ms in which each token begins, and where the last one ends; only if times
	 * are wanted and the model has attentions. */
	size_t starts[WHISPER_TOKENS_MAX + 1];
	bool has_starts;
};

/* Decodes a piece.  The language is that of the tokens; if it is NULL, it is detected.  ECANCELED,
 * EINVAL when the runtime refuses, ENOMEM; `why` is a reason for people. */
int whisper_decode(struct whisper_tokens *tokens, const struct whisper_model *model,
		   const struct recognizer_piece *piece, char why[RUNTIME_WHY_SIZE]);

#endif
