/* language_nl.c: Dutch (see language.h). */
#include "text/language.h"

/* Tables and lists are wrapped by hand. */
/* clang-format off */

/* The number 1 alone is "één", to distinguish it from the article. */
static const struct number_rule language_nl_cardinals[] = {
	{0, 0, "nul"}, {1, 0, "één"}, {2, 0, "twee"}, {3, 0, "drie"}, {4, 0, "vier"},
	{5, 0, "vijf"}, {6, 0, "zes"}, {7, 0, "zeven"}, {8, 0, "acht"}, {9, 0, "negen"},
	{10, 0, "tien"}, {11, 0, "elf"}, {12, 0, "twaalf"}, {13, 0, "dertien"},
	{14, 0, "veertien"}, {15, 0, "vijftien"}, {16, 0, "zestien"}, {17, 0, "zeventien"},
	{18, 0, "achttien"}, {19, 0, "negentien"},
	{20, 0, "[>u>]twintig"}, {30, 0, "[>u>]dertig"}, {40, 0, "[>u>]veertig"},
	{50, 0, "[>u>]vijftig"}, {60, 0, "[>u>]zestig"}, {70, 0, "[>u>]zeventig"},
	{80, 0, "[>u>]tachtig"}, {90, 0, "[>u>]negentig"},
	{100, 0, "honderd[>e>]"},
	{200, 0, "<e<honderd[>e>]"},
	{1000, 0, "duizend[ >>]"},
	{1100, 100, "<e<honderd[>e>]"},
	{2000, 0, "<e<duizend[ >>]"},
	{1000000, 0, "<< miljoen[ >>]"},
	{1000000000, 0, "<< miljard[ >>]"},
	{1000000000000, 0, "<< biljoen[ >>]"},
	{1000000000000000, 0, "<< biljard[ >>]"},
	{NUMBER_RULES_END, 0, NULL},
};

/* Inside a compound. */
static const struct number_rule language_nl_compounds[] = {
	{0, 0, "=c="}, {1, 0, "een"}, {2, 0, "=c="}, {NUMBER_RULES_END, 0, NULL},
};

/* Before the tens. */
static const struct number_rule language_nl_ones[] = {
	{0, 0, ""}, {1, 0, "eenen"}, {2, 0, "tweeën"}, {3, 0, "drieën"}, {4, 0, "=c=en"},
	{NUMBER_RULES_END, 0, NULL},
};

static const struct number_rule language_nl_ordinals[] = {
	{0, 0, "nulde"}, {1, 0, "eerste"}, {2, 0, "tweede"}, {3, 0, "derde"}, {4, 0, "=c=de"},
	{8, 0, "achtste"}, {9, 0, "=c=de"}, {20, 0, "=c=ste"},
	{100, 0, "honderd>x>"},
	{200, 0, "<e<honderd>x>"},
	{1000, 0, "duizend>t>"},
	{1100, 100, "<e<honderd>x>"},
	{2000, 0, "<e<duizend>t>"},
	{1000000, 0, "<c< miljoen>t>"},
	{1000000000, 0, "<c< miljard>t>"},
	{1000000000000, 0, "<c< biljoen>t>"},
	{1000000000000000, 0, "<c< biljard>t>"},
	{NUMBER_RULES_END, 0, NULL},
};

/* The remainder after "honderd", and after "duizend". */
static const struct number_rule language_nl_ordinal_hundreds[] = {
	{0, 0, "ste"}, {1, 0, "=o="}, {NUMBER_RULES_END, 0, NULL},
};
static const struct number_rule language_nl_ordinal_thousands[] = {
	{0, 0, "ste"}, {1, 0, " =o="}, {NUMBER_RULES_END, 0, NULL},
};

static const struct number_rule language_nl_parts[] = {
	{0, 0, "=o="}, {4, 0, "kwart"}, {5, 0, "=o="}, {NUMBER_RULES_END, 0, NULL},
};

/* A whole number before "half". */
static const struct number_rule language_nl_halves[] = {
	{0, 0, "=c= en een "}, {1, 0, "ander"}, {2, 0, "tweeën"}, {3, 0, "drieën"}, {4, 0, "=c=en"},
	{NUMBER_RULES_END, 0, NULL},
};

