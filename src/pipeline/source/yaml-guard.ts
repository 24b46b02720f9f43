/**
 * What must be known of a YAML text before it is parsed: how deep it nests, how much there is of it, and that it uses no tags or
 * directives. The lexer is walked, which takes no stack; the parser recurses, and enough brackets make it abort the process beyond any try and catch.
 */
import { CST, Lexer } from 'yaml'
import { MAX_DEPTH, type SyntaxIssue } from './tree.ts'

// Characters that YAML does not allow in a text, some of which the lexer uses as internal marks.
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\ufeff]/

/** More words and signs than this are no pipeline; the parser's time grows with the square of some of them. */
const MAX_TOKENS = 20_000

/** What forbids handing the text to the parser; empty when nothing does. */
export function guardYaml(text: string): SyntaxIssue[] {
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
    if (type === 'tag') {
      const message = `the tag ${token} is not allowed`
      findings.push({ code: 'FETTLE_PIPELINE_TAG', message, offset })
    }
    if (type === 'directive-line') {
      const message = 'YAML directives are not allowed'
      findings.push({ code: 'FETTLE_PIPELINE_SYNTAX', message, hint: 'Remove the line.', offset })
    }
    depth.read(type, token, offset)
    tokens += 1
    if (tokens > MAX_TOKENS) {
      findings.push({ code: 'FETTLE_PIPELINE_SYNTAX', message: `the file has more than ${MAX_TOKENS} words and signs`, offset })
      return findings
    }
    if (depth.value > MAX_DEPTH) {
      const message = `the file is nested deeper than ${MAX_DEPTH} levels from here on`
      findings.push({ code: 'FETTLE_PIPELINE_DEPTH', message, offset })
      return findings
    }
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
