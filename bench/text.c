/*
 * text.c: the speed of text normalization (text/reader.h), compared with decoding alone.
 *
 * The sentences are generated, the same in every run, and processed one by one like chunks, on
 * one core. The bare pass only decodes their code points: the ratio to it makes machines
 * comparable. Times are CPU times of the thread, so that other load on the machine matters
 * little.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/count.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "bench/bench.h"
#include "bench/stats.h"
#include "text/reader.h"

#define SENTENCES 5000 /* about 400 KiB */
#define SENTENCE_MAX 256
#define ROUNDS 9

struct sentence {
	char text[SENTENCE_MAX];
	size_t len;
};

/* A pseudo-random number, the same on every machine, which rand() does not guarantee. */
static unsigned text_pick(unsigned *seed, unsigned below)
{
	*seed = *seed * 1103515245u + 12345u;
	return (*seed >> 16) % below;
}

static const char *text_pick_word(unsigned *seed, const char *const *words, unsigned count)
{
	return words[text_pick(seed, count)];
}

static void text_make_plain(char *out, unsigned *seed)
{
	static const char *const who[] = {
		"The old captain",       "My neighbour's daughter", "A young woman from the north",
		"Nobody in the village", "The committee",           "Everyone who was there",
		"Your assistant",        "One of the engineers",
	};
	static const char *const did[] = {
		"has never believed", "told us yesterday",    "would rather not say",
		"finally understood", "keeps wondering",      "wrote in a long letter",
		"could hardly hear",  "will have to explain",
	};
	static const char *const what[] = {
		"why the ferry leaves so late",
		"that the bridge was closed for the winter",
		"how the music found its way into the garden",
		"what the children had hidden behind the shed",
		"where the river turns towards the sea",
		"whether the letter ever arrived",
	};
	static const char *const more[] = {
		".",
		", and it did not matter much.",
		", although the weather was kind to all of us that week.",
		"; some things take their time, others never come at all.",
		" - at least that is what they say in town.",
		"?",
	};

	snprintf(out, SENTENCE_MAX, "%s %s %s%s", text_pick_word(seed, who, COUNT(who)),
		 text_pick_word(seed, did, COUNT(did)), text_pick_word(seed, what, COUNT(what)),
		 text_pick_word(seed, more, COUNT(more)));
}

/* Makes a sentence with dates, money, times, units and addresses, as in the answers of voice
 * agents. */
static void text_make_rich(char *out, unsigned *seed)
{
	unsigned a = text_pick(seed, 28) + 1;
	unsigned b = text_pick(seed, 60);
	unsigned c = text_pick(seed, 9000) + 100;

	switch (text_pick(seed, 6)) {
	case 0:
		snprintf(out, SENTENCE_MAX,
			 "Your order no. %u of $%u.%02u ships on %02u/%02u/2024.", c, c / 7, b,
			 a % 12 + 1, a);
		break;
	case 1:
		snprintf(out, SENTENCE_MAX,
			 "The %u:%02u PM train covers %u km at 120km/h, about %u.%u%% of the way.",
			 a % 12 + 1, b, c, b, a % 10);
		break;
	case 2:
		snprintf(out, SENTENCE_MAX, "Dr. Smith saw %u,%03u patients in the %uth year.", a,
			 c % 1000, a % 7 + 4);
		break;
	case 3:
		snprintf(out, SENTENCE_MAX,
			 "Call 555-%04u or write to help%u@example.com before %u p.m.", c, b,
			 a % 12 + 1);
		break;
	case 4:
		snprintf(out, SENTENCE_MAX,
			 "Between 19%02u and 20%02u it cost \u20ac%u.%02u, i.e. %u/4 more.", b, a,
			 c, b, a % 4 + 1);
		break;
	default:
		snprintf(out, SENTENCE_MAX, "Version %u.%u.%u needs %u GB & runs at -%u \u00b0C.",
			 a % 9, b, c % 10, a, b);
		break;
	}
}

static double text_cpu_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

/* One measurement: sentences of a kind, with or without a dictionary. */
struct course {
	const char *name;
	void (*make)(char *, unsigned *);
	size_t entries; /* the number of entries in the dictionary; 0 if there is none */
	const char *target; /* the target for the throughput */
	struct sentence *sentences;
	size_t total; /* their size in bytes */
	struct lexicon *lexicon;
};

static int text_read_sentence(const struct course *course, size_t i)
{
	const struct sentence *sentence = &course->sentences[i];
	struct reader reader = {
		.language = language_find("en"),
		.lexicon = course->lexicon,
		.normalizes = true,
	};
	struct spoken *spoken = NULL;
	int err = reader_read(&spoken, &reader, sentence->text, sentence->len);

	mem_deref(spoken);
	return err;
}

static int text_read_all(double *us, const struct course *course)
{
	double start = text_cpu_us();
	int err = 0;

	for (size_t i = 0; !err && i < SENTENCES; ++i)
		err = text_read_sentence(course, i);
	*us = text_cpu_us() - start;
	return err;
}

static uint32_t text_decode_sentence(const struct sentence *sentence)
{
	uint32_t sum = 0;
	uint32_t c;

	for (size_t at = 0; at < sentence->len; sum += c)
		at += utf8_decode(&c, sentence->text + at, sentence->len - at);
	return sum;
}

