import { defineConfig } from 'vitest/config';

/**
 * How long a test or hook may take before it counts as hung, in milliseconds. The one limit there is: far above what
 * the slowest machine needs, since it is no statement about speed.
 */
const HUNG_MS = 10 * 60_000;

const limits = { testTimeout: HUNG_MS, hookTimeout: HUNG_MS };

// `unit` runs in the process of the test; `e2e` starts the program or the whole service; both need nothing but Node.
// `storm` neither, but takes minutes; `system` drives real servers and browsers.
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: ['test/{e2e,system,storm,fuzz}/**'],
          ...limits,
        },
      },
      { test: { name: 'e2e', include: ['test/e2e/**/*.test.ts'], ...limits } },
      { test: { name: 'storm', include: ['test/{storm,fuzz}/**/*.test.ts'], ...limits } },
      { test: { name: 'system', include: ['test/system/**/*.test.ts'], fileParallelism: false, ...limits } },
    ],
  },
});
