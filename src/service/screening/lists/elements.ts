/** Reads a published list in XML as records: elements of given names with their texts. The list is held in memory. */
import { FettleError } from '../../../errors.ts'
import { readXml } from '../../../files/xml.ts'
import { importReadError } from '../../csv/csv.ts'
import { type ListSource, readDigested } from './rows.ts'

/** An element; its text without the texts of the elements in it. */
export interface XmlElement {
  readonly name: string
  text: string
  readonly inside: XmlElement[]
}

/** The published lists have 30 MB at most. */
const MAX_BYTES = 256 * 1024 ** 2

/** The elements at a path below an element. */
export const elementsAt = (element: XmlElement, ...path: readonly string[]): readonly XmlElement[] =>
  path.reduce<readonly XmlElement[]>(
    (found, name) => found.flatMap(outer => outer.inside.filter(part => part.name === name)),
    [element],
  )

/** The distinct texts at a path, without empty ones. */
export const textsAt = (element: XmlElement, ...path: readonly string[]): string[] =>
  [...new Set(elementsAt(element, ...path).map(({ text }) => text.replace(/\s+/g, ' ').trim()))].filter(text => text !== '')

/** The first text at a path; '' without one. */
export const textAt = (element: XmlElement, ...path: readonly string[]): string => textsAt(element, ...path)[0] ?? ''

async function readWhole({ file, facts }: ListSource): Promise<Buffer> {
  const chunks: Buffer[] = []
  try {
    for await (const chunk of readDigested(file, facts)) {
      if (facts.bytes > MAX_BYTES) throw new Error(`it is larger than ${MAX_BYTES} bytes`)
      chunks.push(chunk)
    }
  } catch (error) {
    throw importReadError('list', file, error)
  }
  return Buffer.concat(chunks)
}

/**
 * The elements named `records`, in their order, of a file whose outermost element is `root`.
 * @throws FettleError FETTLE_INPUT_READ, FETTLE_INPUT_HEADER; `hint` names the right file
 */
export async function readElements(
  source: ListSource,
  { root, records, hint }: { readonly root: string; readonly records: readonly string[]; readonly hint: string },
): Promise<readonly XmlElement[]> {
  const xml = await readWhole(source)
  const other = (why: string) => new FettleError('FETTLE_INPUT_HEADER', `${source.file} ${why}: it is not such a list`, { hint })
  if (!/^(?:\xef\xbb\xbf)?\s*</.test(xml.toString('latin1', 0, 100))) throw other('is not XML')
  const found: XmlElement[] = []
  const open: XmlElement[] = []
  let outermost: string | null = null
  try {
    readXml(xml, {
      open(name) {
        outermost ??= name
        if (outermost !== root) return false
        if (open.length === 0 && !records.includes(name)) return true
        const element = { name, text: '', inside: [] }
        open.at(-1)?.inside.push(element)
        open.push(element)
        return true
      },
      text(piece) {
        const element = open.at(-1)
        if (element !== undefined) element.text += piece
      },
      close() {
        const element = open.pop()
        if (element !== undefined && open.length === 0) found.push(element)
      },
    })
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    const message = `Reading the list ${source.file} failed: ${why}`
    throw new FettleError('FETTLE_INPUT_READ', message, { cause, hint: `Download it again. ${hint}` })
  }
  if (outermost !== root) throw other(`begins with <${outermost}>`)
  return found
}
