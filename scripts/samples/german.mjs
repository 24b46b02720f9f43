/** Words, towns, forms and habits of Germany, Austria and German-speaking Switzerland. Data only; any likeness to a real company is chance. */
import { list } from './list.mjs'

const words = {
  trade:
    list(`Maschinenbau|Werkzeugbau|Anlagenbau|Metallbau|Stahlbau|Apparatebau|Formenbau|Sondermaschinen|Zerspanungstechnik|Blechtechnik|Oberflächentechnik|Galvanik|Gießerei|Schmiede|
    Elektrotechnik|Elektronik|Messtechnik|Steuerungstechnik|Automatisierung|Antriebstechnik|Fördertechnik|Hydraulik|Pumpen|Armaturen|Dichtungen|Kunststofftechnik|Spritzguss|Verpackungen|
    Kartonagen|Etiketten|Druckerei|Druck & Medien|Werbetechnik|Logistik|Spedition|Transporte|Umzüge|Lagertechnik|Kühltechnik|Kältetechnik|Heizung und Sanitär|Haustechnik|Gebäudetechnik|
    Lüftungsbau|Dachdeckerei|Holzbau|Schreinerei|Tischlerei|Möbel|Parkett|Fliesen|Fensterbau|Glasbau|Malerbetrieb|Bauunternehmung|Hochbau|Tiefbau|Straßenbau|Gerüstbau|Garten- und Landschaftsbau|
    Baustoffe|Betonwerk|Kieswerk|Ziegelwerk|Entsorgung|Recycling|Gebäudereinigung|Sicherheitsdienst|Berufskleidung|Textilien|Lederwaren|Schuhtechnik|Orthopädietechnik|Medizintechnik|Dentallabor|
    Laborbedarf|Chemie|Farben und Lacke|Klebstoffe|Schmierstoffe|Mineralöle|Energie|Solartechnik|Landtechnik|Saaten|Mühlenwerke|Backwaren|Fleischwaren|Feinkost|Molkerei|Brauerei|Weinkellerei|
    Getränke|Kaffeerösterei|Gastronomiebedarf|Hotelbetriebe|Autohaus|Fahrzeugteile|Nutzfahrzeuge|Reifenservice|Zweiradtechnik|Systemhaus|Software|Datentechnik|Telekommunikation|Unternehmensberatung|
    Ingenieurbüro|Planungsgesellschaft|Immobilien|Hausverwaltung|Vermögensverwaltung|Beteiligungen|Bürobedarf|Verlag|Filmproduktion|Messebau|Personaldienste|Pflegedienst|Schrauben|Federn|Drahtwaren|Kabel|Leuchten`),
  firm: list(
    'Schreinerei|Tischlerei|Bäckerei|Metzgerei|Autohaus|Spedition|Druckerei|Zimmerei|Gärtnerei|Brauerei|Weingut|Elektro|Ingenieurbüro|Malerbetrieb|Dachdeckerei|Maschinenfabrik|Möbelhaus|Gießerei|Steinmetz|Apotheke|Fahrschule|Reisebüro|Buchhandlung|Architekturbüro',
  ),
  public: list('Stadtwerke|Wohnungsbaugesellschaft|Stadtgüter|Hafenbetriebe|Verkehrsbetriebe|Kliniken|Messe'),
  region: list(
    'Rheinland|Westfälische|Schwäbische|Fränkische|Norddeutsche|Süddeutsche|Hanseatische|Bergische|Oberpfälzer|Lausitzer|Münsterländer|Märkische|Thüringer|Hessische|Allgäuer|Eifeler|Ostfriesische|Badische',
  ),
  street:
    list(`Hauptstraße|Bahnhofstraße|Industriestraße|Gewerbestraße|Schulstraße|Gartenstraße|Dorfstraße|Bergstraße|Lindenstraße|Goethestraße|Schillerstraße|Mozartstraße|Mühlenweg|Am Güterbahnhof|
    Am Bürgerpark|An der Ziegelhütte|Im Gewerbepark|Zum Hafen|Alte Landstraße|Lange Straße|Kirchgasse|Marktplatz|Rösslergasse|Königsallee|Brückenstraße|Daimlerring|Carl-Benz-Straße|Röntgenstraße|Siemensweg|Ringstraße|Birkenweg|Kölner Straße|Bremer Straße|Dresdner Straße|Frankfurter Straße|Ulmer Straße|Münchner Straße|Stuttgarter Straße|Berliner Allee`),
  estate: list('Gewerbepark {place} Nord|Industriegebiet Süd|Technologiezentrum|Hinterhaus|3. OG|Gebäude {unit}|Halle {unit}'),
}
const surnames =
  list(`Müller|Krüger|Weidner|Huber|Wölfle|Brandl|Schäfer|Köhler|Böhm|Grünwald|Lößner|Großmann|Weiß|Jäger|Förster|Gärtner|Götz|Körner|Löffler|Möller|Nägele|Österle|Pfäffle|Rösch|Schröder|Sänger|Tränkle|
  Völker|Würth-Bäumer|Zöllner|Albers|Bachmann|Claasen|Dietrich|Eberhardt|Feldmann|Gerlach|Hartwig|Ingenhoven|Jansen|Kaltenbach|Lehmkuhl|Mertens|Niemeyer|Oberländer|Petersen|Quast|Rademacher|Steinbrück|Thelen|
  Uhlig|Vogelsang|Wagenknecht|Ziegler|Ahlers|Behrendt|Drechsler|Eisenmenger|Fahrenholz|Gutbrod|Heidenreich|Isermann|Kloppenburg|Lindenau|Maierhofer|Neuhäuser|Ottersbach|Plettenberg|Reinhold|Sauerwein|Trautmann|Unterberger|
  Vollmer|Westermann|Zimmermann|Biedermann|Holzapfel|Kornmayer|Leutheuser|Nußbaum|Rübsam|Schönefeld|Süßmilch|Tümmler|Küfner|Bückeburg|Lüdemann|Hübner|Wünsche|Öhlschläger|Strüver|Güntzel|Rößler`)
