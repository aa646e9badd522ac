/*
 * language_es.c: Spanish (see language.h and reading.h).
 *
 * Own sets of numbers: a is the ordinal before a noun ("primer", "tercer"), s a
 * century or a ruler (ordinal up to ten), F feminine thousands ("doscientas"
 * but "veintiún mil"), u a full hour ("nueve", "catorce horas"), w
 * one that is written with its word, N the half of the day, v and g one thing
 * ("un", "una") and no other number, H and T the stems of hundreds and tens.
 */
#include "text/language.h"

/* Tables and lists are wrapped by hand. */
/* clang-format off */

#define END {NUMBER_RULES_END, 0, NULL}
#define MILLION UINT64_C(1000000)
#define BILLION UINT64_C(1000000000000) /* the long scale: "un billón" */

static const struct number_rule language_es_hundreds[] = {
	{0, 0, ""}, {2, 0, "doscient"}, {3, 0, "trescient"}, {4, 0, "cuatrocient"},
	{5, 0, "quinient"}, {6, 0, "seiscient"}, {7, 0, "setecient"}, {8, 0, "ochocient"},
	{9, 0, "novecient"}, END,
};

static const struct number_rule language_es_tens[] = {
	{0, 0, ""}, {3, 0, "treinta"}, {4, 0, "cuarenta"}, {5, 0, "cincuenta"}, {6, 0, "sesenta"},
	{7, 0, "setenta"}, {8, 0, "ochenta"}, {9, 0, "noventa"}, END,
};

static const struct number_rule language_es_counting[] = {
	{0, 0, "cero"}, {1, 0, "uno"}, {2, 0, "dos"}, {3, 0, "tres"}, {4, 0, "cuatro"},
	{5, 0, "cinco"}, {6, 0, "seis"}, {7, 0, "siete"}, {8, 0, "ocho"}, {9, 0, "nueve"},
	{10, 0, "diez"}, {11, 0, "once"}, {12, 0, "doce"}, {13, 0, "trece"}, {14, 0, "catorce"},
	{15, 0, "quince"}, {16, 0, "dieciséis"}, {17, 0, "dieci>>"}, {20, 0, "veinte"},
	{21, 0, "veinti>>"}, {22, 0, "veintidós"}, {23, 0, "veintitrés"}, {24, 0, "veinti>>"},
	{26, 0, "veintiséis"}, {27, 0, "veinti>>"}, {30, 0, "<T<[ y >>]"}, {100, 0, "cien[to >>]"},
	{200, 0, "<H<os[ >>]"}, {1000, 0, "mil[ >>]"}, {2000, 0, "<m< mil[ >>]"},
	{MILLION, 0, "un millón[ >>]"}, {2 * MILLION, MILLION, "<m< millones[ >>]"},
	{BILLION, 0, "un billón[ >>]"}, {2 * BILLION, BILLION, "<m< billones[ >>]"}, END,
};

static const struct number_rule language_es_masculine[] = {
	{0, 0, "=c="}, {1, 0, "un"}, {2, 0, "=c="}, {21, 0, "veintiún"}, {22, 0, "=c="},
	{30, 0, "<T<[ y >>]"}, {100, 0, "cien[to >>]"}, {200, 0, "<H<os[ >>]"},
	{1000, 0, "mil[ >>]"}, {2000, 0, "<m< mil[ >>]"}, {MILLION, 0, "un millón[ >>]"},
	{2 * MILLION, MILLION, "<m< millones[ >>]"}, {BILLION, 0, "un billón[ >>]"},
	{2 * BILLION, BILLION, "<m< billones[ >>]"}, END,
};

static const struct number_rule language_es_feminine[] = {
	{0, 0, "=c="}, {1, 0, "una"}, {2, 0, "=c="}, {21, 0, "veintiuna"}, {22, 0, "=c="},
	{30, 0, "<T<[ y >>]"}, {100, 0, "cien[to >>]"}, {200, 0, "<H<as[ >>]"},
	{1000, 0, "mil[ >>]"}, {2000, 0, "<F< mil[ >>]"}, {MILLION, 0, "un millón[ >>]"},
	{2 * MILLION, MILLION, "<m< millones[ >>]"}, {BILLION, 0, "un billón[ >>]"},
	{2 * BILLION, BILLION, "<m< billones[ >>]"}, END,
};

static const struct number_rule language_es_single[] = {{0, 0, "=c="}, {1, 0, "un"}, {2, 0, "=c="}, END};
static const struct number_rule language_es_single_feminine[] = {
	{0, 0, "=c="}, {1, 0, "una"}, {2, 0, "=c="}, END,
};

static const struct number_rule language_es_feminine_thousands[] = {
	{0, 0, "=m="}, {200, 0, "<H<as[ >>]"}, {1000, 0, "=m="}, END,
};

