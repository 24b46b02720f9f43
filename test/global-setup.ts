/** Before tests that run the binary: installs the optional packages, and brings ./dist and ./build up to date with ./src. */
import { buildForTests } from '../scripts/build.mjs'
import { installExtras } from '../scripts/extras.mjs'

export default async function prepare(): Promise<void> {
  installExtras('optional', 'tests')
  await buildForTests()
}
