/** The operations of AML screening: contract §6.1. */

import { z } from 'zod'
import { DOCUMENTED, defineOperations, get, post, put, remove } from '../operation.ts'
import { fromOne, maybe, truth } from '../query.ts'
import { lazy, written } from '../schemas.ts'
import * as hit from './hit.ts'
import * as schedule from './schedule.ts'
import * as search from './search.ts'
import { HIT_DECISIONS } from './words.ts'

const ANY_DECISION = `(?:${HIT_DECISIONS.join('|')})`
const decisions = written(maybe(200), { type: 'string', pattern: `^${ANY_DECISION}(?:,${ANY_DECISION})*$`, maxLength: 200 })

const searchesQuery = lazy(() => z.looseObject({ ...fromOne(), isScheduled: truth }))

/** Query of a list of hits; decisions are read in any case (contract §14.3). */
const hitsQuery = lazy(() => z.looseObject({ ...fromOne(), hitDecisions: decisions }))

export const BUSINESSES = defineOperations({
  createBusinessSearch: post('/compliance/kyc-protect/searches/businesses', {
    request: search.createBusinessSearch,
    reply: search.businessSearch,
    success: 201,
    repeat: 'never',
    errors: [400, 401, 403],
    summary: 'Search businesses in the AML datasets; costs 1 credit.',
  }),
  listBusinessSearches: get('/compliance/kyc-protect/searches/businesses', {
    query: searchesQuery,
    reply: search.businessSearchPage,
    pages: { first: 1, items: 'items', complete: true },
    errors: [400, 401, 403],
    summary: 'List the AML searches for businesses, last modified first.',
  }),
  updateBusinessSearches: put('/compliance/kyc-protect/searches/businesses', {
    request: search.updateSearches,
    reply: search.businessSearchBatch,
    errors: [400, 401, 403],
    summary: 'Update several AML searches for businesses.',
  }),
  readBusinessSearch: get('/compliance/kyc-protect/searches/businesses/{searchId}', {
    reply: search.businessSearch,
    summary: 'Read an AML search for businesses.',
  }),
  updateBusinessSearch: put('/compliance/kyc-protect/searches/businesses/{searchId}', {
    request: search.updateBusinessSearch,
    reply: search.businessSearch,
    summary: 'Update an AML search for businesses.',
  }),
  listBusinessHits: get('/compliance/kyc-protect/searches/businesses/{searchId}/hits', {
    query: hitsQuery,
    reply: hit.businessHitPage,
    pages: { first: 1, items: 'items' },
    summary: 'List the hits of an AML search for businesses.',
  }),
  decideBusinessHits: put('/compliance/kyc-protect/searches/businesses/{searchId}/hits', {
    request: hit.decideHits,
    reply: hit.businessHitBatch,
    repeat: 'look',
    summary: 'Decide on several hits.',
  }),
  readBusinessHit: get('/compliance/kyc-protect/searches/businesses/{searchId}/hits/{hitId}', {
    reply: hit.businessHitFull,
    summary: 'Read the whole record of a hit.',
  }),
  decideBusinessHit: put('/compliance/kyc-protect/searches/businesses/{searchId}/hits/{hitId}', {
    request: hit.decideHit,
    reply: hit.businessHit,
    repeat: 'look',
    summary: 'Decide on a hit.',
  }),
  noteBusinessHit: put('/compliance/kyc-protect/searches/businesses/{searchId}/hits/{hitId}/note', {
    request: hit.noteHit,
    reply: hit.businessHit,
    summary: 'Set the note of a hit.',
  }),
  downloadBusinessHit: get('/compliance/kyc-protect/searches/businesses/{searchId}/hits/{hitId}/download', {
    reply: hit.hitDownload,
    summary: 'Learn where the PDF of a hit can be fetched.',
  }),
})

