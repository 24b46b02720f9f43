import { defineConfig } from 'vitest/config'

// What a mutated module is tried against: the tests of its own folder, in one process, without children or long walks.
export default defineConfig({
  test: {
    setupFiles: 'test/support/each-file.ts',
    include: ['test/unit/client/**/*.test.ts', 'test/unit/run/**/*.test.ts', 'test/unit/journal/**/*.test.ts'],
    testTimeout: 30_000,
  },
})
