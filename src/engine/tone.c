/*
 * tone.c: an engine that hums: every word is a tone whose pitch comes from its
 * letters.
 *
 * It is the example to copy for an engine of one's own, and the engine of the
 * tests: the same text gives the same samples on every machine (integers
 * only), word times are exact, and lengths can be reckoned from the text:
 * TONE_LETTER_MS per character of a word and once more for the pause after it.
 * Phonemes are hummed as if they were the letters there.
 *
 * With --test-hooks some words have effects instead of a tone:
 *
 *   [[crash]]       abort
 *   [[hang]]        compute for ever
 *   [[stall]]       sleep for ever
 *   [[fail]]        the text fails
 *   [[slow:N]]      from here on, sleep N ms per 100 ms of audio
 *   [[long:N]]      a tone of N seconds
 *   [[socket]]      try to open an Internet socket
 *   [[open-write]]  try to write a file
 *   [[wait]]        wait for credit, without a sound
 *   [[block]]       from here on, make words and pauses as a costly engine would:
 *                   whole, after waiting for credit, zeros where nobody listens
 *
 * and these variables of the environment count:
 *
 *   SYRINX_ENGINE_TONE_JOBS   texts at once
 *   SYRINX_ENGINE_TONE_NOTE   a note to whoever runs the server
 *
 * All that changes while a text is spoken is in its struct hum, so texts can be
 * spoken on any number of threads.
 */
#include "engine/tone.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/count.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "workers/message.h"

/* 20 ms: a short first sound, and a cancel is noticed soon. */
#define BLOCK 480u
#define LETTER_SAMPLES (TONE_LETTER_MS * TONE_RATE / 1000)
#define FADE_SAMPLES 120u /* 5 ms: no click at either end */
#define LICENCE "Apache-2.0"

struct tone {
	bool test_hooks;
	uint16_t jobs;
	const char *note; /* the environment's, or NULL */
};

/* One text on its way to the sink. */
struct hum {
	const struct engine_text *text;
	size_t span; /* the first of its phonemes that is not behind us */
	struct sink *sink;
	uint64_t position; /* samples so far */
	unsigned divisor; /* of the pitch: 2 is an octave lower */
	unsigned slow_ms; /* [[slow:N]] */
	bool is_costly; /* [[block]] */
};

static uint16_t read_jobs(const char *word)
{
	unsigned long jobs = word ? strtoul(word, NULL, 10) : 1;

	return jobs > 0 && jobs <= 1000 ? (uint16_t)jobs : 1;
}

static int tone_open(void **statep, const struct engine_options *options)
{
	struct tone *tone = mem_zalloc(sizeof(*tone), NULL);

	if (!tone)
		return ENOMEM;
	tone->test_hooks = options->test_hooks;
	tone->jobs = 1;
	if (options->test_hooks) {
		tone->jobs = read_jobs(getenv("SYRINX_ENGINE_TONE_JOBS"));
		tone->note = getenv("SYRINX_ENGINE_TONE_NOTE");
	}
	*statep = tone;
	return 0;
}

static void tone_close(void *state)
{
	mem_deref(state);
}

static uint16_t tone_jobs(void *state)
{
	const struct tone *tone = state;

	return tone->jobs;
}

static int tone_notes(void *state, engine_note_h *each, void *arg)
{
	const struct tone *tone = state;
	const struct engine_note note = {.about = "tone", .text = tone->note};

	return tone->note ? each(&note, arg) : 0;
}

static int tone_voices(void *state, engine_voice_h *each, void *arg)
{
	static const struct engine_voice rows[] = {
		{"tone", "en", "Tone", TONE_RATE, ENGINE_SEX_UNKNOWN, ENGINE_LOW, LICENCE},
		{"tone-low", "en", "Low tone", TONE_RATE, ENGINE_SEX_UNKNOWN, ENGINE_LOW, LICENCE},
	};
	int err = 0;

	(void)state;
	for (size_t i = 0; i < COUNT(rows) && !err; ++i)
		err = each(&rows[i], arg);
	return err;
}

