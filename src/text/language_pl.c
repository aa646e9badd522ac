/* language_pl.c: Polish (see language.h and reading.h). */
#include "text/language.h"

/* Tables and lists are wrapped by hand. */
/* clang-format off */

#define END {NUMBER_RULES_END, 0, NULL}

/* Counting; also masculine, except for men. */
static const struct number_rule language_pl_numbers_c[] = {
	{0, 0, "zero"}, {1, 0, "jeden"}, {2, 0, "dwa"}, {3, 0, "trzy"}, {4, 0, "cztery"},
	{5, 0, "pięć"}, {6, 0, "sześć"}, {7, 0, "siedem"}, {8, 0, "osiem"}, {9, 0, "dziewięć"},
	{10, 0, "dziesięć"}, {11, 0, "jedenaście"}, {12, 0, "dwanaście"}, {13, 0, "trzynaście"},
	{14, 0, "czternaście"}, {15, 0, "piętnaście"}, {16, 0, "szesnaście"},
	{17, 0, "siedemnaście"}, {18, 0, "osiemnaście"}, {19, 0, "dziewiętnaście"},
	{20, 0, "=t=[ >>]"}, {30, 0, "=t=[ >>]"}, {40, 0, "=t=[ >>]"}, {50, 0, "=t=[ >>]"},
	{100, 0, "=t=[ >>]"}, {1000, 0, "=T=[ >>]"}, {1000000, 0, "=T=[ >>]"},
	{1000000000, 0, "=T=[ >>]"}, {1000000000000, 0, "=T=[ >>]"},
	{1000000000000000, 0, "=T=[ >>]"}, END,
};

/* jedna, dwie; but dwadzieścia jeden, dwadzieścia dwie */
static const struct number_rule language_pl_numbers_f[] = {
	{0, 0, "=c="}, {1, 0, "jedna"}, {2, 0, "dwie"}, {3, 0, "=c="}, {20, 0, "=t=[ >u>]"},
	{100, 0, "=t=[ >u>]"}, {1000, 0, "=T=[ >u>]"}, {1000000, 0, "=T=[ >u>]"},
	{1000000000, 0, "=T=[ >u>]"}, {1000000000000, 0, "=c="}, END,
};

/* The remainder in larger feminine numbers. */
static const struct number_rule language_pl_numbers_u[] = {
	{0, 0, "=c="}, {2, 0, "=f="}, END,
};

static const struct number_rule language_pl_numbers_n[] = {
	{0, 0, "=c="}, {1, 0, "jedno"}, {2, 0, "=c="}, END,
};

/* The tens or hundreds of a number, without the remainder. */
static const struct number_rule language_pl_numbers_t[] = {
	{0, 0, ""}, {20, 0, "dwadzieścia"}, {30, 0, "trzydzieści"}, {40, 0, "czterdzieści"},
	{50, 0, "<c<dziesiąt"}, {100, 0, "sto"}, {200, 0, "dwieście"}, {300, 0, "trzysta"},
	{400, 0, "czterysta"}, {500, 0, "<c<set"}, END,
};

/* The thousands or millions of a number, without the remainder. */
static const struct number_rule language_pl_numbers_thousands[] = {
	{0, 0, ""}, {1000, 0, "tysiąc"}, {2000, 0, "<c< tysi<E<"},
	{1000000, 0, "milion"}, {2000000, 0, "<c< milion<F<"},
	{1000000000, 0, "miliard"}, {2000000000, 0, "<c< miliard<F<"},
	{1000000000000, 0, "bilion"}, {2000000000000, 0, "<c< bilion<F<"},
	{1000000000000000, 0, "biliard"}, {2000000000000000, 0, "<c< biliard<F<"}, END,
};

/* The endings of "tysi-" and "milion" after a number. */
static const struct number_rule language_pl_numbers_e[] = {
	{0, 0, "ęcy"}, {2, 0, "ące"}, {5, 0, "ęcy"}, {20, 0, ">>"}, {100, 0, ">>"}, END,
};
static const struct number_rule language_pl_numbers_ending[] = {
	{0, 0, "ów"}, {2, 0, "y"}, {5, 0, "ów"}, {20, 0, ">>"}, {100, 0, ">>"}, END,
};

/* The genitive, after prepositions. */
static const struct number_rule language_pl_numbers_g[] = {
	{0, 0, "zera"}, {1, 0, "jednego"}, {2, 0, "dwóch"}, {3, 0, "trzech"}, {4, 0, "czterech"},
	{5, 0, "pięciu"}, {6, 0, "sześciu"}, {7, 0, "siedmiu"}, {8, 0, "ośmiu"},
	{9, 0, "dziewięciu"}, {10, 0, "dziesięciu"}, {11, 0, "jedenastu"}, {12, 0, "dwunastu"},
	{13, 0, "trzynastu"}, {14, 0, "czternastu"}, {15, 0, "piętnastu"}, {16, 0, "szesnastu"},
	{17, 0, "siedemnastu"}, {18, 0, "osiemnastu"}, {19, 0, "dziewiętnastu"},
	{20, 0, "dwudziestu[ >v>]"}, {30, 0, "trzydziestu[ >v>]"}, {40, 0, "czterdziestu[ >v>]"},
	{50, 0, "<c<dziesięciu[ >v>]"}, {100, 0, "stu[ >v>]"}, {200, 0, "dwustu[ >v>]"},
	{300, 0, "trzystu[ >v>]"}, {400, 0, "czterystu[ >v>]"}, {500, 0, "<<set[ >v>]"},
	{1000, 0, "tysiąca[ >v>]"}, {2000, 0, "<v< tysięcy[ >v>]"},
	{1000000, 0, "miliona[ >v>]"}, {2000000, 0, "<v< milionów[ >v>]"},
	{1000000000, 0, "miliarda[ >v>]"}, {2000000000, 0, "<v< miliardów[ >v>]"},
	{1000000000000, 0, "=c="}, END,
};

/* The remainder in the genitive: "dwudziestu jeden". */
static const struct number_rule language_pl_numbers_v[] = {
	{0, 0, "=c="}, {2, 0, "=g="}, END,
};

