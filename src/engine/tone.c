/*
 * tone.c: an engine that hums: every word is a tone whose pitch depends on its letters.
 *
 * It is the example to copy for a new engine, and the engine of the tests: the same text gives
 * the same samples on every machine (it uses integers only), word times are exact, and the
 * length of the audio can be computed from the text: TONE_LETTER_MS per character of a word, and
 * once more for the pause after it. Phonemes are hummed as if their signs were letters.
 *
 * With --test-hooks some words have effects instead of a tone:
 *
 *   [[crash]]       abort
 *   [[hang]]        compute forever
 *   [[stall]]       sleep forever
 *   [[fail]]        the text fails
 *   [[slow:N]]      from here on, sleep N ms per 100 ms of audio
 *   [[long:N]]      a tone of N seconds
 *   [[socket]]      try to open an Internet socket
 *   [[open-write]]  try to write a file
 *   [[wait]]        wait for credit, without a sound
 *   [[block]]       from here on, make words and pauses as a costly engine would: whole, after
 *                   waiting for credit, with zeros for samples that were heard before
 *   [[turns]]       a tone with one letter for each turn whose state is kept
 *
 * and these environment variables are read:
 *
 *   SYRINX_ENGINE_TONE_JOBS   the number of texts at once
 *   SYRINX_ENGINE_TONE_NOTE   a note for the operator of the server
 *   SYRINX_ENGINE_TONE_TURNS  the number of turns whose state is kept. The pitch of a text then
 *                             depends on all words before it in its turn, so that a missing,
 *                             repeated or misplaced text changes the samples.
 *
 * Everything that changes while a text is spoken is in its struct hum and the state of its turn,
 * so texts can be spoken on any number of threads.
 */
#include "engine/tone.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/count.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "workers/message.h"

/* 20 ms: the first sound is sent early, and a cancel is noticed soon. */
#define BLOCK 480u
#define LETTER_SAMPLES (TONE_LETTER_MS * TONE_RATE / 1000)
#define FADE_SAMPLES 120u /* 5 ms: no click at either end */
#define LICENCE "Apache-2.0"

struct tone {
	bool test_hooks;
	uint16_t jobs;
	uint16_t turns;
	const char *note; /* SYRINX_ENGINE_TONE_NOTE, or NULL */
	atomic_uint turns_alive; /* turns that have state */
};

/* The state of a turn. Like that of a model it changes with every word. */
struct tone_turn {
	unsigned sum; /* hash of the words so far and their order */
};

/* One text that is being spoken. */
struct hum {
	const struct engine_text *text;
	size_t span; /* index of the next phonemes */
	struct sink *sink;
	uint64_t position; /* samples so far */
	struct tone_turn *turn; /* NULL: no state is kept */
	unsigned mood; /* the turn's sum when the text began, which changes all pitches */
	unsigned divisor; /* the pitch is divided by it: 2 is an octave lower */
	unsigned slow_ms; /* [[slow:N]] */
	bool is_costly; /* [[block]] */
};

static uint16_t tone_read_number(const char *word, uint16_t otherwise)
{
	unsigned long number = word ? strtoul(word, NULL, 10) : 0;

	return number > 0 && number <= 1000 ? (uint16_t)number : otherwise;
}

