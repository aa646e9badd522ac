/*
 * Word times in many languages: every word of a text gets one, whatever the
 * engine's own idea of words is.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/count.h"
#include "conformance.h"

/* What is said together, what is written apart, what has no blanks; words at the
 * ends of clauses and of the text; apostrophes and hyphens; one letter alone. */
static const struct sentence {
	const char *language;
	const char *text;
} sentences[] = {
	{"en", "The end of the road is near, and isn't it well-known? Most of it is in the "
	       "room for the men, as if he had to be one of the first to say it"},
	{"de", "Der Zug fährt um acht Uhr ab, und ich habe in der Tat keine U-Bahn-Karte."},
	{"fr", "L'homme qu'il a vu aujourd'hui, c'est l'ami de Jean-Pierre, n'est-ce pas?"},
	{"es", "¿Dónde está la biblioteca? El niño come pan con aceite de oliva."},
	{"it", "L'amico dell'uomo è andato all'università, perché c'era un'altra festa."},
	{"nl", "Het is 's avonds mooi weer, en 't kind speelt in de tuin."},
	{"pl", "W Szczebrzeszynie chrząszcz brzmi w trzcinie i z tego słynie."},
	{"pt", "O rapaz deu-lhe um livro, e à noite foi-se embora com a mãe."},
	{"ru", "В лесу родилась ёлочка, в лесу она росла с братом и к нам пришла."},
	{"uk", "Я люблю тебе, і ми йдемо до лісу з братом."},
	{"cs", "V lese rostou houby a s bratrem jdeme k babičce."},
	{"tr", "İstanbul'da güneşli bir gün, ve çocuklar bahçede oynuyor."},
	{"el", "Η Αθήνα είναι η πρωτεύουσα της Ελλάδας, και ο ήλιος λάμπει."},
	{"ar", "ذهب الولد إلى المدرسة في الصباح، ثم عاد إلى البيت."},
	{"he", "הילד הלך לבית הספר בבוקר."},
	{"fa", "من به مدرسه می‌روم و کتاب می‌خوانم."},
	{"hi", "राम ने सीता को एक फूल दिया, और वह खुश हुई।"},
	{"bn", "আমি বাংলায় গান গাই।"},
	{"ta", "நான் தமிழில் பேசுகிறேன், நீங்கள் எப்படி இருக்கிறீர்கள்?"},
	{"ko", "안녕하세요, 오늘은 날씨가 좋습니다."},
	{"vi", "Hôm nay trời đẹp quá, chúng ta đi chơi nhé."},
	{"hu", "A kisfiú az iskolába ment, és nem jött vissza."},
	{"fi", "Minä rakastan sinua, ja sinä tulet kotiin."},
	{"sv", "Jag älskar dig, och vi går hem i kväll."},
	{"ro", "Într-o zi m-am dus la piață, și l-am văzut pe el."},
	{"ca", "L'home se'n va anar d'Espanya amb l'avió."},
	{"ga", "Tá an t-uisce te, agus d'ól mé é."},
	{"id", "Saya makan nasi goreng di rumah anak-anak."},
	{"ka", "მე მიყვარს შენ, და ჩვენ სახლში მივდივართ."},
	{"hy", "Ես սիրում եմ քեզ, և մենք տուն ենք գնում։"},
	{"zh", "你好，世界。今天天气很好，我们去公园吧。"},
	{"ja", "こんにちは、世界。きょうはいいてんきです。"},
	{"th", "สวัสดีครับ วันนี้อากาศดีมาก"},
	{"my", "ကျွန်တော်က ကျောင်းသားပါ။"},
};

static bool conformance_words_is_at_character(const char *text, size_t at)
{
	return ((unsigned char)text[at] & 0xc0) != 0x80;
}

/* Words that touch the bytes. */
static unsigned conformance_words_count_words(const struct client_job *job, size_t start,
					      size_t end)
{
	unsigned count = 0;

	for (size_t i = 0; i < job->word_count; ++i)
		count += job->words[i].byte_start < end && job->words[i].byte_end > start;
	return count;
}

static bool conformance_words_has_blanks(const char *language)
{
	static const char *const without[] = {"zh", "ja", "th", "my"};

	for (size_t i = 0; i < COUNT(without); ++i) {
		if (strcmp(without[i], language) == 0)
			return false;
	}
	return true;
}

/* Each part of the text between two blanks is spoken by one word, or in scripts without blanks
 * by several. */
