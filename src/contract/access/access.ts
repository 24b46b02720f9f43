/** Who the caller is and what the account may use: contract §4.3, §8 row 30, §11.1. */
import { z } from 'zod'

const allowance = z.looseObject({
  countryName: z.string().optional(),
  name: z.string().optional(),
  countryIso2: z.string().optional(),
  startDate: z.string().nullish(),
  expireDate: z.string().nullish(),
  paid: z.number().int().optional(),
  used: z.number().int().optional(),
  templateName: z.string().nullish(),
})

const allowances = z.array(allowance).optional()

/** Answer of `GET /access`: per product, a row for every country. */
export const accessReply = z.looseObject({
  correlationId: z.string().optional(),
  countryAccess: z.looseObject({
    creditsafeConnectOnlineReports: allowances,
    creditsafeConnectOfflineReports: allowances,
    creditsafeConnectMonitoring: allowances,
    creditsafeConnectDirectorReports: allowances,
    creditsafeConnectImageDocuments: allowances,
    creditsafeConnectBankValidation: allowances,
    creditsafeConnectBankVerification: allowances,
  }),
})

/** Answer of `GET /access/users/active`. */
export const activeUsersReply = z.looseObject({
  items: z.array(z.looseObject({ firstName: z.string().optional(), surname: z.string().optional(), userId: z.number().int() })),
  totalSize: z.number().int().nonnegative(),
})

/** Answer of `GET /access/users/me`. */
export const ownUserReply = z.looseObject({
  username: z.string(),
  emailAddress: z.string().nullish(),
  owningEntity: z.union([z.string(), z.number()]).nullish(),
  defaultLanguage: z.string().nullish(),
  primaryContact: z
    .looseObject({ title: z.string().nullish(), firstName: z.string().nullish(), surname: z.string().nullish() })
    .nullish(),
  ietfLanguage: z.string().nullish(),
  countryCode: z.string().nullish(),
  isActive: z.boolean().optional(),
  correlationId: z.string().optional(),
})

/** Answer of `GET /monitoring/user/details`: the caller alone. */
export const userDetailsReply = z.array(
  z.looseObject({
    countryCode: z.string().nullish(),
    createdDate: z.string().nullish(),
    csCustomerId: z.number().int(),
    csUserId: z.number().int(),
    isAutoTracker: z.boolean().nullish(),
    languageCode: z.string().nullish(),
    lastAccessDate: z.string().nullish(),
    modifiedDate: z.string().nullish(),
    contractEndDate: z.string().nullish(),
    userId: z.number().int(),
  }),
)

/** What may be used of one product in one country. */
export type Allowance = z.infer<typeof allowance>