/* Before a word that is joined to it: "pięcioletni", "trzydziestodniowy". */
static const struct number_rule language_pl_numbers_x[] = {
	{0, 0, "zero"}, {1, 0, "jedno"}, {2, 0, "dwu"}, {3, 0, "trzy"}, {4, 0, "cztero"},
	{5, 0, "pięcio"}, {6, 0, "sześcio"}, {7, 0, "siedmio"}, {8, 0, "ośmio"},
	{9, 0, "dziewięcio"}, {10, 0, "dziesięcio"}, {11, 0, "jedenasto"}, {12, 0, "dwunasto"},
	{13, 0, "trzynasto"}, {14, 0, "czternasto"}, {15, 0, "piętnasto"}, {16, 0, "szesnasto"},
	{17, 0, "siedemnasto"}, {18, 0, "osiemnasto"}, {19, 0, "dziewiętnasto"},
	{20, 0, "dwudziesto[>>]"}, {30, 0, "trzydziesto[>>]"}, {40, 0, "czterdziesto[>>]"},
	{50, 0, "<c<dziesięcio[>>]"}, {100, 0, "stu[>>]"}, {200, 0, "dwustu[>>]"},
	{300, 0, "trzystu[>>]"}, {400, 0, "czterystu[>>]"}, {500, 0, "<g<set[>>]"},
	{1000, 0, "tysiąc[>>]"}, {2000, 0, "<<tysiąc[>>]"}, {1000000, 0, "=c="}, END,
};

/* Ordinals without their endings; empty for 2 and 3, which have other endings. */
static const struct number_rule language_pl_numbers_s[] = {
	{0, 0, "zerow"}, {1, 0, "pierwsz"}, {2, 0, "drug"}, {3, 0, "trzec"}, {4, 0, "czwart"},
	{5, 0, "piąt"}, {6, 0, "szóst"}, {7, 0, "siódm"}, {8, 0, "ósm"}, {9, 0, "dziewiąt"},
	{10, 0, "dziesiąt"}, {11, 0, "jedenast"}, {12, 0, "dwunast"}, {13, 0, "trzynast"},
	{14, 0, "czternast"}, {15, 0, "piętnast"}, {16, 0, "szesnast"}, {17, 0, "siedemnast"},
	{18, 0, "osiemnast"}, {19, 0, "dziewiętnast"}, {20, 0, "dwudziest"},
	{30, 0, "trzydziest"}, {40, 0, "czterdziest"}, {50, 0, "<c<dziesiąt"}, {100, 0, "setn"},
	{200, 0, "dwusetn"}, {300, 0, "trzechsetn"}, {400, 0, "czterechsetn"},
	{500, 0, "<c<setn"}, {1000, 0, "tysięczn"}, {2000, 0, "dwutysięczn"},
	{3000, 0, "<j<tysięczn"}, {1000000, 0, "milionow"}, {2000000, 0, "<j<milionow"}, END,
};

/* A whole hundred or thousand has the ending itself, otherwise the remainder has it. */
#define HUNDRED(n, ending) {n, 0, "=s=" ending}, {(n) + 1, 100, "=t= >>"}
#define THOUSAND(n, ending) {n, 0, "=s=" ending}, {(n) + 1, 1000, "=T= >>"}
#define ORDINALS(ending, second, third) \
	{0, 0, "=s=" ending}, {2, 0, "=s=" second}, {3, 0, "=s=" third}, {4, 0, "=s=" ending}, \
	{20, 0, "=s=" ending "[ >>]"}, HUNDRED(100, ending), HUNDRED(200, ending), \
	HUNDRED(300, ending), HUNDRED(400, ending), HUNDRED(500, ending), HUNDRED(600, ending), \
	HUNDRED(700, ending), HUNDRED(800, ending), HUNDRED(900, ending), \
	THOUSAND(1000, ending), THOUSAND(2000, ending), THOUSAND(3000, ending), \
	THOUSAND(4000, ending), THOUSAND(5000, ending), THOUSAND(6000, ending), \
	THOUSAND(7000, ending), THOUSAND(8000, ending), THOUSAND(9000, ending), \
	{10000, 1000, "=T=[ >>]"}, {1000000, 0, "=c="}, END

static const struct number_rule language_pl_ordinals_first[] = {ORDINALS("y", "i", "i")}; /* rok */
static const struct number_rule language_pl_ordinals_feminine[] = {ORDINALS("a", "a", "ia")}; /* godzina */
static const struct number_rule language_pl_ordinals_neuter[] = {ORDINALS("e", "ie", "ie")}; /* miejsce */
static const struct number_rule language_pl_ordinals_of[] = {ORDINALS("ego", "iego", "iego")}; /* maja */
static const struct number_rule language_pl_ordinals_in[] = {ORDINALS("ym", "im", "im")}; /* w roku */
static const struct number_rule language_pl_ordinals_at[] = {ORDINALS("ej", "iej", "iej")}; /* o godzinie */
static const struct number_rule language_pl_ordinals_before[] = {ORDINALS("ą", "ą", "ią")}; /* godziną */
static const struct number_rule language_pl_ordinals_many[] = {ORDINALS("ych", "ich", "ich")}; /* w latach */

/* jedna osoba, but dwa miejsca; jedną osobę; z trzema osobami; o ósmej, o 300 */
static const struct number_rule language_pl_numbers_a[] = {{0, 0, "=c="}, {1, 0, "jedna"}, {2, 0, "=c="}, END};
static const struct number_rule language_pl_numbers_b[] = {{0, 0, "=c="}, {1, 0, "jedną"}, {2, 0, "=c="}, END};
static const struct number_rule language_pl_numbers_with[] = {
	{0, 0, "=g="}, {2, 0, "dwoma"}, {3, 0, "trzema"}, {4, 0, "czterema"}, {5, 0, "=g="}, END,
};
static const struct number_rule language_pl_numbers_hour[] = {{0, 0, "=e="}, {25, 0, "=c="}, END};
/* For men: "dwóch klientów", "tysiąc dwustu widzów". */
static const struct number_rule language_pl_numbers_men[] = {
	{0, 0, "=c="}, {2, 0, "=g="}, {1000, 0, "=T=[ >>]"}, {1000000, 0, "=T=[ >>]"},
	{1000000000, 0, "=c="}, END,
};
/* For children: "dwoje dzieci". */
static const struct number_rule language_pl_numbers_children[] = {
	{0, 0, "=c="}, {2, 0, "dwoje"}, {3, 0, "troje"}, {4, 0, "czworo"}, {5, 0, "pięcioro"},
	{6, 0, "sześcioro"}, {7, 0, "siedmioro"}, {8, 0, "ośmioro"}, {9, 0, "dziewięcioro"},
	{10, 0, "dziesięcioro"}, {11, 0, "jedenaścioro"}, {12, 0, "dwanaścioro"},
	{13, 0, "trzynaścioro"}, {14, 0, "czternaścioro"}, {15, 0, "piętnaścioro"},
	{16, 0, "szesnaścioro"}, {17, 0, "siedemnaścioro"}, {18, 0, "osiemnaścioro"},
	{19, 0, "dziewiętnaścioro"}, {20, 0, "=c="}, END,
};
/* Two to four before a genitive are also in the genitive: "dwóch domów", but "pięć domów". */
static const struct number_rule language_pl_numbers_genitive[] = {
	{0, 0, "=c="}, {2, 0, "=g="}, {5, 0, "=c="}, {22, 0, "=g="}, {25, 0, "=c="},
	{32, 0, "=g="}, {35, 0, "=c="}, {42, 0, "=g="}, {45, 0, "=c="}, {52, 0, "=g="},
	{55, 0, "=c="}, {62, 0, "=g="}, {65, 0, "=c="}, {72, 0, "=g="}, {75, 0, "=c="},
	{82, 0, "=g="}, {85, 0, "=c="}, {92, 0, "=g="}, {95, 0, "=c="}, END,
};
static const struct number_rule language_pl_numbers_one[] = {{0, 0, "=c="}, {1, 0, ""}, {2, 0, "=c="}, END};