/* Digit by digit, as codes are read. */
static const struct number_rule language_nl_digits[] = {
	{0, 0, "=c="}, {10, 10, "<< >c>"}, {NUMBER_RULES_END, 0, NULL},
};

/* After "bel". */
static const struct number_rule language_nl_emergencies[] = {
	{0, 0, "=c="}, {100, 0, "één nul nul"}, {101, 0, "één nul één"}, {102, 0, "=c="},
	{112, 0, "één één twee"}, {113, 0, "één één drie"}, {114, 0, "=c="},
	{NUMBER_RULES_END, 0, NULL},
};

static const struct number_set language_nl_numbers[] = {
	{'c', language_nl_cardinals}, {'e', language_nl_compounds}, {'u', language_nl_ones}, {'o', language_nl_ordinals},
	{'x', language_nl_ordinal_hundreds}, {'t', language_nl_ordinal_thousands}, {'q', language_nl_parts}, {'Q', language_nl_parts},
	{'h', language_nl_halves}, {'j', language_nl_compounds},
	{'a', language_nl_emergencies}, {'D', language_nl_digits}, {0, NULL},
};

#define COUNTED(one, many) {one, NULL, many, NULL, 0}
#define UNCHANGED(word) {word, NULL, NULL, NULL, 0}

static const struct measure_unit language_nl_units[] = {
	{" % ", UNCHANGED("procent"), false},
	{" ‰ ", UNCHANGED("promille"), false},
	{" ° ", COUNTED("graad", "graden"), false},
	{" °C ℃ ", COUNTED("graad Celsius", "graden Celsius"), false},
	{" °F ℉ ", COUNTED("graad Fahrenheit", "graden Fahrenheit"), false},
	{" km ", UNCHANGED("kilometer"), false},
	{" m ", UNCHANGED("meter"), false},
	{" dm ", UNCHANGED("decimeter"), false},
	{" cm ", UNCHANGED("centimeter"), false},
	{" mm ", UNCHANGED("millimeter"), false},
	{" µm μm ", UNCHANGED("micrometer"), false},
	{" nm ", UNCHANGED("nanometer"), false},
	{" km² km2 ", UNCHANGED("vierkante kilometer"), false},
	{" m² m2 ", UNCHANGED("vierkante meter"), false},
	{" cm² cm2 ", UNCHANGED("vierkante centimeter"), false},
	{" mm² mm2 ", UNCHANGED("vierkante millimeter"), false},
	{" m³ m3 ", UNCHANGED("kubieke meter"), false},
	{" cm³ cm3 ", UNCHANGED("kubieke centimeter"), false},
	{" ha ", UNCHANGED("hectare"), false},
	{" km/u km/h kmh ", UNCHANGED("kilometer per uur"), false},
	{" m/s ", UNCHANGED("meter per seconde"), false},
	{" m/s² m/s2 ", UNCHANGED("meter per seconde kwadraat"), false},
	{" mph ", UNCHANGED("mijl per uur"), false},
	{" ft ", UNCHANGED("voet"), false},
	{" kg ", UNCHANGED("kilogram"), false},
	{" g gr ", UNCHANGED("gram"), false},
	{" mg ", UNCHANGED("milligram"), false},
	{" µg μg mcg ", UNCHANGED("microgram"), false},
	{" l L ", UNCHANGED("liter"), false},
	{" dl dL ", UNCHANGED("deciliter"), false},
	{" cl cL ", UNCHANGED("centiliter"), false},
	{" ml mL ", UNCHANGED("milliliter"), false},
	{" min min. ", COUNTED("minuut", "minuten"), false},
	{" s sec sec. ", COUNTED("seconde", "seconden"), false},
	{" ms ", COUNTED("milliseconde", "milliseconden"), false},
	{" µs μs ", COUNTED("microseconde", "microseconden"), false},
	{" ns ", COUNTED("nanoseconde", "nanoseconden"), false},
	{" KB kB KiB ", UNCHANGED("kilobyte"), false},
	{" MB MiB ", UNCHANGED("megabyte"), false},
	{" GB GiB ", UNCHANGED("gigabyte"), false},
	{" TB TiB ", UNCHANGED("terabyte"), false},
	{" PB ", UNCHANGED("petabyte"), false},
	{" kbit kb ", UNCHANGED("kilobit"), false},
	{" Mbit Mb ", UNCHANGED("megabit"), false},
	{" Gbit Gb ", UNCHANGED("gigabit"), false},
	{" kbps kbit/s kb/s ", UNCHANGED("kilobit per seconde"), false},
	{" Mbps Mbit/s Mb/s ", UNCHANGED("megabit per seconde"), false},
	{" Gbps Gbit/s Gb/s ", UNCHANGED("gigabit per seconde"), false},
	{" KB/s kB/s ", UNCHANGED("kilobyte per seconde"), false},
	{" MB/s ", UNCHANGED("megabyte per seconde"), false},
	{" GB/s ", UNCHANGED("gigabyte per seconde"), false},
	{" Hz ", UNCHANGED("hertz"), false},
	{" kHz ", UNCHANGED("kilohertz"), false},
	{" MHz ", UNCHANGED("megahertz"), false},
	{" GHz ", UNCHANGED("gigahertz"), false},
	{" V ", UNCHANGED("volt"), false},
	{" kV ", UNCHANGED("kilovolt"), false},
	{" mA ", UNCHANGED("milliampère"), false},
	{" mAh ", UNCHANGED("milliampère-uur"), false},
	{" Ω ", UNCHANGED("ohm"), false},
	{" W ", UNCHANGED("watt"), false},
	{" kW ", UNCHANGED("kilowatt"), false},
	{" MW ", UNCHANGED("megawatt"), false},
	{" GW ", UNCHANGED("gigawatt"), false},
	{" Wh ", UNCHANGED("wattuur"), false},
	{" kWh ", UNCHANGED("kilowattuur"), false},
	{" MWh ", UNCHANGED("megawattuur"), false},
	{" GWh ", UNCHANGED("gigawattuur"), false},
	{" kJ ", UNCHANGED("kilojoule"), false},
	{" kcal ", COUNTED("kilocalorie", "kilocalorieën"), false},
	{" cal ", COUNTED("calorie", "calorieën"), false},
	{" Pa ", UNCHANGED("pascal"), false},
	{" hPa ", UNCHANGED("hectopascal"), false},
	{" kPa ", UNCHANGED("kilopascal"), false},
	{" dB dBA ", UNCHANGED("decibel"), false},
	{" lm ", UNCHANGED("lumen"), false},
	{" px ", UNCHANGED("pixel"), false},
	{" MP ", UNCHANGED("megapixel"), false},
	{" ppm ", UNCHANGED("delen per miljoen"), false},
	{" x ", UNCHANGED("keer"), true},
	{" el eetl. ", COUNTED("eetlepel", "eetlepels"), false},
	{" tl theel. ", COUNTED("theelepel", "theelepels"), false},
	{.written = " u ", .name = UNCHANGED("uur"), .beside = " min minuten sec "},
	{" pk ", UNCHANGED("paardenkracht"), false},
	{0},
};

