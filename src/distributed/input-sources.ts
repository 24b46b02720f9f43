/** The addresses that a worker may fetch inputs from. */
import { FettleError } from '../errors.ts'
import { whyNotAddress } from '../pipeline/index.ts'

/** Throws FETTLE_USAGE for an address that is neither an object nor a folder of objects. */
export function proveInputPlace(address: string): void {
  const isWhole = URL.canParse(address) && new URL(address).search === ''
  const why = !isWhole
    ? 'is not an address without a query'
    : address.endsWith('/')
      ? whyNotAddress(`${address}object`)
      : whyNotAddress(address)
  if (why === null) return
  throw new FettleError('FETTLE_USAGE', `the input source ${isWhole ? `${address} ` : ''}${why}`, {
    hint: 'Give s3://bucket/folder/ or https://host/folder/, or the address of one list.',
  })
}

/** Whether an address is `place`, or is below it when `place` ends in a slash. */
export function isBelow(place: string, address: string): boolean {
  if (!URL.canParse(address)) return false
  const [from, to] = [new URL(place), new URL(address)]
  if (from.protocol !== to.protocol || from.host !== to.host) return false
  if (!from.pathname.endsWith('/')) return from.pathname === to.pathname
  // A server may read an encoded slash as one, and step out of the folder.
  return to.pathname.startsWith(from.pathname) && (from.pathname === '/' || !/%(2f|5c)/i.test(to.pathname))
}
