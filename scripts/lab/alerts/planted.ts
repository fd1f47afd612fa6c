import { type Day, dayOf, startOf } from '../../../src/catalog/day.ts';
import { createOrganization, DAYS, dayAt, HOUR } from '../../../test/collectors/spend/backtest/world.ts';
import { below, createRandom, type Random } from '../../../test/fuzz/random.ts';
import { dayNamed } from '../../../test/support/day.ts';
import {
  budgetOf,
  eventsOfForecast,
  exceededAt,
  type Month,
  monthsOf,
  type PlantedEvent,
} from './budget-events.ts';
import { type PlantedTeams, plantTeams } from './planted-teams.ts';

const DAY = 24 * HOUR;

/** What fails, and when. */
type Failure = 'auth' | 'server' | 'throttled' | 'down' | 'scrape';

/** A readiness report, as the platform sends it. */
export interface PlantedReport {
  readonly at: number;
  readonly body: {
    readonly reportId: string;
    readonly createdAt: number;
    readonly repoUrl: string;
    readonly branch: string;
    readonly commitHash: string;
    readonly apps: object;
    readonly report: Readonly<Record<string, { readonly numerator: number; readonly denominator: number }>>;
  };
}

/** A year of an organization, in which something of everything happens once. */
export interface PlantedYear {
  readonly name: string;
  readonly people: number;
  readonly budget: number;
  readonly teams: PlantedTeams;
  readonly events: readonly PlantedEvent[];
  readonly reports: readonly PlantedReport[];
  /** The row of a dataset at an instant; undefined if there is none, or not yet. */
  rowAt(dataset: 'tokens' | 'activity', day: Day, at: number): object | undefined;
  /** The people of a day as they are listed at an instant; nobody if there are none, or not yet. */
  peopleAt(day: Day, at: number): readonly object[];
  failureAt(at: number): Failure | undefined;
  /** Whether one of the last days has no row: it becomes a day without activity by time alone. */
  lacksRows(at: number): boolean;
  /** When rows or reports become available, in order. */
  readonly changes: { readonly rows: readonly number[]; readonly reports: readonly number[] };
}

const at = (date: string, hour = 0) => startOf(dayNamed(date)) + hour * HOUR;

/** When what happens. Gaps in scraping come while budgets, spikes and reports are told. */
const FAILURES: readonly (readonly [Failure, from: number, until: number])[] = [
  ['scrape', at('2026-02-11', 9), at('2026-02-11', 13)],
  ['server', at('2026-02-17', 3), at('2026-02-18', 5)],
  ['auth', at('2026-04-21', 10), at('2026-04-23', 10)],
  ['throttled', at('2026-05-19', 2), at('2026-05-19', 12)],
  ['scrape', at('2026-05-28', 9), at('2026-05-28', 13)],
  ['down', at('2026-08-25', 14), at('2026-08-26', 16)],
  ['scrape', at('2026-11-26', 9), at('2026-11-26', 13)],
];
/** The share of a model grows within four weeks. */
const ROLL_OUT = { from: at('2026-03-02'), full: at('2026-03-30'), share: 0.58 };
/** Rows of the credits that come ten days late, while those of the activity come in time. */
const HELD_BACK = { from: at('2026-04-07'), until: at('2026-04-17') };
/** Three weeks with 55 % fewer people. */
const FALL = { from: at('2026-06-08'), until: at('2026-06-29'), factor: 0.45 };
/** A platform that accepts requests and has no rows. */
const SILENT = { from: at('2026-09-07'), until: at('2026-09-16') };
/** Days around these are neither spikes nor ordinary. */
const DISTURBED = [HELD_BACK, FALL, SILENT];

const REPOSITORIES = 3;
const CRITERIA = 30;
const FLAKY = 3;
const DROPS = 7;
const FAILING = 6;

