import * as z from 'zod';
import type { DayReader, FetchedDays, Window } from '../../src/catalog/collector.ts';
import { type Day, weekdayOf } from '../../src/catalog/day.ts';
import type { Platform } from '../../src/catalog/platform.ts';
import type { Source } from '../../src/catalog/source.ts';
import type { ActivityRow } from '../../src/collectors/activity/dataset.ts';
import type { ProductivityRow } from '../../src/collectors/productivity/dataset.ts';
import type { TokensRow } from '../../src/collectors/tokens/dataset.ts';

/** The day with twice the use of the others. */
const SPIKE = '2026-11-19';

/** What the platform has of a day. */
export interface OtherDay {
  /** In cents of USD, with fractions. */
  readonly cents: Readonly<Record<string, number>>;
  readonly people: number;
  readonly seats: number;
  readonly merged: number;
}

/** A working day has the same use in each week, but for one day with twice as much; nobody works on weekends. */
export function otherDay(day: Day): OtherDay {
  const weekday = weekdayOf(day);
  if (weekday > 4) return { cents: {}, people: 0, seats: 12, merged: 0 };
  const spike = day === SPIKE ? 2 : 1;
  const cents = { 'model-a': (41_280.25 + 100 * weekday) * spike, 'model-b': 1_234.125 };
  return { cents, people: 7 + (weekday % 2), seats: 12, merged: weekday };
}

const body = z.object({
  account: z.string(),
  days: z.array(
    z.object({
      day: z.string(),
      cents: z.record(z.string(), z.string()),
      people: z.number(),
      seats: z.number(),
      merged: z.number(),
    }),
  ),
});
type Answered = z.infer<typeof body>['days'][number];

async function daysOf<Row>(
  source: Source,
  { from, to }: Window,
  endpoint: 'tokens' | 'activity' | 'productivity',
  rowOf: (day: Answered) => Row,
): Promise<FetchedDays<Row>> {
  const { body: answer, bytes } = await source.get({
    endpoint,
    host: 'api',
    path: '/v9/use',
    query: { from, to },
  });
  const { account, days } = body.parse(answer);
  const rows = new Map(days.map((one) => [one.day as Day, rowOf(one)]));
  return { rows, lost: 0, rejected: 0, bytes, remarks: [], orgId: identity(account) };
}

function identity(account: string): string {
  return `other:127.0.0.1:${account}`;
}

const dollars = (cents: readonly string[]) => cents.reduce((sum, one) => sum + Number(one), 0) / 100;

const tokens: DayReader<TokensRow> = {
  fetchDays: (source, window) =>
    daysOf(source, window, 'tokens', ({ cents }) => ({
      cost: dollars(Object.values(cents)),
      byModel: Object.entries(cents).map(([model, amount]) => ({ model, cost: dollars([amount]) })),
    })),
};

const activity: DayReader<ActivityRow> = {
  fetchDays: (source, window) =>
    daysOf(source, window, 'activity', ({ people, seats }) => ({ dailyUsers: people, seats })),
};

const productivity: DayReader<ProductivityRow> = {
  fetchDays: (source, window) =>
    daysOf(source, window, 'productivity', ({ merged }) => ({ pullRequestsMerged: merged })),
};

/** A platform with three of the seven datasets, which reports money and counts no credits. */
export const otherPlatform: Platform = {
  name: 'other',
  title: 'Other Agents',
  configuration: { keys: ['account'], needs: ['account'] },
  money: { measure: 'cost', currency: 'USD', costIs: 'charge', floor: 1_000 },
  focus: { service: 'Other Agents', serviceProvider: 'Other', hostProvider: 'Other', invoiceIssuer: 'Other' },
  readers: {
    tokens: async () => tokens,
    activity: async () => activity,
    productivity: async () => productivity,
  },
  days: { tokens: { revisedFor: 31 } },
  fields: {
    tokens: {
      path: '/v9/use',
      element: 'days[].',
      members: { cost: 'cents', byModel: 'cents', 'byModel.cost': 'cents' },
    },
    activity: { path: '/v9/use', element: 'days[].', members: { dailyUsers: 'people', seats: 'seats' } },
    productivity: { path: '/v9/use', element: 'days[].', members: { pullRequestsMerged: 'merged' } },
  },
  headers: (key) => ({ Accept: 'application/json', 'X-Other-Key': key }),
  linkHosts: [],
  advice: (status) => (status === 401 ? 'Make another key of Other Agents.' : undefined),
  isNotYet: () => false,
  identityOf: ({ account = '' }) => identity(account),
  orgIdIn: () => undefined,
};
