import { filledOn } from '../catalog/collector.ts';
import type { Instant } from '../catalog/day.ts';
import type { Config } from '../config/config.ts';
import { createLook, type Watched, watch } from '../config/followed.ts';
import { takesHookEvents } from '../config/shard.ts';
import { storageSecrets } from '../config/storage.ts';
import { isStoreUp } from '../exposition/instruments.ts';
import { createFiles, type Files } from '../files/reader.ts';
import { createFigures } from '../page/data/figures.ts';
import type { Readiness, ServiceStatus } from '../page/status.ts';
import { createApp } from '../server/app.ts';
import type { PausedPart } from '../server/handlers.ts';
import { createHttpServer, type HttpServer } from '../server/http-server.ts';
import { NotStored } from '../store/database.ts';
import type { Retention } from '../store/store.ts';
import type { WebConfig } from '../web-config/web-config.ts';
import { oneAtATime, type ReloadOutcome } from '../work/reload.ts';
import { connectionsAllowed } from './connection-limit.ts';
import { type CliEnvironment, type Core, createCore } from './core.ts';
import { type Deployment, secretsIn, secretsOf } from './deployment.ts';
import { Deployments } from './deployments.ts';
import type { ServiceHooks } from './hooks.ts';
import { stripOldIdentities } from './people.ts';
import { namesOf, noteOversights, Reload, RestartNotes } from './reload.ts';
import { Replica } from './replica.ts';
import { restore } from './restore.ts';
import { probeSuccess, readiness, statusOf } from './status.ts';
import { logUnlessNotStored } from './store.ts';
import { closeConnections, connect, jobsOf } from './transition.ts';
import { openServiceWeb } from './web.ts';

const WEB_CONFIGURATION = 'the web configuration';

/** Interval of work that only time triggers, in milliseconds: ages, uncovered days, removing old days, retrying a full disk. */
const SWEEP_MS = 60_000;

/** How long a start waits for a database before the service listens without it, in milliseconds. */
const DATABASE_START_MS = 5_000;

interface AppParts extends CliEnvironment {
  readonly config: Config;
  /** Whether the platform is the simulated one, for the status page. */
  readonly simulated: boolean;
  /** Loads the configuration again; rejects with a `ConfigError`. By default the configuration never changes. */
  readonly loadConfig?: () => Promise<Config>;
  /** By default the local file system. */
  readonly files?: Files;
}

/** The HTTP server and the hook intake, as far as they are open. */
interface Front {
  readonly web?: WebConfig | undefined;
  readonly hooks?: ServiceHooks | undefined;
  readonly server?: HttpServer;
}

/** The progress of a start. `restored`: the stored data is on the page; `ready`: every collector has run once, too. */
type Phase = 'starting' | 'restored' | 'ready';

/** The running exporter. `start` opens the store, restores, listens and begins to poll; a reload replaces the deployment. */
export class App {
  readonly log: Core['log'];
  readonly exposition: Core['exposition'];
  /**
   * Resolves with an exit code if the service listens but cannot do its work, and so must be stopped; the cause is logged. Never
   * rejects.
   */
  readonly failed: Promise<number>;
  readonly #parts: AppParts;
  readonly #startedAt: { readonly now: Instant; readonly elapsed: number };
  readonly #core: Core;
  readonly #deployments: Deployments;
  readonly #reload: Reload;
  readonly #restartNotes: RestartNotes;
  readonly #runReload = oneAtATime(() => this.#reload.run());
  readonly #exit: PromiseWithResolvers<number>;
  /** Resolves if the store's file is found to be unavailable at the start. */
  readonly #unusable = Promise.withResolvers<false>();
  #phase: Phase = 'starting';
  #front: Front = {};
  #firstPage: Promise<unknown> | undefined;
  #reloading: Promise<unknown> = Promise.resolve();
  #stopped: Promise<void> | undefined;
  /** The id of the store's file, to notice that another file has taken its place. */
  #fileEpoch: string | undefined;

