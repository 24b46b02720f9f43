/** Limits of a verification, such as `recall.unchanged < 100%`, in the language of the checks of a pipeline. */
import { count } from '../counted.ts'
import { nearest, parseThreshold, type Threshold } from '../pipeline/index.ts'
import { isBeyond, percent } from '../run/index.ts'
import { MUTATION_NAMES } from './mutations.ts'

export const KINDS = ['persons', 'organisations'] as const
export type Kind = (typeof KINDS)[number]

/** `alerts` counts innocents with an alert; a limit without % is per 1,000 of them. */
export interface Check {
  readonly text: string
  readonly measure: string
  readonly threshold: Threshold
}

export interface JudgedCheck {
  readonly text: string
  readonly measured: string
  readonly success: boolean
}

/** What a measure counts: how many of how many. */
export interface Counted {
  readonly asked: number
  readonly found: number
}

/** `recall.unchanged`, `recall.persons.unchanged`, `alerts`, `alerts.persons`. */
const MEASURES: readonly string[] = [
  ...MUTATION_NAMES.flatMap(name => [`recall.${name}`, ...KINDS.map(kind => `recall.${kind}.${name}`)]),
  ...['alerts', ...KINDS.map(kind => `alerts.${kind}`)],
]

const NAMED = `${MUTATION_NAMES.map(name => `recall.${name}`).join(', ')}, alerts; of one kind recall.persons.unchanged, alerts.organisations`

/** The check, or what is wrong with the text. */
export function parseCheck(text: string): Check | { readonly why: string; readonly hint: string } {
  const [, measure = '', rest = ''] = /^\s*([\w.]+)\s*([<>][\s\S]*)$/.exec(text) ?? []
  if (measure === '') return { why: 'expected a measure and a limit', hint: 'Write it as "recall.unchanged < 100%".' }
  if (!MEASURES.includes(measure)) {
    const close = nearest(measure, MEASURES)
    return {
      why: `unknown measure ${measure}${close === null ? '' : `; did you mean ${close}?`}`,
      hint: `There are ${NAMED}.`,
    }
  }
  const threshold = parseThreshold(rest)
  const isRecall = measure.startsWith('recall')
  if (threshold === null || (isRecall && threshold.unit !== 'share'))
    return {
      why: `${rest.trim()} is not a limit of ${measure}`,
      hint: isRecall ? 'Write a share, such as "< 99.5%".' : 'Write a share, such as "> 0.3%", or alerts per 1,000: "> 3".',
    }
  return { text: text.trim(), measure, threshold }
}

/** What was not asked is not proved: it fails. */
export function judge({ text, threshold }: Check, { asked, found }: Counted): JudgedCheck {
  if (asked === 0) return { text, measured: 'not measured: no name was searched', success: false }
  const share = found / asked
  const isPer1000 = threshold.unit === 'rows'
  const value = isPer1000 ? share * 1000 : share
  const shown = isPer1000 ? `${perThousand(share)} of 1,000` : percent(share, threshold.value)
  return { text, measured: `${shown} (${count(found)} of ${count(asked)})`, success: !isBeyond(value, threshold) }
}

export const perThousand = (share: number): string => (share * 1000).toFixed(1).replace(/\.0$/, '')
