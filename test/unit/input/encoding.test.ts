import { isUtf8 } from 'node:buffer'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { asWindows1252, byteOrderMark, makeDecoder, Utf8Check } from '../../../src/input/text/encoding.ts'
import { anyCharacter } from '../../support/any-character.ts'
import { runs } from '../../support/runs.ts'

/** Offset of the first invalid byte over all pieces, null for valid UTF-8. */
function check(bytes: Buffer, cuts: number[]): { bad: number | null; replacements: number } {
  const utf8 = new Utf8Check()
  let at = 0
  for (const cut of [...cuts, bytes.length].sort((a, b) => a - b)) {
    const bad = utf8.push(bytes.subarray(at, cut))
    if (bad !== null) return { bad: at + bad, replacements: utf8.replacements }
    at = Math.max(at, cut)
  }
  return { bad: utf8.end() > 0 ? bytes.length - utf8.end() : null, replacements: utf8.replacements }
}

const byte = fc.constantFrom(0x41, 0xc3, 0xa9, 0xe2, 0x82, 0xac, 0xef, 0xbf, 0xbd, 0xf0, 0x9f, 0x98, 0x80, 0xff, 0xed)
const anyBytes = fc.oneof(
  fc.array(byte, { maxLength: 12 }).map(bytes => Buffer.from(bytes)),
  fc.string({ unit: anyCharacter, maxLength: 8 }).map(text => Buffer.from(text)),
  fc.array(fc.constantFrom('é', '€', '😀', '\ufffd', 'a'), { maxLength: 8 }).map(parts => Buffer.from(parts.join(''))),
)

describe('strict UTF-8', () => {
  it('agrees with the platform, wherever the pieces are cut', () => {
    fc.assert(
      fc.property(anyBytes, fc.array(fc.nat(40), { maxLength: 5 }), (bytes, cuts) => {
        const inside = cuts.map(cut => cut % (bytes.length + 1))
        const { bad, replacements } = check(bytes, inside)
        expect(bad === null).toBe(isUtf8(bytes))
        if (bad === null) expect(replacements).toBe(bytes.toString().split('\ufffd').length - 1)
        else {
          expect(bad).toBe(check(bytes, []).bad)
          expect(isUtf8(bytes.subarray(0, bad))).toBe(true)
        }
      }),
      { numRuns: runs(1000, 5000) },
    )
  })

  it('finds the first bad byte of a long text', () => {
    const bytes = Buffer.concat([Buffer.from('é'.repeat(5000)), Buffer.from([0xe9]), Buffer.from(' after')])
    expect(check(bytes, [4097]).bad).toBe(10_000)
  })
})

describe('decoders', () => {
  it('reads the euro sign in windows-1252, which the platform may read as a control character', () => {
    const decoder = makeDecoder('windows-1252')
    expect(decoder.decode(Buffer.from([0x80, 0x92, 0xe9, 0x41])) + decoder.end()).toBe('€’éA')
    expect(() => decoder.decode(Buffer.from([0x81]))).toThrow(TypeError)
    expect(asWindows1252(Buffer.from([0x81, 0x80]))).toBe('\ufffd€')
  })

  it('keeps characters that two pieces share', () => {
    const decoder = makeDecoder('shift_jis')
    const bytes = [0x93, 0xfa, 0x96, 0x7b]
    expect(bytes.map(one => decoder.decode(Buffer.from([one]))).join('') + decoder.end()).toBe('日本')
    expect(() => makeDecoder('utf-16le').decode(Buffer.from([0x00, 0xd8, 0x41, 0x00]))).toThrow(TypeError)
  })

  it('recognises byte-order marks', () => {
    expect(byteOrderMark(Buffer.from('\ufeffa'))).toEqual({ encoding: 'utf-8', bytes: 3 })
    expect(byteOrderMark(Buffer.from([0xfe, 0xff, 0, 65]))).toEqual({ encoding: 'utf-16be', bytes: 2 })
    expect(byteOrderMark(Buffer.from('a'))).toBeNull()
  })
})
