/**
 * Random numbers for objects of tenants, so that a number reveals nothing about other numbers. Numbers of earlier versions
 * counted up from 1 and stay valid.
 */
import { randomInt } from 'node:crypto'

// Nine digits, like the documented samples; earlier versions never counted that far.
const FIRST = 100_000_000
const LAST = 999_999_999

/** Returns a free number; call it in the transaction that stores the number. */
export function freshNumber(isTaken: (number: number) => boolean): number {
  for (;;) {
    const number = randomInt(FIRST, LAST + 1)
    if (!isTaken(number)) return number
  }
}
