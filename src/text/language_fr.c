/*
 * language_fr.c: French (see language.h, reading.h).
 *
 * Numbers have the spelling from before 1990: no hyphens around "et", "cent" and "mille".
 * Engines speak both alike, and people who read the text are used to this one.
 */
#include "text/language.h"

/* Tables and lists are wrapped by hand. */
/* clang-format off */

/* Counting: "quatre-vingts", "deux cents". */
static const struct number_rule language_fr_counting[] = {
	{0, 0, "zéro"}, {1, 0, "un"}, {2, 0, "deux"}, {3, 0, "trois"}, {4, 0, "quatre"},
	{5, 0, "cinq"}, {6, 0, "six"}, {7, 0, "sept"}, {8, 0, "huit"}, {9, 0, "neuf"},
	{10, 0, "dix"}, {11, 0, "onze"}, {12, 0, "douze"}, {13, 0, "treize"},
	{14, 0, "quatorze"}, {15, 0, "quinze"}, {16, 0, "seize"}, {17, 0, "dix->>"},
	{20, 0, "vingt"}, {21, 0, "vingt et un"}, {22, 0, "vingt->>"},
	{30, 0, "trente"}, {31, 0, "trente et un"}, {32, 0, "trente->>"},
	{40, 0, "quarante"}, {41, 0, "quarante et un"}, {42, 0, "quarante->>"},
	{50, 0, "cinquante"}, {51, 0, "cinquante et un"}, {52, 0, "cinquante->>"},
	{60, 0, "soixante"}, {61, 0, "soixante et un"}, {62, 20, "soixante->>"},
	{71, 0, "soixante et onze"}, {72, 20, "soixante->>"},
	{80, 0, "quatre-vingts"}, {81, 20, "quatre-vingt->>"},
	{100, 0, "cent[ >>]"}, {200, 0, "<< cent>s>"},
	{1000, 0, "mille[ >>]"}, {2000, 0, "<v< mille[ >>]"},
	{1000000, 0, "un million[ >>]"}, {2000000, 0, "<< millions[ >>]"},
	{1000000000, 0, "un milliard[ >>]"}, {2000000000, 0, "<< milliards[ >>]"},
	{1000000000000, 0, "un billion[ >>]"}, {2000000000000, 0, "<< billions[ >>]"},
	{1000000000000000, 0, "un billiard[ >>]"}, {2000000000000000, 0, "<< billiards[ >>]"},
	{NUMBER_RULES_END, 0, NULL},
};

/* The remainder after "deux cent". */
static const struct number_rule language_fr_after_cent[] = {
	{0, 0, "s"}, {1, 0, " =c="},
	{NUMBER_RULES_END, 0, NULL},
};

static const struct number_rule language_fr_after_cent_feminine[] = {
	{0, 0, "s"}, {1, 0, " =f="},
	{NUMBER_RULES_END, 0, NULL},
};

/* Before "mille", and for years and decades: "quatre-vingt", "deux cent". */
static const struct number_rule language_fr_without_s[] = {
	{0, 0, "=c="}, {80, 20, "quatre-vingt[->c>]"}, {100, 0, "cent[ >>]"},
	{200, 0, "<c< cent[ >>]"}, {1000, 0, "mille[ >>]"}, {2000, 0, "<< mille[ >>]"},
	{1000000, 0, "=c="},
	{NUMBER_RULES_END, 0, NULL},
};

static const struct number_rule language_fr_feminine[] = {
	{0, 0, "=c="}, {1, 0, "une"}, {2, 0, "=c="}, {21, 0, "vingt et une"}, {22, 0, "=c="},
	{31, 0, "trente et une"}, {32, 0, "=c="}, {41, 0, "quarante et une"}, {42, 0, "=c="},
	{51, 0, "cinquante et une"}, {52, 0, "=c="}, {61, 0, "soixante et une"}, {62, 0, "=c="},
	{81, 0, "quatre-vingt-une"}, {82, 0, "=c="}, {100, 0, "cent[ >>]"},
	{200, 0, "<c< cent>S>"}, {1000, 0, "mille[ >>]"}, {2000, 0, "<v< mille[ >>]"},
	{1000000, 0, "=c="},
	{NUMBER_RULES_END, 0, NULL},
};

/* Ordinals inside larger ones; zero is the ending of a round number: "cent" and
 * "ième", "trent" and "ième". */
