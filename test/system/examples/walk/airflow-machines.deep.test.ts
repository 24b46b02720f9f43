/** Airflow: the scheduler, and everything at once, are killed. */
import { airflow } from './airflow.ts'
import { describeWalk } from './walk.ts'

describeWalk('Airflow', airflow, ['scheduler', 'machine'])
