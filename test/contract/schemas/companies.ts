/** The schemas of companies, people and access by the names of their examples. */
import { OPERATIONS } from '../../../src/contract/index.ts'

/** Every schema of these groups' operations. */
export const COMPANY_SCHEMAS = {
  accessReply: OPERATIONS.readAccess.reply,
  activeUsersReply: OPERATIONS.listActiveUsers.reply,
  ownUserReply: OPERATIONS.readOwnUser.reply,
  userDetailsReply: OPERATIONS.readUserDetails.reply,
  companiesQuery: OPERATIONS.searchCompanies.query,
  companySearchReply: OPERATIONS.searchCompanies.reply,
  matchQuery: OPERATIONS.matchCompanies.query,
  matchReply: OPERATIONS.matchCompanies.reply,
  globalQuery: OPERATIONS.searchCompaniesGlobally.query,
  criteriaQuery: OPERATIONS.companySearchCriteria.query,
  criteriaReply: OPERATIONS.companySearchCriteria.reply,
  peopleCriteriaQuery: OPERATIONS.peopleSearchCriteria.query,
  peopleCriteriaReply: OPERATIONS.peopleSearchCriteria.reply,
  schemaQuery: OPERATIONS.reportSchema.query,
  schemaReply: OPERATIONS.reportSchema.reply,
  reportQuery: OPERATIONS.readReport.query,
  reportReply: OPERATIONS.readReport.reply,
  customDataReply: OPERATIONS.reportCustomData.reply,
  peopleQuery: OPERATIONS.searchPeople.query,
  peopleReply: OPERATIONS.searchPeople.reply,
  personQuery: OPERATIONS.readPerson.query,
  personReply: OPERATIONS.readPerson.reply,
} as const
