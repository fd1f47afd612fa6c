import { onTestFinished, vi } from 'vitest';
import { App } from '../../src/app/app.ts';
import { isFetching } from '../../src/catalog/collector.ts';
import type { Contract } from '../../src/catalog/settings.ts';
import { collectors } from '../../src/collectors/index.ts';
import { parseArguments } from '../../src/config/arguments.ts';
import type { Config } from '../../src/config/config.ts';
import { createFixedCredential } from '../../src/config/credential.ts';
import { loadConfig } from '../../src/config/load.ts';
import { createOptions } from '../../src/config/options.ts';
import { defaultPlatform } from '../../src/platforms/index.ts';
import type { Sandbox, SandboxOptions } from '../../src/sandbox/index.ts';
import type { ReloadOutcome } from '../../src/work/reload.ts';
import { createFaultyPlatform, type FaultyPlatform } from '../client/faulty/platform.ts';
import { createFakeFiles } from '../support/fake-files.ts';
import { createFakeTicker } from '../support/fake-ticker.ts';
import { createKeptStream } from '../support/logs.ts';
import { waitFor } from '../support/wait-for.ts';
import { createStoryClock, type StoryClock } from './clock.ts';
import { type Page, readPage } from './page.ts';
import { type Rewrite, startRewriting } from './rewriting.ts';

export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;
/** The initial time of a story: noon of 2026-11-20, UTC. */
export const NOON = Date.UTC(2026, 10, 20, 12);
/** Time limit of a request: far longer than a response from this machine takes. */
const API_TIMEOUT_MS = 10 * 60_000;
/** Number of days of the platform: those that the stories request, and some more for those that last several days. */
const DAYS = 60;
export const YESTERDAY = '2026-11-19';
/** Four weeks before yesterday: the days that zeros and baselines look back on. Stories that need more say so. */
export const HISTORY_START = '2026-10-22';

export interface StoryOptions {
  readonly sandbox?: Partial<SandboxOptions>;
  /** Flags of the service, without the dashes. */
  readonly flags?: readonly string[];
  /** The text of a configuration file. */
  readonly file?: string;
  /** Loads the configuration of a platform at a URL, in place of these options. */
  readonly load?: (platform: Sandbox, url: string) => Promise<Config>;
  /** Other files by path; a file added later is a change. */
  readonly files?: Map<string, string | Error>;
  readonly environment?: Readonly<Record<string, string>>;
  /** The key of an organization instead of its owner's. */
  readonly keys?: Readonly<Record<string, string>>;
  /** The organizations to configure; all of the platform's by default. */
  readonly only?: readonly string[];
  /** The identifiers in the configuration, by organization. */
  readonly orgIds?: Readonly<Record<string, string>>;
  /** The collectors to run; the usual ones by default. */
  readonly collectors?: readonly string[];
  /** The configured contract of each organization. */
  readonly contract?: Contract;
  /** The initial time of the story, in milliseconds since the epoch; noon by default. */
  readonly begins?: number;
  /** Changes the platform's answers. */
  readonly rewrite?: Rewrite;
  /** Waits of at least so many milliseconds end only when the test advances the clock; those of a minute by default. */
  readonly heldMs?: number;
  /** If true, polls know when the next one is due. */
  readonly scheduled?: boolean;
  /** If false, nothing has been polled yet. */
  readonly polled?: boolean;
  /** Called when the service was created, before it starts. */
  readonly onCreated?: () => void;
}

/** The service and the simulated platform that it polls, on free ports of this machine and a common clock. */
export interface Story {
  readonly clock: StoryClock;
  readonly ticker: ReturnType<typeof createFakeTicker>;
  readonly platform: FaultyPlatform;
  readonly platformUrl: string;
  readonly service: App;
  /** Stops the service. */
  stop(): Promise<void>;
  /** Reloads the service's configuration: the initial one with changes. */
  reload(change: (config: Config) => Config | Promise<Config>): Promise<ReloadOutcome>;
  /** Runs every collector; resolves with the names of those that failed, as `org/collector`. */
  poll(): Promise<readonly string[]>;
  /** The current page of metrics. */
  page(): Promise<Page>;
  /** The address of the service. */
  readonly url: string;
  get(path: string, init?: RequestInit): Promise<Response>;
  /** Everything logged so far. */
  log(): string;
  /** The log lines that contain all of these texts. */
  logged(...texts: readonly string[]): readonly string[];
  /** The API's own answer, with the owner's key. */
  ask(path: string, query?: Readonly<Record<string, string>>, org?: string): Promise<unknown>;
}