const givens = list(
  'Karl|Heinrich|Jürgen|Günter|Anneliese|Wolfgang|Käthe|Rüdiger|Björn|Sönke|Ludwig|Franz|Hannelore|Uwe|Dörte|Matthias|Konrad|Otto|Emil|Ferdinand',
)
const names = [
  [20, '{surname} {trade}'],
  [7, '{firm} {surname}'],
  [4, '{surname} & {surname2} {trade}'],
  [3, '{surname} & {surname2}'],
  [4, 'Gebr. {surname} {trade}'],
  [3, 'Gebrüder {surname}'],
  [3, '{given} {surname} {trade}'],
  [3, '{given} {surname}', 'e.K.'],
  [4, '{surname} & Söhne {trade}'],
  [4, '{trade} {place}'],
  [3, '{public} {place}'],
  [5, '{region} {trade}'],
  [7, '{coined} {trade}'],
  [4, '{coined}'],
  [4, '{acronym} {trade}'],
  [2, '{acronym}-Technik {place}'],
  [2, '{surname}-Werke'],
  [1, '1A {trade}'],
  [2, '{trade} {surname} {place}'],
]
const lines = [
  [8, '{street} {n}'],
  [2, '{street} {n}{letter}'],
  [2, '{street} {range}'],
  [2, '{street} {n}', '{estate}'],
]

