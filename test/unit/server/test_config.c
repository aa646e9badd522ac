/* The configuration is valid without a file, and the files that are generated from it are current. */
#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/count.h"
#include "base/log.h"
#include "server/config.h"
#include "server/config_machine.h"
#include "server/config_prices.h"

static struct config config;
static struct buf errors;

static int tear_down(void **state)
{
	(void)state;
	buf_reset(&errors);
	return 0;
}

static int set_up(void **state)
{
	(void)state;
	buf_init(&errors, 65536);
	return 0;
}

static int load(const char *key, const char *value)
{
	const struct config_override override = {key, value, "--option"};

	return config_load(&config, NULL, &override, 1, &errors);
}

static void assert_says(const char *words)
{
	assert_int_equal(buf_append(&errors, "", 1), 0);
	--errors.len;
	if (!strstr(errors.bytes, words))
		fail_msg("\"%s\" is not in: %s", words, errors.bytes);
}

static int load_text_for(const char *text, const struct config_purpose *purpose)
{
	char path[] = "/tmp/config.XXXXXX";
	int fd = mkstemp(path);
	int err;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	err = config_load_for(&config, path, purpose, NULL, 0, &errors);
	unlink(path);
	return err;
}

static int load_text(const char *text)
{
	return load_text_for(text, &(struct config_purpose){.uses_agents = true});
}

static void test_plans_prices_and_agents_are_sections_with_names(void **state)
{
	(void)state;
	assert_int_equal(setenv("TEST_CONFIG_KEY", "sk-secret", 1), 0);
	assert_int_equal(load_text("[plan free]\nturns = 1\nrequests_per_minute = 10\n"
				   "[price best]\nvoice = 1071\ncents_per_minute = 7.5\n"
				   "[agent anna]\npath = /anna\napi_key = k1 k2\nllm = anthropic\n"
				   "llm_key = env:TEST_CONFIG_KEY\ntemperature = 0.7\n"),
			 0);
	assert_int_equal(config.plans_count, 1);
	assert_string_equal(config.plans[0].name, "free");
	assert_int_equal(config.plans[0].turns, 1);
	assert_int_equal(config.plans[0].requests_per_minute, 10);
	assert_int_equal(config.plans[0].text_max, 0);
	assert_int_equal(config.prices[0].voice_id, 1071);
	assert_int_equal(config.prices[0].microcents_per_minute, 7500000);
	assert_string_equal(config.agents[0].path, "/anna");
	assert_string_equal(config.agents[0].llm_key, "sk-secret");
	assert_int_equal(config.agents[0].llm, 2);
	assert_int_equal(config.agents[0].temperature, 700000);
}

static void test_prices_of_tokens_are_of_agents_and_models(void **state)
{
	(void)state;
	assert_int_equal(load_text("[prices]\ninput_cents_per_million = 15\n[price sales]\n"
				   "agent = sales\nmodel = gpt\noutput_cents_per_million = 0.5\n"),
			 0);
	assert_int_equal(config.input_microcents, 15000000);
	assert_int_equal(config.output_microcents, PARAM_NONE);
	assert_string_equal(config.prices[0].agent, "sales");
	assert_int_equal(config.prices[0].input_microcents, PARAM_NONE);
	assert_int_equal(config.prices[0].output_microcents, 500000);
	assert_int_equal(load_text("[price a]\nvoice = 7\ninput_cents_per_million = 1\n"
				   "[price b]\nagent = x\n"
				   "[price c]\nagent = x\ninput_cents_per_million = 1\n"
				   "cents_per_minute = 2\n"),
			 EINVAL);
	assert_says("[price a] has a voice and a price of tokens\n");
	assert_says(
		"[price b] has an agent: it needs a token price and must not have an audio price\n");
	assert_says(
		"[price c] has an agent: it needs a token price and must not have an audio price\n");
}

