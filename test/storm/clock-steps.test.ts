import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { DAY, HOUR, NOON, YESTERDAY } from '../e2e/harness.ts';
import { type Program, settledPage, startProgram } from '../e2e/program.ts';
import { createDirectory, readBeside } from '../store/files.ts';
import { waitFor } from '../support/wait-for.ts';
import { createMachineClock, type MachineClock } from './machine-clock.ts';

const MINUTE = 60_000;
/** The interval between the program's checks of its clock. */
const BETWEEN_LOOKS = 30_000;
/** Longer than the interval between the program's checks of its clock, by more than the threshold of a jump. */
const STANDSTILL = 95_000;
/** How long an extra run delays the next one. */
const BETWEEN_EXTRA_RUNS = 10 * MINUTE;
const NEVER = '0 0 1 1 *';
const DATASETS = ['tokens', 'tools', 'activity', 'productivity'];
const COLLECTORS = [...DATASETS, 'readiness', 'wiki'];
const JUMP = 'stepped_seconds=';

interface Watched extends Program {
  readonly clock: MachineClock;
  /** How often each dataset was requested for one day alone, as every run does for its newest day. */
  asked(day: string): readonly number[];
  /** Resolves once every dataset was requested this often for a day, and those runs have ended. */
  untilAsked(day: string, times: number): Promise<void>;
  /** Resolves once the program has noticed this many changes of its clock. */
  untilNoticed(jumps: number): Promise<void>;
  jumps(): number;
}

/** The program on a clock that the test controls, after the first run of each collector. */
async function startWatched(flags: readonly string[] = []): Promise<Watched> {
  const clock = createMachineClock(NOON);
  const never = ['users', 'readiness', 'wiki'].map((name) => `--schedule.${name}=${NEVER}`);
  const program = await startProgram(
    [...never, '--web.enable-lifecycle', '--history.start=2026-09-01', ...flags],
    undefined,
    { now: clock.now, nodeArguments: [clock.nodeArgument] },
  );
  await settledPage(program, COLLECTORS);
  await untilIdle(program);
  const jumps = () => program.log().split(JUMP).length - 1;
  const asked = (day: string) =>
    DATASETS.map(
      (name) =>
        program.platform.requests.filter(
          ({ path: to, query }) =>
            to.endsWith(`/${name}`) && query['startDate'] === day && query['endDate'] === day,
        ).length,
    );
  return {
    ...program,
    clock,
    asked,
    jumps,
    async untilAsked(day, times) {
      await waitFor(() => expect(asked(day)).toEqual(DATASETS.map(() => times)), { log: program.log });
      await untilIdle(program);
    },
    untilNoticed: (times) => waitFor(() => expect(jumps()).toBe(times), { log: program.log }),
  };
}

interface Status {
  readonly orgs: readonly {
    readonly collectors: readonly { name: string; state: string; nextRunAt?: string }[];
  }[];
}

async function statusOf(program: Program): Promise<Status> {
  return (await (await program.get('/status')).json()) as Status;
}

/** Resolves once no collector runs: time that passes during a request counts towards its duration. */
async function untilIdle(program: Program): Promise<void> {
  await waitFor(async () => expect(JSON.stringify(await statusOf(program))).not.toContain('"running"'));
}

/** The state of a process, such as `T` for stopped. */
function stateOf(pid: number | undefined): string | undefined {
  return /^State:\s+(\w)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
}

/** Stops the process, lets this much time pass, and continues it. */
async function suspend({ process: child, clock }: Watched, ms: number): Promise<void> {
  child.kill('SIGSTOP');
  await waitFor(() => stateOf(child.pid) === 'T', { what: 'the process is stopped' });
  clock.pass(ms);
  child.kill('SIGCONT');
}

test('a process that was stopped and continued runs each collector exactly once, and not again within ten minutes', async () => {
  const program = await startWatched([`--schedule.analytics=${NEVER}`]);
  expect(program.asked(YESTERDAY)).toEqual([1, 1, 1, 1]);
  const documents = () =>
    program.platform.requests.filter(({ path: to }) => /wiki|readiness|maturity/.test(to)).length;
  const once = documents();

  await suspend(program, STANDSTILL);
  await program.untilAsked(YESTERDAY, 2);
  expect(program.jumps()).toBe(1);

  // The next ones are noticed and cause one run together, ten minutes after the first.
  await suspend(program, STANDSTILL);
  await program.untilNoticed(2);
  await suspend(program, STANDSTILL);
  await program.untilNoticed(3);
  expect(program.asked(YESTERDAY)).toEqual([2, 2, 2, 2]);
  await suspend(program, BETWEEN_EXTRA_RUNS);
  await program.untilNoticed(4);
  await program.untilAsked(YESTERDAY, 3);
  expect(documents()).toBe(3 * once);
});

test('a clock that is set back by eight hours is followed at once', async () => {
  const program = await startWatched();
  program.clock.step(-8 * HOUR, BETWEEN_LOOKS);
  await program.untilNoticed(1);
  await program.untilAsked(YESTERDAY, 2);
  const { orgs } = await statusOf(program);
  const next = orgs[0]?.collectors.find(({ name }) => name === 'tokens')?.nextRunAt;
  expect(next).toMatch(/^2026-11-20T04:20/);
});

test('a clock that is wrong by a year for a while costs no figure, and its missed ticks are not made up for', async () => {
  const file = path.join(createDirectory(), 'history.db');
  const program = await startWatched([`--storage.path=${file}`, '--history.retention=60d']);
  const before = (await program.page()).platform();
  const stored = async () => (await (await readBeside(file, 'default')).read('default')).days('tokens').size;
  const days = await stored();
  expect(days).toBeGreaterThanOrEqual(60);
  const wrong = '2027-11-19';

  program.clock.step(365 * DAY, BETWEEN_LOOKS);
  await program.untilNoticed(1);
  await program.untilAsked(wrong, 1);
  for (let passed = 0; passed < 5 * MINUTE; passed += BETWEEN_LOOKS) {
    program.clock.pass(BETWEEN_LOOKS);
    // More at once could be a standstill, depending on how long ago the program last checked its clock.
    await program.clock.followed();
    await program.page();
  }
  // Every day since the last known one is uncovered once the changes caused by time alone are published.
  const uncovered = async () =>
    (await program.page()).value('agent_platform_history_uncovered', { dataset: 'tokens' });
  await waitFor(async () => expect(await uncovered()).toBe(60));
  expect(await stored()).toBe(days);
  expect(program.asked(wrong)).toEqual([1, 1, 1, 1]);

  program.clock.step(-365 * DAY, BETWEEN_EXTRA_RUNS);
  await program.untilNoticed(2);
  await program.untilAsked(YESTERDAY, 2);
  await waitFor(async () => expect((await program.page()).platform()).toEqual(before));
});
