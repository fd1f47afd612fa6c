import { writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { readStore } from '../../src/app/store.ts';
import type { DatasetName } from '../../src/catalog/dataset.ts';
import { collectors } from '../../src/collectors/index.ts';
import { createSystemClock } from '../../src/work/clock.ts';
import { readPage } from '../e2e/page.ts';
import { createNoonClock } from '../e2e/program.ts';
import { createFakeLogger } from '../support/fake-logger.ts';
import { waitFor } from '../support/wait-for.ts';
import { type Programs, written } from '../system/programs.ts';

const ORG = 'octo';
const noon = createNoonClock();

/** A simulated platform, as its `create…Sandbox` makes it. */
interface Face {
  readonly handler: RequestListener;
  listen(where: { readonly host: string; readonly port: number }): Promise<unknown>;
  close(): Promise<unknown>;
}

interface KilledOptions {
  readonly programs: Programs;
  /** Creates the platform with a clock that does not advance. */
  readonly face: (now: () => number) => Face;
  /** What is configured of the organization beside its name, address and key. */
  readonly org: Readonly<Record<string, unknown>>;
  readonly key: string;
  /** The first day of the history. */
  readonly start: string;
  readonly datasets: readonly DatasetName[];
  /** At which request each process is killed: what it was answered before is stored, one answer after another. */
  readonly killedAt: readonly number[];
}

/** A platform that may do something else than to answer a request. */
async function startFace(create: KilledOptions['face']) {
  const now = noon.now();
  const sandbox = create(() => now);
  // The links of answers lead to the files that it listens for itself.
  await sandbox.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(async () => void (await sandbox.close()));
  const face = { answer: sandbox.handler, handler: sandbox.handler, url: '' };
  const server = createServer((request, response) => face.answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  onTestFinished(() => server.closeAllConnections());
  face.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return face;
}

/** Everything in a store except the times of its answers. */
async function contentOf(path: string, datasets: readonly DatasetName[]) {
  const parts = { path, url: undefined, orgs: [ORG], collectors };
  const store = await readStore({ ...parts, clock: createSystemClock(), log: createFakeLogger() });
  const org = await store.read(ORG);
  const content = datasets.map((name) => {
    const days = org.days(name);
    const rows = [...days.keys()].sort().map((day) => [day, days.get(day)] as const);
    return { name, rows, revisedOn: org.dataset(name).revisedOn };
  });
  await store.close();
  return { orgId: org.orgId, content, covered: content.map(({ rows }) => rows.length) };
}

const sum = (counts: readonly number[]) => counts.reduce((all, count) => all + count, 0);

/** Fails unless a service that is killed again and again ends with the store of an undisturbed one. */
export async function expectSameAfterKills(options: KilledOptions): Promise<void> {
  const { programs, org, key, start, datasets, killedAt } = options;
  const face = await startFace(options.face);
  const folder = programs.folder();
  const file = join(folder, 'exporter.yml');
  const configured = { name: ORG, ...org, base_url: face.url, api_key_env: 'KEY' };
  await writeFile(
    file,
    `orgs: [${JSON.stringify(configured)}]\ncollectors: {users: {enabled: true}}\nhistory: {start: ${start}}\n`,
  );
  // One request at a time: each answer is stored before the next request.
  const serve = (storage: string) =>
    programs.exporter(
      [
        ...['serve', '--web.listen-address=127.0.0.1:0', `--config.file=${file}`],
        ...[`--storage.path=${storage}`, '--api.max-concurrent-requests=1'],
      ],
      { KEY: key, NODE_OPTIONS: noon.nodeArguments.join(' ') },
    );

  const killed = join(folder, 'killed.db');
  let before = datasets.map(() => 0);
  for (const last of killedAt) {
    let asked = 0;
    face.answer = (request, response) => {
      asked += 1;
      if (asked < last) face.handler(request, response);
      else program.send('SIGKILL');
    };
    const program = serve(killed);
    expect(await program.ended, program.stderr()).toEqual({ code: null, signal: 'SIGKILL' });
    expect(asked).toBe(last);
    const { covered } = await contentOf(killed, datasets);
    for (const [index, count] of covered.entries()) expect(count).toBeGreaterThanOrEqual(before[index] ?? 0);
    before = covered;
  }
  expect(sum(before)).toBeGreaterThan(0);

  face.answer = face.handler;
  const alone = join(folder, 'alone.db');
  for (const storage of [killed, alone]) {
    const program = serve(storage);
    const port = await written(program, 'stderr', /msg=Serving .*\bport=(\d+)/);
    await waitFor(async () => {
      const page = readPage(await (await fetch(`http://127.0.0.1:${port}/metrics`)).text());
      const succeeded = page.by('collector', 'agent_platform_exporter_collector_success');
      expect(datasets.map((name) => succeeded[name])).toEqual(datasets.map(() => 1));
    });
    program.send('SIGTERM');
    expect(await program.ended, program.stderr()).toEqual({ code: 0, signal: null });
  }
  const expected = await contentOf(alone, datasets);
  expect(sum(expected.covered), 'all kills were during the first sync').toBeGreaterThan(sum(before));
  expect(await contentOf(killed, datasets)).toEqual(expected);
  // A later kill changes nothing of it.
  face.answer = () => again.send('SIGKILL');
  const again = serve(killed);
  expect(await again.ended).toEqual({ code: null, signal: 'SIGKILL' });
  expect(await contentOf(killed, datasets)).toEqual(expected);
}
