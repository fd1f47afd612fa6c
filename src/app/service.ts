import { collectors as allCollectors } from '../collectors/index.ts';
import type { Config } from '../config/config.ts';
import { createFiles, type Files } from '../config/files.ts';
import { takesHookEvents } from '../config/shard.ts';
import { createExposition, type Exposition } from '../exposition/exposition.ts';
import { createInstruments } from '../exposition/instruments.ts';
import { negotiate } from '../exposition/negotiate.ts';
import { createPublication } from '../exposition/publication.ts';
import { createSegmentRenderer } from '../exposition/segment.ts';
import type { Retention } from '../history/history.ts';
import { firstDayOf } from '../pipeline/first-day.ts';
import { createPublisher } from '../pipeline/publisher.ts';
import { createRunner } from '../pipeline/runner.ts';
import { createRunBook, NO_RUN } from '../pipeline/runs.ts';
import type { Clock } from '../runtime/clock.ts';
import { ConfigError } from '../runtime/errors.ts';
import { createLogger } from '../runtime/log-winston.ts';
import type { Logger } from '../runtime/logger.ts';
import { createLoggedProgress, type Progress } from '../runtime/progress.ts';
import { createRedactor } from '../runtime/redact.ts';
import { oneAtATime, type ReloadOutcome } from '../runtime/reload.ts';
import { createCronTicker, type Ticker } from '../scheduler/ticker.ts';
import { createApp } from '../server/app.ts';
import { createHttpServer, type HttpServer } from '../server/http-server.ts';
import type { ServiceStatus } from '../server/status.ts';
import { adoptConfigured, openHistory, restoreSuccesses } from './history.ts';
import type { ServiceHooks } from './hooks.ts';
import { createPeopleFollower } from './people.ts';
import { createPolling } from './polling.ts';
import { createReload } from './reload.ts';
import { createSetup, dayCollectors, publishedFamilies } from './setup.ts';
import { collectorStatus, probeSuccess, readiness } from './status.ts';
import { openServiceWeb, type ServiceWeb } from './web.ts';

const WEB_CONFIGURATION = 'the web configuration';

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
  /** Reads the configuration again; rejects with a `ConfigError`. Where not given, it stays as it was. */
  readonly loadConfig?: () => Promise<Config>;
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
  /**
   * Reads the configuration again and follows it; what cannot be used changes nothing, and is logged. Calls follow
   * each other.
   */
  reload(): Promise<ReloadOutcome>;
  /** Drains and closes everything; resolves within 5 s. */
  stop(): Promise<void>;
}

