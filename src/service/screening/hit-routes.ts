/** Routes of the hits of AML searches: lists, full records, decisions, notes, and PDFs with their layout (contract §6.4 to §6.7). */

import type { FastifyInstance } from 'fastify'
import type { z } from 'zod'
import {
  HIT_DECISIONS,
  type HitDecision,
  hitDecision,
  OPERATIONS,
  pathOf,
  REQUESTED_DECISIONS,
  readDecision,
} from '../../contract/index.ts'
import type { AppDeps } from '../deps.ts'
import { runIdempotent } from '../http/idempotency.ts'
import { type PdfSection, renderPdf, requirePdf } from '../http/pdf.ts'
import { type Call, checkBody, createRouter, findWindow, type LinkRoute } from '../http/route.ts'
import { badRequest, conflict, Refusal } from '../refusal.ts'
import { looseBatch, runBatch } from './batch.ts'
import { type Entry, type Listing, listDatasets } from './entry.ts'
import { fullHitRecord, hitRecord, type NameOf, userNames } from './records.ts'
import type { Screener, SearchType } from './screener.ts'
import type { Hit, HitPatch, Search } from './searches-store.ts'

type HitDocument = { search: Search; hit: Hit; entry: Entry; nameOf: NameOf; snapshots: readonly number[]; now: number }

const utc = (millis: number): string => `${new Date(millis).toISOString().slice(0, 19).replace('T', ' ')} UTC`
const joinTexts = (values: readonly string[]): string => values.join(', ')
const withValues = (all: [string, string][]): [string, string][] => all.filter(([, value]) => value !== '')

const listingRows = ({ code, body, regime, reference, origin, measures, what, country, from, to }: Listing): [string, string][] =>
  withValues([
    ['Dataset', code],
    ['Listed by', body],
    ['Reference', reference],
    ['Origin', origin],
    ['Regime', regime],
    ['Measures', joinTexts(measures)],
    ['Position or category', what],
    ['Country', country],
    ['From', from],
    ['To', to],
  ])

const searchRows = ({ search, nameOf }: HitDocument): [string, string][] =>
  withValues([
    ['Name searched', search.name],
    ['Type', search.type],
    ['Threshold', String(search.threshold)],
    ['Datasets', joinTexts(search.datasets)],
    ['Countries', joinTexts(search.countryCodes)],
    ['Date of birth', search.dateOfBirth ?? ''],
    ['Searched', `${utc(search.createdAt)}, by ${nameOf(search.createdBy) ?? ''}`],
    ['Status', search.status],
    ['Risk rating', search.riskRating],
    ['Search', search.id],
  ])

function readings(snapshots: readonly number[]): string {
  const last = snapshots.at(-1)
  if (last === undefined) return 'never'
  return snapshots.length === 1 ? `once, ${utc(last)}` : `${snapshots.length} times, last ${utc(last)}`
}

const hitRows = ({ hit, entry, nameOf, snapshots }: HitDocument): [string, string][] =>
  withValues([
    ['Name on the list', entry.name],
    ['Name that matched', hit.match],
    ['Score', String(hit.score)],
    ['Decision', hit.decision],
    ['Last changed', `${utc(hit.modifiedAt)}, by ${nameOf(hit.modifiedBy) ?? ''}`],
    ['Note', hit.note ?? ''],
    ['Record read', readings(snapshots)],
    ['Hit', hit.id],
  ])

const entryRows = (entry: Entry): [string, string][] =>
  withValues([
    ['Datasets', joinTexts(listDatasets(entry.listings))],
    ['Countries', joinTexts(entry.countries)],
    ['Gender', entry.gender],
    ['Dates of birth', joinTexts(entry.datesOfBirth)],
    ['Dates of death', joinTexts(entry.datesOfDeath)],
    ['PEP tier', entry.pepTier === null ? '' : String(entry.pepTier)],
    ['Kind', joinTexts(entry.businessTypes)],
    ['Description', entry.description],
    ...entry.aliases.map(({ type, name }): [string, string] => [`Also known as (${type})`, name]),
    ...entry.addresses.map(({ line1, line2, city, postalCode, countryCode }): [string, string] => [
      'Address',
      joinTexts([line1, line2, postalCode, city, countryCode].filter(part => part !== '')),
    ]),
    ...[...entry.identifiers, ...entry.contacts, ...entry.links].map(({ type, value }): [string, string] => [type, value]),
    ...entry.notes.map((note): [string, string] => ['Note of the list', note]),
    ...entry.sources.map(({ title, link }): [string, string] => ['Source', joinTexts([title, link].filter(part => part !== ''))]),
  ])

export function hitPdf(content: HitDocument): Promise<Buffer> {
  const { entry, hit, now } = content
  const sections: PdfSection[] = [
    { heading: 'Search', rows: searchRows(content) },
    { heading: 'Hit', rows: hitRows(content) },
    { heading: `Entry of the list ${hit.list}`, rows: entryRows(entry) },
    ...entry.listings.map(listing => ({ heading: `Listed: ${listing.code}`, rows: listingRows(listing) })),
    { heading: 'This document', rows: [['Made', utc(now)]] },
  ]
  return renderPdf(`AML details: ${entry.name}`, sections)
}

