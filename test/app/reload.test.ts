import { expect, test } from 'vitest';
import { Reload } from '../../src/app/reload.ts';
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
