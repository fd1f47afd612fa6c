import { expect, onTestFinished } from 'vitest';
import { collectors } from '../../../src/collectors/index.ts';
import type { Config } from '../../../src/config/config.ts';
import { loadConfig } from '../../../src/config/load.ts';
import type { ReloadOutcome } from '../../../src/work/reload.ts';
import { createFaultyPlatform, type FaultyPlatform } from '../../client/faulty/platform.ts';
import { createFakeFiles } from '../../support/fake-files.ts';
import { waitFor } from '../../support/wait-for.ts';
import { firstRuns, HISTORY_START, NOON, type Story, type StoryOptions, startStory } from '../harness.ts';

/** The addresses of the platform and of another one, which has the same organizations and keys. */
interface Place {
  readonly url: string;
  readonly elsewhere: string;
}

/** A value of the configuration file. */
type Value =
  | string
  | number
  | boolean
  | undefined
  | readonly unknown[]
  | object
  | ((place: Place) => unknown);

/** A key of the configuration file, and the effect of a reload that changes it. */
export interface Row {
  /** Its path; through a list, the key of each entry. */
  readonly key: string;
  /** Its value at the start; left out of the file by default. */
  readonly from?: Value;
  readonly to: Value;
  /** Other keys by path; undefined leaves one out. */
  readonly beside?: Readonly<Record<string, Value>>;
  /** The collectors that run. */
  readonly collectors: readonly string[];
  readonly story?: StoryOptions;
  /** What a user sees. */
  see(story: LiveStory): unknown;
  /** What is seen at the start; where it is left out, nobody can wait for it. */
  readonly before?: unknown;
  /** What is seen once the changed file is reloaded. */
  readonly after: unknown;
  /** Whether the effect follows the reload instead of coming with it. */
  readonly follows?: true;
}

/** A service that reloads its configuration file, and another platform to which the file may lead it. */
export interface LiveStory extends Story {
  readonly elsewhere: FaultyPlatform;
  /** Writes the changed key into the file and reloads it. */
  change(): Promise<ReloadOutcome>;
}

/** Starts the service with the configuration file of a row. */
async function startRow(row: Row): Promise<LiveStory> {
  const { story: options = {}, from, to } = row;
  const sandbox = { users: 12, repos: 3, days: 60, ...options.sandbox };
  const elsewhere = createFaultyPlatform({ ...sandbox, now: () => NOON });
  const { url: elsewhereUrl } = await elsewhere.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(() => elsewhere.close());
  const files = options.files ?? new Map<string, string | Error>();
  async function load(url: string, value: Value): Promise<Config> {
    files.set('exporter.yaml', JSON.stringify(fileOf(row, value, { url, elsewhere: elsewhereUrl })));
    return loadConfig({
      flags: new Map([['config.file', { texts: ['exporter.yaml'], origin: '--config.file' }]]),
      environment: {
        KEY_OF_ACME: 'sandbox-acme-owner',
        KEY_OF_GLOBEX: 'sandbox-globex-owner',
        ...options.environment,
      },
      files: createFakeFiles(files),
      collectors,
    });
  }
  const story = await startStory({ ...options, sandbox, load: (_platform, url) => load(url, from) });
  return { ...story, elsewhere, change: () => story.reload(() => load(story.platformUrl, to)) };
}

/** Whether a row needs a platform that only `vi.mock` adds. */
export function isOnBarePlatform({ to, beside }: Row): boolean {
  return JSON.stringify([to, beside]).includes('"bare"');
}

/** Sees what a row says before and after the change. */
export async function seeChange(row: Row): Promise<void> {
  const story = await startRow(row);
  const seen = (what: unknown) => expect(Promise.resolve(row.see(story))).resolves.toEqual(what);
  if ('before' in row) await (row.follows ? waitFor(() => seen(row.before)) : seen(row.before));
  expect(await story.change()).toEqual({ ok: true });
  if (row.follows) return await waitFor(() => seen(row.after));
  await firstRuns(story.service);
  await seen(row.after);
}

/** The content of the configuration file in which the row's key has this value. */
function fileOf(row: Row, value: Value, place: Place): unknown {
  const orgs = ['acme', 'globex'].slice(0, row.story?.sandbox?.orgs ?? 1);
  const start = {
    web: { listen_address: '127.0.0.1:0' },
    storage: { path: ':memory:' },
    history: { start: HISTORY_START },
    api: { timeout: '10m', requests_per_second: 1000 },
    schedule: { jitter: '0' },
    log: { level: 'debug' },
    collectors: Object.fromEntries(
      collectors.map(({ name }) => [name, { enabled: row.collectors.includes(name) }]),
    ),
    orgs: orgs.map((name) => ({ name, base_url: place.url, api_key_env: `KEY_OF_${name.toUpperCase()}` })),
  };
  const given = [...Object.entries(row.beside ?? {}), [row.key, value] as const];
  return given.reduce<unknown>((content, [path, one]) => {
    return withKey(content, path.split('.'), typeof one === 'function' ? one(place) : one);
  }, start);
}

/** The content with another value at a path; in JSON, undefined leaves the key out. */
function withKey(content: unknown, [key = '', ...below]: readonly string[], value: unknown): unknown {
  if (Array.isArray(content)) return content.map((entry) => withKey(entry, [key, ...below], value));
  const { [key]: inner, ...others } = Object(content ?? {});
  return { ...others, [key]: below.length === 0 ? value : withKey(inner, below, value) };
}
