import { expect, test } from 'vitest';
import { namesOf, noteOversights, Reload, RestartNotes } from '../../src/app/reload.ts';
import type { LiveConfig, StartConfig } from '../../src/config/config.ts';
import { defaultPlatform } from '../../src/platforms/index.ts';
import { ConfigError } from '../../src/text/errors.ts';
import type { Reloadable } from '../../src/work/reload.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { createFakeLogger } from '../support/fake-logger.ts';

const problem = 'token does not exist';
const fails = async () => {
  throw new ConfigError(problem);
};

/** A reload of these sources, in which nothing has failed yet. */
function createReload(...sources: readonly Reloadable['reload'][]) {
  const clock = createFakeClock(0);
  const told: boolean[] = [];
  const core = {
    instruments: { configReload: (isGood: boolean) => void told.push(isGood) },
    ...{ clock, log: createFakeLogger() },
  };
  const named = sources.map((reload, index) => ({ name: `source ${index + 1}`, reload }));
  return { reload: new Reload(named, core as never), clock, told };
}

test('a file that fails for the configuration and by itself is one problem', async () => {
  const { reload } = createReload(fails);
  reload.note('the file of the hooks token', problem);
  expect(await reload.run()).toEqual({ ok: false, problem });
});

test.each<[string, readonly Reloadable['reload'][], object]>([
  ['that says nothing', [async () => ({ notes: [] })], { ok: true, notes: undefined }],
  [
    'with notes',
    [async () => ({ notes: ['one'] }), async () => ({ notes: ['two', 'three'] })],
    { ok: true, notes: ['one', 'two', 'three'] },
  ],
  [
    'that is incomplete',
    [async () => ({ notes: ['one'], missed: 'no store' }), async () => ({ notes: [], missed: 'no page' })],
    { ok: false, problem: 'no store; no page', isInUse: true },
  ],
  [
    'of which a part fails',
    [
      async () => ({ notes: [], missed: 'no store' }),
      async () => {
        throw new ConfigError('bad', 'mend it');
      },
    ],
    { ok: false, problem: 'bad. Hint: mend it; no store' },
  ],
])('the outcome of a reload %s', async (_, sources, outcome) => {
  expect(await createReload(...sources).reload.run()).toEqual(outcome);
});

test('the configuration counts as just read while nothing fails', async () => {
  const { reload, clock, told } = createReload(async () => ({ notes: [] }));
  expect(reload.state()).toEqual({ readAt: 0, problem: undefined });
  clock.set(1);
  reload.note('a file', problem);
  expect(reload.state()).toEqual({ readAt: 0, problem });
  clock.set(2);
  await reload.run();
  expect(reload.state()).toEqual({ readAt: 0, problem });
  clock.set(3);
  reload.note('a file', undefined);
  expect(reload.state()).toEqual({ readAt: 3, problem: undefined });
  clock.set(4);
  await reload.run();
  expect(reload.state().readAt).toBe(4);
  expect(told).toEqual([false, false, true, true]);
});

test('a source that works again is no problem any more', async () => {
  let isBroken = true;
  const { reload } = createReload(async () => {
    if (isBroken) throw new ConfigError(problem);
    return { notes: [] };
  });
  await reload.run();
  expect(reload.state().problem).toBe(problem);
  isBroken = false;
  expect(await reload.run()).toMatchObject({ ok: true });
  expect(reload.state().problem).toBeUndefined();
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

test('what cannot be meant is noted, and logged', () => {
  const log = createFakeLogger();
  const noted = (baseUrl: string, budgets: readonly (readonly [string, unknown])[], total = 1) => {
    const people = { current: () => ({ teamBudgets: new Map(budgets) }) };
    const orgs = [{ name: 'acme', platform: defaultPlatform, baseUrl }];
    return noteOversights({ orgs, people, shard: { index: 0, total } } as unknown as LiveConfig, log);
  };
  const [url, euros] = ['https://api.example.com', { value: 5, currency: 'EUR' }];
  expect(noted(url, [])).toEqual([]);
  expect(noted(url, [['web', 5]])).toEqual([]);
  expect(noted(url, [['web', euros]], 2)).toEqual([]);
  expect(log.events).toEqual([]);
  const budgets = [
    ['web', euros],
    ['all', 5],
    ['app', euros],
  ] as const;
  expect(noted(`${url}/api/v1`, budgets)).toEqual([
    'base_url of acme: requests go to /api/v1/api/v1/…; leave out /api/v1',
    expect.stringMatching(/^budgets of web, app limit nothing: .*; give them in the currency/),
  ]);
  expect(log.events.map(({ level, fields }) => [level, fields['org'], fields['teams']])).toEqual([
    ['warn', 'acme', undefined],
    ['warn', undefined, 'web, app'],
  ]);
  expect(log.events[0]?.fields).toMatchObject({ base_url: `${url}/api/v1`, hint: 'leave out /api/v1' });
});

test('the log names the organizations of each kind of change', () => {
  const changes = { added: ['a', 'b'], removed: [], changed: ['c'], moved: [] };
  expect(namesOf(changes as never)).toEqual({ added: 'a b', changed: 'c' });
});
