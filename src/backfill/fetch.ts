import { type Collector, type FetchingCollector, isFetching } from '../catalog/collector.ts';
import { type Day, firstOfMonth } from '../catalog/day.ts';
import type { OrgSettings } from '../catalog/settings.ts';
import type { Source } from '../catalog/source.ts';
import type { RunPublisher } from '../pipeline/run.ts';
import type { RunStates } from '../pipeline/run-states.ts';
import type { Runner } from '../pipeline/runner.ts';

/** An organization and its API client. */
interface FetchTarget {
  readonly org: OrgSettings;
  readonly source: Source;
}

/**
 * The first day to fetch of expensive datasets for pages from a day on: the month of a team with a budget is known only as
 * a whole.
 */
export function firstExpensiveDayFor(from: Day, orgs: readonly OrgSettings[]): Day {
  const hasBudgets = orgs.some(({ people }) => people !== undefined && people.teamBudgets.size > 0);
  return hasBudgets ? firstOfMonth(from) : from;
}

/**
 * Fetches and stores the collectors' data that the store lacks, as the live service does. Resolves with the names of
 * those that failed, as `org/collector`; their partial data is stored.
 */
export async function fetchMissing(
  targets: readonly FetchTarget[],
  collectors: readonly Collector[],
  runner: Runner,
  runs: RunStates,
): Promise<readonly string[]> {
  const failed: string[] = [];
  async function fetchOne(target: FetchTarget, collector: FetchingCollector): Promise<void> {
    await runner.run(target, collector, 'scheduled');
    const { name } = target.org;
    if (runs.get(name, collector.name).failure !== undefined) failed.push(`${name}/${collector.name}`);
  }
  await Promise.all(
    targets.flatMap((target) =>
      collectors.filter(isFetching).map((collector) => fetchOne(target, collector)),
    ),
  );
  return failed;
}

/** The named collectors, preceded by those that they are derived from. */
export function withSources(named: readonly Collector[], all: readonly Collector[]): readonly Collector[] {
  const sources = new Set(
    named.flatMap((collector) => ('derivesFrom' in collector ? collector.derivesFrom : [])),
  );
  return all.filter((collector) => named.includes(collector) || sources.has(collector.name));
}

/** A publisher for runs that are never scraped. */
export function createSilentPublisher(): RunPublisher {
  return { publish: async () => undefined, showsIdle: () => false };
}
