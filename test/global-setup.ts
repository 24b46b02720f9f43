/** Brings ./dist and ./build up to date with ./src before tests that run the binary. */
import { buildForTests } from '../scripts/build.mjs'

export default buildForTests
