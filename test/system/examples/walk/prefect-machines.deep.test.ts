/** Prefect: the scheduler, and everything at once, are killed. */
import { prefect } from './prefect.ts'
import { describeWalk } from './walk.ts'

describeWalk('Prefect', prefect, ['scheduler', 'machine'])
