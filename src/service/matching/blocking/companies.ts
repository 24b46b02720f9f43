/** Packs the companies of a register into one byte buffer, with their canonical identifiers, and reads them one at a time. */

import { type Company, FIGURES, type Related, readFigures } from '../types.ts'
import { type Identifiers, readIdentifiers } from './blocking-keys.ts'
import {
  ByteColumn,
  type Column,
  type Columns,
  type Need,
  NumberColumn,
  TextColumn,
  TextColumnBuilder,
  type Unpacked,
} from './columns.ts'

/** Layout order of a company's fields. The first three bytes are a bit set of the fields that are present. */
// biome-ignore format: a layout reads better in rows
const FIELDS = [
  'id', 'name', 'country', 'orgNumber', 'vatNumber', 'tradingNames', 'previousNames', 'address1', 'address2', 'town', 'postcode',
  'phone', 'email', 'website', 'status', 'legalForm', 'connectId', 'activities', 'incorporated', 'figures', 'previousUntil', 'group',
] as const satisfies readonly (keyof Company)[]

/** End of a field, and separator of names within a field: bytes that never occur in UTF-8. */
const END = 0xff
const SEPARATOR = 0xfe
const HEADER_BYTES = 3
/** Bytes below this are ASCII. */
const ASCII = 0x80
const BYTES = 'companies.bytes'
/** Texts that many companies share are stored once; a company has their numbers. */
const SHARED = 'companies.activities'
const RADIX = 36

/** Characters of the interface's ids; others could not stand in an address. */
const OTHER = /[^A-Za-z0-9_]+/g

/** An ASCII sign counts as `_`; any other character as its code point, so that names in one script stay apart. */
const plainId = (text: string): string =>
  text.replace(OTHER, signs => {
    const points = [...signs].map(sign => sign.codePointAt(0)!).filter(point => point > 127)
    return points.length === 0 ? '_' : `_${points.map(point => point.toString(16)).join('_')}_`
  })

export const defaultConnectId = (company: Pick<Company, 'country' | 'orgNumber' | 'id'>): string =>
  `${company.country || 'XX'}-X-${plainId(company.orgNumber || company.id)}`

const writeRelated = ({ id, name, country }: Related = { id: '', name: '', country: '' }): string[] => [id, name, country]

const readRelated = (texts: readonly string[], from: number): Related | undefined => {
  const [id = '', name = '', country = ''] = texts.slice(from, from + 3)
  return id === '' ? undefined : { id, name, country }
}

const INDEXED = ['orgNumber', 'vatNumber', 'domain', 'phone', 'postcode'] as const satisfies readonly (keyof Identifiers)[]

export class CompaniesBuilder {
  readonly #bytes = new ByteColumn()
  readonly #starts = new NumberColumn()
  readonly #shared = new Map<string, string>()
  readonly #identifiers = INDEXED.map(field => [field, new TextColumnBuilder()] as const)

