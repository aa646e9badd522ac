/* language_en.c: English (see language.h); numbers are American, units are spelled British. */
#include "text/language.h"

/* Tables and lists are wrapped by hand. */
/* clang-format off */
static const struct number_rule language_en_cardinals[] = {
	{0, 0, "zero"}, {1, 0, "one"}, {2, 0, "two"}, {3, 0, "three"}, {4, 0, "four"},
	{5, 0, "five"}, {6, 0, "six"}, {7, 0, "seven"}, {8, 0, "eight"}, {9, 0, "nine"},
	{10, 0, "ten"}, {11, 0, "eleven"}, {12, 0, "twelve"}, {13, 0, "thirteen"},
	{14, 0, "fourteen"}, {15, 0, "fifteen"}, {16, 0, "sixteen"}, {17, 0, "seventeen"},
	{18, 0, "eighteen"}, {19, 0, "nineteen"},
	{20, 0, "twenty[->>]"}, {30, 0, "thirty[->>]"}, {40, 0, "forty[->>]"},
	{50, 0, "fifty[->>]"}, {60, 0, "sixty[->>]"}, {70, 0, "seventy[->>]"},
	{80, 0, "eighty[->>]"}, {90, 0, "ninety[->>]"},
	{100, 0, "<< hundred[ >>]"},
	{1000, 0, "<< thousand[ >>]"},
	{1000000, 0, "<< million[ >>]"},
	{1000000000, 0, "<< billion[ >>]"},
	{1000000000000, 0, "<< trillion[ >>]"},
	{1000000000000000, 0, "<< quadrillion[ >>]"},
	{NUMBER_RULES_END, 0, NULL},
};

static const struct number_rule language_en_ordinals[] = {
	{0, 0, "zeroth"}, {1, 0, "first"}, {2, 0, "second"}, {3, 0, "third"}, {4, 0, "fourth"},
	{5, 0, "fifth"}, {6, 0, "sixth"}, {7, 0, "seventh"}, {8, 0, "eighth"}, {9, 0, "ninth"},
	{10, 0, "tenth"}, {11, 0, "eleventh"}, {12, 0, "twelfth"}, {13, 0, "=c=th"},
	{20, 0, "twent>t>"}, {30, 0, "thirt>t>"}, {40, 0, "fort>t>"}, {50, 0, "fift>t>"},
	{60, 0, "sixt>t>"}, {70, 0, "sevent>t>"}, {80, 0, "eight>t>"}, {90, 0, "ninet>t>"},
	{100, 0, "<c< hundred>x>"},
	{1000, 0, "<c< thousand>x>"},
	{1000000, 0, "<c< million>x>"},
	{1000000000, 0, "<c< billion>x>"},
	{1000000000000, 0, "<c< trillion>x>"},
	{1000000000000000, 0, "<c< quadrillion>x>"},
	{NUMBER_RULES_END, 0, NULL},
};

/* The remainder after "twent", and after "hundred". */
static const struct number_rule language_en_ordinal_ones[] = {
	{0, 0, "ieth"}, {1, 0, "y-=o="}, {NUMBER_RULES_END, 0, NULL},
};
static const struct number_rule language_en_ordinal_rest[] = {
	{0, 0, "th"}, {1, 0, " =o="}, {NUMBER_RULES_END, 0, NULL},
};

static const struct number_rule language_en_years[] = {
	{0, 0, "=c="},
	{1010, 100, "<c< >z>"},
	{2000, 0, "=c="},
	{2010, 100, "<c< >z>"},
	{3000, 0, "=c="},
	{NUMBER_RULES_END, 0, NULL},
};

/* The last two digits of a year. */
static const struct number_rule language_en_year_ends[] = {
	{0, 0, "hundred"}, {1, 0, "oh =c="}, {10, 0, "=c="}, {NUMBER_RULES_END, 0, NULL},
};

static const struct number_rule language_en_decades[] = {
	{0, 0, "two thousands"}, {1, 0, "=c=s"},
	{20, 0, "twent>s>"}, {30, 0, "thirt>s>"}, {40, 0, "fort>s>"}, {50, 0, "fift>s>"},
	{60, 0, "sixt>s>"}, {70, 0, "sevent>s>"}, {80, 0, "eight>s>"}, {90, 0, "ninet>s>"},
	{100, 0, "=c=s"},
	{1010, 100, "<c< >S>"},
	{2000, 0, "=c=s"},
	{2010, 100, "<c< >S>"},
	{3000, 0, "=c=s"},
	{NUMBER_RULES_END, 0, NULL},
};
static const struct number_rule language_en_decade_ones[] = {
	{0, 0, "ies"}, {1, 0, "y-=c=s"}, {NUMBER_RULES_END, 0, NULL},
};
static const struct number_rule language_en_decade_ends[] = {
	{0, 0, "hundreds"}, {1, 0, "oh =c=s"}, {10, 0, "=k="}, {NUMBER_RULES_END, 0, NULL},
};

/* "one hundredth" is not "one one hundredth". */
static const struct number_rule language_en_parts[] = {
	{0, 0, "=o="}, {2, 0, "half"}, {3, 0, "third"}, {4, 0, "quarter"}, {5, 0, "=o="},
	{100, 0, "hundredth"}, {101, 0, "=o="}, {1000, 0, "thousandth"}, {1001, 0, "=o="},
	{NUMBER_RULES_END, 0, NULL},
};
static const struct number_rule language_en_parts_many[] = {
	{0, 0, "=q=s"}, {2, 0, "halves"}, {3, 0, "=q=s"}, {NUMBER_RULES_END, 0, NULL},
};

