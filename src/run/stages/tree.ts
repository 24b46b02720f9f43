/** The tree stage: finds the decision tree of the service and its fields before any row is sent, so that a wrong name costs nothing. */
import { FettleError } from '../../errors.ts'
import type { DecisionTree, TreeField } from '../../model/requests.ts'
import { didYouMean } from '../../nearest.ts'
import type { PlannedTree } from '../../pipeline/model/types.ts'
import type { RunStep } from '../stage.ts'

function onlyOne({ name }: PlannedTree, [first, ...others]: readonly DecisionTree[]): DecisionTree {
  if (first === undefined)
    throw new FettleError('FETTLE_DECISION_TREE', `decide.service: the service has no decision tree "${name}" for this user`)
  if (others.length === 0) return first
  const ids = [first, ...others].map(({ id }) => id).join(', ')
  throw new FettleError('FETTLE_DECISION_TREE', `decide.service: several decision trees are called "${name}": ${ids}`, {
    hint: `Name one by its id: decide: { service: ${first.id} }.`,
  })
}

function assertFields({ name, fields }: PlannedTree, known: readonly TreeField[]): void {
  const names = known.map(field => field.name)
  const given = Object.keys(fields)
  const problems = [
    ...given
      .filter(field => !names.includes(field))
      .map(field => `decide.fields: "${field}" is not a field of the tree "${name}"${didYouMean(field, names)}`),
    ...known
      .filter(field => field.isMandatory && !given.includes(field.name))
      .map(field => `decide.fields: the tree "${name}" needs "${field.name}"`),
  ]
  if (problems.length === 0) return
  const hint = names.length === 0 ? 'The tree takes no fields: leave decide.fields out.' : `Its fields are ${names.join(', ')}.`
  throw new FettleError('FETTLE_DECISION_TREE', problems.join('; '), { hint })
}

export const tree: RunStep = {
  isDone: state => state.tree === null || state.tree.found !== null,
  async *run({ plan }, ports) {
    if (plan.tree === undefined) return
    const options = { signal: ports.signal }
    const found = onlyOne(plan.tree, await ports.trees.findTrees(plan.tree.name, options))
    assertFields(plan.tree, await ports.trees.readTreeFields(found.id, options))
    const version = plan.reuse?.decide === undefined ? '' : await ports.trees.readTreeVersion(found.id, options)
    yield { type: 'tree.found', id: found.id, name: found.name, version }
  },
}
