/* language_de.c: German (see language.h and reading.h). */
#include "text/language.h"

/* Tables and lists are wrapped by hand. */
/* clang-format off */

#define MILLIONS \
	{1000000, 0, "=M=[ >>]"}, {1000000000, 0, "=M=[ >>]"}, \
	{1000000000000, 0, "=M=[ >>]"}, {1000000000000000, 0, "=M=[ >>]"}

/* "eins" alone and at the end of larger numbers. */
static const struct number_rule language_de_numbers_c[] = {
	{0, 0, "null"}, {1, 0, "eins"}, {2, 0, "zwei"}, {3, 0, "drei"}, {4, 0, "vier"},
	{5, 0, "fünf"}, {6, 0, "sechs"}, {7, 0, "sieben"}, {8, 0, "acht"}, {9, 0, "neun"},
	{10, 0, "zehn"}, {11, 0, "elf"}, {12, 0, "zwölf"}, {13, 0, "dreizehn"},
	{14, 0, "vierzehn"}, {15, 0, "fünfzehn"}, {16, 0, "sechzehn"}, {17, 0, "siebzehn"},
	{18, 0, "achtzehn"}, {19, 0, "neunzehn"},
	{20, 0, "[>m>und]zwanzig"}, {30, 0, "[>m>und]dreißig"}, {40, 0, "[>m>und]vierzig"},
	{50, 0, "[>m>und]fünfzig"}, {60, 0, "[>m>und]sechzig"}, {70, 0, "[>m>und]siebzig"},
	{80, 0, "[>m>und]achtzig"}, {90, 0, "[>m>und]neunzig"},
	{100, 0, "<m<hundert[>>]"}, {1000, 0, "<m<tausend[>>]"},
	MILLIONS,
	{NUMBER_RULES_END, 0, NULL},
};

/* The millions of a number, without the remainder. */
static const struct number_rule language_de_numbers_millions[] = {
	{0, 0, ""}, {1000000, 0, "eine Million"}, {2000000, 0, "<f< Millionen"},
	{1000000000, 0, "eine Milliarde"}, {2000000000, 0, "<f< Milliarden"},
	{1000000000000, 0, "eine Billion"}, {2000000000000, 0, "<f< Billionen"},
	{1000000000000000, 0, "eine Billiarde"}, {2000000000000000, 0, "<f< Billiarden"},
	{NUMBER_RULES_END, 0, NULL},
};

/* "ein Kilometer", "einhundertein Kilometer"; neuter too. */
static const struct number_rule language_de_numbers_m[] = {
	{0, 0, "=c="}, {1, 0, "ein"}, {2, 0, "=c="},
	{100, 0, "<<hundert[>>]"}, {1000, 0, "<<tausend[>>]"}, MILLIONS,
	{NUMBER_RULES_END, 0, NULL},
};

static const struct number_rule language_de_numbers_f[] = {
	{0, 0, "=c="}, {1, 0, "eine"}, {2, 0, "=c="},
	{100, 0, "<m<hundert[>>]"}, {1000, 0, "<m<tausend[>>]"}, MILLIONS,
	{NUMBER_RULES_END, 0, NULL},
};

/* Ordinals without their endings. */
static const struct number_rule language_de_numbers_t[] = {
	{0, 0, "nullt"}, {1, 0, "erst"}, {2, 0, "=c=t"}, {3, 0, "dritt"}, {4, 0, "=c=t"},
	{7, 0, "siebt"}, {8, 0, "acht"}, {9, 0, "=c=t"}, {20, 0, "=c=st"},
	{100, 0, "<m<hundert>u>"}, {1000, 0, "<m<tausend>u>"}, {1000000, 0, "=c=st"},
	{NUMBER_RULES_END, 0, NULL},
};

/* The remainder after "hundert" and "tausend" in ordinals. */
static const struct number_rule language_de_numbers_u[] = {
	{0, 0, "st"}, {1, 0, "=t="}, {NUMBER_RULES_END, 0, NULL},
};

/* der erste, den ersten, ein erster, ein erstes */
static const struct number_rule language_de_numbers_o[] = {{0, 0, "=t=e"}, {NUMBER_RULES_END, 0, NULL}};
static const struct number_rule language_de_numbers_n[] = {{0, 0, "=t=en"}, {NUMBER_RULES_END, 0, NULL}};
static const struct number_rule language_de_numbers_r[] = {{0, 0, "=t=er"}, {NUMBER_RULES_END, 0, NULL}};
static const struct number_rule language_de_numbers_s[] = {{0, 0, "=t=es"}, {NUMBER_RULES_END, 0, NULL}};

/* neunzehnhundertneunzig */
static const struct number_rule language_de_numbers_y[] = {
	{0, 0, "=c="}, {1100, 100, "<c<hundert[>c>]"}, {2000, 0, "=c="},
	{NUMBER_RULES_END, 0, NULL},
};

/* neunziger, neunzehnhundertneunziger */
static const struct number_rule language_de_numbers_k[] = {
	{0, 0, "er"}, {1, 0, "=c=er"}, {1100, 100, "<c<hundert>k>"}, {2000, 0, "=c=er"},
	{NUMBER_RULES_END, 0, NULL},
};