static const struct number_set language_pl_numbers[] = {
	{'c', language_pl_numbers_c}, {'m', language_pl_numbers_c}, {'f', language_pl_numbers_f}, {'n', language_pl_numbers_n}, {'u', language_pl_numbers_u},
	{'t', language_pl_numbers_t}, {'T', language_pl_numbers_thousands}, {'E', language_pl_numbers_e}, {'F', language_pl_numbers_ending},
	{'g', language_pl_numbers_g}, {'v', language_pl_numbers_v}, {'s', language_pl_numbers_s},
	{'o', language_pl_ordinals_first}, {'p', language_pl_ordinals_feminine}, {'r', language_pl_ordinals_neuter},
	{'y', language_pl_ordinals_of}, {'G', language_pl_ordinals_of}, {'L', language_pl_ordinals_in}, {'e', language_pl_ordinals_at},
	{'a', language_pl_ordinals_before}, {'H', language_pl_ordinals_many}, {'q', language_pl_ordinals_feminine},
	{'Q', language_pl_ordinals_neuter}, {'R', language_pl_ordinals_many},
	{'j', language_pl_numbers_x}, {'1', language_pl_numbers_one}, {'A', language_pl_numbers_a},
	{'b', language_pl_numbers_b}, {'i', language_pl_numbers_with}, {'z', language_pl_numbers_hour}, {'P', language_pl_numbers_men},
	{'w', language_pl_numbers_genitive}, {'D', language_pl_numbers_children}, {0, NULL},
};

