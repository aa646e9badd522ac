/*
 * language_pt.c: Portuguese (see language.h and reading.h); number words as in
 * Brazil.
 *
 * Own sets of numbers: d is a day ("primeiro"), u a full hour, N the half of the
 * day, s a century or a ruler (ordinal up to ten), g one thing ("uma") and no
 * other number, r and R what follows thousands and millions, H and T the stems
 * of hundreds and tens.
 */
#include "text/language.h"

/* Tables and lists are wrapped by hand. */
/* clang-format off */

#define END {NUMBER_RULES_END, 0, NULL}
#define THOUSAND UINT64_C(1000)
#define MILLION UINT64_C(1000000)
#define BILLION UINT64_C(1000000000)
#define TRILLION UINT64_C(1000000000000)
#define QUADRILLION UINT64_C(1000000000000000)

static const struct number_rule language_pt_hundreds[] = {
	{0, 0, ""}, {2, 0, "duzent"}, {3, 0, "trezent"}, {4, 0, "quatrocent"}, {5, 0, "quinhent"},
	{6, 0, "seiscent"}, {7, 0, "setecent"}, {8, 0, "oitocent"}, {9, 0, "novecent"}, END,
};

static const struct number_rule language_pt_tens[] = {
	{0, 0, ""}, {2, 0, "vinte"}, {3, 0, "trinta"}, {4, 0, "quarenta"}, {5, 0, "cinquenta"},
	{6, 0, "sessenta"}, {7, 0, "setenta"}, {8, 0, "oitenta"}, {9, 0, "noventa"}, END,
};

/* From a hundred on; x is the set itself, r the remainder after its thousands. */
#define LARGE(x, os, r) \
	{100, 0, "cem"}, {101, 100, "cento e >>"}, {200, 0, "<H<" os "[ e >>]"}, \
	{THOUSAND, 0, "mil[>" r ">]"}, {2 * THOUSAND, 0, "<< mil[>" r ">]"}, \
	{MILLION, 0, "um milhão[>" r ">]"}, {2 * MILLION, 0, "<c< milhões[>" r ">]"}, \
	{BILLION, 0, "um bilhão[>" r ">]"}, {2 * BILLION, 0, "<c< bilhões[>" r ">]"}, \
	{TRILLION, 0, "um trilhão[>" r ">]"}, {2 * TRILLION, 0, "<c< trilhões[>" r ">]"}, \
	{QUADRILLION, 0, "um quatrilhão[>" r ">]"}, \
	{2 * QUADRILLION, 0, "<c< quatrilhões[>" r ">]"}, END,

static const struct number_rule language_pt_counting[] = {
	{0, 0, "zero"}, {1, 0, "um"}, {2, 0, "dois"}, {3, 0, "três"}, {4, 0, "quatro"},
	{5, 0, "cinco"}, {6, 0, "seis"}, {7, 0, "sete"}, {8, 0, "oito"}, {9, 0, "nove"},
	{10, 0, "dez"}, {11, 0, "onze"}, {12, 0, "doze"}, {13, 0, "treze"}, {14, 0, "quatorze"},
	{15, 0, "quinze"}, {16, 0, "dezesseis"}, {17, 0, "dezessete"}, {18, 0, "dezoito"},
	{19, 0, "dezenove"}, {20, 0, "<T<[ e >>]"}, LARGE("c", "os", "r")
};

static const struct number_rule language_pt_feminine[] = {
	{0, 0, "=c="}, {1, 0, "uma"}, {2, 0, "duas"}, {3, 0, "=c="}, {20, 0, "<T<[ e >>]"},
	LARGE("f", "as", "R")
};

static const struct number_rule language_pt_single_feminine[] = {
	{0, 0, "=c="}, {1, 0, "uma"}, {2, 0, "=c="}, END,
};

/* An "e" precedes a last group that is below a hundred or a multiple of one. */
#define ROUND(n, unit, x) \
	{n * unit, unit, "[ =" x "=| e =" x "=]"}, {n * unit + unit, unit, " =" x "="}
#define ROUNDS(unit, x) \
	{unit, unit, "[ =" x "=| e =" x "=]"}, {101 * unit, unit, " =" x "="}, \
	ROUND(200, unit, x), ROUND(300, unit, x), ROUND(400, unit, x), ROUND(500, unit, x), \
	ROUND(600, unit, x), ROUND(700, unit, x), ROUND(800, unit, x), ROUND(900, unit, x)
#define AFTER_LARGE(x) \
	{0, 0, ""}, ROUNDS(UINT64_C(1), x), ROUNDS(THOUSAND, x), ROUNDS(MILLION, x), \
	ROUNDS(BILLION, x), ROUNDS(TRILLION, x), END,

static const struct number_rule language_pt_after_large[] = {AFTER_LARGE("c")};
static const struct number_rule language_pt_after_large_feminine[] = {AFTER_LARGE("f")};