static const struct number_rule language_fr_ordinal_ending[] = {
	{0, 0, "ième"}, {1, 0, "unième"}, {2, 0, "deuxième"}, {3, 0, "troisième"},
	{4, 0, "quatrième"}, {5, 0, "cinquième"}, {6, 0, "sixième"}, {7, 0, "septième"},
	{8, 0, "huitième"}, {9, 0, "neuvième"}, {10, 0, "dixième"}, {11, 0, "onzième"},
	{12, 0, "douzième"}, {13, 0, "treizième"}, {14, 0, "quatorzième"}, {15, 0, "quinzième"},
	{16, 0, "seizième"}, {17, 0, "dix->>"},
	{20, 0, "vingtième"}, {21, 0, "vingt et unième"}, {22, 0, "vingt->>"},
	{30, 0, "trentième"}, {31, 0, "trente et unième"}, {32, 0, "trente->>"},
	{40, 0, "quarantième"}, {41, 0, "quarante et unième"}, {42, 0, "quarante->>"},
	{50, 0, "cinquantième"}, {51, 0, "cinquante et unième"}, {52, 0, "cinquante->>"},
	{60, 0, "soixantième"}, {61, 0, "soixante et unième"}, {62, 20, "soixante->>"},
	{71, 0, "soixante et onzième"}, {72, 20, "soixante->>"},
	{80, 20, "quatre-vingt[-]>>"}, {100, 0, "cent[ ]>>"}, {200, 0, "<c< cent[ ]>>"},
	{1000, 0, "mill[e ]>>"}, {2000, 0, "<v< mill[e ]>>"},
	{1000000, 0, "[un ]million[ ]>>"}, {2000000, 0, "<c< million[s ]>>"},
	{1000000000, 0, "[un ]milliard[ ]>>"}, {2000000000, 0, "<c< milliard[s ]>>"},
	{1000000000000, 0, "=c="},
	{NUMBER_RULES_END, 0, NULL},
};

static const struct number_rule language_fr_ordinal[] = {
	{0, 0, "zéroième"}, {1, 0, "premier"}, {2, 0, "=u="},
	{NUMBER_RULES_END, 0, NULL},
};

static const struct number_rule language_fr_ordinal_feminine[] = {
	{0, 0, "zéroième"}, {1, 0, "première"}, {2, 0, "=u="},
	{NUMBER_RULES_END, 0, NULL},
};

static const struct number_rule language_fr_ordinal_several[] = {
	{0, 0, "=o=s"},
	{NUMBER_RULES_END, 0, NULL},
};

static const struct number_rule language_fr_ordinal_several_feminine[] = {
	{0, 0, "=p=s"},
	{NUMBER_RULES_END, 0, NULL},
};

/* The second of two: "2nd", "2nde". */
static const struct number_rule language_fr_second[] = {
	{0, 0, "=o="}, {2, 0, "second"}, {3, 0, "=o="},
	{NUMBER_RULES_END, 0, NULL},
};

static const struct number_rule language_fr_second_feminine[] = {
	{0, 0, "=p="}, {2, 0, "seconde"}, {3, 0, "=p="},
	{NUMBER_RULES_END, 0, NULL},
};

static const struct number_rule language_fr_part[] = {
	{0, 0, "=o="}, {2, 0, "demi"}, {3, 0, "tiers"}, {4, 0, "quart"}, {5, 0, "=o="},
	{NUMBER_RULES_END, 0, NULL},
};

static const struct number_rule language_fr_parts[] = {
	{0, 0, "=o="}, {2, 0, "demis"}, {3, 0, "tiers"}, {4, 0, "quarts"}, {5, 0, "=o=s"},
	{NUMBER_RULES_END, 0, NULL},
};

/* Days of a month, and kings: "premier", "deux". */
static const struct number_rule language_fr_first_only[] = {
	{0, 0, "=c="}, {1, 0, "premier"}, {2, 0, "=c="},
	{NUMBER_RULES_END, 0, NULL},
};

/* The cents of a price: "deux euros zéro cinq". */
static const struct number_rule language_fr_two_digits[] = {
	{0, 0, "zéro =c="}, {10, 0, "=c="},
	{NUMBER_RULES_END, 0, NULL},
};

static const struct number_rule language_fr_hours[] = {
	{0, 0, "zéro heure"}, {1, 0, "une heure"}, {2, 0, "=f= heures"},
	{NUMBER_RULES_END, 0, NULL},
};

static const struct number_rule language_fr_minutes[] = {
	{0, 0, "=f= minute"}, {2, 0, "=f= minutes"},
	{NUMBER_RULES_END, 0, NULL},
};

static const struct number_rule language_fr_seconds[] = {
	{0, 0, "=f= seconde"}, {2, 0, "=f= secondes"},
	{NUMBER_RULES_END, 0, NULL},
};

