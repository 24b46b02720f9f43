/**
 * Labelled pairs of organisation names (`nameA,nameB,label,logicV2`): F of the engine's name nameSimilarity, the figure that `why` shows,
 * beside the recorded score of OpenSanctions' logic_v2. Rarity of words is taken from the names of the file itself.
 */
import { compareNames } from '../../build/service/matching/compare/compare-names.js'
import { nameSimilarity } from '../../build/service/matching/decide/decide.js'
import { newVector } from '../../build/service/matching/features.js'
import { buildIndex } from '../../build/service/matching/index.js'
import { prepareQuery } from '../../build/service/matching/query.js'
import { bestCut, companyOf, figure, qualityAt } from './matching-data.mjs'

/** Where two names are called the same: the cut of the best F1 on all pairs, to two places. What it is worth is the cross-validated figure. */
const SAME = 0.76
const FOLDS = 5
/** The threshold that logic_v2 ships. */
const PEER_SAME = 0.7

/** F1 where the pairs of each fold are judged by the cut that is best on the others; pairs of one name stand in one fold. */
function crossValidated(answers, names) {
  const numbers = new Map([...new Set(names)].map((name, at) => [name, at % FOLDS]))
  const foldOf = at => numbers.get(names[at])
  const cuts = Array.from({ length: FOLDS }, (_, fold) => bestCut(answers.filter((_, at) => foldOf(at) !== fold)).cut)
  const judged = answers.map((one, at) => ({ ...one, score: one.score >= cuts[foldOf(at)] ? 1 : 0 }))
  return { cuts, ...qualityAt(judged, 1) }
}

/** Prints both and gives the engine's figures at its own threshold. */
export function measureNames(pairs, print) {
  const names = [...new Set(pairs.flatMap(pair => [pair.nameA, pair.nameB]))]
  const index = buildIndex(names.map((name, at) => companyOf({ id: String(at), name })))
  const side = (one, other) => {
    const [asked] = prepareQuery(index, { name: one }).names
    const document = index.documentStarts[names.indexOf(other)]
    if (asked === undefined || document === index.documentStarts[names.indexOf(other) + 1]) return 0
    const vector = newVector()
    compareNames(index, asked, document, vector)
    return nameSimilarity(vector)
  }
  const answers = pairs.map(({ nameA, nameB, label }) => ({
    right: label === 'true' ? true : null,
    score: (side(nameA, nameB) + side(nameB, nameA)) / 2,
  }))
  const peer = pairs.map(pair => ({ right: pair.label === 'true' ? true : null, score: Number(pair.logicV2) }))
  print(`${pairs.length} pairs, ${answers.filter(one => one.right).length} the same`)
  print(
    `${'score'.padEnd(18)}${['threshold', 'precision', 'recall', 'f1', 'best f1', 'at'].map(name => name.padStart(12)).join('')}`,
  )
  for (const [name, list, cut] of [
    ['fettle', answers, SAME],
    ['logic_v2', peer, PEER_SAME],
  ]) {
    const at = qualityAt(list, cut)
    const best = bestCut(list)
    print(`${name.padEnd(18)}${[cut, at.precision, at.recall, at.f1, best.f1, best.cut].map(figure).join('')}`)
  }
  const validated = crossValidated(
    answers,
    pairs.map(pair => pair.nameA),
  )
  print(
    `fettle, cut by cross-validation: F1 ${validated.f1.toFixed(3)}, cuts ${validated.cuts.map(cut => cut.toFixed(2)).join(', ')}`,
  )
  const { precision, recall, f1 } = qualityAt(answers, SAME)
  return {
    precision,
    recall,
    f1,
    bestF1: bestCut(answers).f1,
    crossValidatedF1: validated.f1,
    logicV2: qualityAt(peer, PEER_SAME).f1,
    logicV2Best: bestCut(peer).f1,
  }
}