export function createPlantedYear(seed: number, people: number): PlantedYear {
  const random = createRandom(seed * 104_729 + people);
  const { days, spikes } = createOrganization(seed, people);
  const within = (instant: number, span: { readonly from: number; readonly until: number }) =>
    instant >= span.from && instant < span.until;

  const rows = new Map(
    days.map((plain, index) => {
      const day = dayAt(index);
      const start = startOf(day);
      const factor = within(start, FALL) ? FALL.factor : 1;
      const active = Math.round(plain.people * factor);
      const credits = active === 0 ? 0 : Math.round(plain.credits * factor);
      // Rows come within four hours, and rarely after six.
      const delay = random() < 0.05 ? 6 : 1 + 3 * random();
      return [
        day,
        {
          credits,
          people: active,
          models: modelsOf(start, credits, active, random),
          from: within(start, SILENT) ? SILENT.until : start + DAY + delay * HOUR,
        },
      ] as const;
    }),
  );

  const months = monthsOf([...rows].map(([day, { credits }]) => [day, credits] as const));
  const budget = budgetOf(months);
  const teams = plantTeams(
    seed,
    people,
    [...rows].map(([day, { credits, people: active }]) => ({ day, credits, active })),
  );
  const { reports, drops, stopped } = readiness(random);
  const ofFailure = (failure: Failure, alert: string, labels?: Readonly<Record<string, string>>) =>
    FAILURES.filter(([kind]) => kind === failure).map(
      ([, from, until]): PlantedEvent => ({
        alert,
        from,
        until: until + 2 * HOUR,
        ...(labels && { labels }),
      }),
    );

  const events: PlantedEvent[] = [
    ...ofFailure('down', 'ExporterDown'),
    ...ofFailure('scrape', 'ExporterDown'),
    ...ofFailure('auth', 'KeyRejected'),
    ...ofFailure('throttled', 'Throttled'),
    ...['tokens', 'activity', 'users', 'readiness'].flatMap((collector) =>
      ofFailure('server', 'CollectionFailing', { collector }),
    ),
    {
      alert: 'DataStale',
      from: HELD_BACK.from + 5 * DAY,
      until: HELD_BACK.until,
      labels: { dataset: 'tokens' },
    },
    {
      alert: 'NewModelShare',
      from: ROLL_OUT.from,
      until: ROLL_OUT.full + 14 * DAY,
      labels: { model: 'new-model' },
    },
    { alert: 'AdoptionDropped', from: FALL.from + DAY, until: FALL.until + DAY },
    { alert: 'PlatformSilent', from: SILENT.from + DAY, until: SILENT.until + DAY },
    {
      alert: 'ReadinessReportOld',
      from: stopped.at,
      until: at('2027-01-02'),
      labels: { repo: stopped.repo },
    },
    ...drops.map(
      ({ at: from, repo }): PlantedEvent => ({
        ...{ alert: 'ReadinessDropped', from, until: from + 2 * DAY },
        labels: { repo },
      }),
    ),
    ...spikes.map(({ index, counts }): PlantedEvent => {
      const start = startOf(dayAt(index));
      const isDisturbed = DISTURBED.some(({ from, until }) =>
        within(start, { from, until: until + 7 * DAY }),
      );
      return {
        ...{ alert: 'CreditSpike', from: start + DAY, until: start + 2 * DAY + 12 * HOUR },
        optional: !counts || isDisturbed,
      };
    }),
    ...months.flatMap((month) => eventsOfBudget(month, budget)),
    ...teams.events,
  ];

  return {
    ...{ name: `org-${people}-${seed}`, people, budget, teams, events, reports },
    rowAt(dataset, day, instant) {
      const row = rows.get(day);
      if (row === undefined || row.people === 0) return undefined;
      const isHeldBack = dataset === 'tokens' && within(startOf(day), HELD_BACK);
      if (instant < (isHeldBack ? HELD_BACK.until : row.from)) return undefined;
      const { credits, people: active, models } = row;
      return dataset === 'tokens'
        ? { date: day, billable_tokens: credits, by_model: models }
        : { date: day, daily_active_users: active, sessions: 3 * active };
    },
    peopleAt(day, instant) {
      const row = rows.get(day);
      return row === undefined || row.people === 0 || instant < row.from ? [] : teams.peopleOn(day);
    },
    lacksRows: (instant) =>
      [2, 3, 4, 5, 6].some((ago) => {
        const row = rows.get(dayOf(instant - ago * DAY));
        return row === undefined || row.people === 0 || row.from > instant;
      }),
    changes: {
      rows: [...[...rows.values()].map(({ from }) => from), HELD_BACK.until].toSorted((a, b) => a - b),
      reports: reports.map(({ at: created }) => created),
    },
    failureAt: (instant) => FAILURES.find(([, from, until]) => within(instant, { from, until }))?.[0],
  };
}

