/** Loaded before the program: ends its process by SIGKILL at the statement KILL_AT of a database, before it is sent or after its answer. */
import { DuckDBConnection } from '@duckdb/node-api'
import pg from 'pg'

const at = Number(process.env.KILL_AT)
const isAfter = process.env.KILL_WHEN === 'after'
const end = () => process.kill(process.pid, 'SIGKILL')
let count = 0

function counted(prototype, name) {
  const ask = prototype[name]
  prototype[name] = function (...args) {
    const isHere = ++count === at
    if (isHere && !isAfter) end()
    const answer = ask.apply(this, args)
    return isHere && answer instanceof Promise ? answer.finally(end) : answer
  }
}
counted(pg.Client.prototype, 'query')
counted(DuckDBConnection.prototype, 'run')
counted(DuckDBConnection.prototype, 'runAndReadAll')
