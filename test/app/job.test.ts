import { expect, test } from 'vitest';
import { jobOf } from '../../src/app/job.ts';
import { tokensCollector } from '../../src/collectors/tokens/collector.ts';
import { createRunStates } from '../../src/pipeline/run-states.ts';
import { type FailureReason, PlatformError } from '../../src/text/errors.ts';

interface Given {
  readonly isPermitted?: boolean;
  readonly ended?: AbortSignal;
  readonly end?: 'ended' | 'unstored' | 'aborted';
  readonly error?: PlatformError;
  readonly isRetired?: boolean;
  /** When the run after this one is due, without jitter. */
  readonly nextAt?: number;
}

/** The run of a job; resolves with what it says, and what it did. */
async function run({ isPermitted = true, ended, end = 'ended', error, isRetired, nextAt }: Given) {
  const runs = createRunStates();
  if (error !== undefined) runs.update('acme', 'tokens', { failure: { error, since: 0 } });
  const retired = new AbortController();
  if (isRetired) retired.abort();
  const missed: string[] = [];
  const targets: { readonly retired: AbortSignal; dueAfter(at: number): number | undefined }[] = [];
  const job = jobOf({
    org: {
      config: { name: 'acme', platform: {} },
      settings: {},
      connection: { open: async () => ({}) },
    },
    collector: tokensCollector,
    runner: {
      async run(target: (typeof targets)[number]) {
        targets.push(target);
        return end;
      },
    },
    ...{ runs, retired: retired.signal },
    leading: {
      permit: () => (isPermitted ? { ended } : undefined),
      missed: (name: string) => void missed.push(name),
    },
    schedules: { analytics: '20 * * * *', jitter: 7 },
    scheduler: { nextRunOf: (_: string, at: number) => (nextAt === undefined ? undefined : at + nextAt) },
  } as never);
  const retryAt = await job.run('scheduled');
  return { job, retryAt, missed, target: targets[0] };
}

test('a job has the schedule of its collector', async () => {
  expect((await run({})).job).toMatchObject({
    ...{ name: 'acme/tokens', org: 'acme', collector: 'tokens', schedule: '20 * * * *', jitterMs: 7 },
  });
});

test.each<[string, Given, readonly string[]]>([
  ['that has ended is not missed', {}, []],
  ['without leadership is', { isPermitted: false }, ['acme/tokens']],
  ['that could not be stored is', { end: 'unstored' }, ['acme/tokens']],
  ['that was aborted is', { end: 'aborted' }, ['acme/tokens']],
  ['that was aborted by a reload is not: the next settings run it', { end: 'aborted', isRetired: true }, []],
])('a run %s', async (_, given, missed) => {
  expect((await run(given)).missed).toEqual(missed);
});

const failed = (reason: FailureReason, rest: object = {}) => new PlatformError(reason, 'no', rest);

test.each<[string, Given, number | undefined]>([
  ['success', {}, undefined],
  ['a lost connection', { error: failed('network') }, 0],
  ['a pause', { error: failed('throttled', { retryAt: 5 }) }, 5],
  ['an error of the server', { error: failed('server', { status: 500 }) }, 0],
  ['a refusal', { error: failed('role', { status: 499 }) }, undefined],
  ['a bad key', { error: failed('auth') }, undefined],
  ['an earlier failure, if the run was aborted', { error: failed('network'), end: 'aborted' }, undefined],
])('%s is followed by another run at its time, or by none', async (_, given, retryAt) => {
  expect((await run(given)).retryAt).toBe(retryAt);
});

test('a run ends with its settings, or with the term of the leader', async () => {
  const term = new AbortController();
  const [reloaded, led, alone] = [
    await run({ isRetired: true }),
    await run({ ended: term.signal }),
    await run({}),
  ];
  expect([reloaded, led, alone].map(({ target }) => target?.retired.aborted)).toEqual([true, false, false]);
  term.abort();
  expect(led.target?.retired.aborted).toBe(true);
});

test('the next run is due at its time with the jitter, if it has one', async () => {
  expect((await run({ nextAt: 60 })).target?.dueAfter(1000)).toBe(1067);
  expect((await run({})).target?.dueAfter(1000)).toBeUndefined();
});