#define ORDINALS(o) \
	{0, 0, "=c="}, {1, 0, "primeir" o}, {2, 0, "segund" o}, {3, 0, "terceir" o}, \
	{4, 0, "quart" o}, {5, 0, "quint" o}, {6, 0, "sext" o}, {7, 0, "sétim" o}, \
	{8, 0, "oitav" o}, {9, 0, "non" o}, {10, 0, "décim" o "[ >>]"}, \
	{20, 0, "vigésim" o "[ >>]"}, {30, 0, "trigésim" o "[ >>]"}, \
	{40, 0, "quadragésim" o "[ >>]"}, {50, 0, "quinquagésim" o "[ >>]"}, \
	{60, 0, "sexagésim" o "[ >>]"}, {70, 0, "septuagésim" o "[ >>]"}, \
	{80, 0, "octogésim" o "[ >>]"}, {90, 0, "nonagésim" o "[ >>]"}, \
	{100, 0, "centésim" o "[ >>]"}, {200, 0, "ducentésim" o "[ >>]"}, \
	{300, 0, "trecentésim" o "[ >>]"}, {400, 0, "quadringentésim" o "[ >>]"}, \
	{500, 0, "quingentésim" o "[ >>]"}, {600, 0, "sexcentésim" o "[ >>]"}, \
	{700, 0, "septingentésim" o "[ >>]"}, {800, 0, "octingentésim" o "[ >>]"}, \
	{900, 0, "noningentésim" o "[ >>]"}, {1000, 0, "milésim" o "[ >>]"}, \
	{2000, 0, "=c="}, END,

static const struct number_rule language_pt_ordinal[] = {ORDINALS("o")};
static const struct number_rule language_pt_ordinal_feminine[] = {ORDINALS("a")};

static const struct number_rule language_pt_day[] = {
	{0, 0, "=c="}, {1, 0, "primeiro"}, {2, 0, "=c="}, END,
};

static const struct number_rule language_pt_full_hour[] = {
	{0, 0, "zero hora"}, {1, 0, "uma hora"}, {2, 0, "=f= horas"}, END,
};

static const struct number_rule language_pt_half_of_day[] = {
	{0, 0, "da tarde"}, {7, 0, "da noite"}, {12, 0, "da tarde"}, END,
};

static const struct number_rule language_pt_century[] = {{0, 0, "=o="}, {11, 0, "=c="}, END};

#define DENOMINATORS(s) \
	{0, 0, "=c="}, {2, 0, "meio" s}, {3, 0, "terço" s}, {4, 0, "=o=" s}, {11, 0, "=c= avos"}, \
	{100, 0, "centésimo" s}, {101, 0, "=c= avos"}, END,

static const struct number_rule language_pt_denominator[] = {DENOMINATORS("")};
static const struct number_rule language_pt_denominators[] = {DENOMINATORS("s")};

static const struct number_set language_pt_numbers[] = {
	{'c', language_pt_counting}, {'f', language_pt_feminine}, {'o', language_pt_ordinal}, {'p', language_pt_ordinal_feminine},
	{'q', language_pt_denominator}, {'Q', language_pt_denominators}, {'d', language_pt_day}, {'s', language_pt_century}, {'u', language_pt_full_hour},
	{'N', language_pt_half_of_day}, {'g', language_pt_single_feminine}, {'r', language_pt_after_large},
	{'R', language_pt_after_large_feminine}, {'H', language_pt_hundreds}, {'T', language_pt_tens}, {0},
};

#define HE(singular, plural) {.one = singular, .many = plural, .key = 'm'}
#define SHE(singular, plural) {.one = singular, .many = plural, .key = 'f'}
#define HE_UNIT(spellings, ...) {.written = spellings, .name = HE(__VA_ARGS__)}
#define SHE_UNIT(spellings, ...) {.written = spellings, .name = SHE(__VA_ARGS__)}

