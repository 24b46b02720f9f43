/** Imports of screening lists: parsing of rows, validation, and replacement in one step. */
import { createHash } from 'node:crypto'
import { cp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Entry, type ListingCode, listDatasets } from '../../../../src/service/screening/entry.ts'
import { importList, type ListKind, readList, readLists, removeList } from '../../../../src/service/screening/index.ts'
import { openList, READERS } from '../../../../src/service/screening/lists/import.ts'
import { readDate } from '../../../../src/service/screening/lists/rows.ts'
import { Screener } from '../../../../src/service/screening/screener.ts'
import { temporaryFolder } from '../kit.ts'

const NOW = new Date(Date.UTC(2026, 0, 15))

async function read(kind: ListKind, text: string, codes: ListingCode[] = []): Promise<{ entries: Entry[]; skipped: string[] }> {
  const file = join(await temporaryFolder(), 'list.csv')
  await writeFile(file, text)
  const skipped: string[] = []
  const source = {
    file,
    facts: { sha256: '', bytes: 0 },
    skip: ({ line, why }: { line: number | null; why: string }) => skipped.push(`${line}: ${why}`),
  }
  const entries: Entry[] = []
  for await (const entry of READERS[kind](source, codes)) entries.push(entry)
  return { entries, skipped }
}

const OPEN = [
  'id,schema,name,aliases,birth_date,countries,addresses,identifiers,sanctions,phones,emails,program_ids,dataset,first_seen,last_seen,last_change',
  'NK-1,Person,Zalmir Quorvath,"Залмир Кворват;Z. Quorvath",1961-04-12;1962,kz;ru,"1 Street, Almaty",KZ123,"MUC - regime",+7 1,z@q.example,US-RUS,"US OFAC Specially Designated Nationals (SDN) List;Wikidata Politically Exposed Persons",2021-07-30T00:00:00,,',
  'NK-2,Company,Varnix Steel,,,cy,,,,,,,Made-up Wanted Persons,2020-01-01,,',
  'NK-3,LegalEntity,Orvance,,,,,,"Asset freeze",,,,Made-up Collection,2020-01-01,,',
  'NK-4,Vessel,Sea Star,,,ir,,,,,,,,2020-01-01,,',
  ',Person,Nobody,,,,,,,,,,,,,',
  'NK-6,Person,,,,,,,,,,,,,,',
].join('\n')

describe('opensanctions', () => {
  test('reads names, countries, dates and listings of each row', async () => {
    const { entries, skipped } = await read('opensanctions', OPEN)
    expect(entries.map(one => [one.id, one.type, listDatasets(one.listings)])).toEqual([
      ['NK-1', 'individual', ['SAN', 'SAN-CURRENT', 'PEP']],
      ['NK-2', 'business', ['ENF']],
      ['NK-3', 'either', ['POI', 'SAN', 'SAN-CURRENT']],
      ['NK-4', 'business', ['POI']],
    ])
    expect(entries[0]).toMatchObject({
      name: 'Zalmir Quorvath',
      aliases: [
        { type: 'alias', name: 'Залмир Кворват' },
        { type: 'alias', name: 'Z. Quorvath' },
      ],
      countries: ['KZ', 'RU'],
      datesOfBirth: ['1961-04-12', '1962'],
      identifiers: [{ type: 'identifier', value: 'KZ123' }],
      contacts: [
        { type: 'telephone', value: '+7 1' },
        { type: 'email', value: 'z@q.example' },
      ],
    })
    expect(entries[0]?.listings[0]).toMatchObject({ regime: 'MUC - regime', measures: ['US-RUS'], from: '2021-07-30' })
    expect(skipped).toEqual(['6: no id', '7: no name'])
  })

  test('uses the listing codes of the import for all rows', async () => {
    const { entries } = await read('opensanctions', OPEN, ['PEP-CURRENT'])
    expect(entries.map(one => listDatasets(one.listings))).toEqual([['PEP'], ['PEP'], ['PEP'], ['PEP']])
  })
})

