import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createSandbox } from '../../../src/sandbox/index.ts';
import { readPage } from '../../e2e/page.ts';
import { waitFor } from '../../support/wait-for.ts';
import { createPrograms, written } from '../programs.ts';
import { usePostgres } from './server.ts';

const server = usePostgres();
const programs = createPrograms();

/** A platform that asks for a pause of an hour while it is `busy`. */
async function startPlatform() {
  const sandbox = createSandbox({ orgs: 1, users: 5, repos: 2, now: Date.now });
  const state = { busy: true, asked: 0 };
  const platform = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    state.asked += 1;
    if (!state.busy) return sandbox.handler(request, response);
    response.writeHead(429, { 'retry-after': '3600' }).end();
  });
  platform.listen(0, '127.0.0.1');
  await new Promise((resolve) => platform.once('listening', resolve));
  onTestFinished(() => {
    platform.closeAllConnections();
    platform.close();
  });
  const port = (platform.address() as AddressInfo).port;
  return { state, key: sandbox.orgs[0]?.keys.owner ?? '', url: `http://127.0.0.1:${port}` };
}

test('a pause that one replica was asked for is kept by the one that takes over', async () => {
  const platform = await startPlatform();
  const database = await server.database();
  async function start() {
    const program = programs.exporter(['serve', '--web.listen-address=127.0.0.1:0'], {
      AGENT_PLATFORM_API_BASE_URL: platform.url,
      AGENT_PLATFORM_API_KEY: platform.key,
      AGENT_PLATFORM_HISTORY_START: '2026-11-01',
      AGENT_PLATFORM_STORAGE_URL: database,
    });
    const port = await written(program, 'stderr', /msg=Serving .*\bport=(\d+)/);
    return { program, url: `http://127.0.0.1:${port}` };
  }
  const one = await start();
  await waitFor(async () => {
    const rows = await server.query(database, 'SELECT scope, reason, status FROM agent_platform.pause');
    expect(rows).toEqual([{ scope: 'organization', reason: 'throttled', status: 429 }]);
  });
  await waitFor(async () => {
    const rows = await server.query(database, 'SELECT collector FROM agent_platform.collector_run');
    expect(rows).toHaveLength(6);
  });
  one.program.send('SIGTERM');
  await one.program.ended;

  platform.state.busy = false;
  const before = platform.state.asked;
  // Every collector is overdue for the next one.
  await server.query(database, 'DELETE FROM agent_platform.tick');
  const two = await start();
  await waitFor(async () => {
    const ticks = await server.query(database, 'SELECT FROM agent_platform.tick WHERE is_finished');
    expect(ticks).toHaveLength(6);
  });
  expect(platform.state.asked).toBe(before);
  const page = readPage(await (await fetch(`${two.url}/metrics`)).text());
  const wiki = { collector: 'wiki', reason: 'throttled' };
  expect(page.value('agent_platform_exporter_collector_failing', wiki)).toBe(1);
});
