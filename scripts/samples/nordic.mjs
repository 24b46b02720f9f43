/** Words, towns, forms and habits of Sweden, Denmark, Norway and Finland. Data only; any likeness to a real company is chance. */
import { list } from './list.mjs'

const estate = list('Bygning {unit}|c/o {coined}|Box {big}|Port {unit}')

export const nordic = [
  {
    country: 'SE',
    count: 150,
    words: {
      estate,
      trade: list(
        'Åkeri|Bygg|Snickeri|Måleri|Rörmontage|El|Elteknik|Mekaniska|Verkstad|Svets|Plåt|Gjuteri|Verktyg|Maskin|Industri|Plast|Förpackning|Tryckeri|Logistik|Transport|Lagerservice|Kyla|Ventilation|Fastigheter|Förvaltning|Städ|Säkerhet|Trädgård|Entreprenad|Schakt|Betong|Återvinning|Miljö|Energi|Livsmedel|Bageri|Chark|Mejeri|Fisk|Lantbruk|Skog|Sågverk|Trävaru|Möbler|Textil|Bil|Däck|Marin|Data|Programvara|Konsult|Redovisning|Utbildning|Media|Medicinteknik|Optik',
      ),
      region: list('Norrlands|Skånska|Dalarnas|Smålands|Västgöta|Roslagens|Bohusläns|Gotlands|Värmlands|Mälardalens'),
      street: list(
        'Storgatan|Kungsgatan|Drottninggatan|Industrigatan|Verkstadsgatan|Järnvägsgatan|Hamngatan|Skolgatan|Björkvägen|Ängsvägen|Kvarnvägen|Södra Vägen|Norra Hamnen|Östra Långgatan|Malmövägen|Kalmarvägen|Riddaregatan',
      ),
    },
    surnames: list(
      'Åkesson|Öberg|Lindström|Sjöberg|Bergström|Söderlund|Nyström|Håkansson|Wåhlin|Ekblom|Lundqvist|Forsgren|Grönlund|Hedström|Jönsson|Källström|Löfgren|Mårtensson|Norén|Östlund|Palmqvist|Rönnbäck|Stålhammar|Törnqvist|Wikström|Ågren|Björklund',
    ),
    givens: list('Göran|Åsa|Märta|Sven|Örjan|Björn|Anders'),
    names: [
      [18, '{surname}s {trade}'],
      [6, '{surname} & {surname2} {trade}'],
      [6, '{surname} & Söner'],
      [7, '{place} {trade}'],
      [8, '{region} {trade}'],
      [8, '{coined} {trade}'],
      [5, '{coined}'],
      [3, '{coined} Sverige'],
      [4, '{given} {surname} {trade}'],
      [3, '{acronym} {trade}'],
      [3, '{trade} i {place}'],
    ],
    forms: [
      [84, 'AB'],
      [5, 'Aktiebolag'],
      [5, 'HB'],
      [3, 'KB'],
      [3, 'AB (publ)'],
    ],
    formFirst: 0.06,
    lines: [
      [8, '{street} {n}'],
      [2, '{street} {n} {letterUp}'],
      [1, '{street} {n}', '{estate}'],
    ],
    towns: list(
      'Stockholm:11# ##:08-465 004 ##|Göteborg:41# ##:031-390 06 ##|Malmö:21# ##:040-628 04 ##|Uppsala:75# ##|Västerås:72# ##|Örebro:70# ##|Linköping:58# ##|Norrköping:60# ##|Jönköping:55# ##|Borås:50# ##|Växjö:35# ##|Kalmar:39# ##|Halmstad:30# ##|Helsingborg:25# ##|Karlstad:65# ##|Gävle:80# ##|Sundsvall:85# ##|Umeå:90# ##|Luleå:97# ##|Visby:62# ##|Falun:79# ##',
    ),
    postcode: 'fill',
    phone: ['070-174 06 ##'],
    dial: '+46',
    spelt: [
      [50, 'SE'],
      [25, 'Sweden'],
      [12, 'Sverige'],
      [13, ''],
    ],
  },
  {
    country: 'DK',
    count: 120,
    words: {
      estate: list('Bygning {unit}|st. tv.|{unit}. sal'),
      trade: list(
        'Tømrer & Snedker|Murerfirma|Malerfirma|VVS|El|Maskinfabrik|Smedje|Stål|Plast|Emballage|Bogtryk|Transport|Spedition|Køleteknik|Ventilation|Ejendomme|Rengøring|Anlægsgartner|Entreprenør|Beton|Genbrug|Energi|Fødevarer|Bageri|Slagteri|Mejeri|Fisk|Landbrug|Korn & Foder|Møbler|Tekstil|Auto|Dæk|Bådværft|Software|Rådgivning|Revision|Reklame|Vinduer|Gulve|Værktøj|Pumper|Måleteknik|Høreapparater',
      ),
      region: list('Jysk|Fynsk|Sjællandsk|Vestjysk|Nordisk|Sønderjysk|Limfjordens|Øresunds|Bornholms'),
      street: list(
        'Hovedgaden|Nørregade|Søndergade|Østergade|Vestergade|Industrivej|Havnegade|Møllevej|Kirkevej|Skovvej|Ærøvej|Fabriksvej|Stationsvej|Åboulevarden|Håndværkervej|Odensevej|Vejlevej|Koldingvej|Viborgvej|Roskildevej',
      ),
    },
    surnames: list(
      'Jørgensen|Sørensen|Nørgaard|Møller|Kjær|Østergaard|Bødker|Ærø|Højgaard|Skovgaard|Lønborg|Bjerregaard|Damgaard|Frøslev|Grønbæk|Hedegaard|Juhl|Kræmmer|Lykkegaard|Mølbak|Nyborg|Overgaard|Præstegaard|Rømer|Søgaard|Toftegaard|Vestergård',
    ),
    givens: list('Søren|Jørgen|Bjørn|Mette|Kåre|Aage|Børge'),
    names: [
      [18, '{surname} {trade}'],
      [5, '{surname} & {surname2}'],
      [5, '{surname} & Søn'],
      [5, 'Brdr. {surname} {trade}'],
      [8, '{place} {trade}'],
      [7, '{region} {trade}'],
      [7, '{coined} {trade}'],
      [4, '{coined}'],
      [3, '{coined} Danmark'],
      [4, '{given} {surname} {trade}'],
      [2, '{acronym} {trade}'],
    ],
    forms: [
      [60, 'ApS'],
      [28, 'A/S'],
      [5, 'I/S'],
      [4, 'IVS'],
      [3, 'K/S'],
    ],
    lines: [
      [8, '{street} {n}'],
      [2, '{street} {n} {letterUp}'],
      [2, '{street} {n}', '{estate}'],
    ],
    towns: list(
      'København K:1###|København S:2300|Frederiksberg:2000|Aarhus C:8000|Odense C:5000|Aalborg:9000|Esbjerg:6700|Randers C:8900|Kolding:6000|Horsens:8700|Vejle:7100|Roskilde:4000|Herning:7400|Silkeborg:8600|Næstved:4700|Fredericia:7000|Viborg:8800|Køge:4600|Holstebro:7500|Sønderborg:6400|Ærøskøbing:5970|Rønne:3700|Helsingør:3000|Hjørring:9800',
    ),
    postcode: 'fill',
    phone: [],
    dial: '+45',
    spelt: [
      [50, 'DK'],
      [25, 'Denmark'],
      [12, 'Danmark'],
      [13, ''],
    ],
  },
  {
    country: 'NO',
    count: 70,
    words: {
      estate,
      trade: list(
        'Bygg|Entreprenør|Rørlegger|Elektro|Mekaniske|Verksted|Sveiseteknikk|Transport|Shipping|Sjømat|Fiskeoppdrett|Trelast|Møbler|Trykkeri|Emballasje|Eiendom|Renhold|Anlegg|Betong|Gjenvinning|Energi|Kraft|Bakeri|Meieri|Bil|Dekk|Båtbyggeri|Data|Rådgivning|Regnskap',
      ),
      region: list('Nordlands|Vestlandets|Trøndelag|Hardanger|Sunnmøre|Lofoten|Østfold'),
      street: list('Storgata|Kirkegata|Strandgata|Industriveien|Havnegata|Skolegata|Fjordveien|Øvre Torggate|Sjøgata|Møllegata'),
    },
    surnames: list(
      'Bjørnstad|Håland|Nygård|Ødegård|Sætre|Kråkenes|Lødemel|Tveit|Grønvold|Aasen|Bråten|Fjellstad|Strømme|Skjelbred|Øvrebø|Røed|Vågen',
    ),
    givens: list('Kåre|Bjørg|Øystein|Ragnhild'),
    names: [
      [16, '{surname} {trade}'],
      [4, '{surname} & Sønner'],
      [8, '{place} {trade}'],
      [7, '{region} {trade}'],
      [7, '{coined} {trade}'],
      [4, '{coined} Norge'],
    ],
    forms: [
      [85, 'AS'],
      [6, 'ASA'],
      [5, 'ANS'],
      [4, 'DA'],
    ],
    lines: [
      [8, '{street} {n}'],
      [2, '{street} {n}{letterUp}'],
    ],
    towns: list(
      'Oslo:01##|Bergen:50##|Trondheim:70##|Stavanger:40##|Tromsø:90##|Bodø:80##|Ålesund:60##|Kristiansand:46##|Drammen:30##|Fredrikstad:16##|Hamar:23##|Lillehammer:26##',
    ),
    postcode: 'fill',
    phone: [],
    dial: '+47',
    spelt: [
      [55, 'NO'],
      [25, 'Norway'],
      [20, ''],
    ],
  },
  {
    country: 'FI',
    count: 50,
    words: {
      estate: list('PL {unit}'),
      trade: list(
        'Rakennus|Kuljetus|Konepaja|Sähkö|Putki|Maalaus|Puutyö|Sahat|Metalli|Muovi|Pakkaus|Painotalo|Kiinteistöt|Siivous|Energia|Leipomo|Kala|Maatilat|Huonekalut|Autohuolto|Ohjelmistot|Tilitoimisto|Mittalaite|Veneet',
      ),
      street: list(
        'Mannerheimintie|Kauppakatu|Asemakatu|Teollisuuskatu|Hämeenkatu|Satamatie|Koulukatu|Järvitie|Mäkikatu|Yrittäjäntie',
      ),
    },
    surnames: list(
      'Hämäläinen|Mäkinen|Järvelä|Väisänen|Kärkkäinen|Ylönen|Pöyhönen|Lähteenmäki|Rytkölä|Sääksjärvi|Nyberg|Åström|Heikkilä|Pitkänen',
    ),
    givens: list('Väinö|Päivi|Jukka'),
    names: [
      [14, '{trade} {surname}'],
      [4, 'Veljekset {surname}'],
      [7, '{place} {trade}'],
      [7, '{coined} {trade}'],
      [4, '{coined} Suomi'],
      [3, '{surname} & Pojat'],
    ],
    forms: [
      [88, 'Oy'],
      [6, 'Oyj'],
      [3, 'Ky'],
      [3, 'Oy Ab'],
    ],
    lines: [
      [8, '{street} {n}'],
      [2, '{street} {n} {letterUp}'],
    ],
    towns: list(
      'Helsinki:00##0|Espoo:02##0|Tampere:33##0|Turku:20##0|Oulu:90##0|Jyväskylä:40##0|Lahti:15##0|Hämeenlinna:13##0|Seinäjoki:60##0|Vaasa:65##0|Kemijärvi:98##0',
    ),
    postcode: 'fill',
    phone: [],
    dial: '+358',
    spelt: [
      [55, 'FI'],
      [30, 'Finland'],
      [15, ''],
    ],
  },
]
