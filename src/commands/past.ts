import { createOrgClient } from '../app/clients.ts';
import { readStore } from '../app/store.ts';
import { createTraffic, trafficSettings } from '../app/traffic.ts';
import { assessDays, type KnownOrg, type PageParts } from '../backfill/page.ts';
import { newestStampedDay } from '../backfill/sample-times.ts';
import { type Collector, expensiveDatasets, isDayCollector, isFetching } from '../catalog/collector.ts';
import { type Day, earlier, firstOfMonth, type Instant } from '../catalog/day.ts';
import type { OrgSettings } from '../catalog/settings.ts';
import type { View } from '../catalog/view.ts';
import { collectors as allCollectors } from '../collectors/index.ts';
import type { Config } from '../config/config.ts';
import { loadConfig } from '../config/load.ts';
import { quoted } from '../config/parse.ts';
import { createInstruments } from '../exposition/instruments.ts';
import { seriesBudgetOf } from '../pipeline/budget.ts';
import { createRunStates } from '../pipeline/run-states.ts';
import { createRunner } from '../pipeline/runner.ts';
import { createView } from '../pipeline/view.ts';
import { type Clock, createSystemClock } from '../runtime/clock.ts';
import { ConfigError } from '../runtime/errors.ts';
import { suggestion } from '../runtime/suggestion.ts';
import type { Store } from '../store/store.ts';
import type { CommandContext } from './command.ts';
import { createDisplay, type Display } from './display.ts';

// Shared by the commands about past days: what is chosen, and what is known and can be fetched of it.

/**
 * Loads the configuration and keeps the named organizations, or all if none is named; `configured` is the number of all of them,
 * kept or not. A name that the file does not contain is given to the organization of flags and environment, as with
 * `serve --org`.
 */
export async function loadForOrgs(context: CommandContext, names: readonly string[]) {
  const flags = new Map(context.flags);
  flags.delete('org');
  const config = await loadConfig({ ...context, flags, collectors: allCollectors, named: names });
  const known = config.orgs.map(({ name }) => name);
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw new ConfigError(
      `--org: unknown organization ${unknown}`,
      suggestion(unknown, known) ?? `configured organizations: ${known.join(', ')}`,
    );
  }
  const orgs = config.orgs.filter(({ name }) => names.length === 0 || names.includes(name));
  return { config: { ...config, orgs }, configured: config.orgs.length };
}

/** The collectors to backfill: the named ones, or by default the enabled ones whose past can be reconstructed. */
export function chooseCollectors(
  config: Config,
  names: readonly string[],
  verb = 'backfilled',
): readonly Collector[] {
  const reconstructible = allCollectors.filter((one) => !('past' in one) || one.past !== 'unknown');
  const known = reconstructible.map((collector) => collector.name);
  const refused = names.find((name) => !known.includes(name));
  if (refused !== undefined) {
    if (allCollectors.some(({ name }) => name === refused)) {
      throw new ConfigError(
        `--collector: ${refused} cannot be ${verb}`,
        'the platform lists its present state only',
      );
    }
    throw new ConfigError(
      `--collector: unknown collector ${quoted(refused)}`,
      suggestion(refused, known) ?? `the collectors are ${known.join(', ')}`,
    );
  }
  return reconstructible.filter(({ name }) =>
    names.length === 0 ? config.collectors.get(name) === true : names.includes(name),
  );
}

/** The days to backfill, inclusive; days that the live series covers are excluded. */
export function rangeOf(
  values: Parameters<typeof rangeUpTo>[1] & { readonly step: number | undefined },
  config: Config,
  now: Instant,
): { from: Day; to: Day } {
  const tooNew = 'is still covered by the live series; the newest day to backfill is';
  return rangeUpTo(newestStampedDay(values.step, now), values, config, tooNew);
}

/**
 * The chosen days up to the newest possible one, inclusive: by default all since the start of history. `tooNew` is what to
 * say of a first day after the newest one. Throws a `ConfigError` if no day is left.
 */
export function rangeUpTo(
  newest: Day,
  values: { readonly from: Day | undefined; readonly to: Day | undefined },
  config: Pick<Config, 'history'>,
  tooNew: string,
): { from: Day; to: Day } {
  const { start } = config.history;
  const from = values.from ?? start;
  const to = values.to === undefined ? newest : earlier(values.to, newest);
  if (from < start) {
    throw new ConfigError(
      `--from: ${from} is before ${start}, the first day that is fetched`,
      'start with that day, or change --history.start',
    );
  }
  if (to < from) {
    throw new ConfigError(
      values.to !== undefined && values.to < from
        ? `--to: ${values.to} is before the first day, ${from}`
        : `--from: ${from} ${tooNew} ${newest}`,
    );
  }
  return { from, to };
}

