import { type Collector, isDayCollector, isFetching } from './catalog/collector.ts';
import type { OrgSettings } from './catalog/view.ts';
import { aboutFamilies, collectors as allCollectors } from './collectors/index.ts';
import type { Config, OrgConfig } from './config/config.ts';
import { createFiles, type Files } from './config/files.ts';
import { createExposition, type Exposition } from './exposition/exposition.ts';
import { createInstruments } from './exposition/instruments.ts';
import { negotiate } from './exposition/negotiate.ts';
import { createPublication } from './exposition/publication.ts';
import { createSegmentRenderer } from './exposition/segment.ts';
import type { Retention } from './history/history.ts';
import { firstDayOf } from './pipeline/first-day.ts';
import { createPublisher } from './pipeline/publisher.ts';
import { createRunner } from './pipeline/runner.ts';
import { createRunBook } from './pipeline/runs.ts';
import type { PlatformClient } from './platform/client.ts';
import type { Clock } from './runtime/clock.ts';
import { createLogger } from './runtime/log-winston.ts';
import type { Logger } from './runtime/logger.ts';
import { createLoggedProgress, type Progress } from './runtime/progress.ts';
import { createRedactor } from './runtime/redact.ts';
import { createScheduler } from './scheduler/scheduler.ts';
import { createCronTicker, type Ticker } from './scheduler/ticker.ts';
import { createApp } from './server/app.ts';
import { createHttpServer, type HttpServer } from './server/http-server.ts';
import type { ServiceStatus } from './server/status.ts';
import { openHistory, restoreSuccesses } from './service-history.ts';
import { collectorStatus, readiness } from './service-status.ts';
import { openServiceWeb, type ServiceWeb } from './service-web.ts';

/** How often what only time changes is seen to, in milliseconds: ages, uncovered and old days, a full disk. */
const SWEEP_MS = 60_000;

export interface ServiceParts {
  readonly config: Config;
  readonly version: string;
  readonly revision: string;
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  /** Where the log goes. */
  readonly stderr: NodeJS.WritableStream;
  /** Whether the platform is the simulated one, which the status page then says. */
  readonly simulated: boolean;
  readonly ticker?: Ticker;
  /** Shows how the first sync goes; the log tells it where not given. */
  readonly progress?: Progress;
  /** The files of this machine where not given. */
  readonly files?: Files;
}

/** The exporter, put together. */
export interface Service {
  readonly log: Logger;
  readonly exposition: Exposition;
  /** Listens and starts to poll; resolves with the port in use once connections are accepted. */
  start(): Promise<{ readonly port: number; readonly scheme: 'http' | 'https' }>;
  /** Runs every collector once; resolves with the names of those that failed, as `org/collector`. */
  pollOnce(): Promise<readonly string[]>;
  status(): ServiceStatus;
  /** Drains and closes everything; resolves within 5 s. */
  stop(): Promise<void>;
}

