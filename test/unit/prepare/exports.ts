/** Lists as systems export them, under their own headers in six languages: each column with what it is to be mapped to. */

/** What a cell holds, and by it what its column is mapped to; `-` for nothing that a service takes. */
const KINDS = {
  name: 'name',
  trade: 'tradingName',
  short: 'aliasName',
  street: 'address1',
  street2: 'address2',
  town: 'town',
  zip: 'postcode',
  region: 'region',
  country: 'country',
  code: 'countryCode',
  vat: 'vatNumber',
  tax: 'taxCode',
  number: 'orgNumber',
  phone: 'phone',
  email: 'email',
  id: 'key',
  house: '-',
  web: '-',
  date: '-',
  amount: '-',
  person: '-',
  first: '-',
  word: '-',
  flag: '-',
  iban: '-',
  count: '-',
  nace: '-',
} as const
export type Kind = keyof typeof KINDS

/** `right`: the columns that may be mapped to, where more than one is right. */
export interface ExportColumn {
  readonly header: string
  readonly kind: Kind
  readonly right: readonly string[]
}

export interface Export {
  readonly of: string
  readonly land: Land
  readonly columns: readonly ExportColumn[]
}

type Land = keyof typeof LANDS

const LANDS = {
  GB: {
    name: 'United Kingdom',
    vat: 'GB#########',
    number: '0#######',
    tax: '##########',
    zip: 'LS# #AB',
    phone: '+44 113 #######',
    forms: ['Ltd', 'Limited', 'plc', 'LLP', ''],
    street: '# Mill Road',
    towns: ['Leeds', 'York', 'Bath', 'Hull', 'Derby', 'Ely'],
    regions: ['West Yorkshire', 'Somerset', 'Kent'],
  },
  US: {
    name: 'United States',
    vat: '##-#######',
    number: '##-#######',
    tax: '##-#######',
    zip: '#####',
    phone: '(312) 555-####',
    forms: ['Inc.', 'LLC', 'Corp.', 'Co.', ''],
    street: '# Oak Avenue',
    towns: ['Chicago', 'Boston', 'Austin', 'Tampa', 'Reno', 'Salem'],
    regions: ['CA', 'IL', 'GA', 'IN', 'TX'],
  },
  DE: {
    name: 'Deutschland',
    vat: 'DE#########',
    number: 'HRB ######',
    tax: '##/###/#####',
    zip: '#####',
    phone: '0561 ######',
    forms: ['GmbH', 'AG', 'GmbH & Co. KG', 'KG', ''],
    street: 'Hauptstraße #',
    towns: ['Kassel', 'Ulm', 'Bonn', 'Jena', 'Trier', 'Emden'],
    regions: ['Hessen', 'Bayern', 'Sachsen'],
  },
  FR: {
    name: 'France',
    vat: 'FR##?',
    number: '?',
    tax: '#############',
    zip: '#####',
    phone: '02 40 ## ## ##',
    forms: ['SARL', 'SAS', 'SA', 'EURL', ''],
    street: '# rue du Port',
    towns: ['Nantes', 'Brest', 'Tours', 'Dijon', 'Lille', 'Caen'],
    regions: ['Bretagne', 'Centre', 'Normandie'],
  },
  ES: {
    name: 'España',
    vat: 'ESB########',
    number: 'M-######',
    tax: 'B########',
    zip: '#####',
    phone: '976 ### ###',
    forms: ['S.L.', 'S.A.', 'S.L.U.', 'S. Coop.', ''],
    street: 'Calle Mayor #',
    towns: ['Zaragoza', 'Huesca', 'Burgos', 'Gijón', 'Vigo', 'Lorca'],
    regions: ['Aragón', 'Galicia', 'Murcia'],
  },
  IT: {
    name: 'Italia',
    vat: 'IT###########',
    number: 'TO-######',
    tax: '###########',
    zip: '#####',
    phone: '011 #######',
    forms: ['S.r.l.', 'S.p.A.', 'S.n.c.', 'S.a.s.', ''],
    street: 'Via Roma #',
    towns: ['Torino', 'Asti', 'Lucca', 'Pisa', 'Siena', 'Como'],
    regions: ['TO', 'AT', 'LU', 'PI'],
  },
  PL: {
    name: 'Polska',
    vat: '##########',
    number: '0000######',
    tax: '#########',
    zip: '##-###',
    phone: '12 ### ## ##',
    forms: ['Sp. z o.o.', 'S.A.', 'Sp. j.', 'sp. k.', ''],
    street: 'ul. Długa #',
    towns: ['Kraków', 'Gdynia', 'Opole', 'Łódź', 'Radom', 'Toruń'],
    regions: ['małopolskie', 'opolskie', 'łódzkie'],
  },
  NL: {
    name: 'Nederland',
    vat: 'NL#########B01',
    number: '########',
    tax: '#########',
    zip: '#### AB',
    phone: '030 #######',
    forms: ['B.V.', 'N.V.', 'V.O.F.', 'BV', ''],
    street: 'Kerkstraat #',
    towns: ['Utrecht', 'Breda', 'Zwolle', 'Delft', 'Hoorn', 'Venlo'],
    regions: ['Utrecht', 'Brabant', 'Zeeland'],
  },
} as const

