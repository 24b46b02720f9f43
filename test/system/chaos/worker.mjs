/**
 * A process that executes several runs at the same time until it is killed; its parent sends the tasks and receives the
 * outcomes. Arguments: the folder of the product.
 */
import { loadExecute } from './execute.mjs'

const execute = await loadExecute(process.argv[2])

process.on('message', async ({ id, ...task }) => {
  const ended = await execute(task)
  process.send({ id, ended })
})
process.on('disconnect', () => process.exit())
process.send('ready')