const UK_HEADER =
  'Last Updated,Unique ID,OFSI Group ID,UN Reference Number,Name 6,Name 1,Name 2,Name 3,Name 4,Name 5,Name type,Alias strength,Title,Name non-latin script,Non-latin script type,Non-latin script language,Regime Name,Designation Type,Designation source,Sanctions Imposed,Other Information,UK Statement of Reasons,Address Line 1,Address Line 2,Address Line 3,Address Line 4,Address Line 5,Address Line 6,Address Postal Code,Address Country,Phone number,Website,Email address,Date Designated,D.O.B,Nationality(/ies),National Identifier number,Passport number,Position,Gender,Country of birth,Type of entity,Subsidiaries,Parent company,Business registration number (s),IMO number'

/** A row of the British list by its columns. */
const ukRow = (cells: Readonly<Record<string, string>>): string =>
  UK_HEADER.split(',')
    .map(column => `"${cells[column] ?? ''}"`)
    .join(',')

const PERSON = { 'Unique ID': 'MUR0001', 'Designation Type': 'Individual', 'Regime Name': 'Made-up', 'Designation source': 'UK' }
const UK = [
  'Report Date: 15-Jan-2026',
  UK_HEADER,
  ukRow({
    ...PERSON,
    'Name 6': 'QUORVATH',
    'Name 1': 'Zalmir',
    'Name 2': 'Pradenovich',
    'Name type': 'Primary Name',
    'Name non-latin script': 'Залмир',
    'Sanctions Imposed': 'Asset freeze|Travel Ban',
    'Address Line 1': '3 Garden Lane',
    'Address Line 2': 'Almaty',
    'Address Country': 'Kazakhstan',
    'D.O.B': '12/04/1961',
    Gender: 'Male',
    'Nationality(/ies)': 'Kazakhstan',
    'Date Designated': '30/07/2021',
  }),
  ukRow({
    ...PERSON,
    'Name 6': 'KVORVAT',
    'Name 1': 'Zalmyr',
    'Name type': 'Alias',
    'Alias strength': 'Low',
    'D.O.B': 'dd/mm/1962',
  }),
  ukRow({
    'Unique ID': 'MUR0002',
    'Designation Type': 'Entity',
    'Regime Name': 'Made-up',
    'Name 6': 'VARNIX STEEL LTD',
    'Name type': 'Primary Name',
    'Type of entity': 'Company',
    'Parent company': '(1) Varnix Holding (2) Varnix Group',
  }),
  ukRow({
    ...PERSON,
    'Name 6': 'QUORVATH',
    'Name 1': 'Zalmir',
    'Name type': 'Primary Name Variation',
    'Alias strength': 'Good quality',
  }),
  ukRow({ ...PERSON, 'Unique ID': '', 'Name 6': 'NOBODY' }),
].join('\r\n')

test('the UK list joins all rows of a designation', async () => {
  const { entries, skipped } = await read('uk', UK)
  expect(entries).toHaveLength(2)
  expect(entries[0]).toMatchObject({
    id: 'MUR0001',
    type: 'individual',
    name: 'Zalmir Pradenovich QUORVATH',
    person: { first: 'Zalmir', middle: 'Pradenovich', last: 'QUORVATH' },
    aliases: [
      { type: 'weak alias', name: 'Zalmyr KVORVAT' },
      { type: 'alias', name: 'Zalmir QUORVATH' },
      { type: 'original script', name: 'Залмир' },
    ],
    countries: ['KZ'],
    gender: 'male',
    datesOfBirth: ['1961-04-12', '1962'],
    addresses: [{ line1: '3 Garden Lane', line2: '', city: 'Almaty', postalCode: '', countryCode: 'KZ' }],
  })
  expect(entries[0]?.listings).toMatchObject([
    {
      code: 'SAN-CURRENT',
      reference: 'MUR0001',
      origin: 'UK',
      regime: 'Made-up',
      measures: ['Asset freeze', 'Travel Ban'],
      from: '2021-07-30',
    },
  ])
  expect(entries[1]).toMatchObject({
    type: 'business',
    name: 'VARNIX STEEL LTD',
    businessTypes: ['Company'],
    links: [
      { type: 'parent company', value: 'Varnix Holding' },
      { type: 'parent company', value: 'Varnix Group' },
    ],
  })
  expect(skipped).toEqual(['7: no Unique ID'])
})

