/**
 * Parses JSON text to a tree, strictly by RFC 8259, with the offset of every part. `JSON.parse` gives no offsets and accepts
 * duplicate keys.
 */

import { lineFinder } from './placed-issues.ts'
import { show } from './quote.ts'
import { MAX_DEPTH, type SyntaxIssue, type Tree } from './tree.ts'

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y
const SPACE = /[ \t\r\n]*/y
const WORD = /[A-Za-z_$][\w$]*/y

/** Stops the parser at the first syntax error. */
class NotJson extends Error {
  readonly finding: SyntaxIssue
  constructor(finding: SyntaxIssue) {
    super(finding.message)
    this.finding = finding
  }
}

/** The tree is null for an empty text, and for invalid JSON, which `findings` then describe. */
export function readJson(text: string): { readonly tree: Tree | null; readonly findings: readonly SyntaxIssue[] } {
  const reader = new Reader(text)
  if (text.trim() === '') return { tree: null, findings: [] }
  try {
    const tree = reader.document()
    return { tree, findings: reader.findings }
  } catch (error) {
    if (error instanceof NotJson) return { tree: null, findings: [...reader.findings, error.finding] }
    throw error
  }
}

class Reader {
  readonly findings: SyntaxIssue[] = []
  private at = 0
  private readonly text: string
  private readonly findPlace: ReturnType<typeof lineFinder>

  constructor(text: string) {
    this.text = text
    this.findPlace = lineFinder(text)
  }

  document(): Tree {
    this.take(SPACE)
    const tree = this.value(0)
    this.take(SPACE)
    if (this.at < this.text.length) this.fail('the end of the file')
    return tree
  }

  private value(depth: number): Tree {
    const offset = this.at
    const next = this.text[this.at]
    if (depth > MAX_DEPTH) this.stop('FETTLE_PIPELINE_DEPTH', `the file is nested deeper than ${MAX_DEPTH} levels`)
    if (next === '{') return this.map(depth)
    if (next === '[') return this.list(depth)
    if (next === '"') {
      const value = this.string()
      return { kind: 'scalar', value, source: value, offset, state: 'literal' }
    }
    const source = this.take(NUMBER) ?? this.constant()
    if (source === null) return this.fail('a value')
    return { kind: 'scalar', value: JSON.parse(source), source, offset, state: 'literal' }
  }

  private map(depth: number): Tree {
    const offset = this.at
    const entries = new Map<string, { offset: number; node: Tree }>()
    this.items('}', () => {
      const keyOffset = this.at
      if (this.text[this.at] !== '"') this.fail('a key in double quotes')
      const key = this.string()
      this.take(SPACE)
      if (this.text[this.at] !== ':') this.fail('a colon')
      this.at += 1
      this.take(SPACE)
      const node = this.value(depth + 1)
      const before = entries.get(key)
      if (before === undefined) entries.set(key, { offset: keyOffset, node })
      else {
        const [first, second] = [this.findPlace(before.offset).line, this.findPlace(keyOffset).line]
        const message = `the key ${show(key)} occurs twice: lines ${first} and ${second}`
        this.findings.push({ code: 'FETTLE_PIPELINE_DUPLICATE', message, offset: keyOffset })
      }
    })
    return { kind: 'map', entries, offset }
  }

  private list(depth: number): Tree {
    const offset = this.at
    const items: Tree[] = []
    this.items(']', () => items.push(this.value(depth + 1)))
    return { kind: 'list', items, offset }
  }

  private items(close: string, item: () => void): void {
    this.at += 1
    this.take(SPACE)
    if (this.text[this.at] === close) {
      this.at += 1
      return
    }
    for (;;) {
      item()
      this.take(SPACE)
      const next = this.text[this.at]
      if (next !== ',' && next !== close) this.fail(`a comma or ${close}`)
      this.at += 1
      if (next === close) return
      const comma = this.at - 1
      this.take(SPACE)
      if (this.text[this.at] === close) {
        this.at = comma
        this.stop('FETTLE_PIPELINE_SYNTAX', `a comma is before the closing ${close}`, 'JSON allows no comma after the last item.')
      }
    }
  }

  private string(): string {
    const source = this.take(STRING)
    if (source === null)
      this.stop('FETTLE_PIPELINE_SYNTAX', 'this text is not closed, or contains a raw line end, a tab or an unknown escape')
    return JSON.parse(source)
  }

  private constant(): string | null {
    const start = this.at
    const word = this.take(WORD)
    if (word === null || word === 'true' || word === 'false' || word === 'null') return word
    this.at = start
    return this.fail('a value')
  }

  /** The text matched here, moving on past it; null when the pattern does not match here. An empty match moves nothing. */
  private take(pattern: RegExp): string | null {
    pattern.lastIndex = this.at
    const found = pattern.exec(this.text)?.[0] ?? null
    this.at += found?.length ?? 0
    return found
  }

  private fail(expected: string): never {
    const rest = this.text.slice(this.at)
    if (/^(\/[/*]|#)/.test(rest))
      this.stop('FETTLE_PIPELINE_SYNTAX', 'a comment is not allowed here', 'JSON has no comments; use YAML for them.')
    if (rest.startsWith("'"))
      this.stop('FETTLE_PIPELINE_SYNTAX', 'a single quote is not allowed here', 'JSON uses double quotes.')
    const word = /^[-+]?[\p{L}\p{N}_$.]+/u.exec(rest)?.[0]?.slice(0, 40) ?? [...rest.slice(0, 2)][0]
    this.stop('FETTLE_PIPELINE_SYNTAX', `expected ${expected}, found ${word === undefined ? 'the end of the file' : show(word)}`)
  }

  private stop(code: SyntaxIssue['code'], message: string, hint?: string): never {
    throw new NotJson({ code, message, offset: Math.min(this.at, this.text.length), hint })
  }
}