  /** Builds the core and the first deployment; rejects with a `ConfigError` if the store's files must not be used. */
  static async open(parts: AppParts): Promise<App> {
    const exit = Promise.withResolvers<number>();
    const startedAt = { now: parts.clock.now(), elapsed: parts.clock.elapsed() };
    let app: App | undefined;
    const core = await createCore(parts.config, parts, {
      secrets: () => (app === undefined ? startSecrets(parts.config) : app.#secrets()),
      orgs: () => (app === undefined ? [] : app.#inUse.config.orgs),
      onExit({ message, hint }) {
        core.log.error(message, { hint });
        exit.resolve(2);
      },
    });
    noteOversights(parts.config, core.log);
    app = new App(parts, core, startedAt, exit);
    return app;
  }

  private constructor(
    parts: AppParts,
    core: Core,
    startedAt: { readonly now: Instant; readonly elapsed: number },
    exit: PromiseWithResolvers<number>,
  ) {
    const { config } = parts;
    this.log = core.log;
    this.exposition = core.exposition;
    this.failed = exit.promise;
    this.#parts = parts;
    this.#startedAt = startedAt;
    this.#core = core;
    this.#exit = exit;
    this.#deployments = new Deployments(config, core);
    this.#restartNotes = new RestartNotes(config, core.log);
    this.#reload = new Reload(
      [
        { name: 'the configuration', reload: () => this.#reloadConfig() },
        { name: WEB_CONFIGURATION, reload: () => this.#reloadWeb() },
      ],
      core,
    );
  }

  /** Starts listening and polling; resolves with the port once connections are accepted. */
  async start(): Promise<{ readonly port: number; readonly scheme: 'http' | 'https' }> {
    const { config, clock } = this.#parts;
    const files = this.#parts.files ?? createFiles();
    const web = await openServiceWeb({ config: config.web, files, clock, log: this.log });
    this.#front = { web };
    // Restores first, so that the first scrape includes the stored data, unless the database is unavailable.
    const restoring = this.#restore();
    const isDone = await this.#isDoneAtStart(restoring);
    const port = await this.#listen(files, web);
    try {
      await connect(this.#inUse, this.#core);
    } catch (error) {
      // An invalid proxy aborts the start: stop listening first.
      await this.stop();
      throw error;
    }
    if (isDone) this.#work();
    else restoring.then(() => this.#work()).catch((error: unknown) => this.#failUnlessStopping(error));
    return { port, scheme: web?.scheme ?? 'http' };
  }

  /** Runs every collector once; resolves with the names of those that failed, as `org/collector`. */
  async pollOnce(): Promise<readonly string[]> {
    const jobs = jobsOf(this.#inUse);
    await Promise.all(jobs.map((job) => job.run('scheduled')));
    await this.flush();
    return jobsOf(this.#inUse)
      .filter(({ org, collector }) => this.#core.runs.get(org, collector).failure !== undefined)
      .map(({ name }) => name);
  }

  /** Publishes all changes now, instead of within a few seconds. */
  async flush(): Promise<void> {
    await this.#core.page.flush();
  }

  /** Reloads the configuration and applies it; an invalid one changes nothing and is logged. Calls are serialized. */
  async reload(): Promise<ReloadOutcome> {
    if (this.#isStopping) return { ok: false, problem: 'the exporter is stopping' };
    const outcome = this.#runReload();
    this.#reloading = outcome;
    return await outcome;
  }

  /** The state of the service, for the status page. */
  status(): ServiceStatus {
    const { version, revision, simulated, config } = this.#parts;
    const { leading, store, notPolled } = this.#core;
    const role = store.leadership === undefined ? 'undecided' : leading.role();
    const abandoned = notPolled();
    const frame = {
      ...{ version, revision, simulated },
      startedAt: this.#startedAt.now,
      telemetryPath: config.web.telemetryPath,
      configuration: this.#reload.state(),
      ready: this.#readiness(),
      storeUp: isStoreUp(store.shown),
      role: role === 'undecided' ? undefined : role,
      notPolled: abandoned.length === 0 ? undefined : abandoned,
    };
    return statusOf(frame, this.#core, this.#inUse);
  }

  /** Drains and closes everything; resolves within 5 s. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  get #inUse(): Deployment {
    return this.#deployments.inUse;
  }

  get #isStopping(): boolean {
    return this.#core.stopping.signal.aborted;
  }

  #secrets(): readonly string[] {
    return [...secretsOf(this.#inUse), ...processSecrets(this.#parts.config)];
  }

  /** Publishes the stored data as soon as the store is available. */
  async #restore(): Promise<void> {
    const core = this.#core;
    for (;;) {
      await core.store.opened;
      try {
        await restore(core, this.#inUse);
        await stripOldIdentities(this.#inUse, core);
        await core.publisher.publishAll();
        await core.page.flush();
        this.#phase = 'restored';
        return;
      } catch (error) {
        if (!(error instanceof NotStored)) throw error;
        this.#unusable.resolve(false);
        await core.store.usable(core.stopping.signal);
      }
    }
  }

  /** Waits for a restore from files, unless they are unavailable; for a database, only as long as a working one needs. */
  async #isDoneAtStart(restoring: Promise<void>): Promise<boolean> {
    const { store, clock, stopping } = this.#core;
    const late =
      store.leadership === undefined
        ? this.#unusable.promise
        : clock.wait(DATABASE_START_MS, stopping.signal).then(() => false);
    return Promise.race([restoring.then(() => true), late]);
  }

  /** Accepts connections and follows changed files; resolves with the port. */
  async #listen(files: Files, web: WebConfig | undefined): Promise<number> {
    const { config, clock } = this.#parts;
    const hooks = await openHooks(config, this.#core);
    const routes = this.#routes();
    const server = createHttpServer({
      ...(web?.serve(routes) ?? { app: routes }),
      clock,
      maxConnections: await connectionsAllowed(files, config, this.log),
    });
    this.#front = { web, hooks, server };
    const { port } = await server.listen(config.web.listenAddress);
    await this.#watchFiles(files, web?.reload);
    return port;
  }

  /** Whether the last runs of an organization succeeded; undefined if it is not configured. */
  #probe(org: string): boolean | undefined {
    const { orgs, fetching } = this.#inUse;
    const settings = orgs.get(org)?.settings;
    return settings && probeSuccess(this.#core.runs, org, filledOn(fetching, settings));
  }

  #routes() {
    const { telemetryPath, enableLifecycle, allowedHosts } = this.#parts.config.web;
    const core = this.#core;
    return createApp({
      ...{ exposition: core.exposition, log: core.log, clock: core.clock, telemetryPath, allowedHosts },
      status: () => this.status(),
      readiness: () => this.#readyOnPage(),
      figures: createFigures(core, () => this.#inUse),
      refresh: () => this.#refresh(),
      reload: () => this.reload(),
      probe: (org) => this.#probe(org),
      redact: core.redactor.redact,
      hooks: () => this.#front.hooks?.handle,
      lifecycle: enableLifecycle,
    });
  }

  async #watchFiles(files: Files, look: WebConfig['reload'] | undefined): Promise<void> {
    const { file, hooks, storage } = this.#parts.config;
    const isChanged = file.watch && file.path !== undefined ? await createLook(files, file.path) : undefined;
    const own: Watched[] = [];
    if (look !== undefined) own.push({ name: WEB_CONFIGURATION, look });
    if (isChanged !== undefined) {
      own.push({
        name: 'the configuration file',
        look: async () => {
          if (await isChanged()) await this.reload();
          return false;
        },
      });
    }
    const others: Watched[] = [];
    if (hooks.token !== undefined)
      others.push({ name: 'the file of the hooks token', look: hooks.token.refresh });
    if (storage.url !== undefined)
      others.push({ name: "the files of the database's URL", look: storage.url.refresh });
    const { clock, log, stopping } = this.#core;
    const note = (name: string, problem: string | undefined) => this.#reload.note(name, problem);
    const watched = () => [...own, ...this.#deployments.watched(), ...others];
    // The loop ends only when the service stops.
    watch(watched, { clock, signal: stopping.signal, log, note }).catch(() => undefined);
  }

  /** Begins to poll, and to do the work that only time triggers. */
  #work(): void {
    if (this.#isStopping) return;
    const { scheduler } = this.#core;
    scheduler.adopt([...this.#inUse.jobs.values()]);
    scheduler.start();
    void new Replica(this.#core, this.#deployments).start();
    // The loop ends only when the service stops; then nothing is left to do.
    this.#sweep().catch(() => undefined);
  }

  async #sweep(): Promise<void> {
    const { clock, stopping, history, store, scheduler, leading, log } = this.#core;
    for (;;) {
      await clock.wait(SWEEP_MS, stopping.signal);
      await history
        .sweep(this.#retention())
        .then(() => this.#noticeNewFile())
        .catch((error: unknown) => logUnlessNotStored(log, 'History sweep failed', error));
      await this.#deployments.stripIdentities();
      await this.#deployments.publishSafely();
      // In a shared store, the leader does this with each beat.
      if (store.leadership === undefined) scheduler.catchUp(leading.takeMissed());
    }
  }

  /** Makes all jobs due if another file has taken the place of the store's file. In a database, the leader does so. */
  async #noticeNewFile(): Promise<void> {
    const { store, history, leading } = this.#core;
    if (store.leadership !== undefined) return;
    const before = this.#fileEpoch;
    this.#fileEpoch = (await history.standing('')).epoch;
    if (before === undefined || before === this.#fileEpoch) return;
    for (const { name } of jobsOf(this.#inUse)) leading.missed(name);
  }

  #retention(): Retention | undefined {
    const { config, orgs } = this.#inUse;
    const { retention: days } = config.history;
    if (days === 0) return undefined;
    return { days, now: this.#core.clock.now(), orgs: [...orgs.keys()] };
  }

  #refresh(): readonly PausedPart[] {
    const { leading, store, traffic, log } = this.#core;
    if (leading.role() === 'leader') void this.#deployments.refresh();
    else
      store.leadership
        ?.askToRefresh()
        .catch((error: unknown) => logUnlessNotStored(log, 'Refresh request to the leader failed', error));
    return traffic.pausesOf(this.#inUse.config.orgs);
  }

  #readiness(): Readiness {
    const { store, leading, runs, clock } = this.#core;
    // Collectors that a reload adds do not make a ready service unready.
    if (this.#phase === 'ready') return { ready: true, waitingFor: [] };
    const waitingFor = store.waitingFor();
    if (waitingFor !== undefined) return { ready: false, waitingFor: [waitingFor] };
    if (this.#phase === 'starting') return { ready: false, waitingFor: ['what is stored'] };
    const role = leading.role();
    if (role === 'undecided') return { ready: false, waitingFor: ['the replica that polls'] };
    // A follower only publishes stored data, and has done so before it takes part.
    const targets = role === 'follower' ? [] : jobsOf(this.#inUse);
    const tried = readiness(runs, targets, clock.elapsed() - this.#startedAt.elapsed);
    if (tried.ready) this.#phase = 'ready';
    return tried;
  }

  /** Publishes before the service becomes ready, so that clients that wait for readiness find the newest data. */
  async #readyOnPage(): Promise<Readiness> {
    const now = this.#readiness();
    if (!now.ready) return now;
    this.#firstPage ??= this.flush().catch((error: unknown) =>
      this.log.error('The page could not be assembled', { error }),
    );
    await this.#firstPage;
    return now;
  }

  async #reloadConfig() {
    const next = await this.#parts.loadConfig?.();
    if (next === undefined) return { notes: [] };
    const { changes, missed } = await this.#deployments.apply(next);
    this.log.info('Configuration reloaded', { organizations: this.#inUse.orgs.size, ...namesOf(changes) });
    return { notes: [...noteOversights(next, this.log), ...this.#restartNotes.of(next)], missed };
  }

  async #reloadWeb() {
    const { web } = this.#front;
    await web?.reload();
    return { notes: web?.warnings().map((warning) => `Weak web configuration: ${warning}`) ?? [] };
  }

  /** Ends a service that can no longer poll: its page would never change again. */
  #failUnlessStopping(error: unknown): void {
    if (this.#isStopping) return;
    this.log.error('The history cannot be used; the exporter ends', { error });
    this.#exit.resolve(1);
  }

  async #stop(): Promise<void> {
    const { stopping, scheduler, traffic, store, page, history } = this.#core;
    stopping.abort();
    closeConnections(this.#inUse);
    await Promise.all([scheduler.stop(), this.#front.server?.close(), this.#reloading]);
    // A reload in progress may have created more clients.
    closeConnections(this.#inUse);
    await traffic.close();
    await store.leadership?.close();
    await this.#front.web?.close();
    await this.#front.hooks?.close();
    await page.close();
    await history.close();
    await this.log.close();
  }
}

/** The keys of a configuration that is not in use yet, for redaction. */
function startSecrets(config: Config): readonly string[] {
  return [...secretsIn(config), ...processSecrets(config)];
}

/** The keys of the process itself, which no reload changes, for redaction. */
function processSecrets({ storage, hooks }: Config): readonly string[] {
  return [...storageSecrets(storage), ...(hooks.token?.secrets() ?? [])];
}

/** Loads the intake if it is configured. Hook events name no organization, so one shard accepts them all. */
async function openHooks({ hooks, shard }: Config, core: Core): Promise<ServiceHooks | undefined> {
  const { token } = hooks;
  if (token === undefined || !takesHookEvents(shard)) return undefined;
  const { openServiceHooks } = await import('./hooks.ts');
  return openServiceHooks({ ...hooks, token }, core);
}
