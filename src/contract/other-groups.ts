/**
 * The operations of the interface that need a subscription of their own and that this version neither calls nor serves: contract
 * §10, §11.3 to §11.7. Method and path only; their records are not modelled. A service without the data set answers 403.
 */

/** One operation of another group. */
export interface OtherOperation {
  readonly group: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: `/${string}`
}

const GB = '/localSolutions/GB'
const KYC = '/compliance/kyc-protect'
const PROFILE = `${KYC}/profiles/{profileId}`
const FRESH = '/freshinvestigations'
const ORDER = `${FRESH}/{orderId}`
const ENGINE = '/decisionEngine'

/** Group, then path with its methods. */
const TABLE: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'Local solutions': {
    '/localSolutions/DE/nonLtdCompanies/searchcriteria': 'GET',
    '/localSolutions/DE/nonLtdCompanies': 'GET',
    '/localSolutions/DE/nonLtdCompanies/{id}': 'GET',
    [`${GB}/bankVerification/search`]: 'POST',
    [`${GB}/bankVerification/history`]: 'GET',
    [`${GB}/bankVerification/history/{id}`]: 'GET',
    [`${GB}/bankVerification/history/{id}/reference`]: 'PATCH',
    [`${GB}/bankVerification/validate/{id}`]: 'POST',
    [`${GB}/bankVerification/sortCode/{id}`]: 'GET',
    [`${GB}/identitysearch`]: 'POST PUT',
    [`${GB}/identitysearch/searchreasons`]: 'GET',
    [`${GB}/identitysearch/history`]: 'GET',
    [`${GB}/identitysearch/history/{uniqueId}`]: 'GET',
    [`${GB}/identitysearch/history/{uniqueId}/input`]: 'GET',
    [`${GB}/identitysearch/history/{uniqueId}/reference`]: 'PUT',
    [`${GB}/identitysearch/revalidation/{uniqueId}`]: 'PUT',
    [`${GB}/bankmatch`]: 'GET',
    [`${GB}/landRegistry/{companyId}`]: 'GET',
    [`${GB}/CCDS/{companyId}`]: 'GET',
    '/localSolutions/FR/bankmatch': 'GET',
    '/localSolutions/FR/bankmatch/audition': 'GET',
    '/localSolutions/NL/extract/{kvkNumber}': 'GET',
    '/localSolutions/US/searchSupport': 'POST',
  },
  Images: {
    '/images/companies': 'GET',
    '/images/companies/types': 'GET',
    '/images/{imageId}': 'GET',
  },
  'Fresh investigations': {
    [FRESH]: 'GET POST',
    [ORDER]: 'GET PATCH DELETE',
    [`${ORDER}/attachments`]: 'GET POST',
    [`${ORDER}/attachments/{id}`]: 'GET',
    [`${ORDER}/comments`]: 'GET POST',
    [`${ORDER}/report`]: 'GET',
  },
  'Decision engine': {
    [`${ENGINE}/instances`]: 'GET',
    [`${ENGINE}/instance/{guid}`]: 'GET PUT',
    [`${ENGINE}/GUID`]: 'GET',
    [`${ENGINE}/usageLog`]: 'GET',
    [`${ENGINE}/usageLog/{decisionLogId}`]: 'GET PATCH',
    [`${ENGINE}/decisionOutcome/{guid}`]: 'GET PATCH',
    [`${ENGINE}/{provenirId}`]: 'POST',
    [`${ENGINE}/{provenirId}/userDataFields`]: 'GET',
  },
  Profiles: {
    [`${KYC}/profiles`]: 'GET POST DELETE',
    [`${KYC}/profiles/types`]: 'GET',
    [`${KYC}/profiles/document-types`]: 'GET',
    [`${KYC}/profiles/assign`]: 'PUT',
    [`${KYC}/profiles/assign/bulk`]: 'PUT',
    [PROFILE]: 'GET PUT DELETE',
    [`${PROFILE}/notes`]: 'GET POST',
    [`${PROFILE}/notes/{noteId}`]: 'GET PUT DELETE',
    [`${PROFILE}/details`]: 'GET PUT',
    [`${PROFILE}/details/addresses`]: 'GET POST',
    [`${PROFILE}/details/addresses/{addressId}`]: 'GET PUT DELETE',
    [`${PROFILE}/attachments`]: 'GET POST',
    [`${PROFILE}/attachments/{attachmentId}`]: 'GET PUT DELETE',
    [`${PROFILE}/attachments/{attachmentId}/download`]: 'GET',
    [`${PROFILE}/keyparties`]: 'GET POST DELETE',
    [`${PROFILE}/keyparties/{keyPartyId}`]: 'GET PUT DELETE',
    [`${PROFILE}/keyparties/searches`]: 'GET POST',
    [`${PROFILE}/keyparties/searches/bulk`]: 'POST',
    [`${PROFILE}/keyparties/searches/link`]: 'POST DELETE',
    [`${PROFILE}/searches`]: 'GET',
    [`${PROFILE}/searches/link`]: 'POST DELETE',
    [`${PROFILE}/searches/bulk`]: 'POST',
    [`${PROFILE}/schedules`]: 'GET',
    [`${PROFILE}/schedules/{scheduleId}`]: 'GET',
    [`${PROFILE}/amlAlerts`]: 'GET',
    [`${PROFILE}/hits`]: 'GET',
  },
  'AML monitoring': {
    [`${KYC}/schedules`]: 'GET POST PUT DELETE',
    [`${KYC}/schedules/amlAlerts`]: 'GET',
    [`${KYC}/schedules/{scheduleId}`]: 'GET PUT DELETE',
    [`${KYC}/asyncAmlJobs`]: 'GET',
    [`${KYC}/asyncAmlJobs/{jobId}`]: 'GET',
    [`${KYC}/asyncAmlJobs/{jobId}/criteria`]: 'GET',
  },
  'Batch uploads': {
    [`${KYC}/batchUploads`]: 'GET POST',
    [`${KYC}/batchUploads/template`]: 'GET',
    [`${KYC}/batchUploads/{uploadId}`]: 'GET',
    [`${KYC}/batchUploads/{uploadId}/errors/download`]: 'GET',
    [`${KYC}/batchUploads/{uploadId}/retry`]: 'PUT',
  },
  'KYC monitoring': {
    [`${KYC}/kycMonitoring/profiles`]: 'DELETE',
    [`${KYC}/kycMonitoring/profiles/bulk`]: 'POST',
    [`${KYC}/kycMonitoring/profiles/{profileId}/alerts`]: 'GET',
    [`${KYC}/kycMonitoring/alerts/{alertId}`]: 'GET PUT',
    [`${KYC}/audits`]: 'GET',
    [`${KYC}/lookup/currencyCodes`]: 'GET',
    [`${KYC}/lookup/countryCodes`]: 'GET',
    [`${KYC}/lookup/kycMonitoring/countryCodes`]: 'GET',
  },
  Consumers: {
    '/consumers': 'GET',
    '/consumers/searchcriteria': 'GET',
  },
  'Audit (legacy)': {
    '/protect/audits': 'GET',
  },
}

/** Every operation of the other groups. */
export const OTHER_GROUPS: readonly OtherOperation[] = Object.entries(TABLE).flatMap(([group, paths]) =>
  Object.entries(paths).flatMap(([path, methods]) =>
    methods.split(' ').map(method => ({ group, method, path }) as OtherOperation),
  ),
)

/** Everything below this path but the audit was retired in November 2024 and answers 301 (contract §2.1). */
export const RETIRED = '/protect/'
