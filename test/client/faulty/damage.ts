import { at, createRandom, type Random, textSeed } from '../../../src/sandbox/random.ts';
import type { Row } from '../../../src/sandbox/types.ts';
import type { Faults } from './faults.ts';

type Change = (value: number) => unknown;

/**
 * Damages some rows according to `bad-rows` and `huge-numbers`; the row alone determines whether and how, so that it is
 * damaged in the same way each time.
 */
export function damaged(row: Row, faults: Faults): unknown {
  const bad = faults.applies('bad-rows');
  const huge = faults.applies('huge-numbers');
  if (bad === undefined && huge === undefined) return row;
  const random = createRandom(textSeed(JSON.stringify(row).slice(0, 200)));
  if (bad !== undefined && random() < bad.rate) return spoil(row, random);
  if (huge !== undefined && random() < huge.rate) return inflate(row, random);
  return row;
}

const unusable: readonly [Change, ...Change[]] = [
  (value: number) => -1 - Math.abs(value),
  () => 'NaN',
  () => true,
];

/** The row with one unusable number. */
export function worsened(row: Row): Row {
  const random = createRandom(textSeed(`again ${row['date']} ${JSON.stringify(row).slice(0, 200)}`));
  return withNumber(row, random, at(unusable, random()));
}

/** A row with `strange-dates` and `doubled-days` applied: with another date, twice, or unchanged. */
export function misdated(row: Row, faults: Faults): readonly Row[] {
  const { date } = row;
  if (typeof date !== 'string') return [row];
  const strange = faults.applies('strange-dates');
  const doubled = faults.applies('doubled-days');
  if (strange === undefined && doubled === undefined) return [row];
  const random = createRandom(textSeed(`dates ${JSON.stringify(row).slice(0, 200)}`));
  if (strange !== undefined && random() < strange.rate) {
    return [{ ...row, date: at(strangeDates, random())(date) }];
  }
  if (doubled !== undefined && random() < doubled.rate) {
    // In each figure of the day itself: a difference in a field that nobody reads is none.
    const other = Object.entries(row).map(([name, value]) => [
      name,
      typeof value === 'number' ? value + 1 : value,
    ]);
    return [row, Object.fromEntries(other)];
  }
  return [row];
}

const strangeDates: readonly [(date: string) => unknown, ...((date: string) => unknown)[]] = [
  (date) => `${Number(date.slice(0, 4)) - 1}${date.slice(4)}`,
  (date) => `${Number(date.slice(0, 4)) + 1}${date.slice(4)}`,
  (date) => `${date}T00:00:00Z`,
  (date) => `${date}T25:00:00Z`,
  (date) => `${date}T23:30:00-05:00`,
  (date) => date.split('-').reverse().join('.'),
  (date) => Date.parse(date),
  () => '2026-02-30',
  () => '',
  () => null,
  () => [],
];

const spoilt: readonly [Change, ...Change[]] = [
  (value: number) => -1 - Math.abs(value),
  (value: number) => String(value),
  () => 'NaN',
  () => null,
  () => undefined,
  () => ({ value: 1 }),
  () => true,
];

function spoil(row: Row, random: Random): unknown {
  const kind = random();
  if (kind < 0.06) return null;
  if (kind < 0.12) return 'row';
  if (kind < 0.22) return { ...row, date: undefined, createdAt: undefined };
  if (kind < 0.3) return { ...row, date: '2026-02-30', createdAt: 'yesterday' };
  return withNumber(row, random, at(spoilt, random()));
}

function inflate(row: Row, random: Random): Row {
  const size = random() < 0.5 ? Number.MAX_VALUE : 2 ** 60;
  return withNumber(row, random, () => size);
}

/** Changes one number of a row, or a nested one. */
function withNumber(row: Row, random: Random, change: Change): Row {
  const numbers = keysOf(row, (value) => typeof value === 'number');
  const nested = keysOf(row, (value) => isRow(value) || (Array.isArray(value) && value.some(isRow)));
  const inside = pick(nested, random);
  if (inside !== undefined && (numbers.length === 0 || random() < 0.4)) {
    return { ...row, [inside]: changedInside(row[inside], random, change) };
  }
  const number = pick(numbers, random);
  return number === undefined ? row : { ...row, [number]: change(Number(row[number])) };
}

function changedInside(value: unknown, random: Random, change: Change): unknown {
  if (isRow(value)) return withNumber(value, random, change);
  if (!Array.isArray(value)) return value;
  const chosen = Math.floor(random() * value.length);
  return value.map((element, index) =>
    index === chosen && isRow(element) ? withNumber(element, random, change) : element,
  );
}

function keysOf(row: Row, matches: (value: unknown) => boolean): string[] {
  return Object.keys(row).filter((key) => matches(row[key]));
}

function pick(keys: readonly string[], random: Random): string | undefined {
  return keys[Math.floor(random() * keys.length)];
}

function isRow(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
