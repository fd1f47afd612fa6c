import { globSync, readFileSync } from 'node:fs';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { TEST_LIMIT_MS } from '../../test/support/limits.ts';

/** The first test that fails ends the run of a mutant: files that take long need to run for few of them. */
class QuickestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const msOf = (file: TestSpecification) => this.ctx.cache.getTestSpecificationResult(file)?.duration ?? 0;
    return files.toSorted((one, other) => msOf(one) - msOf(other));
  }
}

const room = process.env['MUTATION_ROOM'];

// What `app` composes is seen by what runs the whole service; a program of its own or a replaced module has no mutants.
const services =
  room === 'app'
    ? globSync('test/e2e/*.test.ts').filter(
        (file) =>
          !/child_process|\/(?:program|hook-process|killed|red-run)|vi\.mock\(/.test(
            readFileSync(file, 'utf8'),
          ),
      )
    : [];

// The tests of one room, in the copy that Stryker makes of the project.
export default defineConfig({
  test: {
    include: [`test/${room}/**/*.test.ts`, ...services],
    setupFiles: ['test/support/setup.ts'],
    // As in the projects: imports cost more than most tests do.
    isolate: false,
    // A mutant for which a test would wait for ever is detected by that test, not by the limit.
    env: { QUIET_ENDS_WAITS: 'yes' },
    sequence: { sequencer: QuickestFirst },
    testTimeout: TEST_LIMIT_MS,
    hookTimeout: TEST_LIMIT_MS,
  },
});
