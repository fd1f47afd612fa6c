import { PassThrough } from 'node:stream';
import { App } from '../../src/app/app.ts';
import type { Sandbox } from '../../src/sandbox/index.ts';
import { createFaultyPlatform } from '../client/faulty/platform.ts';
import { createStoryClock, type StoryClock } from '../e2e/clock.ts';
import { configOf, firstRuns, NOON } from '../e2e/harness.ts';
import { type Page, readPage } from '../e2e/page.ts';
import { createFakeTicker } from '../support/fake-ticker.ts';
import { keepLog } from '../support/logs.ts';
import { createWire, type Wire } from './wire.ts';

/** An exporter and its platform on one clock, across any number of restarts. */
export interface Weather {
  readonly clock: StoryClock;
  readonly platform: Sandbox;
  readonly wire: Wire;
  /** How often the exporter was started. */
  readonly life: number;
  poll(): Promise<void>;
  page(): Promise<Page>;
  /** Stops the exporter and starts another one with the same store. */
  restart(): Promise<void>;
  /** The log since the last call. */
  takeLog(): string;
  close(): Promise<void>;
}

interface WeatherOptions {
  /** The file of the store. */
  readonly store: string;
  readonly seed: number;
  readonly flags?: readonly string[];
}

/** Creates two small organizations and an exporter that polls them. */
export async function createWeather({ store, seed, flags = [] }: WeatherOptions): Promise<Weather> {
  const clock = createStoryClock(NOON);
  const platform = createFaultyPlatform({ now: clock.now, seed, users: 4, repos: 1, orgs: 2 });
  const wire = await createWire(platform, clock.now);
  const story = {
    flags: [
      `storage.path=${store}`,
      'history.start=2026-11-01',
      'history.retention=40d',
      'api.retries=2',
      'collector.users',
      'log.level=info',
      ...flags,
    ],
  };
  const config = await configOf(platform, wire.url, story);
  let log = '';
  let life = 0;
  let service: App;
  keepLog('the service, since the last look', () => log);
  let here = '';

  async function begin(): Promise<void> {
    const stderr = new PassThrough({ encoding: 'utf8' });
    stderr.on('data', (text: string) => {
      log += text;
    });
    service = await App.open({
      config,
      version: '0.0.0',
      revision: 'test',
      clock,
      random: () => 0.5,
      stderr,
      simulated: false,
      ticker: createFakeTicker(),
    });
    const { port } = await service.start();
    here = `http://127.0.0.1:${port}`;
    life += 1;
    await firstRuns(service);
  }

  await begin();
  return {
    clock,
    platform,
    wire,
    get life() {
      return life;
    },
    async poll() {
      await service.pollOnce();
    },
    async page() {
      // The process's own part is rendered at most once a second.
      clock.advance(1_500);
      await service.flush();
      return readPage(await (await fetch(`${here}/metrics`)).text());
    },
    async restart() {
      await service.stop();
      await begin();
    },
    takeLog() {
      const taken = log;
      log = '';
      return taken;
    },
    async close() {
      await service.stop();
      await wire.close();
    },
  };
}
