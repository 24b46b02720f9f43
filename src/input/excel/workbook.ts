/** Reads what the sheets of a workbook share: names and parts of the sheets, shared texts, and the number formats of the styles. */
import { readXml, resolved } from '../../files/xml.ts'

export type Parts = ReadonlyMap<string, Buffer>

export interface Book {
  /** In the order of the tabs; `part` is null for a sheet without cells, as a chart is. */
  readonly sheets: readonly { readonly name: string; readonly part: string | null; readonly isHidden: boolean }[]
  readonly strings: readonly string[]
  /** By the number of the style. */
  readonly formats: readonly NumberFormat[]
  readonly is1904: boolean
}

interface NumberFormat {
  readonly isDate: boolean
  /** Its code, or the number of a built-in one. */
  readonly format: string | number
}

const LIST = 'xl/workbook.xml'
const LINKS = 'xl/_rels/workbook.xml.rels'

export function findPart(parts: Parts, name: string): Buffer {
  const xml = parts.get(name)
  if (xml === undefined) throw new Error(`${JSON.stringify(name)} is not in it`)
  return xml
}

/** Reads all but the cells. Throws an Error for a damaged workbook. */
export function readBook(parts: Parts): Book {
  const { tables, strings, styles } = readLinks(findPart(parts, LINKS))
  const sheets: Book['sheets'][number][] = []
  let is1904 = false
  readXml(findPart(parts, LIST), {
    open(name, attribute) {
      if (name === 'workbookPr') is1904 = /^(?:1|true)$/.test(attribute('date1904') ?? '')
      const title = name === 'sheet' ? attribute('name') : null
      if (!title) return true
      const part = tables.get(attribute('id') ?? '')
      if (part === undefined) throw new Error(`its sheet ${JSON.stringify(title.slice(0, 40))} is not in it`)
      sheets.push({ name: unescaped(resolved(title)), part, isHidden: /^(?:very)?hidden$/i.test(attribute('state') ?? '') })
      return true
    },
  })
  const [texts, looks] = [parts.get(strings), parts.get(styles)]
  return {
    sheets,
    strings: texts === undefined ? [] : readStrings(texts),
    formats: looks === undefined ? [] : readFormats(looks),
    is1904,
  }
}

function readLinks(xml: Buffer) {
  /** The part of each sheet by its id; null for a sheet of another kind, such as a chart. */
  const tables = new Map<string, string | null>()
  let [strings, styles] = ['xl/sharedStrings.xml', 'xl/styles.xml']
  readXml(xml, {
    open(name, attribute) {
      if (name !== 'Relationship') return true
      const target = resolved(attribute('Target') ?? '')
      const part = target.startsWith('/') ? target.slice(1) : `xl/${target}`
      const kind = /\/relationships\/(worksheet|sharedStrings|styles)$/.exec(attribute('Type') ?? '')?.[1]
      tables.set(attribute('Id') ?? '', kind === 'worksheet' ? part : null)
      if (kind === 'sharedStrings') strings = part
      else if (kind === 'styles') styles = part
      return true
    },
  })
  return { tables, strings, styles }
}

/** Collects the text of `t` elements, without phonetic hints, of shared and of inline texts. */
export class TextRuns {
  #text = ''
  #isText = false
  #isPhonetic = false

  open(name: string): void {
    if (name === 't') this.#isText = true
    else if (name === 'rPh') this.#isPhonetic = true
  }

  close(name: string): void {
    if (name === 't') this.#isText = false
    else if (name === 'rPh') this.#isPhonetic = false
  }

  add(text: string): void {
    if (this.#isText && !this.#isPhonetic) this.#text += text
  }

  take(): string {
    const text = unescaped(this.#text)
    this.#text = ''
    return text
  }
}

/** `_xHHHH_` is a character that XML cannot hold (ECMA-376 part 1, 22.9.2.19). */
export const unescaped = (text: string): string =>
  text.includes('_x')
    ? text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    : text

function readStrings(xml: Buffer): string[] {
  const strings: string[] = []
  const runs = new TextRuns()
  readXml(xml, {
    open(name) {
      runs.open(name)
      return true
    },
    close(name) {
      runs.close(name)
      if (name === 'si') strings.push(runs.take())
    },
    text: text => runs.add(text),
  })
  return strings
}

/** Formats of dates and times that need no code: of every language, of East Asian ones, of Thai. */
const isBuiltIn = (id: number): boolean =>
  (id >= 14 && id <= 22) || (id >= 27 && id <= 36) || (id >= 45 && id <= 47) || (id >= 50 && id <= 58) || (id >= 71 && id <= 81)

/** Codes of formats begin here; those below are built in. */
const FIRST_CODE = 100

function readFormats(xml: Buffer): NumberFormat[] {
  const codes = new Map<number, string>()
  const formats: NumberFormat[] = []
  let isCells = false
  readXml(xml, {
    open(name, attribute) {
      if (name === 'cellXfs') isCells = true
      else if (name === 'numFmt') codes.set(Number(attribute('numFmtId')), resolved(attribute('formatCode') ?? ''))
      else if (name === 'xf' && isCells) {
        const id = Number(attribute('numFmtId') ?? 0)
        const code = id >= FIRST_CODE ? codes.get(id) : undefined
        formats.push({ isDate: isBuiltIn(id) || (code !== undefined && isDateCode(code)), format: code ?? id })
      }
      return true
    },
    close(name) {
      if (name === 'cellXfs') isCells = false
    },
  })
  return formats
}

const LONGEST_CODE = 255
const DATE_WORD = /^(?:s{1,2}|h{1,2}|[ap]m?|d{1,4}|a{3,5}|m{1,5}|y|yy|yyyy|e|ee|eeee)$/

/** Whether a format shows a date: one of its sections has words of dates and no others, besides quoted texts and conditions. */
const isDateCode = (code: string): boolean =>
  code.length <= LONGEST_CODE &&
  code
    .toLowerCase()
    .replace(/;@$/, '')
    .replace(/\\./g, ' ')
    .split(';')
    .some(section => {
      const words = section
        .replace(/"[^"]*"/g, ' ')
        .replace(/(\[?[smhd]{1,2}\]?)[.,]00?0?/g, '$1')
        .replace(/\[([smhd]{1,2})\]/g, '$1')
        .replace(/\[[^[\]]*\]/g, '')
        .split(/[^a-z0#?%]+/)
        .filter(word => word !== '')
      return words.length > 0 && words.every(word => DATE_WORD.test(word))
    })
