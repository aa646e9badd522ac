/*
 * language_it.c: Italian (see language.h, reading.h).
 */
#include "text/language.h"

/* Tables and lists are wrapped by hand. */
/* clang-format off */

/* Numbers inside others, without the accent of "ventitré". Tens lose their vowel before "uno"
 * and "otto", "cento" before "otto" and "ottanta". */
static const struct number_rule language_it_inner[] = {
	{0, 0, "zero"}, {1, 0, "uno"}, {2, 0, "due"}, {3, 0, "tre"}, {4, 0, "quattro"},
	{5, 0, "cinque"}, {6, 0, "sei"}, {7, 0, "sette"}, {8, 0, "otto"}, {9, 0, "nove"},
	{10, 0, "dieci"}, {11, 0, "undici"}, {12, 0, "dodici"}, {13, 0, "tredici"},
	{14, 0, "quattordici"}, {15, 0, "quindici"}, {16, 0, "sedici"}, {17, 0, "diciassette"},
	{18, 0, "diciotto"}, {19, 0, "diciannove"},
	{20, 0, "vent>i>"}, {30, 0, "trent>a>"}, {40, 0, "quarant>a>"}, {50, 0, "cinquant>a>"},
	{60, 0, "sessant>a>"}, {70, 0, "settant>a>"}, {80, 0, "ottant>a>"}, {90, 0, "novant>a>"},
	{100, 0, "cent>B>"}, {200, 0, "<<cent>B>"},
	{NUMBER_RULES_END, 0, NULL},
};

static const struct number_rule language_it_after_vent[] = {
	{0, 0, "i"}, {1, 0, "uno"}, {2, 0, "i=b="}, {8, 0, "otto"}, {9, 0, "inove"},
	{NUMBER_RULES_END, 0, NULL},
};

static const struct number_rule language_it_after_ten[] = {
	{0, 0, "a"}, {1, 0, "uno"}, {2, 0, "a=b="}, {8, 0, "otto"}, {9, 0, "anove"},
	{NUMBER_RULES_END, 0, NULL},
};

static const struct number_rule language_it_after_cent_inner[] = {
	{0, 0, "o"}, {1, 0, "o=b="}, {8, 0, "otto"}, {9, 0, "o=b="}, {80, 0, "=b="},
	{90, 0, "o=b="},
	{NUMBER_RULES_END, 0, NULL},
};

static const struct number_rule language_it_after_cent[] = {
	{0, 0, "o"}, {1, 0, "o=t="}, {8, 0, "otto"}, {9, 0, "o=t="}, {80, 0, "=c="},
	{90, 0, "o=c="},
	{NUMBER_RULES_END, 0, NULL},
};

/* At the end of a longer number: "centotré", "milletré". */
static const struct number_rule language_it_ending[] = {
	{0, 0, "=c="}, {3, 0, "tré"}, {4, 0, "=c="},
	{NUMBER_RULES_END, 0, NULL},
};

static const struct number_rule language_it_counting[] = {
	{0, 0, "=b="}, {23, 0, "ventitré"}, {24, 0, "=b="}, {33, 0, "trentatré"}, {34, 0, "=b="},
	{43, 0, "quarantatré"}, {44, 0, "=b="}, {53, 0, "cinquantatré"}, {54, 0, "=b="},
	{63, 0, "sessantatré"}, {64, 0, "=b="}, {73, 0, "settantatré"}, {74, 0, "=b="},
	{83, 0, "ottantatré"}, {84, 0, "=b="}, {93, 0, "novantatré"}, {94, 0, "=b="},
	{100, 0, "cent>H>"}, {200, 0, "<b<cent>H>"},
	{1000, 0, "mille[>t>]"}, {2000, 0, "<b<mila[>t>]"},
	{1000000, 0, "un milione[ >>]"}, {2000000, 0, "<< milioni[ >>]"},
	{1000000000, 0, "un miliardo[ >>]"}, {2000000000, 0, "<< miliardi[ >>]"},
	{1000000000000, 0, "un bilione[ >>]"}, {2000000000000, 0, "<< bilioni[ >>]"},
	{1000000000000000, 0, "un biliardo[ >>]"}, {2000000000000000, 0, "<< biliardi[ >>]"},
	{NUMBER_RULES_END, 0, NULL},
};

static const struct number_rule language_it_masculine[] = {
	{0, 0, "=c="}, {1, 0, "un"}, {2, 0, "=c="},
	{NUMBER_RULES_END, 0, NULL},
};

static const struct number_rule language_it_feminine[] = {
	{0, 0, "=c="}, {1, 0, "una"}, {2, 0, "=c="},
	{NUMBER_RULES_END, 0, NULL},
};

