import type { Config } from '../config/config.ts';
import { createLook, type Watched, watch } from '../config/followed.ts';
import { takesHookEvents } from '../config/shard.ts';
import { storageSecrets } from '../config/storage.ts';
import { createFiles, type Files } from '../files/reader.ts';
import { createFigures } from '../page/data/figures.ts';
import type { Readiness, ServiceStatus } from '../page/status.ts';
import { createApp } from '../server/app.ts';
import { createHttpServer, type HttpServer } from '../server/http-server.ts';
import { NotStored } from '../store/database.ts';
import type { Retention } from '../store/store.ts';
import type { ConfigError } from '../text/errors.ts';
import type { WebConfig } from '../web-config/web-config.ts';
import { oneAtATime, type ReloadOutcome } from '../work/reload.ts';
import { connectionLimit } from './connection-limit.ts';
import { type CliEnvironment, type Core, createCore } from './core.ts';
import { type Deployment, secretsIn, secretsOf } from './deployment.ts';
import { createDeployments, type Deployments } from './deployments.ts';
import type { ServiceHooks } from './hooks.ts';
import { stripOldIdentities } from './people.ts';
import { createReload, createRestartNote, namesOf, noteAddresses } from './reload.ts';
import { restore } from './restore.ts';
import { probeSuccess, readiness, statusOf } from './status.ts';
import { logUnlessNotStored } from './store.ts';
import { takePart } from './take-part.ts';
import { closeConnections, connect, jobsOf } from './transition.ts';
import { openServiceWeb } from './web.ts';

const WEB_CONFIGURATION = 'the web configuration';

/** Interval of time-driven work, in milliseconds: ages, uncovered and old days, retrying a full disk. */
const SWEEP_MS = 60_000;

/** How long a start waits for a database before the service listens without it, in milliseconds. */
const DATABASE_START_MS = 5_000;

interface ServiceParts extends CliEnvironment {
  readonly config: Config;
  /** Whether the platform is the simulated one, for the status page. */
  readonly simulated: boolean;
  /** Loads the configuration again; rejects with a `ConfigError`. By default the configuration never changes. */
  readonly loadConfig?: () => Promise<Config>;
  /** By default the local file system. */
  readonly files?: Files;
}

/** The running exporter. */
export type Service = Awaited<ReturnType<typeof createService>>;

