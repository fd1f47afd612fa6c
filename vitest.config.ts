import { defineConfig } from 'vitest/config';

// `unit` needs nothing but Node; `storm` neither, but takes minutes; `system` drives real servers and browsers.
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: ['test/system/**', 'test/storm/**', 'test/fuzz/**'],
          testTimeout: 20_000,
        },
      },
      { test: { name: 'storm', include: ['test/{storm,fuzz}/**/*.test.ts'] } },
      {
        test: {
          name: 'system',
          include: ['test/system/**/*.test.ts'],
          testTimeout: 180_000,
          hookTimeout: 120_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
