import { collectDefaultMetrics, type Gauge, Registry } from 'prom-client';
import type { DatasetName } from '../catalog/dataset.ts';
import type { DayLags, LagKind } from '../catalog/day-lag.ts';
import { type FailureReason, failureReasons } from '../text/errors.ts';
import type { Clock } from '../work/clock.ts';
import { OrgFigures } from './org-figures.ts';
import { makeGauge, makeStoredHistogram, type StoredSeries } from './own-metric.ts';
import { ownMetrics } from './own-metrics.ts';
import type { Format } from './text.ts';

/** An organization's collector. */
interface CollectorLabels {
  readonly org: string;
  readonly collector: string;
}

/** A count of events about an organization's dataset. */
interface DatasetCount {
  readonly org: string;
  readonly dataset: DatasetName;
  readonly count: number;
}

interface Attempt {
  readonly org: string;
  readonly endpoint: string;
  /** The HTTP status, or `timeout` or `network`. */
  readonly code: string;
  readonly seconds: number;
}

interface CollectorRun extends CollectorLabels {
  /** The end of the run, in milliseconds. */
  readonly at: number;
  readonly seconds: number;
  /** The reason of a failed run; absent if it succeeded. */
  readonly failure?: FailureReason | undefined;
}

interface GoneCollector extends CollectorLabels {
  /** The collector's dataset; absent if another collector shares it. */
  readonly dataset?: DatasetName | undefined;
  readonly metrics: ReadonlySet<string>;
}

/** The store as its metrics show it, read with each scrape. */
export interface ShownStore {
  /** None for a store in memory. */
  readonly databases: readonly { isUp(): boolean }[];
  /** Whether the databases are files of this process; false by default. */
  readonly areFiles?: boolean;
  /** What has the store's identifier once it is known. */
  readonly named: { readonly storeId: string | undefined };
}

interface InstrumentsParts {
  readonly version: string;
  readonly revision: string;
  readonly clock: Clock;
  /** Has the published series by collector. */
  readonly page?: { series(): ReadonlyMap<string, number> } | undefined;
  readonly store?: ShownStore | undefined;
  /** For a shared database: whether this process polls, and how many organizations no process polls. Undefined otherwise. */
  readonly leader?: { isLeader(): boolean; notPolled(): number } | undefined;
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

/** The exporter's own metrics, with a method per event. Process metrics are in a registry, those of organizations plain numbers. */
export class Instruments {
  /** Contains the metrics of this process as a whole; other parts may add theirs. */
  readonly registry = new Registry();
  readonly #clock: Clock;
  readonly #excluded: Gauge<'family'>;
  readonly #reloadSuccessful: Gauge;
  readonly #reloadSuccess: Gauge;
  readonly #configOrg: Gauge<'org'>;
  readonly #figures = createFiguresOfOrgs();
  readonly #all = Object.values(this.#figures);
  readonly #runs: readonly OrgFigures[];
  /** Kept by organization, and shown as their sum: hundreds of histograms would cost more than they tell. */
  readonly #lags = new Map<string, Map<DatasetName, DayLags>>();