/* A full hour on the 12-hour clock, and on the 24-hour clock. */
static const struct number_rule language_en_hours[] = {
	{0, 0, "midnight"}, {1, 0, "=c= o'clock"}, {13, 0, "=c= hundred"},
	{NUMBER_RULES_END, 0, NULL},
};

/* After "call". */
static const struct number_rule language_en_emergencies[] = {
	{0, 0, "=c="}, {112, 0, "one one two"}, {113, 0, "=c="}, {911, 0, "nine one one"},
	{912, 0, "=c="}, {999, 0, "nine nine nine"}, {1000, 0, "=c="},
	{NUMBER_RULES_END, 0, NULL},
};

/* Digit by digit, as codes are read. */
static const struct number_rule language_en_digits[] = {
	{0, 0, "=c="}, {10, 10, "<< >c>"}, {NUMBER_RULES_END, 0, NULL},
};

static const struct number_set language_en_numbers[] = {
	{'c', language_en_cardinals},   {'o', language_en_ordinals},     {'t', language_en_ordinal_ones}, {'x', language_en_ordinal_rest},
	{'y', language_en_years},       {'z', language_en_year_ends},    {'k', language_en_decades},      {'s', language_en_decade_ones},
	{'S', language_en_decade_ends}, {'q', language_en_parts},        {'Q', language_en_parts_many},   {'H', language_en_hours},
	{'e', language_en_emergencies}, {'D', language_en_digits},
	{0, NULL},
};

#define COUNTED(one, many) {one, NULL, many, NULL, 0}
#define UNCHANGED(word) {word, NULL, NULL, NULL, 0}

