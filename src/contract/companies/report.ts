/** The company credit report: contract §9.3. A superset over all countries: any section may be missing, and unknown fields are kept. */
import { z } from 'zod'
import { wireDate, zonedDate } from '../dates.ts'
import { fieldsOf, lazy, optionalTexts as texts, written } from '../schemas.ts'
import { activity, companyAddress, foundCompany } from './company.ts'

const text = z.string().optional()
const dates = <Name extends string>(...names: readonly Name[]) => fieldsOf(wireDate.optional(), ...names)
const money = z.looseObject({ currency: text, value: z.union([z.string(), z.number()]).nullish() }).optional()
/** Declared a number here, where a credit limit is a text. */
const amount = z.looseObject({ currency: text, value: z.union([z.number(), z.string()]).nullish() }).optional()
const free = z.looseObject({}).optional()
const list = <T extends z.ZodType>(element: T) => z.array(element).optional()

const rating = lazy(() =>
  z.looseObject({
    ...texts('commonValue', 'commonDescription'),
    creditLimit: money,
    providerValue: z.looseObject(texts('maxValue', 'minValue', 'value')).optional(),
    providerDescription: text,
    pod: z.number().nullish(),
    assessment: text,
  }),
)

const status = z.union([z.looseObject({ status: text, description: text }), z.string()]).optional()
const legalForm = lazy(() => z.looseObject(texts('commonCode', 'providerCode', 'description')))

const summary = lazy(() =>
  z.looseObject({
    ...texts('businessName', 'country', 'companyNumber', 'companyRegistrationNumber', 'ggsID'),
    mainActivity: activity.optional(),
    companyStatus: status,
    ...fieldsOf(amount, 'latestTurnoverFigure', 'latestShareholdersEquityFigure'),
    creditRating: rating.optional(),
  }),
)

const identification = lazy(() =>
  z.looseObject({
    basicInformation: z
      .looseObject({
        ...texts('businessName', 'registeredCompanyName', 'companyRegistrationNumber', 'country', 'vatRegistrationNumber'),
        ...dates('vatRegistrationDate', 'companyRegistrationDate', 'operationsStartDate'),
        commercialCourt: text,
        legalForm: legalForm.optional(),
        ownershipType: text,
        companyStatus: status,
        principalActivity: activity.optional(),
        contactAddress: companyAddress.optional(),
      })
      .optional(),
    activityClassifications: list(z.looseObject({ classification: text, activities: list(activity) })),
    previousNames: list(z.looseObject({ dateChanged: wireDate.optional(), name: text })),
    tradingNames: list(z.looseObject({ name: text })),
    previousLegalForms: list(z.looseObject({ dateChanged: wireDate.optional(), legalForm: legalForm.optional() })),
  }),
)

const contact = lazy(() =>
  z.looseObject({
    mainAddress: companyAddress.optional(),
    ...fieldsOf(list(companyAddress), 'otherAddresses', 'previousAddresses'),
    ...fieldsOf(list(z.string()), 'emailAddresses', 'websites'),
  }),
)

/** A director of a company, current or previous; a previous one has a `resignationDate`. */
export const director = lazy(() =>
  z.looseObject({
    ...texts('id', 'idType', 'name', 'title', 'firstNames', 'firstName', 'middleName', 'surname'),
    address: companyAddress.optional(),
    gender: written(z.string(), { type: 'string', enum: ['Male', 'Female', 'Unknown', 'NotApplicable'] }).optional(),
    birthName: text,
    dateOfBirth: zonedDate.optional(),
    ...texts('placeOfBirth', 'nationality', 'countryOfResidence', 'country', 'directorType'),
    hasNegativeInfo: z.boolean().nullish(),
    signingAuthority: text,
    resignationDate: zonedDate.optional(),
    positions: list(
      z.looseObject({
        dateAppointed: zonedDate.optional(),
        ...texts('commonCode', 'providerCode', 'positionName', 'authority', 'apptDurationType'),
        additionalData: free,
      }),
    ),
    additionalData: free,
  }),
)

const directorship = lazy(() => z.looseObject(texts('id', 'name', 'position', 'companyName', 'status')))

export const report = lazy(() =>
  z.looseObject({
    ...texts('companyId', 'language'),
    companySummary: summary.optional(),
    alternateSummary: free,
    companyIdentification: identification.optional(),
    creditScore: z
      .looseObject({
        ...fieldsOf(rating.optional(), 'currentCreditRating', 'previousCreditRating'),
        currentContractLimit: money,
        latestRatingChangeDate: wireDate.optional(),
      })
      .optional(),
    contactInformation: contact.optional(),
    indicators: list(z.looseObject({ type: text })),
    shareCapitalStructure: free,
    directors: z.looseObject({ currentDirectors: list(director), previousDirectors: list(director) }).optional(),
    directorships: z
      .looseObject({ currentDirectorships: list(directorship), previousDirectorships: list(directorship) })
      .optional(),
    otherInformation: z
      .looseObject({ employeesInformation: list(z.looseObject({ year: z.number().int().nullish(), numberOfEmployees: text })) })
      .optional(),
    groupStructure: z
      .looseObject({
        ...fieldsOf(foundCompany.optional(), 'ultimateParent', 'immediateParent'),
        ...fieldsOf(list(foundCompany), 'subsidiaryCompanies', 'affiliatedCompanies'),
      })
      .optional(),
    extendedGroupStructure: list(z.looseObject({})),
    financialStatements: list(
      z.looseObject({
        type: text,
        yearEndDate: wireDate.optional(),
        currency: text,
        ...fieldsOf(free, 'profitAndLoss', 'balanceSheet'),
      }),
    ),
    localFinancialStatements: list(z.looseObject({})),
    ...fieldsOf(free, 'negativeInformation', 'additionalInformation', 'paymentData'),
  }),
)

/** Answer of `GET /companies/{id}`. With `Accept: application/json+pdf` three of its keys end in `ID`, and the PDF is added. */
export const reportReply = lazy(() =>
  z.looseObject({
    ...texts('correlationId', 'correlationID'),
    failedSections: list(z.string()),
    ...texts('companyId', 'companyID'),
    dateOfOrder: zonedDate.optional(),
    language: text,
    ...fieldsOf(z.number().int().optional(), 'userId', 'userID'),
    report,
    pdfReportStream: text,
  }),
)

export type CompanyReport = z.infer<typeof report>
export type Director = z.infer<typeof director>
export type ReportReply = z.infer<typeof reportReply>
