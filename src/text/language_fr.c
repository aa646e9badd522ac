/* language_fr.c: French (see language.h). */
#include "text/language.h"

/* clang-format off: lists are wrapped by hand */
const struct language language_fr = {
	.code = "fr",
	.never = " m mm mme mmes mlle mlles dr drs pr prof Me mgr st ste sts p.ex cf env av bd "
		 "boul vs c.-à-d vx ",
	.starter = " j.-c hab dép p pp fig chap vol tél no nos n janv févr avr juil sept oct nov "
		   "déc ex ",
	.capital = " etc ",
	.word = " art max min ",
	.starters = " le la les l un une des du de d ce cet cette ces il elle ils elles on nous "
		    "vous je j tu c qui que quoi quand où comment pourquoi et mais ou donc or car "
		    "si s dans en au aux à avec sans pour par sur sous chez après avant pendant "
		    "depuis lorsque alors ensuite puis enfin ainsi aussi cependant toutefois mon "
		    "ma mes ton ta tes son sa ses notre nos votre vos leur leurs tout toute tous "
		    "toutes chaque quelques plusieurs aujourd hier demain maintenant oui non merci "
		    "bien voici voilà est n qu ",
};
/* clang-format on */
