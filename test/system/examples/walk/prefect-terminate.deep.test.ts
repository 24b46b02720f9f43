/** Prefect: a run is ended in the user interface. */
import { prefect } from './prefect.ts'
import { describeTerminate } from './terminate.ts'

describeTerminate('Prefect', prefect)
