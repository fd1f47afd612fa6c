import { expect, test } from 'vitest';
import { load } from './loading.ts';

async function daysOffOf(calendar: string): Promise<readonly string[] | undefined> {
  const text = `orgs:\n  - {name: acme, base_url: https://x.example, api_key_env: KEY${calendar}}\n`;
  const { orgs } = await load({
    args: ['--config.file=c.yml'],
    environment: { KEY: 'k' },
    files: { 'c.yml': text },
    organizations: 'required',
  });
  const days = orgs[0]?.daysOff;
  return days && [...days].sort();
}

test('no calendar has no days off, and an empty one none either', async () => {
  expect(await daysOffOf('')).toBeUndefined();
  expect(await daysOffOf(', calendar: {}')).toEqual([]);
});

test('listed days are days off', async () => {
  expect(await daysOffOf(', calendar: {days_off: [2026-12-31, 2026-12-24]}')).toEqual([
    '2026-12-24',
    '2026-12-31',
  ]);
});

test('a country has its public holidays, and the list adds to them', async () => {
  const days = (await daysOffOf(', calendar: {country: DE, days_off: [2026-12-24, 2026-12-25]}')) ?? [];
  expect(days.filter((day) => day.startsWith('2026'))).toEqual([
    ...['2026-01-01', '2026-04-03', '2026-04-06', '2026-05-01', '2026-05-14', '2026-05-25'],
    ...['2026-10-03', '2026-12-24', '2026-12-25', '2026-12-26'],
  ]);
});

test('a holiday on a weekend has its substitute, and one of several days each of them', async () => {
  const [inUs = [], inTurkey = []] = [
    await daysOffOf(', calendar: {country: US}'),
    await daysOffOf(', calendar: {country: TR}'),
  ];
  expect(inUs).toEqual(expect.arrayContaining(['2026-07-03', '2026-07-04', '2026-11-26', '2027-12-31']));
  expect(inTurkey).toEqual(expect.arrayContaining(['2026-03-20', '2026-03-21', '2026-03-22']));
});

test('every known country has days of every year', async () => {
  const { default: byCountry } = await import('../../src/config/public-holidays.json', {
    with: { type: 'json' },
  });
  for (const [country, text] of Object.entries(byCountry))
    expect(text, country).toMatch(/^(\d{4}( \d{4})*)?(;\d\d( \d{4})*){12}$/);
});