/* Letters with other meanings are omitted: "80s", "4K", "221B", "14 N". */
static const struct measure_unit language_en_units[] = {
	{" % ", UNCHANGED("percent"), false},
	{" ‰ ", UNCHANGED("per mille"), false},
	{" ° ", COUNTED("degree", "degrees"), false},
	{" °C ℃ ", COUNTED("degree Celsius", "degrees Celsius"), false},
	{" °F ℉ ", COUNTED("degree Fahrenheit", "degrees Fahrenheit"), false},
	{" °N ", COUNTED("degree north", "degrees north"), false},
	{" °S ", COUNTED("degree south", "degrees south"), false},
	{" °E ", COUNTED("degree east", "degrees east"), false},
	{" °W ", COUNTED("degree west", "degrees west"), false},
	{" km ", COUNTED("kilometre", "kilometres"), false},
	{.written = " m ", .name = COUNTED("minute", "minutes"), .beside = " h hr hrs s sec secs "},
	{" m ", COUNTED("metre", "metres"), false},
	{" dm ", COUNTED("decimetre", "decimetres"), false},
	{" cm ", COUNTED("centimetre", "centimetres"), false},
	{" mm ", COUNTED("millimetre", "millimetres"), false},
	{" \" ″ in. ", COUNTED("inch", "inches"), false},
	{" µm μm um ", COUNTED("micrometre", "micrometres"), false},
	{" nm ", COUNTED("nanometre", "nanometres"), false},
	{" km² km2 sqkm ", COUNTED("square kilometre", "square kilometres"), false},
	{" m² m2 sqm ", COUNTED("square metre", "square metres"), false},
	{" cm² cm2 ", COUNTED("square centimetre", "square centimetres"), false},
	{" mm² mm2 ", COUNTED("square millimetre", "square millimetres"), false},
	{" m³ m3 ", COUNTED("cubic metre", "cubic metres"), false},
	{" cm³ cm3 ", COUNTED("cubic centimetre", "cubic centimetres"), false},
	{" ha ", COUNTED("hectare", "hectares"), false},
	{" km/h kmh kph ", COUNTED("kilometre per hour", "kilometres per hour"), false},
	{" m/s ", COUNTED("metre per second", "metres per second"), false},
	{" m/s² m/s2 ", COUNTED("metre per second squared", "metres per second squared"), false},
	{" mph ", COUNTED("mile per hour", "miles per hour"), false},
	{" mpg ", COUNTED("mile per gallon", "miles per gallon"), false},
	{" mi mi. ", COUNTED("mile", "miles"), false},
	{" yd yds ", COUNTED("yard", "yards"), false},
	{" ft ft. ", COUNTED("foot", "feet"), false},
	{" ft² ft2 sqft sq_ft sq._ft. ", COUNTED("square foot", "square feet"), false},
	{" lb lb. lbs lbs. ", COUNTED("pound", "pounds"), false},
	{" oz oz. ", COUNTED("ounce", "ounces"), false},
	{" gal gal. ", COUNTED("gallon", "gallons"), false},
	{" tbsp tbsp. ", COUNTED("tablespoon", "tablespoons"), false},
	{" tsp tsp. ", COUNTED("teaspoon", "teaspoons"), false},
	{" kg ", COUNTED("kilogram", "kilograms"), false},
	{" g ", COUNTED("gram", "grams"), false},
	{" mg ", COUNTED("milligram", "milligrams"), false},
	{" µg μg mcg ", COUNTED("microgram", "micrograms"), false},
	{" t ", COUNTED("tonne", "tonnes"), false},
	{" l L ", COUNTED("litre", "litres"), false},
	{" dl dL ", COUNTED("decilitre", "decilitres"), false},
	{" cl cL ", COUNTED("centilitre", "centilitres"), false},
	{" ml mL ", COUNTED("millilitre", "millilitres"), false},
	{" h hr hr. hrs hrs. ", COUNTED("hour", "hours"), false},
	{" min min. mins ", COUNTED("minute", "minutes"), false},
	{" s sec sec. secs ", COUNTED("second", "seconds"), false},
	{" ms ", COUNTED("millisecond", "milliseconds"), false},
	{" µs μs ", COUNTED("microsecond", "microseconds"), false},
	{" ns ", COUNTED("nanosecond", "nanoseconds"), false},
	{" KB kB KiB ", COUNTED("kilobyte", "kilobytes"), false},
	{" MB MiB ", COUNTED("megabyte", "megabytes"), false},
	{" GB GiB ", COUNTED("gigabyte", "gigabytes"), false},
	{" TB TiB ", COUNTED("terabyte", "terabytes"), false},
	{" PB ", COUNTED("petabyte", "petabytes"), false},
	{" kbit kb ", COUNTED("kilobit", "kilobits"), false},
	{" Mbit Mb ", COUNTED("megabit", "megabits"), false},
	{" Gbit Gb ", COUNTED("gigabit", "gigabits"), false},
	{" kbps kbit/s kb/s ", COUNTED("kilobit per second", "kilobits per second"), false},
	{" Mbps Mbit/s Mb/s ", COUNTED("megabit per second", "megabits per second"), false},
	{" Gbps Gbit/s Gb/s ", COUNTED("gigabit per second", "gigabits per second"), false},
	{" KB/s kB/s ", COUNTED("kilobyte per second", "kilobytes per second"), false},
	{" MB/s ", COUNTED("megabyte per second", "megabytes per second"), false},
	{" GB/s ", COUNTED("gigabyte per second", "gigabytes per second"), false},
	{" Hz ", UNCHANGED("hertz"), false},
	{" kHz ", UNCHANGED("kilohertz"), false},
	{" MHz ", UNCHANGED("megahertz"), false},
	{" GHz ", UNCHANGED("gigahertz"), false},
	{" V ", COUNTED("volt", "volts"), false},
	{" kV ", COUNTED("kilovolt", "kilovolts"), false},
	{" mA ", COUNTED("milliampere", "milliamperes"), false},
	{" mAh ", COUNTED("milliampere hour", "milliampere hours"), false},
	{" Ω ", COUNTED("ohm", "ohms"), false},
	{" kΩ ", COUNTED("kilohm", "kilohms"), false},
	{" W ", COUNTED("watt", "watts"), false},
	{" kW ", COUNTED("kilowatt", "kilowatts"), false},
	{" MW ", COUNTED("megawatt", "megawatts"), false},
	{" GW ", COUNTED("gigawatt", "gigawatts"), false},
	{" Wh ", COUNTED("watt hour", "watt hours"), false},
	{" kWh ", COUNTED("kilowatt hour", "kilowatt hours"), false},
	{" MWh ", COUNTED("megawatt hour", "megawatt hours"), false},
	{" GWh ", COUNTED("gigawatt hour", "gigawatt hours"), false},
	{" TWh ", COUNTED("terawatt hour", "terawatt hours"), false},
	{" kJ ", COUNTED("kilojoule", "kilojoules"), false},
	{" kcal ", COUNTED("kilocalorie", "kilocalories"), false},
	{" cal ", COUNTED("calorie", "calories"), false},
	{" hp ", UNCHANGED("horsepower"), false},
	{" Pa ", COUNTED("pascal", "pascals"), false},
	{" hPa ", COUNTED("hectopascal", "hectopascals"), false},
	{" kPa ", COUNTED("kilopascal", "kilopascals"), false},
	{" mmHg ", UNCHANGED("millimetres of mercury"), false},
	{" kn kt kts ", COUNTED("knot", "knots"), false},
	{" psi ", UNCHANGED("P S I"), false},
	{" dB dBA ", COUNTED("decibel", "decibels"), false},
	{" lm ", COUNTED("lumen", "lumens"), false},
	{" rpm ", COUNTED("revolution per minute", "revolutions per minute"), false},
	{" bpm ", COUNTED("beat per minute", "beats per minute"), false},
	{" fps ", COUNTED("frame per second", "frames per second"), false},
	{" dpi ", COUNTED("dot per inch", "dots per inch"), false},
	{" px ", COUNTED("pixel", "pixels"), false},
	{" MP ", COUNTED("megapixel", "megapixels"), false},
	{" ppm ", UNCHANGED("parts per million"), false},
	{" x ", COUNTED("time", "times"), true},
	{" p ", COUNTED("penny", "pence"), true},
	{" mo ", COUNTED("month", "months"), true},
	{" yr yr. yrs yrs. ", COUNTED("year", "years"), false},
	{" wk wks ", COUNTED("week", "weeks"), false},
	{0},
};