static const struct measure_unit language_pt_units[] = {
	{.written = " % ", .name = {.one = "por cento"}},
	{.written = " ‰ ", .name = {.one = "por mil"}},
	HE_UNIT(" ° ", "grau", "graus"),
	HE_UNIT(" °C ºC ℃ ", "grau Celsius", "graus Celsius"),
	HE_UNIT(" °F ºF ℉ ", "grau Fahrenheit", "graus Fahrenheit"),
	HE_UNIT(" km Km ", "quilômetro", "quilômetros"),
	HE_UNIT(" m ", "metro", "metros"),
	HE_UNIT(" dm ", "decímetro", "decímetros"),
	HE_UNIT(" cm ", "centímetro", "centímetros"),
	HE_UNIT(" mm ", "milímetro", "milímetros"),
	HE_UNIT(" µm μm ", "micrômetro", "micrômetros"),
	HE_UNIT(" nm ", "nanômetro", "nanômetros"),
	HE_UNIT(" km² km2 ", "quilômetro quadrado", "quilômetros quadrados"),
	HE_UNIT(" m² m2 ", "metro quadrado", "metros quadrados"),
	HE_UNIT(" cm² cm2 ", "centímetro quadrado", "centímetros quadrados"),
	HE_UNIT(" mm² mm2 ", "milímetro quadrado", "milímetros quadrados"),
	HE_UNIT(" km³ km3 ", "quilômetro cúbico", "quilômetros cúbicos"),
	HE_UNIT(" m³ m3 ", "metro cúbico", "metros cúbicos"),
	HE_UNIT(" cm³ cm3 cc ", "centímetro cúbico", "centímetros cúbicos"),
	HE_UNIT(" ha ", "hectare", "hectares"),
	HE_UNIT(" s² s2 ", "segundo ao quadrado", "segundos ao quadrado"),
	SHE_UNIT(" mph ", "milha por hora", "milhas por hora"),
	HE_UNIT(" ft ", "pé", "pés"),
	SHE_UNIT(" in ″ ", "polegada", "polegadas"),
	HE_UNIT(" kg Kg ", "quilograma", "quilogramas"),
	HE_UNIT(" g ", "grama", "gramas"),
	HE_UNIT(" mg ", "miligrama", "miligramas"),
	HE_UNIT(" µg μg mcg ", "micrograma", "microgramas"),
	SHE_UNIT(" t ", "tonelada", "toneladas"),
	SHE_UNIT(" lb lbs ", "libra", "libras"),
	SHE_UNIT(" oz ", "onça", "onças"),
	HE_UNIT(" l L ", "litro", "litros"),
	HE_UNIT(" dl dL ", "decilitro", "decilitros"),
	HE_UNIT(" cl cL ", "centilitro", "centilitros"),
	HE_UNIT(" ml mL ", "mililitro", "mililitros"),
	HE_UNIT(" hl hL ", "hectolitro", "hectolitros"),
	SHE_UNIT(" h hs hrs ", "hora", "horas"),
	HE_UNIT(" min min. ", "minuto", "minutos"),
	HE_UNIT(" s seg seg. ", "segundo", "segundos"),
	HE_UNIT(" ms ", "milissegundo", "milissegundos"),
	{.written = " x ", .name = SHE("vez", "vezes"), .joined = true},
	HE_UNIT(" mês ", "mês", "meses"),
	HE_UNIT(" dia ", "dia", "dias"),
	HE_UNIT(" ano ", "ano", "anos"),
	SHE_UNIT(" pessoa ", "pessoa", "pessoas"),
	SHE_UNIT(" noite ", "noite", "noites"),
	SHE_UNIT(" vez vezes ", "vez", "vezes"),
	HE_UNIT(" Hz ", "hertz", "hertz"),
	HE_UNIT(" kHz ", "quilohertz", "quilohertz"),
	HE_UNIT(" MHz ", "megahertz", "megahertz"),
	HE_UNIT(" GHz ", "gigahertz", "gigahertz"),
	HE_UNIT(" W ", "watt", "watts"),
	HE_UNIT(" kW ", "quilowatt", "quilowatts"),
	HE_UNIT(" MW ", "megawatt", "megawatts"),
	HE_UNIT(" GW ", "gigawatt", "gigawatts"),
	HE_UNIT(" Wh ", "watt-hora", "watts-hora"),
	HE_UNIT(" kWh ", "quilowatt-hora", "quilowatts-hora"),
	HE_UNIT(" MWh ", "megawatt-hora", "megawatts-hora"),
	HE_UNIT(" GWh ", "gigawatt-hora", "gigawatts-hora"),
	HE_UNIT(" V ", "volt", "volts"),
	HE_UNIT(" kV ", "quilovolt", "quilovolts"),
	HE_UNIT(" mV ", "milivolt", "milivolts"),
	HE_UNIT(" mA ", "miliampère", "miliampères"),
	HE_UNIT(" mAh ", "miliampère-hora", "miliampères-hora"),
	HE_UNIT(" Ω ", "ohm", "ohms"),
	HE_UNIT(" J ", "joule", "joules"),
	HE_UNIT(" kJ ", "quilojoule", "quilojoules"),
	HE_UNIT(" N ", "newton", "newtons"),
	HE_UNIT(" Nm ", "newton-metro", "newtons-metro"),
	HE_UNIT(" Pa ", "pascal", "pascals"),
	HE_UNIT(" hPa ", "hectopascal", "hectopascals"),
	HE_UNIT(" kPa ", "quilopascal", "quilopascals"),
	HE_UNIT(" bar ", "bar", "bars"),
	HE_UNIT(" cv CV ", "cavalo", "cavalos"),
	SHE_UNIT(" cal ", "caloria", "calorias"),
	SHE_UNIT(" kcal ", "quilocaloria", "quilocalorias"),
	HE_UNIT(" dB ", "decibel", "decibéis"),
	HE_UNIT(" lm ", "lúmen", "lúmens"),
	SHE_UNIT(" rpm ", "rotação por minuto", "rotações por minuto"),
	SHE_UNIT(" ppm ", "parte por milhão", "partes por milhão"),
	HE_UNIT(" fps ", "quadro por segundo", "quadros por segundo"),
	HE_UNIT(" px ", "pixel", "pixels"),
	HE_UNIT(" MP Mpx ", "megapixel", "megapixels"),
	HE_UNIT(" KB kB ", "quilobyte", "quilobytes"),
	HE_UNIT(" MB ", "megabyte", "megabytes"),
	HE_UNIT(" GB ", "gigabyte", "gigabytes"),
	HE_UNIT(" TB ", "terabyte", "terabytes"),
	HE_UNIT(" PB ", "petabyte", "petabytes"),
	HE_UNIT(" kb kbit ", "quilobit", "quilobits"),
	HE_UNIT(" Mb Mbit ", "megabit", "megabits"),
	HE_UNIT(" Gb Gbit ", "gigabit", "gigabits"),
	HE_UNIT(" kbps ", "quilobit por segundo", "quilobits por segundo"),
	HE_UNIT(" Mbps ", "megabit por segundo", "megabits por segundo"),
	HE_UNIT(" Gbps ", "gigabit por segundo", "gigabits por segundo"),
	{0},
};