/* 18 and 28 have one o. */
#define ORDINALS(o) \
	{0, 0, "=c="}, {1, 0, "primer" o}, {2, 0, "segund" o}, {3, 0, "tercer" o}, \
	{4, 0, "cuart" o}, {5, 0, "quint" o}, {6, 0, "sext" o}, {7, 0, "séptim" o}, \
	{8, 0, "octav" o}, {9, 0, "noven" o}, {10, 0, "décim" o}, {11, 0, "undécim" o}, \
	{12, 0, "duodécim" o}, {13, 0, "decimo>>"}, {18, 0, "decimoctav" o}, \
	{19, 0, "decimo>>"}, {20, 0, "vigésim" o}, {21, 0, "vigesimo>>"}, \
	{28, 0, "vigesimoctav" o}, {29, 0, "vigesimo>>"}, {30, 0, "trigésim" o "[ >>]"}, \
	{40, 0, "cuadragésim" o "[ >>]"}, {50, 0, "quincuagésim" o "[ >>]"}, \
	{60, 0, "sexagésim" o "[ >>]"}, {70, 0, "septuagésim" o "[ >>]"}, \
	{80, 0, "octogésim" o "[ >>]"}, {90, 0, "nonagésim" o "[ >>]"}, \
	{100, 0, "centésim" o "[ >>]"}, {200, 0, "ducentésim" o "[ >>]"}, \
	{300, 0, "tricentésim" o "[ >>]"}, {400, 0, "cuadringentésim" o "[ >>]"}, \
	{500, 0, "quingentésim" o "[ >>]"}, {600, 0, "sexcentésim" o "[ >>]"}, \
	{700, 0, "septingentésim" o "[ >>]"}, {800, 0, "octingentésim" o "[ >>]"}, \
	{900, 0, "noningentésim" o "[ >>]"}, {1000, 0, "milésim" o "[ >>]"}, \
	{2000, 0, "=c="}, END,

static const struct number_rule language_es_ordinal[] = {ORDINALS("o")};
static const struct number_rule language_es_ordinal_feminine[] = {ORDINALS("a")};

static const struct number_rule language_es_ordinal_short[] = {
	{0, 0, "=o="}, {1, 0, "primer"}, {2, 0, "=o="}, {3, 0, "tercer"}, {4, 0, "=o="},
	{13, 0, "decimotercer"}, {14, 0, "=o="}, {21, 0, "vigesimoprimer"}, {22, 0, "=o="},
	{23, 0, "vigesimotercer"}, {24, 0, "=o="}, END,
};

static const struct number_rule language_es_full_hour[] = {
	{0, 0, "=c= horas"}, {1, 0, "=f="}, {13, 0, "=f= horas"}, END,
};

static const struct number_rule language_es_hour_word[] = {
	{0, 0, "=c= horas"}, {1, 0, "una hora"}, {2, 0, "=f= horas"}, END,
};

static const struct number_rule language_es_half_of_day[] = {
	{0, 0, "de la tarde"}, {8, 0, "de la noche"}, {12, 0, "de la tarde"}, END,
};

static const struct number_rule language_es_century[] = {{0, 0, "=o="}, {11, 0, "=c="}, END};

#define DENOMINATORS(s) \
	{0, 0, "=c="}, {2, 0, "medio" s}, {3, 0, "tercio" s}, {4, 0, "=o=" s}, \
	{11, 0, "=c=avo" s}, {16, 0, "dieciseisavo" s}, {17, 0, "=c=avo" s}, END,

static const struct number_rule language_es_denominator[] = {DENOMINATORS("")};
static const struct number_rule language_es_denominators[] = {DENOMINATORS("s")};

static const struct number_rule language_es_ordinal_several[] = {
	{0, 0, "=o=s"},
	{NUMBER_RULES_END, 0, NULL},
};

static const struct number_rule language_es_ordinal_several_feminine[] = {
	{0, 0, "=p=s"},
	{NUMBER_RULES_END, 0, NULL},
};

static const struct number_set language_es_numbers[] = {
	{'c', language_es_counting}, {'m', language_es_masculine}, {'f', language_es_feminine}, {'F', language_es_feminine_thousands},
	{'O', language_es_ordinal_several}, {'P', language_es_ordinal_several_feminine},
	{'o', language_es_ordinal}, {'p', language_es_ordinal_feminine}, {'a', language_es_ordinal_short}, {'s', language_es_century},
	{'q', language_es_denominator}, {'Q', language_es_denominators}, {'u', language_es_full_hour}, {'w', language_es_hour_word},
	{'N', language_es_half_of_day}, {'v', language_es_single}, {'g', language_es_single_feminine}, {'H', language_es_hundreds},
	{'T', language_es_tens}, {0},
};

#define HE(singular, plural) {.one = singular, .many = plural, .key = 'm'}
#define SHE(singular, plural) {.one = singular, .many = plural, .key = 'f'}
#define HE_UNIT(spellings, ...) {.written = spellings, .name = HE(__VA_ARGS__)}
#define SHE_UNIT(spellings, ...) {.written = spellings, .name = SHE(__VA_ARGS__)}