/** The composition root: creates every part and wires them together. */
export async function createService(parts: ServiceParts): Promise<Service> {
  const { config, clock, random } = parts;
  const startedAt = clock.now();
  const startedElapsed = clock.elapsed();
  const redactor = createRedactor(() => config.orgs.flatMap((org) => org.credential.secrets()));
  const log = createLogger({ ...config.log, stream: parts.stderr, clock, redactor });
  const collectors = allCollectors.filter(({ name }) => config.collectors.get(name) === true);
  const about = aboutFamilies(collectors.filter(isDayCollector).map(({ dataset }) => dataset));
  const publication = createPublication({ families: publishedFamilies(collectors, about), clock, log });
  const { history, isPersistent } = await openHistory({
    path: config.storage.path,
    collectors: allCollectors,
    clock,
    log,
    onLateLoad: () => void publishSafely(collectors.map(({ name }) => name)),
  });
  const instruments = createInstruments({
    version: parts.version,
    revision: parts.revision,
    clock,
    series: () => publication.current().series,
    historyPersistent: isPersistent,
  });
  const exposition = createExposition({ publication, registry: instruments.registry, clock });
  const runs = createRunBook();
  const keeping = { historyStart: config.history.start, retentionDays: config.history.retentionDays };
  const publisher = createPublisher({
    collectors,
    aboutFamilies: about,
    history,
    ...keeping,
    renderSegment: createSegmentRenderer({ clock }),
    publication,
    instruments,
    labelLimit: config.limits.valuesPerLabel,
    seriesBudget: Math.floor(config.limits.series / Math.max(1, config.orgs.length)),
    maxAgeMs: config.metrics.maxAgeMs,
    clock,
    log,
  });
  const runner = createRunner({
    history,
    ...keeping,
    revisionDays: config.history.revisionWindowDays,
    progress: parts.progress ?? createLoggedProgress({ clock, log }),
    onTried,
    publisher,
    runs,
    instruments,
    clock,
    log,
  });
  const orgs = config.orgs.map((org) => ({
    config: org,
    settings: {
      name: org.name,
      readiness: config.readiness,
      contract: org.contract,
    } satisfies OrgSettings,
  }));
  // A derived collector has no runs of its own: it is published with the one it derives from.
  const fetching = collectors.filter(isFetching);
  const targets = orgs.flatMap((org) => fetching.map((collector) => ({ org, collector })));
  let isComplete = false;
  let clients: Promise<ReadonlyMap<string, PlatformClient>> | undefined;

  /** Loads the clients when they are first asked for: their libraries need not delay the first scrape. */
  function loadClients(): Promise<ReadonlyMap<string, PlatformClient>> {
    clients ??= import('./service-clients.ts').then(({ createClients }) =>
      createClients({ config, version: parts.version, instruments, clock, random, log }),
    );
    return clients;
  }

  async function run({ org, collector }: (typeof targets)[number], mode: 'scheduled' | 'thorough') {
    const source = (await loadClients()).get(org.config.name);
    if (source !== undefined) await runner.run({ org: org.settings, source }, collector, mode);
  }

  const scheduler = createScheduler({
    jobs: targets.map((target) => ({
      name: jobName(target.org.config, target.collector),
      schedule: config.schedules[target.collector.schedule],
      run: (mode) => run(target, mode),
    })),
    ticker: parts.ticker ?? createCronTicker(log),
    clock,
    random,
    jitterMs: config.schedules.jitterMs,
    log,
  });
  for (const { config: org } of orgs) {
    instruments.knowOrg(org.name, {
      endpoints: fetching.map(({ dataset }) => dataset.name),
      dayDatasets: collectors.filter(isDayCollector).map(({ dataset }) => dataset.name),
    });
  }

  function status(): ServiceStatus {
    const sources = {
      runs,
      publisher,
      seriesOf: publication.seriesOf,
      nextRunOf: (org: string, collector: string) => scheduler.nextRunOf(`${org}/${collector}`),
    };
    return {
      version: parts.version,
      revision: parts.revision,
      startedAt,
      now: clock.now(),
      ready: ready(),
      orgs: orgs.map(({ config: org, settings }) => ({
        name: org.name,
        ...orgIdOf(publisher.orgId(org.name)),
        apiHost: new URL(org.baseUrl).host,
        collectors: collectors.map((collector) => collectorStatus(sources, settings, collector)),
      })),
      links: [
        { href: config.web.telemetryPath, label: 'Metrics', description: 'what Prometheus scrapes' },
        { href: '/status', label: 'Status', description: 'this page as JSON' },
        { href: '/-/ready', label: 'Readiness', description: 'whether every collector has been tried' },
      ],
      simulated: parts.simulated,
    };
  }

  /** Whoever waits for the exporter to be ready finds everyone's newest data on the page, not a second later. */
  function onTried(): void {
    if (isComplete || !ready().ready) return;
    isComplete = true;
    publication.flush();
  }

  function ready() {
    const tried = targets.map(({ org, collector }) => ({ org: org.config.name, collector: collector.name }));
    return readiness(runs, tried, clock.elapsed() - startedElapsed);
  }

  const app = createApp({
    exposition,
    negotiate,
    status,
    refresh: () => void scheduler.refresh(),
    redact: redactor.redact,
    log,
    telemetryPath: config.web.telemetryPath,
    lifecycle: config.web.enableLifecycle,
  });
  let web: ServiceWeb | undefined;
  let server: HttpServer | undefined;
  const stopping = new AbortController();

  /** Publishes what time has changed, and the named collectors' families. */
  async function publishAll(names: readonly string[]): Promise<void> {
    await Promise.all(orgs.map(({ settings }) => publisher.publish(settings, names)));
  }

  async function publishSafely(names: readonly string[]): Promise<void> {
    await publishAll(names).catch((error: unknown) => log.error('Publishing failed', { error }));
  }

  async function sweep(): Promise<void> {
    for (;;) {
      await clock.wait(SWEEP_MS, stopping.signal);
      await history
        .sweep(retention())
        .catch((error: unknown) => log.error('The history sweep failed', { error }));
      await publishSafely([]);
    }
  }

  function retention(): Retention | undefined {
    if (keeping.retentionDays === 0) return undefined;
    return { firstDay: firstDayOf(keeping, clock.now()), orgs: config.orgs.map(({ name }) => name) };
  }

  let stopped: Promise<void> | undefined;
  function stopOnce(): Promise<void> {
    stopped ??= stop();
    return stopped;
  }

  async function stop(): Promise<void> {
    stopping.abort();
    runner.stop();
    const loaded = await clients?.catch(() => undefined);
    for (const client of loaded?.values() ?? []) client.close();
    await Promise.all([scheduler.stop(), server?.close()]);
    await web?.close();
    publication.close();
    await history.close();
    await log.close();
  }

  return {
    log,
    exposition,
    status,
    async start() {
      web = await openServiceWeb({ config: config.web, files: parts.files ?? createFiles(), clock, log });
      await restoreSuccesses({ history, runs, instruments }, config.orgs, collectors);
      // The first scrape already sees what is stored.
      await publishAll([]);
      publication.flush();
      server = createHttpServer({ ...web.serve(app), clock, maxConnections: config.web.maxConnections });
      const { port } = await server.listen(config.web.listen);
      web.watch();
      try {
        await loadClients();
      } catch (error) {
        // A proxy that is none ends the start, and so nothing may go on listening.
        await stopOnce();
        throw error;
      }
      scheduler.start();
      // Only stopping ends it, and then there is nothing left to do.
      sweep().catch(() => undefined);
      return { port, scheme: web.scheme };
    },
    async pollOnce() {
      await Promise.all(targets.map((target) => run(target, 'scheduled')));
      publication.flush();
      return targets
        .filter(({ org, collector }) => runs.get(org.config.name, collector.name).failure !== undefined)
        .map(({ org, collector }) => jobName(org.config, collector));
    },
    stop: stopOnce,
  };
}

function jobName(org: OrgConfig, collector: Collector): string {
  return `${org.name}/${collector.name}`;
}

function orgIdOf(orgId: string | undefined): { orgId?: string } {
  return orgId === undefined ? {} : { orgId };
}

function publishedFamilies(
  collectors: readonly Collector[],
  about: readonly { readonly name: string; readonly help: string }[],
) {
  const ofCollectors = collectors.flatMap(({ name: collector, families }) =>
    families.map(({ name, help }) => ({ name, help, collector })),
  );
  return [...ofCollectors, ...about.map(({ name, help }) => ({ name, help }))];
}
