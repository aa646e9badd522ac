/* language_nl.c: Dutch (see language.h). */
#include "text/language.h"

/* clang-format off: lists are wrapped by hand */
const struct language language_nl = {
	.code = "nl",
	.never = " dhr mevr mw dr drs prof ir ing mr bijv o.a d.w.z m.a.w a.u.b t.a.v t.o.v "
		 "i.p.v i.v.m m.b.t resp evt incl excl vgl zgn st vs n.a.v d.m.v ",
	.starter = " n.v b.v v.chr n.chr jr sr nr nrs blz p afb tel hfst jan feb mrt apr aug sep "
		   "sept okt nov dec ca ",
	.capital = " etc enz e.d ",
	.word = " art par max min ",
	.starters = " de het een ik jij je hij zij ze wij we jullie u dit dat deze die er en maar "
		    "of want dus als toen wanneer waar wat wie hoe waarom in op aan bij met naar "
		    "van voor uit over onder tussen na door zonder tot sinds daarna dan nu vandaag "
		    "gisteren morgen hier daar ook niet geen mijn zijn haar ons hun alle alles "
		    "veel ja nee bedankt vervolgens daarom toch misschien is was kan ",
};
/* clang-format on */