static const struct measure_unit language_es_units[] = {
	{.written = " % ", .name = {.one = "por ciento"}},
	{.written = " ‰ ", .name = {.one = "por mil"}},
	HE_UNIT(" ° º ", "grado", "grados"),
	HE_UNIT(" °C ºC ℃ ", "grado Celsius", "grados Celsius"),
	HE_UNIT(" °F ºF ℉ ", "grado Fahrenheit", "grados Fahrenheit"),
	HE_UNIT(" km Km ", "kilómetro", "kilómetros"),
	HE_UNIT(" m ", "metro", "metros"),
	HE_UNIT(" dm ", "decímetro", "decímetros"),
	HE_UNIT(" cm ", "centímetro", "centímetros"),
	HE_UNIT(" mm ", "milímetro", "milímetros"),
	HE_UNIT(" µm μm ", "micrómetro", "micrómetros"),
	HE_UNIT(" nm ", "nanómetro", "nanómetros"),
	HE_UNIT(" km² km2 ", "kilómetro cuadrado", "kilómetros cuadrados"),
	HE_UNIT(" m² m2 ", "metro cuadrado", "metros cuadrados"),
	HE_UNIT(" cm² cm2 ", "centímetro cuadrado", "centímetros cuadrados"),
	HE_UNIT(" mm² mm2 ", "milímetro cuadrado", "milímetros cuadrados"),
	HE_UNIT(" km³ km3 ", "kilómetro cúbico", "kilómetros cúbicos"),
	HE_UNIT(" m³ m3 ", "metro cúbico", "metros cúbicos"),
	HE_UNIT(" cm³ cm3 cc ", "centímetro cúbico", "centímetros cúbicos"),
	{.written = " ha ", .name = SHE("hectárea", "hectáreas"), .last = true},
	HE_UNIT(" s² s2 ", "segundo cuadrado", "segundos cuadrados"),
	SHE_UNIT(" mph ", "milla por hora", "millas por hora"),
	HE_UNIT(" ft ", "pie", "pies"),
	SHE_UNIT(" in ″ ", "pulgada", "pulgadas"),
	HE_UNIT(" kg Kg ", "kilogramo", "kilogramos"),
	HE_UNIT(" g gr ", "gramo", "gramos"),
	HE_UNIT(" mg ", "miligramo", "miligramos"),
	HE_UNIT(" µg μg mcg ", "microgramo", "microgramos"),
	SHE_UNIT(" t ", "tonelada", "toneladas"),
	SHE_UNIT(" lb lbs ", "libra", "libras"),
	SHE_UNIT(" oz ", "onza", "onzas"),
	HE_UNIT(" l L ", "litro", "litros"),
	HE_UNIT(" l/100_km L/100_km ", "litro por cien kilómetros", "litros por cien kilómetros"),
	HE_UNIT(" dl dL ", "decilitro", "decilitros"),
	HE_UNIT(" cl cL ", "centilitro", "centilitros"),
	HE_UNIT(" ml mL ", "mililitro", "mililitros"),
	HE_UNIT(" hl hL ", "hectolitro", "hectolitros"),
	SHE_UNIT(" h hs hrs ", "hora", "horas"),
	HE_UNIT(" min min. ", "minuto", "minutos"),
	HE_UNIT(" s seg seg. ", "segundo", "segundos"),
	HE_UNIT(" ms ", "milisegundo", "milisegundos"),
	{.written = " x ", .name = SHE("vez", "veces"), .joined = true},
	{.written = " mes ", .name = HE("mes", "meses"), .per = "al mes"},
	{.written = " día ", .name = HE("día", "días"), .per = "al día"},
	{.written = " año ", .name = HE("año", "años"), .per = "al año"},
	SHE_UNIT(" persona ", "persona", "personas"),
	SHE_UNIT(" noche ", "noche", "noches"),
	SHE_UNIT(" vez veces ", "vez", "veces"),
	HE_UNIT(" Hz ", "hercio", "hercios"),
	HE_UNIT(" kHz ", "kilohercio", "kilohercios"),
	HE_UNIT(" MHz ", "megahercio", "megahercios"),
	HE_UNIT(" GHz ", "gigahercio", "gigahercios"),
	HE_UNIT(" W ", "vatio", "vatios"),
	HE_UNIT(" kW ", "kilovatio", "kilovatios"),
	HE_UNIT(" MW ", "megavatio", "megavatios"),
	HE_UNIT(" GW ", "gigavatio", "gigavatios"),
	HE_UNIT(" Wh ", "vatio hora", "vatios hora"),
	HE_UNIT(" kWh ", "kilovatio hora", "kilovatios hora"),
	HE_UNIT(" MWh ", "megavatio hora", "megavatios hora"),
	HE_UNIT(" GWh ", "gigavatio hora", "gigavatios hora"),
	HE_UNIT(" V ", "voltio", "voltios"),
	HE_UNIT(" kV ", "kilovoltio", "kilovoltios"),
	HE_UNIT(" mV ", "milivoltio", "milivoltios"),
	HE_UNIT(" mA ", "miliamperio", "miliamperios"),
	HE_UNIT(" mAh ", "miliamperio hora", "miliamperios hora"),
	HE_UNIT(" Ω ", "ohmio", "ohmios"),
	HE_UNIT(" J ", "julio", "julios"),
	HE_UNIT(" kJ ", "kilojulio", "kilojulios"),
	HE_UNIT(" N ", "newton", "newtons"),
	HE_UNIT(" Nm ", "newton metro", "newtons metro"),
	HE_UNIT(" Pa ", "pascal", "pascales"),
	HE_UNIT(" hPa ", "hectopascal", "hectopascales"),
	HE_UNIT(" kPa ", "kilopascal", "kilopascales"),
	HE_UNIT(" bar ", "bar", "bares"),
	HE_UNIT(" CV cv ", "caballo", "caballos"),
	SHE_UNIT(" cal ", "caloría", "calorías"),
	SHE_UNIT(" kcal ", "kilocaloría", "kilocalorías"),
	HE_UNIT(" dB ", "decibelio", "decibelios"),
	HE_UNIT(" lm ", "lumen", "lúmenes"),
	SHE_UNIT(" rpm ", "revolución por minuto", "revoluciones por minuto"),
	SHE_UNIT(" ppm ", "parte por millón", "partes por millón"),
	HE_UNIT(" fps ", "fotograma por segundo", "fotogramas por segundo"),
	HE_UNIT(" px ", "píxel", "píxeles"),
	HE_UNIT(" MP Mpx ", "megapíxel", "megapíxeles"),
	HE_UNIT(" KB kB ", "kilobyte", "kilobytes"),
	HE_UNIT(" MB ", "megabyte", "megabytes"),
	HE_UNIT(" GB ", "gigabyte", "gigabytes"),
	HE_UNIT(" TB ", "terabyte", "terabytes"),
	HE_UNIT(" PB ", "petabyte", "petabytes"),
	HE_UNIT(" kb kbit ", "kilobit", "kilobits"),
	HE_UNIT(" Mb Mbit ", "megabit", "megabits"),
	HE_UNIT(" Gb Gbit ", "gigabit", "gigabits"),
	HE_UNIT(" kbps ", "kilobit por segundo", "kilobits por segundo"),
	HE_UNIT(" Mbps ", "megabit por segundo", "megabits por segundo"),
	HE_UNIT(" Gbps ", "gigabit por segundo", "gigabits por segundo"),
	{0},
};