static const struct number_set language_fr_numbers[] = {
	{'c', language_fr_counting}, {'f', language_fr_feminine}, {'o', language_fr_ordinal}, {'p', language_fr_ordinal_feminine},
	{'y', language_fr_without_s}, {'k', language_fr_without_s}, {'q', language_fr_part}, {'Q', language_fr_parts},
	{'v', language_fr_without_s}, {'s', language_fr_after_cent}, {'S', language_fr_after_cent_feminine}, {'u', language_fr_ordinal_ending},
	{'x', language_fr_ordinal_several}, {'X', language_fr_ordinal_several_feminine}, {'2', language_fr_second},
	{'3', language_fr_second_feminine}, {'d', language_fr_first_only}, {'z', language_fr_two_digits},
	{'H', language_fr_hours}, {'M', language_fr_minutes}, {'N', language_fr_seconds},
	{0},
};

/* Counted nouns by their gender. */
#define LE(single, several) {.one = (single), .many = (several), .key = 'm'}
#define LA(single, several) {.one = (single), .many = (several), .key = 'f'}
#define LE_UNIT(spellings, ...) {.written = (spellings), .name = LE(__VA_ARGS__)}
#define LA_UNIT(spellings, ...) {.written = (spellings), .name = LA(__VA_ARGS__)}

/* Plain words are listed for their gender, and for use after a '/'. */
static const struct measure_unit language_fr_units[] = {
	LE_UNIT(" km ", "kilomètre", "kilomètres"),
	LE_UNIT(" m ", "mètre", "mètres"),
	LE_UNIT(" dm ", "décimètre", "décimètres"),
	LE_UNIT(" cm ", "centimètre", "centimètres"),
	LE_UNIT(" mm ", "millimètre", "millimètres"),
	LE_UNIT(" µm μm ", "micromètre", "micromètres"),
	LE_UNIT(" nm ", "nanomètre", "nanomètres"),
	LE_UNIT(" m² m2 ", "mètre carré", "mètres carrés"),
	LE_UNIT(" km² km2 ", "kilomètre carré", "kilomètres carrés"),
	LE_UNIT(" cm² cm2 ", "centimètre carré", "centimètres carrés"),
	LE_UNIT(" m³ m3 ", "mètre cube", "mètres cubes"),
	LE_UNIT(" cm³ cm3 ", "centimètre cube", "centimètres cubes"),
	LE_UNIT(" ha ", "hectare", "hectares"),
	LE_UNIT(" kg ", "kilogramme", "kilogrammes"),
	LE_UNIT(" g ", "gramme", "grammes"),
	LE_UNIT(" mg ", "milligramme", "milligrammes"),
	LE_UNIT(" µg μg ", "microgramme", "microgrammes"),
	LA_UNIT(" t tonne tonnes ", "tonne", "tonnes"),
	LE_UNIT(" l L ", "litre", "litres"),
	LE_UNIT(" l/100_km ", "litre aux cent kilomètres", "litres aux cent kilomètres"),
	LE_UNIT(" hl hL ", "hectolitre", "hectolitres"),
	LE_UNIT(" dl dL ", "décilitre", "décilitres"),
	LE_UNIT(" cl cL ", "centilitre", "centilitres"),
	LE_UNIT(" ml mL ", "millilitre", "millilitres"),
	LE_UNIT(" °C ºC ℃ ", "degré Celsius", "degrés Celsius"),
	LE_UNIT(" °F ºF ℉ ", "degré Fahrenheit", "degrés Fahrenheit"),
	LE_UNIT(" ° ", "degré", "degrés"),
	{.written = " % ", .name = {.one = "pour cent"}},
	{.written = " ‰ ", .name = {.one = "pour mille"}},
	LE_UNIT(" Ko ko KB kB ", "kilooctet", "kilooctets"),
	LE_UNIT(" Mo MB ", "mégaoctet", "mégaoctets"),
	LE_UNIT(" Go GB ", "gigaoctet", "gigaoctets"),
	LE_UNIT(" To TB ", "téraoctet", "téraoctets"),
	LE_UNIT(" Po PB ", "pétaoctet", "pétaoctets"),
	LE_UNIT(" kbit kb ", "kilobit", "kilobits"),
	LE_UNIT(" Mbit Mb ", "mégabit", "mégabits"),
	LE_UNIT(" Gbit Gb ", "gigabit", "gigabits"),
	LE_UNIT(" kbps ", "kilobit par seconde", "kilobits par seconde"),
	LE_UNIT(" Mbps ", "mégabit par seconde", "mégabits par seconde"),
	LE_UNIT(" Gbps ", "gigabit par seconde", "gigabits par seconde"),
	LE_UNIT(" W ", "watt", "watts"),
	LE_UNIT(" kW ", "kilowatt", "kilowatts"),
	LE_UNIT(" MW ", "mégawatt", "mégawatts"),
	LE_UNIT(" GW ", "gigawatt", "gigawatts"),
	LE_UNIT(" Wh ", "wattheure", "wattheures"),
	LE_UNIT(" kWh ", "kilowattheure", "kilowattheures"),
	LE_UNIT(" MWh ", "mégawattheure", "mégawattheures"),
	LE_UNIT(" TWh ", "térawattheure", "térawattheures"),
	LE_UNIT(" V ", "volt", "volts"),
	LE_UNIT(" kV ", "kilovolt", "kilovolts"),
	LE_UNIT(" mA ", "milliampère", "milliampères"),
	LE_UNIT(" mAh ", "milliampère-heure", "milliampères-heures"),
	LE_UNIT(" Hz ", "hertz", "hertz"),
	LE_UNIT(" kHz ", "kilohertz", "kilohertz"),
	LE_UNIT(" MHz ", "mégahertz", "mégahertz"),
	LE_UNIT(" GHz ", "gigahertz", "gigahertz"),
	LE_UNIT(" Pa ", "pascal", "pascals"),
	LE_UNIT(" hPa ", "hectopascal", "hectopascals"),
	LE_UNIT(" kPa ", "kilopascal", "kilopascals"),
	LE_UNIT(" dB ", "décibel", "décibels"),
	LE_UNIT(" kJ ", "kilojoule", "kilojoules"),
	LA_UNIT(" cal ", "calorie", "calories"),
	LA_UNIT(" kcal ", "kilocalorie", "kilocalories"),
	LA_UNIT(" h heure heures ", "heure", "heures"),
	LA_UNIT(" min minute minutes ", "minute", "minutes"),
	LA_UNIT(" s sec seconde secondes ", "seconde", "secondes"),
	LA_UNIT(" s² s2 ", "seconde carrée", "secondes carrées"),
	LA_UNIT(" ms ", "milliseconde", "millisecondes"),
	LA_UNIT(" µs μs ", "microseconde", "microsecondes"),
	LA_UNIT(" ns ", "nanoseconde", "nanosecondes"),
	LE_UNIT(" j jour jours ", "jour", "jours"),
	LE_UNIT(" an ans ", "an", "ans"),
	LE_UNIT(" mois ", "mois", "mois"),
	LA_UNIT(" semaine semaines ", "semaine", "semaines"),
	LA_UNIT(" nuit nuits ", "nuit", "nuits"),
	LA_UNIT(" pers pers. personne personnes ", "personne", "personnes"),
	LA_UNIT(" fois ", "fois", "fois"),
	LA_UNIT(" c._à_soupe c._à_s. ", "cuillère à soupe", "cuillères à soupe"),
	LA_UNIT(" c._à_café c._à_c. ", "cuillère à café", "cuillères à café"),
	LE_UNIT(" hab hab. ", "habitant", "habitants"),
	LE_UNIT(" tr ", "tour", "tours"),
	LE_UNIT(" ch ", "cheval", "chevaux"),
	LE_UNIT(" px ", "pixel", "pixels"),
	LA_UNIT(" ppm ", "partie par million", "parties par million"),
	LA_UNIT(" fps ", "image par seconde", "images par seconde"),
	{0},
};