/** People prefer a model each, try another one now and then, and move to the new one in its roll-out. */
function modelsOf(start: number, credits: number, people: number, random: Random): readonly object[] {
  const rolledOut = Math.min(1, Math.max(0, (start - ROLL_OUT.from) / (ROLL_OUT.full - ROLL_OUT.from)));
  const noise = (share: number) =>
    share * Math.exp((0.6 / Math.sqrt(Math.max(1, people))) * (2 * random() - 1));
  const tried = random() < 0.03 ? random() / Math.max(1, people) : 0;
  const shares = [
    ['large', noise(0.55)],
    ['medium', noise(0.33)],
    ['small', noise(0.12)],
  ] as const;
  const sum = shares.reduce((total, [, share]) => total + share, 0);
  const rest = 1 - noise(ROLL_OUT.share) * rolledOut - tried;
  const all = [
    ...shares.map(([model, share]) => [model, (rest * share) / sum] as const),
    ['new-model', 1 - rest - tried] as const,
    [`tried-${below(4, random)}`, tried] as const,
  ];
  return all
    .filter(([, share]) => share > 0)
    .map(([model, share]) => ({
      model_id: model,
      model_tier: 'standard',
      billable_tokens: Math.round(share * credits),
    }));
}

function eventsOfBudget(month: Month, budget: number): readonly PlantedEvent[] {
  const { end, exceeded } = exceededAt(month, budget);
  const forecasts = eventsOfForecast('BudgetProjectedOver', month, budget);
  if (exceeded === undefined) return forecasts;
  const labels = { month: month.month };
  return [{ alert: 'BudgetExceeded', from: exceeded, until: end, labels }, ...forecasts];
}

/** Weekly reports of some repositories with flaky criteria; seven of them drop for three weeks, and one repository stops. */
function readiness(random: Random) {
  const reports: PlantedReport[] = [];
  const drops: { readonly at: number; readonly repo: string }[] = [];
  const perRepository = Array.from({ length: REPOSITORIES }, (_, index) => index);
  const weeks = Math.floor(DAYS / 7);
  const planted = new Map(
    Array.from({ length: DROPS }, (_, index) => [`${index % (REPOSITORIES - 1)} ${15 + 6 * index}`, true]),
  );
  const stopsIn = 34;
  let stopped = { at: 0, repo: '' };
  for (const index of perRepository) {
    const repo = `github.com/acme/app-${index}`;
    const weekday = below(5, random);
    const passing = 18 + below(9, random);
    let dropsUntil = 0;
    for (let week = 0; week < weeks; week++) {
      const created = startOf(dayAt(7 * week + 4 + weekday)) + (8 + below(8, random)) * HOUR;
      if (index === REPOSITORIES - 1 && week >= stopsIn) {
        if (stopped.repo === '') stopped = { at: (reports.at(-1)?.at ?? 0) + 30 * DAY, repo };
        continue;
      }
      if (planted.has(`${index} ${week}`)) {
        dropsUntil = week + 3;
        drops.push({ at: created, repo });
      }
      const isDropped = week < dropsUntil;
      const results = Array.from({ length: CRITERIA }, (_, criterion) => {
        const isFlaky = criterion >= passing && criterion < passing + FLAKY;
        const passes = isFlaky ? random() < 0.5 : criterion < passing && !(isDropped && criterion < FAILING);
        return [`criterion_${criterion}`, { numerator: passes ? 1 : 0, denominator: 1 }] as const;
      });
      reports.push({
        at: created,
        body: {
          reportId: `${index}-${week}`,
          createdAt: created,
          repoUrl: `https://${repo}`,
          branch: 'main',
          commitHash: `${index}${week}`.padStart(40, '0'),
          apps: { '.': {} },
          report: Object.fromEntries(results),
        },
      });
    }
  }
  return { reports: reports.toSorted((one, other) => one.at - other.at), drops, stopped };
}