test('fettle’s own CSV requires name and dataset, and names rows without them', async () => {
  const text = [
    'NAME,datasets,type,identifiers,addresses',
    'Varnix,SAN|pep-former,company,registration: 1|2,"1 Quay, Limassol, Cyprus"',
    ',SAN,,,',
    'No Codes,,,,',
    'Bad Code,SANCTION,,,',
    'Bad Type,SAN,ghost,,',
    'Short,SAN',
  ].join('\n')
  const { entries, skipped } = await read('csv', text)
  expect(entries).toHaveLength(1)
  expect(entries[0]).toMatchObject({
    id: 'row-1',
    identifiers: [
      { type: 'registration', value: '1' },
      { type: 'identifier', value: '2' },
    ],
    addresses: [{ line1: '1 Quay', city: 'Limassol', countryCode: 'CY' }],
  })
  expect(entries[0]?.listings.map(one => one.code)).toEqual(['SAN-CURRENT', 'PEP-FORMER'])
  expect(skipped).toEqual([
    '3: no name',
    '4: no dataset code',
    '5: "SANCTION" is not a dataset code',
    '6: "ghost" is not a type: individual or business',
    '7: 2 cells where the header has 5',
  ])
  expect((await read('csv', 'name\nVarnix', ['AM'])).entries[0]?.listings[0]?.code).toBe('AM')
})

test.each([
  ['uk', 'a,b\n1,2\n', 'FETTLE_INPUT_HEADER'],
  ['opensanctions', 'id,name\n1,2\n', 'FETTLE_INPUT_HEADER'],
  ['csv', '', 'FETTLE_INPUT_EMPTY'],
  ['csv', 'name\n"open', 'FETTLE_INPUT_QUOTE'],
] as const)('a file that is no %s list is refused: %j', async (kind, text, code) => {
  await expect(read(kind, text)).rejects.toMatchObject({ code })
})

test.each([
  ['1961-04-12', '1961-04-12'],
  ['1961-04-12T10:00:00', '1961-04-12'],
  ['1961-04', '1961'],
  ['1961', '1961'],
  ['12/04/1961', '1961-04-12'],
  ['dd/mm/1961', '1961'],
  ['00/00/1961', '1961'],
  ['31/02/1961', '1961'],
  ['circa 1961', ''],
  ['', ''],
])('the date %j is %j', (text, date) => {
  expect(readDate(text)).toBe(date)
})

