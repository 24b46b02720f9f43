/** The reporter for output that is not a terminal: a line for each file, with how many of how many are done and after what time. */
import { DefaultReporter, type TestCase, type TestModule, type TestSpecification, type TestSuite } from 'vitest/node'

const clock = (ms: number): string => {
  const seconds = Math.round(ms / 1_000)
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}

export class ProgressReporter extends DefaultReporter {
  #due = 0
  #done = 0

  override onTestRunStart(specifications: readonly TestSpecification[]): void {
    this.#due = specifications.length
    this.#done = 0
    super.onTestRunStart(specifications)
  }

  override onTestModuleEnd(module: TestModule): void {
    this.#done++
    super.onTestModuleEnd(module)
  }

  protected override getEntityPrefix(entity: TestModule | TestSuite | TestCase): string {
    const prefix = super.getEntityPrefix(entity)
    if (entity.type !== 'module') return prefix
    const done = String(this.#done).padStart(String(this.#due).length)
    return `${done}/${this.#due} ${clock(performance.now() - this.start)} ${prefix}`
  }
}