static const struct number_rule language_de_numbers_q[] = {
	{0, 0, "=c=tel"}, {2, 0, "Halbe"}, {3, 0, "Drittel"}, {4, 0, "Viertel"}, {5, 0, "Fünftel"},
	{6, 0, "Sechstel"}, {7, 0, "Siebtel"}, {8, 0, "Achtel"}, {9, 0, "Neuntel"},
	{10, 0, "Zehntel"}, {11, 0, "Elftel"}, {12, 0, "Zwölftel"}, {13, 0, "Dreizehntel"},
	{14, 0, "Vierzehntel"}, {15, 0, "Fünfzehntel"}, {16, 0, "Sechzehntel"},
	{17, 0, "Siebzehntel"}, {18, 0, "Achtzehntel"}, {19, 0, "Neunzehntel"},
	{20, 0, "Zwanzigstel"}, {21, 0, "=c=stel"}, {100, 0, "Hundertstel"}, {101, 0, "=t=el"},
	{1000, 0, "Tausendstel"}, {1001, 0, "=t=el"},
	{NUMBER_RULES_END, 0, NULL},
};

/* Digit by digit, as codes are read. */
static const struct number_rule language_de_numbers_digits[] = {
	{0, 0, "=c="}, {10, 10, "<< >c>"}, {NUMBER_RULES_END, 0, NULL},
};

/* Emergency numbers. */
static const struct number_rule language_de_numbers_emergency[] = {
	{0, 0, "=c="}, {110, 0, "eins eins null"}, {111, 0, "=c="}, {112, 0, "eins eins zwei"},
	{113, 0, "=c="}, {NUMBER_RULES_END, 0, NULL},
};

/* neunzigern */
static const struct number_rule language_de_numbers_kn[] = {{0, 0, "=k=n"}, {NUMBER_RULES_END, 0, NULL}};

/* The number 1 in other cases. */
static const struct number_rule language_de_numbers_einem[] = {
	{0, 0, "=c="}, {1, 0, "einem"}, {2, 0, "=c="}, {NUMBER_RULES_END, 0, NULL},
};
static const struct number_rule language_de_numbers_einen[] = {
	{0, 0, "=c="}, {1, 0, "einen"}, {2, 0, "=c="}, {NUMBER_RULES_END, 0, NULL},
};
static const struct number_rule language_de_numbers_einer[] = {
	{0, 0, "=c="}, {1, 0, "einer"}, {2, 0, "=c="}, {NUMBER_RULES_END, 0, NULL},
};

static const struct number_set language_de_numbers[] = {
	{'c', language_de_numbers_c}, {'C', language_de_numbers_c}, {'m', language_de_numbers_m}, {'n', language_de_numbers_m}, {'f', language_de_numbers_f},
	{'t', language_de_numbers_t},
	{'u', language_de_numbers_u}, {'o', language_de_numbers_o}, {'p', language_de_numbers_o}, {'N', language_de_numbers_n}, {'R', language_de_numbers_r},
	{'S', language_de_numbers_s},
	{'y', language_de_numbers_y}, {'k', language_de_numbers_k}, {'q', language_de_numbers_q}, {'Q', language_de_numbers_q},
	{'j', language_de_numbers_m}, {'M', language_de_numbers_millions}, {'D', language_de_numbers_digits}, {'E', language_de_numbers_emergency},
	{'K', language_de_numbers_kn}, {'d', language_de_numbers_einem}, {'a', language_de_numbers_einen}, {'F', language_de_numbers_einer},
	{0, NULL},
};

