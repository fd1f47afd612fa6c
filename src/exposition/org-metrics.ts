import { type Counter, Registry } from 'prom-client';
import type { DatasetName } from '../catalog/dataset.ts';
import type { Clock } from '../runtime/clock.ts';
import { type FailureReason, failureReasons } from '../runtime/errors.ts';
import { createSlices } from '../runtime/slices.ts';
import type { PublishedFamily } from './org-segments.ts';
import { makeCounter, makeGauge, makeHistogram, type OwnMetric } from './own-metric.ts';
import { ownMetrics } from './own-metrics.ts';
import { readRegistry, renderLines } from './process-metrics.ts';
import { ownBuffer, type Segment } from './segment.ts';

/** A disabled collector whose series are removed. */
interface GoneCollector {
  readonly collector: string;
  readonly dataset?: DatasetName | undefined;
  readonly metrics: ReadonlySet<string>;
}

/** The exporter's own metrics of one organization, and the events that update them. */
interface MetricsOfOrg {
  initCounters(known: { endpoints: readonly DatasetName[]; dayDatasets: readonly DatasetName[] }): void;
  forgetCollector(gone: GoneCollector): Promise<void>;
  apiRequest(attempt: { readonly endpoint: string; readonly code: string; readonly seconds: number }): void;
  retry(endpoint: string): void;
  /** Sets the last run of a collector, which ended `at` an instant in milliseconds. */
  collectorRun(run: {
    readonly collector: string;
    readonly at: number;
    readonly seconds: number;
    readonly failure?: FailureReason | undefined;
  }): void;
  restoreLastSuccess(collector: string, at: number): void;
  /** Removes the figures about runs. */
  forgetRuns(): Promise<void>;
  recordsRejected(dataset: DatasetName, count: number): void;
  dayRevisions(dataset: DatasetName, count: number): void;
  valuesFolded(metric: string, count: number): void;
  familiesDropped(collector: string, count: number): void;
  /** Removes the series about these families. */
  forgetFamilies(families: ReadonlySet<string>): Promise<void>;
}

/**
 * The exporter's own metrics by organization: a registry each, so that an event of one organization costs the rendering
 * of its own series, however many organizations there are.
 */
export interface OrgMetrics {
  readonly families: readonly PublishedFamily[];
  /** An organization's metrics, which are created when they are first needed. */
  of(org: string): MetricsOfOrg;
  /** Removes every series of an organization that is no longer configured. */
  forget(org: string): void;
  /** Calls the listener, the only one, whenever something has changed. */
  onChange(listener: () => void): void;
  /** The organizations whose metrics have changed since the last call. */
  takeChanged(): readonly string[];
  /** Renders an organization's metrics; undefined if it has none any more. */
  render(org: string): Promise<readonly Segment[] | undefined>;
}

const FORESEEN_CODES: readonly string[] = ['200', '401', '403', '429', '500', '503', 'timeout', 'network'];

/** In the order of the page. */
const OF_ORGS: readonly OwnMetric[] = [
  ...[ownMetrics.collectorSuccess, ownMetrics.collectorLastSuccess, ownMetrics.collectorLastRun],
  ...[ownMetrics.collectorDuration, ownMetrics.collectorFailing, ownMetrics.apiRequests],
  ...[ownMetrics.apiRequestDuration, ownMetrics.apiRetries, ownMetrics.recordsRejected],
  ...[ownMetrics.valuesFolded, ownMetrics.dayRevisions, ownMetrics.familiesDropped],
];

/** Creates the metrics, without any organization. */
export function createOrgMetrics(clock: Clock): OrgMetrics {
  const orgs = new Map<string, { readonly registry: Registry; readonly metrics: MetricsOfOrg }>();
  const slices = createSlices(clock);
  const changed = new Set<string>();
  let listener: () => void = () => undefined;

  function change(org: string): void {
    changed.add(org);
    listener();
  }

  return {
    families: OF_ORGS,
    of(org) {
      const known = orgs.get(org);
      if (known !== undefined) return known.metrics;
      const registry = new Registry();
      const metrics = createMetricsOfOrg(registry, () => change(org));
      orgs.set(org, { registry, metrics });
      return metrics;
    },
    forget(org) {
      if (orgs.delete(org)) change(org);
    },
    onChange(next) {
      listener = next;
    },
    takeChanged() {
      const taken = [...changed];
      changed.clear();
      return taken;
    },
    async render(org) {
      const known = orgs.get(org);
      if (known === undefined) return undefined;
      const segments: Segment[] = [];
      for await (const metric of readRegistry(known.registry)) {
        await slices.next();
        const text = [...renderLines(metric, { org })].join('');
        if (text === '') continue;
        const series = metric.values.length;
        segments.push({ family: metric.name, org, series, overflow: false, body: ownBuffer(text) });
      }
      return segments;
    },
  };
}

