import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Core } from '../../src/app/core.ts';
import { createDeployment, type Deployment } from '../../src/app/deployment.ts';
import { createPageKeeper } from '../../src/app/kept-page.ts';
import type { PageFile } from '../../src/app/page-file.ts';
import { markOf } from '../../src/history/sqlite/file-identity.ts';
import { waitFor } from '../support/wait-for.ts';
import { NOW, startCore } from './start-core.ts';

/** A page file that notes what is done with it; `write` takes the place of writing. */
function createFile(write: (signal: AbortSignal | undefined) => Promise<void> = async () => undefined) {
  const done: string[] = [];
  const file: PageFile = {
    path: 'history-page.gz',
    read: async () => undefined,
    async write(_bytes, signal) {
      done.push('begin');
      await write(signal);
      done.push('written');
    },
    async remove() {
      done.push('removed');
    },
    async removeUnfinished() {
      done.push('tidied');
    },
  };
  return { file, done };
}

function untilAborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
}

/** Starts a core with its first deployment. */
async function start(history: string) {
  const started = await startCore(history);
  return { ...started, deployment: createDeployment(started.config, started.core) };
}

function createPath(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'page-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return path.join(folder, 'history.db');
}

async function publish(core: Core, { orgs, publisher, names }: Deployment) {
  for (const { settings } of orgs.values()) await publisher.publish(settings, [...names]);
  await core.publication.flush();
}

test('a page that is being written when the service ends gives way to the one that is kept then', async () => {
  const { core, deployment, log } = await start(createPath());
  await publish(core, deployment);
  const { file, done } = createFile((signal) =>
    done.length === 2 ? untilAborted(signal) : Promise.resolve(),
  );
  const keeper = createPageKeeper({ file, core, inUse: () => deployment });
  const keeping = keeper.keep();
  await waitFor(() => done.includes('begin'), { what: 'the page is being written' });
  core.stopping.abort();
  await Promise.all([keeping, keeper.keepAtEnd(core.history.close)]);
  expect(done).toEqual(['tidied', 'begin', 'begin', 'written']);
  expect(log()).not.toContain('page cannot be kept');
});

test('the page makes way as long as the data cannot be stored, unless another process has kept it', async () => {
  const { core, deployment } = await start(createPath());
  onTestFinished(core.history.close);
  await publish(core, deployment);
  let isPersistent = false;
  const store = { ...core.store, isPersistent: () => isPersistent };
  const { file, done } = createFile();
  const keeper = createPageKeeper({ file, core: { ...core, store }, inUse: () => deployment });
  await keeper.keep();
  expect(done).toEqual([]);
  isPersistent = true;
  await keeper.keep();
  isPersistent = false;
  await keeper.keep();
  expect(done).toEqual(['tidied', 'begin', 'written', 'removed']);
});

test('a page of the day before is not kept', async () => {
  const { core, clock, deployment } = await start(createPath());
  await publish(core, deployment);
  const { file, done } = createFile();
  const keeper = createPageKeeper({ file, core, inUse: () => deployment });
  await keeper.keep();
  clock.set(NOW + 12 * 3_600_000);
  await keeper.keepAtEnd(core.history.close);
  expect(done).toEqual(['tidied', 'begin', 'written', 'removed']);
});

test('the page that was found at the start stays if the service ends before it has made its own', async () => {
  const history = createPath();
  const before = await startCore(history);
  await before.core.history.close();
  const store = markOf(history) ?? '';
  const { core, deployment, settings } = await start(history);
  const origin = { release: core.release, settings, store };
  const found = { origin, at: NOW, until: undefined, storeId: undefined };
  const { file, done } = createFile();
  const keeper = createPageKeeper({ file, core, found, inUse: () => deployment });
  await keeper.keepAtEnd(core.history.close);
  expect(done).toEqual(['tidied']);
});

test('the page that was found at the start is removed at the end if it is not that of the stored data', async () => {
  const { core, deployment, settings } = await start(createPath());
  const origin = { release: core.release, settings, store: 'other' };
  const found = { origin, at: NOW, until: undefined, storeId: undefined };
  const { file, done } = createFile();
  const keeper = createPageKeeper({ file, core, found, inUse: () => deployment });
  await keeper.keepAtEnd(core.history.close);
  expect(done).toEqual(['tidied', 'removed']);
});

test('what a killed process has left of a page is removed, though no page is kept, once the history is ours', async () => {
  const { core, deployment } = await start(createPath());
  onTestFinished(core.history.close);
  let isPersistent = false;
  const store = { ...core.store, isPersistent: () => isPersistent };
  const { file, done } = createFile();
  const keeper = createPageKeeper({ file, core: { ...core, store }, inUse: () => deployment });
  await keeper.keep();
  expect(done).not.toContain('tidied');
  isPersistent = true;
  await keeper.keep();
  await keeper.keep();
  expect(done.filter((what) => what === 'tidied')).toEqual(['tidied']);
  expect(done).not.toContain('begin');
});
