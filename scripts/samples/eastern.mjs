/** Words, towns, forms and habits of Poland and the Czech Republic. Data only; any likeness to a real company is chance. */
import { list } from './list.mjs'

export const eastern = [
  {
    country: 'PL',
    count: 120,
    words: {
      trade: list(
        'Budownictwo|Transport|Spedycja|Logistyka|Instalacje|Elektromontaż|Hydraulika|Meble|Stolarstwo|Okna i Drzwi|Odlewnia|Obróbka Metali|Narzędzia|Konstrukcje Stalowe|Tworzywa|Opakowania|Drukarnia|Etykiety|Chłodnictwo|Klimatyzacja|Ochrona|Utrzymanie Czystości|Ogrody|Roboty Drogowe|Beton|Kruszywa|Recykling|Energia|Żywność|Piekarnia|Wędliny|Mleczarnia|Ryby|Pasze|Nasiona|Maszyny Rolnicze|Części Samochodowe|Opony|Odzież|Obuwie|Skóry|Oprogramowanie|Doradztwo|Księgowość|Nieruchomości|Szkolenia|Reklama|Sprzęt Medyczny|Łożyska',
      ),
      firm: list('Przedsiębiorstwo|Zakład|Fabryka|Grupa|Hurtownia|Wytwórnia|Spółdzielnia|Pracownia'),
      area: list('Śląskie|Mazowieckie|Łódzkie|Pomorskie|Wielkopolskie|Małopolskie|Dolnośląskie|Podkarpackie'),
      street: list(
        'ul. Kościuszki|ul. Mickiewicza|ul. Przemysłowa|ul. Fabryczna|ul. Łąkowa|ul. Dworcowa|ul. Świętojańska|ul. Źródlana|al. Niepodległości|ul. Długa|ul. Składowa|pl. Wolności|ul. Królowej Jadwigi|ul. Żwirki i Wigury',
      ),
      estate: list('lok. {unit}|hala {letterUp}|bud. {unit}'),
    },
    surnames: list(
      'Wiśniewski|Wójcik|Kowalczyk|Kamiński|Zieliński|Szymański|Woźniak|Dąbrowski|Kozłowski|Jankowski|Mazur|Krawczyk|Piotrowski|Grabowski|Pawłowski|Michalski|Król|Wieczorek|Jabłoński|Wróbel|Stępień|Górski|Rutkowski|Łuczak|Źrebiec|Żak|Ślusarczyk',
    ),
    givens: list('Józef|Małgorzata|Łukasz|Stanisław|Bożena|Grażyna'),
    names: [
      [12, '{trade} {surname}'],
      [8, '{firm} {trade} {surname}'],
      [4, 'Bracia {surname}'],
      [4, '{surname} i {surname2} {trade}'],
      [6, '{trade} {place}'],
      [6, '{area} {trade}'],
      [9, '{coined} {trade}'],
      [5, '{coined}'],
      [4, '{coined} Polska'],
      [4, '{acronym} {trade}'],
      [5, '{blend}'],
    ],
    forms: [
      [60, 'Sp. z o.o.'],
      [14, 'sp. z o.o.'],
      [10, 'S.A.'],
      [8, 'Sp. z o.o. Sp. k.'],
      [4, 'Sp.j.'],
      [4, 'spółka z o.o.'],
    ],
    lines: [
      [8, '{street} {n}'],
      [2, '{street} {n}/{unit}'],
      [2, '{street} {n}', '{estate}'],
    ],
    towns: list(
      'Warszawa:0#-###|Łódź:9#-###|Kraków:3#-###|Wrocław:5#-###|Poznań:6#-###|Gdańsk:80-###|Gdynia:81-###|Szczecin:7#-###|Bydgoszcz:85-###|Toruń:87-###|Lublin:20-###|Białystok:15-###|Rzeszów:35-###|Kielce:25-###|Katowice:40-###|Gliwice:44-###|Częstochowa:42-###|Bielsko-Biała:43-###|Opole:45-###|Olsztyn:10-###|Zielona Góra:65-###|Płock:09-###|Jelenia Góra:58-###',
    ),
    postcode: 'fill',
    phone: [],
    dial: '+48',
    spelt: [
      [50, 'PL'],
      [27, 'Poland'],
      [10, 'Polska'],
      [13, ''],
    ],
  },
  {
    country: 'CZ',
    count: 90,
    words: {
      trade: list(
        'Stavby|Doprava|Spedice|Instalace|Elektro|Strojírny|Slévárna|Kovovýroba|Nářadí|Plasty|Obaly|Tiskárna|Nábytek|Truhlářství|Okna|Sklárny|Porcelán|Chlazení|Klimatizace|Bezpečnost|Úklid|Zahrady|Silnice|Beton|Recyklace|Energie|Potraviny|Pekárna|Uzeniny|Mlékárna|Pivovar|Osiva|Zemědělská Technika|Autodíly|Pneumatiky|Textil|Obuv|Software|Poradenství|Účetnictví|Reality|Zdravotnické Potřeby|Ložiska',
      ),
      area: list('Moravské|Severočeské|Jihočeské|Východočeské|Slezské|Šumavské|Krkonošské'),
      street: list(
        'Nádražní|Průmyslová|Masarykova|Husova|Školní|Zahradní|Krátká|Lipová|Náměstí Míru|U Mlýna|Na Příkopě|Tovární|Žižkova|Dvořákova|Pod Strání',
      ),
      estate: list('hala {letterUp}|areál Sever'),
    },
    surnames: list(
      'Novotný|Dvořák|Černý|Procházka|Kučera|Veselý|Horák|Němec|Pokorný|Pospíšil|Hájek|Jelínek|Král|Růžička|Beneš|Fiala|Sedláček|Doležal|Zeman|Kolář|Navrátil|Čermák|Vaněk|Urban|Blažek|Kříž|Řezníček|Ševčík|Žáček',
    ),
    givens: list('Jiří|Tomáš|Božena|Vlastimil'),
    names: [
      [14, '{trade} {surname}'],
      [5, '{surname} a syn'],
      [4, '{surname} & {surname2} {trade}'],
      [6, '{trade} {place}'],
      [7, '{area} {trade}'],
      [9, '{coined} {trade}'],
      [5, '{coined}'],
      [4, '{coined} CZ'],
      [3, '{acronym} {trade}'],
      [4, '{blend}'],
    ],
    forms: [
      [68, 's.r.o.'],
      [8, 'spol. s r.o.'],
      [18, 'a.s.'],
      [3, 'v.o.s.'],
      [3, 'k.s.'],
    ],
    lines: [
      [8, '{street} {big}/{n}'],
      [5, '{street} {n}'],
      [2, '{street} {n}', '{estate}'],
    ],
    towns: list(
      'Praha 1:110 00|Praha 4:140 00|Praha 9:190 00|Brno:602 ##|Ostrava:702 ##|Plzeň:301 ##|Liberec:460 ##|Olomouc:779 ##|České Budějovice:370 ##|Hradec Králové:500 ##|Ústí nad Labem:400 ##|Pardubice:530 ##|Zlín:760 ##|Jihlava:586 ##|Karlovy Vary:360 ##|Český Krumlov:381 ##|Třebíč:674 ##|Přerov:750 ##',
    ),
    postcode: 'fill',
    phone: [],
    dial: '+420',
    spelt: [
      [50, 'CZ'],
      [25, 'Czech Republic'],
      [8, 'Czechia'],
      [5, 'ČR'],
      [12, ''],
    ],
  },
]