/* Before "s" and another consonant, "z" and the like: "uno studente". */
static const struct number_rule language_it_masculine_full[] = {
	{0, 0, "=c="},
	{NUMBER_RULES_END, 0, NULL},
};

/* Hours: "all'una". */
static const struct number_rule language_it_hour[] = {
	{0, 0, "=c="}, {1, 0, "una"}, {2, 0, "=c="},
	{NUMBER_RULES_END, 0, NULL},
};

/* Before a vowel: "un'ora". */
static const struct number_rule language_it_feminine_elided[] = {
	{0, 0, "=c="}, {1, 0, "un'"}, {2, 0, "=c="},
	{NUMBER_RULES_END, 0, NULL},
};

/* Ordinals without their last letter, which is o, a or i. */
static const struct number_rule language_it_ordinal_stem[] = {
	{0, 0, "zeresim"}, {1, 0, "prim"}, {2, 0, "second"}, {3, 0, "terz"}, {4, 0, "quart"},
	{5, 0, "quint"}, {6, 0, "sest"}, {7, 0, "settim"}, {8, 0, "ottav"}, {9, 0, "non"},
	{10, 0, "decim"}, {11, 0, "undicesim"}, {12, 0, "dodicesim"}, {13, 0, "tredicesim"},
	{14, 0, "quattordicesim"}, {15, 0, "quindicesim"}, {16, 0, "sedicesim"},
	{17, 0, "diciassettesim"}, {18, 0, "diciottesim"}, {19, 0, "diciannovesim"},
	{20, 0, "vent>I>"}, {30, 0, "trent>A>"}, {40, 0, "quarant>A>"}, {50, 0, "cinquant>A>"},
	{60, 0, "sessant>A>"}, {70, 0, "settant>A>"}, {80, 0, "ottant>A>"}, {90, 0, "novant>A>"},
	{100, 0, "cent>C>"}, {200, 0, "<b<cent>C>"},
	{1000, 0, "mill>M>"}, {2000, 0, "<b<mil>N>"},
	{1000000, 0, "milion>M>"}, {2000000, 0, "<b<milion>M>"},
	{1000000000, 0, "miliard>C>"}, {2000000000, 0, "<c<miliard>C>"},
	{NUMBER_RULES_END, 0, NULL},
};

/* The same as the last part of a longer one: "ventitreesim". */
static const struct number_rule language_it_ordinal_ending[] = {
	{0, 0, "esim"}, {1, 0, "unesim"}, {2, 0, "duesim"}, {3, 0, "treesim"},
	{4, 0, "quattresim"}, {5, 0, "cinquesim"}, {6, 0, "seiesim"}, {7, 0, "settesim"},
	{8, 0, "ottesim"}, {9, 0, "novesim"}, {10, 0, "=S="},
	{NUMBER_RULES_END, 0, NULL},
};

static const struct number_rule language_it_ordinal_after_vent[] = {
	{0, 0, "=U="}, {2, 0, "i=U="}, {8, 0, "=U="}, {9, 0, "i=U="},
	{NUMBER_RULES_END, 0, NULL},
};

static const struct number_rule language_it_ordinal_after_ten[] = {
	{0, 0, "=U="}, {2, 0, "a=U="}, {8, 0, "=U="}, {9, 0, "a=U="},
	{NUMBER_RULES_END, 0, NULL},
};

static const struct number_rule language_it_ordinal_after_cent[] = {
	{0, 0, "=U="}, {1, 0, "o=U="}, {8, 0, "=U="}, {9, 0, "o=U="}, {80, 0, "=U="},
	{90, 0, "o=U="},
	{NUMBER_RULES_END, 0, NULL},
};

static const struct number_rule language_it_ordinal_after_mille[] = {
	{0, 0, "=U="}, {1, 0, "e=U="},
	{NUMBER_RULES_END, 0, NULL},
};

/* "duemillesimo", "duemilaunesimo" */
static const struct number_rule language_it_ordinal_after_mila[] = {
	{0, 0, "l=U="}, {1, 0, "a=U="},
	{NUMBER_RULES_END, 0, NULL},
};

static const struct number_rule language_it_ordinal[] = {
	{0, 0, "=S=o"},
	{NUMBER_RULES_END, 0, NULL},
};

static const struct number_rule language_it_ordinal_feminine[] = {
	{0, 0, "=S=a"},
	{NUMBER_RULES_END, 0, NULL},
};

static const struct number_rule language_it_part[] = {
	{0, 0, "=S=o"}, {2, 0, "mezzo"}, {3, 0, "=S=o"},
	{NUMBER_RULES_END, 0, NULL},
};

