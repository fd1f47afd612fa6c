import type { Collector } from '../catalog/collector.ts';
import { isDayCollector, isFetching } from '../catalog/collector.ts';
import type { Instant } from '../catalog/day.ts';
import type { OrgSettings } from '../catalog/settings.ts';
import type { Publisher } from '../pipeline/publisher.ts';
import type { RunBook, RunState } from '../pipeline/runs.ts';
import type { CollectorState, CollectorStatus, Readiness } from '../server/status.ts';

/** After this the exporter is ready whatever the platform does, in milliseconds. */
const READY_AFTER_MS = 60_000;

/** What the status of a collector is drawn from. */
export interface StatusSources {
  readonly runs: RunBook;
  readonly publisher: Publisher;
  seriesOf(org: string): ReadonlyMap<string, number>;
  nextRunOf(org: string, collector: string): Instant | undefined;
}

/** The state of one collector of one organization, as the status page shows it. */
export function collectorStatus(
  sources: StatusSources,
  org: OrgSettings,
  collector: Collector,
): CollectorStatus {
  const { name, description } = collector;
  const run = runOf(sources.runs, org.name, collector);
  const series = sources.seriesOf(org.name);
  const { failure } = run;
  return omitUndefined({
    name,
    description,
    state: stateOf(run),
    dataDay: sources.publisher.publishedDay(org.name, name),
    lastRunAt: run.lastRunAt,
    lastSuccessAt: run.lastSuccessAt,
    lastDurationSeconds: run.lastDurationSeconds,
    nextRunAt: sources.nextRunOf(org.name, fetchingName(collector)),
    failure:
      failure &&
      omitUndefined({
        reason: failure.error.reason,
        message: failure.error.message,
        hint: failure.error.hint,
        since: failure.since,
      }),
    series: collector.families.reduce((sum, family) => sum + (series.get(family.name) ?? 0), 0),
    uncoveredDays: isDayCollector(collector) ? sources.publisher.uncoveredDays(org.name, name) : undefined,
    published: !sources.publisher.isExpired(org.name, name),
  });
}

/** The runs of a collector; a derived one has those of its source, whose failures are not its own. */
function runOf(runs: RunBook, org: string, collector: Collector): RunState {
  const run = runs.get(org, fetchingName(collector));
  return isFetching(collector) ? run : { ...run, failure: undefined };
}

function fetchingName(collector: Collector): string {
  return isFetching(collector) ? collector.name : collector.derivesFrom;
}

/** Whether every collector has tried its newest data once, or has had the time to. */
export function readiness(
  runs: RunBook,
  targets: readonly { readonly org: string; readonly collector: string }[],
  upMs: number,
): Readiness {
  const untried = targets.filter(({ org, collector }) => !runs.get(org, collector).tried);
  const ready = untried.length === 0 || upMs >= READY_AFTER_MS;
  return {
    ready,
    waitingFor: ready ? [] : untried.map(({ org, collector }) => `the first answer for ${org}/${collector}`),
  };
}

/**
 * Whether the last run of each of these collectors succeeded. Until the first one of this process has ended, the
 * last one of a process before counts: a restart is no failure.
 */
export function probeSuccess(
  runs: RunBook,
  org: string,
  collectors: readonly { readonly name: string }[],
): boolean {
  return collectors.every(({ name }) => {
    const { failure, lastSuccessAt } = runs.get(org, name);
    return failure === undefined && lastSuccessAt !== undefined;
  });
}

function stateOf(run: RunState): CollectorState {
  if (run.running) return 'running';
  if (run.lastRunAt === undefined) return 'waiting';
  return run.failure === undefined ? 'ok' : 'failing';
}

/** The members that have a value, for shapes whose optional members must not be undefined. */
function omitUndefined<Shape extends object>(shape: Shape): Defined<Shape> {
  return Object.fromEntries(
    Object.entries(shape).filter(([, value]) => value !== undefined),
  ) as Defined<Shape>;
}

type Defined<Shape> = {
  [Key in keyof Shape as undefined extends Shape[Key] ? never : Key]: Shape[Key];
} & { [Key in keyof Shape as undefined extends Shape[Key] ? Key : never]?: Exclude<Shape[Key], undefined> };
