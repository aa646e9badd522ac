/*
 * voice_table.c: the voices whose ids mean the same on every machine.
 *
 * 1071 to 1074 are the better English ones, with eSpeak NG standing in where
 * flite is not installed.  From 2001 on, two for each language that clients can
 * name: an even id is a woman's voice, an odd one a man's.
 */
#include "base/count.h"
#include "synth/voice.h"

/* eSpeak NG's voice and its variant with a woman's pitch and formants. */
#define LANGUAGE(id, title, code, voice)                                                           \
	{id, title ", male", code, VOICE_MALE, VOICE_LOW, "espeak", voice, NULL, NULL},            \
	{                                                                                          \
		(id) + 1, title ", female", code, VOICE_FEMALE, VOICE_LOW, "espeak", voice "+f2",  \
			NULL, NULL                                                                 \
	}

const struct voice_row voice_table[] = {
	{1, "Tone", "en", VOICE_SEX_UNKNOWN, VOICE_LOW, "tone", "tone", NULL, NULL},
	{2, "Low tone", "en", VOICE_SEX_UNKNOWN, VOICE_LOW, "tone", "tone-low", NULL, NULL},

	{1071, "Sally", "en", VOICE_FEMALE, VOICE_MID, "flite", "slt", "espeak", "en-us+f2"},
	{1072, "Ross", "en", VOICE_MALE, VOICE_MID, "flite", "rms", "espeak", "en-us"},
	{1073, "Alan", "en", VOICE_MALE, VOICE_MID, "flite", "awb", "espeak", "en-gb-scotland"},
	{1074, "Kevin", "en", VOICE_MALE, VOICE_LOW, "flite", "kal16", "espeak", "en-gb"},

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
