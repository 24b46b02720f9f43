/** Prefect: fettle and its task are killed. */
import { prefect } from './prefect.ts'
import { describeWalk } from './walk.ts'

describeWalk('Prefect', prefect, ['fettle', 'task'])
