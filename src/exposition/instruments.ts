import { type Counter, collectDefaultMetrics, type Gauge, Registry } from 'prom-client';
import type { DatasetName } from '../catalog/dataset.ts';
import type { Clock } from '../runtime/clock.ts';
import { type FailureReason, failureReasons } from '../runtime/errors.ts';
import { makeCounter, makeGauge, makeHistogram } from './own-metric.ts';
import { ownMetrics } from './own-metrics.ts';

/** A collector of an organization. */
export interface CollectorLabels {
  readonly org: string;
  readonly collector: string;
}

/** An endpoint of an organization's platform. */
export interface EndpointLabels {
  readonly org: string;
  readonly endpoint: string;
}

/** A dataset of an organization. */
export interface DatasetLabels {
  readonly org: string;
  readonly dataset: DatasetName;
}

/** The exporter's own metrics, and the events that update them. */
export interface Instruments {
  /** Contains only this process's own metrics; other parts may add theirs. */
  readonly registry: Registry;
  /** Initializes the counters of an organization to 0, so that their first increase is visible. */
  initCounters(
    org: string,
    known: { endpoints: readonly DatasetName[]; dayDatasets: readonly DatasetName[] },
  ): void;
  /** Removes every series of an organization that is no longer configured. */
  forgetOrg(org: string): Promise<void>;
  /** Removes the series of an organization's disabled collector; those of a shared dataset stay. */
  forgetCollector(
    labels: CollectorLabels & {
      readonly dataset?: DatasetName | undefined;
      readonly metrics: ReadonlySet<string>;
    },
  ): Promise<void>;
  /** Records a reload of the configuration. */
  configReload(successful: boolean): void;
  /** Records an attempt of a request that took `seconds`; `code` is the HTTP status, or `timeout` or `network`. */
  apiRequest(attempt: EndpointLabels & { readonly code: string; readonly seconds: number }): void;
  /** Records a retry of a request. */
  retry(labels: EndpointLabels): void;
  /** Records the end of a run that took `seconds`; without a `failure` it succeeded. */
  collectorRun(
    run: CollectorLabels & { readonly seconds: number; readonly failure?: FailureReason | undefined },
  ): void;
  /** Restores the last success of an earlier process, at `at` (milliseconds since the epoch). */
  restoreLastSuccess(run: CollectorLabels & { readonly at: number }): void;
  /** Shows the last run that any process has made of a collector; instants in milliseconds. */
  showRun(
    run: CollectorLabels & {
      readonly lastRunAt: number;
      readonly lastSuccessAt: number | undefined;
      readonly seconds: number;
      readonly failure?: FailureReason | undefined;
    },
  ): void;
  /** Shows what all processes have counted of a dataset; totals never go down. */
  showTotals(totals: DatasetLabels & { readonly revisions: number; readonly rejected: number }): void;
  /** Counts rejected rows, documents or fields. */
  recordsRejected(rejected: DatasetLabels & { readonly count: number }): void;
  /** Counts revised days. */
  dayRevisions(revised: DatasetLabels & { readonly count: number }): void;
  /** Sets the number of folded label values of a metric. */
  valuesFolded(folded: { readonly org: string; readonly metric: string; readonly count: number }): void;
  /** Sets the families that the configuration leaves out. */
  familiesExcluded(families: Iterable<string>): void;
  /** Removes an organization's series about these families. */
  forgetFamilies(org: string, families: ReadonlySet<string>): Promise<void>;
  /** Sets the number of dropped families of a collector. */
  familiesDropped(dropped: CollectorLabels & { readonly count: number }): void;
}

export interface InstrumentsDeps {
  readonly version: string;
  readonly revision: string;
  readonly clock: Clock;
  /** The published series by collector. */
  readonly series?: (() => ReadonlyMap<string, number>) | undefined;
  /** Whether the whole history is in its file; undefined for a history in memory. */
  readonly historyPersistent?: (() => boolean) | undefined;
  /** The store of the history; undefined for a history in memory. */
  readonly store?: { isUp(): boolean; id(): string | undefined } | undefined;
  /** Whether to include prom-client's metrics of the Node.js process; true by default. */
  readonly processMetrics?: boolean | undefined;
}

const FORESEEN_CODES: readonly string[] = ['200', '401', '403', '429', '500', '503', 'timeout', 'network'];
// prom-client names these gauges like counters; the unsuffixed metrics with a type label have the same values.
const MISNAMED = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
];

