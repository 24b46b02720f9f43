/** Converts the body of a new search to a screening query: contract §6.1, §12. */
import type { z } from 'zod'
import { type createBusinessSearch, fullNameOf, isDataset, type NewIndividualSearch } from '../../contract/index.ts'
import { normaliseCountry } from '../../normalise/country.ts'
import { badRequest } from '../refusal.ts'
import type { PersonName } from './entry.ts'
import type { Question } from './screener.ts'

type Common = Pick<z.infer<typeof createBusinessSearch>, 'datasets' | 'countryCodes'>

const common = ({ datasets, countryCodes }: Common): Pick<Question, 'datasets' | 'countryCodes'> => ({
  // One valid code is enough; the record has the codes that were searched.
  datasets: [...new Set(datasets.filter(isDataset))],
  countryCodes: [
    ...new Set(
      (countryCodes ?? []).map((code, at) => {
        if (normaliseCountry(code) === code.toUpperCase()) return code.toUpperCase()
        throw badRequest('The request is not acceptable', `countryCodes[${at}]: ${code} is not a country`)
      }),
    ),
  ],
})

/** Throws a 400 that names an invalid country code. */
export const businessQuestion = (body: z.infer<typeof createBusinessSearch>): Question => ({
  type: 'business',
  name: body.name.trim(),
  person: null,
  threshold: body.threshold,
  ...common(body),
  ...{ dateOfBirth: null, isDobRequired: false, gender: null, pepTiers: [] },
})

const personIn = ({ firstName, middleName, lastName }: NewIndividualSearch): PersonName | null =>
  (firstName ?? '') === '' || (lastName ?? '') === ''
    ? null
    : { first: firstName?.trim() ?? '', middle: middleName?.trim() ?? '', last: lastName?.trim() ?? '' }

/** Throws a 400 that names an invalid country code. */
export const individualQuestion = (body: NewIndividualSearch): Question => ({
  type: 'individual',
  name: fullNameOf(body).trim(),
  person: personIn(body),
  threshold: body.threshold,
  ...common(body),
  dateOfBirth: body.dateOfBirth ?? null,
  isDobRequired: body.isDobRequired ?? false,
  gender: body.gender ?? null,
  pepTiers: (body.pepTiers ?? []).map(tier => Number(tier.slice(-1))),
})
