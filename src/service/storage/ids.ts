/**
 * Numbers that name what belongs to tenants: random ones, so that a number says nothing of how many others were given, to whom or when.
 * Numbers given by earlier versions counted up from 1 and stay valid.
 */
import { randomInt } from 'node:crypto'

// Nine digits, like the documented samples; earlier versions never came that far.
const FIRST = 100_000_000
const LAST = 999_999_999

/** A number that is not taken yet; called inside the transaction that takes it. */
export function freshNumber(isTaken: (number: number) => boolean): number {
  for (;;) {
    const number = randomInt(FIRST, LAST + 1)
    if (!isTaken(number)) return number
  }
}