export const german = [
  {
    country: 'DE',
    count: 700,
    words,
    surnames,
    givens,
    names,
    lines,
    forms: [
      [60, 'GmbH'],
      [18, 'GmbH & Co. KG'],
      [4, 'AG'],
      [4, 'KG'],
      [3, 'OHG'],
      [4, 'e.K.'],
      [4, 'UG (haftungsbeschränkt)'],
      [1, 'SE'],
      [1, 'eG'],
      [1, 'Gesellschaft mbH'],
    ],
    towns:
      list(`Berlin:10###:030 23125 ###|Berlin:12###:030 23125 ###|Berlin:13###:030 23125 ###|Hamburg:20###:040 66969 ###|Hamburg:22###:040 66969 ###|Hamburg:21###:040 66969 ###|München:80###:089 99998 ###|München:81###:089 99998 ###|
      Köln:50###:0221 4710 ###|Köln:51###:0221 4710 ###|Frankfurt am Main:60###:069 90009 ###|Frankfurt am Main:65###:069 90009 ###|Dresden:010##|Leipzig:041##|Görlitz:028##|Chemnitz:091##|Zwickau:080##|Halle (Saale):061##|Gera:075##|Jena:077##|Erfurt:990##|Rostock:180##|Schwerin:190##|
      Lübeck:235##|Kiel:241##|Flensburg:249##|Bremen:282##|Oldenburg:261##|Osnabrück:490##|Hannover:301##|Braunschweig:381##|Göttingen:370##|Kassel:341##|Bielefeld:336##|Gütersloh:333##|Paderborn:331##|Münster:481##|Dortmund:441##|Essen:451##|
      Duisburg:470##|Düsseldorf:402##|Mönchengladbach:410##|Krefeld:478##|Wuppertal:421##|Solingen:426##|Siegen:570##|Aachen:520##|Bonn:531##|Koblenz:560##|Trier:542##|Mainz:551##|Saarbrücken:661##|Mannheim:681##|Karlsruhe:761##|Pforzheim:751##|
      Stuttgart:701##|Tübingen:720##|Reutlingen:727##|Ulm:890##|Göppingen:730##|Heilbronn:740##|Freiburg im Breisgau:790##|Konstanz:784##|Ravensburg:882##|Augsburg:861##|Nürnberg:904##|Fürth:907##|Würzburg:970##|Bayreuth:954##|Regensburg:930##|Passau:940##|Landshut:840##`),
    postcode: 'fill',
    phone: ['0171 39200##', '0176 040690##'],
    dial: '+49',
    spelt: [
      [40, 'DE'],
      [22, 'Germany'],
      [16, 'Deutschland'],
      [10, ''],
      [8, 'D'],
      [4, 'GER'],
    ],
  },
  {
    country: 'AT',
    count: 120,
    words: {
      ...words,
      region: list('Steirische|Tiroler|Kärntner|Wiener|Vorarlberger|Salzburger|Burgenländische'),
      public: list('Stadtwerke|Bergbahnen|Wohnbau|Lagerhaus'),
    },
    surnames: list(
      'Gruber|Pichler|Steiner|Moser|Hofer|Leitner|Fuchsbichler|Eder|Schwarzl|Schmölzer|Wimmer|Egger|Brandstätter|Aigner|Lackner|Stöckl|Kofler|Pölzl|Haselsteiner|Rauchegger|Mühlbacher|Größwang|Zauner|Kaltenböck',
    ),
    givens,
    names,
    lines,
    forms: [
      [70, 'GmbH'],
      [10, 'GmbH & Co KG'],
      [8, 'KG'],
      [5, 'AG'],
      [4, 'OG'],
      [3, 'e.U.'],
    ],
    towns: list(
      'Wien:10#0|Wien:11#0|Wien:12#0|Graz:801#|Linz:402#|Salzburg:502#|Innsbruck:602#|Klagenfurt am Wörthersee:902#|Villach:950#|Wels:460#|St. Pölten:310#|Dornbirn:685#|Steyr:440#|Leoben:870#|Krems an der Donau:350#',
    ),
    postcode: 'fill',
    phone: [],
    dial: '+43',
    spelt: [
      [45, 'AT'],
      [25, 'Austria'],
      [20, 'Österreich'],
      [10, ''],
    ],
  },
  {
    country: 'CH',
    count: 80,
    words: {
      ...words,
      region: list('Berner|Zürcher|Thurgauer|Aargauer|Glarner|Engadiner|Toggenburger'),
      public: list('Stadtwerke|Bergbahnen|Elektrizitätswerk|Baugenossenschaft'),
    },
    surnames: list(
      'Zürcher|Ammann|Brügger|Bühlmann|Christen|Dürrenmatt|Egli|Frischknecht|Gerber|Hürlimann|Inderbitzin|Käser|Lüthi|Nüesch|Oberholzer|Rüegg|Schwizgebel|Stämpfli|Tschanz|Wüthrich|Zbinden|Aeschlimann',
    ),
    givens,
    names,
    lines,
    forms: [
      [60, 'AG'],
      [34, 'GmbH'],
      [3, 'SA'],
      [3, 'Sàrl'],
    ],
    towns: list(
      'Zürich:80##|Winterthur:84##|Bern:30##|Basel:40##|Luzern:60##|St. Gallen:90##|Biel/Bienne:25##|Thun:36##|Aarau:50##|Chur:70##|Schaffhausen:82##|Zug:63##|Solothurn:45##',
    ),
    postcode: 'fill',
    phone: [],
    dial: '+41',
    spelt: [
      [45, 'CH'],
      [25, 'Switzerland'],
      [20, 'Schweiz'],
      [10, ''],
    ],
  },
]
