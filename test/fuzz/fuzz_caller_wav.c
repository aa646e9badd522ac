/*
 * fuzz_caller_wav.c: WAV files that a user plays to an agent, and the events of the agent's server.
 *
 * Checked: the audio that is found is inside the file, its rate can be converted, a refusal has a
 * reason, and an event that is accepted is printed on exactly one line.
 */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/caller_event.h"
#include "cli/caller_wav.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

static void fuzz_check_wav(const uint8_t *bytes, size_t len)
{
	char why[CALLER_WAV_WHY_SIZE] = "";
	struct caller_wav wav;
	int16_t *mixed;

	if (caller_wav_parse(&wav, bytes, len, why) != 0) {
		assert(why[0] && strlen(why) < sizeof(why));
		return;
	}
	assert(wav.rate >= CALLER_WAV_RATE_MIN && wav.rate <= CALLER_WAV_RATE_MAX);
	assert(wav.channels > 0 && wav.channels <= CALLER_WAV_CHANNELS_MAX);
	assert(wav.audio >= bytes && wav.frames > 0);
	assert(wav.frames * wav.channels * 2 <= len - (size_t)(wav.audio - bytes));
	mixed = malloc(wav.frames * sizeof(*mixed));
	assert(mixed);
	caller_wav_mix(mixed, &wav);
	free(mixed);
}

static void fuzz_check_line(struct buf *out)
{
	assert(out->len > 0 && memchr(out->bytes, '\n', out->len) == out->bytes + out->len - 1);
	out->len = 0;
}

static void fuzz_check_event(const uint8_t *bytes, size_t len)
{
	char *copy = malloc(len + 1);
	struct caller_event event;
	struct buf out;

	assert(copy);
	memcpy(copy, bytes, len);
	buf_init(&out, len + 1000);
	if (caller_event_parse(&event, copy, len) == 0) {
		assert(caller_event_print(&out, &event, 0) == 0);
		if (out.len > 0)
			fuzz_check_line(&out);
		assert(caller_event_print_json(&out, &event, 0, (const char *)bytes, len) == 0);
		fuzz_check_line(&out);
	}
	buf_reset(&out);
	free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	fuzz_check_wav(bytes, len);
	if (len > 0)
		fuzz_check_event(bytes, len);
	return 0;
}
