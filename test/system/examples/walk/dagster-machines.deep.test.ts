/** Dagster: the scheduler, and everything at once, are killed. */
import { dagster } from './dagster.ts'
import { describeWalk } from './walk.ts'

describeWalk('Dagster', dagster, ['scheduler', 'machine'])
