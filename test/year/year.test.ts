import { test } from 'vitest';
import { expectGoodYear, inBerlin } from './expect.ts';
import { liveThrough } from './year.ts';

const SEED = Number(process.env['YEAR_SEED'] ?? 1);

inBerlin();

// The whole of this year is one of the storms.
test(`a simulated season shows no false figure, and each true one as soon as the rules allow, seed ${SEED}`, async () => {
  const year = await liveThrough(SEED, { days: 100, everyHours: 24 });
  expectGoodYear(year, `YEAR_SEED=${SEED} npx vitest run --project unit test/year`, 100 / 400);
});
