/** The enriched file as JSON, made of the CSV when a client asks for it: it is several times as large, and few do. */
import { createReadStream, existsSync } from 'node:fs'
import { parseRows } from '../../csv/csv.ts'
import { writeWhole } from '../../storage/atomic-file.ts'
import type { Pace } from './job-pace.ts'

/** Makes names unique for JSON objects: the second `Name` becomes `Name (2)`. The CSV keeps its header. */
export function uniqueNames(names: readonly string[]): string[] {
  const used = new Set<string>()
  return names.map(name => {
    let unique = name
    for (let n = 2; used.has(unique); n++) unique = `${name} (${n})`
    used.add(unique)
    return unique
  })
}

/** Writes an array of one object a row to `json`, unless it is there. */
export async function writeJson(csv: string, json: string, pace: Pace): Promise<void> {
  if (existsSync(json)) return
  await writeWhole(json, async write => {
    let names: string[] | null = null
    let rows = 0
    const options = { bom: false, skip_empty_lines: false, record_delimiter: '\n', relax_column_count: true }
    for await (const cells of parseRows<string[]>(createReadStream(csv), options)) {
      if (names === null) {
        names = uniqueNames(cells)
        await write('[')
        continue
      }
      // fromEntries defines properties: a column called __proto__ is plain data.
      const row = Object.fromEntries(names.map((name, index) => [name, cells[index]]))
      await write(`${rows === 0 ? '' : ','}\n${JSON.stringify(row)}`)
      rows += 1
      await pace()
    }
    await write('\n]\n')
  })
}
