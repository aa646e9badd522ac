/*
 * turn_taking.c: how well call/turn_end.h and call/barge_in.h do, with recordings of a person.
 *
 *   turn-taking [--recognize] [--tune] [--verbose] [--utterances N] [--seed N] PROMPTS_DIR <TEXTS
 *
 * Ends of turns: prompts are joined to utterances with pauses of 0.3 to 1.0 s: after fragments, after
 * sentences and "and", within telephone numbers, and after what sounds like an end.  The voice activity is
 * that of the detector; the words are those of the texts, without the marks at the ends of prompts, or what
 * the model recognizes until each pause (--recognize).  A decision before the utterance is over is a
 * cut-in.  A timer is compared that has the same share of cut-ins.
 *
 * Barge-in: ten minutes with the echo of an agent who speaks all the time, clicks, bursts and "mm-hm"; then
 * people who interrupt it.  No words are given, which makes it harder.
 *
 * Half of the prompts are for tuning (--tune), and the other half for the report.  The models are looked
 * for in SYRINX_MODELS and SYRINX_VOICES.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "audio/intonation.h"
#include "base/count.h"
#include "base/mem.h"
#include "call/barge_in.h"
#include "call/turn_end.h"
#include "engine/hear/hear_models.h"
#include "turn_taking.h"

#define FRAME VAD_FRAME
#define FRAME_MS 32u
#define PARTS_MAX 16
#define SILENCES_MAX 8000
#define WORDS_SIZE 2048
#define PAUSE_LEVEL 90 /* as segmenter_defaults have it: 0.35 */
#define ALL_MODES 3

struct part {
	const struct prompt *prompt;
	size_t begin, end; /* samples of the utterance */
};

struct utterance {
	struct sound sound;
	struct part parts[PARTS_MAX];
	size_t count;
	const char *question;
};

/* A pause as the detector sees it. */
struct silence {
	bool is_final;
	float length_ms;
	float lag_ms; /* of a final one: how much later than the speech it begins */
	unsigned wait_ms[ALL_MODES];
	char words[120]; /* the last ones */
};

struct bench {
	struct prompts prompts;
	const struct hear_models *models;
	bool recognizes, is_verbose;
	unsigned half;
	struct silence silences[SILENCES_MAX];
	size_t silence_count;
};

static int bench_score(const struct bench *bench, struct vad_memory *memory, const int16_t *samples,
		       uint8_t *level)
{
	struct vad_frame frame = {.memory = memory, .samples = samples};
	char why[RUNTIME_WHY_SIZE] = "";
	int err = vad_score(bench->models->vad, &frame, 1, why);

	*level = (uint8_t)(frame.probability * 255 + 0.5F);
	return err;
}

static void utterance_add(struct utterance *utterance, size_t *at, const struct prompt *prompt,
			  unsigned pause_ms)
{
	struct part *part = &utterance->parts[utterance->count++];

	part->prompt = prompt;
	part->begin = *at;
	part->end = *at + prompt->sound.count;
	*at = part->end + (size_t)pause_ms * RATE / 1000;
}

static unsigned utterance_pause(void)
{
	return 300 + (unsigned)sounds_random(701);
}

/* Chooses the prompts and pauses of an utterance. */
static int utterance_make(struct utterance *utterance, const struct bench *bench)
{
	const struct prompts *prompts = &bench->prompts;
	size_t dice = sounds_random(100), at = RATE / 4;

	*utterance = (struct utterance){.question = ""};
	if (dice < 20) { /* a telephone number in three groups */
		for (unsigned i = 0; i < 10; ++i)
			utterance_add(utterance, &at,
				      sounds_pick(prompts, PROMPT_DIGIT, bench->half),
				      i == 2 || i == 5 ? utterance_pause() : 60);
		utterance->question = dice < 10 ? "What is your phone number?" : "";
	} else {
		for (unsigned i = 0; i < 1 + dice % 2; ++i) {
			bool has_and = dice >= 65 && dice < 80, is_end = dice >= 80;
			enum prompt_kind kind =
				has_and || is_end ? PROMPT_SENTENCE : PROMPT_FRAGMENT;

			utterance_add(utterance, &at, sounds_pick(prompts, kind, bench->half),
				      has_and ? 80 : utterance_pause());
			if (has_and)
				utterance_add(utterance, &at,
					      sounds_pick(prompts, PROMPT_AND, bench->half),
					      utterance_pause());
		}
		utterance_add(utterance, &at, sounds_pick(prompts, PROMPT_SENTENCE, bench->half),
			      0);
	}
	utterance->sound.count = (at + 3u * RATE) / FRAME * FRAME;
	utterance->sound.samples = calloc(utterance->sound.count, sizeof(int16_t));
	if (!utterance->sound.samples)
		return ENOMEM;
	for (size_t i = 0; i < utterance->count; ++i)
		sounds_mix(&utterance->sound, utterance->parts[i].begin,
			   &utterance->parts[i].prompt->sound, 0);
	sounds_hiss(&utterance->sound, 0, utterance->sound.count, -65);
	return 0;
}