  constructor(parts: InstrumentsParts) {
    const { registry } = this;
    const { clock, page, processMetrics = true } = parts;
    this.#clock = clock;
    addProcess(registry, parts);
    if (page) makeGauge(registry, ownMetrics.series, (gauge) => showSeries(gauge, page.series()));
    this.#excluded = makeGauge(registry, ownMetrics.familiesExcluded);
    this.#reloadSuccessful = makeGauge(registry, ownMetrics.configReloadSuccessful);
    this.#reloadSuccess = makeGauge(registry, ownMetrics.configReloadSuccess);
    this.#configOrg = makeGauge(registry, ownMetrics.configOrg);
    this.#reloadSuccessful.set(1);
    this.#reloadSuccess.set(clock.now() / 1000);
    if (processMetrics) addProcessMetrics(registry);
    const { success, lastSuccess, lastRun, duration, failing, unknown, missing } = this.#figures;
    this.#runs = [success, lastSuccess, lastRun, duration, failing, unknown, missing];
    makeStoredHistogram(registry, ownMetrics.dayPublishedLag, () => sumsOf(this.#lags.values(), 'published'));
    makeStoredHistogram(registry, ownMetrics.daySettledLag, () => sumsOf(this.#lags.values(), 'settled'));
  }

  /** The metrics of each organization as text, in pieces. */
  *textsOfOrgs(format: Format): Generator<Buffer> {
    for (const one of this.#all) yield* one.texts(format);
  }

  /** Initializes the counters of an organization to 0, so that their first increase is visible. */
  initCounters(
    org: string,
    known: { endpoints: readonly DatasetName[]; dayDatasets: readonly DatasetName[] },
  ): void {
    for (const endpoint of known.endpoints) {
      for (const code of FORESEEN_CODES) this.#figures.requests.add({ org, endpoint, code }, 0);
      this.#figures.retries.add({ org, endpoint }, 0);
      this.#figures.rejected.add({ org, dataset: endpoint }, 0);
    }
    for (const dataset of known.dayDatasets) this.#figures.revisions.add({ org, dataset }, 0);
  }

  /** Removes every series of an organization that is no longer configured. */
  forgetOrg(org: string): void {
    for (const one of this.#all) one.remove(org);
    this.#lags.delete(org);
  }

  /** Removes the series of an organization's disabled collector; those of a shared dataset stay. */
  forgetCollector({ org, collector, dataset, metrics }: GoneCollector): void {
    if (dataset !== undefined) this.#lags.get(org)?.delete(dataset);
    for (const one of this.#all) {
      one.remove(
        org,
        (labels) =>
          labels['collector'] === collector ||
          (dataset !== undefined && (labels['dataset'] === dataset || labels['endpoint'] === dataset)) ||
          metrics.has(labels['metric'] ?? ''),
      );
    }
  }

  /** Records a reload of the configuration. */
  configReload(successful: boolean): void {
    this.#reloadSuccessful.set(successful ? 1 : 0);
    if (successful) this.#reloadSuccess.set(this.#clock.now() / 1000);
  }

  /** Records the organizations of a configuration that is applied now. */
  configOrgs(orgs: Iterable<string>): void {
    this.#configOrg.reset();
    for (const org of orgs) this.#configOrg.set({ org }, this.#clock.now() / 1000);
  }

  /** Records an attempt of a request. */
  apiRequest({ org, endpoint, code, seconds }: Attempt): void {
    this.#figures.requests.add({ org, endpoint, code }, 1);
    this.#figures.requestDuration.observe({ org, endpoint }, seconds);
  }

  /** Records a retry of a request. */
  retry({ org, endpoint }: Pick<Attempt, 'org' | 'endpoint'>): void {
    this.#figures.retries.add({ org, endpoint }, 1);
  }

  /** Records a run. */
  collectorRun({ org, collector, at, seconds, failure }: CollectorRun): void {
    const labels = { org, collector };
    this.#figures.success.set(labels, failure === undefined ? 1 : 0);
    this.#figures.duration.set(labels, seconds);
    for (const reason of failureReasons) {
      this.#figures.failing.set({ ...labels, reason }, reason === failure ? 1 : 0);
    }
    if (failure === undefined) this.#figures.lastSuccess.set(labels, at / 1000);
    this.#figures.lastRun.set(labels, at / 1000);
  }

  /** Removes the figures about an organization's runs; its counters stay. */
  forgetRuns(org: string): void {
    for (const one of this.#runs) one.remove(org);
    this.#lags.delete(org);
  }

  /** Restores the last success of an earlier process. */
  restoreLastSuccess({ org, collector, at }: Pick<CollectorRun, 'org' | 'collector' | 'at'>): void {
    this.#figures.lastSuccess.set({ org, collector }, at / 1000);
  }

  /** Counts rejected rows, documents or fields. */
  recordsRejected({ org, dataset, count }: DatasetCount): void {
    this.#figures.rejected.add({ org, dataset }, count);
  }

  /** Sets the number of a dataset's fields that the exporter cannot read, and of fields that rows no longer have. */
  fields({ org, dataset }: Omit<DatasetCount, 'count'>, unknown: number, missing: number): void {
    this.#figures.unknown.set({ org, dataset }, unknown);
    this.#figures.missing.set({ org, dataset }, missing);
  }

  /** Counts revised days. */
  dayRevisions({ org, dataset, count }: DatasetCount): void {
    this.#figures.revisions.add({ org, dataset }, count);
  }

  /** Sets all lags of a dataset's days. */
  dayLags(org: string, dataset: DatasetName, counted: DayLags): void {
    this.#lags.set(org, (this.#lags.get(org) ?? new Map<DatasetName, DayLags>()).set(dataset, counted));
  }

  /** Sets the number of folded label values of a metric. */
  valuesFolded({ org, metric, count }: { org: string; metric: string; count: number }): void {
    this.#figures.folded.set({ org, metric }, count);
  }

  /** Sets the number of dropped families of a collector. */
  familiesDropped({ org, collector, count }: CollectorLabels & { readonly count: number }): void {
    this.#figures.dropped.set({ org, collector }, count);
  }

  /** Sets the families that the configuration leaves out. */
  familiesExcluded(families: Iterable<string>): void {
    this.#excluded.reset();
    for (const family of families) this.#excluded.set({ family }, 1);
  }

  /** Removes an organization's series about these families. */
  forgetFamilies(org: string, families: ReadonlySet<string>): void {
    this.#figures.folded.remove(org, ({ metric = '' }) => families.has(metric));
  }
}

/** The metrics about the build, the store, and the role of this process among those that share the store. */
function addProcess(registry: Registry, parts: InstrumentsParts): void {
  const { version, revision, store, leader } = parts;
  const buildInfo = makeGauge(registry, ownMetrics.buildInfo);
  buildInfo.set({ version, revision, node_version: process.version }, 1);
  if (store) {
    const showUp = (gauge: Gauge) => gauge.set(isStoreUp(store) === true ? 1 : 0);
    if (store.areFiles === true) makeGauge(registry, ownMetrics.historyPersistent, showUp);
    if (store.databases.length > 0) makeGauge(registry, ownMetrics.storeUp, showUp);
    makeGauge(registry, ownMetrics.storeInfo, (gauge) => showStore(gauge, store.named.storeId));
  }
  if (leader) {
    makeGauge(registry, ownMetrics.leader, (gauge) => gauge.set(leader.isLeader() ? 1 : 0));
    makeGauge(registry, ownMetrics.orgsNotPolled, (gauge) => gauge.set(leader.notPolled()));
  }
}

/** Whether all databases of a store can be used; undefined if it is in memory. */
export function isStoreUp({ databases }: ShownStore): boolean | undefined {
  return databases.length === 0 ? undefined : databases.every((database) => database.isUp());
}

/** The lags of one kind over all organizations, by dataset. */
function sumsOf(
  orgs: Iterable<ReadonlyMap<DatasetName, DayLags>>,
  kind: LagKind,
): readonly StoredSeries<'dataset'>[] {
  const all = [...orgs].flatMap((ofOrg) => [...ofOrg]);
  return [...Map.groupBy(all, ([dataset]) => dataset)].map(([dataset, ofDataset]) => ({
    labels: { dataset },
    bucketsOf(bound) {
      const bucket = `${kind} ${bound}` as const;
      return ofDataset.map(([, counted]) => counted[bucket] ?? [0, 0]);
    },
  }));
}

/** In the order of the page. */
function createFiguresOfOrgs() {
  return {
    success: new OrgFigures(ownMetrics.collectorSuccess),
    lastSuccess: new OrgFigures(ownMetrics.collectorLastSuccess),
    lastRun: new OrgFigures(ownMetrics.collectorLastRun),
    duration: new OrgFigures(ownMetrics.collectorDuration),
    failing: new OrgFigures(ownMetrics.collectorFailing),
    requests: new OrgFigures(ownMetrics.apiRequests),
    requestDuration: new OrgFigures(ownMetrics.apiRequestDuration),
    retries: new OrgFigures(ownMetrics.apiRetries),
    rejected: new OrgFigures(ownMetrics.recordsRejected),
    unknown: new OrgFigures(ownMetrics.unknownFields),
    missing: new OrgFigures(ownMetrics.missingFields),
    folded: new OrgFigures(ownMetrics.valuesFolded),
    revisions: new OrgFigures(ownMetrics.dayRevisions),
    dropped: new OrgFigures(ownMetrics.familiesDropped),
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
