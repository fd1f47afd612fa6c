import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/e2e/red-run/fails.ts'],
    setupFiles: ['test/support/setup.ts'],
    globalSetup: ['test/support/leftovers.ts'],
    watch: false,
  },
});