static const struct measure_unit language_de_units[] = {
	{.written = " % Prozent ", .name = {.one = "Prozent", .key = 'n'}},
	{.written = " %ig ", .name = {.one = "prozentig", .key = 'j'}, .tight = true},
	{.written = " %ige ", .name = {.one = "prozentige", .key = 'j'}, .tight = true},
	{.written = " %igen ", .name = {.one = "prozentigen", .key = 'j'}, .tight = true},
	{.written = " %iger ", .name = {.one = "prozentiger", .key = 'j'}, .tight = true},
	{.written = " %iges ", .name = {.one = "prozentiges", .key = 'j'}, .tight = true},
	{.written = " ‰ Promille ", .name = {.one = "Promille", .key = 'n'}},
	{.written = " ° Grad ", .name = {.one = "Grad", .key = 'n'}},
	{.written = " °C ", .name = {.one = "Grad Celsius", .key = 'n'}},
	{.written = " °F ", .name = {.one = "Grad Fahrenheit", .key = 'n'}},
	{.written = " km Kilometer ", .name = {.one = "Kilometer", .key = 'm', .dative = "Kilometern"}},
	{.written = " m Meter ", .name = {.one = "Meter", .key = 'm', .dative = "Metern"}},
	{.written = " dm ", .name = {.one = "Dezimeter", .key = 'm', .dative = "Dezimetern"}},
	{.written = " \" ″ Zoll ", .name = {.one = "Zoll", .key = 'm'}},
	{.written = " cm Zentimeter ", .name = {.one = "Zentimeter", .key = 'm', .dative = "Zentimetern"}},
	{.written = " mm Millimeter ", .name = {.one = "Millimeter", .key = 'm', .dative = "Millimetern"}},
	{.written = " µm μm ", .name = {.one = "Mikrometer", .key = 'm', .dative = "Mikrometern"}},
	{.written = " nm ", .name = {.one = "Nanometer", .key = 'm', .dative = "Nanometern"}},
	{.written = " km² km2 qkm ", .name = {.one = "Quadratkilometer", .key = 'm', .dative = "Quadratkilometern"}},
	{.written = " m² m2 qm ", .name = {.one = "Quadratmeter", .key = 'm', .dative = "Quadratmetern"}},
	{.written = " cm² cm2 ", .name = {.one = "Quadratzentimeter", .key = 'm', .dative = "Quadratzentimetern"}},
	{.written = " m³ m3 ", .name = {.one = "Kubikmeter", .key = 'm', .dative = "Kubikmetern"}},
	{.written = " cm³ cm3 ", .name = {.one = "Kubikzentimeter", .key = 'm', .dative = "Kubikzentimetern"}},
	{.written = " ha Hektar ", .name = {.one = "Hektar", .key = 'm'}},
	{.written = " l L Liter ", .name = {.one = "Liter", .key = 'm', .dative = "Litern"}},
	{.written = " ml mL Milliliter ", .name = {.one = "Milliliter", .key = 'm', .dative = "Millilitern"}},
	{.written = " cl ", .name = {.one = "Zentiliter", .key = 'm', .dative = "Zentilitern"}},
	{.written = " dl ", .name = {.one = "Deziliter", .key = 'm', .dative = "Dezilitern"}},
	{.written = " hl ", .name = {.one = "Hektoliter", .key = 'm', .dative = "Hektolitern"}},
	{.written = " kg Kilogramm ", .name = {.one = "Kilogramm", .key = 'n'}},
	{.written = " Kilo ", .name = {.one = "Kilo", .key = 'n'}},
	{.written = " g Gramm ", .name = {.one = "Gramm", .key = 'n'}},
	{.written = " mg Milligramm ", .name = {.one = "Milligramm", .key = 'n'}},
	{.written = " µg μg ", .name = {.one = "Mikrogramm", .key = 'n'}},
	{.written = " t Tonne Tonnen ", .name = {.one = "Tonne", .many = "Tonnen", .key = 'f'}},
	{.written = " h Std Std. Stunde Stunden ",
	 .name = {.one = "Stunde", .many = "Stunden", .key = 'f'}},
	{.written = " min Min Min. min. Minute Minuten ",
	 .name = {.one = "Minute", .many = "Minuten", .key = 'f'}},
	{.written = " s Sek Sek. sek. Sekunde Sekunden ",
	 .name = {.one = "Sekunde", .many = "Sekunden", .key = 'f'}},
	{.written = " ms ", .name = {.one = "Millisekunde", .many = "Millisekunden", .key = 'f'}},
	{.written = " µs μs ",
	 .name = {.one = "Mikrosekunde", .many = "Mikrosekunden", .key = 'f'}},
	{.written = " Woche Wochen ", .name = {.one = "Woche", .many = "Wochen", .key = 'f'}},
	{.written = " m/s ", .name = {.one = "Meter pro Sekunde", .key = 'm'}},
	{.written = " m/s² m/s2 ", .name = {.one = "Meter pro Quadratsekunde", .key = 'm'}},
	{.written = " km/h ",
	 .name = {.one = "Kilometer pro Stunde", .key = 'm'}},
	{.written = " kB KB ", .name = {.one = "Kilobyte", .key = 'n'}},
	{.written = " MB ", .name = {.one = "Megabyte", .key = 'n'}},
	{.written = " GB ", .name = {.one = "Gigabyte", .key = 'n'}},
	{.written = " TB ", .name = {.one = "Terabyte", .key = 'n'}},
	{.written = " kbit ", .name = {.one = "Kilobit", .key = 'n'}},
	{.written = " Mbit MBit Mb ", .name = {.one = "Megabit", .key = 'n'}},
	{.written = " Gbit GBit Gb ", .name = {.one = "Gigabit", .key = 'n'}},
	{.written = " kbps ", .name = {.one = "Kilobit pro Sekunde", .key = 'n'}},
	{.written = " Mbps ", .name = {.one = "Megabit pro Sekunde", .key = 'n'}},
	{.written = " Gbps ", .name = {.one = "Gigabit pro Sekunde", .key = 'n'}},
	{.written = " Hz ", .name = {.one = "Hertz", .key = 'n'}},
	{.written = " kHz ", .name = {.one = "Kilohertz", .key = 'n'}},
	{.written = " MHz ", .name = {.one = "Megahertz", .key = 'n'}},
	{.written = " GHz ", .name = {.one = "Gigahertz", .key = 'n'}},
	{.written = " W Watt ", .name = {.one = "Watt", .key = 'n'}},
	{.written = " kW ", .name = {.one = "Kilowatt", .key = 'n'}},
	{.written = " MW ", .name = {.one = "Megawatt", .key = 'n'}},
	{.written = " GW ", .name = {.one = "Gigawatt", .key = 'n'}},
	{.written = " Wh ", .name = {.one = "Wattstunde", .many = "Wattstunden", .key = 'f'}},
	{.written = " kWh ",
	 .name = {.one = "Kilowattstunde", .many = "Kilowattstunden", .key = 'f'}},
	{.written = " MWh ",
	 .name = {.one = "Megawattstunde", .many = "Megawattstunden", .key = 'f'}},
	{.written = " V Volt ", .name = {.one = "Volt", .key = 'n'}},
	{.written = " Ampere ", .name = {.one = "Ampere", .key = 'n'}},
	{.written = " mA ", .name = {.one = "Milliampere", .key = 'n'}},
	{.written = " mAh ",
	 .name = {.one = "Milliamperestunde", .many = "Milliamperestunden", .key = 'f'}},
	{.written = " Ω ", .name = {.one = "Ohm", .key = 'n'}},
	{.written = " Pa ", .name = {.one = "Pascal", .key = 'n'}},
	{.written = " hPa ", .name = {.one = "Hektopascal", .key = 'n'}},
	{.written = " bar Bar ", .name = {.one = "Bar", .key = 'n'}},
	{.written = " dB ", .name = {.one = "Dezibel", .key = 'n'}},
	{.written = " kJ ", .name = {.one = "Kilojoule", .key = 'n'}},
	{.written = " kcal ",
	 .name = {.one = "Kilokalorie", .many = "Kilokalorien", .key = 'f'}},
	{.written = " PS ", .name = {.one = "P S", .key = 'n'}},
	{.written = " px ", .name = {.one = "Pixel", .key = 'n'}},
	{.written = " MP ", .name = {.one = "Megapixel", .key = 'n'}},
	{.written = " x mal ", .name = {.one = "mal", .key = 'n'}, .joined = true, .tight = true},
	{.written = " x ", .name = {.one = "mal"}},
	{.written = " TL Teelöffel ", .name = {.one = "Teelöffel", .key = 'm', .dative = "Teelöffeln"}},
	{.written = " EL Esslöffel ", .name = {.one = "Esslöffel", .key = 'm', .dative = "Esslöffeln"}},
	{.written = " Pfd. ", .name = {.one = "Pfund", .key = 'n'}},
	{.written = " Pck. Pkg. ", .name = {.one = "Päckchen", .key = 'n'}},
	{.written = " Stk Stk. Stck Stck. ", .name = {.one = "Stück", .key = 'n'}},
	{.written = NULL},
};

