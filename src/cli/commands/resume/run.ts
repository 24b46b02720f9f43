/** `fettle resume` and `fettle collect`: resume a run from its journal and print its report; a finished run is only printed. */
import { findResumable, resumeOrCollect } from '../../../app/index.ts'
import type { Body } from '../../command.ts'
import { textFlag } from '../../options/read.ts'
import { runRecorded } from '../run/recorded.ts'

export const bodyOf = (command: 'resume' | 'collect'): Body => ({
  run: (flags, io) =>
    runRecorded(command, flags, io, runsDir => {
      const found = findResumable(runsDir, textFlag(flags, 'run') ?? undefined)
      const plan = found.queued === null ? found.state.plan : null
      const name = found.queued?.pipeline ?? plan?.name ?? null
      const isFinished = found.queued === null && found.state.finished
      return { name, plan, isFinished, start: settings => resumeOrCollect(found, settings) }
    }),
})
