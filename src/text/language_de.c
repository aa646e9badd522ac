/* language_de.c: German (see language.h). */
#include "text/language.h"

/* clang-format off: lists are wrapped by hand */
const struct language language_de = {
	.code = "de",
	.ordinals = true,
	.nouns_big = true,
	.never = " dr prof hr hrn fr frl ing dipl Mag med jur phil rer nat habil st hl sog bzw "
		 "ggf evtl inkl exkl zzgl abzgl vgl z.b zb d.h z.t i.d.r i.a i.v ca bspw bzgl "
		 "betr gem lt allg urspr geb verh gest o.g a.d vs m.e u.u z.zt z.hd d.i i.e e.g "
		 "mind spez insb ",
	.starter = " str jh jhd jhdt mio mrd tsd std min sek v.chr n.chr e.v s.o s.u jr sen u.a "
		   "nr nrn s abb tab kap bd abs tel jan feb mär apr jun jul aug sep sept okt nov "
		   "dez anm ziff hnr co ",
	.capital = " usw etc usf uvm u.v.m o.ä u.ä dgl u.dgl u.v.a ",
	.word = " art max ",
	.starters = " der die das den dem des ein eine einen einem einer ich du er sie es wir ihr "
		    "man dies diese diesen dieser dieses und oder aber denn doch dann danach da "
		    "dort hier heute gestern jetzt nun wenn weil als ob obwohl während nachdem "
		    "bevor wer was wo wie warum wann welche welcher welches in im am an auf aus "
		    "bei mit nach von vom zu zum zur für gegen ohne um über unter vor zwischen "
		    "seit bis durch sein seine ihre unser unsere mein meine dein deine kein keine "
		    "nicht nur auch noch schon so sonst außerdem deshalb daher trotzdem jedoch "
		    "allerdings bitte ja nein vielen danke alle alles viele einige jeder jede "
		    "jedes hat ist sind war wird kann können anschließend später bald leider "
		    "natürlich insgesamt ",
};
/* clang-format on */
