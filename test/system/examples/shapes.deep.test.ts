/** Validates the YAML files of examples/ with the schemas that their platforms publish; a planted error is found in each. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { folderOf, ROOT } from '../cli/fettle.ts'
import { run } from './kit.ts'
import { pythonMissing, pythonWith } from './python.ts'

/** How each platform's files are judged, and a key that breaks them. */
const SHAPES = {
  github: {
    files: ['github/nightly.yml', 'github/shards.yml'],
    by: ['check-jsonschema', '--builtin-schema', 'vendor.github-workflows'],
    key: 'runs-on',
  },
  gitlab: {
    files: ['gitlab/nightly.gitlab-ci.yml', 'gitlab/shards.gitlab-ci.yml'],
    by: ['check-jsonschema', '--builtin-schema', 'vendor.gitlab-ci'],
    key: 'artifacts',
  },
  kubernetes: {
    files: ['kubernetes/shards.yml', 'kubernetes/merge.yml'],
    by: ['kubernetes-validate', '--strict'],
    key: 'podFailurePolicy',
  },
  argo: { files: ['argo/suppliers.yml'], by: ['python', join(ROOT, 'test/system/examples/in_argo.py')], key: 'entrypoint' },
} as const

describe.skipIf(pythonMissing !== null).each(Object.entries(SHAPES))('%s', (_, { files, by, key }) => {
  let bin: string
  beforeAll(async () => {
    bin = await pythonWith('test/system/examples/requirements.txt')
  })
  const judge = (file: string) => {
    const [command, ...args] = by
    const cwd = folderOf()
    return run(join(bin, command), [...args, file], { cwd, env: { PATH: process.env.PATH ?? '', HOME: cwd } })
  }

  test.each(files)('%s', async name => {
    const path = join(ROOT, 'examples', name)
    const { code, stdout, stderr } = await judge(path)
    expect(code, stdout + stderr).toBe(0)
    const broken = join(folderOf(), 'broken.yml')
    const text = readFileSync(path, 'utf8')
    writeFileSync(broken, text.replace(new RegExp(`^( *)${key}:`, 'm'), `$1${key}s:`))
    expect(readFileSync(broken, 'utf8')).not.toBe(text)
    expect((await judge(broken)).code).not.toBe(0)
  })
})