/* Half a period of the sine is nearly a parabola, and a parabola is the same
 * on every machine.  phase runs through the whole of its type per period. */
static int32_t wave(uint32_t phase)
{
	int32_t x = (int32_t)(phase >> 16) - 32768; /* -32768 … 32767 */
	int32_t half = x < 0 ? x + 16384 : x - 16384; /* around the half's top */
	int32_t height = 16384 - (half * half >> 14); /* 0 … 16384 */

	return x < 0 ? -height : height;
}

/* 0 … FADE_SAMPLES: how far the tone is open at sample i of n. */
static int32_t fade(uint64_t i, uint64_t n)
{
	uint64_t edge = i < n - 1 - i ? i : n - 1 - i;

	return edge < FADE_SAMPLES ? (int32_t)edge : (int32_t)FADE_SAMPLES;
}

static int sleep_ms(unsigned ms)
{
	struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000) * 1000000};

	while (nanosleep(&time, &time) && errno == EINTR)
		;
	return 0;
}

/* Samples [from, from + size) of a tone that has n, or of silence when hz is 0. */
static void make_samples(int16_t *samples, size_t size, unsigned hz, uint64_t from, uint64_t n)
{
	const uint32_t step = (uint32_t)(((uint64_t)hz << 32) / TONE_RATE);

	for (size_t i = 0; i < size; ++i) {
		uint32_t phase = (uint32_t)(from + i) * step;
		int32_t open = hz ? fade(from + i, n) : 0;

		samples[i] = (int16_t)(wave(phase) * open / (int32_t)FADE_SAMPLES);
	}
}

static void be_slow(const struct hum *hum, size_t size)
{
	if (hum->slow_ms > 0)
		sleep_ms(hum->slow_ms * (unsigned)size / (TONE_RATE / 10));
}

static int hum_in_small_blocks(const struct hum *hum, unsigned hz, uint64_t n)
{
	int16_t block[BLOCK];
	int stop = 0;

	for (uint64_t done = 0; done < n && !stop;) {
		size_t size = n - done < BLOCK ? (size_t)(n - done) : BLOCK;

		make_samples(block, size, hz, done, n);
		be_slow(hum, size);
		stop = sink_audio(hum->sink, block, size);
		done += size;
	}
	return stop;
}

/* Nobody notices that the skipped samples are zeros. */
static int hum_in_one_block(const struct hum *hum, unsigned hz, size_t n)
{
	int16_t *block = calloc(n, sizeof(*block));
	uint64_t skip = 0;
	int stop;

	if (!block)
		abort(); /* a hook of tests */
	stop = sink_wait(hum->sink, &skip);
	if (!stop && skip < n) {
		make_samples(block + skip, n - (size_t)skip, hz, skip, n);
		be_slow(hum, n - (size_t)skip);
	}
	if (!stop)
		stop = sink_audio(hum->sink, block, n);
	free(block);
	return stop;
}

static int hum_samples(struct hum *hum, unsigned hz, uint64_t n)
{
	int stop = hum->is_costly ? hum_in_one_block(hum, hz, (size_t)n)
				  : hum_in_small_blocks(hum, hz, n);

	hum->position += n;
	return stop;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* What is hummed in one go: bytes of the text, and what they sound like. */
struct word {
	size_t start, len;
	size_t letters;
	unsigned sum; /* of what it is made of */
};

static void add_letters(struct word *word, const char *bytes, size_t len)
{
	for (size_t i = 0; i < len; ++i)
		word->sum = word->sum * 31 + (unsigned char)bytes[i];
	word->letters += utf8_count(bytes, len);
}

/* Up to the next blank that has no phonemes; of no length before one. */
static struct word read_word(struct hum *hum, size_t start)
{
	const struct engine_text *text = hum->text;
	struct word word = {.start = start};
	size_t at = start;

	while (at < text->text_len) {
		size_t from = at;

		if (hum->span < text->phonemes_count &&
		    text->phonemes[hum->span].byte_start == at) {
			const struct engine_phonemes *span = &text->phonemes[hum->span++];

			add_letters(&word, span->ipa, strlen(span->ipa));
			at = span->byte_end;
			continue;
		}
		if (is_blank(text->text[at]))
			break;
		do
			++at;
		while (((unsigned char)text->text[at] & 0xc0) == 0x80);
		add_letters(&word, text->text + from, at - from);
	}
	word.len = at - start;
	return word;
}

/* 200 to 799 Hz, from what the word is made of. */
static int hum_word(struct hum *hum, const struct word *word, uint64_t n)
{
	unsigned hz = 200 + word->sum % 600;
	int stop = sink_word(hum->sink, word->start, word->start + word->len, hum->position,
			     hum->position + n);

	if (!stop)
		stop = hum_samples(hum, hz / hum->divisor, n);
	if (!stop)
		stop = hum_samples(hum, 0, LETTER_SAMPLES);
	return stop;
}

static void try_socket(void)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (fd >= 0)
		close(fd);
}