static const struct currency language_nl_currencies[] = {
	{" ct ct. ", UNCHANGED("cent"), {0}},
	{" € EUR euro ", UNCHANGED("euro"), UNCHANGED("cent")},
	{" $ dollar ", UNCHANGED("dollar"), UNCHANGED("cent")},
	{" £ GBP ", UNCHANGED("pond"), UNCHANGED("penny")},
	{" US$ USD ", UNCHANGED("Amerikaanse dollar"), UNCHANGED("cent")},
	{" CA$ C$ CAD ", UNCHANGED("Canadese dollar"), UNCHANGED("cent")},
	{" A$ AU$ AUD ", UNCHANGED("Australische dollar"), UNCHANGED("cent")},
	{" NZ$ NZD ", UNCHANGED("Nieuw-Zeelandse dollar"), UNCHANGED("cent")},
	{" HK$ HKD ", UNCHANGED("Hongkongse dollar"), UNCHANGED("cent")},
	{" S$ SGD ", UNCHANGED("Singaporese dollar"), UNCHANGED("cent")},
	{" MX$ MXN ", UNCHANGED("Mexicaanse peso"), UNCHANGED("centavo")},
	{" R$ BRL ", UNCHANGED("real"), UNCHANGED("centavo")},
	{" CHF ", UNCHANGED("Zwitserse frank"), UNCHANGED("rappen")},
	{" ¥ JPY ", UNCHANGED("yen"), {0}},
	{" CNY RMB ", UNCHANGED("yuan"), {0}},
	{" ₹ INR ", UNCHANGED("roepie"), UNCHANGED("paisa")},
	{" ₩ KRW ", UNCHANGED("won"), {0}},
	{" ₽ RUB ", UNCHANGED("roebel"), UNCHANGED("kopeke")},
	{" ₺ TRY ", UNCHANGED("lira"), UNCHANGED("kurus")},
	{" ₴ UAH ", UNCHANGED("hryvnia"), UNCHANGED("kopijka")},
	{" ₪ ILS ", UNCHANGED("sjekel"), UNCHANGED("agora")},
	{" zł PLN ", UNCHANGED("zloty"), UNCHANGED("groszy")},
	{" Kč CZK ", UNCHANGED("Tsjechische kroon"), {0}},
	{" HUF ", UNCHANGED("forint"), {0}},
	{" SEK ", UNCHANGED("Zweedse kroon"), UNCHANGED("öre")},
	{" NOK ", UNCHANGED("Noorse kroon"), UNCHANGED("øre")},
	{" DKK ", UNCHANGED("Deense kroon"), UNCHANGED("øre")},
	{" ZAR ", UNCHANGED("rand"), UNCHANGED("cent")},
	{" ₿ BTC ", UNCHANGED("bitcoin"), {0}},
	{" ¢ ", UNCHANGED("cent"), {0}},
	{0},
};