static void test_prices_are_of_voices_engines_qualities_and_models(void **state)
{
	(void)state;
	assert_int_equal(
		load_text("[price neural]\nengine = vits\ncents_per_minute = 9\n"
			  "[price best]\nengine = vits\nquality = high\n"
			  "model = kugel-3.5\nvoice = 1081\ncents_per_minute = 12\n"
			  "[price tokens]\nmodel = gpt-4.1\noutput_cents_per_million = 1\n"),
		0);
	assert_string_equal(config.prices[0].engine, "vits");
	assert_int_equal(config_price_quality(&config.prices[0]), -1);
	assert_string_equal(config.prices[1].quality, "high");
	assert_int_equal(config_price_quality(&config.prices[1]), 2);
	assert_true(config_price_is_of_audio(&config.prices[1]));
	assert_false(config_price_is_of_audio(&config.prices[2]));
}

static void test_prices_of_audio_that_is_heard_are_of_models(void **state)
{
	(void)state;
	assert_int_equal(
		load_text("[prices]\nheard_cents_per_minute = 0.25\n"
			  "[price good]\nmodel = whisper-base\nheard_cents_per_minute = 1.5\n"
			  "[price both]\nmodel = kugel-3\ncents_per_minute = 9\n"
			  "heard_cents_per_minute = 2\n"),
		0);
	assert_int_equal(config.heard_microcents, 250000);
	assert_int_equal(config.prices[0].heard_microcents, 1500000);
	assert_true(config_price_is_of_hearing(&config.prices[0]));
	assert_false(config_price_is_of_audio(&config.prices[0]));
	assert_true(config_price_is_of_hearing(&config.prices[1]));
	assert_true(config_price_is_of_audio(&config.prices[1]));
	assert_int_equal(load_text("[price a]\nengine = vits\nheard_cents_per_minute = 1\n"
				   "[price b]\nagent = x\ninput_cents_per_million = 1\n"
				   "heard_cents_per_minute = 2\n"),
			 EINVAL);
	assert_says("[price a] has an engine and a price of audio that is heard\n");
	assert_says(
		"[price b] has an agent: it needs a token price and must not have an audio price\n");
}

/* Checks a configuration as `syrinx check` does. */
static int check_text(const char *text)
{
	int err = load_text(text);

	return err ? err : config_prices_check_names(&config, &errors);
}

/* A price that names something unknown would never apply. */
static void test_a_price_must_name_what_exists(void **state)
{
	static const char *const cases[][2] = {
		{"model = neural", "[price x] model: there is no model neural; did you mean "
				   "engine = vits?\n"},
		{"model = espeak", "[price x] model: there is no model espeak; did you mean "
				   "engine = espeak?\n"},
		{"model = high", "[price x] model: there is no model high; did you mean "
				 "quality = high?\n"},
		{"model = kugel3", "[price x] model: there is no model kugel3; did you mean "
				   "kugel-3?\n"},
		{"model = gpt-4.1-mini", "[price x] model: there is no model gpt-4.1-mini; there "
					 "are kugel-3, kugel-3.5, "},
		{"engine = vit", "[price x] engine: there is no engine vit; did you mean vits?\n"},
		{"engine = festival", "[price x] engine: there is no engine festival; there are "
				      "tone, vits, flite, espeak"},
		{"voice = 100003", "[price x] voice: 100003 is a derived voice, which has the "
				   "price of the voice it is derived from: name that one\n"},
		{"quality = neural", "price.quality must be low, mid, high or empty (neural voices "
				     "have engine = vits): \"neural\"\n"},
		{"quality = best", "price.quality must be low, mid, high or empty: \"best\"\n"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); ++i) {
		char text[200];

		snprintf(text, sizeof(text), "[price x]\n%s\ncents_per_minute = 1\n", cases[i][0]);
		errors.len = 0;
		assert_int_equal(check_text(text), EINVAL);
		assert_says(cases[i][1]);
	}
}