/** The composition root: creates every part and wires them together. */
export async function createService(parts: ServiceParts): Promise<Service> {
  const { clock, random } = parts;
  // What was there at the start, for what does not change while the process runs.
  const { config } = parts;
  let setup = createSetup(config);
  const startedAt = clock.now();
  const startedElapsed = clock.elapsed();
  const { token: hooksToken } = config.hooks;
  const redactor = createRedactor(() => [
    ...setup.config.orgs.flatMap((org) => org.credential.secrets()),
    ...(hooksToken?.secrets() ?? []),
    ...setup.config.people.secrets(),
  ]);
  const log = createLogger({ ...config.log, stream: parts.stderr, clock, redactor });
  const publication = createPublication({
    families: publishedFamilies(),
    running: () => setup.names,
    clock,
    log,
  });
  const { history, isPersistent } = await openHistory({
    path: config.storage.path,
    collectors: allCollectors,
    clock,
    log,
    onLateLoad: () => void publishSafely([...setup.names]),
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
  // The parts read these anew each time, so that they follow a configuration that was read again.
  const keeping = {
    get historyStart() {
      return setup.config.history.start;
    },
    get retentionDays() {
      return setup.config.history.retentionDays;
    },
  };
  const publisher = createPublisher({
    get collectors() {
      return setup.collectors;
    },
    get aboutFamilies() {
      return setup.about;
    },
    get historyStart() {
      return keeping.historyStart;
    },
    get retentionDays() {
      return keeping.retentionDays;
    },
    labelLimit: (label) => setup.config.limits.valuesPerLabel(label),
    get seriesBudget() {
      return setup.seriesBudget;
    },
    get maxAgeMs() {
      return setup.config.metrics.maxAgeMs;
    },
    settingsOf: ({ name }) => setup.orgs.get(name)?.settings,
    renderSegment: createSegmentRenderer({ clock }),
    ...{ history, publication, instruments, clock, log },
  });
  const runner = createRunner({
    get historyStart() {
      return keeping.historyStart;
    },
    get retentionDays() {
      return keeping.retentionDays;
    },
    get revisionDays() {
      return setup.config.history.revisionWindowDays;
    },
    settingsOf: ({ name }) => setup.orgs.get(name)?.settings,
    progress: parts.progress ?? createLoggedProgress({ clock, log }),
    onTried,
    ...{ history, publisher, runs, instruments, clock, log },
  });
  const polling = createPolling({
    setup: () => setup,
    // Loaded when they are first asked for: their libraries need not delay the first scrape.
    loadClients: async () =>
      (await import('./clients.ts')).createClients({
        config: () => setup.config,
        dayDatasets: () => dayCollectors(setup.collectors).map(({ dataset }) => dataset.name),
        version: parts.version,
        ...{ history, instruments, clock, random, log },
      }),
    ticker: parts.ticker ?? createCronTicker(log),
    ...{ runner, clock, random, log },
  });
  const people = createPeopleFollower({
    people: () => setup.config.people,
    // Also where they do not run: what was kept of people before may have to go.
    collectors: allCollectors,
    history,
    settingsOf: (name) => setup.orgs.get(name)?.settings,
    clock,
    log,
  });
  let isComplete = false;
  startCounters();
  const configuration = createReload({
    setup: () => setup,
    loadConfig: parts.loadConfig,
    others: [{ name: WEB_CONFIGURATION, reload: reloadWeb }],
    take(next) {
      // A key that is out of use may still stand in an error that is on its way.
      for (const org of setup.config.orgs) for (const key of org.credential.secrets()) redactor.remember(key);
      for (const key of setup.config.people.secrets()) redactor.remember(key);
      setup = next;
      log.setLevel(next.config.log.level);
    },
    async introduce() {
      startCounters();
      await restore();
    },
    async publish() {
      await publishAll([...setup.names]);
      publication.flush();
      await followPeople();
    },
    ...{ polling, publisher, runner, runs, instruments, clock, log },
  });

  async function reloadWeb(): Promise<void> {
    const outcome = await web?.reload();
    if (outcome !== undefined && 'problem' in outcome) throw new ConfigError(outcome.problem, outcome.hint);
  }

  function startCounters(): void {
    const endpoints = setup.fetching.map(({ dataset }) => dataset.name);
    const dayDatasets = dayCollectors(setup.collectors).map(({ dataset }) => dataset.name);
    for (const org of setup.orgs.keys()) instruments.knowOrg(org, { endpoints, dayDatasets });
  }

  function status(): ServiceStatus {
    const sources = {
      runs,
      publisher,
      seriesOf: publication.seriesOf,
      nextRunOf: polling.nextRunOf,
    };
    return {
      version: parts.version,
      revision: parts.revision,
      startedAt,
      now: clock.now(),
      ready: ready(),
      configuration: configuration.state(),
      orgs: [...setup.orgs.values()].map(({ config: org, settings }) => ({
        name: org.name,
        ...orgIdOf(publisher.orgId(org.name)),
        apiHost: new URL(org.baseUrl).host,
        collectors: setup.collectors.map((collector) => collectorStatus(sources, settings, collector)),
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
    // What a reload brings along is not waited for by those who already rely on the rest.
    if (isComplete) return { ready: true, waitingFor: [] };
    return readiness(runs, polling.targets(), clock.elapsed() - startedElapsed);
  }

  let hooks: ServiceHooks | undefined;
  const app = createApp({
    exposition,
    negotiate,
    status,
    refresh() {
      void polling.refresh();
      return polling.pauses();
    },
    reload,
    probe: (name) => (setup.orgs.has(name) ? probeSuccess(runs, name, setup.fetching) : undefined),
    redact: redactor.redact,
    log,
    hooks: () => hooks?.handle,
    telemetryPath: config.web.telemetryPath,
    lifecycle: config.web.enableLifecycle,
  });
  let web: ServiceWeb | undefined;
  let server: HttpServer | undefined;
  const stopping = new AbortController();

  /** Loads the intake where it is wanted. Hook events name no organization: one shard takes them all. */
  async function openHooks(): Promise<ServiceHooks | undefined> {
    if (hooksToken === undefined || !takesHookEvents(config.shard)) return undefined;
    const { openServiceHooks } = await import('./hooks.ts');
    return openServiceHooks({
      hooks: { ...config.hooks, token: hooksToken },
      storagePath: config.storage.path,
      registry: instruments.registry,
      clock,
      log,
    });
  }

  /** Publishes what time has changed, and the named collectors' families. */
  async function publishAll(names: readonly string[]): Promise<void> {
    await Promise.all([...setup.orgs.values()].map(({ settings }) => publisher.publish(settings, names)));
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
      await followPeople();
      await publishSafely([]);
    }
  }

  /** Shows people in the new way at once, as far as that needs no other data, and asks for the rest. */
  async function followPeople(): Promise<void> {
    const changed = await people.follow();
    await people.condense().catch((error: unknown) => log.error('The history sweep failed', { error }));
    if (!changed) return;
    const affected = new Set(
      dayCollectors(setup.collectors).flatMap(({ name, dataset }) =>
        dataset.isCurrent === undefined ? [] : [name],
      ),
    );
    await publishSafely([...affected]);
    // Not waited for: it takes as long as the platform does.
    void polling.refresh(affected);
  }

  function retention(): Retention | undefined {
    if (keeping.retentionDays === 0) return undefined;
    return { firstDay: firstDayOf(keeping, clock.now()), orgs: [...setup.orgs.keys()] };
  }

  /** Tells when each organization that has not run yet was last fetched well, by this process or one before. */
  async function restore(): Promise<void> {
    await adoptConfigured(history, setup.config.orgs);
    for (const org of setup.config.orgs) {
      const unknown = setup.collectors.filter(({ name }) => runs.get(org.name, name) === NO_RUN);
      await restoreSuccesses({ history, runs, instruments }, [org], unknown);
    }
  }

  let reloading: Promise<unknown> = Promise.resolve();
  const reloadOnce = oneAtATime(() => configuration.run());

  async function reload(): Promise<ReloadOutcome> {
    if (stopping.signal.aborted) return { ok: false, problem: 'the exporter is stopping' };
    const outcome = reloadOnce();
    reloading = outcome;
    return await outcome;
  }

  let stopped: Promise<void> | undefined;
  function stopOnce(): Promise<void> {
    stopped ??= stop();
    return stopped;
  }

  async function stop(): Promise<void> {
    stopping.abort();
    runner.stop();
    await Promise.all([polling.stop(), server?.close(), reloading]);
    await web?.close();
    await hooks?.close();
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
      await restore();
      hooks = await openHooks();
      await people.condense();
      // The first scrape already sees what is stored.
      await publishAll([]);
      publication.flush();
      server = createHttpServer({ ...web.serve(app), clock, maxConnections: config.web.maxConnections });
      const { port } = await server.listen(config.web.listen);
      web.watch((problem) => configuration.note(WEB_CONFIGURATION, problem));
      try {
        await polling.connect();
      } catch (error) {
        // A proxy that is none ends the start, and so nothing may go on listening.
        await stopOnce();
        throw error;
      }
      polling.start();
      // Only stopping ends it, and then there is nothing left to do.
      sweep().catch(() => undefined);
      return { port, scheme: web.scheme };
    },
    async pollOnce() {
      await polling.runAll();
      publication.flush();
      return polling
        .targets()
        .filter(({ org, collector }) => runs.get(org, collector).failure !== undefined)
        .map(({ org, collector }) => `${org}/${collector}`);
    },
    reload,
    stop: stopOnce,
  };
}

function orgIdOf(orgId: string | undefined): { orgId?: string } {
  return orgId === undefined ? {} : { orgId };
}
