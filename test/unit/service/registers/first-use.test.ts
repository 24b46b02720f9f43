/** The first use of the sample register by several processes. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { ROOT } from '../../../system/cli/fettle.ts'

const moduleOf = (name: string): string => JSON.stringify(pathToFileURL(join(ROOT, 'build', `${name}.js`)).href)

test('a process waits for the import of another process, also when nothing else keeps it alive', () => {
  const folder = mkdtempSync(join(tmpdir(), 'fettle-first-use-'))
  try {
    const dir = join(folder, 'registers')
    const program = `
      const { importSample } = await import(${moduleOf('service/registers/open')})
      const { systemClock } = await import(${moduleOf('service/clock')})
      const { takeLock } = await import(${moduleOf('files/process-lock')})
      const other = takeLock(${JSON.stringify(`${dir}.lock`)}, Date.now)
      const imported = importSample(${JSON.stringify(dir)}, systemClock)
      setTimeout(() => other.release(), 150).unref()
      await imported
      console.log('imported')`
    const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' })
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: 'imported\n', stderr: '' })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