export const INDIVIDUALS = defineOperations({
  createIndividualSearch: post('/compliance/kyc-protect/searches/individuals', {
    request: search.createIndividualSearch,
    reply: search.individualSearch,
    success: 201,
    repeat: 'never',
    errors: [400, 401, 403, 409],
    summary: 'Search persons in the AML datasets; costs 1 credit.',
  }),
  listIndividualSearches: get('/compliance/kyc-protect/searches/individuals', {
    query: searchesQuery,
    reply: search.individualSearchPage,
    pages: { first: 1, items: 'items', complete: true },
    errors: [400, 401, 403],
    summary: 'List the AML searches for persons, last modified first.',
  }),
  updateIndividualSearches: put('/compliance/kyc-protect/searches/individuals', {
    request: search.updateSearches,
    reply: search.individualSearchBatch,
    errors: [400, 401, 403, 409],
    summary: 'Update several AML searches for persons.',
  }),
  readIndividualSearch: get('/compliance/kyc-protect/searches/individuals/{searchId}', {
    reply: search.individualSearch,
    summary: 'Read an AML search for persons.',
  }),
  updateIndividualSearch: put('/compliance/kyc-protect/searches/individuals/{searchId}', {
    request: search.updateIndividualSearch,
    reply: search.individualSearch,
    summary: 'Update an AML search for persons.',
  }),
  listIndividualHits: get('/compliance/kyc-protect/searches/individuals/{searchId}/hits', {
    query: hitsQuery,
    reply: hit.individualHitPage,
    pages: { first: 1, items: 'items' },
    summary: 'List the hits of an AML search for persons.',
  }),
  decideIndividualHits: put('/compliance/kyc-protect/searches/individuals/{searchId}/hits', {
    request: hit.decideHits,
    reply: hit.individualHitBatch,
    repeat: 'look',
    summary: 'Decide on several hits.',
  }),
  readIndividualHit: get('/compliance/kyc-protect/searches/individuals/{searchId}/hits/{hitId}', {
    reply: hit.individualHitFull,
    summary: 'Read the whole record of a hit, which stores a snapshot of it.',
  }),
  decideIndividualHit: put('/compliance/kyc-protect/searches/individuals/{searchId}/hits/{hitId}', {
    request: hit.decideHit,
    reply: hit.individualHit,
    repeat: 'look',
    errors: [...DOCUMENTED, 409],
    summary: 'Decide on a hit; only once.',
  }),
  noteIndividualHit: put('/compliance/kyc-protect/searches/individuals/{searchId}/hits/{hitId}/note', {
    request: hit.noteHit,
    reply: hit.individualHit,
    summary: 'Set the note of a hit.',
  }),
  downloadIndividualHit: get('/compliance/kyc-protect/searches/individuals/{searchId}/hits/{hitId}/download', {
    reply: hit.hitDownload,
    summary: 'Learn where the PDF of a hit can be fetched.',
  }),
})

const AML_SCHEDULES = '/compliance/kyc-protect/schedules'

export const SCHEDULES = defineOperations({
  createSchedules: post(AML_SCHEDULES, {
    request: schedule.createSchedules,
    reply: schedule.createdSchedules,
    repeat: 'look',
    errors: [400, 401, 403],
    summary: 'Put searches under monitoring; another threshold or other datasets screen again, for 1 credit.',
  }),
  listSchedules: get(AML_SCHEDULES, {
    query: lazy(() => z.looseObject(fromOne())),
    reply: schedule.schedulePage,
    pages: { first: 1, items: 'items', complete: true },
    summary: 'List the schedules, last modified first.',
  }),
  updateSchedules: put(AML_SCHEDULES, {
    request: schedule.updateSchedules,
    reply: schedule.updatedSchedules,
    errors: [400, 401, 403],
    summary: 'Change several schedules; what screens again costs 1 credit each.',
  }),
  deleteSchedules: remove(AML_SCHEDULES, {
    request: schedule.deleteSchedules,
    reply: schedule.deletedSchedules,
    errors: [400, 401, 403],
    summary: 'End the monitoring of several searches, by the ids of the searches or of their schedules.',
  }),
  listScheduleAlerts: get(`${AML_SCHEDULES}/amlAlerts`, {
    query: hitsQuery,
    reply: schedule.scheduleAlertPage,
    pages: { first: 1, items: 'items', complete: true },
    errors: [400, 401, 403],
    summary: 'List the hits of all searches under monitoring, first created first.',
  }),
  readSchedule: get(`${AML_SCHEDULES}/{scheduleId}`, {
    reply: schedule.schedule,
    summary: 'Read a schedule.',
  }),
  updateSchedule: put(`${AML_SCHEDULES}/{scheduleId}`, {
    request: schedule.updateSchedule,
    reply: schedule.schedule,
    summary: 'Change a schedule; another threshold or other datasets screen again, for 1 credit.',
  }),
  deleteSchedule: remove(`${AML_SCHEDULES}/{scheduleId}`, {
    reply: null,
    success: 204,
    summary: 'End the monitoring of a search.',
  }),
})