static const struct currency language_es_currencies[] = {
	{" € EUR ", HE("euro", "euros"), HE("céntimo", "céntimos")},
	{" $ US$ USD ", HE("dólar", "dólares"), HE("centavo", "centavos")},
	{" £ GBP ", SHE("libra", "libras"), HE("penique", "peniques")},
	{" ¥ JPY ", HE("yen", "yenes"), {0}},
	{" CNY RMB ", HE("yuan", "yuanes"), {0}},
	{" CHF ", HE("franco suizo", "francos suizos"), HE("céntimo", "céntimos")},
	{" zł PLN ", HE("esloti", "eslotis"), HE("grosz", "groszy")},
	{" R$ BRL ", HE("real", "reales"), HE("centavo", "centavos")},
	{" MXN MX$ ", HE("peso mexicano", "pesos mexicanos"), HE("centavo", "centavos")},
	{" ARS AR$ ", HE("peso argentino", "pesos argentinos"), HE("centavo", "centavos")},
	{" COP ", HE("peso colombiano", "pesos colombianos"), HE("centavo", "centavos")},
	{" CLP ", HE("peso chileno", "pesos chilenos"), {0}},
	{" UYU ", HE("peso uruguayo", "pesos uruguayos"), HE("centavo", "centavos")},
	{" PEN S/ ", HE("sol", "soles"), HE("céntimo", "céntimos")},
	{" CAD CA$ ", HE("dólar canadiense", "dólares canadienses"), HE("centavo", "centavos")},
	{" AUD A$ ", HE("dólar australiano", "dólares australianos"), HE("centavo", "centavos")},
	{" SEK ", SHE("corona sueca", "coronas suecas"), {0}},
	{" NOK ", SHE("corona noruega", "coronas noruegas"), {0}},
	{" DKK ", SHE("corona danesa", "coronas danesas"), {0}},
	{" CZK ", SHE("corona checa", "coronas checas"), {0}},
	{" ₽ RUB ", HE("rublo", "rublos"), HE("kopek", "kopeks")},
	{" ₹ INR ", SHE("rupia", "rupias"), SHE("paisa", "paisas")},
	{" ₺ TRY ", SHE("lira turca", "liras turcas"), {0}},
	{" ₩ KRW ", HE("won", "wones"), {0}},
	{" ₿ BTC ", HE("bitcoin", "bitcoins"), {0}},
	{0},
};

static const struct magnitude language_es_magnitudes[] = {
	{.written = " mil ", .name = {.one = "mil"}, .times = 1000},
	{.written = " k K ", .name = {.one = "mil"}, .times = 1000, .money_only = true},
	{.written = " millón millones mill. mill ", .name = HE("millón", "millones"), .of = "de "},
	{.written = " M ", .name = HE("millón", "millones"), .of = "de ",
	 .money_only = true},
	{.written = " billón billones ", .name = HE("billón", "billones"), .of = "de "},
	{0},
};

