import { type Collector, filledOn, isDayCollector, isFetching } from '../catalog/collector.ts';
import { dayOf, daysBetween } from '../catalog/day.ts';
import { dayRulesOf, READY_HOURS } from '../catalog/day-rules.ts';
import { DEFAULT_PLATFORM, type OrgSettings } from '../catalog/settings.ts';
import type { CollectorState, CollectorStatus, OrgStatus, Readiness, ServiceStatus } from '../page/status.ts';
import type { RunState, RunStates } from '../pipeline/run-states.ts';
import type { Core } from './core.ts';
import type { Deployment } from './deployment.ts';
import { jobName } from './job.ts';
import type { DeployedOrg } from './org.ts';

/** After this time the exporter is ready regardless of the platform, in milliseconds. */
const READY_AFTER_MS = 60_000;

/** The parts of the status besides the collectors. */
interface StatusFrame extends Omit<ServiceStatus, 'now' | 'orgs' | 'links'> {
  readonly telemetryPath: string;
}

/** The current state of the service, for the status page. */
export function statusOf(frame: StatusFrame, core: Core, deployment: Deployment): ServiceStatus {
  const { telemetryPath, ...rest } = frame;
  const now = core.clock.now();
  const { dashboardUrl, history } = deployment.config;
  const kept = history.retention || Number.POSITIVE_INFINITY;
  const historyDays = Math.min(daysBetween(history.start, dayOf(now)), kept);
  return {
    ...rest,
    now,
    orgs: [...deployment.orgs.values()].map((org) =>
      orgStatus(core, org, deployment.collectors, historyDays),
    ),
    links: [
      ...(dashboardUrl === undefined
        ? []
        : [{ href: dashboardUrl, label: 'Dashboards', description: 'trends in Grafana' }]),
      { href: `.${telemetryPath}`, label: 'Metrics', description: 'scraped by Prometheus' },
      { href: './status', label: 'Status', description: 'this page as JSON' },
      { href: './-/ready', label: 'Readiness', description: 'whether every collector has run' },
    ],
  };
}

function orgStatus(
  core: Core,
  { config: org, settings }: DeployedOrg,
  enabled: readonly Collector[],
  historyDays: number,
): OrgStatus {
  const { name, platform } = org;
  const collectors = filledOn(enabled, settings);
  const series = core.page.seriesOf(name);
  const paths = core.traffic.pathsOf(org);
  return {
    name,
    platform: { name: platform.name, ...(platform.name !== DEFAULT_PLATFORM && { title: platform.title }) },
    orgId: core.publisher.of(name).orgId,
    apiHost: new URL(org.baseUrl).host,
    requestsToday: core.traffic.requestsToday(name),
    collectors: collectors.map((collector) => ({
      ...collectorStatus(core, name, collector, series),
      // Of an expensive dataset only the newest days are fetched.
      historyDays: isDayCollector(collector) && collector.expensive === undefined ? historyDays : undefined,
      awaitedDays: isDayCollector(collector) ? awaitedDays(settings, collector.dataset.name) : undefined,
      path: isFetching(collector) ? paths.get(collector.dataset.name)?.path : undefined,
    })),
  };
}

/** The number of newest days that the platform does not have yet, if it takes longer than a day; undefined if it does not. */
function awaitedDays(settings: OrgSettings, dataset: string): number | undefined {
  const { readyWithin = READY_HOURS } = dayRulesOf(settings, dataset);
  return readyWithin > READY_HOURS ? Math.floor(readyWithin / 24) : undefined;
}

/** The state of one collector of one organization with this number of series by family. */
function collectorStatus(
  { runs, publisher, scheduler }: Core,
  org: string,
  collector: Collector,
  series: ReadonlyMap<string, number>,
): CollectorStatus {
  const { name, description } = collector;
  const shown = publisher.of(org).collectors.get(name);
  const run = runOf(runs, org, collector, shown?.day !== undefined);
  const { failure } = run;
  return {
    name,
    description,
    state: stateOf(run),
    dataDay: shown?.day,
    lastRunAt: run.lastRunAt,
    lastSuccessAt: run.lastSuccessAt,
    lastDurationSeconds: run.lastDurationSeconds,
    nextRunAt: scheduler.nextRunOf(jobName(org, fetchingName(collector))),
    failure: failure && {
      reason: failure.error.reason,
      message: failure.error.message,
      hint: failure.error.hint,
      since: failure.since,
    },
    series: collector.families.reduce((sum, family) => sum + (series.get(family.name) ?? 0), 0),
    uncoveredDays: isDayCollector(collector) ? shown?.uncovered : undefined,
    unknownFields: isFetching(collector) ? someOf([...run.unknownFields.keys()].sort()) : undefined,
    missingFields: isFetching(collector) ? someOf(run.missingFields) : undefined,
    published: shown?.expired !== true,
  };
}

function someOf(names: readonly string[]): readonly string[] | undefined {
  return names.length === 0 ? undefined : names;
}

/**
 * The runs of a collector; a derived one uses those of its source, but not their failures. Without data it waits for
 * its source.
 */
function runOf(runs: RunStates, org: string, collector: Collector, hasData: boolean): RunState {
  const run = runs.get(org, fetchingName(collector));
  if (isFetching(collector)) return run;
  const isServed = hasData || run.lastSuccessAt !== undefined;
  return { ...run, failure: undefined, lastRunAt: isServed ? run.lastRunAt : undefined };
}

function fetchingName(collector: Collector): string {
  return isFetching(collector) ? collector.name : collector.derivesFrom;
}

/** Whether every collector has requested its newest data once, or the time limit has passed. */
export function readiness(
  runs: RunStates,
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
 * Whether the last run of each of these collectors succeeded. Until the first run of this process has ended, the last
 * one of an earlier process counts: a restart is not a failure.
 */
export function probeSuccess(
  runs: RunStates,
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