static const struct currency language_en_currencies[] = {
	{" $ dollars ", COUNTED("dollar", "dollars"), COUNTED("cent", "cents")},
	{" € EUR euros ", COUNTED("euro", "euros"), COUNTED("cent", "cents")},
	{" £ GBP ", COUNTED("pound", "pounds"), COUNTED("penny", "pence")},
	{" pence ", UNCHANGED("pence"), {0}},
	{" US$ USD ", COUNTED("U S dollar", "U S dollars"), COUNTED("cent", "cents")},
	{" CA$ C$ CAD ", COUNTED("Canadian dollar", "Canadian dollars"), COUNTED("cent", "cents")},
	{" A$ AU$ AUD ", COUNTED("Australian dollar", "Australian dollars"),
	 COUNTED("cent", "cents")},
	{" NZ$ NZD ", COUNTED("New Zealand dollar", "New Zealand dollars"),
	 COUNTED("cent", "cents")},
	{" HK$ HKD ", COUNTED("Hong Kong dollar", "Hong Kong dollars"), COUNTED("cent", "cents")},
	{" S$ SGD ", COUNTED("Singapore dollar", "Singapore dollars"), COUNTED("cent", "cents")},
	{" MX$ MXN ", COUNTED("Mexican peso", "Mexican pesos"), COUNTED("centavo", "centavos")},
	{" R$ BRL ", COUNTED("real", "reais"), COUNTED("centavo", "centavos")},
	{" CHF ", COUNTED("Swiss franc", "Swiss francs"), COUNTED("centime", "centimes")},
	{" ¥ JPY ", UNCHANGED("yen"), {0}},
	{" CN¥ CNY RMB ", UNCHANGED("yuan"), {0}},
	{" ₹ INR Rs ", COUNTED("rupee", "rupees"), UNCHANGED("paise")},
	{" ₩ KRW ", UNCHANGED("won"), {0}},
	{" ₽ RUB ", COUNTED("rouble", "roubles"), COUNTED("kopeck", "kopecks")},
	{" ₺ TRY ", UNCHANGED("lira"), UNCHANGED("kurus")},
	{" ₴ UAH ", COUNTED("hryvnia", "hryvnias"), COUNTED("kopiyka", "kopiykas")},
	{" ₪ ILS ", COUNTED("shekel", "shekels"), COUNTED("agora", "agorot")},
	{" zł PLN ", COUNTED("zloty", "zlotys"), UNCHANGED("groszy")},
	{" Kč CZK ", COUNTED("Czech koruna", "Czech korunas"), {0}},
	{" HUF ", COUNTED("forint", "forints"), {0}},
	{" SEK ", COUNTED("Swedish krona", "Swedish kronor"), UNCHANGED("öre")},
	{" NOK ", COUNTED("Norwegian krone", "Norwegian kroner"), UNCHANGED("øre")},
	{" DKK ", COUNTED("Danish krone", "Danish kroner"), UNCHANGED("øre")},
	{" ZAR ", UNCHANGED("rand"), COUNTED("cent", "cents")},
	{" ₿ BTC ", COUNTED("bitcoin", "bitcoins"), {0}},
	{" ¢ ", COUNTED("cent", "cents"), {0}},
	{0},
};

/* Words for what is counted in millions. */
#define CROWDS \
	" people persons men women children users customers visitors guests fans students " \
	"employees workers members voters followers subscribers viewers listeners readers " \
	"residents citizens inhabitants patients passengers tourists travellers travelers players " \
	"drivers homes households families jobs deaths cases votes copies downloads views streams " \
	"tickets vehicles cars units accounts records tweets posts barrels tonnes tons hectares " \
	"acres dollars pounds euros "

static const struct magnitude language_en_magnitudes[] = {
	{" thousand ", UNCHANGED("thousand"), NULL, NULL, false, 0},
	{" million M mn mln ", UNCHANGED("million"), NULL, NULL, false, 0},
	{" billion bn Bn ", UNCHANGED("billion"), NULL, NULL, false, 0},
	{" trillion ", UNCHANGED("trillion"), NULL, NULL, false, 0},
	{" k ", UNCHANGED("thousand"), NULL, NULL, false, 1000},
	{" K ", UNCHANGED("thousand"), NULL, NULL, true, 1000},
	{" m MM ", UNCHANGED("million"), NULL, NULL, true, 0, CROWDS},
	{" B b bln ", UNCHANGED("billion"), NULL, NULL, true, 0, CROWDS},
	{" T tn trn ", UNCHANGED("trillion"), NULL, NULL, true, 0},
	{0},
};

static const struct by_neighbours language_en_counting_keys[] = {
	{" code codes pin otp passcode zip extension cvv cvc box ", NULL, 'D'},
	{" is ", NULL, 'D', " code pin otp passcode zip "},
	{" in ", NULL, 'D', " ending ends "},
	{" with ", NULL, 'D', " ending ends beginning begins starting starts "},
	{" call dial calling dialing ", NULL, 'e'}, {0},
};

/* "rated 7/10", but "got 1/5 of it" */
static const struct by_neighbours language_en_ratings[] = {
	{NULL, " of chance chances ", '-'},
	{" rated rate rating rates scored score scores scoring got gets grade graded ", NULL, 'r'},
	{" a an ", NULL, 'r', " got gets scored scores gave give giving earned received it them "},
	{" of ", NULL, 'r', " score rating grade mark "},
	{" it them this ", NULL, 'r', " give gave gives giving rate rated rates rating "},
	{" is was ", NULL, 'r', " score rating grade mark "},
	{0},
};

/* "expires 04/27" on a card, but "expires on 04/27" for an offer */
static const struct by_neighbours language_en_expiries[] = {
	{" expires ", NULL, '-', " offer coupon deal sale promotion promo discount trial "},
	{" expires expired expiring expiry exp expiration thru ", NULL, 'm'},
	{" date ", NULL, 'm', " expiration expiry exp "},
	{" is ", NULL, 'm', " expiration expiry exp "},
	{" through ", NULL, 'm', " valid good "},
	{0},
};

