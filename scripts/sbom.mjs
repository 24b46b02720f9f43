/**
 * The software bill of materials of the package as CycloneDX, from package-lock.json: what it requires, and the packages of which dist contains
 * parts. Prints it; with `--optional` also with the optional packages. Needs `npm run build` first.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const read = name => JSON.parse(readFileSync(join(root, name), 'utf8'))

/** Licences that the package names in a file of its own only. */
const LICENSES = { 'dejavu-fonts-ttf': 'Bitstream-Vera', 'png-js': 'MIT' }

/** A package that stands in for one of another name keeps its own. */
const nameOf = (path, { name }) => name ?? path.replace(/^.*node_modules\//, '')
const refOf = (path, found) => `${nameOf(path, found)}@${found.version}`

/** Where Node finds a package that the one at `path` imports. */
function findPackage(packages, path, name) {
  for (let folder = path; ; folder = folder.replace(/(?:^|\/)node_modules\/(?:@[^/]+\/)?[^/]+$/, '')) {
    const found = `${folder}${folder === '' ? '' : '/'}node_modules/${name}`
    if (Object.hasOwn(packages, found)) return found
    if (folder === '') return null
  }
}

const dependenciesOf = (packages, path) => {
  const { dependencies = {}, optionalDependencies = {} } = packages[path]
  const names = Object.keys({ ...dependencies, ...optionalDependencies })
  return names.map(name => findPackage(packages, path, name)).filter(found => found !== null)
}

function reach(packages, paths) {
  const reached = new Set(paths)
  for (const path of reached) for (const other of dependenciesOf(packages, path)) reached.add(other)
  return reached
}

function describe(path, found, scope, isBundled) {
  const { version, integrity, license } = found
  const name = nameOf(path, found)
  const id = LICENSES[name] ?? license
  if (id === undefined) throw new Error(`${name} has no licence in its package: name it in scripts/sbom.mjs`)
  return {
    type: 'library',
    'bom-ref': `${name}@${version}`,
    name,
    version,
    scope,
    ...(integrity && {
      hashes: [{ alg: 'SHA-512', content: Buffer.from(integrity.slice('sha512-'.length), 'base64').toString('hex') }],
    }),
    licenses: [/ (?:AND|OR) /.test(id) ? { expression: id } : { license: { id } }],
    purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
    ...(isBundled && { properties: [{ name: 'cdx:npm:package:bundled', value: 'true' }] }),
  }
}

/** The packages that one lock file has from `first` on. */
const treeOf = (packages, first) => ({ packages, first, paths: [...reach(packages, first)].sort() })

export function makeSbom({ optional = false } = {}) {
  const { packages } = read('package-lock.json')
  const { name, version, license, dependencies = {} } = read('package.json')
  const direct = names => Object.keys(names).map(one => `node_modules/${one}`)
  const bundled = read('dist/bundled.json').map(({ path }) => path)
  const missing = bundled.filter(path => packages[path] === undefined)
  if (missing.length > 0) throw new Error(`not in package-lock.json: ${missing.join(', ')}`)
  const trees = [treeOf(packages, direct(dependencies)), { packages, first: bundled, paths: bundled }]
  if (optional) {
    const other = read('scripts/extras/optional/package-lock.json').packages
    trees.push(treeOf(other, direct(other[''].dependencies)))
  }
  const components = new Map()
  const self = `${name}@${version}`
  const uses = new Map([[self, new Set()]])
  for (const [at, { packages: found, first, paths }] of trees.entries()) {
    const refs = new Map(paths.map(path => [path, refOf(path, found[path])]))
    for (const path of first) uses.get(self).add(refs.get(path))
    for (const [path, ref] of refs) {
      if (!components.has(ref)) components.set(ref, describe(path, found[path], at < 2 ? 'required' : 'optional', at === 1))
      const known = uses.get(ref) ?? new Set()
      for (const other of dependenciesOf(found, path)) if (refs.has(other)) known.add(refs.get(other))
      uses.set(ref, known)
    }
  }
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.5.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: { component: { type: 'application', 'bom-ref': self, name, version, licenses: [{ license: { id: license } }] } },
    components: [...components.values()],
    dependencies: [...uses].map(([ref, others]) => ({ ref, dependsOn: [...others].sort() })),
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  process.stdout.write(`${JSON.stringify(makeSbom({ optional: process.argv.includes('--optional') }), null, 2)}\n`)