/* one, few, many, part: jeden kilometr, dwa kilometry, pięć kilometrów, pół kilometra */
static const struct measure_unit language_pl_units[] = {
	{.written = " % procent proc. proc ",
	 .name = {"procent", "procent", "procent", "procent", 'm'}},
	{.written = " ‰ ", .name = {"promil", "promile", "promili", "promila", 'm'}},
	{.written = " ° stopień stopnie stopni ",
	 .name = {"stopień", "stopnie", "stopni", "stopnia", 'm'}},
	{.written = " °C ",
	 .name = {"stopień Celsjusza", "stopnie Celsjusza",
		  "stopni Celsjusza", "stopnia Celsjusza", 'm'}},
	{.written = " °F ",
	 .name = {"stopień Fahrenheita", "stopnie Fahrenheita",
		  "stopni Fahrenheita", "stopnia Fahrenheita", 'm'}},
	{.written = " km kilometr kilometry kilometrów ",
	 .name = {"kilometr", "kilometry", "kilometrów", "kilometra", 'm'}},
	{.written = " m metr metry metrów ", .name = {"metr", "metry", "metrów", "metra", 'm'}},
	{.written = " dm ", .name = {"decymetr", "decymetry", "decymetrów", "decymetra", 'm'}},
	{.written = " cm centymetr centymetry centymetrów ",
	 .name = {"centymetr", "centymetry", "centymetrów", "centymetra", 'm'}},
	{.written = " mm ", .name = {"milimetr", "milimetry", "milimetrów", "milimetra", 'm'}},
	{.written = " µm μm ",
	 .name = {"mikrometr", "mikrometry", "mikrometrów", "mikrometra", 'm'}},
	{.written = " nm ", .name = {"nanometr", "nanometry", "nanometrów", "nanometra", 'm'}},
	{.written = " km² km2 ",
	 .name = {"kilometr kwadratowy", "kilometry kwadratowe",
		  "kilometrów kwadratowych", "kilometra kwadratowego", 'm'}},
	{.written = " m² m2 ",
	 .name = {"metr kwadratowy", "metry kwadratowe",
		  "metrów kwadratowych", "metra kwadratowego", 'm'}},
	{.written = " cm² cm2 ",
	 .name = {"centymetr kwadratowy", "centymetry kwadratowe",
		  "centymetrów kwadratowych", "centymetra kwadratowego", 'm'}},
	{.written = " m³ m3 ",
	 .name = {"metr sześcienny", "metry sześcienne",
		  "metrów sześciennych", "metra sześciennego", 'm'}},
	{.written = " cm³ cm3 ",
	 .name = {"centymetr sześcienny", "centymetry sześcienne",
		  "centymetrów sześciennych", "centymetra sześciennego", 'm'}},
	{.written = " ha ", .name = {"hektar", "hektary", "hektarów", "hektara", 'm'}},
	{.written = " l litr litry litrów ", .name = {"litr", "litry", "litrów", "litra", 'm'}},
	{.written = " ml ", .name = {"mililitr", "mililitry", "mililitrów", "mililitra", 'm'}},
	{.written = " hl ",
	 .name = {"hektolitr", "hektolitry", "hektolitrów", "hektolitra", 'm'}},
	{.written = " kg kilogram kilogramy kilogramów ",
	 .name = {"kilogram", "kilogramy", "kilogramów", "kilograma", 'm'}},
	{.written = " dag dkg ",
	 .name = {"dekagram", "dekagramy", "dekagramów", "dekagrama", 'm'}},
	{.written = " g gram gramy gramów ", .name = {"gram", "gramy", "gramów", "grama", 'm'}},
	{.written = " mg ", .name = {"miligram", "miligramy", "miligramów", "miligrama", 'm'}},
	{.written = " µg μg ",
	 .name = {"mikrogram", "mikrogramy", "mikrogramów", "mikrograma", 'm'}},
	{.written = " t tona tony ton ", .name = {"tona", "tony", "ton", "tony", 'f'},
	 .below = "tonę"},
	{.written = " h godz. godz godzina godziny godzin ",
	 .name = {"godzina", "godziny", "godzin", "godziny", 'f'}, .below = "godzinę"},
	{.written = " min min. minuta minuty minut ",
	 .name = {"minuta", "minuty", "minut", "minuty", 'f'}, .below = "minutę"},
	{.written = " s sek. sek sekunda sekundy sekund ",
	 .name = {"sekunda", "sekundy", "sekund", "sekundy", 'f'}, .below = "sekundę"},
	{.written = " ms ",
	 .name = {"milisekunda", "milisekundy", "milisekund", "milisekundy", 'f'}},
	{.written = " µs μs ",
	 .name = {"mikrosekunda", "mikrosekundy", "mikrosekund", "mikrosekundy", 'f'}},
	{.written = " os. osoba osoby osób ", .name = {"osoba", "osoby", "osób", "osoby", 'f'},
	 .below = "osobę"},
	{.written = " noc noce nocy ", .name = {"noc", "noce", "nocy", "nocy", 'f'}},
	{.written = " doba doby dób ", .name = {"doba", "doby", "dób", "doby", 'f'},
	 .below = "dobę"},
	{.written = " mies. mies miesiąc miesiące miesięcy ",
	 .name = {"miesiąc", "miesiące", "miesięcy", "miesiąca", 'm'}},
	{.written = " szt. szt sztuka sztuki sztuk ",
	 .name = {"sztuka", "sztuki", "sztuk", "sztuki", 'f'}, .below = "sztukę"},
	{.written = " km/h ",
	 .name = {"kilometr na godzinę", "kilometry na godzinę",
		  "kilometrów na godzinę", "kilometra na godzinę", 'm'}},
	{.written = " m/s ",
	 .name = {"metr na sekundę", "metry na sekundę",
		  "metrów na sekundę", "metra na sekundę", 'm'}},
	{.written = " kb/s kbps ",
	 .name = {"kilobit na sekundę", "kilobity na sekundę",
		  "kilobitów na sekundę", "kilobita na sekundę", 'm'}},
	{.written = " Mb/s Mbps Mbit/s ",
	 .name = {"megabit na sekundę", "megabity na sekundę",
		  "megabitów na sekundę", "megabita na sekundę", 'm'}},
	{.written = " Gb/s Gbps Gbit/s ",
	 .name = {"gigabit na sekundę", "gigabity na sekundę",
		  "gigabitów na sekundę", "gigabita na sekundę", 'm'}},
	{.written = " MB/s ",
	 .name = {"megabajt na sekundę", "megabajty na sekundę",
		  "megabajtów na sekundę", "megabajta na sekundę", 'm'}},
	{.written = " kB KB ",
	 .name = {"kilobajt", "kilobajty", "kilobajtów", "kilobajta", 'm'}},
	{.written = " MB ", .name = {"megabajt", "megabajty", "megabajtów", "megabajta", 'm'}},
	{.written = " GB ", .name = {"gigabajt", "gigabajty", "gigabajtów", "gigabajta", 'm'}},
	{.written = " TB ", .name = {"terabajt", "terabajty", "terabajtów", "terabajta", 'm'}},
	{.written = " Hz ", .name = {"herc", "herce", "herców", "herca", 'm'}},
	{.written = " kHz ", .name = {"kiloherc", "kiloherce", "kiloherców", "kiloherca", 'm'}},
	{.written = " MHz ", .name = {"megaherc", "megaherce", "megaherców", "megaherca", 'm'}},
	{.written = " GHz ", .name = {"gigaherc", "gigaherce", "gigaherców", "gigaherca", 'm'}},
	{.written = " W ", .name = {"wat", "waty", "watów", "wata", 'm'}},
	{.written = " kW ", .name = {"kilowat", "kilowaty", "kilowatów", "kilowata", 'm'}},
	{.written = " MW ", .name = {"megawat", "megawaty", "megawatów", "megawata", 'm'}},
	{.written = " Wh ",
	 .name = {"watogodzina", "watogodziny", "watogodzin", "watogodziny", 'f'}},
	{.written = " kWh ",
	 .name = {"kilowatogodzina", "kilowatogodziny", "kilowatogodzin", "kilowatogodziny", 'f'},
	 .below = "kilowatogodzinę"},
	{.written = " MWh ",
	 .name = {"megawatogodzina", "megawatogodziny", "megawatogodzin", "megawatogodziny", 'f'}},
	{.written = " V ", .name = {"wolt", "wolty", "woltów", "wolta", 'm'}},
	{.written = " mA ",
	 .name = {"miliamper", "miliampery", "miliamperów", "miliampera", 'm'}},
	{.written = " mAh ",
	 .name = {"miliamperogodzina", "miliamperogodziny",
		  "miliamperogodzin", "miliamperogodziny", 'f'}},
	{.written = " Ω ", .name = {"om", "omy", "omów", "oma", 'm'}},
	{.written = " Pa ", .name = {"paskal", "paskale", "paskali", "paskala", 'm'}},
	{.written = " hPa ",
	 .name = {"hektopaskal", "hektopaskale", "hektopaskali", "hektopaskala", 'm'}},
	{.written = " bar ", .name = {"bar", "bary", "barów", "bara", 'm'}},
	{.written = " dB ", .name = {"decybel", "decybele", "decybeli", "decybela", 'm'}},
	{.written = " kJ ", .name = {"kilodżul", "kilodżule", "kilodżuli", "kilodżula", 'm'}},
	{.written = " kcal ",
	 .name = {"kilokaloria", "kilokalorie", "kilokalorii", "kilokalorii", 'f'}},
	{.written = " KM ",
	 .name = {"koń mechaniczny", "konie mechaniczne",
		  "koni mechanicznych", "konia mechanicznego", 'm'}},
	{.written = " px ", .name = {"piksel", "piksele", "pikseli", "piksela", 'm'}},
	{.written = " x ", .name = {"raz", "razy", "razy", "razy", 'm'}},
	{.written = NULL},
};

