/* language_it.c: Italian (see language.h). */
#include "text/language.h"

/* clang-format off: lists are wrapped by hand */
const struct language language_it = {
	.code = "it",
	.never = " sig sigg sig.ra sig.na sigra dott dott.ssa dr prof prof.ssa avv ing arch "
		 "geom rag On Sen Gen Col ss p.es es cfr vs v.le p.zza c.so egr gent spett ",
	.starter = " s.p.a s.r.l a.c d.c jr pag pagg p pp n nr num tel fig vol cap gen feb mar "
		   "apr mag giu lug ago set ott nov dic ca ",
	.capital = " ecc etc ",
	.word = " art max min ",
	.starters = " il lo la i gli le l un uno una io tu lui lei noi voi loro egli questo questa "
		    "questi queste quello quella e ma o se quando dove come che chi cosa perché "
		    "per con senza in nel nella nei di da dal dalla del della a al alla su sul "
		    "sulla tra fra dopo prima poi allora quindi infatti inoltre anche però oggi "
		    "ieri domani ora adesso mio mia tuo suo sua nostro è sono era c non sì grazie "
		    "tutto tutti ogni molti alcuni ",
};
/* clang-format on */