static const struct number_rule language_it_parts[] = {
	{0, 0, "=S=i"}, {2, 0, "mezzi"}, {3, 0, "=S=i"},
	{NUMBER_RULES_END, 0, NULL},
};

/* Days of a month. */
static const struct number_rule language_it_first_only[] = {
	{0, 0, "=c="}, {1, 0, "primo"}, {2, 0, "=c="},
	{NUMBER_RULES_END, 0, NULL},
};

static const struct number_set language_it_numbers[] = {
	{'c', language_it_counting}, {'m', language_it_masculine}, {'s', language_it_masculine_full}, {'h', language_it_hour}, {'f', language_it_feminine},
	{'e', language_it_feminine_elided},
	{'o', language_it_ordinal}, {'p', language_it_ordinal_feminine}, {'q', language_it_part}, {'Q', language_it_parts}, {'d', language_it_first_only},
	{'b', language_it_inner}, {'i', language_it_after_vent}, {'a', language_it_after_ten}, {'B', language_it_after_cent_inner},
	{'H', language_it_after_cent}, {'t', language_it_ending}, {'S', language_it_ordinal_stem}, {'U', language_it_ordinal_ending},
	{'I', language_it_ordinal_after_vent}, {'A', language_it_ordinal_after_ten}, {'C', language_it_ordinal_after_cent},
	{'M', language_it_ordinal_after_mille}, {'N', language_it_ordinal_after_mila},
	{0},
};

/* Counted nouns by their gender. */
#define IL(single, several) {.one = (single), .many = (several), .key = 'm'}
#define LA(single, several) {.one = (single), .many = (several), .key = 'f'}
#define IL_UNIT(spellings, ...) {.written = (spellings), .name = IL(__VA_ARGS__)}
#define LA_UNIT(spellings, ...) {.written = (spellings), .name = LA(__VA_ARGS__)}