/* "21 plazas", "21 días"; a singular noun occurs only with the number 1. */
static const struct by_ending language_es_agreement[] = {
	{" as ciones siones dades tudes veces voces luces mujeres manos flores noches tardes "
	 "clases calles partes llaves fotos motos series fases redes imágenes leyes señales ",
	 " días mapas problemas programas sistemas temas idiomas climas planetas cometas poemas "
	 "dramas diplomas síntomas esquemas dilemas sofás gigas megas teras turistas ", 'f'},
	{" s ", NULL, 'm'},
	{" a ción sión dad tud vez voz luz mujer mano flor noche tarde clase calle parte llave "
	 "foto moto serie fase red imagen ley señal ",
	 " día mapa problema programa sistema tema idioma clima planeta cometa poema drama "
	 "diploma síntoma esquema dilema giga mega tera turista taxista ", 'g'},
	{"*", NULL, 'v'},
	{0},
};

static const struct ordinal_mark language_es_ordinal_marks[] = {
	{" º .º ro .ro do .do to .to vo .vo mo .mo no .no ", 'o'}, {" .os ", 'O'},
	{" .as ", 'P'},
	{" ª .ª ra .ra da .da ta .ta va .va ma .ma na .na ", 'p'},
	{" er .er ᵉʳ .ᵉʳ ", 'a'},
	{0},
};

static const struct fraction language_es_fractions[] = {
	{1, 2, "un medio", " y medio", " y media"},
	{1, 4, "un cuarto", " y cuarto"},
	{1, 100, "un centésimo", NULL},
	{1, 1000, "un milésimo", NULL},
	{24, 7, "veinticuatro siete", NULL},
	{0},
};

static const struct calendar_name language_es_months[] = {
	{"enero", " ene ", NULL}, {"febrero", " feb ", NULL}, {"marzo", " mar ", NULL},
	{"abril", " abr ", NULL}, {"mayo", " may ", NULL}, {"junio", " jun ", NULL},
	{"julio", " jul ", NULL}, {"agosto", " ago ", NULL},
	{"septiembre", " sep sept setiembre ", NULL}, {"octubre", " oct ", NULL},
	{"noviembre", " nov ", NULL}, {"diciembre", " dic ", NULL},
};

static const struct calendar_name language_es_weekdays[] = {
	{"lunes", " lun ", NULL}, {"martes", " mar ", NULL}, {"miércoles", " mié mie ", NULL},
	{"jueves", " jue ", NULL}, {"viernes", " vie ", NULL}, {"sábado", " sáb sab ", NULL},
	{"domingo", " dom ", NULL},
};

/* Nouns that are numbered, before or after the number. */
static const struct by_neighbours language_es_romans[] = {
	{" siglo siglos s ss ", NULL, 's'},
	{NULL, " guerra república internacional edición feria bienal cumbre jornada ", 'p'},
	{NULL, " centenario congreso festival concurso premio certamen aniversario reich plan ",
	 'a'},
	{" capítulo capítulos cap tomo vol volumen parte título libro fase acto escena sección "
	 "apartado anexo artículo tema módulo nivel tipo grado clase grupo liga lección bowl ",
	 NULL, 'c'},
	{.before = " y e o ", .key = 's', .earlier = " ii iii iv v vi vii viii ix x xi xii xiii "
						     "xiv xv xvi xvii xviii xix xx "},
	{0},
};