static const struct direction language_en_directions[] = {
	{"N", "North"}, {"S", "South"}, {"E", "East"}, {"W", "West"}, {"NE", "Northeast"},
	{"NW", "Northwest"}, {"SE", "Southeast"}, {"SW", "Southwest"}, {0},
};

static const struct ordinal_mark language_en_ordinal_marks[] = {{" st nd rd th ", 'o'}, {0}};

/* Not everything that is written like this is a fraction. */
static const struct fraction language_en_fractions[] = {
	{1, 2, "one half", " and a half"},
	{1, 4, "one quarter", " and a quarter"},
	{24, 7, "twenty-four seven", NULL},
	{50, 50, "fifty-fifty", NULL},
	{20, 20, "twenty twenty", NULL},
	{1, 16, "one sixteenth", " and one sixteenth"},
	{3, 16, "three sixteenths", " and three sixteenths"},
	{5, 16, "five sixteenths", " and five sixteenths"},
	{7, 16, "seven sixteenths", " and seven sixteenths"},
	{9, 16, "nine sixteenths", " and nine sixteenths"},
	{11, 16, "eleven sixteenths", " and eleven sixteenths"},
	{13, 16, "thirteen sixteenths", " and thirteen sixteenths"},
	{15, 16, "fifteen sixteenths", " and fifteen sixteenths"},
	{1, 32, "one thirty-second", " and one thirty-second"},
	{1, 50, "one fiftieth", " and one fiftieth"},
	{1, 64, "one sixty-fourth", " and one sixty-fourth"},
	{9, 11, "nine eleven", NULL},
	{0},
};

static const struct calendar_name language_en_months[] = {
	{"January", " jan "}, {"February", " feb "}, {"March", " mar "},
	{"April", " apr "}, {"May", " "}, {"June", " jun "},
	{"July", " jul "}, {"August", " aug "},
	{"September", " sep sept "}, {"October", " oct "},
	{"November", " nov "}, {"December", " dec "},
};
static const struct calendar_name language_en_weekdays[] = {
	{"Monday", " mon "}, {"Tuesday", " tue tues "},
	{"Wednesday", " wed "}, {"Thursday", " thu thur thurs "},
	{"Friday", " fri "}, {"Saturday", " sat "}, {"Sunday", " sun "},
};

/* Four digits are read like a year unless they count something. */
static const struct by_neighbours language_en_year_keys[] = {
	{" code codes pin otp passcode zip extension cvv cvc box ", NULL, 'c'},
	{" is ", NULL, 'c', " code pin otp passcode zip "},
	{" in ", NULL, 'c', " ending ends "},
	{" with ", NULL, 'c', " ending ends beginning begins starting starts "},
	{NULL, " people persons men women children users customers visitors guests fans students "
	 "employees workers members voters soldiers deaths cases votes points words characters "
	 "tokens letters pages lines items things parts pieces copies units boxes tickets seats "
	 "rooms calories steps miles metres meters kilometres kilometers feet inches yards acres "
	 "tons tonnes pounds ounces grams kilograms litres liters gallons degrees volts watts "
	 "bytes years months weeks days hours minutes seconds times dollars euros cents rupees "
	 "yen birds trees cars homes houses islands languages species stars books photos "
	 "files ", 'c'},
	{NULL, NULL, 'y'},
	{0},
};

static const struct by_neighbours language_en_romans[] = {
	{" chapter act scene part volume book section article appendix phase type stage level "
	 "grade class war bowl title table figure annex episode season page lesson unit step "
	 "vol ch sec fig art app round division tier mark model version fantasy rocky apollo "
	 "saturn ", NULL, 'c'},
	{NULL, " century ", 'o'},
	{0},
};

#define ORDINAL_ENDS " st nd rd th "