static const struct currency language_de_currencies[] = {
	{" € EUR Euro ", {.one = "Euro", .key = 'm'}, {.one = "Cent", .key = 'm'}},
	{" $ Dollar ", {.one = "Dollar", .key = 'm'}, {.one = "Cent", .key = 'm'}},
	{" USD US$ ", {.one = "U S-Dollar", .key = 'm'}, {.one = "Cent", .key = 'm'}},
	{" £ GBP Pfund ", {.one = "Pfund", .key = 'n'}, {.one = "Pence", .key = 'm'}},
	{" CHF SFr. ", {.one = "Schweizer Franken", .key = 'm'}, {.one = "Rappen", .key = 'm'}},
	{" Franken ", {.one = "Franken", .key = 'm'}, {.one = "Rappen", .key = 'm'}},
	{" ¥ JPY Yen ", {.one = "Yen", .key = 'm'}, {.one = NULL}},
	{" zł PLN ", {.one = "Zloty", .key = 'm'}, {.one = "Groszy", .key = 'm'}},
	{" Kč CZK ", {.one = "tschechische Krone", .many = "tschechische Kronen", .key = 'f'},
	 {.one = NULL}},
	{" kr ", {.one = "Krone", .many = "Kronen", .key = 'f'}, {.one = NULL}},
	{" R$ BRL ", {.one = "Real", .many = "Reais", .key = 'm'}, {.one = NULL}},
	{" ₹ INR ", {.one = "Rupie", .many = "Rupien", .key = 'f'}, {.one = NULL}},
	{" ₺ TRY ", {.one = "türkische Lira", .key = 'f'}, {.one = NULL}},
	{" ct ct. Ct Ct. Cent ", {.one = "Cent", .key = 'm'}, {.one = NULL}},
	{NULL, {.one = NULL}, {.one = NULL}},
};

static const struct magnitude language_de_magnitudes[] = {
	{.written = " T ", .name = {.one = "tausend"}, .money_only = true, .times = 1000},
	{.written = " Tsd. Tsd ", .name = {.one = "tausend"}, .times = 1000},
	{.written = " k K ", .name = {.one = "tausend"}, .money_only = true,
	 .times = 1000},
	{.written = " Mio. Mio Million Millionen ",
	 .name = {.one = "Million", .many = "Millionen", .key = 'f'}},
	{.written = " M ", .name = {.one = "Million", .many = "Millionen", .key = 'f'},
	 .money_only = true},
	{.written = " Mrd. Mrd Milliarde Milliarden ",
	 .name = {.one = "Milliarde", .many = "Milliarden", .key = 'f'}},
	{.written = " B bn Bn ",
	 .name = {.one = "Milliarde", .many = "Milliarden", .key = 'f'}, .money_only = true},
	{.written = " Bio. Bio Billion Billionen ",
	 .name = {.one = "Billion", .many = "Billionen", .key = 'f'}},
	{.written = NULL},
};

#define DATIVES \
	" nach in mit von aus bei zu vor hinter auf an seit während trotz wegen unter über neben "

#define WEAK_CASES \
	" am im vom zum zur beim ans dem den des ab bis seit einem einen einer eines meinem " \
	"meinen meiner meines deinem deinen deiner deines seinem seinen seiner seines ihrem " \
	"ihren ihrer ihres unserem unseren unserer unseres eurem euren eurer eures diesem " \
	"diesen dieses jedem jeden jedes jenem jenen keinem keinen welchem welchen alle " \
	"allen beide beiden "
#define ARTICLES \
	" der die das eine diese dieser jede jeder jene jener welche welcher meine deine seine " \
	"ihre unsere eure keine "

/* "am dritten", "der dritte", "ein dritter"; without such a word "3." numbers an item: "Es
 * sind drei: 1. Milch, 2. Brot". */
static const struct by_neighbours language_de_ordinals[] = {
	{" der ", NULL, 'N', DATIVES},
	{" und oder ", NULL, '='},
	{WEAK_CASES, NULL, 'N'},
	{ARTICLES, NULL, 'o'},
	{NULL, " tür etage straße reihe klasse liga runde auflage mahnung rate stunde woche seite "
	 "halbzeit minute person frage stufe phase ausgabe folge staffel spur kurve hälfte ", 'o'},
	{NULL, " kapitel mal jahr quartal semester stockwerk obergeschoss tor spiel kind ergebnis "
	 "jahrhundert jh jahrtausend treffen reich ", 'S'},
	{NULL, " platz preis rang sieger vorsitzender vorstand bürgermeister weltkrieg tag stock "
	 "versuch termin akt senat band gang teil schritt ", 'R'},
	{" ein kein mein dein sein ihr unser euer als ist war wird wurde belegt belegte erreicht "
	 "erreichte holt holte gewinnt gewann macht machte ", NULL, 'R'},
	{NULL, NULL, '-'},
	{NULL, NULL, 0},
};

