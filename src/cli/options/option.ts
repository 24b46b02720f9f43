/** A flag or positional as one record, read by the parser, the help, completion, the documents and the hint for unknown flags. */
export interface Option {
  readonly name: string
  readonly alias?: string
  /** `list` takes one value each time it is given; the default is `text`. */
  readonly type?: 'text' | 'switch' | 'list'
  /** How many values a list takes each time; 1 if absent. */
  readonly values?: number
  readonly choices?: readonly string[]
  /** Values that completion offers; others are accepted too. */
  readonly suggestions?: readonly string[]
  readonly default?: string
  /** Environment variable that gives the default instead. */
  readonly variable?: string
  readonly isRequired?: boolean
  readonly describe: string
  /** Names of it at other commands, for the hint. */
  readonly otherNames?: readonly string[]
}