/* The normalizer restores a dot that also ends the sentence. */
static const struct abbreviation language_en_abbreviations[] = {
	{"Mr.", "Mister", 0}, {"Mr", "Mister", WHEN_BEFORE_CAPITAL}, {"Mrs.", "Missus", 0},
	{"Mrs", "Missus", WHEN_BEFORE_CAPITAL}, {"Ms.", "Ms", 0}, {"Messrs.", "Messieurs", 0},
	{"Dr.", "Doctor", WHEN_BEFORE_CAPITAL}, {"Dr", "Doctor", WHEN_BEFORE_CAPITAL},
	{"Dr.", "Drive", WHEN_AFTER_CAPITAL}, {"Dr.", "Doctor", 0},
	{"St.", "Saint", WHEN_BEFORE_CAPITAL}, {"St", "Saint", WHEN_BEFORE_CAPITAL},
	{"St.", "Street", WHEN_AFTER_CAPITAL}, {"St", "Street", WHEN_AFTER_CAPITAL},
	{"St", "Street", 0, ORDINAL_ENDS}, {"St.", "Street", 0, ORDINAL_ENDS},
	{"Ste.", "Suite", WHEN_BEFORE_NUMBER}, {"Prof.", "Professor", 0}, {"Rev.", "Reverend", 0},
	{"Hon.", "Honorable", 0}, {"Gen.", "General", 0}, {"Col.", "Colonel", 0},
	{"Maj.", "Major", 0}, {"Capt.", "Captain", 0}, {"Cpt.", "Captain", 0},
	{"Lt.", "Lieutenant", 0}, {"Sgt.", "Sergeant", 0}, {"Cpl.", "Corporal", 0},
	{"Adm.", "Admiral", 0}, {"Cmdr.", "Commander", 0}, {"Gov.", "Governor", 0},
	{"Sen.", "Senator", 0}, {"Rep.", "Representative", WHEN_BEFORE_CAPITAL},
	{"Pres.", "President", WHEN_BEFORE_CAPITAL}, {"Supt.", "Superintendent", 0},
	{"Jr.", "Junior", 0}, {"Sr.", "Senior", 0}, {"Esq.", "Esquire", 0}, {"Ave.", "Avenue", 0},
	{"Ave", "Avenue", WHEN_AFTER_CAPITAL},
	{"Ave", "Avenue", 0, ORDINAL_ENDS}, {"Blvd.", "Boulevard", 0},
	{"Blvd", "Boulevard", 0}, {"Rd.", "Road", 0}, {"Rd", "Road", WHEN_AFTER_CAPITAL},
	{"Ln.", "Lane", WHEN_AFTER_CAPITAL}, {"Hwy.", "Highway", 0}, {"Hwy", "Highway", 0},
	{"Pkwy.", "Parkway", 0}, {"Sq.", "Square", WHEN_AFTER_CAPITAL},
	{"Ct.", "Court", WHEN_AFTER_CAPITAL}, {"Pl.", "Place", WHEN_AFTER_CAPITAL},
	{"Apt.", "Apartment", 0}, {"Bldg.", "Building", 0}, {"Mt.", "Mount", 0},
	{"Ft.", "Fort", WHEN_BEFORE_CAPITAL}, {"Inc.", "Incorporated", 0}, {"Ltd.", "Limited", 0},
	{"Corp.", "Corporation", 0}, {"Co.", "Company", WHEN_AFTER_CAPITAL},
	{"Bros.", "Brothers", 0}, {"dept.", "department", 0}, {"univ.", "university", 0},
	{"assn.", "association", 0}, {"govt.", "government", 0}, {"intl.", "international", 0},
	{"e.g.", "for example", 0}, {"i.e.", "that is", 0}, {"etc.", "et cetera", 0},
	{"et al.", "and others", 0}, {"cf.", "compare", 0}, {"viz.", "namely", 0},
	{"vs.", "versus", 0}, {"vs", "versus", 0}, {"approx.", "approximately", 0},
	{"ca.", "circa", 0}, {"c.", "circa", WHEN_BEFORE_NUMBER | WHEN_AS_WRITTEN},
	{"b.", "born", WHEN_BEFORE_NUMBER | WHEN_AS_WRITTEN},
	{"v.", "versus", WHEN_AFTER_CAPITAL | WHEN_BEFORE_CAPITAL | WHEN_AS_WRITTEN},
	{"Rm.", "Room", WHEN_BEFORE_NUMBER}, {"qty.", "quantity", 0}, {"qty", "quantity", 0},
	{"chap.", "chapter", WHEN_BEFORE_NUMBER}, {"incl.", "including", 0}, {"excl.", "excluding", 0},
	{"esp.", "especially", 0}, {"resp.", "respectively", 0},
	{"max.", "maximum", WHEN_BEFORE_NUMBER}, {"min.", "minimum", WHEN_BEFORE_NUMBER},
	{"est.", "established", WHEN_BEFORE_NUMBER}, {"a.k.a.", "also known as", 0},
	{"misc.", "miscellaneous", 0}, {"avg.", "average", 0},
	{"no.", "number", WHEN_BEFORE_NUMBER}, {"nos.", "numbers", WHEN_BEFORE_NUMBER},
	{"№", "number", 0}, {"p.", "page", WHEN_BEFORE_NUMBER},
	{"pp.", "pages", WHEN_BEFORE_NUMBER}, {"pg.", "page", WHEN_BEFORE_NUMBER},
	{"vol.", "volume", 0}, {"ch.", "chapter", WHEN_BEFORE_NUMBER},
	{"sec.", "section", WHEN_BEFORE_NUMBER}, {"fig.", "figure", 0},
	{"eq.", "equation", WHEN_BEFORE_NUMBER}, {"art.", "article", WHEN_BEFORE_NUMBER},
	{"para.", "paragraph", WHEN_BEFORE_NUMBER}, {"ext.", "extension", WHEN_BEFORE_NUMBER},
	{"ver.", "version", WHEN_BEFORE_NUMBER}, {"tel.", "telephone", 0}, {"Ph.D.", "P H D", 0},
	{"PhD", "P H D", 0}, {"M.Sc.", "M S C", 0}, {"B.Sc.", "B S C", 0}, {"MSc", "M S C", 0},
	{"BSc", "B S C", 0}, {"c/o", "care of", 0}, {"WWI", "World War one", 0},
	{"WWII", "World War two", 0}, {"w/o", "without", 0}, {"w/", "with", 0},
	{"AT&T", "A T and T", 0}, {"AT&T's", "A T and T's", 0},
	{"24/7/365", "twenty-four seven three sixty-five", 0}, {"4x4", "four by four", 0},
	{"2x4", "two by four", 0}, {".NET", "dot net", 0}, {"ASP.NET", "A S P dot net", 0},
	{"YoY", "year over year", 0}, {"QoQ", "quarter over quarter", 0},
	{"MoM", "month over month", 0}, {"10s of", "tens of", 0}, {"100s of", "hundreds of", 0},
	{"1000s of", "thousands of", 0}, {"AM/FM", "A M F M", 0},
	{"§§", "sections", WHEN_BEFORE_NUMBER}, {"C++", "C plus plus", 0}, {"C#", "C sharp", 0},
	{"F#", "F sharp", 0}, {"Ph.D", "P H D", 0}, {"b/c", "because", 0}, {"Gen. Z", "Gen Z", 0},
	{"Gen. X", "Gen X", 0}, {"50-50", "fifty-fifty", 0}, {"9-1-1", "nine one one", 0},
	{"24x7", "twenty-four seven", 0}, {"401(k)", "four oh one K", 0},
	{"401k", "four oh one K", 0}, {"720p", "seven twenty p", 0}, {"1080p", "ten eighty p", 0},
	{"1440p", "fourteen forty p", 0}, {"2160p", "twenty-one sixty p", 0},
	{"240p", "two forty p", 0}, {"144p", "one forty-four p", 0}, {"480p", "four eighty p", 0},
	{"360p", "three sixty p", 0}, {"IPv4", "I P v four", 0}, {"IPv6", "I P v six", 0},
	{"π", "pi", 0}, {"x", "by", WHEN_AFTER_NUMBER | WHEN_BEFORE_NUMBER},
	{"x", "times", WHEN_AFTER_NUMBER},
	{0},
};