static const struct by_neighbours language_de_days[] = {
	{" und oder ", NULL, '='},
	{WEAK_CASES, NULL, 'N'},
	{ARTICLES, NULL, 'o'},
	{NULL, NULL, 'R'},
	{NULL, NULL, 0},
};

/* "ein Tag", "eine Frage", but "Nummer eins". */
#define CODES \
	" code codes pin tan pincode bestätigungscode sicherheitscode zugangscode " \
	"aktivierungscode verifizierungscode kundennummer bestellnummer auftragsnummer " \
	"rechnungsnummer vertragsnummer versicherungsnummer buchungsnummer vorgangsnummer " \
	"ticketnummer mitgliedsnummer referenznummer kontonummer kartennummer plz postleitzahl " \
	"sendungsnummer blz "

static const struct by_neighbours language_de_cardinals[] = {
	{CODES, NULL, 'D'},
	{" ist lautet war ", NULL, 'D', CODES},
	{" auf ", NULL, 'D', " endet endend endende endenden "},
	{" notruf ", NULL, 'E'}, {" die ", "", 'E'},
	{" die ", " oder und an anrufen wählen rufen für ", 'E'},
	{" nummer nr schritt teil platz kapitel zimmer phase stufe version seite gleis band "
	 "abschnitt typ level punkt station linie gruppe klasse kategorie option "
	 "frage abs absatz satz artikel art paragraph ", NULL, 'C'},
	{NULL, NULL, 0},
};

/* Only 1 agrees: "zweitausendeins Gäste". */
static const struct by_ending language_de_agreement[] = {
	{"", " name kunde kollege junge buchstabe gedanke käse neffe experte auge ende interesse "
	 "gebäude gemüse stadion ", 'f',
	 " e ung heit keit schaft ion tät enz anz erin tei erei nacht stadt hand tür nachricht "
	 "person zahl fahrt uhr firma pizza app antwort arbeit mail sms frau karte "},
	{"", NULL, 'n', "*"},
	{NULL, NULL, 0},
};

/* Adjectives before a noun, after the number 1. */
static const struct by_ending language_de_adjectives[] = {
	{"", " ohne bitte heute alle sowie welche keine ", 'f', " e "},
	{"", " oder aber über unter hinter wieder außer sonder der per vier immer jeder des es ",
	 'n', " er es "},
	{"", " zwischen neben gegen wegen sieben oben unten außen innen morgen zusammen haben "
	 "drücken wählen tippen geben sagen nennen antworten sprechen ", 'a',
	 " en "},
	{NULL, NULL, 0},
};

/* A masculine noun of the text cannot be distinguished from a neuter one, so only units and
 * money have the accusative. */
static const struct by_neighbours language_de_cases[] = {
	{" in nach vor mit von aus bei seit zu innerhalb binnen ", NULL, '3'},
	{" für um ohne durch pro je gegen kostet kosten beträgt betrug zahlen zahlt zahle ", NULL,
	 '4'},
	{NULL, NULL, 0},
};

/* "bis zu 5 km" is a distance and does not require a case. */
static const struct by_neighbours language_de_datives[] = {
	{" zu ", NULL, '-', " bis "},
	{" in nach vor mit von aus bei seit zu ab binnen unter ", NULL, '3'},
	{NULL, NULL, 0},
};

/* "gültig bis 04/27" */
static const struct by_neighbours language_de_expiries[] = {
	{" bis ", NULL, 'm', " gültig "},
	{" ende ablaufdatum gültigkeit ", NULL, 'm'},
	{NULL, NULL, 0},
};

static const struct fraction language_de_fractions[] = {
	{1, 2, "ein halb", "{w:m}einhalb"},
	{0, 0, NULL, NULL},
};

static const struct calendar_name language_de_months[] = {
	{"Januar", " jan jän jänner "}, {"Februar", " feb feber "},
	{"März", " mär mrz "}, {"April", " apr "}, {"Mai", " "},
	{"Juni", " jun "}, {"Juli", " jul "}, {"August", " aug "},
	{"September", " sep sept "}, {"Oktober", " okt "},
	{"November", " nov "}, {"Dezember", " dez "},
};

static const struct calendar_name language_de_weekdays[] = {
	{"Montag", " mo "}, {"Dienstag", " di "}, {"Mittwoch", " mi "},
	{"Donnerstag", " do "}, {"Freitag", " fr "}, {"Samstag", " sa sonnabend "},
	{"Sonntag", " so "},
};

/* "1989" is a year unless a unit follows; from 2000 on years are read as numbers. */
static const struct by_neighbours language_de_years[] = {
	{CODES, NULL, 'c'},
	{" ist lautet war ", NULL, 'c', CODES},
	{" auf ", NULL, 'c', " endet endend endende endenden "},
	{NULL, NULL, 'y'},
	{NULL, NULL, 0},
};

/* "ein 6er-Pack", "in den 90ern" */
static const struct ordinal_mark language_de_ordinal_marks[] = {{" er ", 'k'}, {" ern ", 'K'}, {NULL, 0}};

/* "Heute ist der 7." */
static const struct by_neighbours language_de_ordinals_at_end[] = {
	{" der ", NULL, 'o'},
	{" am vom zum den dem ", NULL, 'N'},
	{" wurde wird werde wurden ", NULL, 'R'},
	{NULL, NULL, 0},
};

static const struct by_neighbours language_de_romans[] = {
	{NULL, " weltkrieg weltkriegs weltkrieges weltkriege jahrhundert jahrhunderts "
	 "jahrhunderte jh liga reich senat akt semester quartal ", '*'},
	{" kapitel band teil akt szene abschnitt artikel buch stufe klasse phase anhang gruppe "
	 "tafel satz typ bowl apollo rocky titan saturn ziffer ", NULL, 'c'},
	{NULL, NULL, 0},
};

