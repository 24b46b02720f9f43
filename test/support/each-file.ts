/** Runs before each test file: what the file has started ends after it, and the working directory is the one before. */
import { afterAll } from 'vitest'
import './cheap-passwords.ts'
import { endFile } from './file-end.ts'

// A run key of the scheduler that runs the tests would make two runs of a test one.
for (const name of [
  'FETTLE_RUN_KEY',
  'AIRFLOW_CTX_DAG_ID',
  'DAGSTER_PIPES_CONTEXT',
  'PREFECT__FLOW_RUN_ID',
  'ARGO_WORKFLOW_NAME',
])
  delete process.env[name]
for (const name of ['JOB_COMPLETION_INDEX', 'GITHUB_RUN_ID', 'CI_PIPELINE_ID']) delete process.env[name]

const home = process.cwd()
afterAll(async () => {
  process.chdir(home)
  await endFile()
})
