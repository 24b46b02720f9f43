/** Dagster: fettle and its task are killed. */
import { dagster } from './dagster.ts'
import { describeWalk } from './walk.ts'

describeWalk('Dagster', dagster, ['fettle', 'task'])
