/** Runs before each test file: what the file has started ends after it, and the working directory is the one before. */
import { afterAll } from 'vitest'
import './cheap-passwords.ts'
import { endFile } from './file-end.ts'

const home = process.cwd()
afterAll(async () => {
  process.chdir(home)
  await endFile()
})
