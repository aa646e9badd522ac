/* language_en.c: English (see language.h). */
#include "text/language.h"

/* clang-format off: lists are wrapped by hand */
const struct language language_en = {
	.code = "en",
	.never = " mr mrs mx messrs dr prof rev hon Gen Col Sgt Capt Cpl Lt Maj Cmdr Adm Sen "
		 "Rep Gov Pres Supt Mme Mlle Mt Ft Ste Br e.g i.e eg ie cf vs viz approx resp "
		 "incl excl esp a.k.a aka Ms ",
	.starter = " st ave blvd rd hwy jr Sr inc co corp ltd plc bros dept univ assn a.m p.m "
		   "ph.d al esq oz lb lbs ft hr hrs min mi sq m.sc b.sc mon tue tues thu thurs "
		   "nos p pp pg Ch vol vols fig figs eq eqs Sec op nr ext Jan Feb Apr Aug Sep "
		   "Sept Oct Nov Dec tel ver ca ",
	.capital = " etc ",
	.word = " no art para sec Mar Jun Jul max ",
	.starters = " the a an i he she it we you they this that these those there here then when "
		    "where what who why how which in on at by for from with without after before "
		    "if but and or so as although though while because since once however "
		    "therefore moreover meanwhile finally first next also still yet now today "
		    "tomorrow yesterday yes no not let my your his her its our their is are was "
		    "were do does did can could would should have has had some many most all each "
		    "every one nothing nobody everyone everything please thanks thank ok okay well "
		    "sure instead perhaps maybe according during another both either neither such "
		    "even just only sometimes soon later until unless about to of ",
};
/* clang-format on */
