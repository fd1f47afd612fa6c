import { execFileSync, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';

const MODULE = pathToFileURL(`${import.meta.dirname}/../../src/runtime/garbage-collection.ts`).href;

/**
 * A process whose old generation is mostly holes, as after many answers: it ends once it has compacted its heap at rest,
 * and has let its young generation grow again for new work.
 */
const PROGRAM = `
import { getHeapSpaceStatistics, getHeapStatistics } from 'node:v8';
import { collectForManyOrganizations, keepYoungGenerationSmall } from ${JSON.stringify(MODULE)};

const MIB = 1024 * 1024;
const total = () => getHeapStatistics().total_heap_size;
const young = () => getHeapSpaceStatistics().find((space) => space.space_name === 'new_space').space_size;

keepYoungGenerationSmall();
collectForManyOrganizations(100);

let kept = Array.from({ length: 2_000_000 }, (_, at) => ({ at }));
kept = kept.filter(({ at }) => at % 3 === 0);
const before = total();
const alive = setInterval(() => {
  if (total() > before / 2) return;
  clearInterval(alive);
  console.log('compacted');
  work();
}, 10);

function work() {
  const busy = setInterval(() => {
    const some = Array.from({ length: 100_000 }, (_, at) => ({ at }));
    if (some.length + kept.length > 0 && young() < 16 * MIB) return;
    clearInterval(busy);
    console.log('grown');
  }, 1);
}
`;

test('a process with many organizations compacts its heap at rest, and works with a larger young generation', async () => {
  const child = spawn(process.execPath, ['--input-type=module', '-e', PROGRAM], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  expect(await text(child.stdout)).toBe('compacted\ngrown\n');
});

test('V8 knows every flag that is set: an unknown one would be ignored', () => {
  const source = readFileSync(fileURLToPath(MODULE), 'utf8');
  const flags = [...source.matchAll(/setFlagsFromString\(['`]--(?:no-)?([a-z-]+)/g)].map(([, name]) => name);
  const known = execFileSync(process.execPath, ['--v8-options'], { encoding: 'utf8' });
  expect(flags).toEqual(
    expect.arrayContaining(['external-memory-accounted-in-global-limit', 'heap-growing-percent']),
  );
  expect(flags.filter((name) => !known.includes(`  --${name} (`))).toEqual([]);
});
