import { collectDefaultMetrics, type Gauge, Registry } from 'prom-client';
import type { DatasetName } from '../catalog/dataset.ts';
import type { Clock } from '../runtime/clock.ts';
import { type FailureReason, failureReasons } from '../runtime/errors.ts';
import { createOrgFigures } from './org-figures.ts';
import { makeGauge } from './own-metric.ts';
import { ownMetrics } from './own-metrics.ts';
import type { Format } from './text.ts';

/** A collector of an organization. */
interface CollectorLabels {
  readonly org: string;
  readonly collector: string;
}

/** An endpoint of an organization's platform. */
interface EndpointLabels {
  readonly org: string;
  readonly endpoint: string;
}

/** A dataset of an organization. */
interface DatasetLabels {
  readonly org: string;
  readonly dataset: DatasetName;
}

/** The exporter's own metrics, and the events that update them. */
export interface Instruments {
  /** Contains the metrics of this process as a whole; other parts may add theirs. */
  readonly registry: Registry;
  /** The metrics of each organization as text, line by line. */
  linesOfOrgs(format: Format): Generator<string>;
  /** Initializes the counters of an organization to 0, so that their first increase is visible. */
  initCounters(
    org: string,
    known: {
      endpoints: readonly DatasetName[];
      dayDatasets: readonly DatasetName[];
    },
  ): void;
  /** Removes every series of an organization that is no longer configured. */
  forgetOrg(org: string): void;
  /** Removes the series of an organization's disabled collector; those of a shared dataset stay. */
  forgetCollector(
    labels: CollectorLabels & {
      readonly dataset?: DatasetName | undefined;
      readonly metrics: ReadonlySet<string>;
    },
  ): void;
  /** Records a reload of the configuration. */
  configReload(successful: boolean): void;
  /** Records an attempt of a request that took `seconds`; `code` is the HTTP status, or `timeout` or `network`. */
  apiRequest(attempt: EndpointLabels & { readonly code: string; readonly seconds: number }): void;
  /** Records a retry of a request. */
  retry(labels: EndpointLabels): void;
  /** Records a run that ended `at` an instant in milliseconds and took `seconds`; without a `failure` it succeeded. */
  collectorRun(
    run: CollectorLabels & {
      readonly at: number;
      readonly seconds: number;
      readonly failure?: FailureReason | undefined;
    },
  ): void;
  /** Restores the last success of an earlier process, at `at` (milliseconds since the epoch). */
  restoreLastSuccess(run: CollectorLabels & { readonly at: number }): void;
  /** Removes the figures about an organization's runs; its counters stay. */
  forgetRuns(org: string): void;
  /** Counts rejected rows, documents or fields. */
  recordsRejected(rejected: DatasetLabels & { readonly count: number }): void;
  /** Counts revised days. */
  dayRevisions(revised: DatasetLabels & { readonly count: number }): void;
  /** Sets the number of folded label values of a metric. */
  valuesFolded(folded: { readonly org: string; readonly metric: string; readonly count: number }): void;
  /** Sets the families that the configuration leaves out. */
  familiesExcluded(families: Iterable<string>): void;
  /** Removes an organization's series about these families. */
  forgetFamilies(org: string, families: ReadonlySet<string>): void;
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
  /** The store of the history; memory has no `isUp`. */
  readonly store?: { readonly isUp: (() => boolean) | undefined; id(): string | undefined } | undefined;
  /** Whether this process polls for those that share its database; undefined without one. */
  readonly leader?: (() => boolean) | undefined;
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

/** Creates the metrics about the exporter: those of the process in a registry, those of organizations as plain figures. */
export function createInstruments(deps: InstrumentsDeps): Instruments {
  const { version, revision, clock, series, historyPersistent, store, leader, processMetrics = true } = deps;
  const registry = new Registry();
  const buildInfo = makeGauge(registry, ownMetrics.buildInfo);
  buildInfo.set({ version, revision, node_version: process.version }, 1);
  if (historyPersistent) {
    makeGauge(registry, ownMetrics.historyPersistent, (gauge) => gauge.set(historyPersistent() ? 1 : 0));
  }
  if (store) {
    const { isUp } = store;
    if (isUp !== undefined) makeGauge(registry, ownMetrics.storeUp, (gauge) => gauge.set(isUp() ? 1 : 0));
    makeGauge(registry, ownMetrics.storeInfo, (gauge) => showStore(gauge, store.id()));
  }
  if (leader) makeGauge(registry, ownMetrics.leader, (gauge) => gauge.set(leader() ? 1 : 0));
  if (series) makeGauge(registry, ownMetrics.series, (gauge) => showSeries(gauge, series()));
  const excluded = makeGauge(registry, ownMetrics.familiesExcluded);
  const reloadSuccessful = makeGauge(registry, ownMetrics.configReloadSuccessful);
  const reloadSuccess = makeGauge(registry, ownMetrics.configReloadSuccess);
  reloadSuccessful.set(1);
  reloadSuccess.set(clock.now() / 1000);
  if (processMetrics) addProcessMetrics(registry);

  const figures = createFiguresOfOrgs();
  const all = Object.values(figures);
  const runs = [figures.success, figures.lastSuccess, figures.lastRun, figures.duration, figures.failing];

  return {
    registry,
    *linesOfOrgs(format) {
      for (const one of all) yield* one.lines(format);
    },
    initCounters(org, { endpoints, dayDatasets }) {
      for (const endpoint of endpoints) {
        for (const code of FORESEEN_CODES) figures.requests.add({ org, endpoint, code }, 0);
        figures.retries.add({ org, endpoint }, 0);
        figures.rejected.add({ org, dataset: endpoint }, 0);
      }
      for (const dataset of dayDatasets) figures.revisions.add({ org, dataset }, 0);
    },
    forgetOrg(org) {
      for (const one of all) one.remove(org);
    },
    forgetCollector({ org, collector, dataset, metrics }) {
      for (const one of all) {
        one.remove(
          org,
          (labels) =>
            labels['collector'] === collector ||
            (dataset !== undefined && (labels['dataset'] === dataset || labels['endpoint'] === dataset)) ||
            metrics.has(labels['metric'] ?? ''),
        );
      }
    },
    configReload(successful) {
      reloadSuccessful.set(successful ? 1 : 0);
      if (successful) reloadSuccess.set(clock.now() / 1000);
    },
    apiRequest({ org, endpoint, code, seconds }) {
      figures.requests.add({ org, endpoint, code }, 1);
      figures.requestDuration.observe({ org, endpoint }, seconds);
    },
    retry: ({ org, endpoint }) => figures.retries.add({ org, endpoint }, 1),
    collectorRun({ org, collector, at, seconds, failure }) {
      const labels = { org, collector };
      figures.success.set(labels, failure === undefined ? 1 : 0);
      figures.duration.set(labels, seconds);
      for (const reason of failureReasons) {
        figures.failing.set({ ...labels, reason }, reason === failure ? 1 : 0);
      }
      if (failure === undefined) figures.lastSuccess.set(labels, at / 1000);
      figures.lastRun.set(labels, at / 1000);
    },
    forgetRuns(org) {
      for (const one of runs) one.remove(org);
    },
    restoreLastSuccess: ({ org, collector, at }) => figures.lastSuccess.set({ org, collector }, at / 1000),
    recordsRejected: ({ org, dataset, count }) => figures.rejected.add({ org, dataset }, count),
    dayRevisions: ({ org, dataset, count }) => figures.revisions.add({ org, dataset }, count),
    valuesFolded: ({ org, metric, count }) => figures.folded.set({ org, metric }, count),
    familiesDropped: ({ org, collector, count }) => figures.dropped.set({ org, collector }, count),
    familiesExcluded(families) {
      excluded.reset();
      for (const family of families) excluded.set({ family }, 1);
    },
    forgetFamilies(org, families) {
      figures.folded.remove(org, ({ metric = '' }) => families.has(metric));
    },
  };
}

/** In the order of the page. */
function createFiguresOfOrgs() {
  return {
    success: createOrgFigures(ownMetrics.collectorSuccess),
    lastSuccess: createOrgFigures(ownMetrics.collectorLastSuccess),
    lastRun: createOrgFigures(ownMetrics.collectorLastRun),
    duration: createOrgFigures(ownMetrics.collectorDuration),
    failing: createOrgFigures(ownMetrics.collectorFailing),
    requests: createOrgFigures(ownMetrics.apiRequests),
    requestDuration: createOrgFigures(ownMetrics.apiRequestDuration),
    retries: createOrgFigures(ownMetrics.apiRetries),
    rejected: createOrgFigures(ownMetrics.recordsRejected),
    folded: createOrgFigures(ownMetrics.valuesFolded),
    revisions: createOrgFigures(ownMetrics.dayRevisions),
    dropped: createOrgFigures(ownMetrics.familiesDropped),
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