const STEMS = [
  'Acker',
  'Bolton',
  'Carrel',
  'Dorant',
  'Elmhof',
  'Falken',
  'Girard',
  'Hoving',
  'Ibarra',
  'Jansen',
  'Krakus',
  'Lorenz',
  'Moreau',
  'Nordby',
  'Oliveri',
  'Pastor',
  'Quint',
  'Rossi',
  'Sobel',
  'Tanner',
  'Ullman',
  'Verdi',
  'Wolska',
  'Zander',
]
const TRADES = ['Castings', 'Logistik', 'Metal', 'Textil', 'Energie', 'Print', 'Foods']
const FIRST_NAMES = ['Anna', 'Peter', 'Marie', 'Luca', 'Jan', 'Elena', 'Tomasz']
export const ROWS = STEMS.length

const at = <T>(list: readonly T[], n: number): T => list[n % list.length]!

/** Digits that look random and are the same each time. */
function fill(form: string, n: number): string {
  let seed = (n + 1) * 7919
  const digit = (): string => {
    seed = (seed * 1103515245 + 12345) % 2147483648
    return String(Math.floor(seed / 65536) % 10)
  }
  return form
    .replaceAll('?', () => siren(n))
    .replace(/#/g, (_, place: number) => (place === 0 || form[place - 1] === ' ' ? at(['3', '4', '7', '9'], n + place) : digit()))
}

/** Nine digits that pass the check of a SIREN. */
function siren(n: number): string {
  const body = String(30_326_506 + n * 137_041)
  const sum = [...body].reduce((total, digit, place) => {
    const value = Number(digit) * (place % 2 === 1 ? 2 : 1)
    return total + (value > 9 ? value - 9 : value)
  }, 0)
  return body + String((10 - (sum % 10)) % 10)
}

/** `land`: the list's country; every fifth row is of the Netherlands, so that the column of countries is one. */
export function cellOf(kind: Kind, land: Land, n: number): string {
  const own = LANDS[land]
  const place = n % 5 === 4 && kind !== 'zip' && kind !== 'vat' && kind !== 'number' && kind !== 'tax' ? LANDS.NL : own
  const [stem, trade] = [at(STEMS, n), at(TRADES, n * 3 + (n % 2))]
  const cells: Readonly<Record<Kind, () => string>> = {
    name: () => `${stem} ${trade} ${at(place.forms, n)}`.trim(),
    trade: () => (n % 3 === 0 ? `${stem} ${trade}` : ''),
    short: () => `${stem.toUpperCase()} ${trade.slice(0, 4).toUpperCase()}`,
    street: () => fill(place.street.replace('#', String(n * 3 + 1)), n),
    street2: () => (n % 4 === 0 ? `Unit ${n + 1}` : ''),
    house: () => String(n * 3 + 1),
    town: () => at(place.towns, n),
    zip: () => fill(own.zip, n),
    region: () => at(own.regions, n),
    country: () => place.name,
    code: () => (place === LANDS.NL ? 'NL' : land),
    vat: () => fill(own.vat, n),
    tax: () => fill(own.tax, n),
    number: () => fill(own.number, n),
    phone: () => fill(place.phone, n),
    email: () => `info@${stem.toLowerCase()}.example`,
    id: () => String(70_001 + n * 3),
    web: () => `www.${stem.toLowerCase()}.example`,
    date: () => `2026-0${(n % 9) + 1}-1${n % 10}`,
    amount: () => `${100 + n * 37}.${10 + n}`,
    person: () => `${at(FIRST_NAMES, n)} ${at(STEMS, n + 7)}`,
    first: () => at(FIRST_NAMES, n),
    word: () => at(['standard', 'new', 'open'], n),
    flag: () => at(['X', ''], n),
    iban: () => at(['DE89370400440532013000', 'GB82WEST12345698765432', 'NL91ABNA0417164300'], n),
    count: () => String(3 + n * 11),
    nace: () => `${10 + n}.${n % 10}0`,
  }
  return cells[kind]()
}

/** `Header=kind`, `Header=kind:name|key` where other mappings are right, too. */
const exportOf = (of: string, land: Land, columns: string): Export => ({
  of,
  land,
  columns: columns.split(';').map((text): ExportColumn => {
    const [, header = '', kind = '', right] = /^(.*)=(\w+)(?::(.*))?$/.exec(text.trim())!
    return { header, kind: kind as Kind, right: right?.split('|') ?? [KINDS[kind as Kind]] }
  }),
})

export const EXPORTS: readonly Export[] = [
  exportOf(
    'SAP, table LFA1',
    'DE',
    'LIFNR=id; NAME1=name; NAME2=street2:-|address2; STRAS=street; PSTLZ=zip; ORT01=town; LAND1=code:country|countryCode; STCD1=tax; STCEG=vat; TELF1=phone; SMTP_ADDR=email; KTOKK=word; ERDAT=date; SPERR=flag',
  ),
  exportOf(
    'SAP, report of creditors',
    'DE',
    'Kreditor=id; Name 1=name; Straße=street; Postleitzahl=zip; Ort=town; Land=code:country|countryCode; USt-Id.Nr.=vat; Steuernummer 1=tax; Telefon 1=phone; E-Mail-Adresse=email; Kontengruppe=word; Angelegt am=date; Angelegt von=first; Zahlungsbedingung=word',
  ),
  exportOf(
    'DATEV',
    'DE',
    'Konto=id; Name (Adressattyp Unternehmen)=name; EU-Land=code:country|countryCode; EU-UStID=vat; Straße=street; Postleitzahl=zip; Ort=town; Telefon=phone; E-Mail=email; Internet=web; IBAN-Nr. 1=iban; Kurzbezeichnung=short; Adressattyp=word',
  ),
  exportOf(
    'a German invoicing program',
    'DE',
    'KdNr=id; Firma=name; Anrede=word; Ansprechpartner=person; Straße + Hausnr.=street; PLZ=zip; Ort=town; Länderkennzeichen=code:country|countryCode; Telefon=phone; Telefax=phone:-; E-Mail=email; Umsatz 2025=amount; letzte Rechnung=date',
  ),
  exportOf(
    'Handelsregister',
    'DE',
    'Registergericht=town:-; Registerart=word; Registernummer=number; Firma=name; Rechtsform=word; Sitz=town; Geschäftsanschrift=street; PLZ=zip; Stammkapital=amount; Eintragungsdatum=date; Status=word',
  ),
  exportOf(
    'Salesforce',
    'US',
    'Account ID=id; Account Name=name; Billing Street=street; Billing City=town; Billing State/Province=region; Billing Zip/Postal Code=zip; Billing Country=country; Phone=phone; Website=web; Industry=word; Account Owner=person; Created Date=date; Type=word; Annual Revenue=amount; Employees=count',
  ),
  exportOf(
    'HubSpot',
    'US',
    'Record ID=id; Company name=name; Company Domain Name=web; Phone Number=phone; City=town; State/Region=region; Country/Region=country; Postal Code=zip; Street Address=street; Industry=word; Number of Employees=count; Create Date=date; Lifecycle Stage=word; Company owner=person; LinkedIn Company Page=web',
  ),
  exportOf(
    'Xero',
    'GB',
    '*ContactName=name; AccountNumber=id; EmailAddress=email; FirstName=first; LastName=first; POAttentionTo=person; POAddressLine1=street; POAddressLine2=street2; POCity=town; PORegion=region; POPostalCode=zip; POCountry=country; PhoneNumber=phone; FaxNumber=phone:-; TaxNumber=vat:taxCode|vatNumber; BankAccountNumber=iban; DueDateBillDay=count',
  ),
  exportOf(
    'QuickBooks',
    'US',
    'Vendor=name; Street=street; City=town; State=region; ZIP=zip; Country=country; Phone=phone; Email=email; Terms=word; Open Balance=amount; 1099 Tracking=flag; Tax ID=tax; Create Date=date',
  ),
  exportOf(
    'Oracle, AP_SUPPLIERS',
    'GB',
    'VENDOR_ID=id; VENDOR_NAME=name; VENDOR_NAME_ALT=short; VAT_REGISTRATION_NUM=vat; ADDRESS_LINE1=street; ADDRESS_LINE2=street2; CITY=town; ZIP=zip; COUNTRY=code:country|countryCode; VENDOR_TYPE_LOOKUP_CODE=word; CREATION_DATE=date; HOLD_FLAG=flag',
  ),
  exportOf(
    'payments of a British department',
    'GB',
    'Department=word; Entity=word; Date=date; Expense Type=word; Expense Area=word; Supplier=name; Transaction Number=id; Amount=amount; Supplier Postcode=zip; VAT Registration Number=vat; Contract Number=count',
  ),
  exportOf(
    'Sage, in French',
    'FR',
    'Code tiers=id; Raison sociale=name; Adresse=street; Complément=street2; Code postal=zip; Ville=town; Pays=country; N° SIREN=number; N° TVA intracommunautaire=vat; Code NAF=nace; Téléphone=phone; Télécopie=phone:-; E-mail=email; Interlocuteur=person; Encours=amount',
  ),
  exportOf(
    'SIRENE',
    'FR',
    'siren=number; denominationUniteLegale=name; sigleUniteLegale=short; categorieJuridiqueUniteLegale=count; activitePrincipaleUniteLegale=nace; dateCreationUniteLegale=date; trancheEffectifsUniteLegale=count; codePostalEtablissement=zip; libelleCommuneEtablissement=town',
  ),
  exportOf(
    'French public contracts',
    'FR',
    'Identifiant=id; Titulaire=name; Adresse du siège=street; CP=zip; Commune=town; Pays du siège=code:country|countryCode; Montant HT=amount; Date de notification=date',
  ),
  exportOf(
    'a Spanish accounting program',
    'ES',
    'Código=id; Razón social=name; Nombre comercial=trade; NIF=tax; Domicilio fiscal=street; C.P.=zip; Población=town; Provincia=region; País=country; Teléfono=phone; Correo electrónico=email; Persona de contacto=person; IBAN=iban; Forma de pago=word; Fecha de alta=date',
  ),
  exportOf(
    'Registro Mercantil',
    'ES',
    'Hoja registral=number; Denominación social=name; CIF=tax; Domicilio social=street; Localidad=town; Provincia=region; Fecha de constitución=date; Capital social=amount',
  ),
  exportOf(
    'an Italian accounting program',
    'IT',
    'Cod. fornitore=id; Ragione sociale=name; Indirizzo=street; CAP=zip; Città=town; Prov.=region; Nazione=code:country|countryCode; P.IVA=vat; Cod. Fisc.=tax; Telefono=phone; PEC=email; Cond. pagamento=word; Saldo=amount',
  ),
  exportOf(
    'Registro delle imprese',
    'IT',
    'N. REA=number; Denominazione=name; Forma giuridica=word; Sede legale=street; Comune=town; Pr=region; Partita IVA=vat; Codice ATECO=nace; Data iscrizione=date; Addetti=count',
  ),
  exportOf(
    'a Polish accounting program',
    'PL',
    'Kod kontrahenta=id; Nazwa kontrahenta=name; NIP=vat; REGON=tax:orgNumber; Ulica=street; Nr domu=house; Kod pocztowy=zip; Miasto=town; Kraj=country; Telefon=phone; E-mail=email; Saldo=amount; Data dodania=date',
  ),
  exportOf(
    'Krajowy Rejestr Sądowy',
    'PL',
    'Nr KRS=number; Firma=name; Forma prawna=word; Miejscowość=town; Województwo=region; NIP=vat; Data wpisu=date; Kapitał zakładowy=amount',
  ),
  exportOf(
    'Exact',
    'NL',
    'Code=id; Naam=name; Adres=street; Postcode=zip; Plaats=town; Land=code:country|countryCode; BTW-nummer=vat; KvK-nummer=number; Telefoon=phone; E-mail=email; Website=web; Debiteur sinds=date; Betalingsconditie=word',
  ),
  exportOf(
    'AFAS',
    'NL',
    'Crediteurnr=id; Organisatie=name; Straat=street; Huisnummer=house; Postcode=zip; Woonplaats=town; Landcode=code:country|countryCode; Tel.nr. werk=phone; IBAN=iban; Omschrijving=word',
  ),
]