static const struct currency language_pl_currencies[] = {
	{" zł zł. PLN złoty złote złotych ",
	 {"złoty", "złote", "złotych", "złotego", 'm'},
	 {"grosz", "grosze", "groszy", "grosza", 'm'}},
	{" gr gr. grosz grosze groszy ",
	 {"grosz", "grosze", "groszy", "grosza", 'm'},
	 {.one = NULL}},
	{" € EUR euro ",
	 {"euro", "euro", "euro", "euro", 'n'},
	 {"cent", "centy", "centów", "centa", 'm'}},
	{" $ USD US$ dolar dolary dolarów ",
	 {"dolar", "dolary", "dolarów", "dolara", 'm'},
	 {"cent", "centy", "centów", "centa", 'm'}},
	{" £ GBP funt funty funtów ",
	 {"funt", "funty", "funtów", "funta", 'm'},
	 {"pens", "pensy", "pensów", "pensa", 'm'}},
	{" CHF ",
	 {"frank szwajcarski", "franki szwajcarskie", "franków szwajcarskich",
	  "franka szwajcarskiego", 'm'},
	 {"rappen", "rappeny", "rappenów", "rappena", 'm'}},
	{" ¥ JPY jen jeny jenów ",
	 {"jen", "jeny", "jenów", "jena", 'm'},
	 {.one = NULL}},
	{" Kč CZK ",
	 {"korona czeska", "korony czeskie", "koron czeskich",
	  "korony czeskiej", 'f'},
	 {"halerz", "halerze", "halerzy", "halerza", 'm'}},
	{" kr korona korony koron ",
	 {"korona", "korony", "koron", "korony", 'f'},
	 {.one = NULL}},
	{" ₴ UAH ",
	 {"hrywna", "hrywny", "hrywien", "hrywny", 'f'},
	 {.one = NULL}},
	{" R$ BRL ",
	 {"real", "reale", "reali", "reala", 'm'},
	 {"cent", "centy", "centów", "centa", 'm'}},
	{" ₹ INR ",
	 {"rupia", "rupie", "rupii", "rupii", 'f'},
	 {.one = NULL}},
	{NULL, {.one = NULL}, {.one = NULL}},
};

/* The number 1 is not spoken: "milion". */
static const struct magnitude language_pl_magnitudes[] = {
	{.written = " tys. tys tysiąc tysiące tysięcy ",
	 .name = {"tysiąc", "tysiące", "tysięcy", "tysiąca", '1'}},
	{.written = " k ",
	 .name = {"tysiąc", "tysiące", "tysięcy", "tysiąca", '1'}, .money_only = true},
	{.written = " mln mln. milion miliony milionów ",
	 .name = {"milion", "miliony", "milionów", "miliona", '1'}},
	{.written = " M ",
	 .name = {"milion", "miliony", "milionów", "miliona", '1'}, .money_only = true},
	{.written = " mld mld. miliard miliardy miliardów ",
	 .name = {"miliard", "miliardy", "miliardów", "miliarda", '1'}},
	{.written = " B bn ",
	 .name = {"miliard", "miliardy", "miliardów", "miliarda", '1'}, .money_only = true},
	{.written = " bln bilion biliony bilionów ",
	 .name = {"bilion", "biliony", "bilionów", "biliona", '1'}},
	{.written = NULL},
};

/* "do pięciu", "około dwudziestu" */
static const struct by_neighbours language_pl_cardinals[] = {
	{" ~ ≈ do od około ok bez dla poniżej powyżej koło prócz oprócz blisko wśród spośród "
	 "zamiast z ze ", NULL, 'g'},
	{" wieku ", " lat ", 'g'},
	{" przed ", " laty ", 'i'},
	{" na w ", " piętrze miejscu rozdziale kwartale semestrze ", 'L'},
	{" o ", "", 'z'},
	{" o ", " rano wieczorem i lub albo a po w ", 'z'},
	{" godzinie godziny ", NULL, 'z'},
	{NULL, NULL, 0},
};

/* By the ending of the noun after the number. */
static const struct by_ending language_pl_agreement[] = {
	{" ach ", NULL, 'g'},
	{" ami ", NULL, 'i', .always = true},
	{" ników owców arzy istów ystów ", NULL, 'P',
	 .words = " klientów panów studentów uczniów mężczyzn lekarzy nauczycieli kierowców gości "
		  "żołnierzy policjantów mieszkańców widzów pasażerów synów braci chłopców "
		  "obywateli posłów senatorów kibiców piłkarzy pacjentów członków dyrektorów "
		  "kandydatów wyborców strażaków właścicieli przyjaciół kolegów sąsiadów fanów "
		  "ekspertów menedżerów inżynierów programistów graczy chętnych rannych "
		  "bezrobotnych dorosłych "},
	{" ów ", NULL, 'w'},
	{"", NULL, 'D', .words = " dzieci "},
	{" ości cje sje zje ", NULL, 'f'},
	{" uwagi strony książki oferty karty umowy faktury paczki przesyłki łyżki szklanki noce "
	 "rzeczy kawy herbaty pizze zupy butelki puszki tabletki łyżeczki próby drogi firmy usługi "
	 "linie historie kategorie córki siostry kobiety dziewczyny ulice stacje porcje rundy raty "
	 "części wersje nagrody ", NULL, 'f',
	 .words = " bułki kanapki sałatki wizyty rozmowy sprawy zmiany prośby bramki piosenki "
		  "dziewczynki koszulki sukienki zniżki opłaty wpłaty kwoty grupy drużyny szkoły "
		  "klasy dekady daty kopie zasady metody bajki gry filiżanki torby walizki krowy "
		  "kury ryby śliwki gruszki truskawki marchewki cebule torebki kostki krople "
		  "dawki ampułki kapsułki saszetki witaminy choroby ofiary godziny minuty "},
	{" ę ą ", " imię ramię zwierzę ", 'b'},
	{" nie ie sce le rze ę o um ", NULL, 'n'},
	{" a ość ", " mężczyzna kolega poeta ", 'A', .words = " noc rzecz sieć część mysz "},
	{NULL, NULL, 0},
};

#define MONTHS \
	" stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października " \
	"listopada grudnia "

static const struct by_neighbours language_pl_ordinals[] = {
	{NULL, MONTHS, 'G'},
	{" raz ", NULL, 'o'},
	{" lata ", NULL, 'r'},
	{" lat latach latami l ", NULL, 'H'},
	{NULL, " miejsce piętro urodziny mistrzostwa igrzyska okrążenie posiedzenie spotkanie "
	 "wydanie zadanie pytanie pokolenie stulecie imieniny ", 'r'},
	{NULL, " kwartale półroczu miejscu piętrze rozdziale roku wieku meczu odcinku sezonie "
	 "tygodniu dniu miesiącu etapie kroku punkcie secie semestrze kilometrze "
	 "wydaniu zadaniu ", 'L'},
	{NULL, " klasy edycji rundy kolejki części ligi połowy strony lekcji dekady próby rocznicy "
	 "minuty godziny pozycji raty serii ", 'e'},
	{NULL, " minucie sekundzie godzinie klasie rundzie edycji kolejce części lidze połowie "
	 "stronie lekcji dekadzie rocznicy rocznicę próbie odsłonie pozycji ", 'e'},
	{NULL, " miejsca piętra rozdziału wieku meczu odcinka sezonu tygodnia dnia miesiąca etapu "
	 "kroku punktu ", 'G'},
	{NULL, " raz dzień etap sezon odcinek mecz tydzień miesiąc rok wiek rozdział kwartał punkt "
	 "krok festiwal konkurs maraton wyścig tom ", 'o'},
	{NULL, " część rocznica edycja runda klasa kolejka liga połowa strona lekcja dekada próba "
	 "minuta godzina pozycja rata wersja seria ", 'p'},
	{NULL, NULL, 'o'},
	{NULL, NULL, 0},
};