static const struct abbreviation language_de_abbreviations[] = {
	{"z.B.", "zum Beispiel", 0}, {"d.h.", "das heißt", 0}, {"u.a.", "unter anderem", 0},
	{"i.d.R.", "in der Regel", 0}, {"z.T.", "zum Teil", 0}, {"v.a.", "vor allem", 0},
	{"u.U.", "unter Umständen", 0}, {"u.v.m.", "und vieles mehr", 0}, {"o.g.", "oben genannte", 0},
	{"u.g.", "unten genannte", 0}, {"u.v.a.m.", "und vieles andere mehr", 0},
	{"u.v.a.", "und viele andere", 0},
	{"u.Ä.", "und Ähnliches", 0}, {"o.Ä.", "oder Ähnliches", 0},
	{"u.ä.", "und ähnliche", 0}, {"o.ä.", "oder ähnliche", 0},
	{"z.Zt.", "zur Zeit", 0}, {"z.Hd.", "zu Händen", 0}, {"m.E.", "meines Erachtens", 0},
	{"i.A.", "im Auftrag", 0}, {"i.V.", "in Vertretung", 0}, {"a.D.", "außer Dienst", 0},
	{"s.o.", "siehe oben", 0}, {"s.u.", "siehe unten", 0},
	{"s. S.", "siehe Seite", WHEN_BEFORE_NUMBER}, {"ff.", "folgende", WHEN_AFTER_NUMBER | WHEN_AS_WRITTEN},
	{"f.", "folgende", WHEN_AFTER_NUMBER | WHEN_AS_WRITTEN}, {"ü. NN", "über Normalnull", 0},
	{"ü. d. M.", "über dem Meer", 0}, {"p.a.", "pro Jahr", 0}, {"p.P.", "pro Person", 0},
	{"b.w.", "bitte wenden", 0}, {"a.d.", "an der", WHEN_BEFORE_CAPITAL},
	{"v.Chr.", "vor Christus", 0}, {"n.Chr.", "nach Christus", 0},
	{"usw.", "und so weiter", 0}, {"usf.", "und so fort", 0}, {"uvm.", "und vieles mehr", 0},
	{"etc.", "et cetera", 0}, {"bzw.", "beziehungsweise", 0}, {"ca.", "circa", 0},
	{"ggf.", "gegebenenfalls", 0}, {"evtl.", "eventuell", 0}, {"inkl.", "inklusive", 0},
	{"exkl.", "exklusive", 0}, {"zzgl.", "zuzüglich", 0}, {"abzgl.", "abzüglich", 0},
	{"bspw.", "beispielsweise", 0}, {"bzgl.", "bezüglich", 0}, {"vgl.", "vergleiche", 0},
	{"insb.", "insbesondere", 0}, {"urspr.", "ursprünglich", 0}, {"geb.", "geboren", 0},
	{"gest.", "gestorben", 0}, {"lt.", "laut", 0}, {"gem.", "gemäß", 0},
	{"mind.", "mindestens", 0}, {"min.", "mindestens", WHEN_BEFORE_NUMBER},
	{"sog.", "sogenannte", WHEN_BEFORE_CAPITAL}, {"allg.", "allgemein", 0},
	{"Fam.", "Familie", WHEN_BEFORE_CAPITAL}, {"Kl.", "Klasse", WHEN_BEFORE_NUMBER},
	{"KW", "Kalenderwoche", WHEN_BEFORE_NUMBER}, {"PLZ", "Postleitzahl", 0},
	{"pl.", "platz", WHEN_SUFFIX | WHEN_BEFORE_NUMBER}, {"a. M.", "am Main", 0, " frankfurt offenbach "}, {"max.", "maximal", WHEN_BEFORE_NUMBER},
	{"max.", "maximal", WHEN_BEFORE_LOWER}, {"vs.", "versus", 0},
	{"vs", "versus", 0},
	{"tägl.", "täglich", 0}, {"mtl.", "monatlich", 0}, {"jährl.", "jährlich", 0},
	{"zus.", "zusammen", 0}, {"zw.", "zwischen", 0}, {"Jg.", "Jahrgang", 0},
	{"ehem.", "ehemals", 0}, {"ugs.", "umgangssprachlich", 0},
	{"Dr.", "Doktor", 0}, {"Prof.", "Professor", 0}, {"Hr.", "Herr", 0}, {"Hrn.", "Herrn", 0},
	{"Fr.", "Frau", WHEN_BEFORE_CAPITAL}, {"Frl.", "Fräulein", 0}, {"Dipl.", "Diplom", 0},
	{"Ing.", "Ingenieur", 0}, {"St.", "Sankt", WHEN_BEFORE_CAPITAL},
	{"Hl.", "Heilige", WHEN_BEFORE_CAPITAL}, {"Nr.", "Nummer", 0}, {"Nrn.", "Nummern", 0},
	{"Str.", "Straße", 0}, {"str.", "straße", WHEN_SUFFIX},
	{"Pl.", "Platz", WHEN_BEFORE_NUMBER},
	{"Hbf.", "Hauptbahnhof", 0}, {"Hbf", "Hauptbahnhof", 0}, {"Bhf.", "Bahnhof", 0},
	{"Tel.", "Telefon", 0}, {"S.", "Seite", WHEN_BEFORE_NUMBER}, {"Abb.", "Abbildung", 0},
	{"Tab.", "Tabelle", WHEN_BEFORE_NUMBER}, {"Kap.", "Kapitel", WHEN_BEFORE_NUMBER},
	{"Bd.", "Band", 0},
	{"Abs.", "Absatz", 0}, {"Art.", "Artikel", WHEN_BEFORE_NUMBER},
	{"Ziff.", "Ziffer", 0}, {"Anm.", "Anmerkung", 0}, {"Aufl.", "Auflage", 0},
	{"Jh.", "Jahrhundert", 0}, {"Jhd.", "Jahrhundert", 0}, {"Jhdt.", "Jahrhundert", 0},
	{"Mio.", "Millionen", 0}, {"Mrd.", "Milliarden", 0}, {"Std.", "Stunden", 0},
	{"MwSt.", "Mehrwertsteuer", 0}, {"MwSt", "Mehrwertsteuer", 0}, {"Co.", "Co", 0},
	{"Hrsg.", "Herausgeber", 0}, {"jun.", "junior", WHEN_AFTER_CAPITAL},
	{"sen.", "senior", WHEN_AFTER_CAPITAL}, {"GmbH", "G M B H", 0}, {"gGmbH", "G G M B H", 0},
	{"Kfz", "K F Z", 0}, {"AfD", "A F D", 0}, {"VfB", "V F B", 0}, {"VfL", "V F L", 0},
	{"MfG", "mit freundlichen Grüßen", 0},
	{"Lkw", "L K W", 0}, {"Pkw", "P K W", 0}, {"Lkws", "L K W's", 0}, {"Pkws", "P K W's", 0},
	{"e.V.", "E V", 0}, {"C++", "C plus plus", 0},
	{"24/7", "vierundzwanzig sieben", 0},
	{"1/2 l", "ein halber Liter", 0}, {"½ l", "ein halber Liter", 0},
	{"1/2 Liter", "ein halber Liter", 0}, {"1/2 kg", "ein halbes Kilogramm", 0},
	{"½ kg", "ein halbes Kilogramm", 0}, {"1/2 Std.", "eine halbe Stunde", 0},
	{"½ Std.", "eine halbe Stunde", 0}, {"1/2 Stunde", "eine halbe Stunde", 0},
	{"½ Stunde", "eine halbe Stunde", 0}, {"1/2 Jahr", "ein halbes Jahr", 0},
	{"½ Jahr", "ein halbes Jahr", 0}, {"1/2 TL", "ein halber Teelöffel", 0},
	{"½ TL", "ein halber Teelöffel", 0}, {"1/2 EL", "ein halber Esslöffel", 0},
	{"½ EL", "ein halber Esslöffel", 0}, {"50/50", "fünfzig fünfzig", 0},
	{"§§", "Paragraphen", WHEN_BEFORE_NUMBER},
	{"u.", "und", WHEN_BEFORE_CAPITAL}, {"WLAN", "W LAN", 0},
	{NULL, NULL, 0},
};

