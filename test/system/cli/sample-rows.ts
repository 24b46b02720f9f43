/** Forty rows, each third of a company of the sample register: number, name, country. */
export const SAMPLE_ROWS = Array.from(
  { length: 40 },
  (_, at) => [at + 1, at % 3 === 0 ? 'Varnix Steel Ltd' : `Unlisted Works ${at} Ltd`, 'GB'] as const,
)
