/** All countries of the register, and the words they share: coined names, compounds, letters and house numbers. Data and small word makers. */
import { dutch } from './dutch.mjs'
import { eastern } from './eastern.mjs'
import { english } from './english.mjs'
import { french } from './french.mjs'
import { german } from './german.mjs'
import { list } from './list.mjs'
import { nordic } from './nordic.mjs'
import { southern } from './southern.mjs'

/** Every locale; Belgium has two, a Dutch and a French one. `count` companies of each are made, groups come on top. */
export const locales = [...english, ...german, ...french, ...dutch, ...southern, ...nordic, ...eastern]

/** The first locale of a country. */
export const localeOf = country => locales.find(locale => locale.country === country)

const heads = list(
  'Vel|Nor|Tal|Bri|Quo|Ara|Lumi|Syn|Ver|Oxi|Cal|Mar|Hel|Tri|Kor|Del|Fen|Gal|Iso|Jor|Lan|Mon|Ner|Ori|Pel|Ran|Sol|Tel|Ul|Vas|Wen|Xan|Zeph|Ard|Bel|Cor|Dor|Eld|Fal|Gar|Hal|Ilm|Kes|Lor|Mir|Nav|Os|Pra|Rhon|Sar|Tor|Var|Yar|Zal|Aur|Cyr|Ekt|Hydr|Nex',
)
const middles = list('a|e|i|o|an|en|or|ar|al|el|in|on|er|is')
const tails = list(
  'dex|tec|nix|via|ra|mont|lis|den|tron|gen|vance|nium|ora|ix|son|don|ell|ant|ova|mar|pel|dane|lux|met|rite|sys|tal|zen|kem|dyne|lith|tis|bro|cor|fin|las|nor|ris|sta|vel|wick|yon|phon|max|line',
)
const fronts = list(
  'Black|White|Red|Grey|Silver|Iron|Stone|Oak|Ash|Thorn|Hart|Fox|Raven|Lark|Swan|Wolf|Bright|Fair|High|Long|North|West|East|South|Mill|Brook|Clear|Cold|Marsh|Moor|Heath|King|Queen|Bishop|Castle|Kirk|Summer|Winter|Star|Sun|Copper|Wind|Lime|Salt|Hollow|Barn|Crow|Elm',
)
const backs = list(
  'field|ford|wood|well|bridge|gate|ley|mere|water|hurst|croft|wick|mount|dale|crest|haven|shaw|worth|holme|bourne|thorpe|combe|ridge|cliff|port|stead|beck|down',
)
const blendFronts = list('Bud|Trans|Elektro|Agro|Metal|Inter|Drew|Poli|Chem|Auto|Eko|Techno|Hydro|Izo|Termo|Ceram|Stal')
const blendBacks = list('pol|max|ex|mont|mar|plast|rem|met|san|gaz|land|bud|servis|profil|trade')

/** Words any locale may use; each is made fresh from the given random source. */
export const makers = {
  coined: random => {
    const [head, middle, tail] = [random.pick(heads), random.chance(0.35) ? '' : random.pick(middles), random.pick(tails)]
    return (head + middle + tail).replace(/[aeio](?=[aeio])/g, '').replace(/(.)\1/g, '$1')
  },
  compound: random => random.pick(fronts) + random.pick(backs),
  acronym: random => Array.from({ length: random.int(2, 4) }, () => random.pick([...'ABCDEFGHIKLMNOPRSTVWZ'])).join(''),
  blend: random => random.pick(blendFronts) + random.pick(blendBacks),
  initial: random => random.pick([...'ABCDEFGHJKLMNPRSTW']),
  letter: random => random.pick([...'abcd']),
  letterUp: random => random.pick([...'ABCDE']),
  n: random => String(random.chance(0.7) ? random.int(1, 99) : random.int(100, 320)),
  range: random => {
    const from = random.int(1, 120)
    return `${from}-${from + 2 * random.int(1, 4)}`
  },
  n2: random => String(random.int(2, 9)),
  unit: random => String(random.int(1, 48)),
  big: random => String(random.int(100, 9800)),
}
