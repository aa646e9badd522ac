/* language_pt.c: Portuguese (see language.h). */
#include "text/language.h"

/* clang-format off: lists are wrapped by hand */
const struct language language_pt = {
	.code = "pt",
	.never = " sr sra srs sras srta dr dra drs dras prof profa eng arq exmo exma p.ex Gen "
		 "Col av aprox vs cf ",
	.starter = " ltda cia s.a jr a.c d.c a.m p.m pág págs p pp n núm tel fig vol cap jan fev "
		   "abr ago set out nov dez ex ",
	.capital = " etc ",
	.word = " art máx mín ",
	.starters = " o a os as um uma eu tu ele ela nós eles elas você vocês este esta isto esse "
		    "essa isso aquele aquela e mas ou se quando onde como que quem porque por para "
		    "com sem em no na nos nas de do da ao à até desde entre sobre depois antes "
		    "então agora hoje ontem amanhã também além meu minha seu sua nosso é são foi "
		    "era há não sim obrigado obrigada tudo todos todas cada muitos alguns ",
};
/* clang-format on */
