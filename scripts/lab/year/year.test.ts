import { describe, test } from 'vitest';
import { expectGoodYear, inBerlin } from './expect.ts';
import { liveThrough } from './year.ts';

const given = process.env['YEAR_SEED'];
const SEEDS = given === undefined ? [21, 22, 23, 24, 25, 26] : [Number(given)];
/** The seed whose year is also asked seldom. */
const WELL_KNOWN = Number(given ?? 1);

describe('a simulated year, asked every two hours', () => {
  inBerlin();

  test.each(SEEDS)('shows no false figure, and each true one in time, seed %i', async (seed) => {
    const year = await liveThrough(seed, { days: 400, everyHours: 2 });
    expectGoodYear(year, `YEAR_SEED=${seed} npx vitest run --project lab scripts/lab/year/year.test.ts`);
  });

  test(`shows none either when it is asked every 18 hours, seed ${WELL_KNOWN}`, async () => {
    const year = await liveThrough(WELL_KNOWN, { days: 400, everyHours: 18 });
    expectGoodYear(
      year,
      `YEAR_SEED=${WELL_KNOWN} npx vitest run --project lab scripts/lab/year/year.test.ts -t "18 hours"`,
    );
  });

  test(`nor does its first season, asked once a day, seed ${WELL_KNOWN}`, async () => {
    const year = await liveThrough(WELL_KNOWN, { days: 100, everyHours: 24 });
    const replay = `YEAR_SEED=${WELL_KNOWN} npx vitest run --project lab scripts/lab/year/year.test.ts -t season`;
    expectGoodYear(year, replay, 100 / 400);
  });
});
