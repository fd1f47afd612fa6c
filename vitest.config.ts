import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { TEST_LIMIT_MS } from './test/support/limits.ts';

const common = {
  testTimeout: TEST_LIMIT_MS,
  hookTimeout: TEST_LIMIT_MS,
  teardownTimeout: TEST_LIMIT_MS,
  setupFiles: ['test/support/setup.ts'],
  globalSetup: ['test/support/leftovers.ts'],
};

// Imports cost more than most tests do: no file keeps state in a module, so that files of a worker share them.
const shared = { isolate: false };

// Their properties run a fifth as often in `unit` as in `storm`.
const properties = [
  'test/collectors/spend/properties.test.ts',
  'test/collectors/users/teams.test.ts',
  'test/history/sqlite/history.test.ts',
  'test/hooks/intake/intake.test.ts',
  'test/scheduler/ticker.test.ts',
  'test/web-config/hostile.test.ts',
];

// `unit` runs in the process of the test; `e2e` starts the program or the whole service; both need nothing but Node.
// `storm` neither, but takes minutes; `system` drives real servers and browsers, `cluster` an API server of Kubernetes.
export default defineConfig({
  test: {
    // A machine with two processors would use one of them.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    // A line for each file, and what a failing test has printed.
    silent: 'passed-only',
    slowTestThreshold: Number.POSITIVE_INFINITY,
    projects: [
      {
        test: {
          ...{ name: 'unit', ...common, ...shared },
          include: ['test/**/*.test.ts'],
          exclude: ['test/{e2e,system,cluster,storm,fuzz,alert-year}/**'],
        },
      },
      { test: { name: 'e2e', ...common, ...shared, include: ['test/e2e/**/*.test.ts'] } },
      {
        test: {
          ...{ name: 'storm', ...common },
          include: ['test/{storm,fuzz}/**/*.test.ts', ...properties],
          env: { PROPERTY_RUNS: 'all' },
        },
      },
      { test: { name: 'system', ...common, include: ['test/system/**/*.test.ts'] } },
      { test: { name: 'year', ...common, include: ['test/alert-year/**/*.test.ts'] } },
      { test: { name: 'cluster', ...common, include: ['test/cluster/**/*.test.ts'] } },
    ],
  },
});
