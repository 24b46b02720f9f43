import { defineConfig } from 'vitest/config'

// What a mutated module is tried against: the tests of its own folder, in one process, without children or long walks.
export default defineConfig({
  test: {
    include: ['test/client/**/*.test.ts', 'test/run/**/*.test.ts', 'test/journal/**/*.test.ts'],
    testTimeout: 30_000,
  },
})