static void test_an_engine_of_the_operators_own_can_have_a_price(void **state)
{
	char dir[] = "/tmp/engines.XXXXXX";
	char program[64];
	char text[200];
	int fd;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(program, sizeof(program), "%s/syrinx-festival", dir);
	snprintf(text, sizeof(text),
		 "[speech]\nengines_dir = %s\n[price x]\n"
		 "engine = festival\ncents_per_minute = 1\n",
		 dir);
	assert_int_equal(check_text(text), EINVAL);
	fd = open(program, O_WRONLY | O_CREAT, 0600);
	assert_true(fd >= 0);
	assert_int_equal(check_text(text), EINVAL); /* it is not executable */
	assert_int_equal(fchmod(fd, 0700), 0);
	close(fd);
	assert_int_equal(check_text(text), 0);
	unlink(program);
	rmdir(dir);
}

static void test_two_prices_for_the_same_are_refused(void **state)
{
	(void)state;
	assert_int_equal(check_text("[price a]\nengine = vits\nquality = high\n"
				    "[price b]\nquality = high\nengine = vits\n"
				    "cents_per_minute = 2\n"),
			 EINVAL);
	assert_says("[price b] matches exactly what [price a] matches: remove one, or make "
		    "one more specific\n");
	assert_int_equal(check_text("[price a]\nmodel = gpt\ninput_cents_per_million = 1\n"
				    "[price b]\nmodel = gpt\ninput_cents_per_million = 2\n"),
			 EINVAL);
	assert_int_equal(check_text("[price a]\nmodel = tiny\nheard_cents_per_minute = 1\n"
				    "[price b]\nmodel = tiny\nheard_cents_per_minute = 2\n"),
			 EINVAL);
	assert_int_equal(check_text("[price a]\nmodel = gpt\ninput_cents_per_million = 1\n"
				    "[price b]\nmodel = gpt\noutput_cents_per_million = 2\n"
				    "[price f]\nmodel = gpt\nheard_cents_per_minute = 2\n"
				    "[price c]\nengine = vits\n"
				    "[price d]\nengine = vits\nquality = high\n"
				    "[price e]\nengine = espeak\n"),
			 0);
}

static void test_the_currency_is_three_letters(void **state)
{
	static const char *const bad[] = {"", "euro", "eu", "e1r", "\342\202\254"};

	(void)state;
	assert_int_equal(load("prices.currency", "USD"), 0);
	assert_string_equal(config.currency, "usd");
	assert_int_equal(config_load(&config, NULL, NULL, 0, &errors), 0);
	assert_string_equal(config.currency, "eur");
	for (size_t i = 0; i < COUNT(bad); ++i)
		assert_int_equal(load("prices.currency", bad[i]), EINVAL);
	assert_says("--option: prices.currency must be the three letters of a currency, such as "
		    "eur or usd: \"euro\"\n");
}

static void test_a_price_that_was_set_is_distinguished_from_the_default(void **state)
{
	(void)state;
	assert_int_equal(config_load(&config, NULL, NULL, 0, &errors), 0);
	assert_int_equal(config.microcents_per_minute, 5400000);
	assert_int_equal(config.heard_microcents, 600000);
	assert_false(config.has_prices);
	assert_int_equal(load("prices.cents_per_minute", ""), 0);
	assert_false(config.has_prices);
	assert_int_equal(load("prices.currency", "usd"), 0);
	assert_false(config.has_prices);
	assert_int_equal(load("prices.cents_per_minute", "5.4"), 0);
	assert_true(config.has_prices);
	assert_int_equal(load("prices.input_cents_per_million", "1"), 0);
	assert_true(config.has_prices);
	assert_int_equal(load("prices.heard_cents_per_minute", "0.6"), 0);
	assert_true(config.has_prices);
	assert_int_equal(load_text("[price a]\nengine = vits\ncents_per_minute = 9\n"), 0);
	assert_true(config.has_prices);
	assert_int_equal(config.microcents_per_minute, 5400000);
}