/** How the pages of past days are made from what is known at an instant. */
export function pagesOf(
  { config, configured }: Awaited<ReturnType<typeof loadForOrgs>>,
  collectors: readonly Collector[],
  aboutFamilies: PageParts['aboutFamilies'],
  { now, clock }: { readonly now: Instant; readonly clock: Clock },
): PageParts {
  const { history, limits } = config;
  // The days of all that is collected show how far the platform has reported.
  const collected = allCollectors.filter(
    (one) => config.collectors.get(one.name) === true || collectors.includes(one),
  );
  return {
    aboutFamilies,
    datasets: collected.filter(isDayCollector).map(({ dataset }) => dataset),
    expensive: expensiveDatasets(allCollectors),
    bounds: { historyStart: history.start, retentionDays: history.retention },
    labelLimit: limits.valuesPerLabel,
    seriesBudget: seriesBudgetOf(limits.series, configured),
    knownAt: now,
    clock,
  };
}

/** Days of organizations and datasets that are missing from what was written. */
interface Missing {
  readonly unknown: ReadonlyMap<string, readonly Day[]>;
  /** Known, but without a price. */
  readonly omitted?: ReadonlyMap<string, readonly Day[]>;
  readonly interrupted: boolean;
}

/** What is missing, in lines, and the exit code: 1 if anything is. `failed` are the collectors whose days could not be fetched. */
export function missingOf({ unknown, omitted = new Map(), interrupted }: Missing, failed: readonly string[]) {
  const lines = [...unknown].map(([who, days]) => `unknown: ${who} on ${spanOf(days)}`);
  for (const [who, days] of omitted) lines.push(`without a price: ${who} on ${spanOf(days)}`);
  if (failed.length > 0) lines.push(`failed to fetch: ${failed.join(', ')}`);
  return { lines, code: interrupted || unknown.size > 0 || failed.length > 0 ? 1 : 0 };
}

/** Some days in words: their number, the first and the last. */
export function spanOf(days: readonly Day[]): string {
  return `${days.length} ${days.length === 1 ? 'day' : 'days'}, ${days[0]} to ${days.at(-1)}`;
}

/** The past of the chosen organizations. */
export type Past = ReturnType<typeof createPast>;

/**
 * Runs work on the stored history of the chosen organizations; what is fetched stays in memory. `secrets` are masked in the log.
 * Rejects with a `ConfigError` if the store cannot be used.
 */
export async function withPast(
  context: CommandContext,
  config: Config,
  work: (past: Past) => Promise<number>,
  secrets?: () => readonly string[],
): Promise<number> {
  const clock = createSystemClock();
  const display = createDisplay(context.stderr, config, clock, secrets);
  const { log } = display;
  const signal = context.stopSignal();
  const history = await readStore({ ...config.storage, collectors: allCollectors, clock, log });
  try {
    const { version } = context;
    return await work(createPast(config, { ...display, history, version, clock, signal }));
  } finally {
    await history.close();
    await log.close();
  }
}