static const struct currency language_pt_currencies[] = {
	{" R$ BRL ", HE("real", "reais"), HE("centavo", "centavos")},
	{" € EUR ", HE("euro", "euros"), HE("cêntimo", "cêntimos")},
	{" $ US$ USD ", HE("dólar", "dólares"), HE("centavo", "centavos")},
	{" £ GBP ", SHE("libra", "libras"), HE("pêni", "pence")},
	{" ¥ JPY ", HE("iene", "ienes"), {0}},
	{" CNY RMB ", HE("yuan", "yuans"), {0}},
	{" CHF ", HE("franco suíço", "francos suíços"), HE("cêntimo", "cêntimos")},
	{" zł PLN ", HE("zlóti", "zlótis"), HE("grosz", "groszy")},
	{" AOA Kz ", HE("kwanza", "kwanzas"), HE("cêntimo", "cêntimos")},
	{" MZN ", HE("metical", "meticais"), HE("centavo", "centavos")},
	{" CVE ", HE("escudo", "escudos"), HE("centavo", "centavos")},
	{" ARS AR$ ", HE("peso argentino", "pesos argentinos"), HE("centavo", "centavos")},
	{" MXN MX$ ", HE("peso mexicano", "pesos mexicanos"), HE("centavo", "centavos")},
	{" CLP ", HE("peso chileno", "pesos chilenos"), {0}},
	{" UYU ", HE("peso uruguaio", "pesos uruguaios"), HE("centavo", "centavos")},
	{" CAD CA$ ", HE("dólar canadense", "dólares canadenses"), HE("centavo", "centavos")},
	{" AUD A$ ", HE("dólar australiano", "dólares australianos"), HE("centavo", "centavos")},
	{" SEK ", SHE("coroa sueca", "coroas suecas"), {0}},
	{" NOK ", SHE("coroa norueguesa", "coroas norueguesas"), {0}},
	{" DKK ", SHE("coroa dinamarquesa", "coroas dinamarquesas"), {0}},
	{" CZK ", SHE("coroa tcheca", "coroas tchecas"), {0}},
	{" ₽ RUB ", HE("rublo", "rublos"), HE("copeque", "copeques")},
	{" ₹ INR ", SHE("rupia", "rupias"), SHE("paisa", "paisas")},
	{" ₺ TRY ", SHE("lira turca", "liras turcas"), {0}},
	{" ₩ KRW ", HE("won", "wons"), {0}},
	{" ₿ BTC ", HE("bitcoin", "bitcoins"), {0}},
	{0},
};

static const struct magnitude language_pt_magnitudes[] = {
	{.written = " mil ", .name = {.one = "mil"}, .times = 1000},
	{.written = " k K ", .name = {.one = "mil"}, .times = 1000, .money_only = true},
	{.written = " milhão milhões ", .name = HE("milhão", "milhões"), .of = "de "},
	{.written = " mi mi. M MM ", .name = HE("milhão", "milhões"), .of = "de ",
	 .money_only = true},
	{.written = " bilhão bilhões ", .name = HE("bilhão", "bilhões"), .of = "de "},
	{.written = " bi bi. B ", .name = HE("bilhão", "bilhões"), .of = "de ",
	 .money_only = true},
	{.written = " bilião biliões ", .name = HE("bilião", "biliões"), .of = "de "},
	{.written = " trilhão trilhões ", .name = HE("trilhão", "trilhões"), .of = "de "},
	{.written = " tri tri. T ", .name = HE("trilhão", "trilhões"), .of = "de ",
	 .money_only = true},
	{0},
};