static void test_paths_can_be_appended_to_the_public_url(void **state)
{
	static const char *const good[] = {"", "http://a", "https://a.example:8443/voice"};
	static const char *const bad[] = {"a.example",   "wss://a",    "https://",
					  "https:///a",  "https://a/", "https://a?b",
					  "https://a b", "https://u@a"};

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); ++i)
		assert_int_equal(load("server.public_url", good[i]), 0);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); ++i)
		assert_int_equal(load("server.public_url", bad[i]), EINVAL);
}

static void test_agents_that_cannot_be_are_told(void **state)
{
	(void)state;
	unsetenv("TEST_CONFIG_KEY");
	assert_int_equal(load_text("[agent anna]\npath = /anna\nllm_key = env:TEST_CONFIG_KEY\n"
				   "[agent bert]\npath = /anna\napi_key = k\nprompt = a\n"
				   "prompt_file = b\n[agent carl]\npath = /carl\napi_key =  \n"),
			 EINVAL);
	assert_says("[agent anna] llm_key: the variable TEST_CONFIG_KEY is not set\n");
	assert_says("[agent bert] has both prompt and prompt_file\n");
	assert_says("[agent bert] has the path of [agent anna]\n");
	assert_says("[agent carl] wants an api_key\n");
	assert_int_equal(load_text("[agent anna]\napi_key = k\ntwilio_token = t\n"
				   "[agent bert]\npath = /b\napi_key = k\ntwilio_token = "
				   "env:TEST_CONFIG_KEY\naccount_key = k\n"),
			 EINVAL);
	assert_says("[agent anna] has a twilio_token, so it wants an account_key, which pays for "
		    "the calls\n");
	assert_says("[agent bert] twilio_token: the variable TEST_CONFIG_KEY is not set\n");
	assert_int_equal(load_text("[agent anna]\npath = anna\n[agent bert]\npath = /bert?x=1\n"
				   "[agent carl]\npath = /carl and more\n"),
			 EINVAL);
	assert_says("agent.path must begin with /: \"anna\"\n");
	assert_says("agent.path must have no blank, ? or #: \"/bert?x=1\"\n");
	assert_says("agent.path must have no blank, ? or #: \"/carl and more\"\n");
}

static void test_keys_of_agents_are_not_looked_up_for_nothing(void **state)
{
	static const struct config_purpose other = {.uses_agents = false};
	static const char text[] = "[agent anna]\napi_key = env:TEST_CONFIG_KEY\n";

	(void)state;
	unsetenv("TEST_CONFIG_KEY");
	assert_int_equal(load_text(text), EINVAL);
	assert_int_equal(load_text_for(text, &other), 0);
	assert_string_equal(config.agents[0].api_key, "env:TEST_CONFIG_KEY");
}

static void test_no_file_is_needed(void **state)
{
	cpu_set_t set;

	(void)state;
	assert_int_equal(config_load(&config, NULL, NULL, 0, &errors), 0);
	assert_string_equal(config.listen, "127.0.0.1:8080");
	assert_string_equal(config.store_address, "sqlite:data/syrinx.db");
	assert_int_equal(config.log_level, LOG_INFO);
	assert_int_equal(config.microcents_per_minute, 5400000);
	assert_int_equal(config.workers, 0);
	assert_in_range(config.memory_mb, 1, config_machine_memory_mb() / 4);
	assert_int_equal(sched_getaffinity(0, sizeof(set), &set), 0);
	assert_int_equal(config.slots, CPU_COUNT(&set));
}