static const struct by_neighbours language_pl_ordinals_at_end[] = {
	{" raz ", NULL, 'o'},
	{" lata ", NULL, 'r'},
	{" lat latach latami l ", NULL, 'H'},
	{NULL, NULL, 0},
};

/* "przed piątym maja" */
static const struct by_neighbours language_pl_days[] = {
	{" przed po ", NULL, 'L'},
	{NULL, NULL, 'G'},
	{NULL, NULL, 0},
};

static const struct by_neighbours language_pl_hours[] = {
	{" o od do po około ok koło godzinie godziny godzinach poniżej ", NULL, 'e'},
	{" godz ", NULL, 'e', " o od do po w "},
	{" przed między a godziną ", NULL, 'a'},
	{NULL, NULL, 'p'},
	{NULL, NULL, 0},
};

static const struct fraction language_pl_fractions[] = {
	{1, 2, "pół", "{w} i pół"},
	{0, 0, NULL, NULL},
};

static const struct calendar_name language_pl_months[] = {
	{"stycznia", " sty styczeń "}, {"lutego", " lut luty "},
	{"marca", " mar marzec "}, {"kwietnia", " kwi kwiecień "},
	{"maja", " maj "}, {"czerwca", " cze czerwiec "}, {"lipca", " lip lipiec "},
	{"sierpnia", " sierp sierpień "}, {"września", " wrz wrzesień "},
	{"października", " paź październik "}, {"listopada", " listopad "},
	{"grudnia", " gru grudzień "},
};

static const struct calendar_name language_pl_weekdays[] = {
	{"poniedziałek", " pon pn ", "poniedziałku"}, {"wtorek", " wt ", "wtorku"},
	{"środa", " śr ", "środy"}, {"czwartek", " czw ", "czwartku"},
	{"piątek", " pt ", "piątku"}, {"sobota", " sob sb ", "soboty"},
	{"niedziela", " niedz nd ", "niedzieli"},
};

static const struct by_neighbours language_pl_years[] = {
	{" w we po przed ", " r roku ", 'L'},
	{NULL, " r roku ", 'G'},
	{" rok ", NULL, 'o'},
	{" roku ", NULL, 'L'},
	{" styczeń luty marzec kwiecień maj czerwiec lipiec sierpień wrzesień październik listopad "
	 "grudzień styczniu lutym marcu kwietniu maju czerwcu lipcu sierpniu wrześniu "
	 "październiku listopadzie grudniu ", NULL, 'G'},
	{NULL, NULL, 0},
};

static const struct by_neighbours language_pl_romans[] = {
	{" pawła jana zygmunta władysława kazimierza bolesława stanisława augusta henryka karola "
	 "ludwika fryderyka wilhelma piotra piusa mieszka benedykta mikołaja ", NULL, 'G'},
	{" elżbiety katarzyny wiktorii małgorzaty marii ", NULL, 'e'},
	{" pawłem janem zygmuntem władysławem kazimierzem stanisławem augustem karolem ludwikiem "
	 "pawle janie zygmuncie władysławie kazimierzu stanisławie auguście karolu ludwiku ",
	 NULL, 'L'},
	{" w we po ", " w wieku roku kwartale półroczu semestrze etapie ", 'L'},
	{NULL, " w wieku ", 'G'},
	{NULL, " wiek kwartał semestr etap konkurs festiwal zjazd sejm kongres program ", 'o'},
	{NULL, " wojna liga rzesza rp edycja klasa brygada dywizja ", 'p'},
	{NULL, " wojny wojnie lidze ligi rzeszy edycji klasie klasy ", 'e'},
	{NULL, " wojnę wojną ", 'a'},
	{NULL, " piętro miejsce liceum ", 'r'},
	{" rozdział tom akt etap stopień dział tytuł punkt poziom typ ", NULL, 'o'},
	{" część klasa księga scena grupa runda seria kategoria wersja faza liga ", NULL, 'p'},
	{" wieku rozdziale tomie akcie etapie ", NULL, 'L'},
	{" części klasie klasy księdze scenie grupie ", NULL, 'e'},
	{" rozdziału tomu aktu etapu stopnia ", NULL, 'G'},
	{NULL, NULL, 0},
};

