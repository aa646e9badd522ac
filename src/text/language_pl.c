/* language_pl.c: Polish (see language.h). */
#include "text/language.h"

/* clang-format off: lists are wrapped by hand */
const struct language language_pl = {
	.code = "pl",
	.ordinals = true,
	.never = " dr prof inż mgr hab doc lek ks św bł ul al pl os gen płk ppłk kpt np tj tzn "
		 "tzw m.in ang łac niem red zob dot ds pt br ",
	.starter = " tys r w n.e p.n.e godz sek min nr str s poz rozdz tel rys tab ust ok im ",
	.capital = " itd itp etc in ",
	.word = " art por ",
	.starters = " a ale i lub albo bo więc jeśli gdy kiedy gdzie kto co jak dlaczego czy to "
		    "ten ta te ci on ona ono oni one ja ty my wy w we z ze na do od po pod nad "
		    "przed za przez dla bez u o potem następnie teraz dziś dzisiaj wczoraj jutro "
		    "tu tam jest są był była było nie tak dziękuję wszystkie wszyscy każdy jego "
		    "jej ich nasz mój twój proszę ",
};
/* clang-format on */