static const struct currency language_fr_currencies[] = {
	{" € EUR ", LE("euro", "euros"), LE("centime", "centimes")},
	{" $ USD US$ $_US ", LE("dollar", "dollars"), LE("cent", "cents")},
	{" £ GBP ", LA("livre", "livres"), LE("penny", "pence")},
	{" ¥ JPY ", LE("yen", "yens"), {0}},
	{" CHF ", LE("franc suisse", "francs suisses"), LE("centime", "centimes")},
	{" CAD CA$ C$ $_CA ", LE("dollar canadien", "dollars canadiens"), LE("cent", "cents")},
	{" AUD A$ ", LE("dollar australien", "dollars australiens"), LE("cent", "cents")},
	{" zł PLN ", LE("zloty", "zlotys"), LE("grosz", "grosz")},
	{" R$ BRL ", LE("real", "reals"), LE("centavo", "centavos")},
	{" CNY ", LE("yuan", "yuans"), {0}},
	{" SEK ", LA("couronne suédoise", "couronnes suédoises"), {0}},
	{" NOK ", LA("couronne norvégienne", "couronnes norvégiennes"), {0}},
	{" DKK ", LA("couronne danoise", "couronnes danoises"), {0}},
	{" ₹ INR ", LA("roupie", "roupies"), {0}},
	{" ₽ RUB ", LE("rouble", "roubles"), {0}},
	{" ₺ TRY ", LA("livre turque", "livres turques"), {0}},
	{" MAD ", LE("dirham", "dirhams"), {0}},
	{" TND ", LE("dinar tunisien", "dinars tunisiens"), {0}},
	{" DZD ", LE("dinar algérien", "dinars algériens"), {0}},
	{" FCFA XOF XAF ", LE("franc C F A", "francs C F A"), {0}},
	{" ₿ BTC ", LE("bitcoin", "bitcoins"), {0}},
	{0},
};