/** Starts the platform and the service, and runs every collector once; both are stopped after the test. */
export async function startStory(options: StoryOptions = {}): Promise<Story> {
  const clock = createStoryClock(options.begins ?? NOON, options.heldMs);
  const ticker = createFakeTicker(options.scheduled ? clock : undefined);
  const platform = createFaultyPlatform({
    now: clock.now,
    users: 12,
    repos: 3,
    days: DAYS,
    ...options.sandbox,
  });
  const { url: ownUrl } = await platform.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(() => platform.close());
  const platformUrl = options.rewrite ? await startRewriting(ownUrl, options.rewrite) : ownUrl;
  const { stderr, log } = createKeptStream('the service');
  const config = await (options.load?.(platform, platformUrl) ?? configOf(platform, platformUrl, options));
  let loadConfig: () => Promise<Config> = async () => config;
  const service = await App.open({
    config,
    loadConfig: () => loadConfig(),
    version: '0.0.0',
    revision: 'test',
    clock,
    random: () => 0.5,
    stderr,
    simulated: false,
    ticker,
  });
  options.onCreated?.();
  const { port, scheme } = await service.start();
  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped ??= service.stop();
    return stopped;
  };
  onTestFinished(stop);
  const here = `${scheme}://127.0.0.1:${port}`;

  const story: Story = {
    clock,
    ticker,
    platform,
    platformUrl,
    service,
    stop,
    reload(change) {
      loadConfig = async () => change(config);
      return service.reload();
    },
    log,
    logged: (...texts) =>
      log()
        .split('\n')
        .filter((line) => texts.every((text) => line.includes(text))),
    async poll() {
      clock.advance(2_000);
      return (await service.pollOnce()).toSorted();
    },
    async page() {
      // The process's own part is rendered at most once a second.
      clock.advance(2_000);
      await service.flush();
      return readPage(await (await fetch(`${here}/metrics`)).text());
    },
    url: here,
    get: (path, init) => fetch(here + path, init),
    async ask(path, query = {}, org = 'acme') {
      const owner = platform.orgs.find(({ name }) => name === org)?.keys.owner;
      const answer = await fetch(`${platformUrl}${path}?${new URLSearchParams(query)}`, {
        headers: { authorization: `Bearer ${owner}` },
      });
      return await answer.json();
    },
  };
  if (options.polled !== false) await firstRuns(service);
  return story;
}

/** A derived collector has no runs of its own; it waits for its source's first success. */
const fetching = new Set(collectors.filter(isFetching).map(({ name }) => name));

/** Resolves once no collector is running or waiting for its first run. */
export async function firstRuns(service: App): Promise<void> {
  await waitFor(
    () =>
      service
        .status()
        .orgs.every(({ collectors: states }) =>
          states.every(
            ({ name, state }) => !fetching.has(name) || (state !== 'running' && state !== 'waiting'),
          ),
        ),
    {
      what: 'the first run of every collector',
      seen: () =>
        service.status().orgs.map(({ name, collectors: states }) => ({
          [name]: Object.fromEntries(states.map((one) => [one.name, one.state])),
        })),
    },
  );
}

/**
 * Waits for runs on a platform that never answers one collector: whenever nothing else is running,
 * the request times out. Only the timers of sockets are moved. No collector may run twice at a time, since the end of
 * one run would hide the other.
 */
export async function untilTimedOut<Result>(
  story: Story,
  collector: string,
  runs: () => Promise<Result>,
): Promise<Result> {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    let ended = false;
    const running = runs().finally(() => {
      ended = true;
    });
    const waiting = () =>
      story.service
        .status()
        .orgs.flatMap(({ collectors: states }) => states.filter(({ state }) => state === 'running'))
        .map(({ name }) => name);
    // Collectors derived from another one's days wait for that collector, not for the platform.
    const isOver = () => waiting().every((name) => name === collector || name === 'spend');
    while (!ended) {
      await waitFor(() => ended || isOver(), {
        what: `nothing but ${collector} runs`,
        seen: waiting,
      });
      // Another one may have begun since the wait ended: its time is not over.
      if (!ended && isOver()) vi.advanceTimersByTime(API_TIMEOUT_MS);
      // Sockets close, and the next attempt begins.
      await new Promise((resolve) => setImmediate(resolve));
    }
    return await running;
  } finally {
    vi.useRealTimers();
  }
}

/** The configuration for a story's options, with all of the platform's organizations. */
export async function configOf(platform: Sandbox, url: string, story: StoryOptions): Promise<Config> {
  const { flags = [], file, files = new Map<string, string | Error>(), keys = {}, contract } = story;
  const { environment = {} } = story;
  const options = createOptions(collectors);
  const given = [
    ...['web.listen-address=127.0.0.1:0', 'log.level=debug', `history.start=${HISTORY_START}`],
    ...['api.requests-per-second=1000', 'schedule.jitter=0', 'api.timeout=10m'],
    ...('AGENT_PLATFORM_STORAGE_URL_FILE' in environment ? [] : ['storage.path=:memory:']),
    ...(file === undefined ? [] : ['config.file=exporter.yaml']),
    ...collectorFlags(story.collectors),
    // The last one counts.
    ...flags,
  ].map((flag) => `--${flag}`);
  if (file !== undefined) files.set('exporter.yaml', file);
  const parsed = parseArguments(lastOfEach(given), options);
  const loaded = await loadConfig({
    flags: parsed.help ? new Map() : parsed.flags,
    environment,
    files: createFakeFiles(files),
    collectors,
    organizations: 'ignored',
  });
  return {
    ...loaded,
    orgs: platform.orgs
      .filter(({ name }) => story.only?.includes(name) ?? true)
      .map(({ name, keys: own }) => ({
        name,
        platform: defaultPlatform,
        orgId: story.orgIds?.[name],
        baseUrl: url,
        appUrl: url,
        credential: createFixedCredential(keys[name] ?? own.owner, 'the test'),
        ...(contract && { contract }),
      })),
  };
}

function collectorFlags(selected: readonly string[] | undefined): readonly string[] {
  if (selected === undefined) return [];
  return collectors.map(({ name }) =>
    selected.includes(name) ? `collector.${name}` : `no-collector.${name}`,
  );
}

function lastOfEach(flags: readonly string[]): string[] {
  return [...new Map(flags.map((flag) => [flag.replace(/=.*$/s, ''), flag])).values()];
}
