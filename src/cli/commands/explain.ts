/** `fettle explain`: prints the entries of the table of errors, by code or exit code. */
import { ERRORS, type ErrorCode, EXIT } from '../../errors.ts'
import { nearest } from '../../pipeline/index.ts'
import { shellCommand } from '../../shell-command.ts'
import { type Flags, usageError } from '../command.ts'
import { textFlag } from '../options/read.ts'
import type { Io } from '../terminal/io.ts'

const describe = (code: ErrorCode): string => {
  const { kind, text, hint, action, isNotice } = ERRORS[code]
  const command = action === null ? '' : `\n  ${shellCommand(action)}`
  const exit = isNotice ? 'a note or a warning, no exit code' : `${kind}, exit ${EXIT[kind]}`
  return `${code}  (${exit})\n  ${text}\n  ${hint}${command}`
}

export async function run(flags: Flags, io: Io): Promise<number> {
  const wanted = textFlag(flags, 'code')
  const codes = Object.keys(ERRORS) as ErrorCode[]
  const code = wanted?.toUpperCase() ?? ''
  const isExit = ({ isNotice, kind }: (typeof ERRORS)[ErrorCode]): boolean => !isNotice && EXIT[kind] === Number(code)
  const found = codes.filter(known => wanted === null || (/^\d+$/.test(code) ? isExit(ERRORS[known]) : known === code))
  if (code === '0') io.text('0  (ok)\n  Everything worked; warnings are allowed.')
  else if (found.length > 0) io.text(found.map(describe).join('\n\n'))
  else {
    const longer = codes.filter(known => known.startsWith(`${code}_`))
    const near = longer.length > 0 ? longer.join(', ') : nearest(code, codes)
    throw usageError(`no such code: ${wanted}`, near === null ? 'See `fettle explain`.' : `Did you mean ${near}?`)
  }
  return EXIT.ok
}
