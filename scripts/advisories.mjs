/**
 * Checks the packages that a user of fettle gets, bundled or required, against known advisories: those of the registry where it answers
 * `npm audit`, and the ranges in advisories.json, which a person keeps. Ends with 1 when one is in use.
 */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import semver from 'semver'

const read = path => JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'))
const { components } = read('../sbom.cdx.json')
const { updated, ranges } = read('advisories.json')

/** The versions that fall into one of the ranges. */
export const findAffected = (parts, known) =>
  known.flatMap(({ name, range, id, what }) => {
    if (semver.validRange(range) === null) throw new Error(`advisories.json: ${id} has no range: ${range}`)
    return parts
      .filter(one => one.name === name && semver.satisfies(one.version, range))
      .map(({ version }) => `${name} ${version} (${range}): ${id}, ${what}`)
  })

/** What the registry knows; null where it does not answer. Development tools are left out. */
function auditRegistry() {
  const root = fileURLToPath(new URL('..', import.meta.url))
  const { stdout } = spawnSync('npm', ['audit', '--json', '--package-lock-only'], {
    cwd: root,
    encoding: 'utf8',
    timeout: 60_000,
  })
  const { vulnerabilities } = JSON.parse(stdout || '{}')
  if (vulnerabilities === undefined) return null
  return Object.values(vulnerabilities).flatMap(({ via }) =>
    via.filter(one => typeof one === 'object').map(({ name, range, url, title }) => ({ name, range, id: url, what: title })),
  )
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const registry = auditRegistry()
  const found = findAffected(components, [...ranges, ...(registry ?? [])])
  const asked =
    registry === null ? `the registry did not answer; ${ranges.length} ranges of ${updated}` : 'the registry and the kept ranges'
  console.log(
    `${components.length} packages against ${asked}: ${found.length === 0 ? 'none is affected' : `${found.length} affected`}`,
  )
  for (const line of found) console.error(line)
  if (found.length > 0) process.exitCode = 1
}
