/** Brings ./dist up to date with ./src before tests that run the binary. */
import { buildForTests } from '../scripts/build.mjs'

export default function setup(): void {
  buildForTests()
}
