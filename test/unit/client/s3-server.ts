/**
 * An S3 store for tests: moto, from PyPI, which checks every signature against a user made for the test. Without it the tests are
 * skipped with a warning; `.ci/run` installs it.
 */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { S3Settings } from '../../../src/client/storage/s3.ts'

const MOTO =
  process.env.FETTLE_MOTO ?? fileURLToPath(new URL('../../../node_modules/.cache/moto/bin/moto_server', import.meta.url))
/** Calls before signatures are checked: those that make the user and the bucket. */
const UNSIGNED = '4'

/** Whether the store is installed. */
export const hasS3 = existsSync(MOTO)
if (!hasS3)
  console.warn(
    `SKIPPED: tests against a store of S3 need moto: python3 -m venv node_modules/.cache/moto && node_modules/.cache/moto/bin/pip install 'moto[server,s3]'`,
  )

/** A store with an empty bucket `lists`, and the only user who may do anything there. */
export async function serveS3(): Promise<{ settings: S3Settings; env: Record<string, string>; close(): void }> {
  const env = { PATH: process.env.PATH ?? '', INITIAL_NO_AUTH_ACTION_COUNT: UNSIGNED }
  const child = spawn(MOTO, ['-H', '127.0.0.1', '-p', '0'], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const endpoint = await new Promise<string>((resolve, reject) => {
    let output = ''
    const onData = (text: Buffer): void => {
      output += text
      const found = /Running on (http:\/\/127\.0\.0\.1:\d+)/.exec(output)?.[1]
      if (found !== undefined) resolve(found)
    }
    child.stdout.on('data', onData)
    child.stderr.on('data', onData)
    child.on('exit', () => reject(new Error(`moto ended: ${output}`)))
  })
  const ask = async (service: string, method: string, path: string, body = ''): Promise<string> => {
    const authorization = `AWS4-HMAC-SHA256 Credential=none/20260101/us-east-1/${service}/aws4_request, SignedHeaders=host, Signature=0`
    const headers = { authorization, ...(body === '' ? {} : { 'content-type': 'application/x-www-form-urlencoded' }) }
    const reply = await fetch(`${endpoint}${path}`, { method, headers, ...(body === '' ? {} : { body }) })
    const text = await reply.text()
    if (!reply.ok) throw new Error(`moto: ${method} ${path}: ${reply.status} ${text}`)
    return text
  }
  const policy = JSON.stringify({ Version: '2012-10-17', Statement: [{ Effect: 'Allow', Action: 's3:*', Resource: '*' }] })
  await ask('iam', 'POST', '/', 'Action=CreateUser&UserName=fettle&Version=2010-05-08')
  await ask(
    'iam',
    'POST',
    '/',
    `Action=PutUserPolicy&UserName=fettle&PolicyName=all&PolicyDocument=${encodeURIComponent(policy)}&Version=2010-05-08`,
  )
  const keys = await ask('iam', 'POST', '/', 'Action=CreateAccessKey&UserName=fettle&Version=2010-05-08')
  await ask('s3', 'PUT', '/lists')
  const accessKeyId = /<AccessKeyId>(.+?)<\/AccessKeyId>/.exec(keys)?.[1] ?? ''
  const secretAccessKey = /<SecretAccessKey>(.+?)<\/SecretAccessKey>/.exec(keys)?.[1] ?? ''
  return {
    settings: { region: 'us-east-1', accessKeyId, secretAccessKey, sessionToken: null, endpoint },
    env: { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey, AWS_ENDPOINT_URL_S3: endpoint },
    close: () => void child.kill('SIGKILL'),
  }
}
