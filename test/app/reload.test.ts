import { expect, test } from 'vitest';
import { Reload, RestartNotes } from '../../src/app/reload.ts';
import type { StartConfig } from '../../src/config/config.ts';
import { Instruments } from '../../src/exposition/instruments.ts';
import { ConfigError } from '../../src/text/errors.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { createFakeLogger } from '../support/fake-logger.ts';

test('a file that fails for the configuration and by itself is one problem', async () => {
  const problem = 'token does not exist';
  const fails = async () => {
    throw new ConfigError(problem);
  };
  const clock = createFakeClock(0);
  const instruments = new Instruments({ version: '', revision: '', clock, processMetrics: false });
  const log = { ...createFakeLogger(), setLevel: () => undefined, close: async () => undefined };
  const reload = new Reload([{ name: 'the configuration', reload: fails }], { instruments, clock, log });
  reload.note('the file of the hooks token', problem);
  expect(await reload.run()).toEqual({ ok: false, problem });
});

test('an option that needs a restart is noted by every reload, and logged when it has changed', () => {
  const log = createFakeLogger();
  const withPath = (path: string) =>
    ({ restart: new Map([['storage.path', path]]) }) as unknown as StartConfig;
  const notes = new RestartNotes(withPath('a.db'), log);
  const noted = ['a.db', 'b.db', 'b.db', 'a.db', 'b.db'].map((path) => notes.of(withPath(path)).length);
  expect(noted).toEqual([0, 1, 1, 0, 1]);
  expect(log.events.map(({ level, fields }) => [level, fields['options']])).toEqual([
    ['warn', '--storage.path'],
    ['warn', '--storage.path'],
  ]);
});
