/** The pipeline of a cassette: it repeats a run over the list of the cassette. Texts of the user are placeholders. */
import type { redactFor } from '../../client/record/recorder.ts'
import { type Plan, restorePipeline } from '../../pipeline/index.ts'

/** Columns are named by number, since headers may be placeholders; paths are set when the cassette is unpacked. */
export function casePipeline(plan: Plan, redact: ReturnType<typeof redactFor>): Readonly<Record<string, unknown>> {
  const pipeline = restorePipeline(redactPlan(plan, redact))
  const { input, mappings, job, enrich, poll, retry, checks, output, portfolio, screen, after } = pipeline
  return {
    ...{ mappings, retry, checks, portfolio, screen, after },
    name: 'case',
    input: { path: '', ...input },
    job: { ...job, companyNumbers: undefined },
    enrich: plan.enrich ?? enrich,
    // A replay answers at once: the same number of polls takes less time.
    poll: { every: '500ms', max: '500ms', timeout: poll.timeout },
    output: output && { path: '', format: 'csv', columns: plan.output?.columns },
  }
}

function redactPlan(plan: Plan, redact: ReturnType<typeof redactFor>): Plan {
  const { portfolio, screen } = plan
  return {
    ...plan,
    mappings: plan.mappings.map(rule => (rule.value === undefined ? rule : { ...rule, value: redact.text(rule.value) })),
    // The match rate of an earlier run is not known to a replay.
    checks: plan.checks.filter(({ name }) => name !== 'drift'),
    portfolio: portfolio && {
      ...portfolio,
      name: portfolio.name && redact.text(portfolio.name),
      id: portfolio.name === null ? Number(redact.text(String(portfolio.id))) : null,
    },
    screen: screen && { ...screen, countries: screen.countries.map(code => redact.text(code)) },
  }
}