static void test_engines_are_looked_for_beside_the_program(void **state)
{
	char program[PARAM_STRING_SIZE];
	ssize_t n = readlink("/proc/self/exe", program, sizeof(program) - 1);

	(void)state;
	assert_true(n > 0);
	program[n] = '\0';
	*strrchr(program, '/') = '\0';
	assert_int_equal(config_load(&config, NULL, NULL, 0, &errors), 0);
	assert_string_equal(config.engines_dir, program);
}

/* Each row: XDG_DATA_HOME, SYRINX_VOICES, SYRINX_SPEECH_VOICES_DIR, and the resulting folder. */
static void test_the_voices_folder_is_the_users_own_and_absolute(void **state)
{
	static const char *const names[] = {"XDG_DATA_HOME", "SYRINX_VOICES",
					    "SYRINX_SPEECH_VOICES_DIR"};
	static const char *const rows[][4] = {
		{NULL, NULL, NULL, "/home/ann/.local/share/syrinx/voices"},
		{"/srv/data", NULL, NULL, "/srv/data/syrinx/voices"},
		{"not/absolute", NULL, NULL, "/home/ann/.local/share/syrinx/voices"},
		{"/srv/data", "/opt/voices", NULL, "/opt/voices"},
		{"/srv/data", "/opt/voices", "/opt/more", "/opt/more"},
		{NULL, "voices", NULL, "/usr/voices"},
	};

	(void)state;
	setenv("HOME", "/home/ann", 1);
	assert_int_equal(chdir("/usr"), 0);
	for (size_t i = 0; i < COUNT(rows); ++i) {
		for (size_t n = 0; n < COUNT(names); ++n) {
			if (rows[i][n])
				setenv(names[n], rows[i][n], 1);
			else
				unsetenv(names[n]);
		}
		assert_int_equal(config_load(&config, NULL, NULL, 0, &errors), 0);
		assert_string_equal(config.voices_dir, rows[i][3]);
	}
	for (size_t n = 0; n < COUNT(names); ++n)
		unsetenv(names[n]);
	assert_int_equal(load("speech.voices_dir", "/from/option"), 0);
	assert_string_equal(config.voices_dir, "/from/option");
}

/* Also if the voices are elsewhere: nothing that is set for one folder moves the other.  Each row:
 * XDG_DATA_HOME, SYRINX_MODELS, SYRINX_HEARING_MODELS_DIR, and the resulting folder. */
static void test_the_models_are_next_to_where_voices_are_by_default(void **state)
{
	static const char *const names[] = {"XDG_DATA_HOME", "SYRINX_MODELS",
					    "SYRINX_HEARING_MODELS_DIR"};
	static const char *const rows[][4] = {
		{NULL, NULL, NULL, "/home/ann/.local/share/syrinx/models"},
		{"/srv/data", NULL, NULL, "/srv/data/syrinx/models"},
		{"/srv/data", "/opt/models", NULL, "/opt/models"},
		{"/srv/data", "/opt/models", "/opt/more", "/opt/more"},
		{NULL, "models", NULL, "/usr/models"},
	};

	(void)state;
	setenv("HOME", "/home/ann", 1);
	setenv("SYRINX_VOICES", "/opt/voices", 1);
	assert_int_equal(chdir("/usr"), 0);
	for (size_t i = 0; i < COUNT(rows); ++i) {
		for (size_t n = 0; n < COUNT(names); ++n) {
			if (rows[i][n])
				setenv(names[n], rows[i][n], 1);
			else
				unsetenv(names[n]);
		}
		assert_int_equal(config_load(&config, NULL, NULL, 0, &errors), 0);
		assert_string_equal(config.models_dir, rows[i][3]);
		assert_string_equal(config.voices_dir, "/opt/voices");
	}
	for (size_t n = 0; n < COUNT(names); ++n)
		unsetenv(names[n]);
	unsetenv("SYRINX_VOICES");
	assert_int_equal(load("hearing.models_dir", "/from/option"), 0);
	assert_string_equal(config.models_dir, "/from/option");
	setenv("HOME", "/", 1);
	assert_int_equal(config_load(&config, NULL, NULL, 0, &errors), 0);
	assert_string_equal(config.models_dir, "");
}