describe('an import', () => {
  const importIn = async (dir: string, text: string, force = false) => {
    const file = join(await temporaryFolder(), 'ours.csv')
    await writeFile(file, text)
    return { file, info: await importList({ kind: 'csv', file, name: 'ours', dir, now: NOW, codes: ['SAN-CURRENT'], force }) }
  }

  test('stores the digest of its source and counts of its entries', async () => {
    const dir = await temporaryFolder()
    const { file, info } = await importIn(dir, 'id,name,type\n1,Varnix,business\n1,Again,business\n2,Zalmir Quorvath,person\n')
    expect(info).toMatchObject({ name: 'ours', kind: 'csv', source: 'ours.csv', entries: 2, individuals: 1, skipped: 1 })
    expect(info.sha256).toBe(
      createHash('sha256')
        .update(await readFile(file))
        .digest('hex'),
    )
    expect(info.datasets).toEqual({ SAN: 2, 'SAN-CURRENT': 2 })
    expect(info.skippedRows).toEqual([{ line: null, why: 'the id 1 is on an earlier line too' }])
    expect(await readLists(dir)).toEqual([info])
  })

  test('replaces an earlier one and leaves one file of entries, and the names that changed; an open list stays readable', async () => {
    const dir = await temporaryFolder()
    const { info } = await importIn(dir, 'name\nVarnix\n')
    const open = await openList(dir, info, () => {})
    const { info: second } = await importIn(dir, 'name\nQuorvath\nPrindane\n')
    expect((await readList(dir, 'ours')).entries).toBe(2)
    const changes = second.history?.map(({ file }) => file) ?? []
    expect(changes).toHaveLength(1)
    expect((await readdir(join(dir, 'ours'))).sort()).toEqual([second.file, ...changes, 'info.json'].sort())
    expect(open.at(0).name).toBe('Varnix')
    open.close()
  })

  test('that fails leaves the existing list unchanged', async () => {
    const dir = await temporaryFolder()
    const { info } = await importIn(dir, 'name\nVarnix\n')
    await expect(importIn(dir, 'name\n"open')).rejects.toMatchObject({ code: 'FETTLE_INPUT_QUOTE' })
    await expect(importIn(dir, 'name\n')).rejects.toMatchObject({ code: 'FETTLE_INPUT_EMPTY' })
    expect(await readLists(dir)).toEqual([info])
    expect(await readdir(join(dir, 'ours'))).toHaveLength(2)
    await removeList(dir, 'ours')
    expect(await readLists(dir)).toEqual([])
    await expect(readList(dir, 'ours')).rejects.toMatchObject({ code: 'FETTLE_SCREENING_UNKNOWN' })
  })

  test('into a list that another import writes is rejected, and the list stays whole', async () => {
    const dir = await temporaryFolder()
    const texts = ['name\nVarnix\n', 'name\nQuorvath\nPrindane\n']
    const ends = await Promise.allSettled(texts.map(text => importIn(dir, text, true)))
    const [refused, ...others] = ends.filter(({ status }) => status === 'rejected')
    expect(refused).toMatchObject({ reason: { code: 'FETTLE_LOCKED', message: expect.stringContaining('into this list is') } })
    expect(others).toEqual([])
    const info = await readList(dir, 'ours')
    expect((await readdir(join(dir, 'ours'))).sort()).toEqual([info.file, 'info.json'].sort())
    ;(await openList(dir, info, () => {})).close()
  })

  test('that would lose entries is rejected with both counts, unless it is forced', async () => {
    const dir = await temporaryFolder()
    const { info } = await importIn(dir, 'name\nVarnix\nQuorvath\nPrindane\n')
    await expect(importIn(dir, 'name\n  \n')).rejects.toThrow(
      /"ours": 0 entries; rows skipped: 1, the first on line 2 since: no name\. The existing 3 stay/,
    )
    await expect(importIn(dir, 'name\nVarnix\n')).rejects.toMatchObject({
      code: 'FETTLE_IMPORT_SHRINKS',
      message: expect.stringContaining('screening list "ours": 1 entries would replace 3'),
    })
    expect(await readLists(dir)).toEqual([info])
    expect(await readdir(join(dir, 'ours'))).toHaveLength(2)
    expect((await importIn(dir, 'name\nVarnix\n', true)).info.entries).toBe(1)
    expect((await importIn(dir, 'name\n  \n', true)).info.entries).toBe(0)
    expect((await openList(dir, await readList(dir, 'ours'), () => {})).entries).toBe(0)
  })

  test('in a folder that cannot be read is an error, as if it were damaged', async () => {
    const dir = join(await temporaryFolder(), 'lists')
    expect(await readLists(dir)).toEqual([])
    await symlink(dir, dir)
    await expect(readLists(dir)).rejects.toMatchObject({ code: 'FETTLE_INPUT_READ' })
    await expect(new Screener(dir).ready()).rejects.toMatchObject({ code: 'FETTLE_INPUT_READ' })
  })

  test('copied as a folder is refused, since every hit would be there twice', async () => {
    const dir = await temporaryFolder()
    await importIn(dir, 'name\nVarnix\n')
    await cp(join(dir, 'ours'), join(dir, 'ours2'), { recursive: true })
    await expect(new Screener(dir).ready()).rejects.toMatchObject({
      code: 'FETTLE_INPUT_READ',
      message: expect.stringMatching(/ours2 failed: it is a copy of the list "ours"/),
    })
  })

  test('over a damaged info.json is refused with what helps, and then replaces the list', async () => {
    const dir = await temporaryFolder()
    await importIn(dir, 'name\nVarnix\n')
    await writeFile(join(dir, 'ours', 'info.json'), '{"name":')
    const hint = `Remove the folder ${join(dir, 'ours')}, then import the list again.`
    await expect(importIn(dir, 'name\nVarnix\n', true)).rejects.toMatchObject({ code: 'FETTLE_INPUT_READ', hint })
    await expect(readLists(dir)).rejects.toMatchObject({ hint })
    await rm(join(dir, 'ours'), { recursive: true })
    expect((await importIn(dir, 'name\nVarnix\n')).info.entries).toBe(1)
  })

  test('is not opened when its file was changed', async () => {
    const dir = await temporaryFolder()
    const { info } = await importIn(dir, 'name\nVarnix\nQuorvath\n')
    const path = join(dir, 'ours', info.file)
    const text = await readFile(path, 'utf8')
    for (const wrong of [text.replace('Varnix', 'Varnax'), text.slice(0, -5), '']) {
      await writeFile(path, wrong)
      await expect(openList(dir, info, () => {})).rejects.toMatchObject({ code: 'FETTLE_INPUT_READ' })
    }
  })
})