/* The texts of what was said until a place; of a prompt that is not over, as much as its share of time. */
static void utterance_words(const struct utterance *utterance, size_t to, char words[WORDS_SIZE])
{
	size_t len = 0;

	words[0] = '\0';
	for (size_t i = 0; i < utterance->count && utterance->parts[i].begin < to; ++i) {
		const struct part *part = &utterance->parts[i];
		const char *text = part->prompt->text;
		size_t n = strlen(text);

		if (to + RATE / 5 < part->end) {
			n = n * (to - part->begin) / (part->end - part->begin);
			n += strcspn(text + n, " ");
		}
		while (n > 0 && strchr(" .,:;!?", text[n - 1]))
			--n;
		len += (size_t)snprintf(words + len, WORDS_SIZE - len, "%s%.*s", len ? " " : "",
					(int)n, text);
		if (len >= WORDS_SIZE)
			break;
	}
}

static int bench_recognize(const struct bench *bench, const int16_t *samples, size_t count,
			   char words[WORDS_SIZE])
{
	struct recognizer_piece piece = {.count = count, .language = "", .prompt = ""};
	struct recognizer_result result;
	char why[RUNTIME_WHY_SIZE] = "";
	float *floats = calloc(count + 1, sizeof(*floats));
	int err;

	if (!floats)
		return ENOMEM;
	for (size_t i = 0; i < count; ++i)
		floats[i] = (float)samples[i] / 32768.0F;
	piece.samples = floats;
	recognizer_result_init(&result);
	err = recognizer_run(bench->models->models[0].recognizer, &result, &piece, why);
	snprintf(words, WORDS_SIZE, "%.*s", (int)result.text.len,
		 result.text.len ? result.text.bytes : "");
	recognizer_result_reset(&result);
	free(floats);
	return err;
}

/* What turn_end says at a pause that begins at this sample. */
static int bench_ask(struct bench *bench, const struct utterance *utterance, size_t pause,
		     struct silence *silence)
{
	char words[WORDS_SIZE];
	struct intonation intonation;
	struct turn_end_clues clues = {.words = words,
				       .language = "en",
				       .question = utterance->question,
				       .question_len = strlen(utterance->question),
				       .model_probability = -1};
	size_t heard = pause + 2u * FRAME; /* when the recognizer is asked */
	int err = 0;

	utterance_words(utterance, pause, words);
	if (bench->recognizes)
		err = bench_recognize(bench, utterance->sound.samples, heard, words);
	clues.len = strlen(words);
	clues.has_intonation = intonation_measure(&intonation, utterance->sound.samples, heard);
	if (clues.has_intonation) {
		clues.pitch_change = intonation.pitch_change;
		clues.energy_change = intonation.energy_change;
		clues.last_syllable_ms = intonation.syllable_ms;
	}
	for (unsigned mode = 0; mode < ALL_MODES; ++mode) {
		const struct turn_end_settings settings = {(enum turn_end_eagerness)mode, true};

		silence->wait_ms[mode] = turn_end_wait_ms(&settings, &clues);
	}
	snprintf(silence->words, sizeof(silence->words), "%s [%.1f st %.0f dB %.0f ms]",
		 clues.len > 70 ? words + clues.len - 70 : words, (double)clues.pitch_change,
		 (double)clues.energy_change, (double)clues.last_syllable_ms);
	return err;
}