/** Creates the process's own metrics in their own registry. */
export function createInstruments(deps: InstrumentsDeps): Instruments {
  const { version, revision, clock, series, historyPersistent, store, processMetrics = true } = deps;
  const registry = new Registry();
  const buildInfo = makeGauge(registry, ownMetrics.buildInfo);
  buildInfo.set({ version, revision, node_version: process.version }, 1);
  const success = makeGauge(registry, ownMetrics.collectorSuccess);
  const lastSuccess = makeGauge(registry, ownMetrics.collectorLastSuccess);
  const lastRun = makeGauge(registry, ownMetrics.collectorLastRun);
  const duration = makeGauge(registry, ownMetrics.collectorDuration);
  const failing = makeGauge(registry, ownMetrics.collectorFailing);
  const requests = makeCounter(registry, ownMetrics.apiRequests);
  const requestDuration = makeHistogram(registry, ownMetrics.apiRequestDuration);
  const retries = makeCounter(registry, ownMetrics.apiRetries);
  const rejected = makeCounter(registry, ownMetrics.recordsRejected);
  const folded = makeGauge(registry, ownMetrics.valuesFolded);
  const revisions = makeCounter(registry, ownMetrics.dayRevisions);
  if (historyPersistent) {
    makeGauge(registry, ownMetrics.historyPersistent, (gauge) => gauge.set(historyPersistent() ? 1 : 0));
  }
  if (store) {
    makeGauge(registry, ownMetrics.storeUp, (gauge) => gauge.set(store.isUp() ? 1 : 0));
    makeGauge(registry, ownMetrics.storeInfo, (gauge) => showStore(gauge, store.id()));
  }
  if (series) makeGauge(registry, ownMetrics.series, (gauge) => showSeries(gauge, series()));
  const dropped = makeGauge(registry, ownMetrics.familiesDropped);
  const excluded = makeGauge(registry, ownMetrics.familiesExcluded);
  const shown = new Map<string, { readonly revisions: number; readonly rejected: number }>();
  const reloadSuccessful = makeGauge(registry, ownMetrics.configReloadSuccessful);
  const reloadSuccess = makeGauge(registry, ownMetrics.configReloadSuccess);
  reloadSuccessful.set(1);
  reloadSuccess.set(clock.now() / 1000);
  const ofOrgs = [
    ...[success, lastSuccess, lastRun, duration, failing, folded, dropped],
    ...[requests, requestDuration, retries, rejected, revisions],
  ];
  if (processMetrics) addProcessMetrics(registry);

  return {
    registry,
    initCounters(org, { endpoints, dayDatasets }) {
      for (const endpoint of endpoints) {
        for (const code of FORESEEN_CODES) requests.inc({ org, endpoint, code }, 0);
        retries.inc({ org, endpoint }, 0);
        rejected.inc({ org, dataset: endpoint }, 0);
      }
      for (const dataset of dayDatasets) revisions.inc({ org, dataset }, 0);
    },
    async forgetOrg(org) {
      for (const key of [...shown.keys()]) if (JSON.parse(key)[0] === org) shown.delete(key);
      for (const metric of ofOrgs) await removeOrg(metric, org);
    },
    async forgetCollector({ org, collector, dataset, metrics }) {
      const isGone = (labels: Labels) =>
        labels['collector'] === collector ||
        (dataset !== undefined && (labels['dataset'] === dataset || labels['endpoint'] === dataset)) ||
        metrics.has(String(labels['metric']));
      for (const metric of ofOrgs) await removeOrg(metric, org, isGone);
    },
    configReload(successful) {
      reloadSuccessful.set(successful ? 1 : 0);
      if (successful) reloadSuccess.set(clock.now() / 1000);
    },
    apiRequest({ org, endpoint, code, seconds }) {
      requests.inc({ org, endpoint, code });
      requestDuration.observe({ org, endpoint }, seconds);
    },
    retry: ({ org, endpoint }) => retries.inc({ org, endpoint }),
    collectorRun({ org, collector, seconds, failure }) {
      const now = clock.now() / 1000;
      const labels = { org, collector };
      success.set(labels, failure === undefined ? 1 : 0);
      if (failure === undefined) lastSuccess.set(labels, now);
      lastRun.set(labels, now);
      duration.set(labels, seconds);
      for (const reason of failureReasons) failing.set({ ...labels, reason }, reason === failure ? 1 : 0);
    },
    restoreLastSuccess: ({ org, collector, at }) => lastSuccess.set({ org, collector }, at / 1000),
    showRun({ org, collector, lastRunAt, lastSuccessAt, seconds, failure }) {
      const labels = { org, collector };
      success.set(labels, failure === undefined ? 1 : 0);
      if (lastSuccessAt !== undefined) lastSuccess.set(labels, lastSuccessAt / 1000);
      lastRun.set(labels, lastRunAt / 1000 + seconds);
      duration.set(labels, seconds);
      for (const reason of failureReasons) failing.set({ ...labels, reason }, reason === failure ? 1 : 0);
    },
    showTotals({ org, dataset, revisions: revised, rejected: refused }) {
      const key = JSON.stringify([org, dataset]);
      const before = shown.get(key) ?? { revisions: 0, rejected: 0 };
      revisions.inc({ org, dataset }, Math.max(0, revised - before.revisions));
      rejected.inc({ org, dataset }, Math.max(0, refused - before.rejected));
      shown.set(key, { revisions: revised, rejected: refused });
    },
    recordsRejected: ({ org, dataset, count }) => rejected.inc({ org, dataset }, count),
    dayRevisions: ({ org, dataset, count }) => revisions.inc({ org, dataset }, count),
    valuesFolded: ({ org, metric, count }) => folded.set({ org, metric }, count),
    familiesExcluded(families) {
      excluded.reset();
      for (const family of families) excluded.set({ family }, 1);
    },
    forgetFamilies: (org, families) => removeOrg(folded, org, ({ metric }) => families.has(String(metric))),
    familiesDropped: ({ org, collector, count }) => dropped.set({ org, collector }, count),
  };
}

function addProcessMetrics(registry: Registry): void {
  collectDefaultMetrics({ register: registry });
  for (const name of MISNAMED) registry.removeSingleMetric(name);
}

function showStore(gauge: Gauge<'store'>, store: string | undefined): void {
  gauge.reset();
  if (store !== undefined) gauge.set({ store }, 1);
}

function showSeries(gauge: Gauge<'collector'>, series: ReadonlyMap<string, number>): void {
  gauge.reset();
  for (const [collector, count] of series) gauge.set({ collector }, count);
}

type Labels = Readonly<Record<string, string | number | undefined>>;

/** Removes an organization's series, or only those for which `isGone` is true. */
async function removeOrg(
  metric: Pick<Counter<string>, 'get' | 'remove'>,
  org: string,
  isGone: (labels: Labels) => boolean = () => true,
): Promise<void> {
  const { values } = await metric.get();
  for (const { labels } of values) {
    const { le: _bucket, org: owner, ...others } = labels;
    if (owner === org && isGone(labels)) metric.remove({ org: owner, ...others });
  }
}
