/*
 * voice_table.c: the voices whose ids mean the same on every machine.
 *
 * 1071 to 1074 are English voices that exist on every machine, spoken by the best
 * engine that it has; 1081 to 1090 are other speakers of the neural model that
 * `make voices` installs.  From 2001 on there are two voices for each language that
 * clients can name: an even id is a woman's voice, an odd one a man's.
 */
#include <string.h>

#include "base/count.h"
#include "speech/voice.h"

/* A speaker of the neural model, with the name that `make voices` gives it. */
#define NEURAL(name)                                                                               \
	{                                                                                          \
		"vits", "libritts:" name, VOICE_HIGH                                               \
	}
#define FLITE(name, quality)                                                                       \
	{                                                                                          \
		"flite", name, quality                                                             \
	}
#define ESPEAK(name)                                                                               \
	{                                                                                          \
		"espeak", name, VOICE_LOW                                                          \
	}

/* eSpeak NG's voice and its variant with a woman's pitch and formants. */
#define LANGUAGE(id, title, code, voice)                                                           \
	{id, title ", male", code, VOICE_MALE, {ESPEAK(voice)}},                                   \
	{                                                                                          \
		(id) + 1, title ", female", code, VOICE_FEMALE,                                    \
		{                                                                                  \
			ESPEAK(voice "+f2")                                                        \
		}                                                                                  \
	}

const struct voice_row voice_table[] = {
	{1, "Tone", "en", VOICE_SEX_UNKNOWN, {{"tone", "tone", VOICE_LOW}}},
	{2, "Low tone", "en", VOICE_SEX_UNKNOWN, {{"tone", "tone-low", VOICE_LOW}}},

	{1071,
	 "Sally",
	 "en",
	 VOICE_FEMALE,
	 {NEURAL("sally"), FLITE("slt", VOICE_MID), ESPEAK("en-us+f2")}},
	{1072,
	 "Ross",
	 "en",
	 VOICE_MALE,
	 {NEURAL("ross"), FLITE("rms", VOICE_MID), ESPEAK("en-us")}},
	{1073, "Alan", "en", VOICE_MALE, {FLITE("awb", VOICE_MID), ESPEAK("en-gb-scotland")}},
	{1074, "Kevin", "en", VOICE_MALE, {FLITE("kal16", VOICE_LOW), ESPEAK("en-gb")}},

	{1081, "Clara", "en", VOICE_FEMALE, {NEURAL("clara")}},
	{1082, "Emma", "en", VOICE_FEMALE, {NEURAL("emma")}},
	{1083, "Grace", "en", VOICE_FEMALE, {NEURAL("grace")}},
	{1084, "Hannah", "en", VOICE_FEMALE, {NEURAL("hannah")}},
	{1085, "Julia", "en", VOICE_FEMALE, {NEURAL("julia")}},
	{1086, "Arthur", "en", VOICE_MALE, {NEURAL("arthur")}},
	{1087, "Daniel", "en", VOICE_MALE, {NEURAL("daniel")}},
	{1088, "Edward", "en", VOICE_MALE, {NEURAL("edward")}},
	{1089, "Henry", "en", VOICE_MALE, {NEURAL("henry")}},
	{1090, "Oliver", "en", VOICE_MALE, {NEURAL("oliver")}},

	LANGUAGE(2001, "German", "de", "de"),
	LANGUAGE(2003, "English", "en", "en-us"),
	LANGUAGE(2005, "French", "fr", "fr-fr"),
	LANGUAGE(2007, "Spanish", "es", "es"),
	LANGUAGE(2009, "Italian", "it", "it"),
	LANGUAGE(2011, "Portuguese", "pt", "pt"),
	LANGUAGE(2013, "Dutch", "nl", "nl"),
	LANGUAGE(2015, "Polish", "pl", "pl"),
	LANGUAGE(2017, "Swedish", "sv", "sv"),
	LANGUAGE(2019, "Danish", "da", "da"),
	LANGUAGE(2021, "Norwegian", "no", "nb"),
	LANGUAGE(2023, "Finnish", "fi", "fi"),
	LANGUAGE(2025, "Czech", "cs", "cs"),
	LANGUAGE(2027, "Hungarian", "hu", "hu"),
	LANGUAGE(2029, "Romanian", "ro", "ro"),
	LANGUAGE(2031, "Greek", "el", "el"),
	LANGUAGE(2033, "Ukrainian", "uk", "uk"),
	LANGUAGE(2035, "Bulgarian", "bg", "bg"),
	LANGUAGE(2037, "Turkish", "tr", "tr"),
	LANGUAGE(2039, "Vietnamese", "vi", "vi"),
	LANGUAGE(2041, "Arabic", "ar", "ar"),
	LANGUAGE(2043, "Hindi", "hi", "hi"),
	LANGUAGE(2045, "Mandarin Chinese", "zh", "cmn"),
	LANGUAGE(2047, "Japanese", "ja", "ja"),
	LANGUAGE(2049, "Korean", "ko", "ko"),
	LANGUAGE(2051, "Slovak", "sk", "sk"),
	LANGUAGE(2053, "Slovenian", "sl", "sl"),
	LANGUAGE(2055, "Croatian", "hr", "hr"),
	LANGUAGE(2057, "Serbian", "sr", "sr"),
	LANGUAGE(2059, "Russian", "ru", "ru"),
	LANGUAGE(2061, "Hebrew", "he", "he"),
	LANGUAGE(2063, "Persian", "fa", "fa"),
	LANGUAGE(2065, "Urdu", "ur", "ur"),
	LANGUAGE(2067, "Bengali", "bn", "bn"),
	LANGUAGE(2069, "Tamil", "ta", "ta"),
	LANGUAGE(2071, "Cantonese", "yue", "yue"),
	LANGUAGE(2073, "Thai", "th", "th"),
	LANGUAGE(2075, "Indonesian", "id", "id"),
	LANGUAGE(2077, "Malay", "ms", "ms"),
};

const size_t voice_table_len = COUNT(voice_table);

/* The variants of eSpeak NG: women, men, and a few others. */
const char *const voice_variants[] = {
	"f1",      "f2",     "f3",     "f4",    "f5",      "m1",       "m2",     "m3",
	"m4",      "m5",     "m6",     "m7",    "m8",      "croak",    "klatt",  "klatt2",
	"klatt3",  "klatt4", "adam",   "anika", "belinda", "david",    "edward", "grandma",
	"grandpa", "linda",  "quincy", "steph", "whisper", "whisperf",
};

const size_t voice_variants_len = COUNT(voice_variants);

bool voice_has_variant(const char *variant)
{
	for (size_t i = 0; i < voice_variants_len; ++i) {
		if (strcmp(voice_variants[i], variant) == 0)
			return true;
	}
	return false;
}

const char *const voice_qualities[] = {
	[VOICE_LOW] = "low",
	[VOICE_MID] = "mid",
	[VOICE_HIGH] = "high",
	NULL,
};