static const struct abbreviation language_es_abbreviations[] = {
	{"Sr.", "señor", 0},
	{"sr.", "señor", 0},
	{"Sra.", "señora", 0},
	{"sra.", "señora", 0},
	{"Sres.", "señores", 0},
	{"Sras.", "señoras", 0},
	{"Srta.", "señorita", 0},
	{"srta.", "señorita", 0},
	{"Dr.", "doctor", 0},
	{"dr.", "doctor", 0},
	{"Dra.", "doctora", 0},
	{"dra.", "doctora", 0},
	{"Dres.", "doctores", 0},
	{"Dña.", "doña", 0},
	{"Dª", "doña", 0},
	{"D.Juan", "don Juan", 0}, {"D.José", "don José", 0}, {"D.Antonio", "don Antonio", 0},
	{"D.Manuel", "don Manuel", 0}, {"D.Francisco", "don Francisco", 0},
	{"D.Luis", "don Luis", 0}, {"D.Carlos", "don Carlos", 0}, {"D.Pedro", "don Pedro", 0},
	{"D.Miguel", "don Miguel", 0}, {"D.Javier", "don Javier", 0},
	{"D.Jesús", "don Jesús", 0}, {"D.Rafael", "don Rafael", 0},
	{"D.Fernando", "don Fernando", 0},
	{"D.", "don", WHEN_BEFORE_CAPITAL, " de a por y con para "},
	{"Excmo.", "excelentísimo", 0},
	{"Excma.", "excelentísima", 0},
	{"Ilmo.", "ilustrísimo", 0},
	{"Ilma.", "ilustrísima", 0},
	{"D.ª", "doña", 0},
	{"Prof.", "profesor", 0},
	{"prof.", "profesor", 0},
	{"Profa.", "profesora", 0},
	{"Prof.ª", "profesora", 0},
	{"Lic.", "licenciado", 0},
	{"Ing.", "ingeniero", 0},
	{"Arq.", "arquitecto", 0},
	{"Gral.", "general", 0},
	{"gral.", "general", 0},
	{"Sto.", "Santo", 0},
	{"Sta.", "Santa", 0},
	{"Mons.", "monseñor", 0},
	{"SS.MM.", "sus majestades", 0},
	{"S.M.", "su majestad", 0},
	{"Ud.", "usted", 0},
	{"Uds.", "ustedes", 0},
	{"ud.", "unidad", WHEN_AFTER_NUMBER},
	{"ud.", "usted", 0},
	{"uds.", "unidades", WHEN_AFTER_NUMBER},
	{"uds.", "ustedes", 0},
	{"Vd.", "usted", 0},
	{"Vds.", "ustedes", 0},
	{"p.ej.", "por ejemplo", 0},
	{"p.e.", "por ejemplo", 0},
	{"etc.", "etcétera", 0},
	{"EE.UU.", "Estados Unidos", 0},
	{"EEUU", "Estados Unidos", 0},
	{"RR.HH.", "recursos humanos", 0},
	{"FF.AA.", "fuerzas armadas", 0},
	{"JJ.OO.", "Juegos Olímpicos", 0},
	{"A.C.", "A C", 0},
	{"D.C.", "D C", 0},
	{"a.C.", "antes de Cristo", 0},
	{"d.C.", "después de Cristo", 0},
	{"P.D.", "posdata", 0},
	{"avda.", "avenida", 0},
	{"av.", "avenida", 0},
	{"C/", "calle", WHEN_BEFORE_CAPITAL},
	{"c/", "calle", WHEN_BEFORE_CAPITAL},
	{"pza.", "plaza", 0},
	{"Pl.", "plaza", WHEN_BEFORE_CAPITAL},
	{"ctra.", "carretera", 0},
	{"P.º", "paseo", 0},
	{"Pº", "paseo", 0},
	{"s/n", "sin número", 0},
	{"c/u", "cada uno", 0},
	{"incl.", "incluido", 0},
	{"50/50", "cincuenta cincuenta", 0},
	{"izda.", "izquierda", 0},
	{"izq.", "izquierda", 0},
	{"dcha.", "derecha", 0},
	{"dpto.", "departamento", 0},
	{"depto.", "departamento", 0},
	{"pág.", "página", 0},
	{"págs.", "páginas", 0},
	{"pp.", "páginas", WHEN_BEFORE_NUMBER},
	{"p.", "página", WHEN_BEFORE_NUMBER},
	{"núm.", "número", 0},
	{"núms.", "números", 0},
	{"n.º", "número", 0},
	{"nº", "número", 0},
	{"n.os", "números", 0},
	{"n°", "número", WHEN_BEFORE_NUMBER},
	{"n.°", "número", WHEN_BEFORE_NUMBER},
	{"no.", "número", WHEN_BEFORE_NUMBER},
	{"art.", "artículo", 0},
	{"arts.", "artículos", 0},
	{"cap.", "capítulo", 0},
	{"vol.", "volumen", 0},
	{"fig.", "figura", 0},
	{"ed.", "edición", 0},
	{"S.A.", "S A", 0},
	{"S.L.", "S L", 0},
	{"s.a.", "S A", 0},
	{"s.", "siglo", WHEN_BEFORE_CAPITAL},
	{"ss.", "siglos", WHEN_BEFORE_CAPITAL},
	{"tel.", "teléfono", 0},
	{"tel:", "teléfono:", 0},
	{"tfno.", "teléfono", 0},
	{"aprox.", "aproximadamente", 0},
	{"máx.", "máximo", 0},
	{"mín.", "mínimo", 0},
	{"vs.", "versus", 0},
	{"vs", "versus", 0},
	{"Cía.", "compañía", 0},
	{"admón.", "administración", 0},
	{"atte.", "atentamente", 0},
	{"cta.", "cuenta", 0},
	{"cda.", "cucharada", 0},
	{"cdas.", "cucharadas", 0},
	{"cdta.", "cucharadita", 0},
	{"cdtas.", "cucharaditas", 0},
	{"fdo.", "firmado", 0},
	{"L-V", "lunes a viernes", 0},
	{"L-S", "lunes a sábado", 0},
	{"L-D", "lunes a domingo", 0},
	/* Not numerals, regardless of the word before. */
	{"CD", "C D", 0},
	{"CV", "C V", 0},
	{"DC", "D C", 0},
	{"MC", "M C", 0},
	{"MD", "M D", 0},
	{"CC", "C C", 0},
	{"CI", "C I", 0},
	{"XL", "X L", 0},
	{"1/2 hora", "media hora", 0},
	{"½ hora", "media hora", 0},
	{"1/2 taza", "media taza", 0},
	{"½ taza", "media taza", 0},
	{"1/2 docena", "media docena", 0},
	{"½ docena", "media docena", 0},
	{"1/2 cucharada", "media cucharada", 0},
	{"½ cucharada", "media cucharada", 0},
	{"1/2 cucharadita", "media cucharadita", 0},
	{"½ cucharadita", "media cucharadita", 0},
	{"1/2 litro", "medio litro", 0},
	{"½ litro", "medio litro", 0},
	{"1/2 l", "medio litro", 0},
	{"½ l", "medio litro", 0},
	{"1/2 kilo", "medio kilo", 0},
	{"½ kilo", "medio kilo", 0},
	{"1/2 kg", "medio kilogramo", 0},
	{"½ kg", "medio kilogramo", 0},
	{"1/2 limón", "medio limón", 0},
	{"½ limón", "medio limón", 0},
	{"km", "kilómetro", WHEN_BEFORE_NUMBER},
	{"km.", "kilómetro", WHEN_BEFORE_NUMBER},
	{"x", "por", WHEN_AFTER_NUMBER | WHEN_BEFORE_NUMBER},
	{0},
};

