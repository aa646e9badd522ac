/*
 * fuzz_audio_file.c: recordings from any bytes, decoded as syrinx-decode does it.
 *
 * The first byte chooses whether the caller says what the bytes are.  Checked: samples come in pieces
 * that are not too long, their number is bounded, and every refusal has its sentence.
 */
#include <assert.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "engine/decode/audio_file.h"
#include "engine/decode/mono.h"

/* A few bytes can be hours of silence, which would take the fuzzer's time. */
#define SAMPLES_ENOUGH (30u * MONO_RATE)

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	static const char *const formats[] = {"",         "",          "",           "",
					      "pcm_8000", "ulaw_8000", "alaw_96000", "x"};
	char why[AUDIO_FILE_WHY_MAX] = "";
	struct audio_file *file = NULL;
	const int16_t *samples;
	volatile int sum = 0;
	size_t count = 1;
	size_t total = 0;
	uint8_t *copy;
	int err;

	if (len < 2)
		return 0;
	copy = malloc(len - 1);
	if (!copy)
		abort();
	memcpy(copy, bytes + 1, len - 1);
	err = audio_file_open(&file, why, copy, len - 1, formats[bytes[0] % 8]);
	while (!err && count > 0 && total < SAMPLES_ENOUGH) {
		err = audio_file_read(file, why, &samples, &count);
		if (err)
			break;
		for (size_t i = 0; i < count; ++i)
			sum += samples[i]; /* each is read, for the sanitizer */
		total += count;
	}
	assert(err == 0 || err == EINVAL || err == EFBIG || err == ENOTSUP || err == ENOMEM);
	assert(err == 0 || err == ENOMEM || why[0] != '\0');
	assert(memchr(why, '\0', sizeof(why)));
	(void)sum;
	mem_deref(file);
	free(copy);
	return 0;
}
