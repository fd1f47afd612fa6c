import { writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import type { SandboxOptions } from '../../../src/sandbox/index.ts';
import { createFaultyPlatform } from '../../client/faulty/platform.ts';
import { type Page, readPage } from '../../e2e/page.ts';
import { waitFor } from '../../support/wait-for.ts';
import { type Program, type Programs, written } from '../programs.ts';

const TOKEN = 'a-token-of-the-senders';
/** Nothing becomes due while a test runs. */
const NEVER = '0 0 29 2 *';

/** Longer than any answer takes, even if the database is slow. */
const ANSWER_MS = 120_000;

/** A request that reached the simulated platform. */
interface Asked {
  readonly key: string;
  readonly url: string;
  /** The name of the replica that has asked, if it has one. */
  readonly by: string;
  /** Whether it was answered with data. */
  readonly isAnswered: boolean;
}

/** A simulated platform in the process of the test, and what it was asked. */
export interface AskedPlatform {
  readonly url: string;
  readonly orgs: ReturnType<typeof createFaultyPlatform>['orgs'];
  readonly asked: readonly Asked[];
}

/** Handles requests in front of the simulated platform. */
type Intercept = (request: IncomingMessage, response: ServerResponse, next: () => void) => void;

/** Starts a platform until the end of the test. */
export async function startAskedPlatform(
  options: Omit<SandboxOptions, 'now'> & Partial<Pick<SandboxOptions, 'now'>>,
  intercept: Intercept = (_request, _response, next) => next(),
): Promise<AskedPlatform> {
  const sandbox = createFaultyPlatform({ now: Date.now, ...options });
  const asked: { key: string; url: string; by: string; isAnswered: boolean }[] = [];
  const platform = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    const key = String(request.headers.authorization).replace('Bearer ', '');
    const [, by = '', url = ''] = /^(?:\/by-(\w+))?(.*)$/.exec(String(request.url)) ?? [];
    request.url = url;
    const one = { key, url, by, isAnswered: false };
    asked.push(one);
    response.once('finish', () => {
      one.isAnswered = response.statusCode === 200;
    });
    intercept(request, response, () => sandbox.handler(request, response));
  });
  platform.listen(0, '127.0.0.1');
  await new Promise((resolve) => platform.once('listening', resolve));
  onTestFinished(() => {
    platform.closeAllConnections();
    platform.close();
  });
  const { port } = platform.address() as AddressInfo;
  return { asked, orgs: sandbox.orgs, url: `http://127.0.0.1:${port}` };
}

/** A running exporter. */
export interface Replica {
  readonly program: Program;
  readonly url: string;
  page(): Promise<Page>;
  isReady(): Promise<boolean>;
  /** Whether it is the one that polls. */
  leads(): Promise<boolean>;
  /** Sends hook events; resolves with the status of the answer, or rejects without one in time. */
  send(
    events: readonly { readonly id: string; readonly event: string; readonly session?: string }[],
    limitMs?: number,
  ): Promise<number>;
}

interface ReplicaOptions {
  /** The first day of the history. */
  readonly start: string;
  /** Requests per second of an organization. */
  readonly rate: number;
  /** By which the platform knows it. */
  readonly name?: string;
  /** More of the configuration file. */
  readonly settings?: string;
  /** Such as the store. */
  readonly environment: Readonly<Record<string, string>>;
}

/** Starts an exporter of all organizations of a platform, which polls at its start only. */
export async function startReplica(
  programs: Programs,
  platform: Pick<AskedPlatform, 'url' | 'orgs'>,
  { start, rate, name: by, settings = '', environment }: ReplicaOptions,
): Promise<Replica> {
  const file = join(programs.folder(), 'config.yaml');
  const orgs = platform.orgs.map(
    ({ name }, index) =>
      `  - {name: ${name}, base_url: "${platform.url}${by === undefined ? '' : `/by-${by}`}", api_key_env: KEY_${index}}`,
  );
  writeFileSync(
    file,
    `orgs:\n${orgs.join('\n')}\nschedule: {analytics: "${NEVER}", readiness: "${NEVER}", wiki: "${NEVER}"}
history: {start: ${start}}\napi: {requests_per_second: ${rate}}\n${settings}`,
  );
  const program = programs.exporter(['serve', `--config.file=${file}`, '--web.listen-address=127.0.0.1:0'], {
    AGENT_PLATFORM_HOOKS_TOKEN: TOKEN,
    ...Object.fromEntries(platform.orgs.map(({ keys }, index) => [`KEY_${index}`, keys.owner])),
    ...environment,
  });
  const port = await written(program, 'stderr', /msg=Serving .*\bport=(\d+)/);
  const url = `http://127.0.0.1:${port}`;
  const page = async () => readPage(await (await fetch(`${url}/metrics`)).text());
  return {
    ...{ program, url, page },
    isReady: async () => (await fetch(`${url}/-/ready`)).status === 200,
    leads: async () => (await page()).value('agent_platform_exporter_leader') === 1,
    async send(events, limitMs = ANSWER_MS) {
      const body = events.map(({ id, event, session = id }) => ({
        ...{ id, hook_event_name: event, session_id: session, occurred_at: Date.now() },
      }));
      const response = await fetch(`${url}/hooks/events`, {
        method: 'POST',
        headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
        body: JSON.stringify({ events: body }),
        signal: AbortSignal.timeout(limitMs),
      });
      await response.text();
      return response.status;
    },
  };
}

/**
 * Has everything fetched again, through any replica, and waits until the one that polls has ended all of it: nothing is
 * under way afterwards. Needs `AGENT_PLATFORM_WEB_ENABLE_LIFECYCLE`.
 */
export async function refresh(through: Replica, leader: Replica): Promise<void> {
  const ends = async () =>
    (await leader.page()).find('agent_platform_exporter_collector_last_run_timestamp_seconds');
  const before = await ends();
  expect(before).not.toEqual([]);
  expect((await fetch(`${through.url}/-/refresh`, { method: 'POST' })).status).toBe(202);
  await waitFor(async () => {
    const after = await ends();
    expect(after).toHaveLength(before.length);
    for (const [index, { labels, value }] of before.entries()) {
      expect(after[index]?.labels).toEqual(labels);
      expect(Number(after[index]?.value)).toBeGreaterThan(Number(value));
    }
  });
}
