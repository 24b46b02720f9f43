/** Which changes the documented rules with parameters report (contract §7.2). Without any parameter they report every change. */
import type { Difference } from '../portfolios/company-facts.ts'

type Reports = (change: Pick<Difference, 'old' | 'new'>, params: readonly string[]) => boolean

const isUnset = (params: readonly string[]): boolean => params.every(param => param === '')

/** 1 for A to 5 for E, null for any other text. */
function bandOf(text: string): number | null {
  const at = 'ABCDE'.indexOf(text.trim().toUpperCase())
  return text.trim().length === 1 && at >= 0 ? at + 1 : null
}

/** `1,000.50` is 1000.5; null for a text that is no number. */
function amountOf(text: string): number | null {
  const plain = text.replaceAll(/[\s,]/g, '')
  return /^-?\d+(\.\d+)?$/.test(plain) ? Number(plain) : null
}

/** `Any` reports every change. Otherwise a drop by this number of bands, or into a band at or below the letter. */
export const reportsRating: Reports = ({ old, new: now }, [bands = '', letter = '']) => {
  if (letter === 'Any' || isUnset([bands, letter])) return true
  const [was, is] = [bandOf(old), bandOf(now)]
  if (was === null || is === null) return true
  const worst = bandOf(letter)
  return (bands !== '' && is - was >= Number(bands)) || (worst !== null && is > was && is >= worst)
}

const dropsBy = (was: number, is: number, percent: string): boolean =>
  percent !== '' && is < was && (was - is) * 100 >= Number(percent) * Math.abs(was)

/** `true` reports every change. Otherwise a reduction by this percentage, or below this amount. */
export const reportsLimit: Reports = ({ old, new: now }, [any = '', percent = '', least = '']) => {
  if (any === 'true' || isUnset([percent, least])) return true
  const [was, is] = [amountOf(old), amountOf(now)]
  if (was === null || is === null) return true
  return dropsBy(was, is, percent) || (least !== '' && is < Number(least) && is < was)
}

export const reportsScore: Reports = ({ old, new: now }, [percent = '']) => {
  if (percent === '') return true
  const [was, is] = [amountOf(old), amountOf(now)]
  return was === null || is === null || dropsBy(was, is, percent)
}
