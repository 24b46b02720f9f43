/**
 * Parses YAML text to a tree. Only plain YAML is accepted: no tags, merge keys, directives, second documents or keys that are not
 * text; aliases are followed within a limit.
 */
import { CST, type Document, isAlias, isCollection, isMap, isScalar, Lexer, parseDocument } from 'yaml'
import { lineFinder } from './placed-issues.ts'
import { show } from './quote.ts'
import { MAX_DEPTH, type SyntaxIssue, type Tree, type TreeMap } from './tree.ts'

type Node = NonNullable<Document.Parsed['contents']>

/** More nodes than this come from aliases multiplied, never from a pipeline. */
const MAX_NODES = 10_000

/** The tree is null for an empty text, and for invalid YAML, which `findings` then describe. */
export function readYaml(text: string): { readonly tree: Tree | null; readonly findings: readonly SyntaxIssue[] } {
  const guarded = guardYaml(text)
  if (guarded.length > 0) return { tree: null, findings: guarded }
  // Duplicate keys are found below: the library compares each key with all the others.
  const document = parseDocument(text, { prettyErrors: false, uniqueKeys: false })
  const findings = listProblems(document, text)
  if (findings.length > 0 || document.contents === null) return { tree: null, findings }
  const builder = new Builder(text)
  const tree = builder.build(document.contents, 0)
  return { tree, findings: builder.findings }
}

/** The library's errors and warnings, up to the first after which it reports only follow-up errors. */
function listProblems(document: Document.Parsed, text: string): SyntaxIssue[] {
  const lost = document.errors.findIndex(error => error.code === 'UNEXPECTED_TOKEN' || error.code === 'BAD_INDENT')
  const errors = lost < 0 ? [...document.errors, ...document.warnings] : document.errors.slice(0, lost + 1)
  return errors.map(error => describe(error, text))
}

function describe({ code, message, pos }: { code: string; message: string; pos: [number, number] }, text: string): SyntaxIssue {
  const offset = pos[0]
  const finding = (sentence: string, hint?: string) => ({
    code: 'FETTLE_PIPELINE_SYNTAX' as const,
    message: sentence,
    offset,
    hint,
  })
  if (text.slice(offset - 1, offset + 1) === '${')
    return finding('a ${…} inside { } or [ ] must be in quotes', 'Write "${NAME}".')
  if (code === 'TAB_AS_INDENT') return finding('a tab indents this line', 'Use spaces.')
  if (code === 'MULTIPLE_DOCS') return finding('a second document begins here', 'One pipeline per file.')
  return finding(message)
}

class Builder {
  readonly findings: SyntaxIssue[] = []
  private nodes = 0
  private readonly anchors = new Map<string, Node>()
  private readonly open = new Set<Node>()
  private readonly findPlace: (offset: number) => { line: number }
  private readonly text: string

  constructor(text: string) {
    this.text = text
    this.findPlace = lineFinder(text)
  }

  build(node: Node | null, depth: number): Tree {
    const offset = node?.range[0] ?? null
    const nothing: Tree = { kind: 'scalar', value: null, source: '', offset, state: 'broken' }
    if (this.nodes > MAX_NODES) return nothing
    this.nodes += 1
    if (this.nodes > MAX_NODES) return this.refuse(nothing, 'FETTLE_PIPELINE_SYNTAX', 'there are too many aliases')
    if (depth > MAX_DEPTH)
      return this.refuse(nothing, 'FETTLE_PIPELINE_DEPTH', `the file is nested deeper than ${MAX_DEPTH} levels`)
    if (node === null) return { ...nothing, state: 'literal' }
    if (isAlias(node)) {
      const target = this.anchors.get(node.source)
      if (target === undefined)
        return this.refuse(nothing, 'FETTLE_PIPELINE_SYNTAX', `the alias *${node.source} has no anchor above it`)
      if (this.open.has(target))
        return this.refuse(nothing, 'FETTLE_PIPELINE_SYNTAX', `the anchor &${node.source} contains itself`)
      return this.build(target, depth)
    }
    if (node.anchor !== undefined) this.anchors.set(node.anchor, node)
    if (isScalar(node)) return this.buildScalar(node)
    if (!isCollection(node)) return nothing
    this.open.add(node)
    const tree: Tree = isMap(node)
      ? this.buildMap(node, depth)
      : { kind: 'list', items: node.items.map(item => this.build(item as Node | null, depth + 1)), offset }
    this.open.delete(node)
    return tree
  }

  private buildScalar(node: Node & { value: unknown; source?: string; type?: string | null }): Tree {
    const [start, end] = node.range
    const value = node.value as string | number | boolean | null
    const tree: Tree = {
      kind: 'scalar',
      value,
      source: typeof value === 'string' ? value : (node.source ?? ''),
      offset: start,
      state: 'literal',
    }
    // YAML reads a list item that is indented too far as the rest of the text above it, without a word.
    const swallowed = node.type === 'PLAIN' ? /\n[ \t]*- /.exec(this.text.slice(start, end)) : null
    if (swallowed === null) return tree
    const { line } = this.findPlace(start + swallowed.index + 1)
    const message = `expected a list, found the text ${show(String(value))}: line ${line} begins with "- " but belongs to the text above it`
    return this.refuse(tree, 'FETTLE_PIPELINE_SYNTAX', message, 'Check the indentation.')
  }