const OFAC = (count: number) => `\ufeff<?xml version="1.0" standalone="yes"?>
<sdnList xmlns="https://example.org/lists">
  <publshInformation><Publish_Date>01/15/2026</Publish_Date><Record_Count>${count}</Record_Count></publshInformation>
  <sdnEntry>
    <uid>7001</uid><firstName>Zalmir</firstName><lastName>QUORVATH</lastName><title>Minister &amp; Chair</title>
    <sdnType>Individual</sdnType><remarks>Made up.</remarks>
    <programList><program>MUC</program><program>MUD</program></programList>
    <idList>
      <id><uid>1</uid><idType>Passport</idType><idNumber>N 123</idNumber><idCountry>Kazakhstan</idCountry></id>
      <id><uid>2</uid><idType>Gender</idType><idNumber>Male</idNumber></id>
      <id><uid>3</uid><idType>Website</idType><idNumber>q.example</idNumber></id>
      <id><uid>4</uid><idType>Secondary sanctions risk:</idType><idNumber>Section 1</idNumber></id>
    </idList>
    <akaList>
      <aka><uid>5</uid><type>a.k.a.</type><category>strong</category><lastName>KVORVAT</lastName><firstName>Zalmyr</firstName></aka>
      <aka><uid>6</uid><type>a.k.a.</type><category>weak</category><lastName>ZALMI</lastName></aka>
      <aka><uid>7</uid><type>f.k.a.</type><category>strong</category><lastName>OLDNAME</lastName></aka>
    </akaList>
    <addressList><address><uid>8</uid><address1>3 Garden Lane</address1><city>Almaty</city><country>Kazakhstan</country></address></addressList>
    <citizenshipList><citizenship><uid>9</uid><country>Cyprus</country><mainEntry>true</mainEntry></citizenship></citizenshipList>
    <dateOfBirthList>
      <dateOfBirthItem><uid>10</uid><dateOfBirth>12 Apr 1961</dateOfBirth></dateOfBirthItem>
      <dateOfBirthItem><uid>11</uid><dateOfBirth>1963 to 1964</dateOfBirth></dateOfBirthItem>
    </dateOfBirthList>
  </sdnEntry>
  <sdnEntry><uid>7002</uid><lastName>VARNIX STEEL</lastName><sdnType>Vessel</sdnType><vesselInfo><vesselFlag>Korea, North</vesselFlag></vesselInfo></sdnEntry>
  <sdnEntry><uid>7003</uid><sdnType>Entity</sdnType></sdnEntry>
</sdnList>`

