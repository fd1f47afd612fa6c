import { readStore } from '../app/store.ts';
import type { KnownOrg, PageParts } from '../backfill/page.ts';
import { type Collector, expensiveDatasets } from '../catalog/collector.ts';
import type { Day, Instant } from '../catalog/day.ts';
import type { OrgSettings } from '../catalog/settings.ts';
import { collectors as allCollectors } from '../collectors/index.ts';
import type { Config } from '../config/config.ts';
import { seriesBudgetOf } from '../pipeline/budget.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Logger } from '../runtime/logger.ts';
import type { Store } from '../store/store.ts';
import { type ChosenOrgs, datasetsOf } from './past-choice.ts';

// Shared by the commands that write past days.

/** The stored history; what is added stays in memory. Rejects with a `ConfigError` if it cannot be used. */
export function openPast(config: Config, clock: Clock, log: Logger): Promise<Store> {
  return readStore({ ...config.storage, collectors: allCollectors, clock, log });
}

/** The settings of the chosen organizations. */
export function settingsOf({ orgs, readiness, people }: Config): readonly OrgSettings[] {
  const current = people.current();
  return orgs.map(({ name, contract, daysOff }) => ({ name, readiness, contract, daysOff, people: current }));
}

/** The chosen organizations with what is stored of them. */
export function readOrgs(history: Store, orgs: readonly OrgSettings[]): Promise<readonly KnownOrg[]> {
  return Promise.all(
    orgs.map(async (settings) => ({ settings, history: await history.read(settings.name) })),
  );
}

/** How the pages of past days are made from what is known at an instant. */
export function pagesOf(
  { config, configured }: ChosenOrgs,
  collectors: readonly Collector[],
  aboutFamilies: PageParts['aboutFamilies'],
  { now, clock }: { readonly now: Instant; readonly clock: Clock },
): PageParts {
  const { history, limits } = config;
  return {
    aboutFamilies,
    datasets: datasetsOf(config, collectors),
    expensive: expensiveDatasets(allCollectors),
    bounds: { historyStart: history.start, retentionDays: history.retentionDays },
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

/** What is missing, in lines; `failed` are the collectors whose days could not be fetched. */
export function describeMissing(
  { unknown, omitted = new Map() }: Missing,
  failed: readonly string[],
): readonly string[] {
  const lines = [...unknown].map(([who, days]) => `unknown: ${who} on ${spanOf(days)}`);
  for (const [who, days] of omitted) lines.push(`without a price: ${who} on ${spanOf(days)}`);
  if (failed.length > 0) lines.push(`failed to fetch: ${failed.join(', ')}`);
  return lines;
}

/** 1 if anything is missing, otherwise 0. */
export function exitCodeOf({ unknown, interrupted }: Missing, failed: readonly string[]): number {
  return interrupted || unknown.size > 0 || failed.length > 0 ? 1 : 0;
}

/** Some days in words: their number, the first and the last. */
function spanOf(days: readonly Day[]): string {
  return `${days.length} ${days.length === 1 ? 'day' : 'days'}, ${days[0]} to ${days.at(-1)}`;
}
