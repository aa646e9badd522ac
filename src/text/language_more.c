/* language_more.c: languages with short lists (see language.h). */
#include "base/count.h"
#include "text/language.h"

/* The signs of addresses, for <spell>. */
#define SPELLED(at, dot, dash, low_line, slash, plus, blank)                                       \
	(const struct sign[])                                                                      \
	{                                                                                          \
		{"@", at, 0}, {".", dot, 0}, {"-", dash, 0}, {"_", low_line, 0}, {"/", slash, 0},  \
			{"+", plus, 0}, {" ", blank, 0}, {0},                                      \
	}

/* clang-format off: lists are wrapped by hand */
const struct language language_more[] = {
	{
		.code = "cs",
		.spelled_signs = SPELLED("zavináč", "tečka", "pomlčka", "podtržítko", "lomítko",
					 "plus", "mezera"),
		.ordinals = true,
		.never = " sl mgr ing dr prof mudr judr phdr rndr doc bc plk gen tj tzv např "
			 "resp mj ul nám tř sv cca ml kpt ",
		.starter = " r hod min tis mil č str s obr tab tel kap odst čl ",
		.capital = " apod atd aj atp ",
		.starters = " a ale nebo protože když kde kdo co jak proč to ten ta ti on ona ono "
			    "oni já ty my vy v ve z ze na do od po pod nad před za pro bez u o "
			    "potom pak teď dnes včera zítra tady tam je jsou byl byla ne ano "
			    "děkuji všechny ",
	},
	{
		.code = "da",
		.spelled_signs = SPELLED("snabel-a", "punktum", "bindestreg", "understreg",
					 "skråstreg", "plus", "mellemrum"),
		.ordinals = true,
		.never = " dr prof hr fr f.eks bl.a dvs ca kl fx ifm mht jf inkl ekskl sml ",
		.starter = " f.kr e.kr mio mia jr nr s tlf stk kap ",
		.capital = " osv etc m.fl m.m mv ",
		.starters = " den det de en et jeg du han hun vi i man og men eller så hvis når "
			    "hvor hvad hvem hvordan hvorfor på af for med til fra efter før da nu "
			    "her der ikke alle min din ja nej tak ",
	},
	{
		.code = "el",
		.spelled_signs = SPELLED("παπάκι", "τελεία", "παύλα", "κάτω παύλα", "κάθετος",
					 "συν", "κενό"),
		.never = " κ κα δρ π.χ δηλ βλ αγ καθ ",
		.starter = " π.μ μ.μ π.χρ μ.χρ αρ σελ τηλ εικ ",
		.capital = " κ.λπ κλπ κ.ά κ.τ.λ κτλ ",
		.starters = " ο η το οι τα ένας μια μία αυτός αυτή αυτό και αλλά αν πού τι ποιος "
			    "πώς γιατί στο στη στον στην σε με για από μετά τότε τώρα σήμερα εδώ "
			    "εκεί δεν ναι ",
	},
	{
		.code = "fi",
		.spelled_signs = SPELLED("ät", "piste", "väliviiva", "alaviiva", "kauttaviiva",
					 "plus", "välilyönti"),
		.ordinals = true,
		.never = " esim ks nk tri prof klo ns vrt ml ",
		.starter = " eaa jaa ekr jkr min n s nro puh mm ",
		.capital = " jne ym yms tms ",
		.starters = " se ne hän he minä sinä me te tämä nämä ja mutta tai jos kun missä "
			    "mitä kuka miten miksi sitten nyt tänään eilen täällä siellä ei kyllä "
			    "kiitos ",
	},
	{
		.code = "hi",
		.spelled_signs = SPELLED("ऐट", "डॉट", "डैश", "अंडरस्कोर", "स्लैश", "प्लस", "स्पेस"),
		.never = " डॉ प्रो सं पं कु मो ",
		.capital = " इत्यादि ",
	},
	{
		.code = "hu",
		.spelled_signs = SPELLED("kukac", "pont", "kötőjel", "alulvonás", "perjel", "plusz",
					 "szóköz"),
		.ordinals = true,
		.never = " dr prof ifj id pl kb ún ill özv vö ",
		.starter = " u sz sz old tel ",
		.capital = " stb ",
		.starters = " a az egy ez ő ők én te mi ti és de vagy ha amikor hol mit ki hogyan "
			    "miért most ma tegnap holnap itt ott nem igen köszönöm ",
	},
	{
		.code = "no",
		.spelled_signs = SPELLED("krøllalfa", "punktum", "bindestrek", "understrek",
					 "skråstrek", "pluss", "mellomrom"),
		.ordinals = true,
		.never = " dr prof hr fr f.eks bl.a dvs ca kl jf inkl ekskl ev ",
		.starter = " f.kr e.kr mill mrd jr nr s tlf kap ",
		.capital = " osv etc m.fl m.m ",
		.starters = " den det de en et ei jeg du han hun vi dere man og men eller så hvis "
			    "når hvor hva hvem hvordan hvorfor på av for med til fra etter før da "
			    "nå her der ikke alle min din ja nei takk ",
	},
	{
		.code = "ru",
		.spelled_signs = SPELLED("собака", "точка", "дефис", "подчёркивание", "слэш",
					 "плюс", "пробел"),
		.never = " г-н г-жа ул просп пл т.е т.к т.н напр проф акад доц ср св ",
		.starter = " г гг в вв д н.э тыс млн млрд руб коп мин стр рис табл гл тел кв см "
			   "им ",
		.capital = " т.д т.п др пр проч ",
		.starters = " в во на и а но или он она оно они я ты мы вы это этот эта эти тот та "
			    "те если когда где кто что как почему потом затем теперь сейчас "
			    "сегодня вчера завтра здесь там не да нет все всё каждый по с со из к "
			    "о об от для при после до за у так ",
	},
	{
		.code = "sv",
		.spelled_signs = SPELLED("snabel-a", "punkt", "bindestreck", "understreck",
					 "snedstreck", "plus", "mellanslag"),
		.never = " dr prof hr fr t.ex bl.a d.v.s s.k resp ca kl f.d st jfr inkl exkl ",
		.starter = " f.kr e.kr milj jr nr s tel kap ",
		.capital = " osv etc m.m m.fl ",
		.starters = " den det de en ett jag du han hon vi ni man och men eller så om när "
			    "var vad vem hur varför i på av för med till från efter innan sedan då "
			    "nu idag här där inte alla min din ja nej tack ",
	},
	{
		.code = "tr",
		.spelled_signs =
			SPELLED("et", "nokta", "tire", "alt çizgi", "eğik çizgi", "artı", "boşluk"),
		.ordinals = true,
		.never = " dr prof doç av sn bkz örn mah cad sok apt alb ",
		.starter = " yy nr tel s sf ",
		.capital = " vb vs ",
		.word = " no ",
		.starters = " bu şu o ben sen biz siz onlar bir ve ama fakat çünkü eğer ne kim "
			    "nasıl neden nerede sonra şimdi bugün dün yarın burada orada evet "
			    "hayır teşekkürler ",
	},
};

const size_t language_more_len = COUNT(language_more);
/* clang-format on */
