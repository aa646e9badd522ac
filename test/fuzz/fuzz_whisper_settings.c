/*
 * fuzz_whisper_settings.c: config.json and generation_config.json of a Whisper model, with any bytes.
 *
 * The first byte chooses the file.  Numbers that were read are within their bounds.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "engine/hear/bpe.h"
#include "engine/hear/whisper_settings.h"

#define MUST(condition)                                                                            \
	do {                                                                                       \
		if (!(condition))                                                                  \
			abort();                                                                   \
	} while (0)

static void check_ids(const struct whisper_ids *ids)
{
	MUST(ids->count <= WHISPER_SUPPRESSED_MAX);
	for (size_t i = 0; i < ids->count; ++i)
		MUST(ids->ids[i] < BPE_IDS_MAX);
}

static void check(const struct whisper_settings *settings)
{
	MUST(settings->layers > 0 && settings->layers <= WHISPER_LAYERS_MAX);
	MUST(settings->heads > 0 && settings->heads <= WHISPER_HEADS_MAX);
	MUST(settings->width > 0 && settings->width <= WHISPER_WIDTH_MAX);
	MUST(settings->width % settings->heads == 0);
	MUST(settings->bins > 0 && settings->positions > 0 && settings->tokens_max > 0);
	MUST(settings->positions <= WHISPER_POSITIONS_MAX);
	MUST(settings->tokens_max <= WHISPER_TOKENS_MAX);
	MUST(settings->vocabulary > 0 && settings->vocabulary <= BPE_IDS_MAX);
	MUST(settings->aligned_count <= WHISPER_ALIGNED_MAX);
	for (size_t i = 0; i < settings->aligned_count; ++i)
		MUST(settings->aligned[i].layer < settings->layers &&
		     settings->aligned[i].head < settings->heads);
	check_ids(&settings->suppressed);
	check_ids(&settings->begin_suppressed);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	struct whisper_settings settings = {.layers = 4,
					    .heads = 6,
					    .width = 384,
					    .bins = 80,
					    .positions = 1500,
					    .tokens_max = 448,
					    .vocabulary = 51865};
	char why[64];
	char *copy;
	int err;

	if (len == 0)
		return 0;
	copy = malloc(len);
	MUST(copy);
	memcpy(copy, bytes + 1, len - 1);
	if (bytes[0] == 'g')
		err = whisper_settings_read_generation(&settings, copy, len - 1, why, sizeof(why));
	else
		err = whisper_settings_read(&settings, copy, len - 1, why, sizeof(why));
	free(copy);
	if (!err)
		check(&settings);
	return 0;
}
