/**
 * Prints the software bill of materials of the package as CycloneDX: its dependencies, its optional packages, and the packages of which
 * dist contains parts. It is what `npm sbom` prints without the other tools. Needs `npm run build` first.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const read = name => readFileSync(join(root, name), 'utf8')
const command = ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only']
const sbom = JSON.parse(
  execFileSync('npm', command, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 28, stdio: ['ignore', 'pipe', 'ignore'] }),
)

const { name, dependencies = {}, peerDependencies = {} } = JSON.parse(read('package.json'))
const nameOf = ref => ref.replace(/(?<=.)@.*$/, '')
const uses = new Map(sbom.dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]))
const [self] = sbom.dependencies
const closure = refs => {
  const reached = new Set(refs)
  for (const ref of reached) for (const other of uses.get(ref) ?? []) reached.add(other)
  return reached
}
const direct = names => self.dependsOn.filter(ref => Object.hasOwn(names, nameOf(ref)))

/** The heads of dist/licenses.txt: `name version (licence)`. */
const bundled = new Set(
  [...read('dist/licenses.txt').matchAll(/^(\S+) (\d\S*) \(/gm)].map(([, one, version]) => `${one}@${version}`),
)
const required = closure(direct(dependencies))
const optional = closure(direct(peerDependencies))
const isKept = ref => bundled.has(ref) || required.has(ref) || optional.has(ref)

/** Licences that the package names in a file of its own only. */
const LICENSES = { 'dejavu-fonts-ttf': 'Bitstream-Vera', 'png-js': 'MIT' }
const licensed = one => {
  const id = LICENSES[one.name]
  const licenses = id === undefined ? one.licenses : [{ license: { id } }]
  if (!licenses?.length) throw new Error(`${one.name} has no licence in its package: name it here`)
  return { ...one, licenses }
}

const scopeOf = ref => (required.has(ref) || bundled.has(ref) ? 'required' : 'optional')
const components = sbom.components
  .filter(one => isKept(one['bom-ref']))
  .map(one => {
    const marks = one.properties.filter(property => property.name !== 'cdx:npm:package:development')
    const ref = one['bom-ref']
    const properties = bundled.has(ref) ? [...marks, { name: 'cdx:npm:package:bundled', value: 'true' }] : marks
    return { ...licensed(one), scope: scopeOf(ref), properties }
  })
const missing = [...bundled].filter(ref => !components.some(one => one['bom-ref'] === ref))
if (missing.length > 0) throw new Error(`not in package-lock.json: ${missing.join(', ')}`)

const kept = sbom.dependencies
  .filter(({ ref }) => ref === self.ref || isKept(ref))
  .map(({ ref, dependsOn }) => ({
    ref,
    dependsOn: ref === self.ref ? [...new Set([...dependsOn.filter(isKept), ...bundled])] : dependsOn.filter(isKept),
  }))
const metadata = { ...sbom.metadata, component: { ...sbom.metadata.component, name, type: 'application' } }
process.stdout.write(`${JSON.stringify({ ...sbom, metadata, components, dependencies: kept }, null, 2)}\n`)
