/** Airflow: a run is ended in the user interface. */
import { airflow } from './airflow.ts'
import { describeTerminate } from './terminate.ts'

describeTerminate('Airflow', airflow)
