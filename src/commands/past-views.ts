import { type Collector, isDayCollector } from '../catalog/collector.ts';
import type { Day, Instant } from '../catalog/day.ts';
import type { View } from '../catalog/view.ts';
import type { Config } from '../config/config.ts';
import { createCoverage } from '../pipeline/coverage.ts';
import { firstDayOf } from '../pipeline/days-to-fetch.ts';
import { createView } from '../pipeline/view.ts';
import { createSystemClock } from '../runtime/clock.ts';
import type { CommandContext } from './command.ts';
import { createDisplay } from './display.ts';
import { loadForOrgs } from './past-choice.ts';
import { openPast, readOrgs, settingsOf } from './past-days.ts';
import { fetchAll } from './past-fetch.ts';

/** A chosen organization, as it is known at any instant. */
export interface KnownViews {
  readonly org: string;
  viewAt(asOf: Instant): View;
}

interface Wanted {
  /** The chosen organizations; all if none. */
  readonly orgs: readonly string[];
  /** The collectors whose figures are needed, if they are enabled; the first one always. */
  readonly collectors: readonly Collector[];
  /** The first day that is needed; by default the start of the history. */
  readonly from: Day | undefined;
}

/**
 * Runs work on what is known of the chosen organizations: what is stored, and what the platform tells of the days that are not.
 * Resolves with the exit code: 1 if a collector failed, or if the work says that something is missing.
 */
export async function withViews(
  context: CommandContext,
  wanted: Wanted,
  work: (orgs: readonly KnownViews[], now: Instant) => Promise<boolean>,
): Promise<number> {
  const { config } = await loadForOrgs(context, wanted.orgs);
  const clock = createSystemClock();
  const { log, fetching } = createDisplay(context.stderr, config, clock);
  const history = await openPast(config, clock, log);
  const [first, ...others] = wanted.collectors;
  const enabled = others.filter(({ name }) => config.collectors.get(name) === true);
  const collectors = first === undefined ? enabled : [first, ...enabled];
  try {
    const orgs = settingsOf(config);
    const now = clock.now();
    const failed = await fetchAll({
      ...{ config, orgs, collectors, history, version: context.version, progress: fetching, clock, log },
      from: wanted.from ?? config.history.start,
      signal: context.stopSignal(),
    });
    const datasets = collectors.filter(isDayCollector).map(({ dataset }) => dataset);
    const known = await readOrgs(history, orgs);
    const views = known.map((one) => {
      const parts = { ...one, ...boundsOf(config, now), datasets };
      // Which days are known, and which were idle, is what is known now.
      const coverage = createCoverage(parts, now);
      const viewAt = (asOf: Instant) => createView(parts, asOf, { coverage, isPast: asOf < now });
      return { org: one.settings.name, viewAt };
    });
    const isComplete = await work(views, now);
    if (failed.length > 0) context.stderr.write(`failed to fetch: ${failed.join(', ')}\n`);
    return isComplete && failed.length === 0 ? 0 : 1;
  } finally {
    await history.close();
    await log.close();
  }
}

function boundsOf({ history }: Config, now: Instant) {
  const { start: historyStart, retentionDays } = history;
  return { historyStart, firstDay: firstDayOf({ historyStart, retentionDays }, now) };
}