function createMetricsOfOrg(registry: Registry, changed: () => void): MetricsOfOrg {
  const success = makeGauge(registry, withoutOrg(ownMetrics.collectorSuccess));
  const lastSuccess = makeGauge(registry, withoutOrg(ownMetrics.collectorLastSuccess));
  const lastRun = makeGauge(registry, withoutOrg(ownMetrics.collectorLastRun));
  const duration = makeGauge(registry, withoutOrg(ownMetrics.collectorDuration));
  const failing = makeGauge(registry, withoutOrg(ownMetrics.collectorFailing));
  const requests = makeCounter(registry, withoutOrg(ownMetrics.apiRequests));
  const requestDuration = makeHistogram(registry, withoutOrg(ownMetrics.apiRequestDuration));
  const retries = makeCounter(registry, withoutOrg(ownMetrics.apiRetries));
  const rejected = makeCounter(registry, withoutOrg(ownMetrics.recordsRejected));
  const folded = makeGauge(registry, withoutOrg(ownMetrics.valuesFolded));
  const revisions = makeCounter(registry, withoutOrg(ownMetrics.dayRevisions));
  const dropped = makeGauge(registry, withoutOrg(ownMetrics.familiesDropped));
  const all = [
    ...[success, lastSuccess, lastRun, duration, failing, folded, dropped],
    ...[requests, requestDuration, retries, rejected, revisions],
  ];
  return {
    initCounters: announced(({ endpoints, dayDatasets }) => {
      for (const endpoint of endpoints) {
        for (const code of FORESEEN_CODES) requests.inc({ endpoint, code }, 0);
        retries.inc({ endpoint }, 0);
        rejected.inc({ dataset: endpoint }, 0);
      }
      for (const dataset of dayDatasets) revisions.inc({ dataset }, 0);
    }),
    async forgetCollector({ collector, dataset, metrics: names }) {
      const isGone = (labels: Labels) =>
        labels['collector'] === collector ||
        (dataset !== undefined && (labels['dataset'] === dataset || labels['endpoint'] === dataset)) ||
        names.has(String(labels['metric']));
      for (const metric of all) await removeSeries(metric, isGone);
      changed();
    },
    apiRequest: announced(({ endpoint, code, seconds }) => {
      requests.inc({ endpoint, code });
      requestDuration.observe({ endpoint }, seconds);
    }),
    retry: announced((endpoint) => retries.inc({ endpoint })),
    collectorRun: announced(({ collector, at, seconds, failure }) => {
      success.set({ collector }, failure === undefined ? 1 : 0);
      duration.set({ collector }, seconds);
      for (const reason of failureReasons) failing.set({ collector, reason }, reason === failure ? 1 : 0);
      if (failure === undefined) lastSuccess.set({ collector }, at / 1000);
      lastRun.set({ collector }, at / 1000);
    }),
    async forgetRuns() {
      for (const metric of [success, lastSuccess, lastRun, duration, failing]) metric.reset();
      changed();
    },
    restoreLastSuccess: announced((collector, at) => lastSuccess.set({ collector }, at / 1000)),
    recordsRejected: announced((dataset, count) => rejected.inc({ dataset }, count)),
    dayRevisions: announced((dataset, count) => revisions.inc({ dataset }, count)),
    valuesFolded: announced((metric, count) => folded.set({ metric }, count)),
    async forgetFamilies(families) {
      await removeSeries(folded, ({ metric }) => families.has(String(metric)));
      changed();
    },
    familiesDropped: announced((collector, count) => dropped.set({ collector }, count)),
  };

  function announced<Args extends readonly unknown[]>(
    event: (...args: Args) => void,
  ): (...args: Args) => void {
    return (...args) => {
      event(...args);
      changed();
    };
  }
}

/** The declaration without the label that a registry of one organization does not need. */
function withoutOrg<Label extends string>(metric: OwnMetric<Label>): OwnMetric<Exclude<Label, 'org'>> {
  const labels = metric.labels.filter((label): label is Exclude<Label, 'org'> => label !== 'org');
  return { ...metric, labels };
}

type Labels = Readonly<Record<string, string | number | undefined>>;

async function removeSeries(
  metric: Pick<Counter<string>, 'get' | 'remove'>,
  isGone: (labels: Labels) => boolean,
): Promise<void> {
  const { values } = await metric.get();
  for (const { labels } of values) {
    const { le: _bucket, ...others } = labels;
    if (isGone(labels)) metric.remove(others);
  }
}
