/** The ways a name or an address gets misspelt on its way through an ERP. Each function returns the text unchanged when it does not apply. */
import { fold } from './company.mjs'

const letter = /\p{L}/u

/** Start and end of the inside of one longish word: its first letter stays, as typists get that right. */
function inside(random, text) {
  const words = [...text.matchAll(/\p{L}{5,}/gu)]
  if (words.length === 0) return undefined
  const word = random.pick(words)
  return random.int(word.index + 1, word.index + word[0].length - 2)
}

const neighbours = {
  a: 's',
  b: 'v',
  c: 'x',
  d: 'f',
  e: 'r',
  f: 'g',
  g: 'h',
  h: 'j',
  i: 'o',
  j: 'k',
  k: 'l',
  l: 'k',
  m: 'n',
  n: 'm',
  o: 'i',
  p: 'o',
  q: 'w',
  r: 't',
  s: 'd',
  t: 'z',
  u: 'i',
  v: 'b',
  w: 'e',
  x: 'y',
  y: 'u',
  z: 'x',
}

/** One letter missing, doubled, or replaced by its neighbour on the keyboard. */
export function typo(random, text) {
  const at = inside(random, text)
  if (at === undefined) return text
  const [before, character, after] = [text.slice(0, at), text[at], text.slice(at + 1)]
  const near = neighbours[character.toLowerCase()] ?? ''
  return random.pick([before + after, before + character + character + after, before + near + after])
}

/** Two neighbouring letters the wrong way round. */
export function transpose(random, text) {
  const at = inside(random, text)
  if (at === undefined || text[at] === text[at + 1]) return text
  return text.slice(0, at) + text[at + 1] + text[at] + text.slice(at + 2)
}

const shortForms = [
  [/\bInternational\b/, 'Intl'],
  [/\bManufacturing\b/, 'Mfg'],
  [/\bBros\b/, 'Brothers'],
  [/\bServices\b/, 'Svcs'],
  [/\bEngineering\b/, 'Eng'],
  [/\bConstruction\b/, 'Constr'],
  [/\bElectrical\b/, 'Elec'],
  [/\bHoldings\b/, 'Hldgs'],
  [/\bManagement\b/, 'Mgmt'],
  [/\bTechnologies\b/, 'Tech'],
  [/\bSystems\b/, 'Sys'],
  [/\bIndustries\b/, 'Inds'],
  [/\bAssociates\b/, 'Assocs'],
  [/\bDevelopments\b/, 'Devts'],
  [/\bSolutions\b/, 'Solns'],
  [/\bGroup\b/, 'Grp'],
  [/\bEnvironmental\b/, 'Env'],
  [/\bRefrigeration\b/, 'Refrig'],
  [/\bInsurance\b/, 'Ins'],
  [/\bLaboratory\b/, 'Lab'],
  [/\bRecruitment\b/, 'Recruit.'],
  [/\bContractors\b/, 'Contrs'],
  [/\bAccountancy\b/, 'Acctcy'],
  [/\bAgricultural\b/, 'Agric'],
  [/\bConsulting\b/, 'Consult.'],
  [/\bSurveyors\b/, 'Surv.'],
  [/\bWarehousing\b/, 'Whsg'],
  [/\bProperty\b/, 'Prop.'],
  [/\bPackaging\b/, 'Pkg'],
  [/\bCompany\b/, 'Co'],
  [/\bDistrict\b/, 'Dist'],
  [/\bNorthern\b/, 'Nthn'],
  [/\bMaintenance\b/, 'Maint'],
  [/\bSupplies\b/, 'Supp.'],
  [/\bTransports?\b/, 'Transp.'],
  [/\bPartners\b/, 'Ptnrs'],
  [/ & /, '&'],
  [/^Établissements/, 'Ets'],
  [/^Société/, 'Sté'],
  [/\bFrères\b/, 'Fres'],
  [/^Entreprise/, 'Entr.'],
  [/Mécanique de Précision/, 'Méca. de Préc.'],
  [/^F\.lli/, 'Fratelli'],
  [/Officine Meccaniche/, 'Off. Mecc.'],
  [/Costruzioni/, 'Costr.'],
  [/^Construcciones/, 'Constr.'],
  [/^Hermanos/, 'Hnos.'],
  [/^Talleres/, 'Tall.'],
  [/Industriales/, 'Ind.'],
  [/^Przedsiębiorstwo/, 'P.H.U.'],
  [/ et Fils\b/, ' & Fils'],
  [/^Gebrüder/, 'Gebr.'],
  [/^Gebr\. /, 'Gebrüder '],
  [/^Brdr\. /, 'Brødrene '],
  [/Maschinenbau/, 'Masch.bau'],
  [/gesellschaft\b/, 'ges.'],
  [/Ingenieurbüro/, 'Ing.-Büro'],
  [/technik\b/, 'techn.'],
  [/Elektrotechnik/, 'E-Technik'],
  [/ und /, ' u. '],
  [/Garten- und Landschaftsbau/, 'GaLaBau'],
  [/Heizung und Sanitär/, 'Hzg./San.'],
  [/Bauunternehmung/, 'Bauuntern.'],
  [/Unternehmensberatung/, 'Unt.beratung'],
  [/Gebäudereinigung/, 'Geb.reinigung'],
  [/verwaltung\b/, 'verw.'],
  [/Westfälische/, 'Westf.'],
  [/Süddeutsche/, 'Südd.'],
  [/Norddeutsche/, 'Nordd.'],
  [/Spedition/, 'Sped.'],
]

