/** The image: its Dockerfile passes hadolint, its steps run in clean root folders, and what they make works as a container would start it. */
import { chownSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freePort } from '../../support/free-port.ts'
import { folderOf, ROOT } from '../cli/fettle.ts'
import { run } from '../examples/kit.ts'
import { pythonMissing, pythonWith } from '../examples/python.ts'
import { toolsMissing } from '../install/tools.ts'
import { build, firstProcess, follows, rootMissing, runBeside, runIn, type Stage } from './clean-root.ts'

describe.skipIf(pythonMissing !== null)('hadolint', () => {
  let bin: string
  beforeAll(async () => {
    bin = await pythonWith('test/system/delivery/requirements.txt')
  })
  const judge = (file: string) => run(join(bin, 'hadolint'), [file], { cwd: ROOT, env: { PATH: process.env.PATH ?? '' } })

  test('has no complaint about the Dockerfile', async () => {
    const { code, stdout } = await judge('Dockerfile')
    expect(code, stdout).toBe(0)
  })

  test('finds a relative WORKDIR and an image without a version', async () => {
    const broken = join(folderOf(), 'Dockerfile')
    const text = readFileSync(join(ROOT, 'Dockerfile'), 'utf8')
    writeFileSync(broken, text.replaceAll('node:22-slim', 'node').replace('WORKDIR /work', 'WORKDIR work'))
    expect((await judge(broken)).stdout).toMatch(/DL3006[\s\S]*DL3000/)
  })
})

describe.skipIf(toolsMissing !== null || rootMissing !== null)('the built image', () => {
  let folder: string
  let image: Stage
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'fettle-image-'))
    image = await build(join(ROOT, 'Dockerfile'), ROOT, folder)
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  const own = (name: string, text: string): void => {
    const file = join(image.root, 'work', name)
    writeFileSync(file, text)
    chownSync(file, 1000, 1000)
  }

  test('is not root, and can write its volume and its working folder alone', async () => {
    expect(image.user).toBe('1000:1000')
    expect(image.volumes).toEqual(['/data'])
    for (const path of ['data', 'work']) expect(statSync(join(image.root, path)).uid, path).toBe(1000)
    const { stdout } = await follows(image, [
      '/bin/sh',
      '-c',
      'id -u; for d in / /opt/fettle /usr/local; do test -w $d && echo $d; done; true',
    ]).ended
    expect(stdout).toBe('1000\n')
  })

  test('a register in the volume, a list matched, and nothing left to install', async () => {
    own('register.csv', 'id,name,country\n1,Harrow Optics Limited,GB\n')
    own('companies.csv', 'Company,Country\nHarrow Optics Ltd,GB\nUnlisted Works Ltd,GB\n')
    expect((await runIn(image, ['--version'])).stdout).toContain(
      JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).version,
    )
    expect(await runIn(image, ['register', 'import', 'csv', 'register.csv'])).toMatchObject({ code: 0 })
    const { code, stdout, stderr } = await runIn(image, ['clean', 'companies.csv', '--map', 'name=Company', '-o', 'done.csv'])
    expect(code, stderr).toBe(0)
    expect(stdout + stderr).toContain('1 of 2 rows matched')
    const { peerDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
    const packages = Object.keys(peerDependencies)
    const program = `for (const name of ${JSON.stringify(packages)}) if (!name.includes('fonts')) await import(name)`
    const imported = await follows({ ...image, workdir: '/opt/fettle' }, ['node', '--input-type=module', '-e', program]).ended
    expect(imported, imported.stderr).toMatchObject({ code: 0 })
  })

  test('serve: healthy while it answers, stopped by SIGTERM; a container of another command is healthy', async () => {
    const port = await freePort()
    const login = { FETTLE_USERNAME: 'u', FETTLE_PASSWORD: 'a-password-of-the-test' }
    const args = ['serve', '--host', '0.0.0.0', '--port', String(port), '--sample']
    const { child, seen, ended } = follows(image, [...image.entrypoint, ...args], login)
    await seen(/listening on/)
    const first = firstProcess(child)
    const healthy = await runBeside(first, image, image.health)
    expect(healthy, healthy.stdout + healthy.stderr).toMatchObject({ code: 0 })
    expect(healthy.stdout).toContain('"status":"ok"')
    process.kill(first, 'SIGSTOP')
    expect(await runBeside(first, image, image.health)).toMatchObject({ code: 1 })
    process.kill(first, 'SIGCONT')
    process.kill(first, 'SIGTERM')
    expect(await ended).toMatchObject({ code: 0 })
    const other = await follows(image, ['/bin/sh', '-c', image.health.join(' ')]).ended
    expect(other).toMatchObject({ code: 0, stdout: '' })
  })

  test('the bill of materials lists what is installed and what is bundled', () => {
    const sbom = JSON.parse(readFileSync(join(image.root, 'opt/fettle/sbom.cdx.json'), 'utf8'))
    const listed = new Set<string>(sbom.components.map((one: { 'bom-ref': string }) => one['bom-ref']))
    const { packages } = JSON.parse(readFileSync(join(image.root, 'opt/fettle/node_modules/.package-lock.json'), 'utf8'))
    const installed = Object.entries(packages as Record<string, { version: string; name?: string }>).map(
      ([path, { version, name }]) => `${name ?? path.replace(/^.*node_modules\//, '')}@${version}`,
    )
    expect(installed.length).toBeGreaterThan(20)
    expect(installed.filter(one => !listed.has(one))).toEqual([])
    const unlicensed = sbom.components.filter((one: { licenses?: readonly unknown[] }) => !one.licenses?.length)
    expect(unlicensed).toEqual([])
    for (const bundled of ['fastify', 'undici', 'zod']) expect([...listed].join(' ')).toContain(`${bundled}@`)
    expect([...listed].filter(one => /^(?:vitest|typescript|rolldown|knip)@/.test(one))).toEqual([])
    const refs = new Set([...listed, sbom.metadata.component['bom-ref']])
    for (const { ref, dependsOn } of sbom.dependencies)
      for (const one of [ref, ...dependsOn]) expect(refs.has(one), one).toBe(true)
  })
})