static const struct magnitude language_fr_magnitudes[] = {
	{.written = " k K ", .name = {.one = "mille"}, .times = 1000, .money_only = true},
	{.written = " M ", .name = LE("million", "millions"),
	 .of = "de ", .of_vowel = "d'", .money_only = true},
	{.written = " B ", .name = LE("milliard", "milliards"),
	 .of = "de ", .of_vowel = "d'", .money_only = true},
	{.written = " million millions ", .name = LE("million", "millions"),
	 .of = "de ", .of_vowel = "d'"},
	{.written = " milliard milliards Md Mds Mrd Mrds ", .name = LE("milliard", "milliards"),
	 .of = "de ", .of_vowel = "d'"},
	{.written = " billion billions ", .name = LE("billion", "billions"),
	 .of = "de ", .of_vowel = "d'"},
	{0},
};

/* Endings that determine the gender of a noun, and words that are often counted. */
static const struct by_ending language_fr_agreement[] = {
	{" tions sions aisons ités iétés ances ences ettes ures udes ades ées ies esses elles "
	 "illes ennes onnes ières trices euses ines aines ottes asses ",
	 " bastions comités invités traités silences squelettes murmures mercures stades grades "
	 "camarades musées lycées trophées incendies génies parapluies sosies gorilles "
	 "cimetières magazines domaines capitaines moines portefeuilles millefeuilles "
	 "violoncelles nomades malades ",
	 'f',
	 .words = " fois voix noix pages chambres tables places étapes réponses lignes pièces "
		  "cuillères boîtes femmes villes erreurs commandes demandes adresses visites "
		  "tranches pommes défaites heures lampes sœurs tonnes chaises portes clés "
		  "fenêtres images plages cartes routes lettres offres choses salles photos "
		  "vidéos notes vaches poules gouttes bananes oranges cerises poires fraises "
		  "victimes équipes écoles entreprises banques doses pilules capsules gélules "
		  "ampoules barres piles prises marches mains dents parts mers fleurs couleurs "
		  "valeurs têtes nuits classes caisses remarques minutes secondes bouteilles "
		  "îles églises rues langues marques plaintes alertes petites grandes dettes "
		  "feuilles armes balles bombes courses fermes zones "},
	{" tion sion aison ité iété ance ence ette ure ude ade ée ie esse elle ille enne onne "
	 "ière trice euse ine aine otte asse ",
	 " bastion comité invité traité silence squelette murmure mercure stade grade camarade "
	 "musée lycée trophée incendie génie parapluie sosie gorille cimetière magazine domaine "
	 "capitaine moine portefeuille millefeuille violoncelle nomade malade ",
	 'f',
	 .words = " fois voix noix page chambre table place étape réponse ligne pièce cuillère "
		  "boîte femme ville erreur commande demande adresse visite tranche pomme "
		  "défaite heure lampe sœur tonne chaise porte clé fenêtre image plage carte "
		  "route lettre offre chose salle photo vidéo note vache poule goutte banane "
		  "orange cerise poire fraise victime équipe école entreprise banque dose "
		  "pilule capsule gélule ampoule barre pile prise marche main dent part mer "
		  "fleur couleur valeur tête nuit classe caisse remarque minute seconde "
		  "bouteille île église rue langue marque plainte alerte petite grande dette "
		  "feuille arme balle bombe course ferme zone ",
	 .single = true},
	{0},
};

static const struct ordinal_mark language_fr_ordinal_marks[] = {
	{" er ᵉʳ ", 'o'}, {" re ère ʳᵉ ", 'p'}, {" e è ème ᵉ ᵉᵐᵉ ième ", 'o'}, {" ers ", 'x'},
	{" res ères ", 'X'}, {" es èmes ", 'x'}, {" nd ", '2'}, {" nde ", '3'},
	{0},
};

/* Fewer marks, because "Vers" and "Les" are words. */
static const struct ordinal_mark language_fr_roman_marks[] = {
	{" er ᵉʳ ", 'o'}, {" re ʳᵉ ", 'p'}, {" e ème ᵉ ", 'o'},
	{0},
};

static const struct fraction language_fr_fractions[] = {
	{1, 2, "un demi", " et demi"},
	{0},
};

static const struct calendar_name language_fr_months[] = {
	{"janvier", " janv jan "}, {"février", " févr fév fevr "},
	{"mars", " mars "}, {"avril", " avr "}, {"mai", " mai "}, {"juin", " juin "},
	{"juillet", " juil "}, {"août", " août aout "}, {"septembre", " sept "},
	{"octobre", " oct "}, {"novembre", " nov "}, {"décembre", " déc dec "},
};

