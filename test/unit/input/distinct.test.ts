/** Distinct counts: exact for few values, within 5 % for many, and the hash they use. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DistinctCounter, Hash, HyperLogLog } from '../../../src/input/scan/distinct-counter.ts'
import { anyCharacter } from '../../support/any-character.ts'

const hash = new Hash()

function hashOf(text: string, before = ''): Hash {
  const bytes = Buffer.from(before + text)
  hash.take(new DataView(bytes.buffer, bytes.byteOffset, bytes.length), Buffer.byteLength(before), bytes.length)
  return hash
}

/** Values as lists of companies have them: most of them alike in most places. */
const KINDS: Readonly<Record<string, (n: number) => string>> = {
  numbers: n => String(n),
  'padded numbers': n => String(n).padStart(8, '0'),
  'ids with a prefix': n => `SUP-${String(n).padStart(10, '0')}-EU`,
  names: n => `Müller Söhne ${n} GmbH`,
  'numbers apart': n => `${String(n % 1000).padStart(4, '0')}-----${Math.floor(n / 1000)}--`,
  phones: n => `+44 20 ${String(7_000_0000 + 7 * n)}`,
  dates: n => new Date(n * 60_000).toISOString(),
}

describe('the hash', () => {
  it.each(Object.entries(KINDS))('distinguishes 100,000 %s', (_, value) => {
    const seen = new Set<bigint>()
    for (let n = 0; n < 100_000; n++) {
      const { low, high } = hashOf(value(n))
      seen.add((BigInt(low) << 32n) ^ BigInt(high >>> 0))
    }
    expect(seen.size).toBe(100_000)
  })

  it('depends on the bytes alone, at any offset', () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 1, unit: anyCharacter }),
        fc.string({ minLength: 1, unit: anyCharacter }),
        fc.string(),
        (a, b, c) => {
          const { low, high } = hashOf(a)
          const isSame = Buffer.from(a).equals(Buffer.from(b))
          const other = hashOf(b, c)
          expect(other.low === low && other.high === high).toBe(isSame)
        },
      ),
    )
  })
})

describe('the sketch', () => {
  it.each(Object.entries(KINDS))('is within 5 % of the number of %s', (_, value) => {
    const sketch = new HyperLogLog()
    const next = [100, 1_000, 10_000, 20_000, 100_000]
    for (let n = 1; next.length > 0; n++) {
      sketch.add(hashOf(value(n)))
      sketch.add(hashOf(value(Math.ceil(n / 2))))
      if (n !== next[0]) continue
      next.shift()
      expect(Math.abs(sketch.count() / n - 1), `of ${n}`).toBeLessThan(0.05)
    }
  })

  it('has seen nothing at first', () => {
    expect(new HyperLogLog().count()).toBe(0)
  })
})

describe('different values', () => {
  it('of a column are counted exactly up to 12,287, then estimated', () => {
    const distinct = new DistinctCounter(false)
    const known = (): number => Array.from({ length: 12_287 }, (_, n) => distinct.add(hashOf(`value ${n}`))).indexOf(false)
    expect([known(), known()]).toEqual([-1, 0])
    expect([distinct.count, distinct.isEstimate]).toEqual([12_287, false])
    distinct.add(hashOf('one more'))
    expect(distinct.isEstimate).toBe(true)
    expect(Math.abs(distinct.count / 12_288 - 1)).toBeLessThan(0.05)
  })

  it('finds repeated keys until the table is full, and reports none after that', () => {
    const keys = new DistinctCounter(true)
    const add = (n: number): boolean => keys.add(hashOf(`key ${n}`))
    for (let n = 0; n < 393_215; n++) if (!add(n)) throw new Error(`${n} was taken for another`)
    expect([add(0), add(393_214), keys.isEstimate]).toEqual([false, false, false])
    add(393_215)
    expect([add(0), add(400_000), add(400_000), keys.isEstimate]).toEqual([true, true, true, true])
    expect(Math.abs(keys.count / 393_217 - 1)).toBeLessThan(0.05)
  })
})