/* "2 casas"; a singular noun occurs only with the number 1. */
static const struct by_ending language_pt_agreement[] = {
	{" as ãs ções sões dades tudes gens vezes vozes luzes mulheres colheres flores "
	 "noites tardes classes partes chaves fotos motos séries fases redes leis ",
	 " dias mapas problemas programas sistemas temas idiomas climas planetas cometas poemas "
	 "dramas diplomas sintomas esquemas dilemas telegramas gramas quilogramas miligramas "
	 "sofás artistas turistas motoristas guardas atletas kwanzas ", 'f',
	 .words = " mãos cores suítes dores mães nuvens ordens imagens árvores páginas metades "
		  "fontes pontes mentes sedes bases frases crises teses taxas equipes "},
	{" a ã ção são dade tude gem vez voz luz mulher colher flor noite tarde classe parte "
	 "chave foto moto série fase rede lei ",
	 " dia mapa problema programa sistema tema idioma clima planeta cometa poema drama "
	 "diploma sintoma esquema dilema telegrama grama quilograma miligrama artista turista "
	 "motorista guarda atleta kwanza ", 'g',
	 .words = " mão cor suíte dor mãe nuvem ordem árvore metade fonte ponte mente sede base frase "
		  "crise tese equipe "},
	{0},
};

static const struct ordinal_mark language_pt_ordinal_marks[] = {
	{" º .º ", 'o'},
	{" ª .ª ", 'p'},
	{0},
};

static const struct fraction language_pt_fractions[] = {
	{1, 2, "um meio", " e meio", " e meia"},
	{1, 1000, "um milésimo", NULL},
	{24, 7, "vinte e quatro sete", NULL},
	{0},
};

static const struct calendar_name language_pt_months[] = {
	{"janeiro", " jan ", NULL}, {"fevereiro", " fev ", NULL}, {"março", " mar ", NULL},
	{"abril", " abr ", NULL}, {"maio", " mai ", NULL}, {"junho", " jun ", NULL},
	{"julho", " jul ", NULL}, {"agosto", " ago ", NULL}, {"setembro", " set ", NULL},
	{"outubro", " out ", NULL}, {"novembro", " nov ", NULL}, {"dezembro", " dez ", NULL},
};

static const struct calendar_name language_pt_weekdays[] = {
	{"segunda", " seg ", NULL}, {"terça", " ter ", NULL}, {"quarta", " qua ", NULL},
	{"quinta", " qui ", NULL}, {"sexta", " sex ", NULL}, {"sábado", " sáb sab ", NULL},
	{"domingo", " dom ", NULL},
};

/* Nouns that are numbered, before or after the number. */
static const struct by_neighbours language_pt_romans[] = {
	{" século séculos séc sécs ", NULL, 's'},
	{NULL, " guerra república internacional edição feira bienal cúpula jornada jornadas ", 'p'},
	{NULL, " centenário congresso festival concurso prêmio aniversário reich plano ", 'o'},
	{" capítulo capítulos cap tomo vol volume parte título livro fase ato cena seção "
	 "anexo artigo inciso tema módulo nível tipo grau classe grupo lição bowl ", NULL, 'c'},
	{.before = " e ou ", .key = 's', .earlier = " ii iii iv v vi vii viii ix x xi xii xiii "
						    "xiv xv xvi xvii xviii xix xx "},
	{0},
};