  #numberOf(text: string): string {
    const number = this.#shared.get(text) ?? this.#shared.size.toString(RADIX)
    this.#shared.set(text, number)
    return number
  }

  #field(value: string | readonly string[]): boolean {
    if (typeof value === 'string') {
      if (value === '') return false
      this.#bytes.text(value)
    } else {
      if (value.every(text => text === '')) return false
      for (let at = 0; at < value.length; at++) {
        if (at > 0) this.#bytes.push(SEPARATOR)
        this.#bytes.text(value[at]!)
      }
    }
    this.#bytes.push(END)
    return true
  }

  #texts(company: Company, field: (typeof FIELDS)[number]): string | readonly string[] {
    if (field === 'activities') return company.activities?.map(text => this.#numberOf(text)) ?? ''
    const { group, figures } = company
    if (field === 'group') return group === undefined ? '' : [group.parent, group.ultimate].flatMap(writeRelated)
    if (field !== 'figures') return company[field] ?? ''
    return figures === undefined ? '' : FIGURES.map(name => figures[name] ?? '')
  }

  add(company: Company): Identifiers {
    const start = this.#bytes.length
    this.#starts.push(start)
    let present = 0
    for (let at = 0; at < HEADER_BYTES; at++) this.#bytes.push(0)
    for (let bit = 0; bit < FIELDS.length; bit++) {
      const field = FIELDS[bit]!
      if (field === 'connectId' && company.connectId === defaultConnectId(company)) continue
      if (this.#field(this.#texts(company, field))) present |= 1 << bit
    }
    for (let at = 0; at < HEADER_BYTES; at++) this.#bytes.put(start + at, (present >> (8 * at)) & 0xff)
    const identifiers = readIdentifiers(company)
    for (const [field, texts] of this.#identifiers) texts.add(identifiers[field])
    return identifiers
  }

  get length(): number {
    return this.#starts.length
  }

  /** A large piece of the first column to store before more companies come; null until it is large. */
  spill(): readonly [string, Column] | null {
    const bytes = this.#bytes.takeLarge()
    return bytes && [BYTES, bytes]
  }

  /** The columns that `Companies` and `identifiersIn` read. */
  columns(): Columns {
    return {
      [BYTES]: this.#bytes.take(),
      'companies.starts': this.#starts.take<Uint32Array>(),
      ...(this.#shared.size === 0 ? {} : { [SHARED]: Buffer.from(JSON.stringify([...this.#shared.keys()])) }),
      ...Object.assign({}, ...this.#identifiers.map(([field, texts]) => texts.columns(`identifiers.${field}`))),
    }
  }
}

export class Companies {
  readonly length: number
  readonly #buffer: Buffer
  readonly #starts: Uint32Array
  readonly #shared: readonly string[]
  readonly #need: Need | null

  constructor(columns: Unpacked) {
    const bytes = columns.u8(BYTES)
    this.#shared = columns.has(SHARED) ? (JSON.parse(Buffer.from(columns.u8(SHARED)).toString()) as string[]) : []
    this.#need = columns.need(BYTES)
    this.#buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.#starts = columns.u32('companies.starts')
    this.length = this.#starts.length
  }

  #start(position: number): number {
    const start = this.#starts[position]!
    this.#need?.(start, this.#starts[position + 1] ?? this.#buffer.length)
    return start
  }

  /** Decodes the company at a position; every call returns a new object. */
  at(position: number): Company {
    const buffer = this.#buffer
    let at = this.#start(position)
    const present = buffer.readUIntLE(at, HEADER_BYTES)
    at += HEADER_BYTES
    let bit = 0
    const isPresent = (): boolean => (present & (1 << bit++)) !== 0
    const decoded = (from: number, to: number, isAscii: boolean): string => buffer.toString(isAscii ? 'latin1' : 'utf8', from, to)
    const text = (): string => {
      if (!isPresent()) return ''
      const from = at
      let all = 0
      for (let byte = buffer[at]!; byte !== END; byte = buffer[++at]!) all |= byte
      return decoded(from, at++, all < ASCII)
    }
    const texts = (): string[] => {
      const found: string[] = []
      if (!isPresent()) return found
      for (let from = at, all = 0; ; ) {
        const byte = buffer[at++]!
        if (byte < SEPARATOR) all |= byte
        else {
          found.push(decoded(from, at - 1, all < ASCII))
          if (byte === END) return found
          ;[from, all] = [at, 0]
        }
      }
    }
    // In the order of FIELDS.
    const [id, name, country, orgNumber, vatNumber] = [text(), text(), text(), text(), text()]
    const [tradingNames, previousNames] = [texts(), texts()]
    const [address1, address2, town, postcode] = [text(), text(), text(), text()]
    const [phone, email, website, status, legalForm, connectId] = [text(), text(), text(), text(), text(), text()]
    const [activities, incorporated, amounts, previousUntil, group] = [texts(), text(), texts(), texts(), texts()]
    return {
      id,
      connectId: connectId || defaultConnectId({ id, country, orgNumber }),
      name,
      country,
      orgNumber,
      vatNumber,
      tradingNames,
      previousNames,
      address1,
      address2,
      town,
      postcode,
      phone,
      email,
      website,
      status,
      legalForm: legalForm || undefined,
      activities: activities.length === 0 ? undefined : activities.map(number => this.#shared[parseInt(number, RADIX)] ?? ''),
      incorporated: incorporated || undefined,
      figures: amounts.length === 0 ? undefined : readFigures(name => amounts[FIGURES.indexOf(name)] ?? ''),
      previousUntil: previousUntil.length === 0 ? undefined : previousUntil,
      group: group.length === 0 ? undefined : { parent: readRelated(group, 0), ultimate: readRelated(group, 3) },
    }
  }

  id(position: number): string {
    const start = this.#idAt(position)
    return start < 0 ? '' : this.#buffer.toString('utf8', start, this.#buffer.indexOf(END, start))
  }

  /** Where the id starts; -1 for a company without. */
  #idAt(position: number): number {
    const start = this.#start(position)
    return (this.#buffer[start]! & 1) === 0 ? -1 : start + HEADER_BYTES
  }

  /** Negative where the id of the first company is before the id of the second, as texts are ordered; 0 for the same id. */
  compareIds(one: number, other: number): number {
    const buffer = this.#buffer
    let at = this.#idAt(one)
    let beside = this.#idAt(other)
    if (at < 0 || beside < 0) return Math.sign(at) - Math.sign(beside)
    for (; ; at++, beside++) {
      const [byte, besides] = [buffer[at]!, buffer[beside]!]
      if (byte >= ASCII || besides >= ASCII) {
        if (byte === END || besides === END) return (byte === END ? 0 : 1) - (besides === END ? 0 : 1)
        // Bytes of UTF-8 are in another order than UTF-16.
        return this.id(one) < this.id(other) ? -1 : this.id(one) > this.id(other) ? 1 : 0
      }
      if (byte !== besides) return byte - besides
    }
  }

  *[Symbol.iterator](): Generator<Company> {
    for (let at = 0; at < this.length; at++) yield this.at(at)
  }
}

/** The canonical identifiers of the companies, one column for each field. */
export const identifiersIn = (columns: Unpacked) =>
  Object.fromEntries(INDEXED.map(field => [field, new TextColumn(columns, `identifiers.${field}`)])) as Readonly<
    Record<(typeof INDEXED)[number], TextColumn>
  >