/* The home directory is then read from the user database. */
static void test_without_HOME_the_voices_are_where_the_user_is_at_home(void **state)
{
	const struct passwd *user = getpwuid(geteuid());
	char expected[PARAM_STRING_SIZE] = "";

	(void)state;
	if (user && strcmp(user->pw_dir, "/") != 0)
		snprintf(expected, sizeof(expected), "%s/.local/share/syrinx/voices", user->pw_dir);
	unsetenv("XDG_DATA_HOME");
	unsetenv("HOME");
	assert_int_equal(config_load(&config, NULL, NULL, 0, &errors), 0);
	assert_string_equal(config.voices_dir, expected);
	setenv("HOME", "", 1);
	assert_int_equal(config_load(&config, NULL, NULL, 0, &errors), 0);
	assert_string_equal(config.voices_dir, expected);
}

static void test_a_user_who_lives_in_the_root_directory_has_no_voices_folder(void **state)
{
	(void)state;
	unsetenv("XDG_DATA_HOME");
	setenv("HOME", "/", 1);
	assert_int_equal(config_load(&config, NULL, NULL, 0, &errors), 0);
	assert_string_equal(config.voices_dir, "");
	assert_int_equal(load("speech.voices_dir", "/opt/voices"), 0);
	assert_string_equal(config.voices_dir, "/opt/voices");
	setenv("XDG_DATA_HOME", "/srv/data", 1);
	assert_int_equal(config_load(&config, NULL, NULL, 0, &errors), 0);
	assert_string_equal(config.voices_dir, "/srv/data/syrinx/voices");
	unsetenv("XDG_DATA_HOME");
}

static void test_the_store_follows_the_data_directory(void **state)
{
	(void)state;
	assert_int_equal(load("server.data", "/srv/voice"), 0);
	assert_string_equal(config.store_address, "sqlite:/srv/voice/syrinx.db");
	assert_int_equal(load("store.address", "memory:"), 0);
	assert_string_equal(config.store_address, "memory:");
	assert_int_equal(load("store.address", "redis:"), EINVAL);
	assert_says("--option: store.address must be sqlite:PATH, "
		    "postgresql://USER:PASSWORD@HOST/DATABASE or memory:");
}

static void test_addresses_are_checked_before_listening(void **state)
{
	static const char *const good[] = {"0.0.0.0:0", "[::1]:8080", "localhost:65535"};
	static const char *const bad[] = {"",
					  "8080",
					  ":8080",
					  "localhost:",
					  "::1:80",
					  "host:65536",
					  "host:99999999999999999999",
					  "host:8o",
					  "[::1]",
					  "host:-1"};

	(void)state;
	for (size_t i = 0; i < COUNT(good); ++i)
		assert_int_equal(load("server.listen", good[i]), 0);
	for (size_t i = 0; i < COUNT(bad); ++i)
		assert_int_equal(load("server.listen", bad[i]), EINVAL);
}

static void test_a_certificate_needs_its_key(void **state)
{
	(void)state;
	assert_int_equal(load("server.tls_certificate", "cert.pem"), EINVAL);
	assert_says("server.tls_key is not set");
	assert_int_equal(load("server.tls_key", "key.pem"), EINVAL);
	assert_says("server.tls_certificate is not set");
}

static void test_no_price_is_not_a_price_of_nothing(void **state)
{
	(void)state;
	assert_int_equal(load("prices.cents_per_minute", ""), 0);
	assert_int_equal(config.microcents_per_minute, PARAM_NONE);
	assert_int_equal(load("prices.cents_per_minute", "0"), 0);
	assert_int_equal(config.microcents_per_minute, 0);
}