static const struct abbreviation language_pl_abbreviations[] = {
	{"godz.", "godzinie", 0, " o po "}, {"godz.", "godziny", 0, " od do "},
	{"godz.", "godzinach", 0, " w "}, {"ul.", "ulicy", 0, " przy na z od do "},
	{"al.", "alei", 0, " przy na z od do "}, {"pl.", "placu", 0, " przy na z od do "},
	{"os.", "osiedlu", WHEN_BEFORE_CAPITAL, " na "}, {"pon.", "poniedziałku", 0, " od do "},
	{"wt.", "wtorku", 0, " od do "}, {"śr.", "środy", 0, " od do "},
	{"czw.", "czwartku", 0, " od do "}, {"pt.", "piątku", 0, " od do "},
	{"pt.", "piątek", 0, " w "}, {"śr.", "środę", 0, " w we "},
	{"sob.", "sobotę", 0, " w "}, {"niedz.", "niedzielę", 0, " w "},
	{"al.Jerozolimskie", "aleje Jerozolimskie", 0}, {"al.Ujazdowskie", "aleje Ujazdowskie", 0},
	{"św.Anny", "świętej Anny", 0}, {"św.Barbary", "świętej Barbary", 0},
	{"św.Teresy", "świętej Teresy", 0}, {"św.Katarzyny", "świętej Katarzyny", 0},
	{"św.Jadwigi", "świętej Jadwigi", 0}, {"św.Elżbiety", "świętej Elżbiety", 0},
	{"św.Jana", "świętego Jana", 0}, {"św.Pawła", "świętego Pawła", 0},
	{"św.Piotra", "świętego Piotra", 0}, {"św.Wojciecha", "świętego Wojciecha", 0},
	{"św.Mikołaja", "świętego Mikołaja", 0}, {"św.Marcina", "świętego Marcina", 0},
	{"św.Stanisława", "świętego Stanisława", 0}, {"św.Józefa", "świętego Józefa", 0},
	{"św.Floriana", "świętego Floriana", 0}, {"św.Ducha", "świętego Ducha", 0},
	{"woj.", "województwo", WHEN_BEFORE_LOWER}, {"pow.", "powiat", WHEN_BEFORE_LOWER},
	{"gm.", "gmina", WHEN_BEFORE_CAPITAL}, {"kom.", "komórka", WHEN_BEFORE_NUMBER},
	{"max.", "maksymalnie", WHEN_BEFORE_NUMBER}, {"maks.", "maksymalnie", 0},
	{"min.", "minimum", WHEN_BEFORE_NUMBER}, {"m.", "mieszkanie", WHEN_BEFORE_NUMBER},
	{"50/50", "pięćdziesiąt na pięćdziesiąt", 0}, {"sob.", "soboty", 0, " od do "},
	{"niedz.", "niedzieli", 0, " od do "},
	{"np.", "na przykład", 0}, {"itd.", "i tak dalej", 0}, {"itp.", "i tym podobne", 0},
	{"m.in.", "między innymi", 0}, {"tj.", "to jest", 0},
	{"tzn.", "to znaczy", 0}, {"tzw.", "tak zwany", 0}, {"etc.", "et cetera", 0},
	{"cdn.", "ciąg dalszy nastąpi", 0}, {"jw.", "jak wyżej", 0}, {"wg", "według", 0},
	{"ok.", "około", WHEN_SENTENCE_GOES_ON}, {"zob.", "zobacz", 0}, {"por.", "porównaj", 0},
	{"ds.", "do spraw", 0}, {"im.", "imienia", WHEN_BEFORE_CAPITAL},
	{"pt.", "pod tytułem", 0}, {"dot.", "dotyczy", 0}, {"ww.", "wyżej wymieniony", 0},
	{"dr.", "doktora", 0}, {"dr", "doktor", 0}, {"prof.", "profesor", 0},
	{"mgr", "magister", 0}, {"inż.", "inżynier", 0}, {"lek.", "lekarz", 0},
	{"hab.", "habilitowany", 0}, {"ks.", "ksiądz", 0}, {"gen.", "generał", WHEN_BEFORE_CAPITAL},
	{"płk", "pułkownik", 0}, {"kpt.", "kapitan", 0}, {"św.", "święty", 0}, {"bp", "biskup", 0},
	{"abp", "arcybiskup", 0}, {"ul.", "ulica", 0}, {"al.", "aleja", 0}, {"pl.", "plac", 0},
	{"os.", "osiedle", WHEN_BEFORE_CAPITAL}, {"nr", "numer", 0}, {"nr.", "numer", 0},
	{"str.", "strona", 0}, {"s.", "strona", WHEN_BEFORE_NUMBER}, {"rys.", "rysunek", 0},
	{"tab.", "tabela", WHEN_BEFORE_NUMBER}, {"rozdz.", "rozdział", 0},
	{"art.", "artykuł", WHEN_BEFORE_NUMBER}, {"ust.", "ustęp", WHEN_BEFORE_NUMBER},
	{"pkt proc.", "punktów procentowych", 0}, {"pkt", "punkt", 0},
	{"n.p.m.", "nad poziomem morza", 0}, {"poz.", "pozycja", WHEN_BEFORE_NUMBER},
	{"tel.", "telefon", 0},
	{"godz.", "godzina", 0}, {"r.", "roku", WHEN_AFTER_NUMBER},
	{"w.", "wieku", WHEN_AFTER_CAPITAL}, {"p.n.e.", "przed naszą erą", 0},
	{"n.e.", "naszej ery", 0}, {"tys.", "tysięcy", 0}, {"mln", "milionów", 0},
	{"mld", "miliardów", 0}, {"proc.", "procent", 0},
	{"z o.o.", "z ograniczoną odpowiedzialnością", 0}, {"sp.", "spółka", 0},
	{"S.A.", "S A", 0}, {"vs.", "versus", 0}, {"vs", "versus", 0}, {"C++", "C plus plus", 0},
	{"24/7", "dwadzieścia cztery na siedem", 0}, {"w l.", "w latach", WHEN_BEFORE_NUMBER},
	{NULL, NULL, 0},
};

static const struct sign language_pl_signs[] = {
	{"&", "i", 0}, {"§", "paragraf", 0}, {"#", "numer", WHEN_BEFORE_NUMBER},
	{"+", "plus", 0}, {"=", "równa się", 0}, {"−", "minus", WHEN_AFTER_NUMBER},
	{"-", "minus", WHEN_AFTER_NUMBER | WHEN_BEFORE_NUMBER},
	{"²", "do kwadratu", WHEN_AFTER_NUMBER}, {"³", "do sześcianu", WHEN_AFTER_NUMBER},
	{"×", "razy", 0},
	{"*", "razy", WHEN_AFTER_NUMBER | WHEN_BEFORE_NUMBER}, {"÷", "podzielić przez", 0},
	{"±", "plus minus", 0}, {"~", "około", WHEN_BEFORE_NUMBER}, {"≈", "w przybliżeniu", 0},
	{"<", "mniejsze niż", 0}, {">", "większe niż", 0}, {"≤", "mniejsze lub równe", 0},
	{"≥", "większe lub równe", 0}, {"≠", "różne od", 0}, {"@", "małpa", 0},
	{"%", "procent", 0}, {"€", "euro", 0}, {"™", "", 0}, {"®", "", 0}, {"©", "", 0},
	{NULL, NULL, 0},
};

static const struct sign language_pl_spelled_signs[] = {
	{"!", "wykrzyknik", 0}, {"\"", "cudzysłów", 0}, {"#", "hasz", 0}, {"$", "dolar", 0},
	{"%", "procent", 0}, {"&", "i", 0}, {"'", "apostrof", 0}, {"(", "nawias otwierający", 0},
	{")", "nawias zamykający", 0}, {"*", "gwiazdka", 0}, {"+", "plus", 0},
	{",", "przecinek", 0}, {"-", "myślnik", 0}, {".", "kropka", 0}, {"/", "ukośnik", 0},
	{":", "dwukropek", 0}, {";", "średnik", 0}, {"<", "mniejsze niż", 0},
	{"=", "równa się", 0}, {">", "większe niż", 0}, {"?", "znak zapytania", 0},
	{"@", "małpa", 0}, {"[", "nawias kwadratowy otwierający", 0},
	{"\\", "ukośnik wsteczny", 0}, {"]", "nawias kwadratowy zamykający", 0},
	{"^", "daszek", 0}, {"_", "podkreślenie", 0}, {"`", "akcent", 0},
	{"{", "nawias klamrowy otwierający", 0}, {"|", "pionowa kreska", 0},
	{"}", "nawias klamrowy zamykający", 0}, {"~", "tylda", 0}, {NULL, NULL, 0},
};

