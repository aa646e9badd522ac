/*
 * whisper_settings.h: config.json and generation_config.json of a Whisper model, as far as they
 * matter here.
 *
 * The files are the user's and may be anything: reading them is fuzzed.  Every number that was read
 * is within the bounds below, so that what is computed from it cannot overflow.
 */
#ifndef ENGINE_HEAR_WHISPER_SETTINGS_H
#define ENGINE_HEAR_WHISPER_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The largest file that is read; the models' own have 4 KB. */
#define WHISPER_SETTINGS_FILE_MAX (1u << 20)

/* The model called small has 12 layers, 12 heads, a width of 768 and 88 suppressed tokens.  Larger
 * ones would take longer to understand a sentence than it takes to say it. */
#define WHISPER_LAYERS_MAX 12u
#define WHISPER_HEADS_MAX 16u
#define WHISPER_WIDTH_MAX 1024u
#define WHISPER_POSITIONS_MAX 1500u
#define WHISPER_TOKENS_MAX 448u
#define WHISPER_SUPPRESSED_MAX 512u
#define WHISPER_ALIGNED_MAX 32u

/* Token ids; more than there is room for are ignored. */
struct whisper_ids {
	uint32_t ids[WHISPER_SUPPRESSED_MAX];
	size_t count;
};

struct whisper_settings {
	unsigned layers, heads; /* of the decoder */
	unsigned width; /* numbers of a column of the encoder's output */
	unsigned bins; /* of mel.h */
	unsigned positions; /* columns of the encoder's output: 50 for each second */
	unsigned tokens_max; /* that the decoder can read, prefix included */
	unsigned vocabulary; /* scores that the decoder gives */
	struct whisper_ids suppressed; /* tokens that are never chosen */
	struct whisper_ids begin_suppressed; /* tokens that are not chosen as the first one */
	/* The heads whose attention follows the audio; none if the files do not tell. */
	struct whisper_head {
		unsigned layer, head;
	} aligned[WHISPER_ALIGNED_MAX];
	size_t aligned_count;
	bool is_multilingual;
};

/* Reads config.json.  The text is overwritten.  EINVAL: it is damaged, or is not that of a Whisper
 * model; `why` is a reason for people. */
int whisper_settings_read(struct whisper_settings *settings, char *json, size_t len, char *why,
			  size_t why_size);

/* Reads generation_config.json, which replaces some of what config.json said. */
int whisper_settings_read_generation(struct whisper_settings *settings, char *json, size_t len,
				     char *why, size_t why_size);

#endif