static void test_option_beats_environment_beats_file(void **state)
{
	const struct config_override override = {"speech.workers", "4", "--workers"};
	char path[] = "/tmp/config.XXXXXX";
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	dprintf(fd, "[speech]\nworkers = 2\nslots = 2\nstall_seconds = 2\n");
	close(fd);
	setenv("SYRINX_SPEECH_WORKERS", "3", 1);
	setenv("SYRINX_SPEECH_SLOTS", "3", 1);
	assert_int_equal(config_load(&config, path, &override, 1, &errors), 0);
	assert_int_equal(config.workers, 4);
	assert_int_equal(config.slots, 3);
	assert_int_equal(config.stall_seconds, 2);
	unsetenv("SYRINX_SPEECH_WORKERS");
	unsetenv("SYRINX_SPEECH_SLOTS");
	unlink(path);
}

/* The file in the source tree is what the table prints. */
static void assert_is_current(const char *path, int (*print)(struct buf *out))
{
	struct buf out;
	FILE *file = fopen(path, "r");
	char *have = calloc(1, 65536);

	assert_non_null(file);
	assert_non_null(have);
	assert_true(fread(have, 1, 65535, file) > 0);
	fclose(file);
	buf_init(&out, 65536);
	assert_int_equal(print(&out), 0);
	assert_int_equal(buf_append(&out, "", 1), 0);
	assert_string_equal(have, out.bytes); /* if not: make generate */
	buf_reset(&out);
	free(have);
}

static void test_the_sample_file_is_current(void **state)
{
	(void)state;
	assert_is_current(SOURCE_DIR "/conf/syrinx.conf", config_print_sample);
	assert_int_equal(config_load(&config, SOURCE_DIR "/conf/syrinx.conf", NULL, 0, &errors), 0);
}

static void test_the_manual_page_is_current(void **state)
{
	(void)state;
	assert_is_current(SOURCE_DIR "/man/syrinx.conf.5", config_print_manual);
}

#define WITH_ERRORS(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_ERRORS(test_no_file_is_needed),
		WITH_ERRORS(test_plans_prices_and_agents_are_sections_with_names),
		WITH_ERRORS(test_paths_can_be_appended_to_the_public_url),
		WITH_ERRORS(test_agents_that_cannot_be_are_told),
		WITH_ERRORS(test_keys_of_agents_are_not_looked_up_for_nothing),
		WITH_ERRORS(test_prices_of_tokens_are_of_agents_and_models),
		WITH_ERRORS(test_prices_are_of_voices_engines_qualities_and_models),
		WITH_ERRORS(test_prices_of_audio_that_is_heard_are_of_models),
		WITH_ERRORS(test_a_price_must_name_what_exists),
		WITH_ERRORS(test_an_engine_of_the_operators_own_can_have_a_price),
		WITH_ERRORS(test_two_prices_for_the_same_are_refused),
		WITH_ERRORS(test_the_currency_is_three_letters),
		WITH_ERRORS(test_a_price_that_was_set_is_distinguished_from_the_default),
		WITH_ERRORS(test_engines_are_looked_for_beside_the_program),
		WITH_ERRORS(test_the_voices_folder_is_the_users_own_and_absolute),
		WITH_ERRORS(test_the_models_are_next_to_where_voices_are_by_default),
		WITH_ERRORS(test_without_HOME_the_voices_are_where_the_user_is_at_home),
		WITH_ERRORS(test_a_user_who_lives_in_the_root_directory_has_no_voices_folder),
		WITH_ERRORS(test_the_store_follows_the_data_directory),
		WITH_ERRORS(test_addresses_are_checked_before_listening),
		WITH_ERRORS(test_a_certificate_needs_its_key),
		WITH_ERRORS(test_no_price_is_not_a_price_of_nothing),
		WITH_ERRORS(test_option_beats_environment_beats_file),
		WITH_ERRORS(test_the_sample_file_is_current),
		WITH_ERRORS(test_the_manual_page_is_current),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
