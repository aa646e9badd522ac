/*
 * scribe_model.c: names of models and languages in ElevenLabs' speech-to-text API (see scribe.h).
 */
#include <stdio.h>
#include <string.h>

#include "base/count.h"
#include "doors/elevenlabs/scribe.h"

void scribe_model_name(char name[LISTEN_MODEL_SIZE], const char *asked)
{
	/* All of ElevenLabs' models that listen begin with this. */
	bool is_theirs = strncmp(asked, "scribe", 6) == 0;

	snprintf(name, LISTEN_MODEL_SIZE, "%s", is_theirs ? "" : asked);
}

/* The languages of the models that can be fetched and that have a code of two letters.  ElevenLabs'
 * clients use codes of two letters and of three.  Of several codes for a language, the first is the one
 * that is written. */
static const struct {
	char three[4], two[3];
} codes[] = {
	{"afr", "af"}, {"amh", "am"}, {"ara", "ar"}, {"asm", "as"}, {"aze", "az"}, {"bel", "be"},
	{"ben", "bn"}, {"bos", "bs"}, {"bul", "bg"}, {"cat", "ca"}, {"ces", "cs"}, {"zho", "zh"},
	{"cym", "cy"}, {"dan", "da"}, {"deu", "de"}, {"ell", "el"}, {"eng", "en"}, {"est", "et"},
	{"eus", "eu"}, {"fas", "fa"}, {"fin", "fi"}, {"fra", "fr"}, {"gle", "ga"}, {"glg", "gl"},
	{"guj", "gu"}, {"hau", "ha"}, {"heb", "he"}, {"hin", "hi"}, {"hrv", "hr"}, {"hun", "hu"},
	{"hye", "hy"}, {"ind", "id"}, {"isl", "is"}, {"ita", "it"}, {"jav", "jw"}, {"jpn", "ja"},
	{"kan", "kn"}, {"kat", "ka"}, {"kaz", "kk"}, {"khm", "km"}, {"kor", "ko"}, {"lao", "lo"},
	{"lav", "lv"}, {"lin", "ln"}, {"lit", "lt"}, {"ltz", "lb"}, {"mal", "ml"}, {"mar", "mr"},
	{"mkd", "mk"}, {"mlg", "mg"}, {"mlt", "mt"}, {"mon", "mn"}, {"mri", "mi"}, {"msa", "ms"},
	{"mya", "my"}, {"nep", "ne"}, {"nld", "nl"}, {"nor", "no"}, {"nob", "no"}, {"nno", "nn"},
	{"oci", "oc"}, {"pan", "pa"}, {"pol", "pl"}, {"por", "pt"}, {"pus", "ps"}, {"ron", "ro"},
	{"rus", "ru"}, {"sin", "si"}, {"slk", "sk"}, {"slv", "sl"}, {"sna", "sn"}, {"snd", "sd"},
	{"som", "so"}, {"spa", "es"}, {"sqi", "sq"}, {"srp", "sr"}, {"swa", "sw"}, {"swe", "sv"},
	{"tam", "ta"}, {"tat", "tt"}, {"tel", "te"}, {"tgk", "tg"}, {"tgl", "tl"}, {"tha", "th"},
	{"tuk", "tk"}, {"tur", "tr"}, {"ukr", "uk"}, {"urd", "ur"}, {"uzb", "uz"}, {"vie", "vi"},
	{"yid", "yi"}, {"yor", "yo"}, {"cmn", "zh"},
};

void scribe_model_language(char language[LISTEN_LANGUAGE_SIZE], const char *code)
{
	for (size_t i = 0; i < COUNT(codes); ++i) {
		if (strcmp(codes[i].three, code) == 0)
			code = codes[i].two;
	}
	snprintf(language, LISTEN_LANGUAGE_SIZE, "%s", code);
}

void scribe_model_code(char code[LISTEN_LANGUAGE_SIZE], const char *language)
{
	for (size_t i = 0; i < COUNT(codes); ++i) {
		if (strcmp(codes[i].two, language) == 0) {
			snprintf(code, LISTEN_LANGUAGE_SIZE, "%s", codes[i].three);
			return;
		}
	}
	snprintf(code, LISTEN_LANGUAGE_SIZE, "%s", language);
}
