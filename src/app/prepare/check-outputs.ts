/** Whether the outputs of a plan can be written, asked before anything is paid for. It writes none of them. */
import { checkWritable } from '../../files/atomic-file.ts'
import { formatOfOutput, isTableName } from '../../formats/index.ts'
import { requirePackages } from '../../formats/writers.ts'
import { isAddress, isDatabase, type Plan, RUN_OUTPUT } from '../../pipeline/index.ts'
import { placeOf } from '../../results/output/writers.ts'
import { assertMayOpen } from '../env/trust.ts'
import { objectPlaceOf, type StorageOptions, withObjects } from '../staging/remote-files.ts'
import { checkTableOf } from '../staging/tables.ts'

/** A disk or a store that will refuse the outputs is better known early. Throws FETTLE_OUTPUT_WRITE, FETTLE_SETTINGS, FETTLE_CREDENTIALS. */
export async function checkOutputsWritable(
  plan: Plan,
  settings: Omit<StorageOptions, 'attempts'> & { readonly cwd: string },
): Promise<void> {
  const { output, shard, retry } = plan
  // A shard writes no outputs; the merge does.
  if (shard !== undefined || output === null) return
  if (plan.events !== undefined) await checkWritable(plan.events.output, { root: settings.cwd, isShared: true })
  const paths = [output.path, output.unmatched, output.review].filter(path => path !== null)
  for (const path of paths) await requirePackages(formatOfOutput(path, output.format))
  for (const path of paths.filter(one => one !== RUN_OUTPUT && !isAddress(one)))
    await checkWritable(path, { ...placeOf(output, path, settings.cwd), isShared: true })
  const { attempts } = retry
  for (const path of paths.filter(isAddress)) assertMayOpen(settings.env, path)
  if (output.table !== undefined) await checkTableOf(plan, output, { ...settings, attempts })
  const far = paths.filter(one => isAddress(one) && !isDatabase(one))
  if (far.length === 0) return
  await withObjects({ ...settings, attempts }, async objects => {
    for (const path of far)
      await objects.checkWritable(objectPlaceOf(path, settings.links), isTableName(path, formatOfOutput(path, output.format)))
  })
}
