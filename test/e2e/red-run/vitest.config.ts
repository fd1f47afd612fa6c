import { defineConfig } from 'vitest/config';
import { TEST_LIMIT_MS } from '../../support/limits.ts';

export default defineConfig({
  test: {
    include: ['test/e2e/red-run/fails.ts'],
    setupFiles: ['test/support/setup.ts'],
    globalSetup: ['test/support/leftovers.ts'],
    watch: false,
    // Its test fails for what it says, and not because the machine is slow.
    ...{ testTimeout: TEST_LIMIT_MS, hookTimeout: TEST_LIMIT_MS, teardownTimeout: TEST_LIMIT_MS },
  },
});