/* Repeats the decoding, because one pass takes less than a millisecond. */
static double text_decode_all(const struct sentence *sentences)
{
	double start = text_cpu_us();
	const int times = 8;
	uint32_t sum = 0;

	for (int k = 0; k < times; ++k)
		for (size_t i = 0; i < SENTENCES; ++i)
			sum += text_decode_sentence(&sentences[i]);
	if (sum == 0) /* never true, but keeps the compiler from removing the loop */
		puts("nothing to decode");
	return (text_cpu_us() - start) / times;
}

/* Times each sentence, without the time for reading the clock. */
static int text_time_each(struct stats *each_us, const struct course *course)
{
	double asking = text_cpu_us();
	int err = 0;

	asking = text_cpu_us() - asking;
	for (size_t i = 0; !err && i < SENTENCES; ++i) {
		double start = text_cpu_us();

		err = text_read_sentence(course, i);
		stats_add(each_us, text_cpu_us() - start - asking);
	}
	return err;
}

struct figures {
	struct stats read, bare; /* MB/s */
	struct stats ratio;
	struct stats each_us;
};

static int text_measure(struct figures *figures, const struct course *course, int64_t rounds)
{
	double read_us;
	int err = text_read_all(&read_us, course); /* warm-up */

	for (int64_t i = 0; !err && i < rounds; ++i) {
		double bare_us = text_decode_all(course->sentences);

		err = text_read_all(&read_us, course);
		stats_add(&figures->bare, (double)course->total / bare_us);
		stats_add(&figures->read, (double)course->total / read_us);
		stats_add(&figures->ratio, bare_us / read_us);
		if (!err)
			err = text_time_each(&figures->each_us, course);
	}
	return err;
}

static void text_print(const struct course *course, struct figures *figures)
{
	printf("normalizing %s, %zu KiB in %d sentences, one core\n", course->name,
	       course->total / 1024, SENTENCES);
	printf("  normalizing            %8.1f MB/s   [%.1f to %.1f]%s\n",
	       stats_quantile(&figures->read, 0.5), stats_quantile(&figures->read, 0),
	       stats_quantile(&figures->read, 1), course->target);
	printf("  decoding UTF-8 only    %8.1f MB/s   [%.1f to %.1f]\n",
	       stats_quantile(&figures->bare, 0.5), stats_quantile(&figures->bare, 0),
	       stats_quantile(&figures->bare, 1));
	printf("  ratio                  %8.4f        [%.4f to %.4f]\n",
	       stats_quantile(&figures->ratio, 0.5), stats_quantile(&figures->ratio, 0),
	       stats_quantile(&figures->ratio, 1));
	printf("  per sentence           p50 %.1f us   p99 %.1f us   (target 50)\n",
	       stats_quantile(&figures->each_us, 0.5), stats_quantile(&figures->each_us, 0.99));
}

static int text_make_sentences(struct course *course)
{
	unsigned seed = 1;

	course->sentences = calloc(SENTENCES, sizeof(*course->sentences));
	if (!course->sentences)
		return ENOMEM;
	for (size_t i = 0; i < SENTENCES; ++i) {
		struct sentence *sentence = &course->sentences[i];

		course->make(sentence->text, &seed);
		sentence->len = strlen(sentence->text);
		course->total += sentence->len;
	}
	return 0;
}

/* Makes a dictionary with entries that begin like much of the text, and one that occurs in it. */
static int text_make_lexicon(struct course *course)
{
	size_t count = course->entries;
	struct dictionary_entry *entries = calloc(count, sizeof(*entries));
	char(*words)[32] = calloc(count, sizeof(*words));
	struct dictionary *dictionary = NULL;
	int err = entries && words ? 0 : ENOMEM;

	for (size_t i = 0; !err && i < count; ++i) {
		snprintf(words[i], sizeof(words[i]), "the word%zu", i);
		entries[i] = (struct dictionary_entry){.word = words[i], .replacement = "boat"};
	}
	if (!err)
		entries[0].word = "ferry";
	if (!err)
		err = dictionary_alloc(&dictionary, entries, count);
	if (!err)
		err = lexicon_alloc(&course->lexicon, &dictionary, 1);
	mem_deref(dictionary);
	free(entries);
	free(words);
	return err;
}

static int text_run_course(struct course *course, int64_t rounds)
{
	struct figures figures = {0};
	int err = text_make_sentences(course);

	if (!err && course->entries > 0)
		err = text_make_lexicon(course);
	if (!err)
		err = text_measure(&figures, course, rounds);
	if (!err)
		text_print(course, &figures);
	stats_reset(&figures.read);
	stats_reset(&figures.bare);
	stats_reset(&figures.ratio);
	stats_reset(&figures.each_us);
	mem_deref(course->lexicon);
	free(course->sentences);
	return err;
}

int bench_text(const struct bench_options *options)
{
	struct course courses[] = {
		{.name = "plain English", .make = text_make_plain, .target = "   (target 20)"},
		{.name = "the same with a dictionary of 10,000 entries",
		 .make = text_make_plain,
		 .entries = 10000,
		 .target = ""},
		{.name = "English with numbers and signs", .make = text_make_rich, .target = ""},
	};
	int64_t rounds = options->rounds ? options->rounds : ROUNDS;
	int err = 0;

	for (size_t i = 0; !err && i < COUNT(courses); ++i)
		err = text_run_course(&courses[i], rounds);
	return err;
}