/* Plain words are listed for their gender, and for use after a '/'. */
static const struct measure_unit language_it_units[] = {
	IL_UNIT(" km ", "chilometro", "chilometri"),
	IL_UNIT(" m ", "metro", "metri"),
	IL_UNIT(" dm ", "decimetro", "decimetri"),
	IL_UNIT(" cm ", "centimetro", "centimetri"),
	IL_UNIT(" mm ", "millimetro", "millimetri"),
	IL_UNIT(" µm μm ", "micrometro", "micrometri"),
	IL_UNIT(" nm ", "nanometro", "nanometri"),
	IL_UNIT(" m² m2 mq ", "metro quadrato", "metri quadrati"),
	IL_UNIT(" km² km2 kmq ", "chilometro quadrato", "chilometri quadrati"),
	IL_UNIT(" cm² cm2 ", "centimetro quadrato", "centimetri quadrati"),
	IL_UNIT(" m³ m3 mc ", "metro cubo", "metri cubi"),
	IL_UNIT(" cm³ cm3 ", "centimetro cubo", "centimetri cubi"),
	{.written = " ha ", .name = IL("ettaro", "ettari"), .last = true},
	IL_UNIT(" kg ", "chilogrammo", "chilogrammi"),
	IL_UNIT(" hg ", "ettogrammo", "ettogrammi"),
	IL_UNIT(" g gr ", "grammo", "grammi"),
	IL_UNIT(" mg ", "milligrammo", "milligrammi"),
	IL_UNIT(" µg μg ", "microgrammo", "microgrammi"),
	IL_UNIT(" q ", "quintale", "quintali"),
	LA_UNIT(" t ", "tonnellata", "tonnellate"),
	IL_UNIT(" l L lt ", "litro", "litri"),
	IL_UNIT(" l/100_km ", "litro per cento chilometri", "litri per cento chilometri"),
	IL_UNIT(" hl hL ", "ettolitro", "ettolitri"),
	IL_UNIT(" dl dL ", "decilitro", "decilitri"),
	IL_UNIT(" cl cL ", "centilitro", "centilitri"),
	IL_UNIT(" ml mL ", "millilitro", "millilitri"),
	IL_UNIT(" ° ", "grado", "gradi"),
	IL_UNIT(" °C ºC ℃ ", "grado Celsius", "gradi Celsius"),
	IL_UNIT(" °F ºF ℉ ", "grado Fahrenheit", "gradi Fahrenheit"),
	{.written = " % ", .name = {.one = "per cento"}},
	{.written = " ‰ ", .name = {.one = "per mille"}},
	IL_UNIT(" kB KB ", "kilobyte", "kilobyte"),
	IL_UNIT(" MB ", "megabyte", "megabyte"),
	IL_UNIT(" GB ", "gigabyte", "gigabyte"),
	IL_UNIT(" TB ", "terabyte", "terabyte"),
	IL_UNIT(" PB ", "petabyte", "petabyte"),
	IL_UNIT(" kbit kb ", "kilobit", "kilobit"),
	IL_UNIT(" Mbit Mb ", "megabit", "megabit"),
	IL_UNIT(" Gbit Gb ", "gigabit", "gigabit"),
	IL_UNIT(" kbps ", "kilobit al secondo", "kilobit al secondo"),
	IL_UNIT(" Mbps ", "megabit al secondo", "megabit al secondo"),
	IL_UNIT(" Gbps ", "gigabit al secondo", "gigabit al secondo"),
	IL_UNIT(" W ", "watt", "watt"),
	IL_UNIT(" kW ", "chilowatt", "chilowatt"),
	IL_UNIT(" MW ", "megawatt", "megawatt"),
	IL_UNIT(" GW ", "gigawatt", "gigawatt"),
	IL_UNIT(" Wh ", "wattora", "wattora"),
	IL_UNIT(" kWh ", "chilowattora", "chilowattora"),
	IL_UNIT(" MWh ", "megawattora", "megawattora"),
	IL_UNIT(" TWh ", "terawattora", "terawattora"),
	IL_UNIT(" V ", "volt", "volt"),
	IL_UNIT(" kV ", "chilovolt", "chilovolt"),
	IL_UNIT(" mA ", "milliampere", "milliampere"),
	IL_UNIT(" mAh ", "milliamperora", "milliamperora"),
	IL_UNIT(" Hz ", "hertz", "hertz"),
	IL_UNIT(" kHz ", "chilohertz", "chilohertz"),
	IL_UNIT(" MHz ", "megahertz", "megahertz"),
	IL_UNIT(" GHz ", "gigahertz", "gigahertz"),
	IL_UNIT(" Pa ", "pascal", "pascal"),
	IL_UNIT(" hPa ", "ettopascal", "ettopascal"),
	IL_UNIT(" kPa ", "chilopascal", "chilopascal"),
	IL_UNIT(" dB ", "decibel", "decibel"),
	IL_UNIT(" kJ ", "chilojoule", "chilojoule"),
	LA_UNIT(" cal ", "caloria", "calorie"),
	LA_UNIT(" kcal ", "chilocaloria", "chilocalorie"),
	{.written = " h ora ore ", .name = {.one = "ora", .many = "ore", .key = 'e'},
	 .per = "all'ora"},
	IL_UNIT(" min minuto minuti ", "minuto", "minuti"),
	IL_UNIT(" s sec sec. secondo secondi ", "secondo", "secondi"),
	IL_UNIT(" s² s2 ", "secondo quadrato", "secondi quadrati"),
	IL_UNIT(" ms ", "millisecondo", "millisecondi"),
	IL_UNIT(" µs μs ", "microsecondo", "microsecondi"),
	IL_UNIT(" ns ", "nanosecondo", "nanosecondi"),
	IL_UNIT(" gg gg. giorno giorni ", "giorno", "giorni"),
	IL_UNIT(" mese mesi ", "mese", "mesi"),
	{.written = " anno anni ", .name = IL("anno", "anni"), .per = "all'anno"},
	{.written = " settimana settimane ", .name = LA("settimana", "settimane"),
	 .per = "a settimana"},
	{.written = " notte notti ", .name = LA("notte", "notti"), .per = "a notte"},
	{.written = " persona persone ", .name = LA("persona", "persone"), .per = "a persona"},
	IL_UNIT(" ab ab. ", "abitante", "abitanti"),
	IL_UNIT(" giri ", "giro", "giri"),
	IL_UNIT(" CV ", "cavallo", "cavalli"),
	IL_UNIT(" px ", "pixel", "pixel"),
	LA_UNIT(" ppm ", "parte per milione", "parti per milione"),
	{0},
};