static const struct reading_rules language_pl_reading = {
	.numbers = language_pl_numbers,
	.decimal = ',',
	.thousands = " .",
	.decimal_word = "przecinek",
	.other_decimal_word = "kropka",
	.decimals_as_number = 2,
	.minus = "minus",
	.plus = "plus",
	.plural = PLURAL_POLISH,
	.units = language_pl_units,
	.per = "na {u}",
	.money_per = "za {u}",
	.currencies = language_pl_currencies,
	.money_cents = "{n} {unit} {c} {cent}",
	.money_only_cents = "{c} {cent}",
	.magnitudes = language_pl_magnitudes,
	.cardinals = language_pl_cardinals,
	.agreement = language_pl_agreement,
	.between = " nowe nowych nowa wolne wolnych duże małe ostatnie ostatnich kolejne kolejnych "
		   "następne dobre inne różne dodatkowe dodatkowych nieprzeczytane nieodebrane "
		   "nieprzeczytanych nieodebranych ",
	.or_words = " lub albo czy ",
	.no_noun = " i oraz lub albo do od w we z ze na to jest są plus minus razy dla za aby o po "
		   "ponad bo co ale nie jako się oznacza potwierdza ma ",
	.ordinals = language_pl_ordinals,
	.ordinals_at_end = language_pl_ordinals_at_end,
	.fractions = language_pl_fractions,
	.fraction = "{n:f} {d}",
	.fraction_mixed = "{w} i {n:f} {d}",
	.fraction_max = 100,
	.over = "przez",
	.date_order = DATE_DAY_FIRST,
	.date_marks = "./-",
	.months = language_pl_months,
	.weekdays = language_pl_weekdays,
	.date = "{day:G} {month} {year:G} roku",
	.date_tail = " r. roku ",
	.date_before = " dnia dniu do od ",
	.day_links = " do i oraz ",
	.days = language_pl_days,
	.date_without_year = "{day:*} {month}",
	.date_dmy = "{day:*} {month} {year:G}",
	.date_dm = "{day:*} {month}",
	.year_least = 1,
	.year_most = 2999,
	.years = language_pl_years,
	.time_marks = ":.",
	.time_before = " o godz godzinie godziny godzinach ",
	.time_before_maybe = " od do po przed około ok między a godziną ",
	.hour_words = " godz godzinie godzinach godziny ",
	.time_hm = "{h:*} {m}",
	.time_hm_small = "{h:*} zero {m}",
	.time_h = "{h:*}",
	.time_hms = "{h:*} {m} i {s} sekund",
	.hours = language_pl_hours,
	.to = "do",
	.to_key = 'g',
	.range_times = {"od", "do", 'e'},
	.range_years = {"od", "do", 'G'},
	.range_days = {"od", "do", 'G'},
	.score = "do",
	.phone_shapes = " 333 2322 4444 2444444 ",
	.phone_words = " tel telefon telefonu numer infolinia infolinii ",
	.roman_name = "{n:o}",
	.roman_name_feminine = "{n:p}",
	.feminine_names = " elżbieta katarzyna małgorzata wiktoria krystyna maria anna izabela ",
	.names = " jan zygmunt władysław kazimierz bolesław mieszko stanisław august henryk karol "
		 "ludwik fryderyk wilhelm jerzy piotr paweł pius benedykt grzegorz leon franciszek "
		 "elżbieta katarzyna małgorzata ",
	.romans = language_pl_romans,
	.abbreviations = language_pl_abbreviations,
	.spelled = " USA UE ",
	.said = " NATO NASA UNESCO UNICEF ZUS NIP PIN PIT VAT PESEL GUS LOT KRUS REGON CIT IKEA "
		"RODO PAN MON SOR RAM ROM GIF SIM ISO BIK FIFA UEFA OK ",
	.signs = language_pl_signs,
	.joined_suffixes = " letni letnia letnie letniego letniej letnich letnim latek latka "
			   "latków dniowy dniowa dniowe dniowego dniowej dniowych dniowym "
			   "godzinny godzinna godzinne godzinnego godzinnej minutowy "
			   "minutowa minutowe minutowego minutowej miesięczny miesięczna "
			   "miesięczne miesięcznego miesięcznej tygodniowy tygodniowa "
			   "tygodniowe tygodniowego procentowy procentowa procentowe "
			   "procentowego procentowej osobowy osobowa osobowe osobowego "
			   "osobowej krotny krotna krotne krotnie krotnego cyfrowy cyfrowa "
			   "cyfrowe cyfrowego pokojowy pokojowa pokojowe pokojowego piętrowy "
			   "piętrowa piętrowe lecie lecia leciu ",
	.spelled_signs = language_pl_spelled_signs,
	.space = "spacja",
	.version = "wersja",
	.version_words = " wersja wersji wersję python ios android windows ubuntu php java "
			 "firmware ",
	.hashtag = "hasztag",
	.domains = " pl eu io ai tv uk us de fr it es nl pt cz sk ru ua me ",
	.extensions = " pdf csv txt jpg jpeg png gif xls ppt xml html htm css sql md js ts ",
};

const struct language language_pl = {
	.code = "pl",
	.ordinals = true,
	.never = " dr prof inż mgr hab doc lek ks św bł ul al pl os gen płk ppłk kpt np tj tzn "
		 "tzw m.in ang łac niem red zob dot ds pt br ",
	.starter = " tys r w n.e p.n.e godz sek min nr str s poz rozdz tel rys tab ust ok im ",
	.capital = " itd itp etc in proc ",
	.word = " art por ",
	.starters = " a ale i lub albo bo więc jeśli gdy kiedy gdzie kto co jak dlaczego czy to "
		    "ten ta te ci on ona ono oni one ja ty my wy w we z ze na do od po pod nad "
		    "przed za przez dla bez u o potem następnie teraz dziś dzisiaj wczoraj jutro "
		    "tu tam jest są był była było nie tak dziękuję wszystkie wszyscy każdy jego "
		    "jej ich nasz mój twój proszę ",
	.reading = &language_pl_reading,
};
/* clang-format on */
