/** One thread of threads.ts: answers batches of rows from an index that it shares with the others. Knows no job. */
import { parentPort, workerData } from 'node:worker_threads'
import { type IndexImage, match, type Query, viewIndex } from '../../matching/index.ts'
import { matchResultOf } from '../../registers/engine.ts'

const index = viewIndex(workerData as IndexImage)

// Text, not objects: rows by the thousand cross the border faster so.
parentPort?.on('message', (batch: string) => {
  const queries = JSON.parse(batch) as Query[]
  parentPort?.postMessage(JSON.stringify(queries.map(query => matchResultOf(match(index, query)))))
})