static const struct currency language_it_currencies[] = {
	{" € EUR Euro ", IL("euro", "euro"), IL("centesimo", "centesimi")},
	{" $ USD US$ ", IL("dollaro", "dollari"), IL("centesimo", "centesimi")},
	{" £ GBP ", LA("sterlina", "sterline"), IL("penny", "pence")},
	{" ¥ JPY ", IL("yen", "yen"), {0}},
	{" CHF ", IL("franco svizzero", "franchi svizzeri"), IL("centesimo", "centesimi")},
	{" CAD CA$ C$ ", IL("dollaro canadese", "dollari canadesi"), IL("centesimo", "centesimi")},
	{" AUD A$ ", IL("dollaro australiano", "dollari australiani"),
	 IL("centesimo", "centesimi")},
	{" zł PLN ", IL("zloty", "zloty"), IL("grosz", "grosz")},
	{" R$ BRL ", IL("real", "reais"), IL("centavo", "centavos")},
	{" CNY ", IL("yuan", "yuan"), {0}},
	{" SEK ", LA("corona svedese", "corone svedesi"), {0}},
	{" NOK ", LA("corona norvegese", "corone norvegesi"), {0}},
	{" DKK ", LA("corona danese", "corone danesi"), {0}},
	{" CZK ", LA("corona ceca", "corone ceche"), {0}},
	{" ₹ INR ", LA("rupia", "rupie"), {0}},
	{" ₽ RUB ", IL("rublo", "rubli"), {0}},
	{" ₺ TRY ", LA("lira turca", "lire turche"), {0}},
	{" ₿ BTC ", IL("bitcoin", "bitcoin"), {0}},
	{0},
};

static const struct magnitude language_it_magnitudes[] = {
	{.written = " k K ", .name = {.one = "mila"}, .times = 1000, .money_only = true},
	{.written = " mila ", .name = {.one = "mila"}, .times = 1000},
	{.written = " M ", .name = IL("milione", "milioni"),
	 .of = "di ", .money_only = true},
	{.written = " B ", .name = IL("miliardo", "miliardi"),
	 .of = "di ", .money_only = true},
	{.written = " mln mln. milione milioni ", .name = IL("milione", "milioni"),
	 .of = "di "},
	{.written = " mld mld. miliardo miliardi ", .name = IL("miliardo", "miliardi"),
	 .of = "di "},
	{0},
};

#define MASCULINE_A \
	" problema problemi programma sistema tema schema clima diploma panorama poeta turista " \
	"artista pilota collega atleta giornalista autista dentista cinema campione milione "
#define VOWELS " a e i o u à è é ì ò ù "

/* "un'amica", "una mela", "uno studente", "un giorno" */
static const struct by_ending language_it_agreement[] = {
	{" a ione tà ", MASCULINE_A, 'e', .begins = VOWELS},
	{" a ione tà ", MASCULINE_A, 'f',
	 .words = " mano notte parte classe chiave voce croce luce nave rete torre carne moglie "
		  "madre canzone lezione foto moto auto radio città serie specie mail chat app "
		  "password email "},
	{"*", " sms spa sos ", 's',
	 .begins = " sb sc sd sf sg sk sl sm sn sp sq sr st sv z x y gn ps pn "},
	{"*", NULL, 'm'},
	{0},
};

static const struct ordinal_mark language_it_ordinal_marks[] = {
	{" ° ", 'o', .degrees_after = " di a tra fra circa quasi oltre fino sotto sopra "},
	{" º esimo ", 'o'}, {" ª esima ", 'p'},
	{0},
};

static const struct fraction language_it_fractions[] = {
	{1, 2, "un mezzo", " e mezzo"},
	{0},
};

static const struct calendar_name language_it_months[] = {
	{"gennaio", " gen genn "}, {"febbraio", " feb febbr "},
	{"marzo", " mar "}, {"aprile", " apr "}, {"maggio", " mag "},
	{"giugno", " giu "}, {"luglio", " lug "}, {"agosto", " ago "},
	{"settembre", " set sett "}, {"ottobre", " ott "},
	{"novembre", " nov "}, {"dicembre", " dic "},
};

static const struct calendar_name language_it_weekdays[] = {
	{"lunedì", " lun "}, {"martedì", " mar "}, {"mercoledì", " mer "},
	{"giovedì", " gio "}, {"venerdì", " ven "}, {"sabato", " sab "},
	{"domenica", " dom "},
};

/* Roman numerals are ordinals, except for dates in street names. */
static const struct by_neighbours language_it_romans[] = {
	{NULL, " gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre "
	       "novembre dicembre ",
	 'c'},
	{NULL, " secolo sec secoli millennio capitolo canto ", 'o'},
	{NULL, " guerra edizione armata legislatura repubblica brigata divisione circoscrizione ",
	 'p'},
	{" secolo capitolo cap titolo atto libro canto tomo volume vol allegato paragrafo comma "
	 "articolo municipio grado livello concilio ",
	 NULL, 'o'},
	{" scena parte sezione fase serie appendice lezione ", NULL, 'p'},
	{0},
};

