import { expect, test } from 'vitest';
import { createDeployments } from '../../src/app/deployments.ts';
import { startCore } from './start-core.ts';

/** Applies settings with other people while the stored data is being read, which then fails. */
async function applyUnread({ isEnding }: { readonly isEnding: boolean }): Promise<string> {
  const { config, core, log } = await startCore(':memory:');
  const opened = Promise.withResolvers<never>();
  // Whoever waits for it gets the error.
  opened.promise.catch(() => undefined);
  const history = { ...core.history, read: () => opened.promise, amend: () => opened.promise };
  const deployments = createDeployments(config, { ...core, history });
  const people = { ...config.people, current: () => ({ ...config.people.current(), identity: 'id' }) };
  const applying = deployments.apply({ ...config, people });
  if (isEnding) core.stopping.abort();
  opened.reject(new Error('not opened'));
  await applying;
  return log();
}

test('a reload is incomplete if the history cannot be used', async () => {
  expect(await applyUnread({ isEnding: false })).toContain('Applying the new settings was incomplete');
});

test('a reload reports no error if the service ends before the history was read', async () => {
  expect(await applyUnread({ isEnding: true })).not.toContain('level=error');
});
