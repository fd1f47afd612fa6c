import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { run } from '../../src/commands/backfill.ts';
import { backfillOptions } from '../../src/config/command-options.ts';
import { createContext } from './surroundings.ts';

test('a stop before the history was read ends a backfill without a request', async () => {
  let requests = 0;
  const server = createServer((_, response) => {
    requests += 1;
    response.writeHead(500).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const folder = await mkdtemp(join(tmpdir(), 'stop-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const { context, stdout } = createContext(backfillOptions, [`--output=${join(folder, 'past')}`], {
    AGENT_PLATFORM_API_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    AGENT_PLATFORM_API_KEY: 'key',
  });
  expect(await run({ ...context, stopSignal: () => AbortSignal.abort() })).toBe(1);
  expect(requests).toBe(0);
  expect(stdout()).toContain('interrupted');
});