static const struct calendar_name language_fr_weekdays[] = {
	{"lundi", " lun "}, {"mardi", " mar "}, {"mercredi", " mer "},
	{"jeudi", " jeu "}, {"vendredi", " ven "}, {"samedi", " sam "},
	{"dimanche", " dim "},
};

/* "les années quatre-vingt" */
static const struct by_neighbours language_fr_cardinals[] = {
	{" années ", NULL, 'k'},
	{0},
};

static const struct by_neighbours language_fr_years[] = {
	{" en an année années depuis avant après dès vers fin début jusqu'en ", NULL, 'y'},
	{0},
};

static const struct by_neighbours language_fr_romans[] = {
	{" chapitre chapitres chap tome livre partie acte scène annexe article volume vol titre "
	 "section leçon phase niveau classe type groupe épisode saison figure tableau ligue "
	 "division paragraphe ",
	 NULL, 'c'},
	{0},
};

static const struct abbreviation language_fr_abbreviations[] = {
	{"M.et Mme", "Monsieur et Madame", 0},
	{"M.", "Monsieur", WHEN_BEFORE_CAPITAL},
	{"M.le", "Monsieur le", 0},
	{"M.l'", "Monsieur l'", 0},
	{"Me", "Maître", WHEN_BEFORE_CAPITAL},
	{"MM.", "Messieurs", WHEN_BEFORE_CAPITAL},
	{"Mme", "Madame", 0},
	{"Mme.", "Madame", WHEN_BEFORE_CAPITAL},
	{"Mmes", "Mesdames", 0},
	{"Mlle", "Mademoiselle", 0},
	{"Mlles", "Mesdemoiselles", 0},
	{"Mgr", "Monseigneur", WHEN_BEFORE_CAPITAL},
	{"Dr", "Docteur", WHEN_BEFORE_CAPITAL},
	{"Dr.", "Docteur", WHEN_BEFORE_CAPITAL},
	{"Drs", "Docteurs", WHEN_BEFORE_CAPITAL},
	{"Pr", "Professeur", WHEN_BEFORE_CAPITAL},
	{"Pr.", "Professeur", WHEN_BEFORE_CAPITAL},
	{"Prof.", "Professeur", WHEN_BEFORE_CAPITAL},
	{"Cie", "Compagnie", 0},
	{"Sté", "Société", 0},
	{"Ets", "Établissements", 0},
	{"St-", "Saint-", WHEN_BEFORE_CAPITAL},
	{"Ste-", "Sainte-", WHEN_BEFORE_CAPITAL},
	{"St", "Saint", WHEN_BEFORE_CAPITAL},
	{"Ste", "Sainte", WHEN_BEFORE_CAPITAL},
	{"av.J.-C.", "avant Jésus-Christ", 0},
	{"ap.J.-C.", "après Jésus-Christ", 0},
	{"apr.J.-C.", "après Jésus-Christ", 0},
	{"J.-C.", "Jésus-Christ", 0},
	{"av.", "avenue", 0},
	{"bd", "boulevard", WHEN_BEFORE_CAPITAL},
	{"bd.", "boulevard", WHEN_BEFORE_CAPITAL},
	{"boul.", "boulevard", 0},
	{"pl.", "place", WHEN_BEFORE_CAPITAL},
	{"pl.", "place", WHEN_AFTER_NUMBER},
	{"arr.", "arrondissement", 0},
	{"dép.", "département", 0},
	{"bât.", "bâtiment", 0},
	{"appt.", "appartement", 0},
	{"apt.", "appartement", 0},
	{"p.ex.", "par exemple", 0},
	{"par ex.", "par exemple", 0},
	{"c.-à-d.", "c'est-à-dire", 0},
	{"c-à-d", "c'est-à-dire", 0},
	{"etc.", "et cetera", 0},
	{"etc", "et cetera", 0},
	{"cf.", "confer", 0},
	{"env.", "environ", 0},
	{"ex.", "exemple", WHEN_BEFORE_LOWER},
	{"n°", "numéro", 0},
	{"nº", "numéro", 0},
	{"no.", "numéro", WHEN_BEFORE_NUMBER},
	{"no", "numéro", WHEN_BEFORE_NUMBER},
	{"n°s", "numéros", 0},
	{"art.", "article", WHEN_BEFORE_NUMBER},
	{"chap.", "chapitre", 0},
	{"vol.", "volume", WHEN_BEFORE_NUMBER},
	{"fig.", "figure", 0},
	{"p.", "page", WHEN_BEFORE_NUMBER},
	{"pp.", "pages", WHEN_BEFORE_NUMBER},
	{"éd.", "édition", 0},
	{"réf.", "référence", 0},
	{"tél.", "téléphone", 0},
	{"tél", "téléphone", 0},
	{"th.", "thermostat", WHEN_BEFORE_NUMBER},
	{"al.", "alinéa", WHEN_BEFORE_NUMBER},
	{"ch.", "chapitre", WHEN_BEFORE_NUMBER},
	{"km", "kilomètre", WHEN_BEFORE_NUMBER},
	{"max.", "maximum", WHEN_BEFORE_LOWER},
	{"max.", "maximum", WHEN_BEFORE_NUMBER},
	{"min.", "minimum", WHEN_BEFORE_LOWER},
	{"min.", "minimum", WHEN_BEFORE_NUMBER},
	{"vs", "versus", 0},
	{"vs.", "versus", 0},
	{"hab.", "habitants", 0},
	{"resp.", "respectivement", 0},
	{"svp", "s'il vous plaît", 0},
	{"SVP", "s'il vous plaît", 0},
	{"s.v.p.", "s'il vous plaît", 0},
	{"S.V.P.", "s'il vous plaît", 0},
	{"rdv", "rendez-vous", 0},
	{"RDV", "rendez-vous", 0},
	{"N.B.", "Nota bene", 0},
	{"P.-S.", "Post-scriptum", 0},
	{"P.S.", "Post-scriptum", 0},
	{"qqn", "quelqu'un", 0},
	{"qqch.", "quelque chose", 0},
	{"qqch", "quelque chose", 0},
	{"1/2 heure", "une demi-heure", 0},
	{"½ heure", "une demi-heure", 0},
	{"1/2 journée", "une demi-journée", 0},
	{"½ journée", "une demi-journée", 0},
	{"1/2 douzaine", "une demi-douzaine", 0},
	{"½ douzaine", "une demi-douzaine", 0},
	{"50/50", "cinquante-cinquante", 0},
	{"x", "fois", WHEN_AFTER_NUMBER | WHEN_BEFORE_NUMBER},
	{"touche #", "touche dièse", 0},
	{"touche *", "touche étoile", 0},
	{"C++", "C plus plus", 0},
	{"C#", "C dièse", 0},
	{0},
};

