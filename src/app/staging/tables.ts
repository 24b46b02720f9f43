/** A table of a database as an output: the rows become a file in the folder of the run, and the table from it in one transaction. */
import { basename, resolve } from 'node:path'
import type { TableColumn, TablePlace } from '../../client/database/database.ts'
import { checkTable, writeTable } from '../../client/database/write-table.ts'
import { openSink, removeFile, type Sink, type SinkOptions } from '../../files/atomic-file.ts'
import { columnName, outputNames } from '../../model/columns.ts'
import { isNear, type Plan, type PlannedOutput, splitTable } from '../../pipeline/index.ts'
import { assertMayOpen } from '../env/trust.ts'
import { databaseOf } from './queries.ts'
import type { StorageOptions } from './remote-files.ts'

function placeOf({ path, table }: PlannedOutput, storage: StorageOptions): TablePlace {
  assertMayOpen(storage.env, path)
  const { shown, url } = databaseOf(path, storage)
  const name = splitTable(path).table ?? ''
  return {
    shown: splitTable(shown).url,
    url: splitTable(url).url,
    table: name,
    mode: table?.mode ?? 'replace',
    key: table?.key ?? [],
  }
}

const asking = ({ attempts, signal }: StorageOptions) => ({ isNear, attempts, signal })

/** Whether the table can take the rows of the plan. Throws FETTLE_OUTPUT_WRITE, FETTLE_SETTINGS. */
export function checkTableOf({ input }: Plan, output: PlannedOutput, storage: StorageOptions): Promise<void> {
  const own = input.header ?? Array.from({ length: input.columns }, (_, index) => columnName(index))
  const columns = outputNames(output, own).map(name => ({ name, type: 'string' }))
  return checkTable(placeOf(output, storage), columns, asking(storage))
}

/** A sink whose content becomes rows of a table when it is published; until then it is a file in the folder of the run. */
export async function openTableSink(
  output: PlannedOutput,
  workDir: string,
  options: SinkOptions,
  storage: StorageOptions,
): Promise<Sink> {
  const place = placeOf(output, storage)
  const at = resolve(workDir, '.table.sent.tmp')
  const local = await openSink(at, options.tag === undefined ? {} : { tag: options.tag })
  let sha256 = ''
  let columns: readonly TableColumn[] = []
  return {
    path: output.path,
    // Rows that fail a check go into no table.
    hasFixedName: true,
    get bytes() {
      return local.bytes
    },
    columns(all) {
      columns = all
    },
    write: bytes => local.write(bytes),
    finish: async () => (sha256 = await local.finish()),
    async publish() {
      await local.publish()
      try {
        await writeTable(place, { runId: basename(workDir), columns, sha256, path: at }, asking(storage))
      } finally {
        await removeFile(at)
      }
    },
    discard: () => local.discard(),
  }
}
