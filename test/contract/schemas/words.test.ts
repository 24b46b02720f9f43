/** The terms of the contract: statuses with their phases (§5.5), the order of statuses (§14.1), mapping names (§5.4), tags (§5.7). */
import { describe, expect, test } from 'vitest'
import {
  enrichPhase,
  goesBack,
  hasEnrichment,
  hasSubmission,
  hasUpload,
  IDENTIFIERS,
  isKnownStatus,
  JOB_STATUSES,
  MAPPINGS,
  matchPhase,
  TAGS,
} from '../../../src/contract/index.ts'

/** Contract §5.5: status, phase while matching, phase while enriching; `-` where the table says nothing. */
const TABLE = `
  created                    idle    -
  uploading                  wait    -
  uploadError                failed  -
  uploaded                   idle    -
  ready                      idle    -
  matching                   wait    -
  matchingError              failed  -
  matched                    wait    idle
  addingToPortfolio          done    wait
  addedToPortfolio           done    done
  addedToPortfolioError      done    failed
  aggregating                wait    -
  aggregatingComplete        wait    -
  aggregatingError           failed  -
  transformFileError         failed  -
  generateTrilliumFileError  failed  -
  jobMatchingComplete        done    idle
  jobMatchingCompletionError failed  -
  readyForEnriching          done    wait
  enriching                  done    wait
  enrichmentError            done    failed
  enriched                   done    wait
  enrichmentComplete         done    done
  enrichmentCompletionError  done    failed
  pdfGenerationError         done    failed`
  .trim()
  .split('\n')
  .map(row => row.trim().split(/ +/) as [string, string, string])

/** Contract §14.1: what the embedded service walks through. */
const WALK =
  'created uploading uploaded ready matching matched aggregating aggregatingComplete jobMatchingComplete readyForEnriching enriching enriched enrichmentComplete'.split(
    ' ',
  )

describe('statuses', () => {
  test('are the 25 of the contract, in its order', () => {
    expect(TABLE).toHaveLength(25)
    expect(JOB_STATUSES).toEqual(TABLE.map(([status]) => status))
  })

  test.each(TABLE)('%s is %s while matching and %s while enriching', (status, match, enrich) => {
    expect(isKnownStatus(status)).toBe(true)
    expect(matchPhase(status, true)).toBe(match)
    expect(matchPhase(status, false)).toBe(status === 'matched' ? 'done' : match)
    // Where the table says nothing nobody should be enriching: whatever it is, it is not done.
    if (enrich === '-') expect(enrichPhase(status)).not.toBe('done')
    else expect(enrichPhase(status)).toBe(enrich)
  })

  test.each([
    ['polishing', 'wait'],
    ['Matched', 'wait'],
    ['errorFree', 'wait'],
    ['polishingError', 'failed'],
    ['polishingFailed', 'failed'],
    ['toString', 'wait'],
    ['__proto__', 'wait'],
  ])('the unknown word %s is %s', (status, phase) => {
    expect(isKnownStatus(status)).toBe(false)
    expect([matchPhase(status, true), matchPhase(status, false), enrichPhase(status)]).toEqual([phase, phase, phase])
  })

  test('the status shows which effects were requested', () => {
    const first = (has: (status: string) => boolean) => WALK.findIndex(has)
    expect([first(hasUpload), first(hasSubmission), first(hasEnrichment)].map(index => WALK[index])).toEqual([
      'uploaded',
      'matching',
      'enriching',
    ])
    for (const has of [hasUpload, hasSubmission, hasEnrichment]) expect(WALK.slice(first(has)).every(has)).toBe(true)
    expect(hasUpload('uploadError')).toBe(false)
    expect(hasSubmission('matchingError')).toBe(true)
    expect(hasEnrichment('enrichmentError')).toBe(true)
  })

  test('goesBack is true only along the usual order', () => {
    for (const [index, status] of WALK.entries()) {
      for (const earlier of WALK.slice(0, index)) expect(goesBack(status, earlier)).toBe(true)
      for (const later of WALK.slice(index)) expect(goesBack(status, later)).toBe(false)
    }
    for (const aside of ['addingToPortfolio', 'addedToPortfolio', 'matchingError', 'polishing']) {
      expect(goesBack('enrichmentComplete', aside)).toBe(false)
      expect(goesBack(aside, 'created')).toBe(false)
    }
  })
})

test('there are 20 mapping names, spelled as the service spells them', () => {
  expect(MAPPINGS.join(' ')).toBe(
    'companyId orgNumber name tradingName aliasName previousName phone email address1 address2 ' +
      'address3 town postcode region country countryCode vatNumber taxCode personalID personalLimit',
  )
  expect(new Set(MAPPINGS).size).toBe(20)
  expect(IDENTIFIERS).toEqual(['companyId', 'orgNumber', 'vatNumber', 'taxCode'])
})

describe('enrichment tags', () => {
  const groups = (tags: readonly string[]): Record<string, number> => {
    const counts: Record<string, number> = {}
    for (const tag of tags) counts[tag.split('.', 1)[0]!] = (counts[tag.split('.', 1)[0]!] ?? 0) + 1
    return counts
  }

  test('34, 163 and 664 names without repeats, each product beginning with the one before', () => {
    expect([TAGS.basic.length, TAGS.basicPlus.length, TAGS.standard.length]).toEqual([34, 163, 664])
    expect(new Set(TAGS.standard).size).toBe(664)
    expect(TAGS.basicPlus.slice(0, 34)).toEqual(TAGS.basic)
    expect(TAGS.standard.slice(0, 163)).toEqual(TAGS.basicPlus)
    for (const tag of TAGS.standard) expect(tag).toMatch(/^[a-zA-Z0-9]+(?:\.[a-zA-Z0-9_]+)+$/)
  })

  test('each group has the number of tags of the contract', () => {
    expect(groups(TAGS.basic)).toEqual({ general: 30, contact: 4 })
    expect(groups(TAGS.basicPlus.slice(34))).toEqual({ general: 81, contact: 40, financials: 5, group: 3 })
    expect(groups(TAGS.standard.slice(163))).toEqual({
      ...{ financials: 321, financialsNonConsolidated: 56, negatives: 33, group: 32, directors: 26 },
      ...{ rating: 23, limit: 4, shareholders: 3, general: 3 },
    })
  })
})