static const struct sign language_es_signs[] = {
	{"&", "y", 0},
	{"+", "más", WHEN_AFTER_NUMBER | WHEN_BEFORE_NUMBER},
	{"+", "más", WHEN_BEFORE_NUMBER},
	{"+", "más", WHEN_AFTER_CAPITAL},
	{"-", "menos", WHEN_AFTER_NUMBER | WHEN_BEFORE_NUMBER},
	{"−", "menos", WHEN_BEFORE_NUMBER},
	{"²", "al cuadrado", WHEN_AFTER_NUMBER},
	{"³", "al cubo", WHEN_AFTER_NUMBER},
	{"=", "igual a", 0},
	{"×", "por", WHEN_TIGHT},
	{"×", "por", 0},
	{"*", "por", WHEN_AFTER_NUMBER | WHEN_BEFORE_NUMBER},
	{"÷", "entre", 0},
	{"<", "menor que", WHEN_BEFORE_NUMBER},
	{">", "mayor que", WHEN_BEFORE_NUMBER},
	{"≤", "menor o igual que", 0},
	{"≥", "mayor o igual que", 0},
	{"≠", "distinto de", 0},
	{"≈", "aproximadamente", 0},
	{"~", "aproximadamente", WHEN_BEFORE_NUMBER},
	{"±", "más menos", 0},
	{"#", "número", WHEN_BEFORE_NUMBER},
	{"§", "párrafo", WHEN_BEFORE_NUMBER},
	{"@", "arroba", 0},
	{"€", "euros", 0},
	{"£", "libras", 0},
	{"%", "por ciento", 0},
	{"∞", "infinito", 0},
	{"√", "raíz de", WHEN_BEFORE_NUMBER},
	{"™", "", 0},
	{"®", "", 0},
	{"©", "", 0},
	{0},
};

static const struct sign language_es_spelled_signs[] = {
	{"!", "exclamación", 0}, {"\"", "comillas", 0}, {"#", "almohadilla", 0},
	{"$", "dólar", 0}, {"%", "por ciento", 0}, {"&", "ampersand", 0}, {"'", "apóstrofo", 0},
	{"(", "abre paréntesis", 0}, {")", "cierra paréntesis", 0}, {"*", "asterisco", 0},
	{"+", "más", 0}, {",", "coma", 0}, {"-", "guión", 0}, {".", "punto", 0}, {"/", "barra", 0},
	{":", "dos puntos", 0}, {";", "punto y coma", 0}, {"<", "menor que", 0}, {"=", "igual", 0},
	{">", "mayor que", 0}, {"?", "interrogación", 0}, {"@", "arroba", 0},
	{"[", "abre corchete", 0}, {"\\", "barra invertida", 0}, {"]", "cierra corchete", 0},
	{"^", "circunflejo", 0}, {"_", "guión bajo", 0}, {"`", "acento grave", 0},
	{"{", "abre llave", 0}, {"|", "barra vertical", 0}, {"}", "cierra llave", 0},
	{"~", "virgulilla", 0}, {"€", "euro", 0}, {"£", "libra", 0}, {"§", "párrafo", 0},
	{"°", "grado", 0}, {"¿", "interrogación", 0}, {"¡", "exclamación", 0}, {0},
};

