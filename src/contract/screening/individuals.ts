/** The operations of AML screening for persons: contract §6.1. */
import { DOCUMENTED, operationsOf } from '../operation.ts'
import * as hit from './hit.ts'
import { hitsQuery, searchesQuery } from './queries.ts'
import * as search from './search.ts'

export const INDIVIDUALS = operationsOf({
  createIndividualSearch: {
    method: 'POST',
    path: '/compliance/kyc-protect/searches/individuals',
    request: search.createIndividualSearch,
    reply: search.individualSearch,
    success: 201,
    repeat: 'never',
    errors: [400, 401, 403, 409],
    summary: 'Search persons in the AML datasets; costs 1 credit.',
  },
  listIndividualSearches: {
    method: 'GET',
    path: '/compliance/kyc-protect/searches/individuals',
    query: searchesQuery,
    reply: search.individualSearchPage,
    pages: { first: 1, items: 'items', complete: true },
    errors: [400, 401, 403],
    summary: 'List the AML searches for persons, last modified first.',
  },
  updateIndividualSearches: {
    method: 'PUT',
    path: '/compliance/kyc-protect/searches/individuals',
    request: search.updateSearches,
    reply: search.individualSearchBatch,
    errors: [400, 401, 403, 409],
    summary: 'Update several AML searches for persons.',
  },
  readIndividualSearch: {
    method: 'GET',
    path: '/compliance/kyc-protect/searches/individuals/{searchId}',
    reply: search.individualSearch,
    summary: 'Read an AML search for persons.',
  },
  updateIndividualSearch: {
    method: 'PUT',
    path: '/compliance/kyc-protect/searches/individuals/{searchId}',
    request: search.updateIndividualSearch,
    reply: search.individualSearch,
    summary: 'Update an AML search for persons.',
  },
  listIndividualHits: {
    method: 'GET',
    path: '/compliance/kyc-protect/searches/individuals/{searchId}/hits',
    query: hitsQuery,
    reply: hit.individualHitPage,
    pages: { first: 1, items: 'items' },
    summary: 'List the hits of an AML search for persons.',
  },
  decideIndividualHits: {
    method: 'PUT',
    path: '/compliance/kyc-protect/searches/individuals/{searchId}/hits',
    request: hit.decideHits,
    reply: hit.individualHitBatch,
    repeat: 'look',
    summary: 'Decide on several hits.',
  },
  readIndividualHit: {
    method: 'GET',
    path: '/compliance/kyc-protect/searches/individuals/{searchId}/hits/{hitId}',
    reply: hit.individualHitFull,
    summary: 'Read the whole record of a hit, which stores a snapshot of it.',
  },
  decideIndividualHit: {
    method: 'PUT',
    path: '/compliance/kyc-protect/searches/individuals/{searchId}/hits/{hitId}',
    request: hit.decideHit,
    reply: hit.individualHit,
    repeat: 'look',
    errors: [...DOCUMENTED, 409],
    summary: 'Decide on a hit; only once.',
  },
  noteIndividualHit: {
    method: 'PUT',
    path: '/compliance/kyc-protect/searches/individuals/{searchId}/hits/{hitId}/note',
    request: hit.noteHit,
    reply: hit.individualHit,
    summary: 'Set the note of a hit.',
  },
  downloadIndividualHit: {
    method: 'GET',
    path: '/compliance/kyc-protect/searches/individuals/{searchId}/hits/{hitId}/download',
    reply: hit.hitDownload,
    summary: 'Learn where the PDF of a hit can be fetched.',
  },
})