interface PastParts extends Display {
  readonly history: Store;
  readonly version: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

function createPast(config: Config, parts: PastParts) {
  const { history, fetching: progress, version, clock, log, signal } = parts;
  const orgs = settingsOf(config);
  return { ...parts, now: clock.now(), stored, fetch };

  /** What is stored, without a request. */
  async function stored(): Promise<readonly KnownOrg[]> {
    return Promise.all(
      orgs.map(async (settings) => ({ settings, history: await history.read(settings.name) })),
    );
  }

  /**
   * Fetches what the history lacks of collectors and those that they are derived from, as the live service does; of expensive
   * datasets, the days from `from` on. Resolves with what is known then, and with the names of the collectors that failed, as
   * `org/collector`; their partial data is stored.
   */
  async function fetch(named: readonly Collector[], from: Day) {
    const collectors = withSources(named);
    const instruments = createInstruments({ version, revision: '', clock, processMetrics: false });
    const runs = createRunStates();
    const runner = createRunner({
      historyStart: config.history.start,
      revisionDays: config.history.revisionWindow,
      expensiveFrom: firstExpensiveDayFor(from, orgs),
      // Nothing is scraped.
      publisher: { publish: async () => undefined, showsIdle: () => false },
      stopping: signal,
      history,
      runs,
      instruments,
      progress,
      clock,
      log,
    });
    const dayDatasets = collectors.filter(isDayCollector).map(({ dataset }) => dataset.name);
    const traffic = createTraffic({ history, clock }, trafficSettings(config, dayDatasets));
    const shared = { traffic, version, instruments, clock, random: Math.random, log };
    const clients = new Map(config.orgs.map((org) => [org.name, createOrgClient(org, config.api, shared)]));
    function close(): void {
      for (const client of clients.values()) client.close();
    }
    signal.addEventListener('abort', close, { once: true });
    // Stopped while the history was read.
    if (signal.aborted) close();
    try {
      const running = orgs.flatMap((org) => {
        const source = clients.get(org.name);
        if (source === undefined) return [];
        return collectors.filter(isFetching).map(async (collector) => {
          await runner.run({ org, source }, collector, 'scheduled');
          const { failure } = runs.get(org.name, collector.name);
          return failure === undefined ? [] : [`${org.name}/${collector.name}`];
        });
      });
      const failed: readonly string[] = (await Promise.all(running)).flat();
      return { orgs: await stored(), failed };
    } finally {
      signal.removeEventListener('abort', close);
      close();
      await traffic.close();
    }
  }
}

/** The settings of the chosen organizations. */
export function settingsOf({ orgs, readiness, people }: Config): readonly OrgSettings[] {
  const current = people.current();
  return orgs.map(({ name, contract, daysOff }) => ({ name, readiness, contract, daysOff, people: current }));
}

/** The given collectors, preceded by those that they are derived from. */
function withSources(given: readonly Collector[]): readonly Collector[] {
  const sources = given.flatMap((collector) => ('derivesFrom' in collector ? collector.derivesFrom : []));
  return allCollectors.flatMap((collector) => {
    const own = given.find(({ name }) => name === collector.name);
    return own ?? (sources.some((name) => name === collector.name) ? collector : []);
  });
}

/**
 * The first day to fetch of expensive datasets for pages from a day on: the month of a team with a budget is known only as
 * a whole.
 */
export function firstExpensiveDayFor(from: Day, orgs: readonly OrgSettings[]): Day {
  const hasBudgets = orgs.some(({ people }) => people !== undefined && people.teamBudgets.size > 0);
  const firsts = orgs.map(({ contract }) => firstOfMonth(from, contract?.periodStarts));
  return hasBudgets ? [from, ...firsts].reduce(earlier) : from;
}

interface Wanted {
  /** The chosen organizations; all if none. */
  readonly orgs: readonly string[];
  /** The collectors whose figures are needed, if they are enabled; the first one always. */
  readonly collectors: readonly Collector[];
  /** The first day that is needed of an organization; by default the start of the history. */
  fromOf(settings: Pick<OrgSettings, 'contract'>): Day | undefined;
}

/**
 * Runs work on what is known of the chosen organizations at any instant: what is stored, and what the platform tells of the days
 * that are not. Resolves with the exit code: 1 if a collector failed, or if the work says that something is missing.
 */
export async function withViews(
  context: CommandContext,
  wanted: Wanted,
  work: (
    orgs: readonly { readonly settings: OrgSettings; viewAt(asOf: Instant): View }[],
    now: Instant,
  ) => Promise<boolean>,
): Promise<number> {
  const chosen = await loadForOrgs(context, wanted.orgs);
  const { config } = chosen;
  const collectors = wanted.collectors.filter(
    ({ name }, index) => index === 0 || config.collectors.get(name) === true,
  );
  return withPast(context, config, async (past) => {
    const { now } = past;
    const firsts = config.orgs.map((settings) => wanted.fromOf(settings) ?? config.history.start);
    const { orgs, failed } = await past.fetch(collectors, firsts.reduce(earlier));
    const pages = pagesOf(chosen, collectors, [], past);
    const views = orgs.map((known) => {
      // Which days are known, and which were idle, is what is known now.
      const { coverage, ...org } = assessDays(pages, known);
      const viewAt = (asOf: Instant) => createView(org, asOf, { coverage, isPast: asOf < now });
      return { settings: known.settings, viewAt };
    });
    const isComplete = await work(views, now);
    if (failed.length > 0) context.stderr.write(`failed to fetch: ${failed.join(', ')}\n`);
    return isComplete && failed.length === 0 ? 0 : 1;
  });
}
