/*
 * text.c: how fast text is read (text/reader.h), against a bare look at it.
 *
 * Sentences are made here, the same in every run, and read one by one as chunks
 * are, on one core.  The bare pass decodes each of their code points and does
 * nothing else: what the ratio to it is tells how machines compare.  Time is
 * that of the thread's CPU, so that others on the machine count little.
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

#define SENTENCES 5000 /* some 400 KiB */
#define SENTENCE_MAX 256
#define ROUNDS 9

struct sentence {
	char text[SENTENCE_MAX];
	size_t len;
};

/* The same numbers on every machine, which rand() does not promise. */
static unsigned pick(unsigned *seed, unsigned below)
{
	*seed = *seed * 1103515245u + 12345u;
	return (*seed >> 16) % below;
}

static const char *pick_word(unsigned *seed, const char *const *words, unsigned count)
{
	return words[pick(seed, count)];
}

static void make_plain(char *out, unsigned *seed)
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

	snprintf(out, SENTENCE_MAX, "%s %s %s%s", pick_word(seed, who, COUNT(who)),
		 pick_word(seed, did, COUNT(did)), pick_word(seed, what, COUNT(what)),
		 pick_word(seed, more, COUNT(more)));
}

/* Dates, money, times, units, addresses: what a voice agent says all day. */
static void make_rich(char *out, unsigned *seed)
{
	unsigned a = pick(seed, 28) + 1;
	unsigned b = pick(seed, 60);
	unsigned c = pick(seed, 9000) + 100;

	switch (pick(seed, 6)) {
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

static size_t make_sentences(struct sentence *sentences, void (*make)(char *, unsigned *))
{
	unsigned seed = 1;
	size_t total = 0;

	for (size_t i = 0; i < SENTENCES; ++i) {
		make(sentences[i].text, &seed);
		sentences[i].len = strlen(sentences[i].text);
		total += sentences[i].len;
	}
	return total;
}

static double cpu_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static int read_sentence(const struct sentence *sentence)
{
	struct reader reader = {.language = language_find("en"), .normalizes = true};
	struct spoken *spoken = NULL;
	int err = reader_read(&spoken, &reader, sentence->text, sentence->len);

	mem_deref(spoken);
	return err;
}

static int read_all(double *us, const struct sentence *sentences)
{
	double start = cpu_us();
	int err = 0;

	for (size_t i = 0; !err && i < SENTENCES; ++i)
		err = read_sentence(&sentences[i]);
	*us = cpu_us() - start;
	return err;
}

/* Many times over: it takes a millisecond. */
static double decode_all(const struct sentence *sentences)
{
	volatile uint32_t sum = 0; /* so that it is not left out */
	double start = cpu_us();
	const int times = 8;

	for (int k = 0; k < times; ++k) {
		for (size_t i = 0; i < SENTENCES; ++i) {
			uint32_t own = 0;
			uint32_t c;

			for (size_t at = 0; at < sentences[i].len; own += c)
				at += utf8_decode(&c, sentences[i].text + at,
						  sentences[i].len - at);
			sum += own;
		}
	}
	return (cpu_us() - start) / times;
}

/* Sentence by sentence, without what it takes to ask for the time. */
static int time_each(struct stats *each_us, const struct sentence *sentences)
{
	double asking = cpu_us();
	int err = 0;

	asking = cpu_us() - asking;
	for (size_t i = 0; !err && i < SENTENCES; ++i) {
		double start = cpu_us();

		err = read_sentence(&sentences[i]);
		stats_add(each_us, cpu_us() - start - asking);
	}
	return err;
}

struct figures {
	struct stats read, bare; /* MB/s */
	struct stats ratio;
	struct stats each_us;
};

static int measure(struct figures *figures, const struct sentence *sentences, size_t total,
		   int64_t rounds)
{
	double read_us;
	int err = read_all(&read_us, sentences); /* warm */

	for (int64_t i = 0; !err && i < rounds; ++i) {
		double bare_us = decode_all(sentences);

		err = read_all(&read_us, sentences);
		stats_add(&figures->bare, (double)total / bare_us);
		stats_add(&figures->read, (double)total / read_us);
		stats_add(&figures->ratio, bare_us / read_us);
		if (!err)
			err = time_each(&figures->each_us, sentences);
	}
	return err;
}

static void print(const char *name, size_t total, struct figures *figures, const char *aims[2])
{
	printf("reading %s, %zu KiB in %d sentences, one core\n", name, total / 1024, SENTENCES);
	printf("  through the reader     %8.1f MB/s   [%.1f to %.1f]%s\n",
	       stats_quantile(&figures->read, 0.5), stats_quantile(&figures->read, 0),
	       stats_quantile(&figures->read, 1), aims[0]);
	printf("  decoding alone         %8.1f MB/s   [%.1f to %.1f]\n",
	       stats_quantile(&figures->bare, 0.5), stats_quantile(&figures->bare, 0),
	       stats_quantile(&figures->bare, 1));
	printf("  ratio                  %8.4f        [%.4f to %.4f]\n",
	       stats_quantile(&figures->ratio, 0.5), stats_quantile(&figures->ratio, 0),
	       stats_quantile(&figures->ratio, 1));
	printf("  a sentence             p50 %.1f us   p99 %.1f us%s\n",
	       stats_quantile(&figures->each_us, 0.5), stats_quantile(&figures->each_us, 0.99),
	       aims[1]);
}

static int run_kind(const char *name, void (*make)(char *, unsigned *), int64_t rounds,
		    const char *aims[2])
{
	struct sentence *sentences = calloc(SENTENCES, sizeof(*sentences));
	struct figures figures = {0};
	size_t total;
	int err;

	if (!sentences)
		return ENOMEM;
	total = make_sentences(sentences, make);
	err = measure(&figures, sentences, total, rounds);
	if (!err)
		print(name, total, &figures, aims);
	stats_reset(&figures.read);
	stats_reset(&figures.bare);
	stats_reset(&figures.ratio);
	stats_reset(&figures.each_us);
	free(sentences);
	return err;
}

int bench_text(const struct bench_options *options)
{
	int64_t rounds = options->rounds ? options->rounds : ROUNDS;
	const char *plain[] = {"   (target 20)", "   (target 50)"};
	const char *rich[] = {"", "   (target 50)"};
	int err = run_kind("plain English", make_plain, rounds, plain);

	return err ? err : run_kind("English with numbers and signs", make_rich, rounds, rich);
}
