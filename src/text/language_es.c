/* language_es.c: Spanish (see language.h). */
#include "text/language.h"

/* clang-format off: lists are wrapped by hand */
const struct language language_es = {
	.code = "es",
	.never = " sr sra sres sras srta dr dra drs dres dña prof profa lic ing arq gral Cap "
		 "Col sto sta p.ej ej ee avda av aprox vs cf ",
	.starter = " a.m p.m ee.uu ud uds vd vds s.a cía ltda jr a.c d.c pág págs p pp núm núms n "
		   "fig vol tel cap ene feb abr ago sept oct nov dic ",
	.capital = " etc ",
	.word = " no art máx mín ",
	.starters = " el la los las un una unos unas lo al del yo tú él ella ellos ellas nosotros "
		    "usted ustedes este esta estos estas ese esa eso esto aquel aquella y pero o "
		    "si cuando donde como qué quién cómo cuándo dónde cuál por para con sin en de "
		    "desde hasta entre sobre tras según durante después antes luego entonces ahora "
		    "hoy ayer mañana también además mi tu su sus nuestro nuestra es son fue era "
		    "hay no sí gracias todo todos todas cada muchos algunos ",
};
/* clang-format on */
