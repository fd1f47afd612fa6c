import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '../..');
const files = globSync(['test/**/*.ts', 'scripts/lab/**/*.ts'], { cwd: ROOT })
  .map((file) => file.split(path.sep).join('/'))
  .filter((file) => !file.startsWith('test/support/') && !file.startsWith('test/architecture/'))
  // A platform that answers slowly is no test that waits.
  .filter((file) => file !== 'test/client/faulty/transport.ts');

const BY_CONDITION = 'wait for a condition, by `waitFor` of test/support/wait-for.ts';

/** Ways of waiting or checking that make a test fail on a busy machine or in another folder, and their replacements. */
const BANNED: readonly { readonly what: RegExp; readonly why: string }[] = [
  { what: /from 'node:timers\/promises'/, why: `a pause is too short somewhere: ${BY_CONDITION}` },
  {
    what: /new Promise(?:<\w*>)?\(\s*\(?\w*\)? =>\s*(?:void )?setTimeout/,
    why: `a pause is too short somewhere: ${BY_CONDITION}`,
  },
  {
    what: /\bexpect\s*\.poll\(|\bvi\s*\.wait(?:For|Until)\(/,
    why: `its limit is a second, and it does not say what was awaited: ${BY_CONDITION}`,
  },
  {
    what: /\bperformance\.now\(|\bDate\.now\(\) - (?!\w*[dD]ay|\d+ \* DAY|DAYS|86_400_000)/,
    why: 'how long something takes says nothing about it: move an injected clock, or make it a benchmark',
  },
  {
    what: /\{ timeout: [\d_]+[ ,}]|^\s*\}, [\d_]{4,}\);$/m,
    why: 'a separate limit makes a test fail on a busy machine: all limits are in test/support/limits.ts',
  },
  { what: /import\.meta\.url\)\.pathname/, why: 'a space in the path is %20 there: use fileURLToPath' },
];

test.each(BANNED)('no test uses $what', ({ what, why }) => {
  expect(files.length).toBeGreaterThan(100);
  const found = files.filter((file) => what.test(readFileSync(path.join(ROOT, file), 'utf8')));
  expect(found, why).toEqual([]);
});
