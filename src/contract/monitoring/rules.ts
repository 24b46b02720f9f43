/** Event rules: which changes of a company create events: contract §7.2, §8 rows 46 and 47. */
import { z } from 'zod'
import { lazy } from '../lazy.ts'
import { wholeNumber, written } from '../written.ts'

const param = z.union([z.string(), z.number()]).nullish()

/** A rule that the service offers, or that is set in a portfolio; `XX` is for companies of all countries. `0` and `1` are read as truth values, null as false. */
export const eventRule = lazy(() =>
  z.looseObject({
    isActive: z.union([z.boolean(), z.literal([0, 1]), z.enum(['0', '1'])]).nullish(),
    ruleCode: z.number().int(),
    ruleCountryCode: z.string().optional(),
    ruleType: wholeNumber().optional(),
    ruleTypeName: z.string().optional(),
    name: z.string().optional(),
    param0: param,
    param1: param,
    param2: param,
  }),
)

/** Answer of every list of rules: the bare array. */
export const eventRulesReply = z.array(eventRule)

/** Body that sets rules of a portfolio: the bare array; other rules stay unchanged. */
export const eventRulesBody = lazy(() =>
  z
    .array(
      z.strictObject({
        ruleCode: z.number().int(),
        isActive: written(z.union([z.literal([0, 1]), z.boolean()]), { type: ['boolean', 'integer'], minimum: 0, maximum: 1 }),
        param0: param,
        param1: param,
        param2: param,
      }),
    )
    .max(1000),
)

export type EventRule = z.infer<typeof eventRule>
