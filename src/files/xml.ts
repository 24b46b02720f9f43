/**
 * Parses the XML of office files and of published lists: UTF-8, without a document type. One pass over the bytes calls back for each tag and text, in linear
 * time and without a copy. Throws an Error for any other XML.
 */
import { isUtf8 } from 'node:buffer'

/** The callbacks. Names are local: the prefix of an element or attribute is left out. */
export interface Tags {
  /** `attribute` returns the raw value, null without one. Return false to stop. */
  open(name: string, attribute: (name: string) => string | null): boolean
  close?(name: string): void
  /** Text with its entities resolved; one text may come in several pieces. */
  text?(text: string): void
}

const [LT, GT, QUOTE, APOSTROPHE, SLASH, BANG, QUESTION] = [0x3c, 0x3e, 0x22, 0x27, 0x2f, 0x21, 0x3f]
const COMMENT = ['<!--', '-->'] as const
const CDATA = ['<![CDATA[', ']]>'] as const

export function readXml(xml: Buffer, { open, close, text }: Tags): void {
  refuseEncoding(xml)
  const inside: string[] = []
  let isRooted = false
  const report = (piece: string): void => {
    if (inside.length > 0 && piece !== '') text?.(piece)
  }
  for (let at = 0; at < xml.length; ) {
    const start = indexOrEnd(xml.indexOf(LT, at), xml)
    if (text !== undefined && start > at) report(resolved(xml.toString('utf8', at, start)))
    if (start === xml.length) break
    const next = xml[start + 1]
    if (next === QUESTION) {
      at = findEnd(xml, start, '?>')
    } else if (next === BANG && begins(xml, start, COMMENT[0])) {
      at = findEnd(xml, start + COMMENT[0].length, COMMENT[1])
    } else if (next === BANG && begins(xml, start, CDATA[0])) {
      at = findEnd(xml, start, CDATA[1])
      report(xml.toString('utf8', start + CDATA[0].length, at - CDATA[1].length))
    } else if (next === BANG) {
      throw new Error('its XML has a document type, which is not accepted')
    } else {
      const end = findEndOfTag(xml, start + 1)
      at = end + 1
      if (next === SLASH) {
        const name = localName(xml.toString('utf8', start + 2, end).trimEnd())
        if (inside.pop() !== name) throw new Error(`its XML closes <${shown(name)}> where it is not open`)
        close?.(name)
        continue
      }
      const isEmpty = xml[end - 1] === SLASH
      const tag = xml.toString('utf8', start + 1, isEmpty ? end - 1 : end)
      const length = tag.search(/\s|$/)
      const name = localName(tag.slice(0, length))
      if (!isEmpty) inside.push(name)
      isRooted = true
      if (!open(name, makeAttributeReader(tag.slice(length), name))) return
      if (isEmpty) close?.(name)
    }
  }
  if (inside.length > 0 || !isRooted) throw new Error('its XML is cut short')
}

function refuseEncoding(xml: Buffer): void {
  const [, encoding = 'UTF-8'] =
    /^(?:\xef\xbb\xbf)?<\?xml[^>]{0,200}?\sencoding\s*=\s*["']([^"']{0,40})["']/.exec(xml.toString('latin1', 0, 300)) ?? []
  if (!/^(?:utf-8|us-ascii)$/i.test(encoding) || !isUtf8(xml)) throw new Error('its XML is not UTF-8')
}

const indexOrEnd = (index: number, xml: Buffer): number => (index === -1 ? xml.length : index)
const begins = (xml: Buffer, at: number, text: string): boolean => xml.toString('latin1', at, at + text.length) === text

function findEnd(xml: Buffer, from: number, mark: string): number {
  const at = xml.indexOf(mark, from)
  if (at === -1) throw new Error('its XML is cut short')
  return at + mark.length
}

/** Where the `>` of a tag is; one within quotes does not end it. */
function findEndOfTag(xml: Buffer, from: number): number {
  for (let at = from; at < xml.length; at++) {
    const byte = xml[at]!
    if (byte === GT) return at
    if (byte === LT) break
    if (byte === QUOTE || byte === APOSTROPHE) at = indexOrEnd(xml.indexOf(byte, at + 1), xml)
  }
  throw new Error('its XML has a tag without end')
}

const localName = (name: string): string => name.slice(name.indexOf(':') + 1)
const shown = (text: string): string => text.slice(0, 40)

/** Reads the attributes of a tag at the first access. An unprefixed one wins over one of the same name with a prefix. */
function makeAttributeReader(text: string, tag: string): (name: string) => string | null {
  let found: Map<string, string> | null = null
  return name => {
    found ??= parseAttributes(text, tag)
    return found.get(name) ?? null
  }
}

const PAIR = /\s+([^\s=]+)\s*=\s*(?:"([^"<]*)"|'([^'<]*)')/y

function parseAttributes(text: string, tag: string): Map<string, string> {
  const found = new Map<string, string>()
  const own = new Set<string>()
  let at = 0
  PAIR.lastIndex = 0
  for (let pair = PAIR.exec(text); pair !== null; pair = PAIR.exec(text)) {
    at = PAIR.lastIndex
    const [, name = '', quoted, other = ''] = pair
    const local = localName(name)
    if (local === name) {
      if (own.has(name)) throw new Error(`its XML has <${shown(tag)}> with two attributes ${shown(name)}`)
      own.add(name)
    } else if (own.has(local) || name.startsWith('xmlns:')) continue
    found.set(local, quoted ?? other)
  }
  if (text.slice(at).trim() !== '') throw new Error(`its XML has a broken tag <${shown(tag)}>`)
  return found
}

const NAMED: Readonly<Record<string, string>> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&apos;': "'" }

/** Text with its entities resolved. There are five by name; others would need a document type. */
export function resolved(text: string): string {
  if (!text.includes('&')) return text
  return text.replace(/&(?:#(?:(\d{1,7})|x([0-9a-fA-F]{1,6}));|[^;&]{0,8};?)/g, (entity, decimal?: string, hex?: string) => {
    const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal)
    const char = code <= 0x10ffff ? String.fromCodePoint(code) : NAMED[entity]
    if (char === undefined) throw new Error(`its XML has ${JSON.stringify(shown(entity))}, which is not defined`)
    return char
  })
}