/* Finds the pauses of an utterance. */
static int bench_listen(struct bench *bench, const struct utterance *utterance)
{
	struct vad_memory memory = {.state = {0}};
	size_t over = utterance->parts[utterance->count - 1].end;
	size_t frames = utterance->sound.count / FRAME, speech_end = 0;
	int err = 0;

	for (size_t i = 0; i <= frames && !err; ++i) {
		uint8_t level = 255; /* the end of the utterance ends the last pause */
		struct silence *silence = &bench->silences[bench->silence_count];

		if (i < frames)
			err = bench_score(bench, &memory, utterance->sound.samples + i * FRAME,
					  &level);
		if (level < PAUSE_LEVEL)
			continue;
		if (speech_end > 0 && i - speech_end > 2 && bench->silence_count < SILENCES_MAX) {
			silence->is_final = i == frames;
			silence->length_ms = (float)(i - speech_end) * FRAME_MS;
			silence->lag_ms = ((float)(speech_end * FRAME) - (float)over) * 1000 / RATE;
			err = bench_ask(bench, utterance, speech_end * FRAME, silence);
			++bench->silence_count;
		}
		speech_end = i + 1;
	}
	return err;
}

static int bench_compare(const void *a, const void *b)
{
	float x = *(const float *)a, y = *(const float *)b;

	return (x > y) - (x < y);
}

static float bench_percentile(float *values, size_t count, unsigned percent)
{
	qsort(values, count, sizeof(*values), bench_compare);
	return count ? values[(count - 1) * percent / 100] : NAN;
}

struct outcome {
	float cut_ins; /* for each pause */
	float p50_ms, p95_ms;
};

/* What a policy would have done: that of an eagerness, or a timer. */
static struct outcome bench_judge(const struct bench *bench, int mode, unsigned timer_ms)
{
	static float delays[SILENCES_MAX];
	struct outcome outcome;
	size_t pauses = 0, cut = 0, ends = 0;

	for (size_t i = 0; i < bench->silence_count; ++i) {
		const struct silence *silence = &bench->silences[i];
		unsigned wait = mode < 0 ? timer_ms : silence->wait_ms[mode];
		unsigned waited = (wait + FRAME_MS - 1) / FRAME_MS * FRAME_MS;

		if (silence->is_final) {
			delays[ends++] = silence->lag_ms + (float)waited;
		} else {
			++pauses;
			cut += (float)waited < silence->length_ms;
		}
	}
	outcome.cut_ins = pauses ? (float)cut / (float)pauses : 0;
	outcome.p50_ms = bench_percentile(delays, ends, 50);
	outcome.p95_ms = bench_percentile(delays, ends, 95);
	return outcome;
}

/* The timer that has no more cut-ins, and as many as possible. */
static unsigned bench_equal_timer(const struct bench *bench, float cut_ins)
{
	unsigned timer = 32;

	while (timer < 2000 && bench_judge(bench, -1, timer).cut_ins > cut_ins)
		timer += 4;
	return timer;
}

static int bench_turn_ends(struct bench *bench, unsigned utterances)
{
	static const char *const names[] = {"patient", "normal", "eager"};
	int err = 0;

	for (unsigned i = 0; i < utterances && !err; ++i) {
		struct utterance utterance;

		err = utterance_make(&utterance, bench);
		if (!err)
			err = bench_listen(bench, &utterance);
		free(utterance.sound.samples);
	}
	printf("%u utterances with %zu pauses, words %s\n\n", utterances,
	       bench->silence_count - utterances,
	       bench->recognizes ? "recognized" : "of the texts");
	printf("%-14s %8s %8s %8s   timer with as many cut-ins\n", "policy", "cut-ins", "p50 ms",
	       "p95 ms");
	for (int mode = ALL_MODES - 1; mode >= 0 && !err; --mode) {
		struct outcome ours = bench_judge(bench, mode, 0);
		unsigned timer = bench_equal_timer(bench, ours.cut_ins);
		struct outcome other = bench_judge(bench, -1, timer);

		printf("%-14s %7.1f%% %8.0f %8.0f   %u ms: p50 %.0f ms, %.0f ms later\n",
		       names[mode], 100 * (double)ours.cut_ins, (double)ours.p50_ms,
		       (double)ours.p95_ms, timer, (double)other.p50_ms,
		       (double)(other.p50_ms - ours.p50_ms));
	}
	for (unsigned timer = 200; timer <= 1000 && !err; timer += 100) {
		struct outcome outcome = bench_judge(bench, -1, timer);

		printf("timer %4u ms  %7.1f%% %8.0f %8.0f   |%.*s\n", timer,
		       100 * (double)outcome.cut_ins, (double)outcome.p50_ms,
		       (double)outcome.p95_ms, (int)(outcome.cut_ins * 40),
		       "########################################");
	}
	for (size_t i = 0; i < bench->silence_count && bench->is_verbose; ++i) {
		const struct silence *silence = &bench->silences[i];

		printf("%s %5.0f %5u %s\n", silence->is_final ? "end  " : "pause",
		       (double)silence->length_ms, silence->wait_ms[TURN_END_NORMAL],
		       silence->words);
	}
	return err;
}

