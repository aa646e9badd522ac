/*
 * barge_in_terms.c: what people say while they listen, in each language.
 *
 * "Yes" and "no" are in none of them: they can be the answer to a question whose end the caller does not
 * wait for.  To add a language, add a row; forms that differ only in case, punctuation, blanks between
 * letters that repeat, or repeated letters are the same term.
 */
#include <stddef.h>
#include <string.h>

#include "base/count.h"
#include "call/barge_in.h"

/* clang-format off */
#define SOUNDS "mm\0mhm\0mm hm\0mm mm\0hm\0hm hm\0uh\0uh huh\0uhhuh\0huh\0um\0ah\0aha\0oh\0oho\0eh\0ok\0okay\0"

static const struct {
	const char *language;
	const char *terms;
} barge_in_terms[] = {
	{"en", SOUNDS "yeah\0yep\0yup\0right\0all right\0alright\0sure\0i see\0got it\0gotcha\0cool\0great\0"
		"good\0nice\0wow\0really\0fine\0true\0exactly\0of course\0oh okay\0er\0erm\0hmm\0"},
	{"de", SOUNDS "äh\0ähm\0öh\0ach\0ach so\0achso\0genau\0gut\0klar\0alles klar\0stimmt\0richtig\0"
		"verstehe\0ich verstehe\0aha\0naja\0na ja\0jaja\0ja ja\0super\0schön\0toll\0okay gut\0"},
	{"fr", SOUNDS "euh\0heu\0ouais\0d'accord\0daccord\0bien\0bien sûr\0très bien\0je vois\0voilà\0"
		"exactement\0c'est ça\0ça marche\0entendu\0ah bon\0ah oui\0hum\0super\0parfait\0"},
	{"es", SOUNDS "ajá\0vale\0claro\0ya\0ya veo\0bueno\0entiendo\0entendido\0exacto\0de acuerdo\0perfecto\0"
		"eso\0así es\0muy bien\0bien\0mjm\0"},
	{"it", SOUNDS "ehm\0certo\0capisco\0capito\0ho capito\0va bene\0bene\0esatto\0giusto\0d'accordo\0ecco\0"
		"già\0perfetto\0ah sì\0chiaro\0"},
	{"pt", SOUNDS "hã\0ahã\0aham\0uhum\0tá\0tá bom\0certo\0claro\0entendi\0percebo\0exato\0pois\0pois é\0"
		"isso\0beleza\0está bem\0tudo bem\0perfeito\0"},
	{"nl", SOUNDS "oké\0ja ja\0jaja\0juist\0precies\0goed\0prima\0ik snap het\0snap ik\0begrijp ik\0"
		"ik begrijp het\0klopt\0mooi\0inderdaad\0zeker\0"},
	{"pl", SOUNDS "yhm\0mhm\0aha\0yy\0okej\0dobra\0dobrze\0jasne\0rozumiem\0no\0no tak\0właśnie\0"
		"dokładnie\0zgadza się\0pewnie\0super\0"},
};
/* clang-format on */

const char *barge_in_default_terms(const char *language)
{
	for (size_t i = 0; i < COUNT(barge_in_terms); ++i)
		if (strncmp(language, barge_in_terms[i].language, 2) == 0 &&
		    (language[2] == '\0' || language[2] == '-' || language[2] == '_'))
			return barge_in_terms[i].terms;
	return barge_in_terms[0].terms;
}
