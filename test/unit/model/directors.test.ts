/** The directors of an answer: each once, with a date of birth only where it is certainly theirs. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { directorKey, isCompanyName, readDirectors } from '../../../src/model/directors.ts'

test.each([
  ['', '', []],
  ['Ann Holt', '', [['Ann Holt', '']]],
  ['Ann Holt | Bo Ek', '1980-05-17 | 1971', ['Ann Holt 1980-05-17', 'Bo Ek 1971']],
  ['Ann  Holt;Bo Ek\nCy Ode', '1980-05-17 | 1971', ['Ann Holt', 'Bo Ek', 'Cy Ode']],
  ['Ann Holt | Bo Ek', ' | 1971-02', ['Ann Holt', 'Bo Ek 1971']],
  ['Ann Holt', '1980-05-17T00:00:00Z', ['Ann Holt 1980-05-17']],
  ['Ann Holt', '1980-02-31', ['Ann Holt 1980']],
  ['Ann Holt', '17/05/1980', ['Ann Holt']],
  ['Ann Holt | ANN HOLT | Ann Holt', '1980 | 1980 | 1981', ['ANN HOLT 1980', 'Ann Holt 1981']],
  ['n/a | Ann Holt | - | null', '1 | 1980 | 3 | 4', ['Ann Holt 1980']],
] as const)('%j with %j', (names, births, expected) => {
  const shown = readDirectors(names, births).map(({ person, born }) => `${person} ${born}`.trim())
  expect(shown).toEqual(expected.map(text => [text].flat().join(' ').trim()))
})

test.each([
  'Nominee Holdings Limited',
  'X Treuhand GmbH',
  'Corporate Services B.V.',
  'Servizi S.r.l.',
  'Y BV',
  'Z N.V.',
  'Trust Co. Ltd.',
])('%s is searched for as a business', name => expect(isCompanyName(name)).toBe(true))

test.each(['Maria Limited-Holt', 'João Sá', 'Jan Sas', 'Kim As', 'Inc', 'Åsa Ab', 'Ann Holt'])(
  '%s is searched for as a person',
  name => expect(isCompanyName(name)).toBe(false),
)

test('directors are never lost, doubled or given the birth of another, for any cells', () => {
  const name = fc.constantFrom('Ann Holt', 'Bo Ek', 'Cy Ode', 'ann holt', '', 'n/a')
  const birth = fc.constantFrom('1980-05-17', '1971', '', 'soon')
  fc.assert(
    fc.property(fc.array(fc.tuple(name, birth), { maxLength: 6 }), fc.nat(2), (people, extra) => {
      const births = [...people.map(([, born]) => born), ...Array.from({ length: extra }, () => '1999')]
      const found = readDirectors(people.map(([person]) => person).join(' | '), births.join(' | '))
      const isPaired = births.length === Math.max(1, people.length) || people.length === 0
      const wanted = people
        .filter(([person]) => person !== '' && person !== 'n/a')
        .map(([person, born]) => directorKey({ person, born: isPaired && born !== 'soon' ? born : '' }))
      expect(found.map(directorKey).sort()).toEqual([...new Set(wanted)].sort())
    }),
  )
})
