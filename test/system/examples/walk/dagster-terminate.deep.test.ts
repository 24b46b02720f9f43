/** Dagster: a run is ended in the user interface. */
import { dagster } from './dagster.ts'
import { describeTerminate } from './terminate.ts'

describeTerminate('Dagster', dagster)
