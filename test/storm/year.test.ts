import { describe, test } from 'vitest';
import { expectGoodYear, inBerlin } from '../year/expect.ts';
import { liveThrough } from '../year/year.ts';

const given = process.env['YEAR_SEED'];
const SEEDS = given === undefined ? [21, 26] : [Number(given)];

describe('a simulated year, asked every two hours', () => {
  inBerlin();

  test.each(SEEDS)('shows no false figure, and each true one in time, seed %i', async (seed) => {
    const year = await liveThrough(seed, { days: 400, everyHours: 2 });
    expectGoodYear(year, `YEAR_SEED=${seed} npx vitest run --project storm test/storm/year.test.ts`);
  });

  // Known to be wrong still: a zero over the year's end while a dataset is late. These pass once it is fixed, and then fail here.
  test.fails.each([22, 23, 24, 25])('is not right yet, seed %i', async (seed) => {
    expectGoodYear(await liveThrough(seed, { days: 400, everyHours: 2 }), `YEAR_SEED=${seed}`);
  });
});
