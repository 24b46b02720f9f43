/** The lists that the variants send, and what the foreign service knows of each row. */

export type ListName = 'letters' | 'ascii'

/** A row of a list, and the company that the service has for it; null: none. */
export interface ListRow {
  readonly cells: readonly string[]
  readonly company: { readonly id: string; readonly name: string } | null
}

const HEADER = ['ref', 'Company', 'Reg No', 'Street', 'Town', 'Country', 'Note'] as const

/** Name in the list, and in the register. */
const NAMES: readonly (readonly [string, string])[] = [
  ['Bäckerei Strauß', 'Bäckerei Strauß GmbH & Co. KG'],
  ['Öztürk Feinkost', 'Öztürk Feinkost GmbH'],
  ['Café “Élan”', '“Café Élan” Sàrl'],
  ['Müller "Zur Ähre"', 'Müller zur Ähre GmbH'],
  ['Größler Optik', 'Größler Optik e. K.'],
  ['Vögele & Söhne', 'Vögele & Söhne AG'],
  ['Lefèvre Frères', 'Lefèvre Frères S.A.'],
  ['Ångström Verktyg', 'Ångström Verktyg AB'],
  ['Peña Naranjas', 'Peña Naranjas S.L.'],
  ['Euro € Markt', 'Euro-€-Markt GmbH'],
  ['Hüttenwerk Nord, Abt. 2', 'Hüttenwerk Nord GmbH'],
  ['Løvstad Fisk', 'Løvstad Fisk AS'],
  ['Brückner Stahl', 'Brückner Stahl GmbH'],
  ['Crème Brûlée Traiteur', 'Crème Brûlée Traiteur SAS'],
  ['Dürr Kältetechnik', 'Dürr Kältetechnik GmbH'],
  ['Weiß Blühende Gärten', 'Weiß Blühende Gärten OHG'],
  ['Čapek', 'Capek s.r.o.'],
  ['Schäfer Fördertechnik', 'Schäfer Fördertechnik GmbH'],
  ['Noël Pâtisserie', 'Noël Pâtisserie SARL'],
  ['Jürgens Möbel', 'Jürgens Möbel GmbH'],
  ['Kühn Kräuter', 'Kühn Kräuter KG'],
  ['Ibáñez Muebles', 'Ibáñez Muebles S.A.'],
  ['Räder-Vogt', 'Räder-Vogt GmbH'],
  ['Façade Façon', 'Façade Façon SA'],
  ['Hößl Mühle', 'Hößl Mühle GmbH'],
  ['Tømrer Bjørn', 'Tømrer Bjørn ApS'],
  ['O’Sullivan Malt', 'O’Sullivan Malt Ltd'],
  ['Gießerei Prüß', 'Gießerei Prüß GmbH'],
  ['Åkesson Trä', 'Åkesson Trä AB'],
  ['Zürcher Käse', 'Zürcher Käse AG'],
  ['Wäscherei Blütenweiß', 'Wäscherei Blütenweiß GmbH'],
  ['Château Grès', 'Château Grès SCA'],
  ['Köhler Prüfgeräte', 'Köhler Prüfgeräte GmbH'],
  ['Muñoz Aceites', 'Muñoz Aceites S.L.'],
  ['Forêt Éternelle', 'Forêt Éternelle SAS'],
  ['Böttcher Fässer', 'Böttcher Fässer GmbH'],
  ['Süßwaren Höfer', 'Süßwaren Höfer KG'],
  ['Grün & Gärtner', 'Grün & Gärtner PartG'],
  ['L’Été Voyages', 'L’Été Voyages SARL'],
  ['Fährhaus Übersee', 'Fährhaus Übersee GmbH'],
]

const TOWNS = ['Köln', 'München', 'Genève', 'Malmö', 'Orléans', 'A Coruña', 'Saarbrücken']
const COUNTRIES = ['DE', 'DE', 'CH', 'SE', 'FR', 'ES', 'DE']

/** Without a letter beyond ASCII, and without the Č that windows-1252 lacks. */
const asAscii = (text: string): string =>
  text
    .replace(/[“”]/g, '"')
    .replace(/’/g, "'")
    .replace(/ß/g, 'ss')
    .replace(/€/g, 'EUR')
    .replace(/[Øø]/g, 'o')
    .normalize('NFD')
    .replace(/[^\x20-\x7e]/g, '')

/** Every fifth row is unknown to the service. */
const rowsOf = (spell: (text: string) => string): ListRow[] =>
  NAMES.map(([listed, registered], at) => ({
    cells: [
      `R-${String(at + 1).padStart(3, '0')}`,
      spell(at === 16 ? 'Capek' : listed),
      `${String(10_000_000 + 7_919 * at)}`,
      spell(at % 3 === 0 ? `Schloßstraße ${at + 1}, Hof` : `Allée ${at + 1}`),
      spell(TOWNS[at % TOWNS.length] ?? ''),
      COUNTRIES[at % COUNTRIES.length] ?? '',
      at % 4 === 0 ? '' : spell(at % 4 === 1 ? 'für "Größe" 5 €' : 'offen'),
    ],
    company:
      at % 5 === 4 ? null : { id: `${COUNTRIES[at % COUNTRIES.length]}-0-${String(300_000 + 101 * at)}`, name: registered },
  }))

export const LISTS: Readonly<Record<ListName, readonly ListRow[]>> = {
  letters: rowsOf(text => text),
  ascii: rowsOf(asAscii),
}

export const csvCell = (cell: string): string => (/[",;\t|\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)

export const csvOf = (rows: readonly (readonly string[])[], delimiter = ',', end = '\n'): string =>
  rows.map(row => row.map(csvCell).join(delimiter) + end).join('')

export const listText = (name: ListName): string => csvOf([HEADER, ...LISTS[name].map(({ cells }) => cells)])