static const struct abbreviation language_it_abbreviations[] = {
	{"sig.ra", "signora", 0},
	{"sig.na", "signorina", 0},
	{"sig.e", "signore e", 0},
	{"sig.", "signor", WHEN_BEFORE_CAPITAL},
	{"sigg.", "signori", 0},
	{"dott.ssa", "dottoressa", 0},
	{"dott.", "dottor", WHEN_BEFORE_CAPITAL},
	{"dr.ssa", "dottoressa", 0},
	{"dr.", "dottor", WHEN_BEFORE_CAPITAL},
	{"prof.ssa", "professoressa", 0},
	{"prof.", "professor", WHEN_BEFORE_CAPITAL},
	{"avv.", "avvocato", 0},
	{"ing.", "ingegner", WHEN_BEFORE_CAPITAL},
	{"arch.", "architetto", 0},
	{"Geom.", "Geometra", 0},
	{"Rag.", "Ragionier", WHEN_BEFORE_CAPITAL},
	{"On.", "Onorevole", WHEN_BEFORE_CAPITAL},
	{"Sen.", "Senatore", WHEN_BEFORE_CAPITAL},
	{"Gen.", "Generale", WHEN_BEFORE_CAPITAL},
	{"egr.", "egregio", 0},
	{"spett.le", "spettabile", 0},
	{"spett.", "spettabile", 0},
	{"gent.le", "gentile", 0},
	{"gent.mo", "gentilissimo", 0},
	{"gent.ma", "gentilissima", 0},
	{"gent.", "gentile", 0},
	{"v.le", "viale", 0},
	{"p.zza", "piazza", 0},
	{"p.le", "piazzale", 0},
	{"c.so", "corso", 0},
	{"l.go", "largo", 0},
	{"S.Maria", "Santa Maria", 0}, {"S.Lucia", "Santa Lucia", 0}, {"S.Anna", "Sant'Anna", 0},
	{"S.Chiara", "Santa Chiara", 0}, {"S.Croce", "Santa Croce", 0}, {"S.Rita", "Santa Rita", 0},
	{"S.Caterina", "Santa Caterina", 0}, {"S.Agata", "Sant'Agata", 0},
	{"S.Antonio", "Sant'Antonio", 0}, {"S.Ambrogio", "Sant'Ambrogio", 0},
	{"S.", "San", WHEN_BEFORE_CAPITAL,
	 " piazza via viale corso largo chiesa basilica ospedale stazione porta monte "},
	{"S.Francesco", "San Francesco", 0}, {"S.Giovanni", "San Giovanni", 0},
	{"S.Pietro", "San Pietro", 0}, {"S.Giuseppe", "San Giuseppe", 0},
	{"S.Marco", "San Marco", 0}, {"S.Paolo", "San Paolo", 0}, {"S.Carlo", "San Carlo", 0},
	{"S.Michele", "San Michele", 0}, {"S.Giorgio", "San Giorgio", 0},
	{"Mons.", "Monsignor", WHEN_BEFORE_CAPITAL},
	{"h", "ore", WHEN_BEFORE_NUMBER},
	{"D.Lgs.", "decreto legislativo", 0},
	{"D.L.", "decreto legge", WHEN_BEFORE_NUMBER},
	{"IVA incl.", "IVA inclusa", 0},
	{"incl.", "incluso", 0},
	{"int.", "interno", WHEN_BEFORE_NUMBER},
	{"1/2 litro", "mezzo litro", 0}, {"½ litro", "mezzo litro", 0},
	{"1/2 l", "mezzo litro", 0}, {"½ l", "mezzo litro", 0},
	{"1/2 chilo", "mezzo chilo", 0}, {"½ chilo", "mezzo chilo", 0},
	{"1/2 kg", "mezzo chilogrammo", 0}, {"½ kg", "mezzo chilogrammo", 0},
	{"1/2 ora", "mezz'ora", 0}, {"½ ora", "mezz'ora", 0},
	{"1/2 tazza", "mezza tazza", 0}, {"½ tazza", "mezza tazza", 0},
	{"1/2 bicchiere", "mezzo bicchiere", 0}, {"½ bicchiere", "mezzo bicchiere", 0},
	{"1/2 cucchiaio", "mezzo cucchiaio", 0}, {"½ cucchiaio", "mezzo cucchiaio", 0},
	{"1/2 cucchiaino", "mezzo cucchiaino", 0}, {"½ cucchiaino", "mezzo cucchiaino", 0},
	{"1/2 limone", "mezzo limone", 0}, {"½ limone", "mezzo limone", 0},
	{"50/50", "cinquanta e cinquanta", 0},
	{"24/7", "ventiquattro luglio", 0, " il del al dal entro "},
	{"24/7", "ventiquattr'ore su ventiquattro", 0},
	{"km", "chilometro", WHEN_BEFORE_NUMBER},
	{"p.es.", "per esempio", 0},
	{"per es.", "per esempio", 0},
	{"ad es.", "ad esempio", 0},
	{"es.", "esempio", 0},
	{"ecc.", "eccetera", 0},
	{"etc.", "eccetera", 0},
	{"cfr.", "confronta", 0},
	{"ca.", "circa", 0},
	{"n.", "numero", WHEN_BEFORE_NUMBER},
	{"nr.", "numero", WHEN_BEFORE_NUMBER},
	{"n°", "numero", 0},
	{"nº", "numero", 0},
	{"art.", "articolo", WHEN_BEFORE_NUMBER},
	{"artt.", "articoli", WHEN_BEFORE_NUMBER},
	{"cap.", "capitolo", WHEN_BEFORE_NUMBER},
	{"vol.", "volume", WHEN_BEFORE_NUMBER},
	{"fig.", "figura", 0},
	{"pag.", "pagina", 0},
	{"pagg.", "pagine", 0},
	{"p.", "pagina", WHEN_BEFORE_NUMBER},
	{"pp.", "pagine", WHEN_BEFORE_NUMBER},
	{"sec.", "secolo", 0},
	{"tel.", "telefono", 0},
	{"cell.", "cellulare", 0},
	{"max.", "massimo", WHEN_BEFORE_LOWER},
	{"max.", "massimo", WHEN_BEFORE_NUMBER},
	{"min.", "minimo", WHEN_BEFORE_LOWER},
	{"min.", "minimo", WHEN_BEFORE_NUMBER},
	{"vs.", "versus", 0},
	{"vs", "versus", 0},
	{"a.C.", "avanti Cristo", 0},
	{"d.C.", "dopo Cristo", 0},
	{"c/c", "conto corrente", 0},
	{"P.IVA", "partita IVA", 0},
	{"S.p.A.", "S P A", 0},
	{"S.r.l.", "S R L", 0},
	{"N.B.", "Nota bene", 0},
	{"P.S.", "Post scriptum", 0},
	{"'500", "Cinquecento", 0}, {"’500", "Cinquecento", 0},
	{"'600", "Seicento", 0}, {"’600", "Seicento", 0},
	{"'700", "Settecento", 0}, {"’700", "Settecento", 0},
	{"'800", "Ottocento", 0}, {"’800", "Ottocento", 0},
	{"'900", "Novecento", 0}, {"’900", "Novecento", 0},
	{"x", "per", WHEN_AFTER_NUMBER | WHEN_BEFORE_NUMBER},
	{"tasto #", "tasto cancelletto", 0},
	{"tasto *", "tasto asterisco", 0},
	{"C++", "C più più", 0},
	{"C#", "C sharp", 0},
	{0},
};