static const struct magnitude language_nl_magnitudes[] = {
	{" duizend ", UNCHANGED("duizend"), NULL, NULL, false, 0},
	{" miljoen mln mln. M ", UNCHANGED("miljoen"), NULL, NULL, false, 0},
	{" miljard mld mld. ", UNCHANGED("miljard"), NULL, NULL, false, 0},
	{" biljoen ", UNCHANGED("biljoen"), NULL, NULL, false, 0},
	{" k K ", UNCHANGED("duizend"), NULL, NULL, true, 1000},
	{" m ", UNCHANGED("miljoen"), NULL, NULL, true, 0},
	{" B bn ", UNCHANGED("miljard"), NULL, NULL, true, 0},
	{0},
};

#define CODES \
	" code codes pincode pin toegangscode verificatiecode bevestigingscode activatiecode " \
	"klantnummer bestelnummer ordernummer factuurnummer polisnummer reserveringsnummer " \
	"dossiernummer referentienummer lidnummer kaartnummer rekeningnummer postcode bsn "

static const struct by_neighbours language_nl_counting_keys[] = {
	{CODES, NULL, 'D'},
	{" is luidt was ", NULL, 'D', CODES},
	{" op ", NULL, 'D', " eindigend eindigt "},
	{" bel belde bellen ", NULL, 'a'}, {0},
};

static const struct ordinal_mark language_nl_ordinal_marks[] = {{" e de ste ", 'o'}, {0}};

/* Days of a month are cardinal numbers. */
static const struct by_neighbours language_nl_ordinal_keys[] = {{NULL, NULL, 'c'}, {0}};

static const struct fraction language_nl_fractions[] = {
	{1, 2, "een half", "{w:h}half"},
	{24, 7, "vierentwintig zeven", NULL},
	{50, 50, "vijftig-vijftig", NULL},
	{0},
};

static const struct calendar_name language_nl_months[] = {
	{"januari", " jan "}, {"februari", " feb febr "},
	{"maart", " mrt "}, {"april", " apr "}, {"mei", " "}, {"juni", " jun "},
	{"juli", " jul "}, {"augustus", " aug "},
	{"september", " sep sept "}, {"oktober", " okt "},
	{"november", " nov "}, {"december", " dec "},
};
static const struct calendar_name language_nl_weekdays[] = {
	{"maandag", " ma "}, {"dinsdag", " di "}, {"woensdag", " wo woe "},
	{"donderdag", " do "}, {"vrijdag", " vr vrij "},
	{"zaterdag", " za zat "}, {"zondag", " zo "},
};

