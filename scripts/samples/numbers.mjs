/**
 * Register and VAT numbers in each country's shape. Where a country has a check digit it is wrong on purpose, so that such a number
 * cannot be a real company's. It knows nothing of names.
 */

const sum = (digits, weights) => [...digits].reduce((total, digit, i) => total + Number(digit) * weights[i], 0)
const other = (random, refused, limit = 9) => {
  for (;;) {
    const digit = random.int(0, limit)
    if (!refused.includes(digit)) return digit
  }
}

/** Appends a digit that is not the Luhn check digit of `body`, to which the caller may have added a `tail` to shift the weights. */
function luhn(random, body, tail = '', offset = 0) {
  const total = [...body, ...tail]
    .reverse()
    .reduce((t, d, i) => t + (i % 2 === 0 ? (Number(d) * 2 > 9 ? Number(d) * 2 - 9 : Number(d) * 2) : Number(d)), offset)
  return body + other(random, [(10 - (total % 10)) % 10])
}

/** Appends a digit that none of the usual readings of a weighted sum modulo 11 gives. */
function mod11(random, body, weights) {
  const rest = sum(body, weights) % 11
  return body + other(random, [rest % 10, (11 - rest) % 11, (11 - rest) % 10, (10 - rest + 10) % 10])
}

/** Appends two digits that are not the check pair modulo 97. */
function mod97(random, body, value) {
  const right = [97 - (value % 97), 97 - ((value + 55) % 97), (value + 55) % 97, value % 97]
  return body + String(other(random, right, 96)).padStart(2, '0')
}

/** Appends a digit that is not the ISO 7064 (11,10) check digit of a German VAT number. */
function iso7064(random, body) {
  let product = 10
  for (const digit of body) {
    const total = (Number(digit) + product) % 10 || 10
    product = (total * 2) % 11
  }
  return body + other(random, [(11 - product) % 10])
}

const countdown = [9, 8, 7, 6, 5, 4, 3, 2]
const dotted = digits => `${digits.slice(0, 4)}.${digits.slice(4, 7)}.${digits.slice(7)}`

function british(random, { form, town }) {
  const scottish =
    /^(Edinburgh|Glasgow|Aberdeen|Dundee|Inverness|Perth|Stirling|Falkirk|Kirkcaldy|Paisley|Ayr|Dumfries|Galashiels|Motherwell)$/.test(
      town,
    )
  const irish = /^(Belfast|Lisburn|Newry|Omagh|Coleraine)$/.test(town)
  if (form === 'LLP')
    return `${scottish ? 'SO' : irish ? 'NC' : 'OC'}${scottish || irish ? '30' : '3'}${random.digits(scottish || irish ? 4 : 5)}`
  if (scottish) return `SC${random.pick(['0', '1', '2', '3', '4', '5', '6', '7'])}${random.digits(5)}`
  if (irish) return `NI${random.pick(['0', '6'])}${random.digits(5)}`
  // Leading zeros are what spreadsheets lose, so numbers below ten million are in the majority, as in the real register.
  return random.chance(0.62) ? `0${random.int(0, 9)}${random.digits(6)}` : `1${random.int(0, 6)}${random.digits(6)}`
}

