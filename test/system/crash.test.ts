import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readStore } from '../../src/app/store.ts';
import type { DatasetName } from '../../src/catalog/dataset.ts';
import { collectors } from '../../src/collectors/index.ts';
import { createSandbox } from '../../src/sandbox/index.ts';
import { createSystemClock } from '../../src/work/clock.ts';
import { readPage } from '../e2e/page.ts';
import { createNoonClock } from '../e2e/program.ts';
import { expectSettled } from '../e2e/settled.ts';
import { createFakeLogger } from '../support/fake-logger.ts';
import { waitFor } from '../support/wait-for.ts';
import { KEY } from './platform.ts';
import { createPrograms, type Program, written } from './programs.ts';

const KILLS = 52;
/** Kills in rounds after the first sync. */
const LATER_KILLS = 8;
/** This many stores are tested concurrently, each with its share of the kills. */
const STORES = 2;
const DATASETS = ['tokens', 'tools', 'activity', 'productivity', 'readiness', 'wiki'] as const;

const programs = createPrograms();
const clock = createSystemClock();
/** No day ends between two processes, which would store different days. */
const noon = createNoonClock();

interface Platform {
  readonly url: string;
  /** Resolves once this many more requests have arrived. */
  requests(count: number): Promise<void>;
}

/** A simulated platform that counts its requests, and whose clock does not advance. */
async function createPlatform(): Promise<Platform> {
  const now = noon.now();
  const sandbox = createSandbox({ now: () => now, users: 6, repos: 4 });
  const waiting = new Set<{ left: number; resolve: () => void }>();
  const server = createServer((request, response) => {
    for (const waiter of waiting) {
      waiter.left--;
      if (waiter.left > 0) continue;
      waiting.delete(waiter);
      waiter.resolve();
    }
    sandbox.handler(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterAll(() => server.close());
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: (left) => new Promise((resolve) => waiting.add({ left, resolve })),
  };
}

/** Everything in a store except the times of its answers. */
async function contentOf(path: string): Promise<Record<string, unknown>> {
  const parts = { path, url: undefined, orgs: ['acme'], collectors, clock, log: createFakeLogger() };
  const store = await readStore(parts);
  const org = await store.read('acme');
  const content: Record<string, unknown> = { orgId: org.orgId };
  for (const dataset of DATASETS) {
    const days = org.days(dataset);
    content[dataset] = {
      days: Object.fromEntries([...days.keys()].map((day) => [day, days.get(day)])),
      documents: org
        .documents(dataset)
        .map((document) => JSON.stringify(document))
        .sort(),
      revisedOn: org.dataset(dataset).revisedOn,
    };
  }
  await store.close();
  return content;
}

function coveredDays(content: Record<string, unknown>): Record<string, number> {
  return Object.fromEntries(
    DATASETS.map((name: DatasetName) => {
      const { days } = content[name] as { readonly days: object };
      return [name, Object.keys(days).length];
    }),
  );
}

function serve(platform: Platform, storage: string): Program {
  return programs.exporter(
    [
      ...['serve', '--web.listen-address=127.0.0.1:0', `--storage.path=${storage}`],
      // A thousand days take many windows per dataset: the first sync is not over before the last kill.
      ...['--history.start=2024-01-01', '--api.requests-per-second=400'],
    ],
    {
      AGENT_PLATFORM_API_BASE_URL: platform.url,
      AGENT_PLATFORM_API_KEY: KEY,
      AGENT_PLATFORM_ORG: 'acme',
      NODE_OPTIONS: noon.nodeArguments.join(' '),
    },
  );
}

/** Serves until every day is stored and every collector has succeeded, then stops it properly. */
async function syncToTheEnd(platform: Platform, storage: string): Promise<void> {
  const program = serve(platform, storage);
  const port = await written(program, 'stderr', /msg=Serving .*\bport=(\d+)/);
  await waitFor(async () => {
    const page = readPage(await (await fetch(`http://127.0.0.1:${port}/metrics`)).text());
    expectSettled(page, DATASETS, noon.now());
  });
  program.send('SIGTERM');
  expect(await program.ended).toEqual({ code: 0, signal: null });
}

/** Starts a serve and kills it some requests, and then some milliseconds, after its first one. */
async function serveAndKill(
  platform: Platform,
  storage: string,
  chance: () => number,
  requests = 12,
): Promise<void> {
  const asked = platform.requests(1 + Math.floor(chance() * requests));
  const program = serve(platform, storage);
  const ending = await Promise.race([asked, program.ended]);
  expect(ending, program.stderr()).toBeUndefined();
  await clock.wait(chance() * 30);
  program.send('SIGKILL');
  expect((await program.ended).signal).toBe('SIGKILL');
}

/** A sequence of numbers in [0, 1) determined by a seed. */
function chanceOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

test('a serve that is killed repeatedly during its first sync ends with the store of an undisturbed one, which later kills leave as it is', async () => {
  const seed = clock.now() % 100_000;
  const platforms = await Promise.all(Array.from({ length: STORES }, createPlatform));
  const killed = await Promise.all(
    platforms.map(async (platform, index) => {
      const storage = join(programs.folder(), 'history.db');
      const chance = chanceOf(seed + index);
      let before = coveredDays(Object.fromEntries(DATASETS.map((name) => [name, { days: {} }])));
      for (let kill = 1; kill <= KILLS / STORES; kill++) {
        await serveAndKill(platform, storage, chance);
        // Between two checks, a serve opens the file as left by the killed one.
        if (kill % 3 !== 0) continue;
        const covered = coveredDays(await contentOf(storage));
        for (const name of DATASETS) expect(covered[name]).toBeGreaterThanOrEqual(before[name] ?? 0);
        before = covered;
      }
      return { platform, storage, covered: before };
    }),
  );
  const alone = join(programs.folder(), 'history.db');
  const [first] = killed;
  if (first === undefined) throw new Error('nothing was tried');
  await syncToTheEnd(first.platform, alone);
  const expected = await contentOf(alone);
  for (const { platform, storage, covered } of killed) {
    expect(covered['tokens'], 'all kills were during the first sync').toBeLessThan(1_000);
    await syncToTheEnd(platform, storage);
    expect(await contentOf(storage), `seed ${seed}`).toEqual(expected);
  }
  // A start runs every collector once: each of the six asks something.
  const chance = chanceOf(seed + STORES);
  for (let kill = 0; kill < LATER_KILLS; kill++) {
    await serveAndKill(first.platform, alone, chance, DATASETS.length);
    expect(await contentOf(alone), `seed ${seed}`).toEqual(expected);
  }
});
