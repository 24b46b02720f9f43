/**
 * The companies of a register in one buffer of bytes, read one at a time, and their canonical identifiers. Knows how they are laid
 * out; compares nothing.
 */

import type { Company } from '../types.ts'
import { type Identifiers, identifiersOf } from './blocking-keys.ts'
import { ByteColumn, NumberColumn } from './growing-columns.ts'
import type { Columns, Unpacked } from './packed-columns.ts'
import { type TextColumn, TextColumnBuilder, textColumnIn } from './text-columns.ts'

/** Order in which the fields of a company are laid out; the first three bytes say which of them are there. */
// biome-ignore format: a layout reads better in rows
const FIELDS = [
  'id', 'name', 'country', 'orgNumber', 'vatNumber', 'tradingNames', 'previousNames', 'address1', 'address2', 'town', 'postcode',
  'phone', 'email', 'website', 'status', 'legalForm', 'connectId',
] as const satisfies readonly (keyof Company)[]

/** End of a field and of a name within a field: bytes that UTF-8 never uses. */
const END = 0xff
const NEXT = 0xfe
const HEAD = 3

/** The connectId that a company has unless its register says otherwise. */
export const defaultConnectId = (company: Pick<Company, 'country' | 'orgNumber' | 'id'>): string =>
  `${company.country || 'XX'}-X-${company.orgNumber || company.id}`

const COMPARED = ['orgNumber', 'vatNumber', 'domain', 'phone', 'postcode'] as const satisfies readonly (keyof Identifiers)[]

/** Gathers companies. */
export class CompaniesBuilder {
  readonly #bytes = new ByteColumn()
  readonly #starts = new NumberColumn()
  readonly #identifiers = COMPARED.map(field => [field, new TextColumnBuilder()] as const)

  #field(value: string | readonly string[]): boolean {
    const texts = typeof value === 'string' ? [value] : value
    if (texts.every(text => text === '')) return false
    for (const [at, text] of texts.entries()) {
      if (at > 0) this.#bytes.push(NEXT)
      this.#bytes.text(text)
    }
    this.#bytes.push(END)
    return true
  }

  /** Adds the next company and gives its canonical identifiers. */
  add(company: Company): Identifiers {
    const start = this.#bytes.length
    this.#starts.push(start)
    let there = 0
    for (let at = 0; at < HEAD; at++) this.#bytes.push(0)
    for (const [bit, field] of FIELDS.entries()) {
      if (field === 'connectId' && company.connectId === defaultConnectId(company)) continue
      if (this.#field(company[field] ?? '')) there |= 1 << bit
    }
    for (let at = 0; at < HEAD; at++) this.#bytes.put(start + at, (there >> (8 * at)) & 0xff)
    const identifiers = identifiersOf(company)
    for (const [field, texts] of this.#identifiers) texts.add(identifiers[field])
    return identifiers
  }

  /** How many companies there are. */
  get length(): number {
    return this.#starts.length
  }

  /** The columns, to be read by `companiesIn` and `identifiersIn`. */
  columns(): Columns {
    return {
      'companies.bytes': this.#bytes.all(),
      'companies.starts': this.#starts.all<Uint32Array>(),
      ...Object.assign({}, ...this.#identifiers.map(([field, texts]) => texts.columns(`identifiers.${field}`))),
    }
  }
}

/** The companies by their position. */
export class Companies {
  readonly length: number
  readonly #buffer: Buffer
  readonly #starts: Uint32Array

  constructor(bytes: Uint8Array, starts: Uint32Array) {
    this.#buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.#starts = starts
    this.length = starts.length
  }

  /** The company at a position, made afresh at every call. */
  at(position: number): Company {
    const buffer = this.#buffer
    let at = this.#starts[position]!
    const there = buffer.readUIntLE(at, HEAD)
    at += HEAD
    const read = (bit: number): string[] => {
      const found: string[] = []
      if ((there & (1 << bit)) === 0) return found
      for (let start = at; ; at++) {
        const byte = buffer[at]!
        if (byte < NEXT) continue
        found.push(buffer.toString('utf8', start, at))
        start = at + 1
        if (byte === END) break
      }
      at++
      return found
    }
    const [id, name, country, orgNumber, vatNumber, tradingNames, previousNames, ...rest] = FIELDS.map((_, bit) => read(bit))
    const one = (texts: string[] | undefined): string => texts?.[0] ?? ''
    const [address1, address2, town, postcode, phone, email, website, status, legalForm, connectId] = rest.map(one)
    const own = { id: one(id), country: one(country), orgNumber: one(orgNumber) }
    return {
      id: own.id,
      connectId: connectId || defaultConnectId(own),
      name: one(name),
      country: own.country,
      orgNumber: own.orgNumber,
      vatNumber: one(vatNumber),
      tradingNames: tradingNames ?? [],
      previousNames: previousNames ?? [],
      address1: address1 ?? '',
      address2: address2 ?? '',
      town: town ?? '',
      postcode: postcode ?? '',
      phone: phone ?? '',
      email: email ?? '',
      website: website ?? '',
      status: status ?? '',
      ...(legalForm ? { legalForm } : {}),
    }
  }

  /** The id of the company at a position. */
  id(position: number): string {
    const start = this.#starts[position]!
    if ((this.#buffer[start]! & 1) === 0) return ''
    return this.#buffer.toString('utf8', start + HEAD, this.#buffer.indexOf(END, start + HEAD))
  }

  /** All companies in order. */
  *[Symbol.iterator](): Generator<Company> {
    for (let at = 0; at < this.length; at++) yield this.at(at)
  }
}

/** The packed companies. */
export const companiesIn = (columns: Unpacked): Companies =>
  new Companies(columns.u8('companies.bytes'), columns.u32('companies.starts'))

/** Canonical identifiers of one company, each read when it is asked for. */
class Held implements Identifiers {
  readonly #columns: readonly TextColumn[]
  readonly #companies: Companies
  readonly #company: number

  constructor(columns: readonly TextColumn[], companies: Companies, company: number) {
    this.#columns = columns
    this.#companies = companies
    this.#company = company
  }

  get id(): string {
    return this.#companies.id(this.#company)
  }

  get orgNumber(): string {
    return this.#columns[0]!.at(this.#company)
  }

  get vatNumber(): string {
    return this.#columns[1]!.at(this.#company)
  }

  get domain(): string {
    return this.#columns[2]!.at(this.#company)
  }

  get phone(): string {
    return this.#columns[3]!.at(this.#company)
  }

  get postcode(): string {
    return this.#columns[4]!.at(this.#company)
  }
}

/** The packed identifiers, by company. */
export function identifiersIn(columns: Unpacked, companies: Companies): { at(company: number): Identifiers } {
  const texts = COMPARED.map(field => textColumnIn(columns, `identifiers.${field}`))
  return { at: company => new Held(texts, companies, company) }
}