static const struct abbreviation language_pt_abbreviations[] = {
	{"Sr.", "senhor", 0},
	{"sr.", "senhor", 0},
	{"Sra.", "senhora", 0},
	{"sra.", "senhora", 0},
	{"Srs.", "senhores", 0},
	{"Sras.", "senhoras", 0},
	{"Srta.", "senhorita", 0},
	{"srta.", "senhorita", 0},
	{"Dr.", "doutor", 0},
	{"dr.", "doutor", 0},
	{"Dra.", "doutora", 0},
	{"dra.", "doutora", 0},
	{"Drs.", "doutores", 0},
	{"Dras.", "doutoras", 0},
	{"Prof.", "professor", 0},
	{"prof.", "professor", 0},
	{"Profa.", "professora", 0},
	{"profa.", "professora", 0},
	{"Prof.ª", "professora", 0},
	{"Profª", "professora", 0},
	{"D.Pedro", "dom Pedro", 0}, {"D.João", "dom João", 0}, {"D.Manuel", "dom Manuel", 0},
	{"D.Afonso", "dom Afonso", 0}, {"D.Sebastião", "dom Sebastião", 0},
	{"D.Dinis", "dom Dinis", 0}, {"D.Henrique", "dom Henrique", 0},
	{"D.José", "dom José", 0}, {"D.Luís", "dom Luís", 0}, {"D.Carlos", "dom Carlos", 0},
	{"D.Maria", "dona Maria", 0}, {"D.Ana", "dona Ana", 0}, {"D.Isabel", "dona Isabel", 0},
	{"D.Teresa", "dona Teresa", 0}, {"D.Rosa", "dona Rosa", 0}, {"D.Lúcia", "dona Lúcia", 0},
	{"D.", "dona", WHEN_BEFORE_CAPITAL, " a da à com para "},
	{"S.Paulo", "São Paulo", 0}, {"S.José", "São José", 0}, {"S.João", "São João", 0},
	{"S.Pedro", "São Pedro", 0}, {"S.Francisco", "São Francisco", 0},
	{"S.A.", "S A", 0},
	{"Eng.", "engenheiro", 0},
	{"Arq.", "arquiteto", 0},
	{"Gen.", "general", 0},
	{"Cel.", "coronel", WHEN_BEFORE_CAPITAL},
	{"Exmo.", "excelentíssimo", 0},
	{"Exma.", "excelentíssima", 0},
	{"V.Exa.", "Vossa Excelência", 0},
	{"V.Ex.ª", "Vossa Excelência", 0},
	{"V.Sa.", "Vossa Senhoria", 0},
	{"Sto.", "Santo", 0},
	{"Sta.", "Santa", 0},
	{"p.ex.", "por exemplo", 0},
	{"ex.:", "exemplo:", 0},
	{"etc.", "etcétera", 0},
	{"A.C.", "A C", 0},
	{"D.C.", "D C", 0},
	{"a.C.", "antes de Cristo", 0},
	{"d.C.", "depois de Cristo", 0},
	{"obs.", "observação", 0},
	{"P.S.", "pós-escrito", 0},
	{"av.", "avenida", 0},
	{"Pça.", "praça", 0},
	{"R.", "rua", WHEN_BEFORE_CAPITAL, " na da à pela endereço "},
	{"bl.", "bloco", WHEN_BEFORE_CAPITAL},
	{"bl.", "bloco", WHEN_BEFORE_NUMBER},
	{"c/", "com", 0},
	{"50/50", "cinquenta cinquenta", 0},
	/* Only the first of a month is an ordinal. */
	{"1 de janeiro", "primeiro de janeiro", 0},
	{"1 de fevereiro", "primeiro de fevereiro", 0},
	{"1 de março", "primeiro de março", 0}, {"1 de abril", "primeiro de abril", 0},
	{"1 de maio", "primeiro de maio", 0}, {"1 de junho", "primeiro de junho", 0},
	{"1 de julho", "primeiro de julho", 0}, {"1 de agosto", "primeiro de agosto", 0},
	{"1 de setembro", "primeiro de setembro", 0},
	{"1 de outubro", "primeiro de outubro", 0},
	{"1 de novembro", "primeiro de novembro", 0},
	{"1 de dezembro", "primeiro de dezembro", 0},
	{"Rod.", "rodovia", WHEN_BEFORE_CAPITAL},
	{"Al.", "alameda", WHEN_BEFORE_CAPITAL},
	{"Trav.", "travessa", 0},
	{"s/n", "sem número", 0},
	{"apto.", "apartamento", 0},
	{"ap.", "apartamento", WHEN_BEFORE_NUMBER},
	{"depto.", "departamento", 0},
	{"dept.", "departamento", 0},
	{"pág.", "página", 0},
	{"págs.", "páginas", 0},
	{"pp.", "páginas", WHEN_BEFORE_NUMBER},
	{"p.", "página", WHEN_BEFORE_NUMBER},
	{"núm.", "número", 0},
	{"n.º", "número", 0},
	{"nº", "número", 0},
	{"n.os", "números", 0},
	{"n°", "número", WHEN_BEFORE_NUMBER},
	{"n.°", "número", WHEN_BEFORE_NUMBER},
	{"art.", "artigo", 0},
	{"arts.", "artigos", 0},
	{"inc.", "inciso", 0},
	{"cap.", "capítulo", 0},
	{"vol.", "volume", 0},
	{"fig.", "figura", 0},
	{"ed.", "edição", 0},
	{"séc.", "século", 0},
	{"sécs.", "séculos", 0},
	{"tel.", "telefone", 0},
	{"tel:", "telefone:", 0},
	{"cel.", "celular", 0},
	{"aprox.", "aproximadamente", 0},
	{"máx.", "máximo", 0},
	{"mín.", "mínimo", 0},
	{"vs.", "versus", 0},
	{"vs", "versus", 0},
	{"cia.", "companhia", 0},
	{"Ltda.", "limitada", 0},
	{"atte.", "atenciosamente", 0},
	/* Not numerals, regardless of the word before. */
	{"CD", "C D", 0},
	{"CV", "C V", 0},
	{"DC", "D C", 0},
	{"MC", "M C", 0},
	{"MD", "M D", 0},
	{"CC", "C C", 0},
	{"CI", "C I", 0},
	{"XL", "X L", 0},
	{"1/2 hora", "meia hora", 0},
	{"½ hora", "meia hora", 0},
	{"1/2 xícara", "meia xícara", 0},
	{"½ xícara", "meia xícara", 0},
	{"1/2 dúzia", "meia dúzia", 0},
	{"½ dúzia", "meia dúzia", 0},
	{"1/2 colher", "meia colher", 0},
	{"½ colher", "meia colher", 0},
	{"1/2 litro", "meio litro", 0},
	{"½ litro", "meio litro", 0},
	{"1/2 l", "meio litro", 0},
	{"½ l", "meio litro", 0},
	{"1/2 quilo", "meio quilo", 0},
	{"½ quilo", "meio quilo", 0},
	{"1/2 kg", "meio quilograma", 0},
	{"½ kg", "meio quilograma", 0},
	{"1/2 copo", "meio copo", 0},
	{"½ copo", "meio copo", 0},
	{"1/2 limão", "meio limão", 0},
	{"½ limão", "meio limão", 0},
	{"km", "quilômetro", WHEN_BEFORE_NUMBER},
	{"km.", "quilômetro", WHEN_BEFORE_NUMBER},
	{"x", "por", WHEN_AFTER_NUMBER | WHEN_BEFORE_NUMBER},
	{0},
};

