import { globSync, readFileSync } from 'node:fs';
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
const shared = { isolate: false, env: { QUIET_ENDS_WAITS: 'yes' } };

// What replaces a module has its own modules.
const alone = globSync('test/e2e/*.test.ts').filter((file) =>
  readFileSync(file, 'utf8').includes('vi.mock('),
);

// In `npm test` these run a share of what they can, and the storm has them do all of it.
const thorough = globSync('test/**/*.test.ts').filter((file) =>
  readFileSync(file, 'utf8').includes('support/thoroughness.ts'),
);

// `unit` runs in the process of the test; `e2e` starts the program or the whole service; both need nothing but Node and git.
// `storm` takes minutes, `system` drives real servers and browsers (`npm run test:system`) and an API server of Kubernetes
// (`npm run test:cluster`). `lab` is no test suite: it simulates years of an organization (`npm run lab`).
export default defineConfig({
  test: {
    // A machine with two processors would use one of them.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    maxConcurrency: 2,
    // A line for each file, and what a failing test has printed.
    silent: 'passed-only',
    slowTestThreshold: Number.POSITIVE_INFINITY,
    projects: [
      {
        test: {
          ...{ name: 'unit', ...common, ...shared },
          include: ['test/**/*.test.ts'],
          exclude: ['test/{e2e,system,cluster,storm,fuzz}/**'],
        },
      },
      {
        test: {
          ...{ name: 'e2e', ...common, ...shared },
          include: ['test/e2e/**/*.test.ts'],
          exclude: alone,
        },
      },
      { test: { name: 'e2e-alone', ...common, env: shared.env, include: alone } },
      {
        test: {
          ...{ name: 'storm', ...common },
          include: ['test/{storm,fuzz}/**/*.test.ts', ...thorough],
          env: { PROPERTY_RUNS: 'all' },
        },
      },
      { test: { name: 'system', ...common, include: ['test/{system,cluster}/**/*.test.ts'] } },
      { test: { name: 'lab', ...common, include: ['scripts/lab/**/*.test.ts'] } },
    ],
  },
});