const orgNumbers = {
  GB: british,
  IE: random => String(random.int(100000, 799999)),
  US: random =>
    `${random.pick(['07', '08', '09', '17', '18', '19', '28', '29', '49', '69', '70', '78', '79', '89', '96', '97'])}-${random.digits(7)}`,
  DE: (random, { form }) =>
    `${/KG|OHG|e\.K\./.test(form) ? 'HRA' : /eG/.test(form) ? 'GnR' : 'HRB'} ${random.int(1000, random.chance(0.5) ? 29999 : 299999)}`,
  AT: random => `FN ${random.int(30000, 599999)}${random.pick([...'abdfghikmpstvwxyz'])}`,
  CH: random => {
    const digits = mod11(random, random.pick(['1', '2', '3', '4']) + random.digits(7), [5, 4, 3, 2, 7, 6, 5, 4])
    return `CHE-${digits.slice(0, 3)}.${digits.slice(3, 6)}.${digits.slice(6)}`
  },
  FR: random => luhn(random, random.pick(['3', '4', '5', '7', '8', '9']) + random.digits(7)),
  BE: random => dotted(mod97Body(random)),
  NL: random => random.pick(['0', '1', '2', '3', '5', '6', '7', '8']) + random.digits(7),
  IT: random => luhn(random, `0${random.digits(9)}`),
  ES: (random, { form }) =>
    `${/^S\.?A/.test(form) ? 'A' : /Coop/.test(form) ? 'F' : 'B'}${luhn(random, random.pick(['0', '1', '2', '4', '6', '8']) + random.digits(6))}`,
  PT: random => mod11(random, `5${random.digits(7)}`, countdown),
  SE: random => {
    const digits = luhn(random, `55${random.pick(['6', '6', '9'])}${random.digits(6)}`)
    return `${digits.slice(0, 6)}-${digits.slice(6)}`
  },
  DK: random => mod11(random, random.pick(['1', '2', '3', '4']) + random.digits(6), [2, 7, 6, 5, 4, 3, 2]),
  NO: random => mod11(random, random.pick(['8', '9']) + random.digits(7), [3, 2, 7, 6, 5, 4, 3, 2]),
  FI: random => {
    const digits = mod11(random, random.pick(['0', '1', '2', '3']) + random.digits(6), [7, 9, 10, 5, 8, 4, 2])
    return `${digits.slice(0, 7)}-${digits.slice(7)}`
  },
  PL: random => `000${random.int(0, 9)}${random.digits(6)}`,
  CZ: random => mod11(random, random.pick(['0', '2', '4', '6']) + random.digits(6), [8, 7, 6, 5, 4, 3, 2]),
}

function mod97Body(random) {
  const body = `0${random.pick(['4', '5', '6', '7', '8'])}${random.digits(6)}`
  return mod97(random, body, Number(body))
}

const vatNumbers = {
  GB: random => {
    const body = random.pick(['1', '2', '3', '4', '6', '7', '8', '9']) + random.digits(6)
    return `GB${mod97(random, body, sum(body, [8, 7, 6, 5, 4, 3, 2]))}`
  },
  IE: random => {
    const body = random.pick(['3', '6', '8', '9']) + random.digits(6)
    const right = sum(body, [8, 7, 6, 5, 4, 3, 2]) % 23
    return `IE${body}${'WABCDEFGHIJKLMNOPQRSTUV'[other(random, [right], 22)]}`
  },
  US: () => '',
  DE: random => `DE${iso7064(random, random.pick(['1', '2', '8']) + random.digits(7))}`,
  AT: random => `ATU${luhn(random, random.digits(7), '0', 4)}`,
  CH: (_random, { orgNumber }) => `${orgNumber} MWST`,
  FR: (random, { orgNumber }) => `FR${String(random.int(10, 97))}${orgNumber}`,
  BE: (_random, { orgNumber }) => `BE${orgNumber.replaceAll('.', '')}`,
  NL: random => `NL${mod11(random, `8${random.digits(7)}`, countdown)}B01`,
  IT: (_random, { orgNumber }) => `IT${orgNumber}`,
  ES: (_random, { orgNumber }) => `ES${orgNumber}`,
  PT: (_random, { orgNumber }) => `PT${orgNumber}`,
  SE: (_random, { orgNumber }) => `SE${orgNumber.replace('-', '')}01`,
  DK: (_random, { orgNumber }) => `DK${orgNumber}`,
  NO: (_random, { orgNumber }) => `NO${orgNumber}MVA`,
  FI: (_random, { orgNumber }) => `FI${orgNumber.replace('-', '')}`,
  PL: random => `PL${mod11(random, random.pick(['5', '6', '7', '8', '9']) + random.digits(8), [6, 5, 7, 2, 3, 4, 5, 6, 7])}`,
  CZ: (_random, { orgNumber }) => `CZ${orgNumber}`,
}

/** Returns a source of register numbers that never gives the same one twice, not even after zeros were lost or restored to eight characters. */
export function createNumbers(random) {
  const used = new Set()
  return {
    org: company => {
      for (;;) {
        const number = orgNumbers[company.country](random, company)
        const bare = number.replace(/[^A-Z0-9]/gi, '').replace(/^0+/, '')
        if (bare.length < 4 || used.has(bare)) continue
        used.add(bare)
        return number
      }
    },
    vat: company => {
      for (;;) {
        const number = vatNumbers[company.country](random, company)
        if (number !== '' && used.has(number)) continue
        used.add(number)
        return number
      }
    },
  }
}
