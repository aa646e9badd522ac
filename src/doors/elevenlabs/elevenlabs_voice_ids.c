/*
 * elevenlabs_voice_ids.c: finds voices by the ids that ElevenLabs' clients use (see
 * elevenlabs_voice_ids.h).
 */
#include "doors/elevenlabs/elevenlabs_voice_ids.h"

#include <errno.h>
#include <string.h>

#include "base/count.h"
#include "server/voice_pairs.h"

/* Voices that every server has.  They are used when the neural voice is not installed. */
enum { FEMALE = 1071, MALE = 1072 };

/* ElevenLabs' current and earlier default voices. */
static const struct {
	const char *id;
	int64_t neural, fallback;
} built_in[] = {
	{"21m00Tcm4TlvDq8ikWAM", 1081, FEMALE}, /* Rachel */
	{"EXAVITQu4vr4xnSDxMaL", 1082, FEMALE}, /* Sarah, earlier Bella */
	{"9BWtsMINqrJLrRacOk9x", 1083, FEMALE}, /* Aria */
	{"FGY2WhTYpPnrIDTdsKH5", 1084, FEMALE}, /* Laura */
	{"XB0fDUnXU5powFXDhCwa", 1085, FEMALE}, /* Charlotte */
	{"Xb7hH8MSUJpSbSDYk0k2", 1083, FEMALE}, /* Alice */
	{"XrExE9yKIg1WjnnlVkGX", 1081, FEMALE}, /* Matilda */
	{"cgSgspJ2msm6clMCkdW9", 1082, FEMALE}, /* Jessica */
	{"hpp4J3VqNfWAUOO0d1Us", 1084, FEMALE}, /* Bella */
	{"pFZP5JQG7iQjIQuC4Bku", 1085, FEMALE}, /* Lily */
	{"SAz9YHcvj6GT2YYXdXww", 1084, FEMALE}, /* River, gender-neutral */
	{"AZnzlk1XvdvUeBnXmlld", 1083, FEMALE}, /* Domi */
	{"LcfcDJNUP1GQjkzn1xUU", 1082, FEMALE}, /* Emily */
	{"MF3mGyEYCl7XYWbV9V6O", 1084, FEMALE}, /* Elli */
	{"ThT5KcBeYPX3keUQqHPh", 1085, FEMALE}, /* Dorothy */
	{"jBpfuIE2acCO8z3wKNLl", 1083, FEMALE}, /* Gigi */
	{"jsCqWAovK2LkecY7zXl4", 1084, FEMALE}, /* Freya */
	{"oWAxZDx7w5VEj9dCyTzz", 1083, FEMALE}, /* Grace */
	{"pMsXgVXv3BLzUgSXRplE", 1085, FEMALE}, /* Serena */
	{"piTKgcLEGmPE4e6mEKli", 1082, FEMALE}, /* Nicole */
	{"z9fAnlkpzviPz146aGWa", 1081, FEMALE}, /* Glinda */
	{"zrHiDhphv9ZnVXBqCLjz", 1084, FEMALE}, /* Mimi */

	{"JBFqnCBsd6RMkjVDRZzb", 1086, MALE}, /* George */
	{"bIHbv24MWmeRgasZH58o", 1089, MALE}, /* Will */
	{"CwhRBWXzGAHq8TQ4Fs17", 1088, MALE}, /* Roger */
	{"IKne3meq5aSn9XLyUdCD", 1090, MALE}, /* Charlie */
	{"N2lVS1w4EtoT3dr4eOWO", 1087, MALE}, /* Callum */
	{"TX3LPaxmHKxFdv7VOQHJ", 1089, MALE}, /* Liam */
	{"cjVigY5qzO86Huf0OWal", 1088, MALE}, /* Eric */
	{"iP95p4xoKVk53GoZ742B", 1090, MALE}, /* Chris */
	{"nPczCjzI2devNBz1zQrb", 1088, MALE}, /* Brian */
	{"onwK4e9ZLuTAKqWW03F9", 1087, MALE}, /* Daniel */
	{"pNInz6obpgDQGcFmaJgB", 1086, MALE}, /* Adam */
	{"pqHfZKP75CvOlQylNhV4", 1088, MALE}, /* Bill */
	{"SOYHLrjzK2X1ezoPC6cr", 1090, MALE}, /* Harry */
	{"29vD33N1CtxCmqQRPOHJ", 1089, MALE}, /* Drew */
	{"2EiwWnXFnvU5JabPnv8n", 1088, MALE}, /* Clyde */
	{"5Q0t7uMcjvnagumLfvZi", 1089, MALE}, /* Paul */
	{"CYw3kZ02Hs0563khs1Fj", 1087, MALE}, /* Dave */
	{"D38z5RcWu1voky8WS1ja", 1086, MALE}, /* Fin */
	{"ErXwobaYiN019PkySvjV", 1090, MALE}, /* Antoni */
	{"GBv7mTt0atIp3Br8iCZE", 1089, MALE}, /* Thomas */
	{"ODq5zmih8GrVes37Dizd", 1088, MALE}, /* Patrick */
	{"TxGEqnHWrfWFTfGW9XjX", 1089, MALE}, /* Josh */
	{"VR6AewLTigWG4xSOukaG", 1088, MALE}, /* Arnold */
	{"Yko7PKHZNXotIFUBG7I9", 1087, MALE}, /* Matthew */
	{"ZQe5CZNOzWyzPSCn5a3c", 1086, MALE}, /* James */
	{"Zlb1dXrM653N07WRdFW3", 1087, MALE}, /* Joseph */
	{"bVMeCyTHy58xNoL34h3p", 1090, MALE}, /* Jeremy */
	{"flq6f7yk4E4fJM5XTYuZ", 1088, MALE}, /* Michael */
	{"g5CIjZEefAph4nQFvHAz", 1089, MALE}, /* Ethan */
	{"knrPHWnBmmDHMoiMeP3l", 1086, MALE}, /* Santa Claus */
	{"t0jbNlBVZ17f02VDIeMI", 1088, MALE}, /* Jessie */
	{"wViXBPUzp2ZZixB1xQuM", 1090, MALE}, /* Ryan */
	{"yoZ06aMxZJJ28mfd3POQ", 1089, MALE}, /* Sam */
	{"zcAOhNBS3c14rBihAFp1", 1087, MALE}, /* Giovanni */
};