/* Words before the keys of a telephone. */
#define KEY_WORDS " drücken sie die der das oder und mit taste wählen "

static const struct sign language_de_signs[] = {
	{"*", "Stern", 0, KEY_WORDS},
	{"&", "und", 0}, {"§", "Paragraph", 0}, {"#", "Nummer", WHEN_BEFORE_NUMBER},
	{"#", "Raute", 0, KEY_WORDS},
	{"+", "plus", 0}, {"=", "gleich", 0}, {"−", "minus", WHEN_AFTER_NUMBER}, {"-", "minus", WHEN_AFTER_NUMBER | WHEN_BEFORE_NUMBER},
	{":", "geteilt durch", WHEN_AFTER_NUMBER | WHEN_BEFORE_NUMBER},
	{"·", "mal", WHEN_AFTER_NUMBER | WHEN_BEFORE_NUMBER},
	{"²", "Quadrat", 0}, {"³", "hoch drei", 0}, {"^", "hoch", WHEN_BEFORE_NUMBER},
	{"√", "Wurzel aus", 0}, {"∞", "unendlich", 0},
	{"→", "nach", WHEN_AFTER_NUMBER | WHEN_BEFORE_NUMBER},
	{"×", "mal", 0},
	{"*", "mal", WHEN_AFTER_NUMBER | WHEN_BEFORE_NUMBER}, {"÷", "geteilt durch", 0},
	{"±", "plus minus", 0}, {"~", "circa", WHEN_BEFORE_NUMBER},
	{"≈", "ungefähr", 0}, {"<", "kleiner als", 0}, {">", "größer als", 0},
	{"≤", "kleiner oder gleich", 0}, {"≥", "größer oder gleich", 0}, {"≠", "ungleich", 0},
	{"@", "ät", 0}, {"%", "Prozent", 0}, {"€", "Euro", 0}, {"™", "", 0}, {"®", "", 0},
	{"©", "", 0}, {NULL, NULL, 0},
};

static const struct sign language_de_spelled_signs[] = {
	{"!", "Ausrufezeichen", 0}, {"\"", "Anführungszeichen", 0}, {"#", "Raute", 0},
	{"$", "Dollar", 0}, {"%", "Prozent", 0}, {"&", "und", 0}, {"'", "Apostroph", 0},
	{"(", "Klammer auf", 0}, {")", "Klammer zu", 0}, {"*", "Stern", 0}, {"+", "plus", 0},
	{",", "Komma", 0}, {"-", "Strich", 0}, {".", "Punkt", 0}, {"/", "Schrägstrich", 0},
	{":", "Doppelpunkt", 0}, {";", "Semikolon", 0}, {"<", "kleiner als", 0},
	{"=", "gleich", 0}, {">", "größer als", 0}, {"?", "Fragezeichen", 0}, {"@", "ät", 0},
	{"[", "eckige Klammer auf", 0}, {"\\", "Backslash", 0}, {"]", "eckige Klammer zu", 0},
	{"^", "Zirkumflex", 0}, {"_", "Unterstrich", 0}, {"`", "Gravis", 0},
	{"{", "geschweifte Klammer auf", 0}, {"|", "senkrechter Strich", 0},
	{"}", "geschweifte Klammer zu", 0}, {"~", "Tilde", 0}, {NULL, NULL, 0},
};

