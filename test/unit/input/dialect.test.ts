import { describe, expect, it } from 'vitest'
import { sniffDelimiter } from '../../../src/input/table/dialect.ts'
import { sepLine } from '../../../src/input/table/table-range.ts'

const sniff = (text: string) => sniffDelimiter(Buffer.from(text), true)

describe('the delimiter', () => {
  it.each([
    [',', 'a,b,c\n1,2,3\n4,5,6\n'],
    [';', 'a;b;c\n1,5;2,5;x\n3,5;4,5;y\n'],
    ['\t', 'a\tb\n1,2\t3\n4\t5\n'],
    ['|', 'a|b\n1|2\n'],
    [',', 'a,b\n"x;y;z",2\n"p;q;r",3\n'],
    [';', 'a;b\n"Acme, Ltd";01\n"Bolt, Inc";02\n'],
    [',', 'name\nAcme\nBolt\n'],
    [',', 'a,b,c,d;e\n1,2,3,4;5\n'],
  ])('is %j in %j', (delimiter, text) => {
    expect(sniff(text).delimiter).toBe(delimiter)
  })

  it('comes with its evidence', () => {
    expect(sniff('a,b,c\n1,2,3\n4,5,6\n')).toEqual({ delimiter: ',', evidence: '"," 2 in every one of 3 records; no other' })
  })

  it('is not chosen between two that fit equally well', () => {
    expect(sniff('a;b,c\n1;2,3\n4;5,6\n')).toEqual({
      delimiter: null,
      reason: '"," 1 in every one of 3 records; ";" 1 in every one of 3 records',
    })
  })

  it('is read from a sep= line', () => {
    expect(sepLine(Buffer.from('sep=;\r\na;b\n'))).toEqual({ delimiter: ';', bytes: 7 })
    expect(sepLine(Buffer.from('"SEP=|"\na|b\n'))).toEqual({ delimiter: '|', bytes: 8 })
    expect(sepLine(Buffer.from('separator,b\n'))).toBeNull()
  })
})
