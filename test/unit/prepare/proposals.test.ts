/**
 * Proposals for the same companies under German, French, vague, misleading and missing headers. Every proposed mapping is right; an
 * uncertain one is left out, or the list is rejected.
 */
import { expect, test } from 'vitest'
import { inspectColumns, proposeFor } from '../../../src/prepare/propose.ts'
import { file } from '../input/kit.ts'

const COMPANIES = [
  [
    'V1001',
    'Bolton Castings Ltd',
    '12 Mill Road',
    'Bolton',
    'BL1 2AB',
    'GB',
    'GB123456789',
    '+44 1204 555010',
    'info@bolton.example',
    '2026-01-12',
  ],
  [
    'V1002',
    'Falk Maschinenbau GmbH',
    'Hauptstraße 7',
    'Kassel',
    '34117',
    'DE',
    'DE123456789',
    '+49 561 555020',
    'post@falk.example',
    '2026-01-13',
  ],
  [
    'V1003',
    'Ateliers Girard SARL',
    '3 rue du Port',
    'Nantes',
    '44000',
    'FR',
    'FR40303265045',
    '+33 2 40 55 50 30',
    'contact@girard.example',
    '2026-01-14',
  ],
  [
    'V1004',
    'Dundee Patterns Limited',
    '1 Dock Street',
    'Dundee',
    'DD1 4BR',
    'GB',
    'GB987654321',
    '+44 1382 555040',
    'office@dundee.example',
    '2026-01-15',
  ],
  [
    'V1005',
    'Officine Moretti S.r.l.',
    'Via Roma 21',
    'Torino',
    '10121',
    'IT',
    'IT12345678901',
    '+39 011 555050',
    'info@moretti.example',
    '2026-01-16',
  ],
  [
    'V1006',
    'Lindqvist Stål AB',
    'Storgatan 4',
    'Gävle',
    '803 20',
    'SE',
    'SE556036079301',
    '+46 26 55 50 60',
    'info@lindqvist.example',
    '2026-01-17',
  ],
  [
    'V1007',
    'Van den Berg Techniek B.V.',
    'Kerkstraat 9',
    'Utrecht',
    '3511 AB',
    'NL',
    'NL123456789B01',
    '+31 30 555 0070',
    'info@vdberg.example',
    '2026-01-18',
  ],
  [
    'V1008',
    'Kraków Metal Sp. z o.o.',
    'ul. Długa 15',
    'Kraków',
    '31-147',
    'PL',
    'PL1234567890',
    '+48 12 555 00 80',
    'biuro@kmetal.example',
    '2026-01-19',
  ],
  [
    'V1009',
    'Fundiciones Ebro S.A.',
    'Calle Mayor 30',
    'Zaragoza',
    '50001',
    'ES',
    'ESA12345678',
    '+34 976 55 50 90',
    'info@ebro.example',
    '2026-01-20',
  ],
  [
    'V1010',
    'Nordfjord Støperi AS',
    'Strandveien 2',
    'Førde',
    '6800',
    'NO',
    'NO912345678MVA',
    '+47 57 55 51 00',
    'post@nordfjord.example',
    '2026-01-21',
  ],
  [
    'V1011',
    'Bruck Stahlguss AG',
    'Bahnhofweg 11',
    'Bruck',
    '8600',
    'AT',
    'ATU12345678',
    '+43 3862 555110',
    'office@bruck.example',
    '2026-01-22',
  ],
  [
    'V1012',
    'Cork Steel DAC',
    '5 Quay Street',
    'Cork',
    'T12 W8KP',
    'IE',
    'IE1234567T',
    '+353 21 555 1200',
    'info@corksteel.example',
    '2026-01-23',
  ],
]
const RIGHT = ['key', 'name', 'address1', 'town', 'postcode', 'country', 'vatNumber', 'phone', 'email', null]

type Case = [label: string, header: string | null, delimiter: string, left: string, refused?: string]

