/** `fettle completion`: prints the completion script of a shell. */
import { EXIT } from '../../../errors.ts'
import type { Body, Command } from '../../command.ts'
import { needText } from '../../options/read.ts'
import { completionFor, type Shell } from './completions.ts'

/** The table is an argument, since it contains this command itself. */
export const bodyFor = (commands: readonly Command[]): Body => ({
  async run(flags, io) {
    io.out(completionFor(needText(flags, 'shell') as Shell, commands))
    return EXIT.ok
  },
})
