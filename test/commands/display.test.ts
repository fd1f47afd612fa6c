import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { createDisplay } from '../../src/commands/display.ts';
import { load } from '../config/loading.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { writtenTo } from '../support/written.ts';

test('the log of a command masks the password of the database and the secrets of its target', async () => {
  const stderr = new PassThrough();
  const environment = { AGENT_PLATFORM_STORAGE_URL: 'postgres://exporter:hunter2-pass@db.example.com/usage' };
  const { storage } = await load({ environment });
  const { log } = createDisplay(
    stderr,
    { log: { level: 'info', format: 'logfmt' }, storage },
    createFakeClock(0),
    () => ['target-token-1'],
  );
  log.info('Store unavailable', { error: new Error('hunter2-pass was refused, target-token-1 too') });
  await log.close();
  const text = writtenTo(stderr);
  expect(text).toContain('Store unavailable');
  expect(text).not.toMatch(/hunter2-pass|target-token-1/);
});