static const struct reading_rules language_es_reading = {
	.numbers = language_es_numbers,
	.decimal = ',',
	.thousands = ". '",
	.decimal_word = "coma",
	.other_decimal_word = "punto",
	.decimals_as_number = 2,
	.minus = "menos",
	.plus = "más",
	.plural = PLURAL_TWO,
	.units = language_es_units,
	.per = "por {u}",
	.currencies = language_es_currencies,
	.money_cents = "{n} {unit} con {c} {cent}",
	.money_only_cents = "{c} {cent}",
	.magnitudes = language_es_magnitudes,
	.agreement = language_es_agreement,
	.or_words = " o u ",
	.no_noun = " a al ante bajo cada con contra cuando de del desde durante e el ella en "
		   "entre era es esta este está están fue ha han hasta hay la las le les lo los "
		   "más menos mi muy ni no o os para pero por que quedan se según ser si sin "
		   "sobre son su sus también te tras tu tú u un una ya y yo ahora aquí así "
		   "aunque como cuesta nada nunca sea será estaba había queda tarde antes "
		   "después luego llega sale vale vino quien donde he hemos tiene tienen eran "
		   "puede debe dijo hizo va van mil millón millones ",
	.ordinal_marks = language_es_ordinal_marks,
	.fractions = language_es_fractions,
	.fraction = "{n:m} {d}",
	.fraction_mixed = "{w:c} y {n:m} {d}",
	.fraction_max = 20,
	.over = "barra",
	.date_order = DATE_DAY_FIRST,
	.date_marks = "/-.",
	.months = language_es_months,
	.weekdays = language_es_weekdays,
	.date_before = " el del día ",
	.date = "{day:c} de {month} de {year:c}",
	.date_without_year = "{day:c} de {month}",
	.date_dmy = "{day:c} de {month} de {year:c}",
	.date_dm = "{day:c} de {month}",
	.date_my = "{month} de {year:c}",
	.year_least = 1000,
	.year_most = 2199,
	.time_marks = ":h.",
	.time_words = " h hs hrs horas ",
	.time_before = " las ",
	.time_hm = "{h:f} y {m:c}",
	.time_hm_small = "{h:f} y {m:c}",
	.time_h = "{h:u}",
	.time_h_word = "{h:w}",
	.time_hms = "{h:f} horas, {m:c} minutos y {s:c} segundos",
	.time_hm_half = "{h:f} y {m:c} {half}",
	.time_hm_small_half = "{h:f} y {m:c} {half}",
	.time_h_half = "{h:f} {half}",
	.am = " am AM a._m. a._m A._M. A._M ",
	.pm = " pm PM p._m. p._m P._M. P._M ",
	.am_word = "de la mañana",
	.pm_word = "{h:N}",
	.to = "a",
	.score = "a",
	.phone_words = " tel teléfono tfno móvil fax whatsapp ",
	.phone_shapes = " 333 2322 3222 2223 ",
	.roman_name = "{n:o}",
	.roman_name_feminine = "{n:p}",
	.roman_ordinal_max = 10,
	.names = " alfonso carlos felipe fernando juan enrique pedro luis pío león pablo francisco "
		 "jorge eduardo ricardo guillermo jaime sancho ramiro benito clemente gregorio "
		 "napoleón alejandro nicolás federico leopoldo alberto gustavo bonifacio urbano "
		 "inocencio sixto adriano darío jerjes ramsés ptolomeo otón iván ",
	.feminine_names = " isabel catalina maría juana victoria margarita elizabeth beatriz "
			  "blanca cristina urraca berenguela ana leonor teresa ",
	.romans = language_es_romans,
	.abbreviations = language_es_abbreviations,
	.spelled = " HDMI CCOO ISBN IRPF BBVA RTVE IVTM ",
	.said = " INE TAE UNE BOE ESO AMPA IBAN NASA ONU OTAN UNESCO UNICEF IVA PIB UCI AVE NIF "
		"NIE CIF RAE ERE ERTE PYME ETA SIDA VIP OVNI LED PIN SIM RAM ROM OPEP FIFA UEFA "
		"FIBA MIR INEM SEPE PSOE VOX TIC OK NO SI SÍ LO LA EL LOS LAS UN UNA DE DEL AL "
		"EN CON POR QUE QUÉ ES SON SE SU MI TU ME TE LE LES YA MÁS HAY HOY VEN VER ASÍ "
		"MUY SIN DOS FIN SOL MAR OJO GAS LUZ PAZ DON ",
	.signs = language_es_signs,
	.spelled_signs = language_es_spelled_signs,
	.space = "espacio",
	.version = "versión",
	.version_words = " versión python ios android java ubuntu php ",
	.hashtag = "hashtag",
	.domains = " mx ar cl uk us tv io eu br pt de fr it ",
	.extensions = " pdf csv jpg png gif html txt xml css svg sql php exe zip mp3 mp4 ",
};

const struct language language_es = {
	.code = "es",
	.never = " sr sra sres sras srta dr dra drs dres dña prof profa lic ing arq gral Cap "
		 "Col sto sta p.ej ej ee avda av aprox vs cf ",
	.starter = " a.m p.m ee.uu ud uds vd vds s.a cía ltda jr a.c d.c pág págs p pp núm núms n "
		   "fig vol tel cap ene feb abr ago sept oct nov dic ",
	.capital = " etc ",
	.word = " no art máx mín ",
	.starters = " el la los las un una unos unas lo al del yo tú él ella ellos ellas nosotros "
		    "usted ustedes este esta estos estas ese esa eso esto aquel aquella y pero o "
		    "si cuando donde como qué quién cómo cuándo dónde cuál por para con sin en de "
		    "desde hasta entre sobre tras según durante después antes luego entonces ahora "
		    "hoy ayer mañana también además mi tu su sus nuestro nuestra es son fue era "
		    "hay no sí gracias todo todos todas cada muchos algunos ",
	.reading = &language_es_reading,
};
/* clang-format on */
