/** `npm run test:chaos -- --runs 5000`: lets the sources beside it run as they are, and hands over to main.ts. */
import '../kill/run-typescript.mjs'

const { main } = await import('./main.ts')
process.exitCode = await main(process.argv.slice(2))