static int tone_open(void **statep, const struct engine_options *options)
{
	struct tone *tone = mem_zalloc(sizeof(*tone), NULL);

	if (!tone)
		return ENOMEM;
	tone->test_hooks = options->test_hooks;
	tone->jobs = 1;
	if (options->test_hooks) {
		tone->jobs = tone_read_number(getenv("SYRINX_ENGINE_TONE_JOBS"), 1);
		tone->turns = tone_read_number(getenv("SYRINX_ENGINE_TONE_TURNS"), 0);
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

static uint16_t tone_turns(void *state)
{
	const struct tone *tone = state;

	return tone->turns;
}

static void tone_end_turn(void *state, void *turn_state)
{
	struct tone *tone = state;

	atomic_fetch_sub(&tone->turns_alive, 1);
	mem_deref(turn_state);
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

/* Half a period of a sine is nearly a parabola, and a parabola in integers is the same on every
 * machine. The whole range of phase is one period. */
static int32_t tone_wave(uint32_t phase)
{
	int32_t x = (int32_t)(phase >> 16) - 32768; /* -32768 … 32767 */
	int32_t half = x < 0 ? x + 16384 : x - 16384; /* 0 in the middle of the half period */
	int32_t height = 16384 - (half * half >> 14); /* 0 … 16384 */

	return x < 0 ? -height : height;
}

/* The volume at sample i of n, 0 to FADE_SAMPLES: it rises at the start and falls at the end. */
static int32_t tone_fade(uint64_t i, uint64_t n)
{
	uint64_t edge = i < n - 1 - i ? i : n - 1 - i;

	return edge < FADE_SAMPLES ? (int32_t)edge : (int32_t)FADE_SAMPLES;
}

static int tone_sleep_ms(unsigned ms)
{
	struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000) * 1000000};

	while (nanosleep(&time, &time) && errno == EINTR)
		;
	return 0;
}

/* Samples [from, from + size) of a tone of n samples, or of silence when hz is 0. */
static void tone_make_samples(int16_t *samples, size_t size, unsigned hz, uint64_t from, uint64_t n)
{
	const uint32_t step = (uint32_t)(((uint64_t)hz << 32) / TONE_RATE);

	for (size_t i = 0; i < size; ++i) {
		uint32_t phase = (uint32_t)(from + i) * step;
		int32_t volume = hz ? tone_fade(from + i, n) : 0;

		samples[i] = (int16_t)(tone_wave(phase) * volume / (int32_t)FADE_SAMPLES);
	}
}

static void tone_slow_down(const struct hum *hum, size_t size)
{
	if (hum->slow_ms > 0)
		tone_sleep_ms(hum->slow_ms * (unsigned)size / (TONE_RATE / 10));
}

static int tone_hum_in_small_blocks(const struct hum *hum, unsigned hz, uint64_t n)
{
	int16_t block[BLOCK];
	int stop = 0;

	for (uint64_t done = 0; done < n && !stop;) {
		size_t size = n - done < BLOCK ? (size_t)(n - done) : BLOCK;

		tone_make_samples(block, size, hz, done, n);
		tone_slow_down(hum, size);
		stop = sink_audio(hum->sink, block, size);
		done += size;
	}
	return stop;
}

/* The skipped samples stay zero, because the sink drops them. */
static int tone_hum_in_one_block(const struct hum *hum, unsigned hz, size_t n)
{
	int16_t *block = calloc(n, sizeof(*block));
	uint64_t skip = 0;
	int stop;

	if (!block)
		abort(); /* a hook of tests */
	stop = sink_wait(hum->sink, &skip);
	if (!stop && skip < n) {
		tone_make_samples(block + skip, n - (size_t)skip, hz, skip, n);
		tone_slow_down(hum, n - (size_t)skip);
	}
	if (!stop)
		stop = sink_audio(hum->sink, block, n);
	free(block);
	return stop;
}

static int tone_hum_samples(struct hum *hum, unsigned hz, uint64_t n)
{
	int stop = hum->is_costly ? tone_hum_in_one_block(hum, hz, (size_t)n)
				  : tone_hum_in_small_blocks(hum, hz, n);

	hum->position += n;
	return stop;
}

static bool tone_is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* One tone: some bytes of the text, and what determines its length and pitch. */
struct word {
	size_t start, len;
	size_t letters;
	unsigned sum; /* hash of the letters, or of the phonemes instead of them */
};

static void tone_add_letters(struct word *word, const char *bytes, size_t len)
{
	for (size_t i = 0; i < len; ++i)
		word->sum = word->sum * 31 + (unsigned char)bytes[i];
	word->letters += utf8_count(bytes, len);
}

/* The word from start up to the next blank that has no phonemes; its length is 0 when it
 * would begin with such a blank. */
static struct word tone_read_word(struct hum *hum, size_t start)
{
	const struct engine_text *text = hum->text;
	struct word word = {.start = start};
	size_t at = start;

	while (at < text->text_len) {
		size_t from = at;

		if (hum->span < text->phonemes_count &&
		    text->phonemes[hum->span].byte_start == at) {
			const struct engine_phonemes *span = &text->phonemes[hum->span++];

			tone_add_letters(&word, span->ipa, strlen(span->ipa));
			at = span->byte_end;
			continue;
		}
		if (tone_is_blank(text->text[at]))
			break;
		do
			++at;
		while (((unsigned char)text->text[at] & 0xc0) == 0x80);
		tone_add_letters(&word, text->text + from, at - from);
	}
	word.len = at - start;
	return word;
}

/* Hums the word at 200 to 799 Hz, and the pause after it. Nonzero: cancelled. */
static int tone_hum_word(struct hum *hum, const struct word *word, uint64_t n)
{
	unsigned hz = 200 + (word->sum + hum->mood) % 600;
	int stop = sink_word(hum->sink, word->start, word->start + word->len, hum->position,
			     hum->position + n);

	if (!stop)
		stop = tone_hum_samples(hum, hz / hum->divisor, n);
	if (!stop)
		stop = tone_hum_samples(hum, 0, LETTER_SAMPLES);
	return stop;
}

static void tone_close_if_open(int fd)
{
	if (fd >= 0)
		close(fd);
}

static bool tone_hook_is(const char *word, size_t len, const char *name)
{
	return strlen(name) == len && memcmp(word, name, len) == 0;
}

/* The number N of "[[name:N]]", or 0 when the word is something else. */
static unsigned tone_hook_number(const char *word, size_t len, const char *prefix)
{
	size_t n = strlen(prefix);

	if (len <= n || memcmp(word, prefix, n) != 0)
		return 0;
	return (unsigned)strtoul(word + n, NULL, 10) % 100000;
}

/* Returns true when the word is a hook. *err is set to the result of speak when the text fails,
 * and to ECANCELED when it was cancelled. */
static bool tone_do_hook(struct tone *tone, struct hum *hum, const struct word *hummed, int *err)
{
	const char *word = hum->text->text + hummed->start;
	size_t len = hummed->len;
	unsigned number;
	uint64_t skip;

	if (tone_hook_is(word, len, "[[crash]]"))
		abort();
	else if (tone_hook_is(word, len, "[[hang]]"))
		for (volatile unsigned i = 0;; ++i)
			;
	else if (tone_hook_is(word, len, "[[stall]]"))
		for (;;)
			tone_sleep_ms(1000);
	else if (tone_hook_is(word, len, "[[fail]]"))
		*err = EINVAL;
	else if (tone_hook_is(word, len, "[[socket]]"))
		tone_close_if_open(socket(AF_INET, SOCK_STREAM, 0));
	else if (tone_hook_is(word, len, "[[open-write]]"))
		tone_close_if_open(open("/tmp/syrinx-tone-was-here", O_WRONLY | O_CREAT, 0600));
	else if (tone_hook_is(word, len, "[[wait]]"))
		*err = sink_wait(hum->sink, &skip) ? ECANCELED : 0;
	else if (tone_hook_is(word, len, "[[block]]"))
		hum->is_costly = true;
	else if (tone_hook_is(word, len, "[[turns]]"))
		*err = tone_hum_word(hum, hummed, atomic_load(&tone->turns_alive) * LETTER_SAMPLES)
			       ? ECANCELED
			       : 0;
	else if ((number = tone_hook_number(word, len, "[[slow:")))
		hum->slow_ms = number;
	else if ((number = tone_hook_number(word, len, "[[long:")))
		*err = tone_hum_word(hum, hummed, (uint64_t)number * TONE_RATE) ? ECANCELED : 0;
	else
		return false;
	return true;
}

/* Uses the state of the text's turn, which is created by the first text of the turn. */
static int tone_enter_turn(struct tone *tone, struct hum *hum)
{
	void **state = hum->text->turn_state;

	if (!state)
		return 0;
	if (!*state) {
		*state = mem_zalloc(sizeof(struct tone_turn), NULL);
		if (!*state)
			return ENOMEM;
		atomic_fetch_add(&tone->turns_alive, 1);
	}
	hum->turn = *state;
	hum->mood = hum->turn->sum;
	return 0;
}

static int tone_speak(void *state, const struct engine_text *text, struct sink *sink)
{
	struct tone *tone = state;
	struct hum hum = {.text = text, .sink = sink, .divisor = 1};
	int err = tone_enter_turn(tone, &hum);

	if (strcmp(text->voice, "tone-low") == 0)
		hum.divisor = 2;
	for (size_t start = 0; start < text->text_len && !err;) {
		struct word word = tone_read_word(&hum, start);

		if (word.len > 0 && !(tone->test_hooks && tone_do_hook(tone, &hum, &word, &err)) &&
		    tone_hum_word(&hum, &word, word.letters * LETTER_SAMPLES))
			err = ECANCELED;
		if (hum.turn)
			hum.turn->sum = hum.turn->sum * 31 + word.sum + 1;
		start += word.len + 1;
	}
	return err == ECANCELED ? 0 : err;
}

const struct engine tone_engine = {
	.name = "tone",
	.capabilities = MESSAGE_DETERMINISTIC | MESSAGE_WORD_TIMES | MESSAGE_PHONEMES,
	.open = tone_open,
	.jobs = tone_jobs,
	.turns = tone_turns,
	.end_turn = tone_end_turn,
	.voices = tone_voices,
	.notes = tone_notes,
	.speak = tone_speak,
	.close = tone_close,
};