static const struct by_neighbours language_nl_romans[] = {
	{" hoofdstuk deel boek band artikel bijlage fase type klasse wereldoorlog wo akte "
	 "bedrijf scène "
	 "paragraaf tabel figuur niveau groep titel afdeling ", NULL, 'c'},
	{NULL, " eeuw eeuws eeuwse ", 'o'},
	{0},
};

static const struct abbreviation language_nl_abbreviations[] = {
	{"dhr.", "de heer", 0}, {"dhr", "de heer", WHEN_BEFORE_CAPITAL}, {"mevr.", "mevrouw", 0},
	{"mw.", "mevrouw", 0}, {"mej.", "mejuffrouw", 0}, {"fam.", "familie", 0},
	{"dr.", "doctor", 0}, {"drs.", "doctorandus", 0}, {"prof.", "professor", 0},
	{"ir.", "ingenieur", 0}, {"ing.", "ingenieur", 0}, {"mr.", "meester", 0},
	{"ds.", "dominee", 0}, {"jr.", "junior", 0}, {"sr.", "senior", 0},
	{"St.", "Sint", WHEN_BEFORE_CAPITAL}, {"burg.", "burgemeester", WHEN_BEFORE_CAPITAL},
	{"bijv.", "bijvoorbeeld", 0}, {"bv.", "bijvoorbeeld", 0},
	{"b.v.", "bijvoorbeeld", WHEN_BEFORE_LOWER}, {"b.v.", "bijvoorbeeld", WHEN_BEFORE_NUMBER}, {"B.V.", "B V", 0}, {"N.V.", "N V", 0},
	{"enz.", "enzovoort", 0}, {"etc.", "et cetera", 0}, {"e.d.", "en dergelijke", 0},
	{"e.a.", "en andere", 0}, {"d.w.z.", "dat wil zeggen", 0}, {"o.a.", "onder andere", 0},
	{"o.m.", "onder meer", 0}, {"i.p.v.", "in plaats van", 0},
	{"m.b.t.", "met betrekking tot", 0}, {"m.b.v.", "met behulp van", 0},
	{"m.a.w.", "met andere woorden", 0}, {"m.i.v.", "met ingang van", 0},
	{"m.i.", "mijns inziens", 0}, {"m.n.", "met name", 0},
	{"m.u.v.", "met uitzondering van", 0}, {"i.v.m.", "in verband met", 0},
	{"i.t.t.", "in tegenstelling tot", 0}, {"i.h.b.", "in het bijzonder", 0},
	{"i.h.a.", "in het algemeen", 0}, {"n.a.v.", "naar aanleiding van", 0},
	{"d.m.v.", "door middel van", 0}, {"t.a.v.", "ter attentie van", 0},
	{"t.o.v.", "ten opzichte van", 0}, {"t.b.v.", "ten behoeve van", 0},
	{"t.g.v.", "ter gelegenheid van", 0}, {"t.w.v.", "ter waarde van", 0},
	{"o.l.v.", "onder leiding van", 0}, {"o.b.v.", "op basis van", 0},
	{"a.d.h.v.", "aan de hand van", 0}, {"a.u.b.", "alstublieft", 0},
	{"s.v.p.", "alstublieft", 0}, {"z.s.m.", "zo snel mogelijk", 0},
	{"z.o.z.", "zie ommezijde", 0}, {"z.g.a.n.", "zo goed als nieuw", 0},
	{"a.s.", "aanstaande", 0}, {"jl.", "jongstleden", 0},
	{"p.p.p.d.", "per persoon per dag", 0}, {"p.p.", "per persoon", 0},
	{"p.m.", "per maand", WHEN_AFTER_NUMBER}, {"p/m", "per maand", 0},
	{"p/j", "per jaar", 0}, {"p/u", "per uur", 0}, {"p.j.", "per jaar", 0},
	{"p.u.", "per uur", WHEN_AFTER_NUMBER}, {"mnd.", "maand", 0}, {"mnd", "maand", 0}, {"nl.", "namelijk", 0}, {"ca.", "circa", 0},
	{"ong.", "ongeveer", 0}, {"incl.", "inclusief", 0}, {"excl.", "exclusief", 0},
	{"evt.", "eventueel", 0}, {"resp.", "respectievelijk", 0}, {"vgl.", "vergelijk", 0},
	{"zgn.", "zogenaamd", 0}, {"zog.", "zogenaamd", 0},
	{"gem.", "gemiddeld", WHEN_BEFORE_NUMBER}, {"max.", "maximaal", WHEN_BEFORE_NUMBER},
	{"min.", "minimaal", WHEN_BEFORE_NUMBER}, {"vs.", "versus", 0}, {"vs", "versus", 0},
	{"afd.", "afdeling", 0}, {"nr.", "nummer", 0}, {"nrs.", "nummers", 0},
	{"blz.", "bladzijde", 0}, {"p.", "pagina", WHEN_BEFORE_NUMBER}, {"pag.", "pagina", 0},
	{"hfst.", "hoofdstuk", 0}, {"afb.", "afbeelding", 0},
	{"fig.", "figuur", WHEN_BEFORE_NUMBER}, {"art.", "artikel", WHEN_BEFORE_NUMBER},
	{"par.", "paragraaf", WHEN_BEFORE_NUMBER}, {"dl.", "deel", WHEN_BEFORE_NUMBER},
	{"tel.", "telefoon", 0}, {"tel", "telefoon", WHEN_BEFORE_NUMBER},
	{"v.Chr.", "voor Christus", 0}, {"n.Chr.", "na Christus", 0}, {"t/m", "tot en met", 0},
	{"m/v", "man vrouw", 0}, {"str.", "straat", WHEN_SUFFIX}, {"ln.", "laan", WHEN_SUFFIX},
	{"n.v.t.", "niet van toepassing", 0}, {"t.n.v.", "ten name van", 0},
	{"i.s.m.", "in samenwerking met", 0}, {"i.o.m.", "in overleg met", 0},
	{"v.l.n.r.", "van links naar rechts", 0}, {"k.k.", "kosten koper", 0},
	{"Zn.", "Zoon", 0}, {"PvdA", "P V D A", 0}, {"WOII", "Wereldoorlog twee", 0},
	{"WO II", "Wereldoorlog twee", 0}, {"WOI", "Wereldoorlog één", 0},
	{"WO I", "Wereldoorlog één", 0}, {"nr.", "nummer", WHEN_SUFFIX}, {"t.z.t.", "te zijner tijd", 0},
	{"o.i.d.", "of iets dergelijks", 0}, {"i.o.v.", "in opdracht van", 0},
	{"w.o.", "waaronder", 0}, {"v.a.", "vanaf", 0}, {"C++", "C plus plus", 0},
	{"C#", "C sharp", 0}, {"ma t/m vr", "maandag tot en met vrijdag", 0},
	{"ma t/m do", "maandag tot en met donderdag", 0},
	{"ma t/m za", "maandag tot en met zaterdag", 0},
	{"ma t/m zo", "maandag tot en met zondag", 0},
	{"di t/m za", "dinsdag tot en met zaterdag", 0},
	{"1,5 uur", "anderhalf uur", 0}, {"1,5 jaar", "anderhalf jaar", 0},
	{"1,5 dag", "anderhalve dag", 0}, {"1,5 week", "anderhalve week", 0},
	{"1,5 maand", "anderhalve maand", 0}, {"1,5 minuut", "anderhalve minuut", 0},
	{"1,5 eeuw", "anderhalve eeuw", 0},
	{"x", "bij", WHEN_AFTER_NUMBER | WHEN_BEFORE_NUMBER},
	{"x", "keer", WHEN_AFTER_NUMBER}, {"π", "pi", 0},
	{0},
};

