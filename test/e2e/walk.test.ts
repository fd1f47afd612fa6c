import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { LIMITS } from '../../scripts/walk/limits.ts';
import { ROAD_NAMES, type RoadName } from '../../scripts/walk/roads.ts';
import { COMPILE_CACHE } from '../support/compile-cache.ts';

const program = fileURLToPath(new URL('../../scripts/walk/main.ts', import.meta.url));

interface Count {
  readonly name: RoadName;
  readonly files: number;
  readonly functions: number;
}

test('no more code runs on the usual roads than was reached', () => {
  const output = execFileSync(process.execPath, [program, '--json'], {
    encoding: 'utf8',
    env: { ...process.env, ...COMPILE_CACHE },
  });
  const counts: readonly Count[] = JSON.parse(output);
  expect(counts.map(({ name }) => name)).toEqual(ROAD_NAMES);
  for (const { name, files, functions } of counts) {
    const limit = LIMITS[name];
    const why = `of ${name}: \`npm run walk -- --files\` lists them; the limit is in scripts/walk/limits.ts`;
    expect(files, `files ${why}`).toBeGreaterThan(0);
    expect(files, `files ${why}`).toBeLessThanOrEqual(limit.files);
    expect(functions, `functions ${why}`).toBeLessThanOrEqual(limit.functions);
  }
});
