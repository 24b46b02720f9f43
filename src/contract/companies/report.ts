/** The company credit report: contract §9.3. A superset over all countries: any section may be missing, and unknown fields are kept. */
import { z } from 'zod'
import { wireDate, zonedDate } from '../dates.ts'
import { lazy } from '../lazy.ts'
import { written } from '../written.ts'
import { activity, companyAddress, foundCompany } from './company.ts'

const text = z.string().optional()
const money = z.looseObject({ currency: text, value: z.union([z.string(), z.number()]).nullish() }).optional()
/** Declared a number here, where a credit limit is a text. */
const amount = z.looseObject({ currency: text, value: z.union([z.number(), z.string()]).nullish() }).optional()
const free = z.looseObject({}).optional()
const list = <T extends z.ZodType>(element: T) => z.array(element).optional()

const rating = lazy(() =>
  z.looseObject({
    commonValue: text,
    commonDescription: text,
    creditLimit: money,
    providerValue: z.looseObject({ maxValue: text, minValue: text, value: text }).optional(),
    providerDescription: text,
    pod: z.number().nullish(),
    assessment: text,
  }),
)

/** Figures of a year by name. */
const figures = z.looseObject({})

const status = z.union([z.looseObject({ status: text, description: text }), z.string()]).optional()
const legalForm = lazy(() => z.looseObject({ commonCode: text, providerCode: text, description: text }))

const summary = lazy(() =>
  z.looseObject({
    businessName: text,
    country: text,
    companyNumber: text,
    companyRegistrationNumber: text,
    ggsID: text,
    mainActivity: activity.optional(),
    companyStatus: status,
    latestTurnoverFigure: amount,
    latestShareholdersEquityFigure: amount,
    creditRating: rating.optional(),
  }),
)

const identification = lazy(() =>
  z.looseObject({
    basicInformation: z
      .looseObject({
        businessName: text,
        registeredCompanyName: text,
        companyRegistrationNumber: text,
        country: text,
        vatRegistrationNumber: text,
        vatRegistrationDate: wireDate.optional(),
        companyRegistrationDate: wireDate.optional(),
        operationsStartDate: wireDate.optional(),
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
    otherAddresses: list(companyAddress),
    previousAddresses: list(companyAddress),
    emailAddresses: list(z.string()),
    websites: list(z.string()),
  }),
)

/** A director of a company, current or previous; a previous one has a `resignationDate`. */
export const director = lazy(() =>
  z.looseObject({
    id: text,
    idType: text,
    name: text,
    title: text,
    firstNames: text,
    firstName: text,
    middleName: text,
    surname: text,
    address: companyAddress.optional(),
    gender: written(z.string(), { type: 'string', enum: ['Male', 'Female', 'Unknown', 'NotApplicable'] }).optional(),
    birthName: text,
    dateOfBirth: zonedDate.optional(),
    placeOfBirth: text,
    nationality: text,
    countryOfResidence: text,
    country: text,
    directorType: text,
    hasNegativeInfo: z.boolean().nullish(),
    signingAuthority: text,
    resignationDate: zonedDate.optional(),
    positions: list(
      z.looseObject({
        dateAppointed: zonedDate.optional(),
        commonCode: text,
        providerCode: text,
        positionName: text,
        authority: text,
        apptDurationType: text,
        additionalData: free,
      }),
    ),
    additionalData: free,
  }),
)

const directorship = lazy(() => z.looseObject({ id: text, name: text, position: text, companyName: text, status: text }))

export const report = lazy(() =>
  z.looseObject({
    companyId: text,
    language: text,
    companySummary: summary.optional(),
    alternateSummary: free,
    companyIdentification: identification.optional(),
    creditScore: z
      .looseObject({
        currentCreditRating: rating.optional(),
        previousCreditRating: rating.optional(),
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
        ultimateParent: foundCompany.optional(),
        immediateParent: foundCompany.optional(),
        subsidiaryCompanies: list(foundCompany),
        affiliatedCompanies: list(foundCompany),
      })
      .optional(),
    extendedGroupStructure: list(z.looseObject({})),
    financialStatements: list(
      z.looseObject({
        type: text,
        yearEndDate: wireDate.optional(),
        currency: text,
        profitAndLoss: figures.optional(),
        balanceSheet: figures.optional(),
      }),
    ),
    localFinancialStatements: list(z.looseObject({})),
    negativeInformation: free,
    additionalInformation: free,
    paymentData: free,
  }),
)

/** Answer of `GET /companies/{id}`. With `Accept: application/json+pdf` three of its keys end in `ID`, and the PDF is added. */
export const reportReply = lazy(() =>
  z.looseObject({
    correlationId: text,
    correlationID: text,
    failedSections: list(z.string()),
    companyId: text,
    companyID: text,
    dateOfOrder: zonedDate.optional(),
    language: text,
    userId: z.number().int().optional(),
    userID: z.number().int().optional(),
    report,
    pdfReportStream: text,
  }),
)

export type CompanyReport = z.infer<typeof report>
export type Director = z.infer<typeof director>
export type ReportReply = z.infer<typeof reportReply>
