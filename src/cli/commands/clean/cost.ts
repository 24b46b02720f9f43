/** `clean` sends nothing to a service that may charge before a person has agreed to the cost, or a flag has. */
import { goesOn } from '../../../app/index.ts'
import type { Prepared } from '../../../app/prepare/prepare.ts'
import { FettleError } from '../../../errors.ts'
import { escapeTerminal } from '../../../report/formats/escape.ts'
import { counted } from '../../../report/words.ts'
import type { Flags } from '../../command.ts'
import { isOn, needText, wholeFlag } from '../../options/read.ts'
import type { Io } from '../../terminal/io.ts'
import { withPrompt } from '../../terminal/prompt.ts'

export const budgetFlag = (flags: Flags): number | null => wholeFlag(flags, 'budget', 0, 1_000_000_000)

/**
 * Whether to go on. Prints what the run costs at most, and asks at a terminal; a run that continues was agreed to before. Throws
 * FETTLE_USAGE without a terminal, --yes and --budget.
 */
export async function agreesToCost({ plan, credentials }: Prepared, flags: Flags, io: Io): Promise<boolean> {
  if (plan === null || plan.service.kind === 'embedded' || plan.enrich === null) return true
  const most = Math.min(plan.sent, plan.budget.credits ?? plan.sent)
  const cost = `${plan.service.url} gets ${counted(plan.sent, 'row')} and may charge up to ${counted(most, 'credit')}`
  const isAgreed = isOn(flags, 'yes') || plan.budget.credits !== null
  if (isAgreed || goesOn(needText(flags, 'runs-dir'), plan, credentials)) {
    if (!isOn(flags, 'quiet')) io.err(escapeTerminal(cost))
    return true
  }
  return withPrompt(io, async ask => {
    if (ask === null)
      throw new FettleError('FETTLE_USAGE', `${cost}; nothing was sent, because this is not a terminal to ask at`, {
        hint: 'Pass --budget N to limit the credits, or --yes.',
      })
    const answer = await ask(escapeTerminal(`${cost}. Send? [y/N] `))
    if (/^y(es)?$/i.test(answer ?? '')) return true
    io.err('nothing was sent')
    return false
  })
}
