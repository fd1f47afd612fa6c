import { writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readStore } from '../../src/app/store.ts';
import { collectors } from '../../src/collectors/index.ts';
import { createCopilotSandbox } from '../../src/sandbox/index.ts';
import { createSystemClock } from '../../src/work/clock.ts';
import { readPage } from '../e2e/page.ts';
import { createNoonClock } from '../e2e/program.ts';
import { createFakeLogger } from '../support/fake-logger.ts';
import { waitFor } from '../support/wait-for.ts';
import { createPrograms, written } from '../system/programs.ts';

const DATASETS = ['tokens', 'activity', 'productivity', 'users'] as const;
/** At which request each process is killed: what it was answered before is stored, one answer after another. */
const KILLED_AT = [1, 2, 3, 5, 8, 13, 21];

const programs = createPrograms();
const noon = createNoonClock();

/** A simulated Copilot whose clock does not advance, and that may do something else than to answer a request. */
async function startCopilot() {
  const now = noon.now();
  const sandbox = createCopilotSandbox({ now: () => now, users: 12 });
  // The links of answers lead to the files that it listens for itself.
  await sandbox.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(() => sandbox.close());
  const copilot = { answer: sandbox.handler as RequestListener, handler: sandbox.handler, url: '' };
  const server = createServer((request, response) => copilot.answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  onTestFinished(() => server.closeAllConnections());
  copilot.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return copilot;
}

/** Everything in a store except the times of its answers. */
async function contentOf(path: string) {
  const parts = { path, url: undefined, orgs: ['octo'], collectors };
  const store = await readStore({ ...parts, clock: createSystemClock(), log: createFakeLogger() });
  const org = await store.read('octo');
  const content = DATASETS.map((name) => {
    const days = org.days(name);
    const rows = [...days.keys()].sort().map((day) => [day, days.get(day)] as const);
    return { name, rows, revisedOn: org.dataset(name).revisedOn };
  });
  await store.close();
  return { orgId: org.orgId, content, covered: content.map(({ rows }) => rows.length) };
}

test('a service killed between two writes about Copilot ends with the store of an undisturbed one', async () => {
  const copilot = await startCopilot();
  const folder = programs.folder();
  const file = join(folder, 'exporter.yml');
  const org = { name: 'octo', platform: 'copilot', account: 'acme-org', link_hosts: ['127.0.0.1'] };
  await writeFile(
    file,
    [
      `orgs: [${JSON.stringify({ ...org, base_url: copilot.url, api_key_env: 'KEY' })}]`,
      'collectors: {users: {enabled: true}}',
      'history: {start: 2026-11-01}',
    ].join('\n'),
  );
  // One request at a time: each answer is stored before the next request.
  const start = (storage: string) =>
    programs.exporter(
      [
        ...['serve', '--web.listen-address=127.0.0.1:0', `--config.file=${file}`],
        ...[`--storage.path=${storage}`, '--api.max-concurrent-requests=1'],
      ],
      { KEY: 'sandbox-acme-full', NODE_OPTIONS: noon.nodeArguments.join(' ') },
    );

  const killed = join(folder, 'killed.db');
  let before = DATASETS.map(() => 0);
  for (const last of KILLED_AT) {
    let asked = 0;
    copilot.answer = (request, response) => {
      asked += 1;
      if (asked < last) copilot.handler(request, response);
      else program.send('SIGKILL');
    };
    const program = start(killed);
    expect(await program.ended, program.stderr()).toEqual({ code: null, signal: 'SIGKILL' });
    expect(asked).toBe(last);
    const { covered } = await contentOf(killed);
    for (const [index, count] of covered.entries()) expect(count).toBeGreaterThanOrEqual(before[index] ?? 0);
    before = covered;
  }
  const sum = (counts: readonly number[]) => counts.reduce((all, count) => all + count, 0);
  expect(sum(before)).toBeGreaterThan(0);

  copilot.answer = copilot.handler;
  const alone = join(folder, 'alone.db');
  for (const storage of [killed, alone]) {
    const program = start(storage);
    const port = await written(program, 'stderr', /msg=Serving .*\bport=(\d+)/);
    await waitFor(async () => {
      const page = readPage(await (await fetch(`http://127.0.0.1:${port}/metrics`)).text());
      const succeeded = page.by('collector', 'agent_platform_exporter_collector_success');
      expect(DATASETS.map((name) => succeeded[name])).toEqual([1, 1, 1, 1]);
    });
    program.send('SIGTERM');
    expect(await program.ended, program.stderr()).toEqual({ code: 0, signal: null });
  }
  const expected = await contentOf(alone);
  expect(sum(expected.covered), 'all kills were during the first sync').toBeGreaterThan(sum(before));
  expect(await contentOf(killed)).toEqual(expected);
  // A later kill changes nothing of it.
  copilot.answer = () => again.send('SIGKILL');
  const again = start(killed);
  expect(await again.ended).toEqual({ code: null, signal: 'SIGKILL' });
  expect(await contentOf(killed)).toEqual(expected);
});
