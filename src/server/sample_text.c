/*
 * sample_text.c: the text of a voice's sample if the voice has none of its own (see sample_text.h).
 */
#include "server/sample_text.h"

#include <stddef.h>
#include <string.h>

#include "base/count.h"

static const struct {
	const char *language, *text;
} texts[] = {
	{"en", "Hello, this is my voice. I hope you like it."},
	{"de", "Hallo, das ist meine Stimme. Ich hoffe, sie gefällt dir."},
	{"fr", "Bonjour, voici ma voix. J'espère qu'elle vous plaît."},
	{"es", "Hola, esta es mi voz. Espero que te guste."},
	{"it", "Ciao, questa è la mia voce. Spero che ti piaccia."},
	{"pt", "Olá, esta é a minha voz. Espero que goste."},
	{"nl", "Hallo, dit is mijn stem. Ik hoop dat je hem mooi vindt."},
	{"pl", "Cześć, to jest mój głos. Mam nadzieję, że ci się podoba."},
	{"sv", "Hej, det här är min röst. Jag hoppas att du gillar den."},
	{"da", "Hej, det her er min stemme. Jeg håber, du kan lide den."},
	{"no", "Hei, dette er stemmen min. Jeg håper du liker den."},
	{"fi", "Hei, tämä on minun ääneni. Toivottavasti pidät siitä."},
	{"cs", "Ahoj, tohle je můj hlas. Doufám, že se ti líbí."},
	{"hu", "Szia, ez az én hangom. Remélem, tetszik."},
	{"ro", "Bună, aceasta este vocea mea. Sper că îți place."},
	{"el", "Γεια σας, αυτή είναι η φωνή μου. Ελπίζω να σας αρέσει."},
	{"uk", "Привіт, це мій голос. Сподіваюся, він вам подобається."},
	{"bg", "Здравейте, това е моят глас. Надявам се, че ви харесва."},
	{"tr", "Merhaba, bu benim sesim. Umarım beğenirsiniz."},
	{"vi", "Xin chào, đây là giọng nói của tôi. Hy vọng bạn thích."},
	{"ar", "مرحبا، هذا هو صوتي. أتمنى أن يعجبك."},
	{"hi", "नमस्ते, यह मेरी आवाज़ है। आशा है आपको पसंद आएगी।"},
	{"zh", "你好，这是我的声音。希望你喜欢。"},
	{"ja", "こんにちは、これは私の声です。気に入っていただければ幸いです。"},
	{"ko", "안녕하세요, 이것이 제 목소리입니다. 마음에 드시길 바랍니다."},
	{"sk", "Ahoj, toto je môj hlas. Dúfam, že sa ti páči."},
	{"sl", "Živjo, to je moj glas. Upam, da ti je všeč."},
	{"hr", "Bok, ovo je moj glas. Nadam se da ti se sviđa."},
	{"sr", "Здраво, ово је мој глас. Надам се да вам се свиђа."},
	{"ru", "Здравствуйте, это мой голос. Надеюсь, он вам нравится."},
	{"he", "שלום, זה הקול שלי. אני מקווה שהוא מוצא חן בעיניך."},
	{"fa", "سلام، این صدای من است. امیدوارم از آن خوشتان بیاید."},
	{"ur", "السلام علیکم، یہ میری آواز ہے۔ امید ہے آپ کو پسند آئے گی۔"},
	{"bn", "নমস্কার, এটি আমার কণ্ঠস্বর। আশা করি আপনার ভালো লাগবে।"},
	{"ta", "வணக்கம், இது என் குரல். உங்களுக்கு பிடிக்கும் என்று நம்புகிறேன்."},
	{"yue", "你好，呢個係我嘅聲音。希望你鍾意。"},
	{"th", "สวัสดี นี่คือเสียงของฉัน หวังว่าคุณจะชอบ"},
	{"id", "Halo, ini suara saya. Semoga Anda menyukainya."},
	{"ms", "Helo, ini suara saya. Harap anda menyukainya."},
};

const char *sample_text_of(const char *language)
{
	for (size_t i = 0; i < COUNT(texts); ++i) {
		if (strcmp(texts[i].language, language) == 0)
			return texts[i].text;
	}
	return texts[0].text;
}