static const struct sign language_fr_signs[] = {
	{"&", "et", 0},
	{"+", "plus", 0},
	{"-", "moins", WHEN_AFTER_NUMBER | WHEN_BEFORE_NUMBER},
	{"²", "au carré", WHEN_AFTER_NUMBER},
	{"³", "au cube", WHEN_AFTER_NUMBER},
	{"=", "égale", 0},
	{"×", "fois", 0},
	{"÷", "divisé par", 0},
	{"±", "plus ou moins", 0},
	{"<", "inférieur à", WHEN_BEFORE_NUMBER},
	{">", "supérieur à", WHEN_BEFORE_NUMBER},
	{"≤", "inférieur ou égal à", 0},
	{"≥", "supérieur ou égal à", 0},
	{"≠", "différent de", 0},
	{"≈", "environ", 0},
	{"~", "environ", WHEN_BEFORE_NUMBER},
	{"§", "paragraphe", 0},
	{"#", "numéro", WHEN_BEFORE_NUMBER},
	{"%", "pour cent", 0},
	{"@", "arobase", 0},
	{"©", "copyright", 0},
	{"™", "", 0},
	{"®", "", 0},
	{0},
};

static const struct sign language_fr_spelled_signs[] = {
	{"!", "point d'exclamation", 0}, {"\"", "guillemet", 0}, {"#", "dièse", 0},
	{"$", "dollar", 0}, {"%", "pour cent", 0}, {"&", "et", 0}, {"'", "apostrophe", 0},
	{"(", "parenthèse ouvrante", 0}, {")", "parenthèse fermante", 0}, {"*", "astérisque", 0},
	{"+", "plus", 0}, {",", "virgule", 0}, {"-", "tiret", 0}, {".", "point", 0},
	{"/", "slash", 0}, {":", "deux-points", 0}, {";", "point-virgule", 0},
	{"<", "inférieur", 0}, {"=", "égal", 0}, {">", "supérieur", 0},
	{"?", "point d'interrogation", 0}, {"@", "arobase", 0}, {"[", "crochet ouvrant", 0},
	{"\\", "antislash", 0}, {"]", "crochet fermant", 0}, {"^", "accent circonflexe", 0},
	{"_", "underscore", 0}, {"`", "accent grave", 0}, {"{", "accolade ouvrante", 0},
	{"|", "barre verticale", 0}, {"}", "accolade fermante", 0}, {"~", "tilde", 0},
	{0},
};

