/** A separate folder for a test: removed when the test passed, kept when it failed. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

export function freshFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'fettle-test-'))
  onTestFinished(({ task }) => {
    if (task.result?.state !== 'fail') rmSync(folder, { recursive: true, force: true })
  })
  return folder
}
