/** Renders the table of limits of docs/limits.md. */
import { LIMIT_TABLE } from '../../../src/service/limits.ts'

const UNITS: Readonly<Record<'bytes' | 'ms', readonly (readonly [number, string])[]>> = {
  bytes: [
    [1024 ** 3, 'GiB'],
    [1024 ** 2, 'MiB'],
    [1024, 'KiB'],
    [1, 'B'],
  ],
  ms: [
    [86_400_000, 'd'],
    [3_600_000, 'h'],
    [60_000, 'min'],
    [1_000, 's'],
    [1, 'ms'],
  ],
}

const shown = (name: string, value: number): string => {
  const units = name.endsWith('Bytes') ? UNITS.bytes : name.endsWith('Ms') ? UNITS.ms : []
  const [size, unit] = units.find(([one]) => value >= one && value % one === 0) ?? [1, '']
  return `${(value / size).toLocaleString('en-GB')} ${unit}`.trim()
}

/** The table as Markdown. */
export function limitsMarkdown(): string {
  const rows = Object.entries(LIMIT_TABLE).map(
    ([name, { value, of, beyond }]) => `| \`${name}\` | ${of} | ${shown(name, value)} | ${beyond} |`,
  )
  return ['| name | limited | limit | above it |', '|---|---|---|---|', ...rows, ''].join('\n')
}
