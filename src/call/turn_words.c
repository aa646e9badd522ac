/*
 * turn_words.c: the table; see turn_words.h.
 */
#include "call/turn_words.h"

#include <stdbool.h>
#include <string.h>

#include "base/count.h"

/* clang-format off */
static const struct turn_words turn_words_table[] = {
	{
		.language = "en",
		.open = "and,but,or,nor,because,cause,cuz,if,whether,unless,until,although,though,while,since,"
			"when,whenever,where,than,as,that's because,the,a,an,my,your,his,our,their,its,"
			"of,to,from,with,without,for,at,into,onto,between,among,against,during,toward,towards,"
			"via,per,about,i'm,we're,they're,you're,i'd,i've,we've,i'll,we'll,there's,it's,let's,"
			"very,really,every,some kind of,a lot of,such,called,named,"
			"is the,number is,name is,address is,code is,date is,email is,it would be,that would be,"
			"i want,i need,i would like,i'd like,i was wondering,i think,i mean,i guess,i have,"
			"instead of,because of,due to",
		.half_open = "is,are,was,were,am,be,been,has,have,had,will,would,could,should,can,may,might,must,"
			"do,does,did,don't,doesn't,didn't,can't,i,we,they,he,she,who,which,that,what,this,these,"
			"in,on,by,up,out,off,over,under,after,before,around,through,then,just,only,not,so,even,"
			"want,need,get,make,give,take,got,any,some,like,also,currently",
		.subordinators = "to,if,because,although,though,while,since,unless,whenever,once",
		.fillers = "um,uh,uhm,erm,er,em,eh,hmm,hm,ah,so,well,you know,let's see,let me see,let me think,"
			"kind of,sort of,basically,actually,i mean,and uh,and um",
		.holds = "hold on,hang on,wait,one moment,one second,just a moment,just a second,a sec,"
			"give me a second,give me a moment,bear with me",
		.closers = "thank you,thanks,thanks a lot,please,bye,goodbye,bye bye,that's all,that's it,"
			"that's right,that is correct,that's correct,never mind,is that right,right now,you too",
		.answers = "yes,yeah,yep,yup,no,nope,nah,sure,okay,ok,correct,right,exactly,absolutely,definitely,"
			"please,thanks,thank,you,of,course,that's,it,is,not,really,i,do,don't,fine,alright,"
			"sounds,good,great,perfect,maybe",
		.interrogatives = "what,what's,which,who,who's,whom,whose,where,where's,when,why,how,how's",
		.invitations = "tell,describe,explain,share,walk me through,talk me through,how can i help,"
			"what happened,why",
		.units = "zero,oh,one,two,three,four,five,six,seven,eight,nine",
		.teens = "ten,eleven,twelve,thirteen,fourteen,fifteen,sixteen,seventeen,eighteen,nineteen,"
			"double,triple",
		.tens = "twenty,thirty,forty,fifty,sixty,seventy,eighty,ninety",
		.connectors = "dot,dash,hyphen,underscore,slash,area code,plus,space,capital,double,triple,as in",
		.spelled = "spell,spelling,spelled,letters,email,e mail,address,license plate,postcode,reference",
		.numbers = {{"social security", 9}, {"phone number", 10}, {"telephone number", 10},
			{"mobile number", 10}, {"card number", 15}, {"account number", 8}, {"zip code", 5},
			{"pin", 4}, {"extension", 3}, {"code", 4}, {"number", 6}},
	},
	{
		.language = "de",
		.open = "und,oder,aber,denn,weil,dass,wenn,falls,ob,obwohl,damit,sondern,sowie,bevor,nachdem,"
			"während,der,dem,den,des,ein,eine,einen,einem,einer,eines,mein,meine,meinen,meinem,meiner,"
			"ihr,ihre,unser,unsere,sein,seine,kein,keine,keinen,im,am,zum,zur,beim,vom,ins,ans,für,"
			"ohne,gegen,wegen,trotz,zwischen,seit,von,bei,pro,als,wie,sehr,ganz,nummer ist,name ist,"
			"adresse ist,ich möchte,ich hätte gern,ich hätte gerne,ich brauche,ich wollte,ich würde,"
			"ich bin,ich habe,ich heiße,es geht um,und zwar,das heißt,unter anderem",
		.half_open = "die,das,ist,sind,war,waren,bin,habe,hat,haben,hatte,wird,werden,würde,kann,können,"
			"könnte,muss,müssen,soll,sollte,will,wollte,möchte,darf,ich,wir,er,sie,man,in,an,auf,aus,"
			"mit,nach,um,über,unter,vor,zu,durch,bis,noch,nur,auch,dann,nicht,so,was,wo,wer,etwa,"
			"gern,gerne,es",
		.subordinators = "wenn,weil,falls,obwohl,nachdem,bevor,während,sobald,um,da",
		.fillers = "äh,ähm,öh,öhm,ehm,hm,hmm,also,na ja,naja,tja,sozusagen,quasi,halt,eben,moment mal,"
			"mal sehen,wie soll ich sagen,ja also",
		.holds = "moment,einen moment,moment bitte,einen moment bitte,sekunde,eine sekunde,warten sie,"
			"augenblick,einen augenblick",
		.closers = "danke,danke schön,dankeschön,vielen dank,bitte,tschüss,auf wiederhören,"
			"auf wiedersehen,das war's,das wär's,das ist alles,das stimmt,genau",
		.answers = "ja,nein,nee,ne,jo,doch,genau,richtig,stimmt,klar,okay,ok,gut,gerne,gern,bitte,danke,"
			"natürlich,sicher,passt,nicht,schon,das,auf,jeden,fall,vielleicht,super,einverstanden",
		.interrogatives = "was,wer,wen,wem,wessen,wo,wohin,woher,wann,warum,wieso,weshalb,wie,welche,"
			"welcher,welches,welchen,welchem,womit,wofür,worum",
		.invitations = "erzählen,beschreiben,erklären,schildern,wie kann ich ihnen helfen,"
			"was kann ich für sie tun,warum,wieso",
		.units = "null,eins,ein,zwei,zwo,drei,vier,fünf,sechs,sieben,acht,neun",
		.teens = "zehn,elf,zwölf,dreizehn,vierzehn,fünfzehn,sechzehn,siebzehn,achtzehn,neunzehn,zwanzig,"
			"dreißig,vierzig,fünfzig,sechzig,siebzig,achtzig,neunzig,doppel",
		.tens = "",
		.connectors = "punkt,strich,bindestrich,unterstrich,schrägstrich,at,ät,klammeraffe,vorwahl,plus,"
			"leerzeichen,wie",
		.spelled = "buchstabieren,buchstaben,email,e mail,adresse,kennzeichen,referenz",
		.numbers = {{"kundennummer", 6}, {"telefonnummer", 9}, {"handynummer", 10}, {"rufnummer", 9},
			{"kartennummer", 15}, {"kontonummer", 8}, {"postleitzahl", 5}, {"pin", 4}, {"code", 4},
			{"nummer", 6}},
	},
	{
		.language = "fr",
		.open = "et,ou,mais,car,donc,parce que,parce qu'il,que,qu'il,qu'elle,si,lorsque,quand,puisque,"
			"quoique,comme,le,la,les,l,un,une,des,du,au,aux,mon,ma,mes,ton,ta,tes,son,sa,ses,notre,nos,"
			"votre,vos,leur,leurs,ce,cet,cette,ces,de,d,à,en,dans,chez,sans,sous,entre,vers,par,"
			"très,numéro est,numéro c'est,nom est,adresse est,je voudrais,j'aimerais,je veux,"
			"j'ai besoin,je suis,j'ai,c'est,il y a,je m'appelle,est ce que,c'est à dire",
		.half_open = "est,sont,était,suis,ai,as,a,ont,avez,avons,avait,sera,serait,peut,peux,doit,dois,"
			"veux,veut,voudrais,je,tu,il,elle,on,nous,vous,ils,elles,qui,dont,où,avec,pour,sur,avant,"
			"après,contre,ne,pas,plus,aussi,alors,puis,même,y",
		.subordinators = "si,parce,quand,lorsque,puisque,quoique,pour,comme",
		.fillers = "euh,heu,hum,hm,ben,bah,bon,alors,en fait,du coup,voyons,disons,genre,tu vois,"
			"vous voyez,comment dire,eh bien",
		.holds = "attendez,un instant,un moment,une seconde,deux secondes,une minute,ne quittez pas",
		.closers = "merci,merci beaucoup,s'il vous plaît,s'il te plaît,au revoir,c'est tout,c'est ça,"
			"voilà,c'est bon",
		.answers = "oui,ouais,non,si,bien,sûr,d'accord,ok,okay,exactement,tout,à,fait,parfait,voilà,"
			"merci,c'est,ça,correct,pas,du,absolument,volontiers,s'il,vous,plaît,peut,être,bon",
		.interrogatives = "que,quoi,qu'est,qui,quel,quelle,quels,quelles,où,quand,pourquoi,comment,combien,"
			"lequel,laquelle",
		.invitations = "racontez,décrivez,expliquez,dites moi,parlez moi,comment puis je vous aider,pourquoi",
		.units = "zéro,un,deux,trois,quatre,cinq,six,sept,huit,neuf",
		.teens = "dix,onze,douze,treize,quatorze,quinze,seize,double",
		.tens = "vingt,trente,quarante,cinquante,soixante,septante,huitante,nonante,quatre vingt",
		.connectors = "point,tiret,arobase,underscore,slash,barre,plus,comme,accent",
		.spelled = "épeler,épelez,lettres,email,e mail,mail,adresse,courriel,immatriculation,référence",
		.numbers = {{"sécurité sociale", 13}, {"numéro de téléphone", 10}, {"numéro de carte", 15},
			{"numéro de compte", 8}, {"code postal", 5}, {"portable", 10}, {"code", 4}, {"pin", 4},
			{"numéro", 6}},
	},
	{
		.language = "es",
		.open = "y,e,o,u,pero,porque,que,si,aunque,cuando,mientras,como,sino,pues,el,la,los,las,un,una,unos,"
			"unas,mi,mis,tu,tus,su,sus,nuestro,nuestra,este,esta,de,del,a,al,en,con,sin,por,para,desde,"
			"hasta,entre,hacia,según,muy,número es,nombre es,dirección es,quiero,quisiera,me gustaría,"
			"necesito,tengo,me llamo,es que,o sea que,ya que,lo que",
		.half_open = "es,son,era,está,están,estoy,soy,he,ha,han,había,hay,puede,puedo,debe,tiene,"
			"yo,él,ella,ellos,nosotros,usted,quien,cual,donde,sobre,ante,contra,bajo,no,más,también,"
			"solo,sólo,ya,lo,le,se,me,te,nos,entonces",
		.subordinators = "si,porque,aunque,cuando,mientras,para,como",
		.fillers = "eh,em,este,esto,ehm,mm,hm,bueno,pues,o sea,a ver,digamos,es decir,cómo se dice,verás",
		.holds = "espere,espera,un momento,un segundo,un momentito,un minuto,permítame",
		.closers = "gracias,muchas gracias,por favor,adiós,hasta luego,eso es todo,nada más,eso es,ya está",
		.answers = "sí,si,no,claro,vale,bueno,correcto,exacto,exactamente,perfecto,de,acuerdo,ok,okay,"
			"gracias,por,favor,supuesto,eso,es,así,bien,cierto,tampoco,quizás",
		.interrogatives = "qué,quién,quiénes,cuál,cuáles,dónde,adónde,cuándo,por qué,cómo,cuánto,cuánta,"
			"cuántos,cuántas",
		.invitations = "cuénteme,cuéntame,describa,explique,dígame,en qué puedo ayudarle,por qué",
		.units = "cero,uno,una,dos,tres,cuatro,cinco,seis,siete,ocho,nueve",
		.teens = "diez,once,doce,trece,catorce,quince,dieciséis,diecisiete,dieciocho,diecinueve,veinte,"
			"veintiuno,veintidós,veintitrés,veinticuatro,veinticinco,veintiséis,veintisiete,veintiocho,"
			"veintinueve,doble",
		.tens = "treinta,cuarenta,cincuenta,sesenta,setenta,ochenta,noventa",
		.connectors = "punto,guion,guión,arroba,barra,guion bajo,guión bajo,más,prefijo,como",
		.spelled = "deletrear,deletree,letras,email,correo,dirección,matrícula,referencia",
		.numbers = {{"número de teléfono", 9}, {"número de tarjeta", 15}, {"número de cuenta", 8},
			{"código postal", 5}, {"teléfono", 9}, {"móvil", 9}, {"código", 4}, {"pin", 4}, {"dni", 8},
			{"número", 6}},
	},
	{
		.language = "it",
		.open = "e,ed,o,oppure,ma,però,perché,che,se,anche se,quando,mentre,come,siccome,quindi,il,lo,la,i,"
			"gli,le,l,un,uno,una,mio,mia,miei,mie,tuo,tua,suo,sua,nostro,nostra,di,d,a,da,in,con,per,tra,"
			"fra,del,dello,della,dei,degli,delle,al,allo,alla,ai,agli,alle,dal,dalla,nel,nella,nei,sul,"
			"sulla,molto,numero è,nome è,indirizzo è,vorrei,voglio,ho bisogno,mi chiamo,mi serve,c'è,cioè",
		.half_open = "è,sono,era,ho,ha,hanno,hai,abbiamo,avevo,sarà,sarebbe,può,posso,deve,devo,io,noi,lui,"
			"lei,loro,chi,cui,dove,su,senza,sotto,sopra,prima,dopo,contro,non,più,anche,solo,poi,allora,"
			"mi,ti,si,ci,ne",
		.subordinators = "se,perché,siccome,quando,mentre,per,poiché",
		.fillers = "eh,ehm,uhm,mm,hm,allora,dunque,insomma,diciamo,ecco,vediamo,tipo,beh,come dire,praticamente",
		.holds = "aspetti,aspetta,un attimo,un momento,un secondo,un minuto",
		.closers = "grazie,grazie mille,per favore,per piacere,arrivederci,è tutto,basta così,va bene,"
			"tutto qui",
		.answers = "sì,si,no,certo,certamente,va,bene,esatto,esattamente,giusto,corretto,perfetto,ok,okay,"
			"d'accordo,grazie,per,favore,così,assolutamente,forse,è",
		.interrogatives = "che,cosa,cos'è,chi,quale,quali,qual,dove,dov'è,quando,perché,come,com'è,quanto,"
			"quanta,quanti,quante",
		.invitations = "racconti,raccontami,descriva,spieghi,mi dica,come posso aiutarla,perché",
		.units = "zero,uno,due,tre,quattro,cinque,sei,sette,otto,nove",
		.teens = "dieci,undici,dodici,tredici,quattordici,quindici,sedici,diciassette,diciotto,diciannove,"
			"venti,trenta,quaranta,cinquanta,sessanta,settanta,ottanta,novanta,doppio",
		.tens = "",
		.connectors = "punto,trattino,chiocciola,barra,trattino basso,underscore,più,prefisso,come",
		.spelled = "compitare,sillabare,lettere,lettera per lettera,email,e mail,mail,indirizzo,targa,"
			"codice fiscale",
		.numbers = {{"numero di telefono", 9}, {"numero di carta", 15}, {"numero di conto", 8}, {"cap", 5},
			{"telefono", 9}, {"cellulare", 10}, {"codice", 4}, {"pin", 4}, {"numero", 6}},
	},
	{
		.language = "pt",
		.open = "e,ou,mas,porque,que,se,embora,quando,enquanto,como,pois,porém,o,os,as,um,uma,uns,umas,"
			"meu,minha,meus,minhas,teu,tua,seu,sua,nosso,nossa,de,do,da,dos,das,em,no,na,nos,nas,num,"
			"numa,ao,à,aos,às,com,sem,por,pelo,pela,para,pra,pro,desde,entre,muito,número é,nome é,"
			"endereço é,morada é,eu quero,eu queria,gostaria de,preciso,eu preciso,eu tenho,me chamo,"
			"é que,ou seja",
		.half_open = "a,é,são,era,está,estão,estou,sou,tem,tenho,tinha,há,foi,será,pode,posso,deve,quero,"
			"queria,gostaria,eu,ele,ela,eles,nós,você,quem,qual,onde,até,sobre,contra,após,não,mais,"
			"também,só,já,então,me,te,lhe",
		.subordinators = "se,porque,embora,quando,enquanto,para,como",
		.fillers = "é,éé,hã,hum,ahn,hm,eh,tipo,então,bom,assim,pois,quer dizer,digamos,sei lá,deixa eu ver,"
			"deixe me ver",
		.holds = "espere,espera,só um momento,um momento,um segundo,um minuto,só um minuto,só um segundo",
		.closers = "obrigado,obrigada,muito obrigado,muito obrigada,por favor,tchau,adeus,até logo,é só isso,"
			"é tudo,só isso,é isso,se faz favor",
		.answers = "sim,não,claro,certo,correto,exato,exatamente,isso,ok,okay,tá,está,bem,bom,perfeito,com,"
			"certeza,por,favor,obrigado,obrigada,pode,ser,é,talvez,pois",
		.interrogatives = "que,quê,o que,quem,qual,quais,onde,aonde,quando,por que,porquê,como,quanto,"
			"quanta,quantos,quantas",
		.invitations = "conte,descreva,explique,diga,fale,como posso ajudar,em que posso ajudar",
		.units = "zero,um,uma,dois,duas,três,quatro,cinco,seis,meia,sete,oito,nove",
		.teens = "dez,onze,doze,treze,catorze,quatorze,quinze,dezesseis,dezasseis,dezessete,dezassete,dezoito,"
			"dezenove,dezanove,duplo",
		.tens = "vinte,trinta,quarenta,cinquenta,sessenta,setenta,oitenta,noventa",
		.connectors = "ponto,hífen,traço,arroba,barra,underline,sublinhado,mais,indicativo,ddd",
		.spelled = "soletrar,soletre,letras,email,e mail,endereço,morada,matrícula,placa,referência",
		.numbers = {{"número de telefone", 9}, {"número do cartão", 15}, {"número da conta", 6},
			{"código postal", 7}, {"telefone", 9}, {"telemóvel", 9}, {"celular", 10}, {"cpf", 11},
			{"cep", 8}, {"código", 4}, {"número", 6}},
	},
	{
		.language = "nl",
		.open = "en,of,maar,want,omdat,dat,als,hoewel,terwijl,wanneer,zodat,dus,de,het,een,mijn,m'n,jouw,uw,"
			"zijn,haar,ons,onze,hun,deze,van,met,zonder,voor,tegen,tussen,bij,naar,sinds,vanaf,volgens,per,"
			"te,heel,erg,nummer is,naam is,adres is,ik wil,ik wil graag,ik zou,ik zou graag,ik heb,ik ben,"
			"ik heet,het gaat om,dat wil zeggen",
		.half_open = "is,was,waren,ben,heb,heeft,hebben,had,wordt,worden,kan,kunnen,kon,moet,moeten,zal,zou,"
			"wil,wilde,mag,ik,wij,we,hij,zij,ze,je,u,die,wie,wat,waar,in,op,aan,uit,om,over,onder,na,door,"
			"tot,er,niet,nog,ook,dan,alleen,graag",
		.subordinators = "als,omdat,hoewel,terwijl,zodra,wanneer,om",
		.fillers = "eh,uh,uhm,ehm,hm,nou,nou ja,dus,eigenlijk,zeg maar,even kijken,weet je,tja",
		.holds = "wacht,wacht even,een moment,momentje,een ogenblik,ogenblikje,een seconde,eventjes",
		.closers = "dank je,dank u,dank je wel,dank u wel,bedankt,alsjeblieft,alstublieft,tot ziens,doei,"
			"dat was het,dat is alles,dat klopt",
		.answers = "ja,nee,jawel,hoor,klopt,dat,juist,precies,prima,goed,is,oké,ok,okay,graag,zeker,"
			"natuurlijk,tuurlijk,dank,u,je,wel,alstublieft,alsjeblieft,niet,misschien,inderdaad",
		.interrogatives = "wat,wie,waar,waarheen,wanneer,waarom,hoe,hoeveel,welk,welke,wiens,waarmee,waarvoor",
		.invitations = "vertel,vertellen,beschrijf,beschrijven,uitleggen,waarmee kan ik u helpen,"
			"hoe kan ik u helpen,waarom",
		.units = "nul,een,één,twee,drie,vier,vijf,zes,zeven,acht,negen",
		.teens = "tien,elf,twaalf,dertien,veertien,vijftien,zestien,zeventien,achttien,negentien,twintig,"
			"dertig,veertig,vijftig,zestig,zeventig,tachtig,negentig,dubbel",
		.tens = "",
		.connectors = "punt,streepje,liggend streepje,apenstaartje,schuine streep,plus,underscore,netnummer",
		.spelled = "spellen,spel,letters,email,e mail,mailadres,adres,kenteken,referentie",
		.numbers = {{"burgerservicenummer", 9}, {"telefoonnummer", 10}, {"klantnummer", 6},
			{"rekeningnummer", 8}, {"kaartnummer", 15}, {"postcode", 4}, {"pincode", 4}, {"code", 4},
			{"nummer", 6}},
	},
	{
		.language = "pl",
		.open = "i,oraz,a,ale,lub,albo,bo,ponieważ,że,żeby,aby,jeśli,jeżeli,gdy,kiedy,chociaż,czy,który,"
			"która,które,niż,jak,mój,moja,moje,mojego,mojej,twój,swój,nasz,w,we,z,ze,do,na,od,ode,po,za,"
			"dla,przez,przy,pod,nad,przed,między,bez,o,u,ku,bardzo,numer to,nazwisko to,adres to,chciałbym,"
			"chciałabym,potrzebuję,nazywam się,mam na imię,chodzi o,to znaczy,dlatego że",
		.half_open = "jest,są,był,była,było,być,mam,ma,mają,mogę,może,można,muszę,musi,chcę,będę,będzie,"
			"ja,my,on,ona,oni,się,to,ten,ta,co,gdzie,nie,też,także,tylko,już,jeszcze,więc,potem,no",
		.subordinators = "jeśli,jeżeli,ponieważ,chociaż,gdy,żeby,aby,kiedy",
		.fillers = "yyy,yy,eee,ee,ehm,hm,hmm,mm,no,więc,znaczy,jakby,w sumie,zaraz,no więc,tak jakby,"
			"jak to powiedzieć",
		.holds = "chwila,chwileczkę,chwilę,moment,momencik,sekundę,sekunda,proszę poczekać,jedną chwilę",
		.closers = "dziękuję,dziękuję bardzo,dzięki,proszę,do widzenia,do usłyszenia,to wszystko,"
			"zgadza się,to tyle",
		.answers = "tak,nie,no,jasne,oczywiście,dobrze,dobra,zgadza,się,dokładnie,okej,ok,okay,proszę,"
			"dziękuję,pewnie,owszem,zgoda,wszystko,raczej,może,super",
		.interrogatives = "co,kto,kogo,komu,czym,gdzie,skąd,dokąd,kiedy,dlaczego,czemu,jak,jaki,jaka,jakie,"
			"jakim,ile,ilu,który,która,które",
		.invitations = "opowiedzieć,opisać,wyjaśnić,proszę powiedzieć,w czym mogę pomóc,jak mogę pomóc,dlaczego",
		.units = "zero,jeden,jedna,dwa,trzy,cztery,pięć,sześć,siedem,osiem,dziewięć",
		.teens = "dziesięć,jedenaście,dwanaście,trzynaście,czternaście,piętnaście,szesnaście,siedemnaście,"
			"osiemnaście,dziewiętnaście",
		.tens = "dwadzieścia,trzydzieści,czterdzieści,pięćdziesiąt,sześćdziesiąt,siedemdziesiąt,"
			"osiemdziesiąt,dziewięćdziesiąt",
		.connectors = "kropka,myślnik,małpa,ukośnik,podkreślnik,podkreślenie,plus,kierunkowy,jak",
		.spelled = "przeliterować,literować,litery,email,e mail,mail,adres,rejestracja,numer rejestracyjny",
		.numbers = {{"numer telefonu", 9}, {"numer karty", 15}, {"numer konta", 20}, {"kod pocztowy", 5},
			{"pesel", 11}, {"telefon", 9}, {"kod", 4}, {"pin", 4}, {"numer", 6}},
	},
};
/* clang-format on */

static char turn_words_lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

const struct turn_words *turn_words_find(const char *language)
{
	char code[3] = "en";

	if (language && *language) {
		code[0] = turn_words_lower(language[0]);
		code[1] = turn_words_lower(language[1]);
		if (code[1] && language[2] && language[2] != '-' && language[2] != '_')
			return NULL; /* of three letters */
	}
	for (size_t i = 0; i < COUNT(turn_words_table); ++i)
		if (strcmp(turn_words_table[i].language, code) == 0)
			return &turn_words_table[i];
	return NULL;
}