static const struct sign language_pt_signs[] = {
	{"&", "e", 0},
	{"+", "mais", WHEN_AFTER_NUMBER | WHEN_BEFORE_NUMBER},
	{"+", "mais", WHEN_BEFORE_NUMBER},
	{"+", "mais", WHEN_AFTER_CAPITAL},
	{"-", "menos", WHEN_AFTER_NUMBER | WHEN_BEFORE_NUMBER},
	{"−", "menos", WHEN_BEFORE_NUMBER},
	{"²", "ao quadrado", WHEN_AFTER_NUMBER},
	{"³", "ao cubo", WHEN_AFTER_NUMBER},
	{"=", "igual a", 0},
	{"×", "por", WHEN_TIGHT},
	{"×", "vezes", 0},
	{"*", "vezes", WHEN_AFTER_NUMBER | WHEN_BEFORE_NUMBER},
	{"÷", "dividido por", 0},
	{"<", "menor que", WHEN_BEFORE_NUMBER},
	{">", "maior que", WHEN_BEFORE_NUMBER},
	{"≤", "menor ou igual a", 0},
	{"≥", "maior ou igual a", 0},
	{"≠", "diferente de", 0},
	{"≈", "aproximadamente", 0},
	{"~", "aproximadamente", WHEN_BEFORE_NUMBER},
	{"±", "mais ou menos", 0},
	{"#", "número", WHEN_BEFORE_NUMBER},
	{"§", "parágrafo", WHEN_BEFORE_NUMBER},
	{"@", "arroba", 0},
	{"€", "euros", 0},
	{"£", "libras", 0},
	{"%", "por cento", 0},
	{"∞", "infinito", 0},
	{"√", "raiz de", WHEN_BEFORE_NUMBER},
	{"™", "", 0},
	{"®", "", 0},
	{"©", "", 0},
	{0},
};

static const struct sign language_pt_spelled_signs[] = {
	{"!", "exclamação", 0}, {"\"", "aspas", 0}, {"#", "cerquilha", 0}, {"$", "cifrão", 0},
	{"%", "por cento", 0}, {"&", "e comercial", 0}, {"'", "apóstrofo", 0},
	{"(", "abre parêntese", 0}, {")", "fecha parêntese", 0}, {"*", "asterisco", 0},
	{"+", "mais", 0}, {",", "vírgula", 0}, {"-", "hífen", 0}, {".", "ponto", 0},
	{"/", "barra", 0}, {":", "dois pontos", 0}, {";", "ponto e vírgula", 0},
	{"<", "menor que", 0}, {"=", "igual", 0}, {">", "maior que", 0}, {"?", "interrogação", 0},
	{"@", "arroba", 0}, {"[", "abre colchete", 0}, {"\\", "barra invertida", 0},
	{"]", "fecha colchete", 0}, {"^", "circunflexo", 0}, {"_", "underline", 0},
	{"`", "crase", 0}, {"{", "abre chave", 0}, {"|", "barra vertical", 0},
	{"}", "fecha chave", 0}, {"~", "til", 0}, {"€", "euro", 0}, {"£", "libra", 0},
	{"§", "parágrafo", 0}, {"°", "grau", 0}, {0},
};