/** The composition root: builds the core and the first deployment, and replaces the deployment on a reload. */
export async function createService(parts: ServiceParts) {
  const { clock, config } = parts;
  const startedAt = clock.now();
  const startedElapsed = clock.elapsed();
  let deployments: Deployments | undefined;
  const core = await createCore(config, parts, {
    secrets,
    orgs: () => deployments?.inUse().config.orgs ?? [],
    publish: async (org) => deployments?.publishOrg(org),
    onExit,
  });
  const { log, publication, runs, scheduler, history, exposition, redactor } = core;
  noteAddresses(config.orgs, log);
  deployments = createDeployments(config, core);
  const { apply, stripIdentities, publishAll, publishSafely, refresh, watched: filesInUse } = deployments;
  const reload = createReload(
    [
      { name: 'the configuration', reload: reloadConfig },
      { name: WEB_CONFIGURATION, reload: reloadWeb },
    ],
    core,
  );
  const noteRestart = createRestartNote(config, log);
  let isReady = false;
  let firstPage: Promise<unknown> | undefined;
  let fileEpoch: string | undefined;
  let isRestored = false;
  const unusable = Promise.withResolvers<false>();

  const failed = Promise.withResolvers<number>();

  function onExit({ message, hint }: ConfigError): void {
    log.error(message, { hint });
    failed.resolve(2);
  }

  function inUse(): Deployment {
    if (deployments === undefined) throw new Error('there is no deployment yet');
    return deployments.inUse();
  }

  function secrets(): readonly string[] {
    const keys = deployments === undefined ? secretsIn(config) : secretsOf(inUse());
    return [...keys, ...storageSecrets(config.storage), ...(config.hooks.token?.secrets() ?? [])];
  }

  async function reloadConfig() {
    const next = await parts.loadConfig?.();
    if (next === undefined) return { notes: [] };
    const { changes, missed } = await apply(next);
    log.info('Configuration reloaded', { organizations: inUse().orgs.size, ...namesOf(changes) });
    return { notes: [...noteAddresses(next.orgs, log), ...noteRestart(next)], missed };
  }

  async function reloadWeb() {
    await web?.reload();
    return { notes: web?.warnings().map((warning) => `Weak web configuration: ${warning}`) ?? [] };
  }

  function ready(): Readiness {
    // Collectors that a reload adds do not make a ready service unready.
    if (isReady) return { ready: true, waitingFor: [] };
    const waitingFor = core.store.waitingFor();
    if (waitingFor !== undefined) return { ready: false, waitingFor: [waitingFor] };
    if (!isRestored) return { ready: false, waitingFor: ['what is stored'] };
    const role = core.leading.role();
    if (role === 'undecided') return { ready: false, waitingFor: ['the replica that polls'] };
    // A follower publishes what is stored, which it has done before it takes part.
    const targets = role === 'follower' ? [] : jobsOf(inUse());
    const tried = readiness(runs, targets, clock.elapsed() - startedElapsed);
    isReady = tried.ready;
    return tried;
  }

  /** Publishes at once, so that clients that wait for readiness find the newest data on the page. */
  async function readyOnPage(): Promise<Readiness> {
    const now = ready();
    if (!now.ready) return now;
    firstPage ??= publication
      .flush()
      .catch((error: unknown) => log.error('The page could not be assembled', { error }));
    await firstPage;
    return now;
  }

  function status(): ServiceStatus {
    const { version, revision, simulated } = parts;
    const { telemetryPath } = config.web;
    const configuration = reload.state();
    const role = core.store.leadership === undefined ? 'undecided' : core.leading.role();
    const notPolled = core.notPolled();
    const frame = {
      version,
      revision,
      simulated,
      startedAt,
      telemetryPath,
      configuration,
      ready: ready(),
      role: role === 'undecided' ? undefined : role,
      notPolled: notPolled.length === 0 ? undefined : notPolled,
    };
    return statusOf(frame, core, inUse());
  }

  let hooks: ServiceHooks | undefined;
  const app = createApp({
    exposition,
    status,
    readiness: readyOnPage,
    figures: createFigures(core, inUse),
    refresh() {
      if (core.leading.role() === 'leader') void refresh();
      else
        core.store.leadership
          ?.askToRefresh()
          .catch((error: unknown) => logUnlessNotStored(log, 'Refresh request to the leader failed', error));
      return core.traffic.pausesOf(inUse().config.orgs);
    },
    reload: reloadOnce,
    probe: (name) => (inUse().orgs.has(name) ? probeSuccess(runs, name, inUse().fetching) : undefined),
    redact: redactor.redact,
    log,
    clock,
    hooks: () => hooks?.handle,
    telemetryPath: config.web.telemetryPath,
    lifecycle: config.web.enableLifecycle,
    allowedHosts: config.web.allowedHosts,
  });
  let web: WebConfig | undefined;
  let server: HttpServer | undefined;

  async function sweep(): Promise<void> {
    for (;;) {
      await clock.wait(SWEEP_MS, core.stopping.signal);
      await history
        .sweep(retention())
        .then(noticeNewFile)
        .catch((error: unknown) => logUnlessNotStored(log, 'History sweep failed', error));
      await stripIdentities();
      await publishSafely();
      // With several processes, the beat of the leader does this.
      if (core.store.leadership === undefined) scheduler.catchUp(core.leading.takeMissed());
    }
  }

  /** A file that took the place of another one is filled at once; in a database, the leader sees to it. */
  async function noticeNewFile(): Promise<void> {
    if (core.store.leadership !== undefined) return;
    const before = fileEpoch;
    fileEpoch = (await history.standing('')).epoch;
    if (before === undefined || before === fileEpoch) return;
    for (const { name } of jobsOf(inUse())) core.leading.missed(name);
  }

  function retention(): Retention | undefined {
    const { config: live, orgs } = inUse();
    const { retention: days } = live.history;
    if (days === 0) return undefined;
    return { days, now: clock.now(), orgs: [...orgs.keys()] };
  }

  let reloading: Promise<unknown> = Promise.resolve();
  const runReload = oneAtATime(() => reload.run());

  async function reloadOnce(): Promise<ReloadOutcome> {
    if (core.stopping.signal.aborted) return { ok: false, problem: 'the exporter is stopping' };
    const outcome = runReload();
    reloading = outcome;
    return await outcome;
  }

  let stopped: Promise<void> | undefined;
  function stopOnce(): Promise<void> {
    stopped ??= stop();
    return stopped;
  }

  async function stop(): Promise<void> {
    core.stopping.abort();
    closeConnections(inUse());
    await Promise.all([scheduler.stop(), server?.close(), reloading]);
    // A reload in progress may have created others.
    closeConnections(inUse());
    await core.traffic.close();
    await core.store.leadership?.close();
    await web?.close();
    await hooks?.close();
    await publication.close();
    await history.close();
    await log.close();
  }

  /** Publishes what is stored, once the store can be used. */
  async function restoreAndPublish(): Promise<void> {
    for (;;) {
      await core.store.opened;
      try {
        await restore(core, inUse());
        await stripOldIdentities(inUse(), core);
        await publishAll();
        await publication.flush();
        isRestored = true;
        return;
      } catch (error) {
        if (!(error instanceof NotStored)) throw error;
        unusable.resolve(false);
        await core.store.usable(core.stopping.signal);
      }
    }
  }

  /** Waits for a file unless it cannot be used, and for a database only as long as a working one needs. */
  async function isDoneAtStart(restoring: Promise<void>): Promise<boolean> {
    const late =
      core.store.leadership === undefined
        ? unusable.promise
        : clock.wait(DATABASE_START_MS, core.stopping.signal).then(() => false);
    return Promise.race([restoring.then(() => true), late]);
  }

  /** What is shown would never change again. */
  function failUnlessStopping(error: unknown): void {
    if (core.stopping.signal.aborted) return;
    log.error('The history cannot be used; the exporter ends', { error });
    failed.resolve(1);
  }

  function startWork(): void {
    if (core.stopping.signal.aborted) return;
    scheduler.adopt([...inUse().jobs.values()]);
    scheduler.start();
    takePart(core, { inUse, publishSafely, refresh }).catch(failUnlessStopping);
    // It ends only when the service stops; then nothing is left to do.
    sweep().catch(() => undefined);
  }

  async function watchFiles(files: Files, look: WebConfig['reload'] | undefined): Promise<void> {
    const { path, watch: isWatched } = config.file;
    const { token: hooksToken } = config.hooks;
    const { url } = config.storage;
    const isChanged = isWatched && path !== undefined ? await createLook(files, path) : undefined;
    function* watched(): Iterable<Watched> {
      if (look !== undefined) yield { name: WEB_CONFIGURATION, look };
      if (isChanged !== undefined) {
        yield {
          name: 'the configuration file',
          async look() {
            if (await isChanged()) await reloadOnce();
            return false;
          },
        };
      }
      yield* filesInUse();
      if (hooksToken !== undefined) yield { name: 'the file of the hooks token', look: hooksToken.refresh };
      if (url !== undefined) yield { name: "the files of the database's URL", look: url.refresh };
    }
    const { signal } = core.stopping;
    // It ends only when the service stops.
    watch(watched, { clock, signal, log, note: reload.note }).catch(() => undefined);
  }

  async function limitConnections(files: Files): Promise<number> {
    const { maxConnections } = config.web;
    // Only Linux has this file. Node.js has raised the soft limit to the hard one.
    const limits = await files.read('/proc/self/limits').catch(() => undefined);
    const connections = connectionLimit(limits, { maxConnections, orgs: config.orgs.length });
    if (connections < maxConnections) {
      log.warn('Fewer connections than configured: the limit of open files is low', {
        connections,
        configured: maxConnections,
      });
    }
    return connections;
  }

  return {
    log,
    exposition,
    status,
    /**
     * Resolves with an exit code if the service listens but cannot do its work, which is logged: it has to be stopped. Never
     * rejects.
     */
    failed: failed.promise,
    /** Starts listening and polling; resolves with the port once connections are accepted. */
    async start() {
      const files = parts.files ?? createFiles();
      web = await openServiceWeb({ config: config.web, files, clock, log });
      // The first scrape already includes the stored data, unless it is in a database that cannot be used yet.
      const restoring = restoreAndPublish();
      // Whoever waits for it gets the error; a start that is aborted does not.
      restoring.catch(() => undefined);
      const isDone = await isDoneAtStart(restoring);
      hooks = await openHooks(config, core);
      server = createHttpServer({
        ...(web?.serve(app) ?? { app }),
        clock,
        maxConnections: await limitConnections(files),
      });
      const { port } = await server.listen(config.web.listenAddress);
      await watchFiles(files, web?.reload);
      try {
        await connect(inUse(), core);
      } catch (error) {
        // An invalid proxy aborts the start: stop listening first.
        await stopOnce();
        throw error;
      }
      if (isDone) startWork();
      else restoring.then(startWork).catch(failUnlessStopping);
      return { port, scheme: web?.scheme ?? 'http' };
    },
    /** Runs every collector once; resolves with the names of those that failed, as `org/collector`. */
    async pollOnce(): Promise<readonly string[]> {
      await Promise.all(jobsOf(inUse()).map((job) => job.run('scheduled')));
      await publication.flush();
      return jobsOf(inUse())
        .filter(({ org, collector }) => runs.get(org, collector).failure !== undefined)
        .map(({ name }) => name);
    },
    /** Publishes every change so far, which otherwise happens within a few seconds. */
    async flush(): Promise<void> {
      await publication.flush();
    },
    /** Reloads the configuration and applies it; an invalid one changes nothing and is logged. Calls are serialized. */
    reload: reloadOnce,
    /** Drains and closes everything; resolves within 5 s. */
    stop: stopOnce,
  };
}

/** Loads the intake if it is configured. Hook events name no organization, so one shard accepts them all. */
async function openHooks({ hooks, shard }: Config, core: Core): Promise<ServiceHooks | undefined> {
  const { token } = hooks;
  if (token === undefined || !takesHookEvents(shard)) return undefined;
  const { openServiceHooks } = await import('./hooks.ts');
  return openServiceHooks({ ...hooks, token }, core);
}
