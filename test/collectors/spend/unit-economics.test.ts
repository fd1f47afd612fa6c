import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addDays, type Day, startOf } from '../../../src/catalog/day.ts';
import type { CreditPrice } from '../../../src/catalog/settings.ts';
import { type ActivityRow, activityDataset } from '../../../src/collectors/activity/dataset.ts';
import { type ProductivityRow, productivityDataset } from '../../../src/collectors/productivity/dataset.ts';
import { type TokensRow, tokensDataset } from '../../../src/collectors/tokens/dataset.ts';
import { dayNamed } from '../../support/day.ts';
import { definitionOf } from '../../support/definitions.ts';
import { createFakeView } from '../fakes.ts';
import { dollars, spendOn } from './view.ts';

const FIRST = dayNamed('2026-05-04');
const LAST = addDays(FIRST, 27);

interface Worked {
  readonly tokens?: TokensRow | undefined;
  readonly activity?: ActivityRow | undefined;
  readonly productivity?: ProductivityRow | undefined;
}

function row(credits: number, dailyUsers: number, commits = 0, pullRequests = 0): Worked {
  return { tokens: { credits }, activity: { dailyUsers }, productivity: { commits, pullRequests } };
}

/** The quotients on the last of 28 days. */
function quotients(days: readonly Worked[], prices: readonly CreditPrice[] = []) {
  const rows = (of: (day: Worked) => unknown) =>
    new Map(
      days.flatMap((day, index): [Day, unknown][] =>
        of(day) === undefined ? [] : [[addDays(FIRST, index), of(day)]],
      ),
    );
  const datasets = new Map<string, ReadonlyMap<Day, unknown>>([
    [tokensDataset.name, rows(({ tokens }) => tokens)],
    [activityDataset.name, rows(({ activity }) => activity)],
    [productivityDataset.name, rows(({ productivity }) => productivity)],
  ]);
  const view = createFakeView({ asOf: startOf(addDays(LAST, 1)) });
  const figures = spendOn(
    {
      ...view,
      settings: { ...view.settings, contract: { prices } },
      row: <Row>({ name }: { readonly name: string }, day: Day) => datasets.get(name)?.get(day) as Row,
    },
    LAST,
  );
  return Object.fromEntries(
    Object.entries(figures).flatMap(([name, value]) => {
      const [, short] = /^(.*_per_.*)_28d/.exec(name) ?? [];
      return short === undefined ? [] : [[short, value]];
    }),
  );
}

/** Four weeks of five working days and a weekend. */
function weeks(working: Worked, weekend: Worked = row(0, 0)): readonly Worked[] {
  return Array.from({ length: 28 }, (_, index) => (index % 7 < 5 ? working : weekend));
}

describe('credits and cost per person, commit and pull request', () => {
  test('are as in the worked examples', () => {
    const days = weeks(row(5_000_000, 40, 100, 12.5));
    expect(quotients(days, [dollars('2026-01-14', 2.7)])).toEqual({
      credits_per_active_user: 125_000,
      cost_per_active_user: 0.3375,
      credits_per_commit: 50_000,
      cost_per_commit: 0.135,
      credits_per_pull_request_created: 400_000,
      cost_per_pull_request_created: 1.08,
    });
    for (const text of ['800 days of activity', '125 000', '0.3375']) {
      expect(definitionOf('credits_per_active_user_28d')).toContain(text);
    }
  });

  test('are quotients of sums, whatever the days are, each day at its own price', () => {
    const figures = fc.record({
      credits: fc.integer({ min: 0, max: 1e9 }),
      users: fc.integer({ min: 0, max: 500 }),
      commits: fc.integer({ min: 0, max: 900 }),
      pullRequests: fc.integer({ min: 0, max: 90 }),
    });
    fc.assert(
      fc.property(fc.array(figures, { minLength: 28, maxLength: 28 }), fc.nat(27), (days, change) => {
        const priceFrom = addDays(FIRST, change);
        const prices = [dollars('2026-01-14', 3), dollars(priceFrom, 5)];
        const shown = quotients(
          days.map(({ credits, users, commits, pullRequests }) => row(credits, users, commits, pullRequests)),
          prices,
        );
        const sum = (of: (day: (typeof days)[number], index: number) => number) =>
          days.reduce((all, day, index) => all + of(day, index), 0);
        const credits = sum((day) => day.credits);
        const cost = sum((day, index) => (day.credits * (index < change ? 3 : 5)) / 1e6);
        const people = Math.max(...days.map(({ users }) => users)) >= 10 ? sum(({ users }) => users) : 0;
        for (const [name, divisor] of [
          ['active_user', people],
          ['commit', sum(({ commits }) => commits)],
          ['pull_request_created', sum(({ pullRequests }) => pullRequests)],
        ] as const) {
          if (divisor < 10) {
            expect(shown).not.toHaveProperty(`credits_per_${name}`);
            expect(shown).not.toHaveProperty(`cost_per_${name}`);
          } else {
            expect(shown[`credits_per_${name}`]).toBeCloseTo(credits / divisor, 6);
            expect(shown[`cost_per_${name}`]).toBeCloseTo(cost / divisor, 9);
          }
        }
      }),
      { numRuns: 200 },
    );
  });

  test('need ten commits and ten pull requests', () => {
    expect(quotients([...weeks(row(100, 0)).slice(1), row(0, 0, 9, 10)])).toEqual({
      credits_per_pull_request_created: expect.any(Number),
    });
    expect(quotients([...weeks(row(100, 0)).slice(1), row(0, 0, 10, 9)])).toEqual({
      credits_per_commit: expect.any(Number),
    });
  });

  test('need ten people on one day, or in one week of the days, however many days a few people worked', () => {
    expect(quotients(weeks(row(100, 9)))).toEqual({});
    expect(quotients(weeks(row(100, 9)).with(3, row(100, 10)))).toHaveProperty('credits_per_active_user');
    const weekly = { tokens: { credits: 100 }, activity: { dailyUsers: 9, weeklyUsers: 12 } };
    expect(quotients(weeks(row(100, 9)).with(6, weekly))).toHaveProperty('credits_per_active_user');
    // The week of that day begins a day before the 28 days.
    expect(quotients(weeks(row(100, 9)).with(5, weekly))).toEqual({});
    expect(
      quotients(weeks(row(100, 9)).map((day) => ({ ...day, activity: { dailyUsers: 9, monthlyUsers: 30 } }))),
    ).toEqual({});
  });

  test('are absent while a day is unknown in a dataset that they need, and stay beside another one', () => {
    const days = weeks(row(100, 40, 100, 100));
    const names = (lacking: Worked) => Object.keys(quotients(days.with(20, { ...days[20], ...lacking })));
    expect(names({ tokens: undefined })).toEqual([]);
    expect(names({ tokens: {} })).toEqual([]);
    expect(names({ activity: undefined })).toEqual([
      'credits_per_commit',
      'credits_per_pull_request_created',
    ]);
    expect(names({ productivity: undefined })).toEqual(['credits_per_active_user']);
    expect(names({ productivity: { commits: 3 } })).toEqual([
      'credits_per_active_user',
      'credits_per_commit',
    ]);
  });

  test('have no cost where a day has no price or another currency', () => {
    const days = weeks(row(100, 40));
    expect(quotients(days, [dollars(addDays(FIRST, 1), 3)])).not.toHaveProperty('cost_per_active_user');
    const euros = { ...dollars(addDays(FIRST, 9), 3), currency: 'EUR' };
    expect(quotients(days, [dollars('2026-01-14', 3), euros])).not.toHaveProperty('cost_per_active_user');
  });
});