static void try_writing(void)
{
	int fd = open("/tmp/syrinx-tone-was-here", O_WRONLY | O_CREAT, 0600);

	if (fd >= 0)
		close(fd);
}

static void compute_for_ever(void)
{
	for (volatile unsigned i = 0;; ++i)
		;
}

static bool hook_is(const char *word, size_t len, const char *name)
{
	return strlen(name) == len && memcmp(word, name, len) == 0;
}

/* The number of "[[name:N]]", or 0 when the word is not that. */
static unsigned hook_number(const char *word, size_t len, const char *prefix)
{
	size_t n = strlen(prefix);

	if (len <= n || memcmp(word, prefix, n) != 0)
		return 0;
	return (unsigned)strtoul(word + n, NULL, 10) % 100000;
}

/* True when the word was a hook; *err is what speak returns when not 0, or
 * ECANCELED. */
static bool do_hook(struct hum *hum, const struct word *hummed, int *err)
{
	const char *word = hum->text->text + hummed->start;
	size_t len = hummed->len;
	unsigned number;
	uint64_t skip;

	if (hook_is(word, len, "[[crash]]"))
		abort();
	else if (hook_is(word, len, "[[hang]]"))
		compute_for_ever();
	else if (hook_is(word, len, "[[stall]]"))
		for (;;)
			sleep_ms(1000);
	else if (hook_is(word, len, "[[fail]]"))
		*err = EINVAL;
	else if (hook_is(word, len, "[[socket]]"))
		try_socket();
	else if (hook_is(word, len, "[[open-write]]"))
		try_writing();
	else if (hook_is(word, len, "[[wait]]"))
		*err = sink_wait(hum->sink, &skip) ? ECANCELED : 0;
	else if (hook_is(word, len, "[[block]]"))
		hum->is_costly = true;
	else if ((number = hook_number(word, len, "[[slow:")))
		hum->slow_ms = number;
	else if ((number = hook_number(word, len, "[[long:")))
		*err = hum_word(hum, hummed, (uint64_t)number * TONE_RATE) ? ECANCELED : 0;
	else
		return false;
	return true;
}

static int tone_speak(void *state, const struct engine_text *text, struct sink *sink)
{
	const struct tone *tone = state;
	struct hum hum = {.text = text, .sink = sink, .divisor = 1};
	int err = 0;

	if (strcmp(text->voice, "tone-low") == 0)
		hum.divisor = 2;
	for (size_t start = 0; start < text->text_len && !err;) {
		struct word word = read_word(&hum, start);

		if (word.len > 0 && !(tone->test_hooks && do_hook(&hum, &word, &err)) &&
		    hum_word(&hum, &word, word.letters * LETTER_SAMPLES))
			err = ECANCELED;
		start += word.len + 1;
	}
	return err == ECANCELED ? 0 : err;
}

const struct engine tone_engine = {
	.name = "tone",
	.capabilities = MESSAGE_DETERMINISTIC | MESSAGE_WORD_TIMES | MESSAGE_PHONEMES,
	.open = tone_open,
	.jobs = tone_jobs,
	.voices = tone_voices,
	.notes = tone_notes,
	.speak = tone_speak,
	.close = tone_close,
};
