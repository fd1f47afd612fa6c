import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/** The database's clock: it may be wrong, and differs from those of the processes. */
const CLOCK =
  /(?<![.#\w])(?:now|clock_timestamp|statement_timestamp|transaction_timestamp|timeofday)\(\)|\b(?:current_(?:timestamp|date|time)|localtime(?:stamp)?)\b/i;

/** Hook events arrive at any replica, whose clocks differ: there, one clock judges. */
const JUDGE = /^const DATABASE_TIME = /m;

test('no statement reads the clock of the database, but the one that judges hook events', () => {
  const files = globSync('src/{store,intake,commands/copy}/**/*.ts');
  expect(files.some((file) => JUDGE.test(readFileSync(file, 'utf8')))).toBe(true);
  const found = files.flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .flatMap((line, index) =>
        CLOCK.test(line) && !JUDGE.test(line) ? [`${file}:${index + 1}: ${line.trim()}`] : [],
      ),
  );
  expect(found).toEqual([]);
});
