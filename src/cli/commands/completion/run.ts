/** `fettle completion`: the script that makes a shell complete commands, flags and runs. */
import { EXIT } from '../../../errors.ts'
import type { Body, Command } from '../../command.ts'
import { needText } from '../../options/read.ts'
import { completionFor, type Shell } from './completions.ts'

/** The body of the command; the table it tells of is handed in, since it stands in there itself. */
export const bodyFor = (commands: readonly Command[]): Body => ({
  async run(flags, io) {
    io.out(completionFor(needText(flags, 'shell') as Shell, commands))
    return EXIT.ok
  },
})