/* A stretch of a call in which the agent speaks all the time. */
struct scene {
	struct sound caller, agent;
	uint8_t *kinds; /* what is heard of the caller in each frame besides echo */
};

enum scene_kind {
	SCENE_ECHO,
	SCENE_CLICK,
	SCENE_BURST,
	SCENE_HUM,
	SCENE_VOICED_HUM,
	SCENE_WORD,
	SCENE_KINDS
};

static int scene_make(struct scene *scene, const struct bench *bench, unsigned seconds,
		      float echo_db)
{
	size_t count = (size_t)seconds * RATE / FRAME * FRAME, delay = RATE * 12u / 100;
	struct sound *agent = &scene->agent;

	scene->caller = (struct sound){calloc(count, sizeof(int16_t)), count};
	scene->agent = (struct sound){calloc(count, sizeof(int16_t)), count};
	scene->kinds = calloc(count / FRAME, 1);
	if (!scene->caller.samples || !scene->agent.samples || !scene->kinds)
		return ENOMEM;
	for (size_t at = RATE / 2; at < count;) {
		const struct prompt *prompt =
			sounds_pick(&bench->prompts, PROMPT_SENTENCE, bench->half);

		sounds_mix(agent, at, &prompt->sound, -20 - sounds_level(&prompt->sound));
		at += prompt->sound.count + RATE / 5;
	}
	sounds_mix(&scene->caller, delay, &(struct sound){agent->samples, count - delay}, echo_db);
	sounds_hiss(&scene->caller, 0, count, -62);
	return 0;
}

static void scene_free(struct scene *scene)
{
	free(scene->caller.samples);
	free(scene->agent.samples);
	free(scene->kinds);
}

/* Adds a sound of the caller, so that it has this level. */
static void scene_add(struct scene *scene, size_t at, const struct sound *sound, float level_db,
		      enum scene_kind kind)
{
	sounds_mix(&scene->caller, at, sound, level_db - sounds_level(sound));
	/* its effects follow within a second */
	for (size_t i = at / FRAME; i < scene->caller.count / FRAME && i < at / FRAME + 32; ++i)
		scene->kinds[i] = (uint8_t)kind;
}

/* The frame of a scene as the detector of interruptions sees it. */
static struct barge_in_frame scene_frame(const struct scene *scene, size_t i, uint8_t probability)
{
	struct intonation_frame sounds =
		intonation_of_frame(scene->caller.samples + i * FRAME, FRAME);
	struct barge_in_frame frame = {probability, sounds.level_db, sounds.brightness_db,
				       sounds.voicing, -120};

	for (size_t j = i > 15 ? i - 15 : 0; j <= i; ++j) {
		float level = intonation_of_frame(scene->agent.samples + j * FRAME, FRAME).level_db;

		frame.agent_level_db = level > frame.agent_level_db ? level : frame.agent_level_db;
	}
	return frame;
}

