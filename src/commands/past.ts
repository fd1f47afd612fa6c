import { orgSettings } from '../app/org.ts';
import { fetchPast } from '../app/past.ts';
import { assignName } from '../app/restore.ts';
import { readStore } from '../app/store.ts';
import { type Collector, expensiveDatasets, isDayCollector } from '../catalog/collector.ts';
import { type Day, earlier, type Instant } from '../catalog/day.ts';
import type { Platform } from '../catalog/platform.ts';
import type { OrgSettings } from '../catalog/settings.ts';
import type { View } from '../catalog/view.ts';
import { collectors as allCollectors } from '../collectors/index.ts';
import type { Config } from '../config/config.ts';
import { loadConfig } from '../config/load.ts';
import { quoted } from '../config/parse.ts';
import { seriesBudgetOf } from '../pipeline/budget.ts';
import { assessDays, type KnownOrg, type PastParts } from '../pipeline/past-days.ts';
import { createView } from '../pipeline/view.ts';
import { ConfigError } from '../text/errors.ts';
import { suggestion } from '../text/suggestion.ts';
import { type Clock, createSystemClock } from '../work/clock.ts';
import type { CommandContext } from './command.ts';
import { createDisplay } from './display.ts';

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

/** How the pages of past days are made from what is known at an instant. */
export function pagesOf(
  { config, configured }: Awaited<ReturnType<typeof loadForOrgs>>,
  collectors: readonly Collector[],
  aboutFamilies: PastParts['aboutFamilies'],
  { now, clock }: { readonly now: Instant; readonly clock: Clock },
): PastParts {
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

/**
 * Opens the stored history of the chosen organizations; what is fetched stays in memory. `secrets` are masked in the log.
 * Rejects with a `ConfigError` if the store cannot be used.
 */
export async function openPast(
  { version, stderr, stopSignal }: CommandContext,
  config: Config,
  secrets?: () => readonly string[],
) {
  const clock = createSystemClock();
  const display = createDisplay(stderr, config, clock, secrets);
  const { log, fetching: progress } = display;
  const signal = stopSignal();
  const orgs = config.orgs.map(({ name }) => name);
  const { index, total } = config.shard;
  if (orgs.length === 0) log.warn('This shard has no organization', { shard: index, shards: total });
  const history = await readStore({ ...config.storage, orgs, collectors: allCollectors, clock, log });
  for (const org of config.orgs) await assignName(history, org);
  const people = config.people.current();
  const settings = config.orgs.map((org) => orgSettings(org, config, people));

  /** What is stored, without a request. */
  async function stored(): Promise<readonly KnownOrg[]> {
    return Promise.all(
      settings.map(async (org) => ({ settings: org, history: await history.read(org.name) })),
    );
  }

  return {
    ...display,
    clock,
    now: clock.now(),
    signal,
    settings,
    stored,
    /** Fetches like `fetchPast`; resolves with what is known then, and with the names of the collectors that failed. */
    async fetch(collectors: readonly Collector[], from: Day) {
      const parts = { config, history, version, progress, clock, log, stopping: signal };
      const failed = await fetchPast(parts, collectors, from);
      return { orgs: await stored(), failed };
    },
    async [Symbol.asyncDispose]() {
      await history.close();
      await log.close();
    },
  };
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
 * Runs work on what is known of the chosen organizations at any instant: what is stored, and what their platforms tell of the days
 * that are not. Those of one platform follow each other; each has its platform if there are several. Resolves with the exit code:
 * 1 if a collector failed, or if the work says that something is missing; rejects with a `ConfigError` without organizations.
 */
export async function withViews(
  context: CommandContext,
  wanted: Wanted,
  work: (
    orgs: readonly { settings: OrgSettings; platform: Platform | undefined; viewAt(asOf: Instant): View }[],
    now: Instant,
  ) => Promise<boolean>,
): Promise<number> {
  const chosen = await loadForOrgs(context, wanted.orgs);
  const { config } = chosen;
  if (config.orgs.length === 0) {
    throw new ConfigError('this shard has no organization', 'leave out --shard and --total-shards');
  }
  const collectors = wanted.collectors.filter(
    ({ name }, index) => index === 0 || config.collectors.get(name) === true,
  );
  await using past = await openPast(context, config);
  const { now } = past;
  const firsts = config.orgs.map((settings) => wanted.fromOf(settings) ?? config.history.start);
  const { orgs, failed } = await past.fetch(collectors, firsts.reduce(earlier));
  const pages = pagesOf(chosen, collectors, [], past);
  const platforms = config.orgs.map(({ platform }) => platform);
  const views = orgs.map((known, index) => {
    const platform = new Set(platforms).size > 1 ? platforms[index] : undefined;
    // Which days are known, and which were idle, is what is known now.
    const { coverage, ...org } = assessDays(pages, known);
    const viewAt = (asOf: Instant) => createView(org, asOf, { coverage, isPast: asOf < now });
    return { settings: known.settings, platform, viewAt };
  });
  const isComplete = await work([...Map.groupBy(views, ({ platform }) => platform).values()].flat(), now);
  if (failed.length > 0) context.stderr.write(`failed to fetch: ${failed.join(', ')}\n`);
  return isComplete && failed.length === 0 ? 0 : 1;
}
