/** The program of a thread that parses tables: takes their pieces, and answers each with the rows that end in it. */
import { parentPort } from 'node:worker_threads'
import { type Options, parse } from 'csv-parse'

/** A table by its number: its options, then its pieces, then its end; `close`: the rest is not needed. */
export type ToThread = { readonly table: number } & (
  | { readonly open: Options }
  | { readonly piece: Uint8Array<ArrayBuffer> }
  | { readonly end: true }
  | { readonly close: true }
)

/** Rows as their bytes, one cell after the other; `ends` has the number of cells of a row, then the end of each. */
export interface PackedRows {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly ends: Uint32Array<ArrayBuffer>
  readonly isAscii: boolean
}

/** `error`: what the parser threw, with its fields. */
export type Answer =
  | { readonly rows: PackedRows }
  | { readonly error: Readonly<Record<string, unknown>> }
  | { readonly end: true }
export type FromThread = Answer & { readonly table: number }

const post = (message: FromThread, ...moved: ArrayBuffer[]): void => parentPort?.postMessage(message, moved)

/** Collects rows until they are taken. */
class Packer {
  #cells = Buffer.alloc(0)
  #size = 0
  #characters = 0
  #ends: number[] = []

  add(row: readonly string[]): void {
    this.#ends.push(row.length)
    for (const cell of row) {
      if (cell !== '') this.#write(cell)
      this.#ends.push(this.#size)
    }
  }

  #write(cell: string): void {
    const most = cell.length * 3
    if (this.#size + most > this.#cells.length)
      this.#cells = Buffer.concat([this.#cells, Buffer.alloc(this.#cells.length + most)])
    this.#size += this.#cells.write(cell, this.#size)
    this.#characters += cell.length
  }

  take(): PackedRows {
    const bytes = new Uint8Array(this.#cells.subarray(0, this.#size))
    const rows = { bytes, ends: Uint32Array.from(this.#ends), isAscii: this.#size === this.#characters }
    this.#size = 0
    this.#characters = 0
    this.#ends = []
    return rows
  }
}

function open(table: number, options: Options) {
  const packer = new Packer()
  const parser = parse(options)
  const answer = (): void => {
    const rows = packer.take()
    post({ table, rows }, rows.bytes.buffer, rows.ends.buffer)
  }
  parser.on('data', (row: string[]) => packer.add(row))
  parser.on('error', error => post({ table, error: { ...error, message: error.message } }))
  parser.on('end', () => {
    answer()
    post({ table, end: true })
  })
  return {
    take: (piece: Uint8Array<ArrayBuffer>) => parser.write(Buffer.from(piece.buffer), error => error == null && answer()),
    end: () => parser.end(),
    close: () => parser.destroy(),
  }
}

const tables = new Map<number, ReturnType<typeof open>>()

parentPort?.on('message', (message: ToThread) => {
  const { table } = message
  if ('open' in message) tables.set(table, open(table, message.open))
  else if ('piece' in message) tables.get(table)?.take(message.piece)
  else if ('end' in message) tables.get(table)?.end()
  else {
    tables.get(table)?.close()
    tables.delete(table)
  }
})
