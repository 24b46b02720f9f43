/** Words, towns, forms and habits of the Netherlands and Flanders. Data only; any likeness to a real company is chance. */
import { list } from './list.mjs'

const words = {
  trade:
    list(`Transport|Installatietechniek|Elektrotechniek|Machinebouw|Metaalbewerking|Constructie|Bouw|Aannemersbedrijf|Schilderwerken|Dakwerken|Timmerwerken|Interieurbouw|Meubelen|Vloeren|Keukens|Glas|Kunststoffen|Verpakkingen|Drukkerij|Etiketten|
    Logistiek|Opslag|Koeltechniek|Klimaattechniek|Beveiliging|Schoonmaak|Groenvoorziening|Hoveniers|Bloemen|Bloembollen|Zaden|Kwekerijen|Groenten & Fruit|Vlees|Vis|Zuivel|Kaas|Bakkerijen|Horeca|Brouwerij|Koffie|Dranken|Veevoeders|Landbouwmachines|
    Scheepswerf|Scheepvaart|Jachtbouw|Baggerwerken|Grondwerken|Wegenbouw|Beton|Recycling|Milieutechniek|Pompen|Meetinstrumenten|Automatisering|Software|Advies|Administraties|Vastgoed|Makelaardij|Verzekeringen|Opleidingen|Uitzendbureau|Reclame|Media|Fietsen|Autobedrijf|Banden|Optiek|Tandtechniek|Medische Hulpmiddelen|Textiel|Werkkleding|Kantoormeubelen|Speelgoed`),
  firm: list(
    'Bakkerij|Slagerij|Garage|Drukkerij|Aannemersbedrijf|Loonbedrijf|Kwekerij|Schildersbedrijf|Rijwielhandel|Apotheek|Notariskantoor|Architectenbureau|Installatiebedrijf|Brouwerij|Rederij|Houthandel|Meubelfabriek',
  ),
  region: list(
    'Noord-Hollandse|Zeeuwse|Friese|Twentse|Brabantse|Limburgse|Rijnmond|Veluwse|Gelderse|Drentse|Kempische|Utrechtse',
  ),
  street: list(
    'Dorpsstraat|Hoofdstraat|Stationsweg|Industrieweg|Kerkstraat|Molenweg|Havenkade|Ambachtsweg|Nijverheidsweg|Handelskade|Koninginneweg|Prins Hendrikkade|Oude Gracht|Beatrixlaan|Wilhelminastraat|Zuiderzeeweg|De Run|Het Spoor|Kanaaldijk|Marconistraat|Edisonweg|Lange Nieuwstraat|Sint Jansstraat|Utrechtseweg|Amsterdamsestraatweg|Arnhemseweg',
  ),
  estate: list('Unit {unit}|Bedrijvenpark Noord|Gebouw {letterUp}|Postbus {big}|Industrieterrein De Hoek'),
}
const givens = list('Jan|Piet|Klaas|Willem|Cornelis|Geert|Marijke|Anneke|Joost|Henk')
const names = [
  [18, '{surname} {trade}'],
  [9, '{firm} {surname}'],
  [4, 'Gebr. {surname} {trade}'],
  [4, '{surname} & Zonen'],
  [3, '{surname} & {surname2} {trade}'],
  [4, '{given} {surname} {trade}'],
  [7, '{trade} {place}'],
  [5, '{region} {trade}'],
  [8, '{coined} {trade}'],
  [5, '{coined}'],
  [3, '{coined} Nederland'],
  [4, '{acronym} {trade}'],
  [2, '{surname} Groep'],
  [2, '{surname} Beheer'],
  [1, 'De {n2} Gezusters {trade}'],
  [3, '{initial}. {surname} {trade}'],
]
const lines = [
  [8, '{street} {n}'],
  [2, '{street} {n}-{letter}'],
  [2, '{street} {n}', '{estate}'],
]

export const dutch = [
  {
    country: 'NL',
    count: 280,
    words,
    givens,
    names,
    lines,
    surnames: list(
      `van der Meulen|de Groot|van den Berg|Hoekstra|Dijkstra|van Leeuwen|Vermeulen|Bakker|Visser|de Wit|Mulder|Kuipers|Postma|Zijlstra|van Dongen|Verhoeven|Brouwer|Schouten|ten Brinke|ter Horst|in 't Veld|van 't Hof|Oosterhuis|Hofstra|Wiersma|Tuinstra|Kamphuis|Lansink|Nijhuis|Oude Vrielink|Pelgröm|Coöper|Reuvekamp|Slagter|Terpstra|Veenstra|Wagenaar|Zandbergen|van Rooijen|Boerma|Cuijpers|Daniëls|Engelen|Fransen|Gijsbers|Huijbregts`,
    ),
    forms: [
      [60, 'B.V.'],
      [20, 'BV'],
      [8, 'N.V.'],
      [5, 'V.O.F.'],
      [3, 'Coöperatie U.A.'],
    ],
    towns: list(
      `Amsterdam:101# ??|Amsterdam:109# ??|Rotterdam:301# ??|Rotterdam:307# ??|Den Haag:251# ??|'s-Gravenhage:259# ??|Utrecht:351# ??|Eindhoven:561# ??|Tilburg:501# ??|Breda:481# ??|'s-Hertogenbosch:521# ??|Nijmegen:651# ??|Arnhem:681# ??|Apeldoorn:731# ??|Enschede:751# ??|Zwolle:801# ??|Groningen:971# ??|Leeuwarden:891# ??|Assen:940# ??|Almere:131# ??|Haarlem:201# ??|Zaandam:150# ??|Alkmaar:181# ??|Leiden:231# ??|Delft:261# ??|Gouda:280# ??|Dordrecht:331# ??|Middelburg:433# ??|Roosendaal:470# ??|Venlo:591# ??|Maastricht:621# ??|Heerlen:641# ??|IJmuiden:197# ??|Den Helder:178# ??`,
    ),
    postcode: 'fill',
    phone: [],
    dial: '+31',
    spelt: [
      [50, 'NL'],
      [22, 'Netherlands'],
      [10, 'The Netherlands'],
      [6, 'Holland'],
      [12, ''],
    ],
  },
  {
    country: 'BE',
    count: 90,
    words: { ...words, region: list('Vlaamse|Kempische|Antwerpse|Waaslandse|Limburgse|Gentse|Westhoekse') },
    givens,
    names,
    lines,
    surnames: list(
      'Vandenbroucke|Claeys|De Smet|Goossens|Janssens|Maes|Peeters|Van Damme|Verstraete|Wouters|De Clercq|Desmet|Hoogewijs|Lambrechts|Mertens|Nys|Pauwels|Segers|Van Acker|Vercammen|Vermeersch|Willems|Van Hecke|Baetens',
    ),
    forms: [
      [45, 'NV'],
      [35, 'BV'],
      [12, 'BVBA'],
      [4, 'CV'],
      [2, 'VOF'],
    ],
    towns: list(
      'Antwerpen:20#0|Gent:90#0|Brugge:80#0|Leuven:30#0|Mechelen:28#0|Hasselt:350#|Kortrijk:85#0|Oostende:8400|Aalst:93#0|Sint-Niklaas:91#0|Genk:360#|Turnhout:23#0|Roeselare:880#',
    ),
    postcode: 'fill',
    phone: [],
    dial: '+32',
    spelt: [
      [50, 'BE'],
      [22, 'Belgium'],
      [12, 'België'],
      [16, ''],
    ],
  },
]