#define WOMEN "elisabeth elizabeth katharina maria margrethe anna christina isabella "

static const struct reading_rules language_de_reading = {
	.numbers = language_de_numbers,
	.decimal = ',',
	.thousands = ". '’",
	.decimal_word = "Komma",
	.other_decimal_word = "Punkt",
	.minus = "minus",
	.plus = "plus",
	.exponent = "mal zehn hoch",
	.plural = PLURAL_TWO,
	.units = language_de_units,
	.per = "pro {u}",
	.currencies = language_de_currencies,
	.money_cents = "{n} {unit} {c:c}",
	.money_only_cents = "{c} {cent}",
	.magnitudes = language_de_magnitudes,
	.cardinals = language_de_cardinals,
	.agreement = language_de_agreement,
	.adjectives = language_de_adjectives,
	.cases = language_de_cases,
	.datives = language_de_datives,
	.case_keys = "3md3nd3fF3ad4ma",
	.no_noun = " der die das und oder ",
	.ordinals = language_de_ordinals,
	.ordinals_at_end = language_de_ordinals_at_end,
	.ordinal_marks = language_de_ordinal_marks,
	.fractions = language_de_fractions,
	.fraction = "{n:m} {d}",
	.fraction_mixed = "{w} {n:m} {d}",
	.fraction_max = 100,
	.over = "durch",
	.date_order = DATE_DAY_FIRST,
	.date_marks = "./-",
	.months = language_de_months,
	.weekdays = language_de_weekdays,
	.date = "{day:*} {month} {year:y}",
	.days = language_de_days,
	.expiries = language_de_expiries,
	.short_years = true,
	.date_without_year = "{day:*} {month}",
	.date_dmy = "{day:*} {month} {year:y}",
	.date_dm = "{day:*} {month}",
	.date_my = "{month} {year:y}",
	.year_least = 1100,
	.year_most = 1999,
	.years = language_de_years,
	.decade_marks = " er ",
	.decade = "{n:k}",
	.time_marks = ":.",
	.time_words = " Uhr h ",
	.hour_unit = " h ",
	.hour_before = " um ab gegen ",
	.time_hm = "{h:m} Uhr {m}",
	.time_hm_small = "{h:m} Uhr {m}",
	.time_h = "{h:m} Uhr",
	.time_hms = "{h:m} Uhr {m} und {s} Sekunden",
	.to = "bis",
	.score = "zu",
	.postcode = {.digits = 5, .countries = " D A CH ", .after_house = true},
	.phone_shapes = " 4444 44442 ",
	.phone_words = " tel telefon telefonnummer handynummer fax mobil ",
	.roman_name = "der {n:o}",
	.names = " ludwig friedrich wilhelm karl heinrich otto franz georg charles philipp konrad "
		 "leopold maximilian albert rudolf ferdinand sigismund peter alexander nikolaus "
		 "iwan paul johannes pius benedikt leo gregor clemens urban innozenz napoleon "
		 WOMEN,
	.roman_name_feminine = "die {n:o}",
	.roman_name_dative = "dem {n:N}",
	.roman_name_feminine_dative = "der {n:N}",
	.feminine_names = " " WOMEN,
	.romans = language_de_romans,
	.abbreviations = language_de_abbreviations,
	.spelled = " ADAC DSGVO ÖPNV ISBN IMEI EUGH USA ICE ",
	.said = " NATO NASA UNESCO UNICEF UNO DAX TÜV PIN TAN IBAN IKEA LAN RAM ROM OPEC FIFA UEFA "
		"GEMA AIDS LASER ALDI REWE EDEKA ELSTER SCHUFA OK GAU "
		"BIC SIM GIF ISO DIN SEPA NUR NIE SIE WIR UND DER DIE DAS EIN AUF AUS BIS VOR TOP "
		"NEU GUT JA NEIN DU ZU ",
	.signs = language_de_signs,
	.gender_endings = " in innen ",
	.joined_suffixes = " mal fach fache fachem fachen facher faches jährig jährige jährigem jährigen jähriger jähriges "
			   "tägig tägige tägigen tägiger tägiges wöchig wöchige wöchigen "
			   "wöchiger wöchiges monatig monatige monatigen monatiger stündig stündige "
			   "stündigen stündiger stündiges minütig minütige minütigen "
			   "minütiger minütiges stellig stellige stelligen stelliger stelliges "
			   "prozentig prozentige prozentigen prozentiger prozentiges teilig teilige "
			   "teiligen teiliger köpfig köpfige köpfigen köpfiger köpfiges stöckig "
			   "stöckige stöckigen stöckiger malig malige maligen maliger ",
	.spelled_signs = language_de_spelled_signs,
	.space = "Leerzeichen",
	.version = "Version",
	.version_words = " version python ios android windows ubuntu debian php java node kernel "
			 "firmware software ",
	.hashtag = "Hashtag",
	.domains = " de at ch eu io ai tv uk us fr it es nl pl pt be dk se no fi cz ru cn jp me ",
	.extensions = " pdf csv txt jpg jpeg png gif doc xls ppt xml html htm css mp sql md js ts ",
};

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
	.capital = " usw ff etc usf uvm u.v.m o.ä u.ä dgl u.dgl u.v.a ",
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
	.reading = &language_de_reading,
};
/* clang-format on */
