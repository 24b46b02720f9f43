/**
 * Writes THIRD-PARTY-NOTICES.md, the licences of the packages of which dist contains parts, and sbom.cdx.json; with --check fails when one is not
 * current. Needs `npm run build` first.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { makeSbom } from './sbom.mjs'

const at = name => new URL(`../${name}`, import.meta.url)
const bundled = JSON.parse(readFileSync(at('dist/bundled.json'), 'utf8'))

const notices = bundled.map(({ name, version, license, path }) => {
  const file = readdirSync(at(path)).find(one => /^(?:licen[cs]e|copying)/i.test(one))
  const text = file === undefined ? 'Its package contains no text of the licence.' : readFileSync(at(`${path}/${file}`), 'utf8')
  return `## ${name} ${version} (${license})\n\n\`\`\`text\n${text.replaceAll('\r\n', '\n').trim()}\n\`\`\`\n`
})
const FILES = {
  'THIRD-PARTY-NOTICES.md': `# Third-party notices\n\nThe programs in dist contain parts of these packages.\n\n${notices.join('\n')}`,
  'sbom.cdx.json': `${JSON.stringify(makeSbom())}\n`,
}

for (const [name, text] of Object.entries(FILES)) {
  if (!process.argv.includes('--check')) writeFileSync(at(name), text)
  else if (readFileSync(at(name), 'utf8') !== text) {
    process.stderr.write(`${name} is not current: npm run build, then node scripts/notices.mjs\n`)
    process.exitCode = 1
  }
}
