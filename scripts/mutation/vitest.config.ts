import { defineConfig } from 'vitest/config';
import { TEST_LIMIT_MS } from '../../test/support/limits.ts';

// The tests of one room, in the copy that Stryker makes of the project.
export default defineConfig({
  test: {
    include: [`test/${process.env['MUTATION_ROOM']}/**/*.test.ts`],
    setupFiles: ['test/support/setup.ts'],
    // As in the projects: imports cost more than most tests do.
    isolate: false,
    testTimeout: TEST_LIMIT_MS,
    hookTimeout: TEST_LIMIT_MS,
  },
});
