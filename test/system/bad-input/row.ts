/** The form of the tables: a bad input and the expected answer. */

/** A file of a case: its content, or a maker of something that is no ordinary file (a FIFO, a link). */
export type Content = string | Uint8Array | ((path: string) => void)

/** A problem or remark that must be told: its code without `FETTLE_`, and its place as `file:line:col`. */
export type Where = string

/** A remark of a case that goes on. */
export interface Remark {
  readonly where: Where
  readonly says: readonly (string | RegExp)[]
  readonly count?: number
  readonly rows?: readonly number[]
}

/** One bad input. */
export interface Row {
  /** The line of the fault list: `P7`, `C12`, `A3`. */
  readonly line: string
  readonly what: string
  readonly files?: Readonly<Record<string, Content>>
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** The exit code; 0 for what is accepted or only warned of. */
  readonly exit: number
  /** Every error, in order; a place may be left out. Absent: the code is looked for in `says`. */
  readonly errors?: readonly Where[]
  /** What must stand in the answer. */
  readonly says?: readonly (string | RegExp)[]
  /** What must be remarked where the run goes on; an empty list means that nothing is. */
  readonly remarks?: readonly Remark[]
  /** Tried as a process of its own too. */
  readonly process?: boolean
  /** What is missing in this version, when the line asks for more than a refusal. */
  readonly later?: string
}

/** A small table that every pipeline of the tables can read. */
export const ROWS = `Name,Country,Id,Number,Town
Acme Ltd,GB,1,01234567,Leeds
Bolt Ltd,GB,2,02345678,York
Cork DAC,IE,3,345678,Cork
Dent SA,FR,4,732829320,Lyon
Eger Kft,HU,5,10773381,Eger
`

/** Three lines that make a pipeline over `rows.csv`. */
export const BASE = 'name: suppliers\ninput: rows.csv\nmappings: { name: Name, country: Country }\n'
