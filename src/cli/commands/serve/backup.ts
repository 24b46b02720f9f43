/** `fettle serve backup`: writes all data of a service to one archive, also while it runs. */
import { resolve } from 'node:path'
import { counted } from '../../../counted.ts'
import { EXIT } from '../../../errors.ts'
import { escapeTerminal, safeJson } from '../../../report/index.ts'
import { backup } from '../../../service/index.ts'
import type { Flags } from '../../command.ts'
import { isOn, needText } from '../../options/read.ts'
import type { Io } from '../../terminal/io.ts'
import { serviceDirOf } from './users.ts'

export async function run(flags: Flags, io: Io): Promise<number> {
  const file = resolve(io.cwd, needText(flags, 'what'))
  const { bytes, online } = await backup({ dataDir: serviceDirOf(flags, io), file, signal: io.signal })
  if (isOn(flags, 'json')) io.out(safeJson({ schema: 'fettle/backup/v1', file, bytes, online }))
  else
    io.err(
      `wrote ${escapeTerminal(file)}: ${counted(bytes, 'byte')}, ${online ? 'of the running service' : 'no service was running'}`,
    )
  return EXIT.ok
}
