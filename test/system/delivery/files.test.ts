/** The Dockerfile, the examples that name its image, and the units of systemd agree with the package. */
import { execFileSync, spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DockerfileParser, type Label } from 'dockerfile-ast'
import { describe, expect, test } from 'vitest'
import { folderOf, ROOT } from '../cli/fettle.ts'

const read = (name: string): string => readFileSync(join(ROOT, name), 'utf8')
const { version, license, repository, homepage } = JSON.parse(read('package.json'))

describe('the Dockerfile', () => {
  const dockerfile = DockerfileParser.parse(read('Dockerfile'))
  const named = (keyword: string) => dockerfile.getInstructions().filter(one => one.getKeyword() === keyword)

  test('labels the image with what package.json states', () => {
    const labels = Object.fromEntries(
      named('LABEL').flatMap(one => (one as Label).getProperties().map(label => [label.getName(), label.getValue()])),
    )
    const states = { version, licenses: license, url: homepage, source: repository.url.replace(/^git\+/, '') }
    for (const [name, value] of Object.entries(states)) expect(labels[`org.opencontainers.image.${name}`], name).toBe(value)
  })

  test('copies from the repository only what it has and .dockerignore leaves in', () => {
    const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
      cwd: ROOT,
      encoding: 'utf8',
    }).split('\n')
    const ignored = read('.dockerignore').split('\n')
    const copied = named('COPY')
      .filter(one => !one.getArgumentsContent()?.startsWith('/') && !/--from=/.test(one.getRawArgumentsContent() ?? ''))
      .flatMap(one =>
        one
          .getArguments()
          .slice(0, -1)
          .map(word => word.getValue()),
      )
    expect(copied).toContain('package-lock.json')
    for (const name of copied.filter(one => one !== '.')) {
      expect(files, name).toContain(name)
      expect(ignored, name).not.toContain(name.split('/')[0])
    }
    for (const folder of ['src', 'scripts', 'page', 'schema', 'samples']) expect(ignored).not.toContain(folder)
  })

  test('ends as a numbered user that is not root', () => {
    expect(named('USER').at(-1)?.getArgumentsContent()).toMatch(/^[1-9]\d*:[1-9]\d*$/)
  })
})

test('examples and documents name the image of this version', () => {
  const folders = ['examples', 'docs'].flatMap(folder =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map(name => `${folder}/${name}`),
  )
  const texts = folders.filter(name => /\.(?:ya?ml|py|md)$/.test(name)).map(name => [name, read(name)] as const)
  const images = texts.flatMap(([name, text]) => [...text.matchAll(/\bfettle:(\d[\w.]*\w)/g)].map(([, tag]) => [name, tag]))
  expect(images.length).toBeGreaterThan(4)
  for (const [name, tag] of images) expect(tag, name).toBe(version)
})

const ANALYZE = spawnSync('systemd-analyze', ['--version']).status === 0
describe.skipIf(!ANALYZE)('systemd-analyze verify', () => {
  const UNITS = ['fettle-nightly.service', 'fettle-nightly.timer', 'fettle-failed@.service']
  /** The program of the unit has to exist. */
  const verify = (change: (text: string) => string): string => {
    const texts = UNITS.map(name => [name, change(read(`examples/systemd/${name}`))] as const)
    const cwd = folderOf(
      Object.fromEntries(texts.map(([name, text]) => [name, text.replace('/usr/local/bin/fettle', process.execPath)])),
    )
    const { stdout, stderr } = spawnSync('systemd-analyze', ['verify', ...UNITS.map(name => join(cwd, name))], {
      encoding: 'utf8',
    })
    return stdout + stderr
  }

  test('has no complaint about the units', () => expect(verify(text => text)).toBe(''))

  test.each([
    ['Restart=on-failure', 'Restart=sometimes'],
    ['OnCalendar=Mon..Fri', 'OnCalendar=Mon..Frx'],
    ['StateDirectory=', 'StateFolder='],
  ])('finds %s written as %s', (right, wrong) => {
    expect(verify(text => text.replace(right, wrong))).not.toBe('')
  })
})

test('every action that a workflow runs is pinned to a commit, with its version beside it', () => {
  const files = execFileSync('git', ['ls-files', '*.yml', 'src/cli/commands/init/workflows.ts'], { cwd: ROOT, encoding: 'utf8' })
  const uses = files
    .split('\n')
    .filter(name => name !== '')
    .flatMap(name => read(name).match(/uses: actions\/.*/g) ?? [])
  expect(uses.length).toBeGreaterThan(20)
  expect(uses.filter(line => !/^uses: actions\/[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+/.test(line))).toEqual([])
})
