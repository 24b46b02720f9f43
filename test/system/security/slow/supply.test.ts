/** S35, S36: the installed packages, the published files, and the address for reporting a vulnerability. */
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { describe, expect, test } from 'vitest'
import { findAffected } from '../../../../scripts/advisories.mjs'

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url))
const read = (name: string): string => readFileSync(join(ROOT, name), 'utf8')

interface Locked {
  readonly version?: string
  readonly resolved?: string
  readonly integrity?: string
  readonly dev?: boolean
  readonly devOptional?: boolean
  readonly link?: boolean
  readonly hasInstallScript?: boolean
  readonly optional?: boolean
  readonly cpu?: readonly string[]
  readonly os?: readonly string[]
  readonly engines?: { readonly node?: string }
}
type Lock = { readonly lockfileVersion: number; readonly packages: Readonly<Record<string, Locked>> }
const readLock = (folder: string): Lock => JSON.parse(read(join(folder, 'package-lock.json')))
const lock = readLock('.')
/** What the tasks install that need more (scripts/extras.mjs). */
const EXTRAS = readdirSync(join(ROOT, 'scripts/extras')).map(group => `scripts/extras/${group}`)
const manifest = JSON.parse(read('package.json')) as {
  scripts: Record<string, string>
  dependencies: Record<string, string>
  peerDependencies: Record<string, string>
  files: string[]
}
const packagesOf = (one: Lock) => Object.entries(one.packages).filter(([path]) => path !== '')
const packages = packagesOf(lock)
const allPackages = ['.', ...EXTRAS].flatMap(folder => packagesOf(readLock(folder)))
/** What a user of fettle installs. */
const production = packages.filter(([, one]) => one.dev !== true && one.devOptional !== true)

describe('the lock files', () => {
  test.each(['.', ...EXTRAS])('%s: has version 3, is complete, and uses one registry', folder => {
    const { lockfileVersion } = readLock(folder)
    const packages = packagesOf(readLock(folder))
    expect(lockfileVersion).toBe(3)
    expect(packages.length).toBeGreaterThan(20)
    // Tools for other platforms, which no production tree holds, are locked by version alone.
    const isOfOtherPlatforms = (one: Locked): boolean => one.dev === true && one.optional === true && one.os !== undefined
    const unproven = packages.filter(([, one]) => !/^sha512-[\w+/]{86}==$/.test(one.integrity ?? '') && !isOfOtherPlatforms(one))
    expect(unproven.map(([path]) => path)).toEqual([])
    const elsewhere = packages.filter(
      ([, { resolved }]) => resolved !== undefined && !/^https:\/\/registry\.npmjs\.org\//.test(resolved),
    )
    expect(elsewhere.map(([path]) => path)).toEqual([])
    expect(packages.filter(([, one]) => one.link)).toEqual([])
  })

  test('have no install script, also among the tools', () => {
    expect(allPackages.filter(([, one]) => one.hasInstallScript).map(([path]) => path)).toEqual([])
  })

  test('agree with package.json', () => {
    expect(lock.packages['']).toMatchObject({ dependencies: manifest.dependencies })
    for (const folder of EXTRAS) {
      const { dependencies } = JSON.parse(read(join(folder, 'package.json')))
      expect(readLock(folder).packages['']).toMatchObject({ dependencies })
      expect(
        Object.values(dependencies).filter(version => !/^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(String(version))),
        folder,
      ).toEqual([])
    }
  })

  test('the optional packages are the peer packages of package.json, in its ranges, and have one version with the tools', () => {
    const { dependencies: pinned } = JSON.parse(read('scripts/extras/optional/package.json'))
    const ranges = { ...manifest.dependencies, ...manifest.peerDependencies }
    expect(Object.keys(pinned)).toEqual(Object.keys(ranges).sort())
    // No range takes what looks like a version before another: DuckDB releases such versions.
    const parts = Object.entries<string>(pinned).map(([name, version]) => ({ name, version: version.replace(/-.*/, '') }))
    const taken = findAffected(
      parts,
      Object.entries(ranges).map(([name, range]) => ({ name, range, id: name, what: '' })),
    )
    expect(taken).toHaveLength(parts.length)
    const installed = Object.keys(pinned).filter(name => lock.packages[`node_modules/${name}`] !== undefined)
    expect(installed).toEqual(expect.arrayContaining(Object.keys(manifest.dependencies)))
    const others = installed.filter(name => lock.packages[`node_modules/${name}`]?.version !== pinned[name])
    expect(others).toEqual([])
  })

  test.each([
    ['form-data', '4.0.6'],
    ['yaml', '2.8.3'],
    ['undici', '7.0.0'],
  ])('S36: %s is at least %s, everywhere in the tree', (name, floor) => {
    const found = allPackages.filter(
      ([path, one]) => (path === `node_modules/${name}` || path.endsWith(`/node_modules/${name}`)) && one.version,
    )
    expect(found.length).toBeGreaterThan(0)
    const number = (version: string): number =>
      version.split('.').reduce((sum, part) => sum * 10_000 + Number.parseInt(part, 10), 0)
    for (const [path, { version = '' }] of found)
      expect(number(version), `${path} ${version}`).toBeGreaterThanOrEqual(number(floor))
  })
})