/** File name of a hit's PDF, from the name searched and the hit's id: letters, digits and hyphens only. */
function pdfName(search: Search, hit: Hit): string {
  const plain = search.name
    .normalize('NFKD')
    .replaceAll(/[^A-Za-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
    .slice(0, 60)
  return `aml-${plain === '' ? search.type : plain}-${hit.id.slice(0, 8)}.pdf`
}

type AnyCall = Pick<Call<unknown, unknown>, 'user' | 'params'>

/** The types of searches as they are written in the names of operations. */
export const TITLES = { business: 'Business', individual: 'Individual' } as const

const parseDecision = (text: string, place: string, words: readonly HitDecision[] = HIT_DECISIONS): HitDecision => {
  const decision = readDecision(text)
  if (decision !== null && words.includes(decision)) return decision
  throw badRequest('The request is not acceptable', `${place}: must be one of ${words.join(', ')}`)
}

/** The decisions of a query, null where it has none. Throws a 400 that names an unknown word. */
export const parseDecisions = (words: string | undefined): HitDecision[] | null =>
  words?.split(',').map(word => parseDecision(word, 'hitDecisions')) ?? null

export function hitRoutes(app: FastifyInstance, deps: AppDeps, type: SearchType): void {
  const route = createRouter(app, deps)
  const { objects, searches, links, addressOf, screener } = deps
  const nameOf = userNames(deps)
  const title = TITLES[type]

  const findSearch = ({ user, params }: AnyCall): Search => objects.search(user, type, params.searchId ?? '')
  const findHit = (call: AnyCall): Hit => objects.hit(findSearch(call), call.params.hitId ?? '')

  /** A person's hit is decided once (contract §6.1); the decision on a business hit may change. */
  type Verdict = { readonly decision?: string | null; readonly note?: string | null }
  const makePatch = (hit: Hit, { decision = null, note = null }: Verdict, words?: readonly HitDecision[]): HitPatch => {
    if (decision === null && note === null) throw badRequest('The request is not acceptable', 'decision: is missing')
    if (decision === null) return { note }
    const next = parseDecision(decision, 'decision', words)
    if (type === 'individual' && hit.decision !== 'undecided') {
      throw conflict('The hit is decided already', `decision: it is ${hit.decision} and cannot be changed`)
    }
    return note === null ? { decision: next } : { decision: next, note }
  }
  const change = (before: Hit, user: number, patch: HitPatch, correlationId: string) =>
    hitRecord(type, searches.changeHit(before, user, patch), nameOf, { before, correlationId })

  route(`list${title}Hits`, call => {
    const decisions = parseDecisions(call.query.hitDecisions)
    const { items, total } = searches.hits(findSearch(call), decisions, findWindow(call.query, 1))
    return { items: items.map(hit => hitRecord(type, hit, nameOf)), totalSize: total, correlationId: call.request.id }
  })

  const decideMany = (call: Call<z.infer<typeof looseBatch>, unknown>): unknown => {
    const search = findSearch(call)
    const { user, request, reply, body } = call
    return runIdempotent(deps, call, () =>
      runBatch(body.items, {
        work: item => {
          const { hitId, ...verdict } = checkBody(hitDecision, structuredClone(item), reply)
          const hit = objects.hit(search, hitId)
          return change(hit, user.person, makePatch(hit, verdict), request.id)
        },
        pathOf: ({ hitId }) => `/v1${pathOf(OPERATIONS[`read${title}Hit`], { searchId: search.id, hitId: String(hitId) })}`,
        correlationId: request.id,
      }),
    )
  }
  route(`decide${title}Hits`, decideMany, { body: looseBatch })

  route(`read${title}Hit`, async call => {
    const hit = findHit(call)
    const entry = await currentEntry(screener, hit)
    const record = fullHitRecord({ type, hit, entry, nameOf, correlationId: call.request.id })
    searches.keepSnapshot(hit, record)
    return record
  })

  route(`decide${title}Hit`, call => {
    const hit = findHit(call)
    const { user, body, request } = call
    return runIdempotent(deps, call, () => change(hit, user.person, makePatch(hit, body, REQUESTED_DECISIONS), request.id))
  })

  route(`note${title}Hit`, call => change(findHit(call), call.user.person, { note: call.body.note }, call.request.id))

  route(`download${title}Hit`, async call => {
    const search = findSearch(call)
    const hit = objects.hit(search, call.params.hitId ?? '')
    // The link would lead to the same error.
    await requirePdf()
    const name = [type, search.id, hit.id, 'pdf'].join('.')
    const query = links.sign(name, call.user)
    return {
      downloadUrl: `${addressOf(call.request.raw)}/hit-files/${name}?${query}`,
      fileName: pdfName(search, hit),
      expiresAt: new Date(Number(new URLSearchParams(query).get('expires'))).toISOString(),
      searchId: search.id,
      hitId: hit.id,
      correlationId: call.request.id,
    }
  })
}

/** The current entry of a hit; the entry of the search when the list no longer has it. */
async function currentEntry(screener: Screener, hit: Hit): Promise<Entry> {
  await screener.ready()
  return screener.find(hit.list, hit.entry.id) ?? hit.entry
}

export function hitFileRoute(app: FastifyInstance, deps: AppDeps): void {
  const { links, objects, searches, screener, clock } = deps
  app.get<LinkRoute>('/hit-files/:name', async ({ params, query }, reply) => {
    // The signature covers the name, so a valid link has a name issued by this service.
    const holder = links.check(params.name, query)
    if (holder === null) throw new Refusal(403, 'Access forbidden: the link has expired or is invalid')
    const [type = '', searchId = '', hitId = ''] = params.name.split('.')
    const search = objects.search(holder, type as SearchType, searchId)
    const hit = objects.hit(search, hitId)
    const snapshots = searches.snapshotsOf(hit)
    const entry = await currentEntry(screener, hit)
    const pdf = await hitPdf({ search, hit, entry, nameOf: userNames(deps), snapshots, now: clock.now() })
    return reply
      .headers({
        'Content-Type': 'application/pdf',
        'Content-Length': pdf.length,
        'Content-Disposition': `attachment; filename="${pdfName(search, hit)}"`,
        'Cache-Control': 'no-store',
      })
      .send(pdf)
  })
}