static bool elevenlabs_voice_ids_is(const char *a, size_t a_len, const char *b, size_t b_len)
{
	return a_len == b_len && memcmp(a, b, a_len) == 0;
}

const struct voice *elevenlabs_voice_ids_find(const struct config *config,
					      const struct voices *voices, int64_t project_id,
					      const char *name, size_t len)
{
	const struct voice *voice = voices_find_named(voices, project_id, name, len);
	const char *at = config->elevenlabs_voices;
	struct voice_pair pair;

	if (voice)
		return voice;
	while (voice_pairs_next(&pair, &at)) {
		if (elevenlabs_voice_ids_is(pair.id, pair.id_len, name, len))
			return voices_find_named(voices, project_id, pair.voice, pair.voice_len);
	}
	for (size_t i = 0; config->elevenlabs_default_voices && i < COUNT(built_in); ++i) {
		if (!elevenlabs_voice_ids_is(built_in[i].id, strlen(built_in[i].id), name, len))
			continue;
		voice = voices_find_for(voices, project_id, built_in[i].neural);
		return voice ? voice : voices_find_for(voices, project_id, built_in[i].fallback);
	}
	return NULL;
}

/* The number of the target voice; 0 if it is a handle, or the number of a derived voice, which only
 * a running server knows. */
static int64_t elevenlabs_voice_ids_number(const struct voice_pair *pair)
{
	int64_t number = 0;

	for (size_t i = 0; i < pair->voice_len; ++i) {
		if (pair->voice[i] < '0' || pair->voice[i] > '9' || number >= VOICE_DERIVED_FIRST)
			return 0;
		number = number * 10 + pair->voice[i] - '0';
	}
	return number < VOICE_DERIVED_FIRST ? number : 0;
}

static bool elevenlabs_voice_ids_in_table(int64_t id)
{
	for (size_t i = 0; i < voice_table_len; ++i) {
		if (voice_table[i].id == id)
			return true;
	}
	return false;
}

int elevenlabs_voice_ids_check_config(const struct config *config, struct buf *mistakes)
{
	const char *at = config->elevenlabs_voices;
	struct voice_pair pair;
	int err = 0;

	while (voice_pairs_next(&pair, &at)) {
		int64_t number = elevenlabs_voice_ids_number(&pair);

		if (number == 0 || elevenlabs_voice_ids_in_table(number))
			continue;
		(void)buf_printf(mistakes,
				 "elevenlabs.voices: %.*s is mapped to voice %lld, which does "
				 "not exist\n",
				 (int)pair.id_len, pair.id, (long long)number);
		err = EINVAL;
	}
	return err;
}
