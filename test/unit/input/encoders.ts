/**
 * Encoders for tests, which the platform lacks: legacy ones by turning its decoders round, windows-1252 by its published table,
 * since Node 20 decodes that as Latin-1. They share nothing with what is tested.
 */

/** Writes text in an encoding; `characters` are those it can write beside ASCII, or a good many of them. */
interface Encoder {
  readonly characters: readonly string[]
  encode(text: string): Buffer
}

const UNICODE = ['é', 'ß', '\x85', '€', 'Ω', '株', '\u0301', '\u200b', '\ufeff', '\ufffd', '\u2028', '😀', '\u{10ffff}']
/** The characters from 0x80 to 0x9f; a dot for undefined ones. */
const WINDOWS_1252 = '€.‚ƒ„…†‡ˆ‰Š‹Œ.Ž..‘’“”•–—˜™š›œ.žŸ'

const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, n) => from + n)
const pairs = (leads: readonly number[], trails: readonly number[]): number[][] =>
  leads.flatMap(lead => trails.map(trail => [lead, trail]))

const SINGLE_BYTES = range(0x80, 0xff).map(byte => [byte])
const SEQUENCES = {
  'iso-8859-15': SINGLE_BYTES,
  shift_jis: [
    ...range(0xa1, 0xdf).map(byte => [byte]),
    ...pairs([...range(0x81, 0x84), ...range(0x88, 0x98)], range(0x40, 0xfc)),
  ],
  gb18030: [
    ...pairs(range(0xa1, 0xb8), range(0x40, 0xfe)),
    ...pairs([0x81, 0x84, 0x94], range(0x30, 0x39)).flatMap(head =>
      pairs([0x81, 0xa9, 0xfe], range(0x30, 0x39)).map(tail => [...head, ...tail]),
    ),
  ],
}

function turnedRound(encoding: keyof typeof SEQUENCES): Encoder {
  const decoder = new TextDecoder(encoding)
  const read = SEQUENCES[encoding].map(bytes => [decoder.decode(Uint8Array.from(bytes)), bytes] as const)
  // What is no character comes back as U+FFFD, alone or with what follows it.
  return byTable(new Map(read.filter(([text]) => [...text].length === 1 && text > '\x7f' && text !== '\ufffd')))
}

function byTable(table: ReadonlyMap<string, readonly number[]>): Encoder {
  const encode = (text: string): Buffer => Buffer.from([...text].flatMap(one => table.get(one) ?? [one.charCodeAt(0)]))
  return { characters: [...table.keys()], encode }
}

function windows1252(): Encoder {
  const high = [...WINDOWS_1252].map((one, at) => [one, [0x80 + at]] as const).filter(([one]) => one !== '.')
  return byTable(new Map([...high, ...range(0xa0, 0xff).map(byte => [String.fromCharCode(byte), [byte]] as const)]))
}

const littleEndian = (text: string): Buffer => Buffer.from(text, 'utf16le')

/** An encoder for each name that a pipeline may give. */
export const ENCODERS: Readonly<Record<string, Encoder>> = {
  'utf-8': { characters: UNICODE, encode: text => Buffer.from(text) },
  'utf-16le': { characters: UNICODE, encode: littleEndian },
  'utf-16be': { characters: UNICODE, encode: text => littleEndian(text).swap16() },
  'windows-1252': windows1252(),
  'iso-8859-15': turnedRound('iso-8859-15'),
  shift_jis: turnedRound('shift_jis'),
  gb18030: turnedRound('gb18030'),
}