static const struct reading_rules language_fr_reading = {
	.numbers = language_fr_numbers,

	.decimal = ',',
	.thousands = " .'",
	.decimal_word = "virgule",
	.other_decimal_word = "point",
	.decimals_as_number = 2,
	.minus = "moins",
	.plus = "plus",

	.plural = PLURAL_FRENCH,
	.units = language_fr_units,
	.per = "par {u}",
	.currencies = language_fr_currencies,
	.money_cents = "{n} {unit} {c:z}",
	.money_only_cents = "{c} {cent}",
	.magnitudes = language_fr_magnitudes,
	.cardinals = language_fr_cardinals,
	.agreement = language_fr_agreement,
	.between = " autre autres jeune jeunes nouvelle nouvelles belle belles grosse grosses ",
	.or_words = " ou ",
	.no_noun = " a à au avec dans de des du en est et ou par pour sont sur ",

	.ordinal_marks = language_fr_ordinal_marks,
	.fractions = language_fr_fractions,
	.fraction = "{n:c} {d}",
	.fraction_mixed = "{w:c} et {n:c} {d}",
	.fraction_max = 10,
	.over = "sur",

	.date_order = DATE_DAY_FIRST,
	.date_marks = "/-.",
	.months = language_fr_months,
	.weekdays = language_fr_weekdays,
	.date_before = " le du au lundi mardi mercredi jeudi vendredi samedi dimanche lun mar mer "
		       "jeu ven sam dim ",
	.day_links = " au et ou ",
	.short_years = true,
	.date = "{day:d} {month} {year:y}",
	.date_without_year = "{day:d} {month}",
	.date_dmy = "{day:d} {month} {year:y}",
	.date_dm = "{day:d} {month}",
	.date_my = "{month} {year:y}",
	.year_least = 1000,
	.year_most = 2199,
	.years = language_fr_years,

	.time_marks = ":hH",
	.time_words = " h H heure heures ",
	.time_hm = "{h:H} {m:f}",
	.time_hm_small = "{h:H} {m:f}",
	.time_h = "{h:H}",
	.time_hms = "{h:H} {m:M} {s:N}",

	.to = "à",
	.score = "à",
	/* France, Belgium, Switzerland, Canada. */
	.phone_shapes = " 22222 3222 3322 334 ",
	.phone_in_pairs = true,

	.roman_name = "{n:d}",
	.names = " louis charles henri françois jean paul jean-paul pie georges napoléon philippe "
		 "benoît clément grégoire innocent alexandre léon boniface édouard guillaume "
		 "jacques nicolas pierre frédéric ferdinand alphonse albert baudouin léopold "
		 "élisabeth elisabeth catherine rené robert richard constantin ptolémée ramsès "
		 "vatican ",
	.romans = language_fr_romans,
	.roman_marks = language_fr_roman_marks,

	.abbreviations = language_fr_abbreviations,
	.spelled = " RATP URSS ADSL HDMI ISBN SARL IEEE CPAM ",
	.said = " OK ONU PIN SIM RIB CAC CAF PAC ZAC ZEP SPA VAR LE LA LES UN UNE DES DU DE ET OU "
		"SI NON OUI PAS SUR PAR QUI QUE EN AU AUX CE CES SES MES TES MA TA SA MON TON SON "
		"NE NI JE TU IL ELLE ON EST SE ENA TOP BIO DOM TOM ZEN WEB ",
	.signs = language_fr_signs,
	.elides = true,

	.spelled_signs = language_fr_spelled_signs,
	.space = "espace",
	.version = "version",
	.version_words = " version python ubuntu android ios windows tls ",
	.hashtag = "hashtag",
	.extensions = " pdf csv html htm xml jpg jpeg png gif svg txt sql php css doc xls ppt iso "
		      "md tsv rtf ",
};

const struct language language_fr = {
	.code = "fr",
	.never = " m mm mme mmes mlle mlles dr drs pr prof Me mgr st ste sts p.ex cf env av bd "
		 "boul vs c.-à-d vx ",
	.starter = " j.-c hab dép p pp fig chap vol tél no nos n janv févr avr juil sept oct nov "
		   "déc ex ",
	.capital = " etc ",
	.word = " art max min ",
	.starters = " le la les l un une des du de d ce cet cette ces il elle ils elles on nous "
		    "vous je j tu c qui que quoi quand où comment pourquoi et mais ou donc or car "
		    "si s dans en au aux à avec sans pour par sur sous chez après avant pendant "
		    "depuis lorsque alors ensuite puis enfin ainsi aussi cependant toutefois mon "
		    "ma mes ton ta tes son sa ses notre nos votre vos leur leurs tout toute tous "
		    "toutes chaque quelques plusieurs aujourd hier demain maintenant oui non merci "
		    "bien voici voilà est n qu ",
	.reading = &language_fr_reading,
};
/* clang-format on */
