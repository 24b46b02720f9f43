/** The pipeline of a cassette: it repeats a run over the list of the cassette. Texts of the user are placeholders. */
import type { redactFor } from '../../client/record/recorder.ts'
import type { Plan } from '../../pipeline/index.ts'

/** Columns are named by number, since headers may be placeholders; paths are set when the cassette is unpacked. */
export function casePipeline(plan: Plan, redact: ReturnType<typeof redactFor>): Readonly<Record<string, unknown>> {
  const { input, key, parts, concurrency, collapse, enrich, poll, retry, output, portfolio, screen, after } = plan
  const mappings = plan.mappings.map(({ mapping, index, value, pad, trim }) => [
    mapping,
    {
      ...(value === undefined ? { index } : { value: redact.text(value) }),
      ...(pad === null ? {} : { pad }),
      ...(trim ? { trim } : {}),
    },
  ])
  // The match rate of an earlier run is not known to a replay.
  const checks = plan.checks
    .filter(({ name }) => name !== 'drift')
    .map(({ name, warn, fail }) => [
      name,
      { ...(warn === null ? {} : { warn: warn.text }), ...(fail === null ? {} : { fail: fail.text }) },
    ])
  return {
    name: 'case',
    input: { path: '', header: input.header !== null, ...(key === null ? {} : { key: { index: key.index } }) },
    mappings: Object.fromEntries(mappings),
    job: { ...(parts.length > 1 ? { split: parts[0]!.rows } : {}), concurrency, collapse },
    enrich: enrich === null ? 'none' : { product: enrich.product, tags: enrich.tags },
    // A replay answers at once: the same number of polls takes less time.
    poll: { every: '500ms', max: '500ms', timeout: `${Math.max(500, poll.timeoutMs)}ms` },
    retry: { attempts: retry.attempts },
    checks: Object.fromEntries(checks),
    ...(output === null ? {} : { output: { path: '', format: 'csv', columns: output.columns } }),
    ...(portfolio == null
      ? {}
      : {
          portfolio: {
            ...(portfolio.name === null
              ? { id: Number(redact.text(String(portfolio.id))) }
              : { name: redact.text(portfolio.name) }),
            ...(portfolio.reference === null ? {} : { reference: { index: portfolio.reference.index } }),
            ...(portfolio.rules === undefined ? {} : { rules: portfolio.rules }),
            ...(portfolio.sync === undefined ? {} : { sync: true }),
            ...(portfolio.remove === undefined
              ? {}
              : { remove: portfolio.remove.max === null ? 'gone' : { max: `${portfolio.remove.max * 100}%` } }),
          },
        }),
    ...(screen == null
      ? {}
      : {
          screen: {
            datasets: screen.datasets,
            threshold: screen.threshold,
            ...(screen.countries.length === 0 ? {} : { countries: screen.countries.map(code => redact.text(code)) }),
            ...(screen.budget === null ? {} : { budget: screen.budget }),
          },
        }),
    ...(after === undefined ? {} : { after }),
  }
}