static int bench_false_cuts(const struct bench *bench, const struct sound *hums, size_t hum_count,
			    const struct sound *words, size_t word_count)
{
	static const char *const names[] = {"echo",           "clicks",
					    "bursts",         "mm-hm (made)",
					    "mm-hm (voices)", "words that acknowledge"};
	unsigned added[SCENE_KINDS] = {0}, cut[SCENE_KINDS] = {0}, ducked[SCENE_KINDS] = {0};
	struct vad_memory memory = {.state = {0}};
	struct barge_in barge_in;
	struct scene scene;
	int err = scene_make(&scene, bench, 600, -20);

	for (size_t at = 3u * RATE; at + RATE < scene.caller.count && !err; at += 2u * RATE) {
		enum scene_kind kind =
			SCENE_CLICK + (enum scene_kind)sounds_random(SCENE_KINDS - 1);
		float level = -22 - (float)sounds_random(13);
		struct sound made = {NULL, 0};

		if (kind == SCENE_CLICK || kind == SCENE_BURST) {
			made.count = (kind == SCENE_CLICK ? 40 + sounds_random(300)
							  : RATE / 20 + sounds_random(RATE / 4));
			made.samples = calloc(made.count, sizeof(int16_t));
			if (made.samples)
				sounds_hiss(&made, 0, made.count, -20);
			level += 10;
		} else if (kind == SCENE_HUM) {
			err = sounds_hum(&made, 250 + (unsigned)sounds_random(201),
					 95 + (double)sounds_random(130));
		} else if ((kind == SCENE_VOICED_HUM ? hum_count : word_count) == 0) {
			continue;
		}
		++added[kind];
		scene_add(&scene, at,
			  kind == SCENE_VOICED_HUM ? &hums[sounds_random(hum_count)]
			  : kind == SCENE_WORD     ? &words[sounds_random(word_count)]
						   : &made,
			  level, kind);
		free(made.samples);
	}
	barge_in_init(&barge_in);
	for (size_t i = 0; i < scene.caller.count / FRAME && !err; ++i) {
		struct barge_in_frame frame;
		enum barge_in_verdict verdict;
		uint8_t probability;

		err = bench_score(bench, &memory, scene.caller.samples + i * FRAME, &probability);
		frame = scene_frame(&scene, i, probability);
		verdict = barge_in_frame(&barge_in, &frame);
		ducked[scene.kinds[i]] += verdict == BARGE_IN_DUCK;
		cut[scene.kinds[i]] += verdict == BARGE_IN_CUT;
		if (verdict == BARGE_IN_CUT && bench->is_verbose)
			printf("cut by %s: %u ms, %u bright, %u with a pitch, %.0f dB\n",
			       names[scene.kinds[i]], barge_in.speech_ms, barge_in.bright_ms,
			       barge_in.voiced_ms, (double)barge_in.peak_db);
		if (verdict == BARGE_IN_CUT)
			barge_in_rest(&barge_in);
	}
	printf("\nten minutes in which nobody interrupts, echo at -20 dB, no words known\n");
	for (unsigned i = 0; i < SCENE_KINDS; ++i)
		printf("  %-24s %4u  ducked %4u  cut %3u\n", names[i], added[i], ducked[i], cut[i]);
	scene_free(&scene);
	return err;
}

/* One interruption a scene.  Returns the time from its beginning to the verdict; NAN: never. */
static int bench_interrupt(const struct bench *bench, float level_db, float *duck_ms, float *cut_ms)
{
	const struct prompt *prompt = sounds_pick(&bench->prompts, PROMPT_SENTENCE, bench->half);
	size_t at = 3u * RATE + sounds_random(RATE);
	struct vad_memory memory = {.state = {0}};
	struct barge_in barge_in;
	struct scene scene;
	int err = scene_make(&scene, bench, 7, -20);

	*duck_ms = *cut_ms = NAN;
	if (!err)
		scene_add(&scene, at, &prompt->sound, level_db, SCENE_WORD);
	barge_in_init(&barge_in);
	for (size_t i = 0; i < scene.caller.count / FRAME && !err; ++i) {
		float ms = ((float)((i + 1) * FRAME) - (float)at) * 1000 / RATE;
		struct barge_in_frame frame;
		enum barge_in_verdict verdict;
		uint8_t probability;

		err = bench_score(bench, &memory, scene.caller.samples + i * FRAME, &probability);
		frame = scene_frame(&scene, i, probability);
		verdict = barge_in_frame(&barge_in, &frame);
		if (verdict == BARGE_IN_DUCK && isnan(*duck_ms) && ms > 0)
			*duck_ms = ms;
		if (verdict == BARGE_IN_CUT) {
			*cut_ms = ms;
			if (bench->is_verbose && ms > 340)
				printf("late: %.0f ms, of it %u speech, %u gaps, %u bright, %u with a "
				       "pitch: %.40s\n",
				       (double)ms, barge_in.speech_ms, barge_in.gaps_ms,
				       barge_in.bright_ms, barge_in.voiced_ms, prompt->text);
			break;
		}
	}
	scene_free(&scene);
	return err;
}