test('the list of OFAC is read with aliases, dates, numbers and countries', async () => {
  const { entries, skipped } = await read('ofac', OFAC(3))
  expect(entries).toHaveLength(2)
  expect(entries[0]).toMatchObject({
    ...{ id: '7001', type: 'individual', name: 'Zalmir QUORVATH', gender: 'male', countries: ['CY', 'KZ'] },
    person: { first: 'Zalmir', middle: '', last: 'QUORVATH' },
    aliases: [
      { type: 'alias', name: 'Zalmyr KVORVAT' },
      { type: 'weak alias', name: 'ZALMI' },
      { type: 'former name', name: 'OLDNAME' },
    ],
    datesOfBirth: ['1961-04-12', '1963', '1964'],
    identifiers: [{ type: 'Passport', value: 'N 123, Kazakhstan' }],
    contacts: [{ type: 'Website', value: 'q.example' }],
    notes: ['title: Minister & Chair', 'remarks: Made up.', 'Secondary sanctions risk: Section 1'],
    addresses: [{ line1: '3 Garden Lane', city: 'Almaty', countryCode: 'KZ' }],
    listings: [{ code: 'SAN-CURRENT', reference: '7001', regime: 'MUC; MUD', measures: ['MUC', 'MUD'] }],
  })
  expect(entries[1]).toMatchObject({ type: 'business', person: null, countries: ['KP'], businessTypes: ['Vessel'] })
  expect(skipped).toEqual(['null: 7003: no name'])
})

const UN = `<?xml version="1.0" encoding="UTF-8"?>
<CONSOLIDATED_LIST dateGenerated="2026-01-15T00:00:00Z">
  <INDIVIDUALS>
    <INDIVIDUAL>
      <DATAID>690</DATAID><FIRST_NAME>ZALMIR</FIRST_NAME><SECOND_NAME>PRADENOV</SECOND_NAME><THIRD_NAME>QUORVATH</THIRD_NAME>
      <UN_LIST_TYPE>Made-up</UN_LIST_TYPE><REFERENCE_NUMBER>MUi.001</REFERENCE_NUMBER><LISTED_ON>2012-12-31</LISTED_ON>
      <GENDER>Male</GENDER><COMMENTS1>Made up.</COMMENTS1><NAME_ORIGINAL_SCRIPT>Залмир</NAME_ORIGINAL_SCRIPT>
      <DESIGNATION><VALUE>General </VALUE></DESIGNATION><NATIONALITY><VALUE>Kazakhstan</VALUE></NATIONALITY>
      <INDIVIDUAL_ALIAS><QUALITY>Good</QUALITY><ALIAS_NAME>Zalmyr Kvorvat</ALIAS_NAME></INDIVIDUAL_ALIAS>
      <INDIVIDUAL_ALIAS><QUALITY>Low</QUALITY><ALIAS_NAME>Zalmi</ALIAS_NAME></INDIVIDUAL_ALIAS>
      <INDIVIDUAL_ALIAS><QUALITY/><ALIAS_NAME/></INDIVIDUAL_ALIAS>
      <INDIVIDUAL_ADDRESS><CITY>Limassol</CITY><COUNTRY>Cyprus</COUNTRY></INDIVIDUAL_ADDRESS>
      <INDIVIDUAL_DATE_OF_BIRTH><TYPE_OF_DATE>EXACT</TYPE_OF_DATE><DATE>1961-04-12</DATE></INDIVIDUAL_DATE_OF_BIRTH>
      <INDIVIDUAL_DATE_OF_BIRTH><TYPE_OF_DATE>BETWEEN</TYPE_OF_DATE><FROM_YEAR>1963</FROM_YEAR><TO_YEAR>1964</TO_YEAR></INDIVIDUAL_DATE_OF_BIRTH>
      <INDIVIDUAL_DATE_OF_BIRTH/>
      <INDIVIDUAL_DOCUMENT><TYPE_OF_DOCUMENT>Passport</TYPE_OF_DOCUMENT><NUMBER>N 123</NUMBER></INDIVIDUAL_DOCUMENT>
      <INDIVIDUAL_DOCUMENT/>
    </INDIVIDUAL>
  </INDIVIDUALS>
  <ENTITIES>
    <ENTITY>
      <DATAID>691</DATAID><FIRST_NAME>VARNIX STEEL</FIRST_NAME><REFERENCE_NUMBER>MUe.001</REFERENCE_NUMBER>
      <ENTITY_ALIAS><QUALITY>f.k.a.</QUALITY><ALIAS_NAME>VARNIX IRON</ALIAS_NAME></ENTITY_ALIAS>
    </ENTITY>
  </ENTITIES>
</CONSOLIDATED_LIST>`

