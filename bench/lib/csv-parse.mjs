/** csv-parse alone: rows as arrays, counted and thrown away. `node bench/lib/csv-parse.mjs FILE` */
import { createReadStream } from 'node:fs'
import { parse } from 'csv-parse'

let records = 0
const parser = createReadStream(process.argv[2], { highWaterMark: 1_048_576 }).pipe(parse())
parser.on('data', () => records++)
parser.on('end', () => console.log(JSON.stringify({ rows: records - 1 })))
parser.on('error', error => {
  throw error
})