/* Words before the keys of a telephone. */
#define KEY_WORDS " press hit push dial enter or and the by with "

static const struct sign language_en_signs[] = {
	{"*", "star", 0, KEY_WORDS},
	{"&", "and", 0}, {"@", "at", 0}, {"+", "plus", 0},
	{"=", "equals", 0}, {"-", "minus", WHEN_AFTER_NUMBER | WHEN_BEFORE_NUMBER},
	{"−", "minus", WHEN_BEFORE_NUMBER},
	{"×", "by", WHEN_TIGHT}, {"×", "times", WHEN_AFTER_NUMBER | WHEN_BEFORE_NUMBER},
	{"*", "times", WHEN_AFTER_NUMBER | WHEN_BEFORE_NUMBER},
	{"÷", "divided by", 0}, {"/", "divided by", WHEN_AFTER_NUMBER | WHEN_BEFORE_NUMBER},
	{"±", "plus or minus", 0}, {"~", "about", WHEN_BEFORE_NUMBER},
	{"≈", "approximately", 0}, {"≠", "is not equal to", 0},
	{"<", "less than", WHEN_BEFORE_NUMBER}, {">", "greater than", WHEN_BEFORE_NUMBER},
	{"≤", "less than or equal to", 0}, {"≥", "greater than or equal to", 0},
	{"§", "section", 0}, {"¶", "paragraph", 0}, {"#", "number", WHEN_BEFORE_NUMBER},
	{"#", "pound", 0, KEY_WORDS},
	{"©", "copyright", 0}, {"™", "", 0}, {"®", "", 0}, {"√", "square root of", 0},
	{"∞", "infinity", 0}, {"²", "squared", 0}, {"³", "cubed", 0},
	{"^", "to the power of", WHEN_BEFORE_NUMBER}, {"%", "percent", 0},
	{"→", "to", WHEN_AFTER_NUMBER | WHEN_BEFORE_NUMBER},
	{0},
};

static const struct sign language_en_spelled_signs[] = {
	{"!", "exclamation mark", 0}, {"\"", "quote", 0}, {"#", "hash", 0}, {"$", "dollar", 0},
	{"%", "percent", 0}, {"&", "and", 0}, {"'", "apostrophe", 0}, {"(", "open parenthesis", 0},
	{")", "close parenthesis", 0}, {"*", "star", 0}, {"+", "plus", 0}, {",", "comma", 0},
	{"-", "dash", 0}, {".", "dot", 0}, {"/", "slash", 0}, {":", "colon", 0},
	{";", "semicolon", 0}, {"<", "less than", 0}, {"=", "equals", 0},
	{">", "greater than", 0}, {"?", "question mark", 0}, {"@", "at", 0},
	{"[", "open bracket", 0}, {"\\", "backslash", 0}, {"]", "close bracket", 0},
	{"^", "caret", 0}, {"_", "underscore", 0}, {"`", "backtick", 0}, {"{", "open brace", 0},
	{"|", "pipe", 0}, {"}", "close brace", 0}, {"~", "tilde", 0},
	{0},
};