static void conformance_words_assert_none_lost(const struct client_job *job,
					       const struct sentence *sentence)
{
	const char *text = sentence->text;

	for (size_t start = 0; text[start];) {
		size_t end = start + strcspn(text + start, " ");
		unsigned count = conformance_words_count_words(job, start, end);

		if (count != 1 && (count == 0 || conformance_words_has_blanks(sentence->language)))
			fail_msg("%s: %u times for \"%.*s\"", sentence->language, count,
				 (int)(end - start), text + start);
		start = end + strspn(text + end, " ");
	}
	for (size_t i = 0; i < job->word_count; ++i) {
		assert_true(conformance_words_is_at_character(text, job->words[i].byte_start));
		assert_true(conformance_words_is_at_character(text, job->words[i].byte_end));
		assert_true(job->words[i].sample_start < job->words[i].sample_end);
	}
}

static void conformance_words_check_voice(struct client *client, const struct client_voice *voice,
					  const struct sentence *sentence)
{
	struct client_job job;
	struct message message = client_speak(1, voice->name, sentence->text);

	conformance_speak_message(client, &job, &message);
	assert_int_equal(job.done.status, MESSAGE_DONE_OK);
	conformance_assert_words_fit(&job, sentence->text);
	conformance_words_assert_none_lost(&job, sentence);
	client_job_reset(&job);
}

void conformance_every_word_has_one_time_in_every_language(void **state)
{
	struct client client;

	(void)state;
	conformance_start(&client);
	if (!(client.capabilities & MESSAGE_WORD_TIMES)) {
		conformance_end(&client);
		client_skip("this engine tells no word times");
	}
	for (size_t i = 0; i < client.voice_count; ++i) {
		for (size_t k = 0; k < COUNT(sentences); ++k) {
			if (strcmp(sentences[k].language, client.voices[i].language) == 0)
				conformance_words_check_voice(&client, &client.voices[i],
							      &sentences[k]);
		}
	}
	conformance_end(&client);
}

/* One span of words, one inside a run of letters, one with a possessive; what
 * cannot be said is read. */
void conformance_phonemes_are_one_word(void **state)
{
	static const char text[] = "I met Xi (Jinping) in New York's best café";
	static const struct message_phonemes spans[] = {
		{6, 8, {"ʃiː", 5}},
		{10, 17, {"dʒɪnˈpɪŋ", 13}},
		{22, 30, {"nuː ˈjɔːk", 13}},
		{38, 43, {"\xf0\x9f\x98\x80", 4}},
	};
	struct message message;
	struct client client;
	struct client_job job;
	struct buf list;

	(void)state;
	conformance_start(&client);
	if (!(client.capabilities & MESSAGE_PHONEMES)) {
		conformance_end(&client);
		client_skip("this engine reads no phonemes");
	}
	buf_init(&list, 1000);
	for (size_t i = 0; i < COUNT(spans); ++i)
		assert_int_equal(message_phonemes_put(&list, &spans[i]), 0);
	message = client_speak(1, conformance_voice(&client), text);
	message.speak.phonemes = (struct message_spans){(unsigned char *)list.bytes,
							(uint32_t)list.len, COUNT(spans)};
	conformance_speak_message(&client, &job, &message);
	assert_int_equal(job.done.status, MESSAGE_DONE_OK);
	conformance_assert_words_fit(&job, text);
	for (size_t i = 0; i < COUNT(spans); ++i)
		assert_int_equal(
			conformance_words_count_words(&job, spans[i].byte_start, spans[i].byte_end),
			1);
	client_job_reset(&job);
	conformance_end(&client);
	buf_reset(&list);
}

/* A word of one sound, and the same place with twenty. */
void conformance_phonemes_are_spoken(void **state)
{
	static const char text[] = "We call it a and go on.";
	static const char *const ipa[] = {"ə", "məˈnaˌmaniməˈnaˌmanimo"};
	uint64_t lengths[COUNT(ipa)];
	struct client client;

	(void)state;
	conformance_start(&client);
	if (!(client.capabilities & MESSAGE_PHONEMES)) {
		conformance_end(&client);
		client_skip("this engine reads no phonemes");
	}
	for (size_t i = 0; i < COUNT(ipa); ++i) {
		const struct message_phonemes span = {11, 12, message_str_of(ipa[i])};
		struct message message = client_speak(1, conformance_voice(&client), text);
		struct client_job job;
		struct buf list;

		buf_init(&list, 1000);
		assert_int_equal(message_phonemes_put(&list, &span), 0);
		message.speak.phonemes =
			(struct message_spans){(unsigned char *)list.bytes, (uint32_t)list.len, 1};
		conformance_speak_message(&client, &job, &message);
		assert_int_equal(job.done.status, MESSAGE_DONE_OK);
		assert_int_equal(job.word_count, 7);
		lengths[i] = job.words[3].sample_end - job.words[3].sample_start;
		client_job_reset(&job);
		buf_reset(&list);
	}
	assert_true(lengths[1] > 3 * lengths[0]);
	conformance_end(&client);
}