  private buildMap(node: Node & { items: unknown[] }, depth: number): TreeMap {
    const entries = new Map<string, { offset: number | null; node: Tree }>()
    for (const pair of node.items as { key: Node | null; value: Node | null }[]) {
      const offset = pair.key?.range[0] ?? node.range[0]
      const key = keyText(pair.key)
      const value = this.build(pair.value, depth + 1)
      const before = key === null ? undefined : entries.get(key)
      if (key === null) this.report('FETTLE_PIPELINE_SYNTAX', 'a key must be plain text', offset)
      else if (key === '<<') this.report('FETTLE_PIPELINE_TAG', 'the merge key << is not allowed', offset)
      else if (before !== undefined) {
        const [first, second] = [this.findPlace(before.offset ?? 0).line, this.findPlace(offset).line]
        this.report('FETTLE_PIPELINE_DUPLICATE', `the key ${show(key)} occurs twice: lines ${first} and ${second}`, offset)
      } else entries.set(key, { offset, node: value })
    }
    return { kind: 'map', entries, offset: node.range[0] }
  }

  private report(code: SyntaxIssue['code'], message: string, offset: number | null, hint?: string): void {
    this.findings.push({ code, message, offset, hint })
  }

  private refuse<T extends Tree>(tree: T, code: SyntaxIssue['code'], message: string, hint?: string): T {
    this.report(code, message, tree.offset, hint)
    return { ...tree, state: 'broken' }
  }
}

/** A key as written: `0012` and `NO` stay what they are. Null for lists, maps, aliases and nothing. */
function keyText(key: Node | null): string | null {
  if (!isScalar(key)) return null
  const text = typeof key.value === 'string' ? key.value : (key.source ?? '')
  return text === '' ? null : text
}

// Characters that YAML does not allow in a text; the lexer uses some of them as internal marks.
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\ufeff]/

/** More words and signs than this are not a pipeline; the parser's time grows with the square of some of them. */
const MAX_TOKENS = 20_000

/**
 * What forbids handing the text to the parser: its depth, its size, tags and directives; empty when nothing does. The lexer is
 * walked, which takes no stack; the parser recurses, and enough brackets make it abort the process beyond any try and catch.
 */
function guardYaml(text: string): SyntaxIssue[] {
  const control = text.search(CONTROL)
  if (control >= 0) {
    const code = text.charCodeAt(control).toString(16).padStart(4, '0')
    return [{ code: 'FETTLE_PIPELINE_SYNTAX', message: `a control character, \\u${code}, is not allowed here`, offset: control }]
  }
  const findings: SyntaxIssue[] = []
  const depth = new Depth()
  let offset = 0
  let tokens = 0
  for (const token of new Lexer().lex(text)) {
    // The lexer's marks stand for no text: start of a document, end of a flow, start of a scalar.
    if (token === '\u0002' || token === '\u0018' || token === '\u001f') continue
    const type = CST.tokenType(token)
    const report = (code: SyntaxIssue['code'], message: string, hint?: string) => findings.push({ code, message, offset, hint })
    if (type === 'tag') report('FETTLE_PIPELINE_TAG', `the tag ${token} is not allowed`)
    if (type === 'directive-line') report('FETTLE_PIPELINE_SYNTAX', 'YAML directives are not allowed', 'Remove the line.')
    depth.read(type, token, offset)
    tokens += 1
    if (tokens > MAX_TOKENS) report('FETTLE_PIPELINE_SYNTAX', `the file has more than ${MAX_TOKENS} words and signs`)
    else if (depth.value > MAX_DEPTH)
      report('FETTLE_PIPELINE_DEPTH', `the file is nested deeper than ${MAX_DEPTH} levels from here on`)
    if (tokens > MAX_TOKENS || depth.value > MAX_DEPTH) return findings
    offset += token.length
  }
  return findings
}

/** Follows the nesting token by token: open brackets, and columns at which block collections began. */
class Depth {
  private brackets = 0
  private columns: number[] = []
  private lineStart = 0
  private freshLine = true
  /** Beyond the first on a line, every colon may open a map in a map. */
  private colons = 0

  get value(): number {
    return this.brackets + this.columns.length + Math.max(0, this.colons - 1)
  }

  read(type: CST.TokenType | null, token: string, offset: number): void {
    if (type === 'flow-map-start' || type === 'flow-seq-start') this.brackets += 1
    else if (type === 'flow-map-end' || type === 'flow-seq-end') this.brackets = Math.max(0, this.brackets - 1)
    else if (this.brackets === 0 && type !== 'space' && type !== 'comment' && type !== 'newline') this.readBlock(type, offset)
    const end = token.lastIndexOf('\n')
    if (end < 0) return
    this.lineStart = offset + end + 1
    this.freshLine = true
    this.colons = 0
  }

  private readBlock(type: CST.TokenType | null, offset: number): void {
    if (type === 'map-value-ind') this.colons += 1
    if (!this.freshLine && type !== 'seq-item-ind' && type !== 'explicit-key-ind') return
    const column = offset - this.lineStart
    while ((this.columns.at(-1) ?? -1) >= column) this.columns.pop()
    this.columns.push(column)
    this.freshLine = false
  }
}
