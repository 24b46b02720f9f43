/** Company tables to measure with: ten columns, a quarter of the names in quotes, line breaks in cells, accents, no row twice. */
import { open } from 'node:fs/promises'

const COLUMNS = ['id', 'Company Name', 'Reg No', 'Address', 'Town', 'Postcode', 'Country', 'Phone', 'Mail', 'Status']
const BATCH = 5_000

function row(n) {
  const name = n % 4 === 0 ? `"Acme ""Best"" Trading ${n}, Ltd"` : `Müller Söhne ${n} GmbH`
  const address = n % 33 === 0 ? '"1 High Street\nFlat 2"' : `${n % 200} High Street`
  return `${n},${name},0${1_000_000 + n},${address},Köln,SW1A ${n % 10}AA,GB,+44 20 7946 0${n % 1000},info${n}@example.com,active\n`
}

/** Writes a table of at least so many `rows` or `bytes`; gives its rows and bytes. It is on the disk when this returns. */
export async function writeTable(path, { rows = Number.POSITIVE_INFINITY, bytes = Number.POSITIVE_INFINITY }) {
  const handle = await open(path, 'wx', 0o600)
  let size = (await handle.write(`${COLUMNS.join(',')}\n`)).bytesWritten
  let count = 0
  while (count < rows && size < bytes) {
    let batch = ''
    for (const end = Math.min(rows, count + BATCH); count < end; ) batch += row(++count)
    size += (await handle.write(batch)).bytesWritten
  }
  // Or the disk is still at work while we measure.
  await handle.sync()
  await handle.close()
  return { rows: count, bytes: size }
}