/* Words before the keys of a telephone. */
#define KEY_WORDS " toets druk kies of en op met een het "

static const struct sign language_nl_signs[] = {
	{"*", "sterretje", 0, KEY_WORDS},
	{"&", "en", 0}, {"@", "at", 0}, {"+", "plus", 0},
	{"=", "is", 0}, {"-", "min", WHEN_AFTER_NUMBER | WHEN_BEFORE_NUMBER},
	{"−", "min", WHEN_BEFORE_NUMBER},
	{":", "gedeeld door", WHEN_AFTER_NUMBER | WHEN_BEFORE_NUMBER},
	{"×", "bij", WHEN_TIGHT}, {"×", "keer", WHEN_AFTER_NUMBER | WHEN_BEFORE_NUMBER},
	{"*", "keer", WHEN_AFTER_NUMBER | WHEN_BEFORE_NUMBER},
	{"÷", "gedeeld door", 0},
	{"/", "gedeeld door", WHEN_AFTER_NUMBER | WHEN_BEFORE_NUMBER},
	{"±", "plusminus", 0}, {"~", "ongeveer", WHEN_BEFORE_NUMBER},
	{"≈", "ongeveer", 0}, {"≠", "is niet gelijk aan", 0},
	{"<", "kleiner dan", WHEN_BEFORE_NUMBER}, {">", "groter dan", WHEN_BEFORE_NUMBER},
	{"≤", "kleiner dan of gelijk aan", 0}, {"≥", "groter dan of gelijk aan", 0},
	{"§", "paragraaf", 0}, {"#", "nummer", WHEN_BEFORE_NUMBER},
	{"#", "hekje", 0, KEY_WORDS},
	{"©", "copyright", 0}, {"™", "", 0}, {"®", "", 0}, {"√", "wortel", 0},
	{"∞", "oneindig", 0}, {"²", "kwadraat", 0}, {"³", "tot de derde", 0},
	{"^", "tot de macht", WHEN_BEFORE_NUMBER}, {"%", "procent", 0},
	{"→", "naar", WHEN_AFTER_NUMBER | WHEN_BEFORE_NUMBER},
	{0},
};

