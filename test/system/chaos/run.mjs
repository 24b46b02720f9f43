/** `npm run test:chaos -- --runs 5000`: loads TypeScript sources directly and starts main.ts. */
import '../kill/run-typescript.mjs'

const { main } = await import('./main.ts')
process.exitCode = await main(process.argv.slice(2))