test('the list of the UN is read with aliases, dates, documents and countries', async () => {
  const { entries, skipped } = await read('un', UN)
  expect(skipped).toEqual([])
  expect(entries[0]).toMatchObject({
    ...{ id: '690', type: 'individual', name: 'ZALMIR PRADENOV QUORVATH', gender: 'male', countries: ['KZ', 'CY'] },
    person: { first: 'ZALMIR', middle: 'PRADENOV', last: 'QUORVATH' },
    aliases: [
      { type: 'alias', name: 'Zalmyr Kvorvat' },
      { type: 'weak alias', name: 'Zalmi' },
      { type: 'original script', name: 'Залмир' },
    ],
    datesOfBirth: ['1961-04-12', '1963', '1964'],
    identifiers: [{ type: 'Passport', value: 'N 123' }],
    notes: ['General', 'Made up.'],
    listings: [{ reference: 'MUi.001', regime: 'Made-up', from: '2012-12-31' }],
  })
  expect(entries[1]).toMatchObject({ id: '691', type: 'business', aliases: [{ type: 'former name', name: 'VARNIX IRON' }] })
})

test.each([
  ['another number of entries', 'ofac', OFAC(4), 'FETTLE_INPUT_READ', /has 3 entries and states 4/],
  [
    'no number of entries',
    'ofac',
    OFAC(3).replace(/<Record_Count>.*<\/Record_Count>/, ''),
    'FETTLE_INPUT_READ',
    /states no number/,
  ],
  ['an end that is missing', 'un', UN.slice(0, -30), 'FETTLE_INPUT_READ', /XML/],
  ['another list', 'ofac', UN, 'FETTLE_INPUT_HEADER', /begins with <CONSOLIDATED_LIST>/],
  ['CSV', 'un', 'name\nVarnix\n', 'FETTLE_INPUT_HEADER', /is not XML/],
] as const)('a published list with %s is refused', async (_, kind, text, code, message) => {
  await expect(read(kind, text)).rejects.toMatchObject({ code, message: expect.stringMatching(message) })
})

// A search by country or date of birth excludes an entry that has others: one that is not known must not be left out of them.
test.each([
  ['ofac', OFAC(3).replace('1963 to 1964', 'circa 1963'), { datesOfBirth: [] }],
  ['ofac', OFAC(3).replace('12 Apr 1961', '12 Abc 1961'), { datesOfBirth: ['1961', '1963', '1964'] }],
  [
    'ofac',
    OFAC(3).replace('<country>Cyprus', '<country>Region: Atlantis'),
    { countries: [], datesOfBirth: ['1961-04-12', '1963', '1964'] },
  ],
  ['un', UN.replace('BETWEEN', 'APPROXIMATELY'), { datesOfBirth: [] }],
  ['un', UN.replace('<VALUE>Kazakhstan', '<VALUE>former Atlantis'), { countries: [] }],
  ['uk', UK.replace('"12/04/1961"', '"spring of 1961"'), { datesOfBirth: [] }],
] as const)('%s: an entry with a country or date that cannot be read has none (%#)', async (kind, text, expected) => {
  const { entries } = await read(kind, text)
  expect(entries[0]).toMatchObject(expected)
})