static const struct sign language_it_signs[] = {
	{"&", "e", 0},
	{"+", "più", 0},
	{"-", "meno", WHEN_AFTER_NUMBER | WHEN_BEFORE_NUMBER},
	{"²", "al quadrato", WHEN_AFTER_NUMBER},
	{"³", "al cubo", WHEN_AFTER_NUMBER},
	{"=", "uguale", 0},
	{"×", "per", 0},
	{"÷", "diviso", 0},
	{"±", "più o meno", 0},
	{"<", "minore di", WHEN_BEFORE_NUMBER},
	{">", "maggiore di", WHEN_BEFORE_NUMBER},
	{"≤", "minore o uguale a", 0},
	{"≥", "maggiore o uguale a", 0},
	{"≠", "diverso da", 0},
	{"≈", "circa", 0},
	{"~", "circa", WHEN_BEFORE_NUMBER},
	{"§", "paragrafo", 0},
	{"#", "numero", WHEN_BEFORE_NUMBER},
	{"%", "per cento", 0},
	{"@", "chiocciola", 0},
	{"©", "copyright", 0},
	{"™", "", 0},
	{"®", "", 0},
	{0},
};

static const struct sign language_it_spelled_signs[] = {
	{"!", "punto esclamativo", 0}, {"\"", "virgolette", 0}, {"#", "cancelletto", 0},
	{"$", "dollaro", 0}, {"%", "per cento", 0}, {"&", "e commerciale", 0},
	{"'", "apostrofo", 0}, {"(", "parentesi aperta", 0}, {")", "parentesi chiusa", 0},
	{"*", "asterisco", 0}, {"+", "più", 0}, {",", "virgola", 0}, {"-", "trattino", 0},
	{".", "punto", 0}, {"/", "slash", 0}, {":", "due punti", 0}, {";", "punto e virgola", 0},
	{"<", "minore", 0}, {"=", "uguale", 0}, {">", "maggiore", 0},
	{"?", "punto interrogativo", 0}, {"@", "chiocciola", 0},
	{"[", "parentesi quadra aperta", 0}, {"\\", "barra rovesciata", 0},
	{"]", "parentesi quadra chiusa", 0}, {"^", "accento circonflesso", 0},
	{"_", "underscore", 0}, {"`", "accento grave", 0}, {"{", "parentesi graffa aperta", 0},
	{"|", "barra verticale", 0}, {"}", "parentesi graffa chiusa", 0}, {"~", "tilde", 0},
	{0},
};

