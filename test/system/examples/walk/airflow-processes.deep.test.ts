/** Airflow: fettle and its task are killed. */
import { airflow } from './airflow.ts'
import { describeWalk } from './walk.ts'

describeWalk('Airflow', airflow, ['fettle', 'task'])