static const struct sign language_nl_spelled_signs[] = {
	{"!", "uitroepteken", 0}, {"\"", "aanhalingsteken", 0}, {"#", "hekje", 0},
	{"$", "dollar", 0}, {"%", "procent", 0}, {"&", "en", 0}, {"'", "apostrof", 0},
	{"(", "haakje openen", 0}, {")", "haakje sluiten", 0}, {"*", "sterretje", 0},
	{"+", "plus", 0}, {",", "komma", 0}, {"-", "streepje", 0}, {".", "punt", 0},
	{"/", "slash", 0}, {":", "dubbele punt", 0}, {";", "puntkomma", 0},
	{"<", "kleiner dan", 0}, {"=", "is", 0}, {">", "groter dan", 0},
	{"?", "vraagteken", 0}, {"@", "apenstaartje", 0}, {"[", "blokhaak openen", 0},
	{"\\", "backslash", 0}, {"]", "blokhaak sluiten", 0}, {"^", "dakje", 0},
	{"_", "underscore", 0}, {"`", "accent grave", 0}, {"{", "accolade openen", 0},
	{"|", "sluisteken", 0}, {"}", "accolade sluiten", 0}, {"~", "tilde", 0},
	{0},
};

static const struct reading_rules language_nl_reading = {
	.numbers = language_nl_numbers,
	.decimal = ',',
	.thousands = ". '",
	.decimal_word = "komma",
	.other_decimal_word = "punt",
	.decimals_as_number = 2,
	.minus = "min",
	.plus = "plus",
	.exponent = "maal tien tot de macht",
	.plural = PLURAL_TWO,
	.units = language_nl_units,
	.per = "per {u}",
	.currencies = language_nl_currencies,
	.money_cents = "{n} {unit} {c}",
	.money_only_cents = "{c} {cent}",
	.magnitudes = language_nl_magnitudes,
	.cardinals = language_nl_counting_keys,
	.no_noun = " om is was en of in op bij van tot voor na naar als dan door met te aan er het de "
		   "een we wij ik u hij zij ze je kan kunt moet wordt werd ",
	.ordinal_marks = language_nl_ordinal_marks,
	.ordinals = language_nl_ordinal_keys,
	.fractions = language_nl_fractions,
	.fraction = "{n:e} {d}",
	.fraction_mixed = "{w:c} en {n:e} {d}",
	.fraction_max = 20, /* "28/30" is a grade */
	.over = "op",
	.date_order = DATE_DAY_FIRST,
	.date_marks = "-/.",
	.months = language_nl_months,
	.weekdays = language_nl_weekdays,
	.date = "{day:c} {month} {year:c}",
	.date_without_year = "{day:c} {month}",
	.dashed_date_before = " op ",
	.date_dmy = "{day:c} {month} {year:c}",
	.date_mdy = "{month} {day:c} {year:c}",
	.date_dm = "{day:c} {month}",
	.date_md = "{month} {day:c}",
	.date_my = "{month} {year:c}",
	.year_least = 1000,
	.year_most = 2099,
	.time_marks = ":.uh",
	.time_before = " om van tot vanaf rond tussen ",
	.time_words = " uur u u. h ",
	.time_hm = "{h:c} uur {m:c}",
	.time_hm_small = "{h:c} uur {m:c}",
	.time_h = "{h:c} uur",
	.time_hms = "{h:c} uur {m:c} en {s:c} seconden",
	.to = "tot",
	.score = "op",
	.law_words = " art artikel artikelen ",
	.score_dash = "",
	.postcode = {.digits = 4, .letters = true},
	.phone_shapes = " 28 37 22222 3322 46 4222 433 4444 ",
	.roman_name = "de {n:o}",
	.names = " hendrik karel george lodewijk eduard jacobus willem johannes paulus pius "
		 "benedictus franciscus gregorius leo clemens innocentius urbanus alexander "
		 "nicolaas filips peter frederik elizabeth maria catharina napoleon ferdinand "
		 "christiaan gustaaf olaf harald leopold albert boudewijn richard robert "
		 "constantijn otto rudolf maximiliaan jozef frans wilhelm ivan alfonso felipe "
		 "pedro ramses darius xerxes cyrus filip charles floris jan ",
	.romans = language_nl_romans,
	.roman_marks = language_nl_ordinal_marks,
	.joined_suffixes = " jarige jarigen jarig tal tallen voudig voudige voud daagse daags "
			   "urige delige delig koppige koppig persoonskamer kamerwoning "
			   "kamerappartement gangenmenu plusser plussers "
			   "wekelijks maal ",
	.abbreviations = language_nl_abbreviations,
	.spelled = " USA USB API ISBN KNMI ANWB RIVM UEFA AOW UWV ",
	.said = " OK NAVO NASA AL ALS DAN DAT DE DIE DIT DUS EEN EN ER GA GAAN GEEN HET HIER HIJ "
		"IK IN IS JA JE KAN KOM MAG MET NEE NIET NOG NU OF OM ONS OOK OP STOP TE TOT UIT "
		"VAN VOOR WAS WAT WE WEG WEL WIE WIJ ZE ZIJ ZO IBAN RAM ROM PIN SIM GIF LAN HAVO "
		"VUT VIP SOA LOL DOS UNESCO UNICEF IKEA HEMA ",
	.signs = language_nl_signs,
	.spelled_signs = language_nl_spelled_signs,
	.space = "spatie",
	.version = "versie",
	.hashtag = "hashtag",
	.domains = " nl be eu uk us io ai tv de fr ch at it es pl ",
	.extensions = " pdf csv tsv html htm css xml txt png jpg svg php sql md gz avi mpg rtf "
		      "ico js ts cpp ppt pptx xls xlsx doc docx wav ogg ",
};
#undef COUNTED
#undef UNCHANGED

const struct language language_nl = {
	.code = "nl",
	.never = " dhr mevr mw dr drs prof ir ing mr bijv o.a d.w.z m.a.w a.u.b t.a.v t.o.v "
		 "i.p.v i.v.m m.b.t resp evt incl excl vgl zgn st vs n.a.v d.m.v ",
	.starter = " n.v b.v v.chr n.chr jr sr nr nrs blz p afb tel hfst jan feb mrt apr aug sep "
		   "sept okt nov dec ca ",
	.capital = " etc enz e.d mln mld ",
	.word = " art par max min ",
	.starters = " de het een ik jij je hij zij ze wij we jullie u dit dat deze die er en maar "
		    "of want dus als toen wanneer waar wat wie hoe waarom in op aan bij met naar "
		    "van voor uit over onder tussen na door zonder tot sinds daarna dan nu vandaag "
		    "gisteren morgen hier daar ook niet geen mijn zijn haar ons hun alle alles "
		    "veel ja nee bedankt vervolgens daarom toch misschien is was kan ",
	.reading = &language_nl_reading,
};
/* clang-format on */