static int bench_true_cuts(const struct bench *bench, float level_db)
{
	enum { TRIALS = 150 };
	float ducks[TRIALS], cuts[TRIALS];
	size_t duck_count = 0, cut_count = 0, early = 0;
	int err = 0;

	for (unsigned i = 0; i < TRIALS && !err; ++i) {
		float duck_ms, cut_ms;

		err = bench_interrupt(bench, level_db, &duck_ms, &cut_ms);
		if (!isnan(duck_ms))
			ducks[duck_count++] = duck_ms;
		early += cut_ms < 0;
		if (!isnan(cut_ms))
			cuts[cut_count++] = cut_ms;
	}
	printf("%u interruptions at %.0f dB: ducked p50 %.0f p95 %.0f ms; cut %zu, p50 %.0f p95 %.0f "
	       "max %.0f ms; before they began: %zu\n",
	       (unsigned)TRIALS, (double)level_db, (double)bench_percentile(ducks, duck_count, 50),
	       (double)bench_percentile(ducks, duck_count, 95), cut_count,
	       (double)bench_percentile(cuts, cut_count, 50),
	       (double)bench_percentile(cuts, cut_count, 95),
	       (double)bench_percentile(cuts, cut_count, 100), early);
	return err;
}

static int bench_barge_in(const struct bench *bench, const char *voices_dir)
{
	static const char *const hum_texts[] = {"Mhm.", "Mm-hm.", "Mmm."};
	static const char *const word_texts[] = {"Yeah.", "Okay.", "Right.", "Uh-huh."};
	static struct sound hums[VOICED_MAX], words[VOICED_MAX];
	size_t hum_count = sounds_say(hums, 48, voices_dir, hum_texts, COUNT(hum_texts));
	size_t word_count = sounds_say(words, 32, voices_dir, word_texts, COUNT(word_texts));
	size_t kept = 0;
	int err;

	for (size_t i = 0; i < hum_count; ++i) { /* people's are no longer than 450 ms */
		if (hums[i].count <= RATE * 45u / 100)
			hums[kept++] = hums[i];
		else
			free(hums[i].samples);
	}
	printf("\nvoices: %zu of %zu \"mm-hm\" are short enough, %zu words\n", kept, hum_count,
	       word_count);
	err = bench_false_cuts(bench, hums, kept, words, word_count);
	for (float level = -20; level >= -32 && !err; level -= 6)
		err = bench_true_cuts(bench, level);
	for (size_t i = 0; i < kept; ++i)
		free(hums[i].samples);
	for (size_t i = 0; i < word_count; ++i)
		free(words[i].samples);
	return err;
}

int main(int argc, char **argv)
{
	static struct bench bench;
	struct engine_options options = {.models_dir = getenv("SYRINX_MODELS"),
					 .voices_dir = getenv("SYRINX_VOICES")};
	struct hear_models *models = NULL;
	unsigned utterances = 200;
	int i, err;

	for (i = 1; i < argc && argv[i][0] == '-'; ++i) {
		bench.recognizes |= strcmp(argv[i], "--recognize") == 0;
		bench.is_verbose |= strcmp(argv[i], "--verbose") == 0;
		bench.half |= strcmp(argv[i], "--tune") == 0;
		if (strcmp(argv[i], "--utterances") == 0 && i + 1 < argc)
			utterances = (unsigned)atoi(argv[++i]);
		else if (strcmp(argv[i], "--seed") == 0 && i + 1 < argc)
			sounds_seed((uint32_t)atoi(argv[++i]));
	}
	if (i + 1 != argc || utterances == 0 || utterances > SILENCES_MAX / 20) {
		fprintf(stderr, "usage: turn-taking [--recognize] [--tune] [--verbose] "
				"[--utterances N] [--seed N] PROMPTS_DIR <TEXTS\n");
		return 2;
	}
	err = hear_models_read(&models, &options);
	if (!err && models->model_count == 0)
		err = ENOENT;
	bench.models = models;
	if (!err)
		err = sounds_read_prompts(&bench.prompts, argv[i], stdin);
	if (!err) {
		printf("half: %s\n", bench.half ? "for tuning" : "for the report");
		err = bench_turn_ends(&bench, utterances);
	}
	if (!err)
		err = bench_barge_in(&bench, options.voices_dir);
	for (size_t n = 0; n < bench.prompts.count; ++n)
		free(bench.prompts.prompts[n].sound.samples);
	mem_deref(models);
	if (err)
		fprintf(stderr, "turn-taking: %s\n", strerror(err));
	return err ? 1 : 0;
}