const ands = {
  GB: 'and',
  IE: 'and',
  US: 'and',
  DE: 'und',
  AT: 'und',
  CH: 'und',
  FR: 'et',
  NL: 'en',
  BE: 'en',
  IT: 'e',
  ES: 'y',
  PT: 'e',
  SE: 'och',
  DK: 'og',
  NO: 'og',
  FI: 'ja',
  PL: 'i',
  CZ: 'a',
}

/** A word shortened (`Intl`, `Mfg`, `Gebr.`), or an ampersand written out in the country's language. */
export function abbreviate(random, text, country) {
  const fitting = [...shortForms, [/ & /, ` ${ands[country]} `]].filter(([long]) => long.test(text))
  if (fitting.length === 0) return text
  const [long, short] = random.pick(fitting)
  return text.replace(long, short)
}

const kinship = [
  ['Limited', 'Ltd', 'Ltd.', 'LTD'],
  ['PLC', 'plc', 'P.L.C.'],
  ['GmbH & Co. KG', 'GmbH & Co KG', 'GmbH u. Co. KG', 'GmbH&Co.KG'],
  ['GmbH', 'G.m.b.H.', 'Gesellschaft mbH'],
  ['UG (haftungsbeschränkt)', 'UG', 'UG haftungsbeschr.'],
  ['S.r.l.', 'SRL', 'Srl'],
  ['S.p.A.', 'SpA', 'SPA'],
  ['B.V.', 'BV', 'B.V'],
  ['N.V.', 'NV'],
  ['SARL', 'S.A.R.L.', 'Sarl'],
  ['SAS', 'S.A.S.'],
  ['SA', 'S.A.'],
  ['S.L.', 'SL', 'S.L'],
  ['S.A.', 'SA'],
  ['Sp. z o.o.', 'Sp.z o.o.', 'SP ZOO', 'sp. z o.o.'],
  ['s.r.o.', 'sro', 'S.R.O.'],
  ['Inc.', 'Inc', 'Incorporated', ', Inc.'],
  ['Corp.', 'Corporation'],
  ['A/S', 'AS'],
  ['ApS', 'Aps'],
  ['AB', 'Aktiebolag'],
  ['Lda.', 'Lda', 'Limitada'],
]

/** Another spelling of the same legal form, or the form itself. */
export function respell(random, form) {
  const family = kinship.find(spellings => spellings.includes(form))
  return family ? random.pick(family.filter(spelling => spelling !== form)) : form
}

/** All words in plain ASCII: `Société` becomes `Societe`; German umlauts half the time as two letters. */
export function plain(random, text) {
  const spelt = random.chance(0.6)
    ? text.replace(/[äöüÄÖÜ]/g, c => ({ ä: 'ae', ö: 'oe', ü: 'ue', Ä: 'Ae', Ö: 'Oe', Ü: 'Ue' })[c])
    : text
  return fold(spelt)
}

/** UTF-8 read as Latin-1 (`MÃ¼ller`), where that gives printable letters only. */
export function mojibake(text) {
  const read = Buffer.from(text, 'utf8').toString('latin1')
  return /[\x80-\x9f]/.test(read) ? text : read
}

/** Stray blanks: in front, behind, doubled, or a no-break space between two words. */
export function blanks(random, text) {
  return random.pick([
    `  ${text}`,
    `${text}   `,
    text.replace(' ', '  '),
    text.replace(' ', '\u00a0'),
    ` ${text.replace(/ (?=[^ ]*$)/, '\u00a0')}`,
  ])
}

/** Quotation marks, a bracketed short name, a hyphen or a comma where the register has none. */
export function punctuate(random, text) {
  const words = text.split(' ')
  const initials = words
    .filter(word => letter.test(word[0]))
    .map(word => word[0])
    .join('')
    .toUpperCase()
  return random.pick([
    `"${words[0]}" ${words.slice(1).join(' ')}`,
    text.replace(/ (?=[^ ]+$)/, ', '),
    text.replace(/ (?=[^ ]+$)/, ` ("${initials}") `),
    text.replace(' ', ' - '),
  ])
}

const streetForms = [
  [/\bRoad\b/, 'Rd'],
  [/\bStreet\b/, 'St'],
  [/\bLane\b/, 'Ln'],
  [/\bAvenue\b/, 'Ave'],
  [/\bIndustrial Estate\b/, 'Ind Est'],
  [/\bTrading Estate\b/, 'Trdg Est'],
  [/\bBusiness Park\b/, 'Bus. Park'],
  [/^Unit /, 'U'],
  [/straße\b/, 'str.'],
  [/straße\b/, 'strasse'],
  [/Straße\b/, 'Str.'],
  [/^rue\b/, 'r.'],
  [/\bavenue\b/, 'av.'],
  [/\bboulevard\b/, 'bd'],
  [/^ul\. /, ''],
  [/^Calle /, 'C/ '],
  [/^Via /, 'V. '],
]

/** A street as people shorten it. */
export function shortenStreet(random, text) {
  const fitting = streetForms.filter(([long]) => long.test(text))
  if (fitting.length === 0) return text
  const [long, short] = random.pick(fitting)
  return text.replace(long, short)
}
