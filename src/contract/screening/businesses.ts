/** The operations of AML screening for businesses: contract §6.1. */
import { operationsOf } from '../operation.ts'
import * as hit from './hit.ts'
import { hitsQuery, searchesQuery } from './queries.ts'
import * as search from './search.ts'

export const BUSINESSES = operationsOf({
  createBusinessSearch: {
    method: 'POST',
    path: '/compliance/kyc-protect/searches/businesses',
    request: search.createBusinessSearch,
    reply: search.businessSearch,
    success: 201,
    repeat: 'never',
    errors: [400, 401, 403],
    summary: 'Search businesses in the AML datasets; costs 1 credit.',
  },
  listBusinessSearches: {
    method: 'GET',
    path: '/compliance/kyc-protect/searches/businesses',
    query: searchesQuery,
    reply: search.businessSearchPage,
    pages: { first: 1, items: 'items', complete: true },
    errors: [400, 401, 403],
    summary: 'List the AML searches for businesses, last modified first.',
  },
  updateBusinessSearches: {
    method: 'PUT',
    path: '/compliance/kyc-protect/searches/businesses',
    request: search.updateSearches,
    reply: search.businessSearchBatch,
    errors: [400, 401, 403],
    summary: 'Update several AML searches for businesses.',
  },
  readBusinessSearch: {
    method: 'GET',
    path: '/compliance/kyc-protect/searches/businesses/{searchId}',
    reply: search.businessSearch,
    summary: 'Read an AML search for businesses.',
  },
  updateBusinessSearch: {
    method: 'PUT',
    path: '/compliance/kyc-protect/searches/businesses/{searchId}',
    request: search.updateBusinessSearch,
    reply: search.businessSearch,
    summary: 'Update an AML search for businesses.',
  },
  listBusinessHits: {
    method: 'GET',
    path: '/compliance/kyc-protect/searches/businesses/{searchId}/hits',
    query: hitsQuery,
    reply: hit.businessHitPage,
    pages: { first: 1, items: 'items' },
    summary: 'List the hits of an AML search for businesses.',
  },
  decideBusinessHits: {
    method: 'PUT',
    path: '/compliance/kyc-protect/searches/businesses/{searchId}/hits',
    request: hit.decideHits,
    reply: hit.businessHitBatch,
    repeat: 'look',
    summary: 'Decide on several hits.',
  },
  readBusinessHit: {
    method: 'GET',
    path: '/compliance/kyc-protect/searches/businesses/{searchId}/hits/{hitId}',
    reply: hit.businessHitFull,
    summary: 'Read the whole record of a hit.',
  },
  decideBusinessHit: {
    method: 'PUT',
    path: '/compliance/kyc-protect/searches/businesses/{searchId}/hits/{hitId}',
    request: hit.decideHit,
    reply: hit.businessHit,
    repeat: 'look',
    summary: 'Decide on a hit.',
  },
  noteBusinessHit: {
    method: 'PUT',
    path: '/compliance/kyc-protect/searches/businesses/{searchId}/hits/{hitId}/note',
    request: hit.noteHit,
    reply: hit.businessHit,
    summary: 'Set the note of a hit.',
  },
  downloadBusinessHit: {
    method: 'GET',
    path: '/compliance/kyc-protect/searches/businesses/{searchId}/hits/{hitId}/download',
    reply: hit.hitDownload,
    summary: 'Learn where the PDF of a hit can be fetched.',
  },
})