static const struct reading_rules language_en_reading = {
	.numbers = language_en_numbers,
	.decimal = '.',
	.thousands = ", '",
	.decimal_word = "point",
	.other_decimal_word = "comma",
	.minus = "minus",
	.plus = "plus",
	.exponent = "times ten to the power of",
	.plural = PLURAL_TWO,
	.units = language_en_units,
	.per = "per {u}",
	.currencies = language_en_currencies,
	.money_cents = "{n} {unit} and {c} {cent}",
	.money_only_cents = "{c} {cent}",
	.magnitudes = language_en_magnitudes,
	.cardinals = language_en_counting_keys,
	.describing = " a an the this his her its my our your their ",
	.no_possessive = " it's it’s that's that’s this's he's he’s she's she’s there's there’s "
			 "here's here’s what's what’s who's who’s where's where’s how's how’s "
			 "let's let’s everyone's everyone’s one's one’s ",
	.no_noun = " is are was were be been and or but nor if when while as than that which who in "
		   "on at by for from with without to of into over under per a an the he she it we "
		   "you they i this these those each every more less off ago later away apart long "
		   "wide deep tall high thick old left today tomorrow yesterday now then here there "
		   "will would can could may might must should has have had do does did not also "
		   "too so just only below above before after about around during until since "
		   "because between ahead behind up down out back again total worth plus minus "
		   "times equals x ",
	.ordinal_marks = language_en_ordinal_marks,
	.fractions = language_en_fractions,
	.fraction = "{n:c} {d}",
	.fraction_mixed = "{w:c} and {n:c} {d}",
	.fraction_max = 12, /* 5/20 is a day in May */
	.over = "over",
	.rating = "out of",
	.ratings = language_en_ratings,
	.date_order = DATE_MONTH_FIRST,
	.date_marks = "/-.",
	.months = language_en_months,
	.weekdays = language_en_weekdays,
	.date = "{month} {day:o} {year:y}",
	.date_without_year = "{month} {day:o}",
	.date_before = " on due until ",
	.expiries = language_en_expiries,
	.date_first = "the {day:o}",
	.date_dmy = "the {day:o} of {month} {year:y}",
	.date_mdy = "{month} {day:o}{,} {year:y}",
	.date_dm = "the {day:o} of {month}",
	.date_md = "{month} {day:o}",
	.date_my = "{month} {year:y}",
	.year_least = 1000,
	.year_most = 2099,
	.years = language_en_year_keys,
	.decade_marks = " s 's ’s ",
	.decade_before = " the her his their my your our early late mid in ",
	.decade = "{n:k}",
	.time_marks = ":",
	.time_words = " o'clock o’clock ",
	.time_hm = "{h:c} {m:c}",
	.time_hm_small = "{h:c} oh {m:c}",
	.time_h = "{h:H}",
	.time_hms = "{h:c} {m:c} and {s:c} seconds",
	.time_hm_half = "{h:c} {m:c} {half}",
	.time_hm_small_half = "{h:c} oh {m:c} {half}",
	.time_h_half = "{h:c} {half}",
	.am = " am AM a.m. A.M. a.m A.M ",
	.pm = " pm PM p.m. P.M. p.m P.M ",
	.am_word = "AM",
	.pm_word = "PM",
	.to = "to",
	.score = "to",
	.feet = "{f} foot {i}",
	.postcode = {
		.digits = 5,
		.before = " AL AK AZ AR CA CO CT DE DC FL GA HI ID IL IN IA KS KY LA ME MD MA MI "
			  "MN MS MO MT NE NV NH NJ NM NY NC ND OH OK OR PA PR RI SC SD TN TX UT "
			  "VT VA WA WV WI WY ",
	},
	.directions = language_en_directions,
	.street_words = " st street ave avenue blvd boulevard rd road dr drive ln lane way ct court pl "
			"place hwy highway pkwy parkway ter terrace cir circle sq square ",
	.phone_shapes = " 334 34 1334 344 56 4444 13w ",
	.roman_name = "the {n:o}",
	.names = " henry charles george louis edward james william john paul pius benedict "
		 "francis gregory leo clement innocent urban alexander nicholas philip peter "
		 "frederick elizabeth mary catherine victoria napoleon ferdinand christian "
		 "gustav olaf harald leopold albert baldwin richard robert david constantine "
		 "otto rudolf maximilian joseph franz wilhelm karl ivan umberto vittorio "
		 "emmanuel alfonso juan carlos felipe pedro ramses thutmose ptolemy darius "
		 "xerxes cyrus mehmed selim ",
	.romans = language_en_romans,
	.abbreviations = language_en_abbreviations,
	.spelled = " USA USB API APIS ISBN IEEE IUCN UCLA SUV URL URI HIV IOU ASAP AFAIK ",
	.said = " ZIP A I OK AM AN AND ANY ARE AS ASK AT BE BIG BUT BUY BY CAN DAY DID DO END EAT "
		"FOR FREE GET GO GOT HAD HAS HE HER HEY HIM HIS HOT HOW IF IN IS ITS LET LOW MAX "
		"MAY ME MY NEW NO NOT NOW OF OFF OH OLD ON ONE OR OUR OUT OWN PUT RED RUN SAY "
		"SEE SET SHE SO STOP THE TO TOO TOP TRY TWO UP USE WAS WAY WE WHO WHY WIN WOW "
		"YES YET YOU YOUR RAM ROM SIM PIN GIF PIP LAN WAN LOL SIS DOS BIOS NASA NATO "
		"OPEC AIDS SARS COP UEFA LASER JPEG NASDAQ ",
	.signs = language_en_signs,
	.spelled_signs = language_en_spelled_signs,
	.space = "space",
	.version = "version",
	.hashtag = "hashtag",
	.domains = " uk us io ai tv eu de fr nl ch at be it es pl ie ca au nz in ",
	.extensions = " pdf csv tsv html htm css xml txt png jpg svg php sql md gz avi mpg rtf "
		      "ico js ts cpp ppt pptx xls xlsx doc docx wav ogg ",
};
#undef COUNTED
#undef UNCHANGED

const struct language language_en = {
	.code = "en",
	.never = " mr mrs mx messrs dr prof rev hon Gen Col Sgt Capt Cpl Lt Maj Cmdr Adm Sen "
		 "Rep Gov Pres Supt Mme Mlle Mt Ft Ste Br e.g i.e eg ie cf vs viz approx resp "
		 "incl excl esp a.k.a aka Ms ",
	.starter = " st ave blvd rd hwy jr Sr inc co corp ltd plc bros dept univ assn a.m p.m "
		   "ph.d al esq oz lb lbs ft hr hrs min mi sq m.sc b.sc mon tue tues thu thurs "
		   "nos p pp pg Ch vol vols fig figs eq eqs Sec op nr ext Jan Feb Apr Aug Sep "
		   "Sept Oct Nov Dec tel ver ca ",
	.capital = " etc tbsp tsp ",
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
	.reading = &language_en_reading,
};
/* clang-format on */