static const struct reading_rules language_pt_reading = {
	.numbers = language_pt_numbers,
	.decimal = ',',
	.thousands = ". '",
	.decimal_word = "vírgula",
	.other_decimal_word = "ponto",
	.decimals_as_number = 2,
	.minus = "menos",
	.plus = "mais",
	.plural = PLURAL_FRENCH,
	.units = language_pt_units,
	.per = "por {u}",
	.currencies = language_pt_currencies,
	.money_cents = "{n} {unit} e {c} {cent}",
	.money_only_cents = "{c} {cent}",
	.magnitudes = language_pt_magnitudes,
	.agreement = language_pt_agreement,
	.or_words = " ou ",
	.no_noun = " a à ao aos as às até cada com como contra da das de depois desde do dos e "
		   "ela elas em entre era esta está eram fica foi há já mais mas me menos na nas "
		   "nem no nos nada o os ou para pela pelas pelo pelos por quando que se sem ser "
		   "será sobre são sua suas também toda todas uma umas vai agora ainda antes "
		   "fora nunca minha custa chega vale fecha começa termina entra passa mil ",
	.ordinal_marks = language_pt_ordinal_marks,
	.fractions = language_pt_fractions,
	.fraction = "{n:c} {d}",
	.fraction_mixed = "{w:c} e {n:c} {d}",
	.fraction_max = 100,
	.over = "barra",
	.date_order = DATE_DAY_FIRST,
	.date_marks = "/-.",
	.months = language_pt_months,
	.weekdays = language_pt_weekdays,
	.date_before = " dia ",
	.date = "{day:d} de {month} de {year:c}",
	.date_without_year = "{day:d} de {month}",
	.date_dmy = "{day:d} de {month} de {year:c}",
	.date_dm = "{day:d} de {month}",
	.date_my = "{month} de {year:c}",
	.year_least = 1000,
	.year_most = 2199,
	.time_marks = ":h",
	.time_words = " h hs hrs ",
	.time_hm = "{h:f} e {m:c}",
	.time_hm_small = "{h:f} e {m:c}",
	.time_h = "{h:u}",
	.time_hms = "{h:f} horas, {m:c} minutos e {s:c} segundos",
	.time_hm_half = "{h:f} e {m:c} {half}",
	.time_hm_small_half = "{h:f} e {m:c} {half}",
	.time_h_half = "{h:f} {half}",
	.am = " am AM a._m. a._m A._M. A._M ",
	.pm = " pm PM p._m. p._m P._M. P._M ",
	.am_word = "da manhã",
	.pm_word = "{h:N}",
	.to = "a",
	.score = "a",
	.phone_words = " tel telefone celular fax whatsapp ",
	.phone_shapes = " 54 44 254 244 333 3332 23342 53 ",
	.roman_name = "{n:o}",
	.roman_name_feminine = "{n:p}",
	.roman_ordinal_max = 10,
	.names = " afonso carlos filipe felipe fernando joão henrique pedro luís pio leão paulo "
		 "francisco jorge eduardo ricardo guilherme manuel sancho dinis duarte sebastião "
		 "josé miguel clemente gregório napoleão alexandre nicolau frederico leopoldo "
		 "alberto gustavo bonifácio urbano inocêncio sisto adriano dario xerxes ramsés "
		 "ptolomeu ivan ",
	.feminine_names = " isabel catarina maria joana vitória margarida elizabeth beatriz "
			  "cristina ana leonor teresa ",
	.romans = language_pt_romans,
	.abbreviations = language_pt_abbreviations,
	.spelled = " UTI ISBN IBGE INSS IPTU IPVA BNDES USD EUA RTP UFRJ ",
	.said = " PEC SAC NASA ONU OTAN UNESCO UNICEF PIB ONG SUS PIX CEP USP OAB ENEM IPEA PIS "
		"FIFA UEFA AIDS VIP OVNI LED PIN SIM RAM ROM OPEP MEC SAMU DETRAN FUNAI EMBRAPA "
		"SENAI SESC IVA NIF OK NÃO SIM SE EU TU ELE ELA OS AS UM UMA DE DO DA DOS DAS EM "
		"NO NA NOS NAS COM POR QUE É SÃO SEU SUA MEU AO AOS JÁ MAIS HÁ VEM VER SEM DOIS "
		"FIM SOL MAR GÁS LUZ PAZ DOM BOM BOA DIA MUITO ISSO AQUI ",
	.signs = language_pt_signs,
	.spelled_signs = language_pt_spelled_signs,
	.space = "espaço",
	.version = "versão",
	.version_words = " versão python ios android java ubuntu php ",
	.hashtag = "hashtag",
	.domains = " br pt uk us tv io eu ar es de fr it ao mz ",
	.extensions = " pdf csv jpg png gif html txt xml css svg sql php exe zip mp3 mp4 ",
};

const struct language language_pt = {
	.code = "pt",
	.never = " sr sra srs sras srta dr dra drs dras prof profa eng arq exmo exma p.ex Gen "
		 "Col av aprox vs cf ",
	.starter = " ltda cia s.a jr a.c d.c a.m p.m pág págs p pp n núm tel fig vol cap jan fev "
		   "abr ago set out nov dez ex ",
	.capital = " etc ",
	.word = " art máx mín ",
	.starters = " o a os as um uma eu tu ele ela nós eles elas você vocês este esta isto esse "
		    "essa isso aquele aquela e mas ou se quando onde como que quem porque por para "
		    "com sem em no na nos nas de do da ao à até desde entre sobre depois antes "
		    "então agora hoje ontem amanhã também além meu minha seu sua nosso é são foi "
		    "era há não sim obrigado obrigada tudo todos todas cada muitos alguns ",
	.reading = &language_pt_reading,
};
/* clang-format on */
