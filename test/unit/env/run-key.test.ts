/** Where the key of a run comes from: a flag, a setting, or the variables of a scheduler. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { deflateSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { findRunKey } from '../../../src/env/run-key.ts'

const encoded = (params: unknown): string => deflateSync(JSON.stringify(params)).toString('base64')
const AIRFLOW = { AIRFLOW_CTX_DAG_ID: 'd', AIRFLOW_CTX_DAG_RUN_ID: 'scheduled__2026-11-22', AIRFLOW_CTX_TASK_ID: 'clean' }
const GITHUB = { GITHUB_RUN_ID: '77', GITHUB_JOB: 'nightly', GITHUB_RUN_ATTEMPT: '2' }

test.each([
  ['Airflow', AIRFLOW, 'd/scheduled__2026-11-22/clean'],
  ['Airflow', { ...AIRFLOW, AIRFLOW_CTX_MAP_INDEX: '3', AIRFLOW_CTX_TRY_NUMBER: '2' }, 'd/scheduled__2026-11-22/clean/3'],
  ['Airflow', { ...GITHUB, ...AIRFLOW, JOB_COMPLETION_INDEX: '1', HOSTNAME: 'pod-1' }, 'd/scheduled__2026-11-22/clean'],
  ['Dagster', { DAGSTER_PIPES_CONTEXT: encoded({ data: { run_id: 'r-1', retry_number: 2 } }) }, 'r-1'],
  ['Prefect', { PREFECT__FLOW_RUN_ID: 'f-1' }, 'f-1'],
  ['Argo Workflows', { ARGO_WORKFLOW_NAME: 'nightly-x7' }, 'nightly-x7'],
  ['Kubernetes', { JOB_COMPLETION_INDEX: '3', HOSTNAME: 'suppliers-29380-3' }, 'suppliers-29380/3'],
  ['Kubernetes', { JOB_COMPLETION_INDEX: '3', JOB_NAME: 'suppliers' }, 'suppliers/3'],
  ['GitHub Actions', GITHUB, '77/nightly'],
  ['GitLab CI', { CI_PIPELINE_ID: '9', CI_JOB_NAME: 'clean', CI_JOB_ID: '1234' }, '9/clean'],
])('%s: attempts of one run have one key', (from, env, key) => {
  expect(findRunKey(env, null)).toEqual({ key, from })
})

test('the context of Dagster may be in a file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'fettle-key-'))
  writeFileSync(join(folder, 'context'), JSON.stringify({ run_id: 'r-2' }))
  expect(findRunKey({ DAGSTER_PIPES_CONTEXT: encoded({ path: join(folder, 'context') }) }, null)?.key).toBe('r-2')
  rmSync(folder, { recursive: true })
})

test('a flag is preferred to the setting, and the setting to the scheduler', () => {
  expect(findRunKey({ ...AIRFLOW, FETTLE_RUN_KEY: 'b' }, 'a')).toEqual({ key: 'a', from: '--run-key' })
  expect(findRunKey({ ...AIRFLOW, FETTLE_RUN_KEY: 'b' }, null)).toEqual({ key: 'b', from: 'FETTLE_RUN_KEY' })
})

test.each([
  ['no scheduler', {}],
  ['a pod that is of no indexed Job', { HOSTNAME: 'web-7c9d' }],
  ['a Jenkins job', { JOB_NAME: 'x' }],
  ['a variable of Dagster that cannot be read', { DAGSTER_PIPES_CONTEXT: 'x' }],
  ['half of what GitHub sets', { GITHUB_RUN_ID: '1' }],
  ['an empty variable', { PREFECT__FLOW_RUN_ID: '' }],
])('%s gives no key', (_, env) => {
  expect(findRunKey(env, null)).toBeNull()
})

test.each(['', '  ', 'a\nb', 'x'.repeat(501)])('a key that is given must be usable: %j', key => {
  expect(() => findRunKey({}, key)).toThrow(expect.objectContaining({ code: 'FETTLE_USAGE' }))
  expect(() => findRunKey({ FETTLE_RUN_KEY: key }, null)).toThrow(expect.objectContaining({ code: 'FETTLE_SETTINGS' }))
})