static const struct reading_rules language_it_reading = {
	.numbers = language_it_numbers,

	.decimal = ',',
	.thousands = ". '",
	.decimal_word = "virgola",
	.other_decimal_word = "punto",
	.decimals_as_number = 2,
	.minus = "meno",
	.plus = "più",

	.plural = PLURAL_TWO,
	.units = language_it_units,
	.per = "al {u}",
	.currencies = language_it_currencies,
	.money_cents = "{n} {unit} e {c} {cent}",
	.money_only_cents = "{c} {cent}",
	.magnitudes = language_it_magnitudes,
	.agreement = language_it_agreement,
	.or_words = " o ",
	.no_noun = " a al alla che con da dal dei del della di e è ha ho il in la le lo nel non o "
		   "per più si sono su ",

	.ordinal_marks = language_it_ordinal_marks,
	.fractions = language_it_fractions,
	.fraction = "{n:m} {d}",
	.fraction_mixed = "{w:c} e {n:m} {d}",
	.fraction_max = 10,
	.over = "su",

	.date_order = DATE_DAY_FIRST,
	.date_marks = "/-.",
	.months = language_it_months,
	.weekdays = language_it_weekdays,
	.date_before = " il dal al del entro lunedì martedì mercoledì giovedì venerdì sabato "
		       "domenica lun mar mer gio ven sab dom ",
	.short_years = true,
	.date = "{day:d} {month} {year}",
	.date_without_year = "{day:d} {month}",
	.date_dmy = "{day:d} {month} {year}",
	.date_dm = "{day:d} {month}",
	.date_my = "{month} {year}",
	.year_least = 1000,
	.year_most = 2199,

	.time_marks = ":.h",
	.time_before = " alle ore dalle le delle all' ",
	.time_hm = "{h:h} e {m}",
	.time_hm_small = "{h:h} e {m}",
	.time_h = "{h:h}",
	.time_hms = "{h:h} e {m} e {s} secondi",

	.from = "da",
	.no_from = " in per tra fra di con entro su ogni circa da dal dai dalle ",
	.to = "a",
	.range_times = {"dalle", "alle", 0},
	.range_years = {"dal", "al", 0},
	.score = "a",
	.phone_words = " tel telefono cell cellulare fax numero verde ",
	.phone_shapes = " 37 36 38 28 334 343 ",

	.roman_name = "{n:o}",
	.roman_name_feminine = "{n:p}",
	.feminine_names = " elisabetta caterina maria vittoria margherita giovanna anna cristina "
			  "beatrice cleopatra berenice isabella guglielmina giuliana ",
	.names = " maria anna luigi carlo enrico francesco giovanni paolo pio giorgio napoleone "
		 "filippo benedetto clemente gregorio innocenzo alessandro leone bonifacio "
		 "edoardo guglielmo giacomo nicola pietro federico ferdinando alfonso alberto "
		 "amedeo umberto emanuele vittorio elisabetta caterina cosimo lorenzo riccardo "
		 "costantino sisto giulio urbano martino eugenio callisto celestino onorio "
		 "vaticano ",
	.romans = language_it_romans,

	.abbreviations = language_it_abbreviations,
	.spelled = " ADSL HDMI ISBN IEEE CGIL ",
	.said = " OK ONU PIN SIM IVA PIL RAI USA ASL TAR CIA COOP BOT BTP ENI CAI CAP CAF SPA IL "
		"LO LA GLI LE UN UNA UNO DI DA IN CON SU PER TRA FRA DEL DAL NEL SUL AL MA SE "
		"CHE CHI NON SONO HA HO HAI TI MI CI VI SI NO MIO TUO SUO TOP BIO WEB ",
	.signs = language_it_signs,
	.elides = true,

	.spelled_signs = language_it_spelled_signs,
	.space = "spazio",
	.version = "versione",
	.version_words = " versione python ubuntu android ios windows tls ",
	.hashtag = "hashtag",
	.extensions = " pdf csv html htm xml jpg jpeg png gif svg txt sql php css doc xls ppt iso "
		      "md tsv rtf ",
};

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
	.reading = &language_it_reading,
};
/* clang-format on */