describe('what a user installs', () => {
  test('runs nothing at install time, on any machine', () => {
    expect(production.length).toBeGreaterThanOrEqual(Object.keys(manifest.dependencies).length)
    const faults = production.filter(
      ([, one]) => one.hasInstallScript || one.cpu !== undefined || one.os !== undefined || one.optional,
    )
    expect(faults.map(([path]) => path)).toEqual([])
    // `prepare` is left out of the package (scripts/packed-manifest.mjs).
    expect(Object.keys(manifest.scripts).filter(name => /^(?:pre|post)?install$/.test(name))).toEqual([])
  })

  test('has no native module and no build file for one', () => {
    const found = production.flatMap(([path]) => {
      const folder = join(ROOT, path)
      const files = existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : [`${path} is not installed`]
      return files.filter(
        file => /\.node$|(?:^|\/)binding\.gyp$|is not installed$/.test(file) && !/(?:^|\/)node_modules\//.test(file),
      )
    })
    expect(found).toEqual([])
  })

  test('is the listed number of packages: each new one is a decision', () => {
    expect(production.map(([path]) => path.replace(/^.*node_modules\//, '')).sort()).toMatchFileSnapshot(
      '../production.snapshot.txt',
    )
  })
})

describe('what is published', () => {
  interface Packed {
    readonly files: readonly { readonly path: string; readonly mode: number }[]
  }
  // Without scripts: `prepare` would build over the files that other tests run.
  const packed = (): readonly string[] => {
    const text = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
      cwd: ROOT,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    return (JSON.parse(text) as [Packed])[0].files.map(file => file.path).sort()
  }

  test('matches the snapshot, with dist built from the sources', async () => {
    const files = packed()
    const built = files.filter(path => path.startsWith('dist/'))
    const others = files.filter(path => !path.startsWith('dist/'))
    await expect(`${JSON.stringify(others, null, 2)}\n`).toMatchFileSnapshot('../packed.snapshot.json')
    const data = built.filter(path => !/\.(?:js|js\.map|d\.ts)$/.test(path))
    expect(data).toEqual(['dist/bundled.json', expect.stringMatching(/^dist\/chunks\/any-ascii-\w+\.br$/)])
    // Any other declaration is left over from an earlier build; a fresh clone has none.
    const strays = built.filter(path => path.endsWith('.d.ts') && !/^dist\/(?:types\/[^/]+|(?:\w+\/)?index)\.d\.ts$/.test(path))
    if (process.env.CI !== undefined) expect(strays).toEqual([])
    expect(
      others.filter(path => /(?:^|[/.-])(?:test|spec)(?:\/|\.[cm]?[jt]sx?$)|\.(?:map|pem|key|env|npmrc)$/.test(path)),
    ).toEqual([])
    expect(
      files.filter(
        path =>
          /(?:^|\/)(?:test|bench|node_modules|fettle-runs|\.git|\.ci|\.npmrc|\.env)(?:\/|$)/.test(path) &&
          !path.startsWith('dist/testing/'),
      ),
    ).toEqual([])
  }, 60_000)

  test('fettle/client can be bundled: it reaches neither the service nor an optional package', async () => {
    const built = await rolldown({ input: join(ROOT, 'dist/client/index.js'), platform: 'node' })
    const { output } = await built.generate()
    await built.close()
    const names = output.flatMap(one => (one.type === 'chunk' ? [...one.imports, ...one.dynamicImports] : []))
    expect(names.filter(name => !builtinModules.includes(name.replace(/^node:/, '')))).toEqual([])
    expect(output).toHaveLength(1)
  })
})

test('the bill of materials and the notices list every part a user gets, with its hash', () => {
  const { components } = JSON.parse(read('sbom.cdx.json')) as {
    components: { name: string; version: string; hashes?: unknown[] }[]
  }
  const listed = new Map(components.map(one => [`${one.name}@${one.version}`, one.hashes ?? []]))
  const required = production.map(([path, { version }]) => `${path.replace(/^.*node_modules\//, '')}@${version}`)
  const bundled = JSON.parse(read('dist/bundled.json')) as { name: string; version: string }[]
  const parts = bundled.map(({ name, version }) => `${name}@${version}`)
  expect(parts.length).toBeGreaterThan(40)
  expect([...required, ...parts].filter(one => !listed.get(one)?.length)).toEqual([])
  expect([...listed.keys()].sort()).toEqual([...new Set([...required, ...parts])].sort())
  const notices = read('THIRD-PARTY-NOTICES.md')
  expect(bundled.filter(({ name, version }) => !notices.includes(`\n## ${name} ${version} (`))).toEqual([])
})

describe('known advisories', () => {
  const part = (name: string, version: string) => ({ name, version })
  const known = [{ name: 'undici', range: '>=7.0.0 <7.5.0', id: 'GHSA-x', what: 'lost memory' }]

  test('a bundled version in a known range is named, others are not', () => {
    expect(findAffected([part('undici', '7.4.9'), part('undici', '7.5.0'), part('zod', '7.4.9')], known)).toEqual([
      'undici 7.4.9 (>=7.0.0 <7.5.0): GHSA-x, lost memory',
    ])
  })

  test('a range that cannot be read is an error, not an empty one', () => {
    expect(() => findAffected([], [{ ...known[0]!, range: 'before 7.5' }])).toThrow('GHSA-x has no range: before 7.5')
  })

  test('none of the kept ranges is about a version in use', () => {
    const { components } = JSON.parse(read('sbom.cdx.json'))
    const { ranges } = JSON.parse(read('scripts/advisories.json'))
    expect(ranges.length).toBeGreaterThan(0)
    expect(findAffected(components, ranges)).toEqual([])
  })
})

test('a weakness can be reported in private', () => {
  expect(read('SECURITY.md')).toMatch(/report a vulnerability privately/i)
  expect(manifest.files).toEqual(expect.arrayContaining(['SECURITY.md', 'THIRD-PARTY-NOTICES.md', 'sbom.cdx.json']))
})

test('an uncaught error of a program prints its message and no more than a line of code', () => {
  const program = `import { run } from ${JSON.stringify(join(ROOT, 'dist/index.js'))}; await run('nowhere.yml')`
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' })
  expect(status).toBe(1)
  expect(stderr).toContain('nowhere.yml')
  expect(stderr.length).toBeLessThan(3_000)
})