/** `left`: the columns of RIGHT that are not mapped since nothing is certain of them. */
const CASES: Case[] = [
  ['English', 'Supplier No,Company Name,Address,Town,Post Code,Country,VAT No,Phone,Email,Last changed', ',', ''],
  ['German', 'Lieferantennummer;Firma;Straße und Hausnummer;Ort;PLZ;Land;USt-IdNr.;Telefon;E-Mail;Geändert', ';', ''],
  ['French', 'N° fournisseur;Raison sociale;Adresse;Ville;Code postal;Pays;N° TVA;Téléphone;Courriel;Date', ';', ''],
  ['Spanish', 'Código proveedor;Razón social;Domicilio;Población;C. Postal;País;NIF-IVA;Teléfono;Correo;Fecha', ';', ''],
  ['Italian', 'Codice fornitore;Ragione sociale;Indirizzo;Città;CAP;Nazione;Partita IVA;Telefono;PEC;Data', ';', ''],
  ['Dutch', 'Leveranciersnummer;Bedrijfsnaam;Straat;Plaats;Postcode;Land;BTW-nummer;Telefoonnummer;E-mailadres;Datum', ';', ''],
  ['Swedish', 'Leverantörsnr;Företag;Gatuadress;Postort;Postnr;Land;Momsnr;Telefon;E-post;Datum', ';', ''],
  ['Polish', 'Nr dostawcy;Nazwa firmy;Ulica;Miejscowość;Kod pocztowy;Kraj;NIP UE;Telefon;Adres e-mail;Data', ';', ''],
  ['vague', 'ID\tBezeichnung\tText1\tText2\tCode\tL\tNummer\tKontakt 1\tKontakt 2\tX', '\t', 'address1 town postcode'],
  [
    'misleading',
    'Nr;Kunde;Region 2;Name 2;Telefon 2;Sprache;Konto;Fax;Newsletter;Firma',
    ';',
    'key address1 town postcode country phone',
  ],
  ['unknown', 'a|b|c|d|e|f|g|h|i|j', '|', 'address1 town postcode'],
  ['none', null, ',', 'address1 town postcode'],
]

test.each(CASES)('%s headers', async (_, header, delimiter, left) => {
  const rows = [...(header === null ? [] : [header]), ...COMPANIES.map(row => row.join(delimiter))]
  const reading = {
    path: file(`${rows.join('\n')}\n`, 'list.csv'),
    encoding: 'auto',
    delimiter: 'auto',
    header: header !== null,
    sheet: null,
    skip: { head: 'auto', tail: 'auto' } as const,
  }
  const looked = await inspectColumns(reading, '', new AbortController().signal)
  const { columns, isEnough, isHeaderless } = await proposeFor(looked, new Map())
  const mapped = columns.map(one => (one.status === 'mapped' ? one.target : null))
  expect(mapped).toEqual(RIGHT.map(one => (one !== null && left.split(' ').includes(one) ? null : one)))
  expect([isEnough, isHeaderless]).toEqual([true, false])
})

test('recognises a list without a header by its first row', async () => {
  const reading = {
    path: file(`${COMPANIES.map(row => row.join(',')).join('\n')}\n`),
    encoding: 'auto',
    delimiter: 'auto',
    header: true,
    sheet: null,
    skip: { head: 'auto', tail: 'auto' } as const,
  }
  const looked = await inspectColumns(reading, '', new AbortController().signal)
  expect((await proposeFor(looked, new Map())).isHeaderless).toBe(true)
})

test('rejects a list of persons, and one of unknown numbers', async () => {
  for (const text of ['Name,Vorname,Ort\nMeier,Anna,Kassel\nSchmidt,Bert,Bruck\nHuber,Carla,Wien\n', 'a,b\n1,x\n2,y\n3,z\n']) {
    const reading = {
      path: file(text),
      encoding: 'auto',
      delimiter: 'auto',
      header: true,
      sheet: null,
      skip: { head: 'auto', tail: 'auto' } as const,
    }
    const looked = await inspectColumns(reading, '', new AbortController().signal)
    expect((await proposeFor(looked, new Map())).isEnough).toBe(false)
  }
})
