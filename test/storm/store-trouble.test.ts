import { closeSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { NOON } from '../e2e/harness.ts';
import { type Program, pageAfterRuns, settledPage, startProgram } from '../e2e/program.ts';
import { createDirectory } from '../store/files.ts';
import { waitFor } from '../support/wait-for.ts';
import { createMachineClock, type MachineClock } from './machine-clock.ts';

const PERSISTENT = 'agent_platform_exporter_history_persistent';

const COLLECTORS = ['tokens', 'tools', 'activity', 'productivity', 'readiness', 'wiki'];
const NEVER = '0 0 1 1 *';
/** The interval in milliseconds at which the store is checked. */
const SWEEP = 60_000;

interface Stored extends Program {
  readonly clock: MachineClock;
  /** Lets sweeps pass until the metric shows whether everything is in the file. */
  untilPersistent(expected: 0 | 1): Promise<void>;
  logged(...texts: readonly string[]): readonly string[];
}

/** The program with a history file, after the first run of each collector. */
async function startOn(
  file: string,
  more: readonly string[] = [],
  { start = '2026-10-01', nodeArguments = [] as readonly string[] } = {},
): Promise<Stored> {
  const clock = createMachineClock(NOON);
  const flags = [
    // Longer than the time that passes during a request.
    ...[`--storage.path=${file}`, `--history.start=${start}`, '--api.timeout=10m'],
    ...['analytics', 'readiness', 'wiki'].map((name) => `--schedule.${name}=${NEVER}`),
    ...more,
  ];
  const program = await startProgram(flags, undefined, {
    now: clock.now,
    nodeArguments: [clock.nodeArgument, ...nodeArguments],
  });
  await pageAfterRuns(program, COLLECTORS);
  return {
    ...program,
    clock,
    untilPersistent(expected) {
      const passSometimes = seldom(() => clock.pass(SWEEP));
      return waitFor(
        async () => {
          passSometimes();
          expect((await program.page()).value(PERSISTENT)).toBe(expected);
        },
        { log: program.log },
      );
    },
    logged: (...texts) =>
      program
        .log()
        .split('\n')
        .filter((line) => texts.every((text) => line.includes(text))),
  };
}

/** Sets SQLite's own limit on the size of the history at the start of each transaction, as with a full disk. */
function roomFor(file: string, history: string): string {
  const script = `
    import { readFileSync } from 'node:fs';
    import { DatabaseSync } from 'node:sqlite';
    const exec = DatabaseSync.prototype.exec;
    DatabaseSync.prototype.exec = function (sql) {
      if (sql.startsWith('BEGIN') && this.location() === ${JSON.stringify(history)})
        exec.call(this, 'PRAGMA max_page_count = ' + readFileSync(${JSON.stringify(file)}, 'utf8'));
      return exec.call(this, sql);
    };`;
  return `--import=data:text/javascript,${encodeURIComponent(script)}`;
}

/** Brings what is still in the write-ahead log into the database, where the damage is done. */
async function writeLogInto(file: string): Promise<void> {
  const db = new DatabaseSync(file);
  await waitFor(() => expect(db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()?.['busy']).toBe(0));
  db.close();
}

/** Overwrites bytes of the file in place: a file that is empty for a moment would be taken for a new one. */
function overwrite(file: string, bytes: Uint8Array, position: number): void {
  const descriptor = openSync(file, 'r+');
  writeSync(descriptor, bytes, 0, bytes.length, position);
  closeSync(descriptor);
}

test('a disk that fills up under an existing history costs no figure, and what is missing comes once there is room', async () => {
  const directory = createDirectory();
  const [file, room] = [path.join(directory, 'history.db'), path.join(directory, 'room')];
  writeFileSync(room, '100000');
  const nodeArguments = [roomFor(room, file)];
  const first = await startOn(file, [], { nodeArguments });
  expect((await first.page()).value(PERSISTENT)).toBe(1);
  const before = (await settledPage(first, COLLECTORS)).platform();
  first.process.kill('SIGKILL');
  await waitFor(() => first.process.signalCode !== null);
  const size = new DatabaseSync(file, { readOnly: true });
  const pages = Number(size.prepare('PRAGMA page_count').get()?.['page_count']);
  size.close();

  // Not a page more than the current size, while half a year of days is still to come.
  writeFileSync(room, String(pages));
  const program = await startOn(file, [], { start: '2026-04-01', nodeArguments });
  await program.untilPersistent(0);
  // Small writes still find room, so that it may be said again.
  expect(program.logged('level=warn', 'reason=full', 'hint=').length).toBeGreaterThan(0);
  const page = await program.page();
  expect(page.value('agent_platform_daily_credits')).toBeGreaterThan(0);

  writeFileSync(room, '100000');
  await program.untilPersistent(1);
  // A request that time ran out for sets its day aside until the next run, which no schedule brings.
  const passSometimes = seldom(() => program.clock.pass(SWEEP));
  await waitFor(async () => {
    passSometimes();
    const now = await program.page();
    expect(Object.values(now.by('dataset', 'agent_platform_history_uncovered'))).toEqual([0, 0, 0, 0]);
  });
  expect((await program.page()).platform().length).toBeGreaterThanOrEqual(before.length);
});

/** Acts at one of twenty calls, so that a request that is under way can end before time passes again. */
function seldom(act: () => void): () => void {
  let calls = 0;
  return () => {
    if (calls++ % 20 === 0) act();
  };
}

/** Damages pages of a history while a program has it open; returns the damaged bytes. */
async function damage(program: Stored, file: string): Promise<Buffer> {
  await program.clock.followed();
  await writeLogInto(file);
  overwrite(file, Buffer.alloc(8192, 0xa5), 4096);
  return readFileSync(file);
}

test('a history that is damaged while it is open is replaced and filled again, and is reported once', async () => {
  const file = path.join(createDirectory(), 'history.db');
  const program = await startOn(file);
  await program.untilPersistent(1);
  const before = (await settledPage(program, COLLECTORS)).platform();
  const damaged = await damage(program, file);
  await waitFor(() => {
    program.clock.pass(SWEEP);
    expect(program.logged('level=error', 'aside=')).toHaveLength(1);
  });
  expect(readFileSync(`${file}.damaged-1`).equals(damaged)).toBe(true);
  // The page stays, and the new file is filled without waiting for the schedule.
  const passSometimes = seldom(() => program.clock.pass(SWEEP));
  await waitFor(() => {
    passSometimes();
    const days = new DatabaseSync(file, { readOnly: true });
    expect(days.prepare('SELECT count(*) AS days FROM day').get()?.['days']).toBeGreaterThan(4);
    days.close();
  });
  // A day whose request was under way while time passed is asked for again later.
  await waitFor(async () => {
    passSometimes();
    expect((await program.page()).platform()).toEqual(expect.arrayContaining([...before]));
  });
  const revisions = (await program.page()).by('dataset', 'agent_platform_exporter_day_revisions_total');
  expect(Object.values(revisions)).toEqual([0, 0, 0, 0]);
  expect(program.logged('level=error')).toHaveLength(1);
});

test('a history that is damaged while it is open and must not be replaced ends the process, and stays as it is', async () => {
  const file = path.join(createDirectory(), 'history.db');
  const program = await startOn(file, ['--storage.on-damage=exit']);
  await program.untilPersistent(1);
  // What a run stored after the damage would change the file.
  await settledPage(program, COLLECTORS);
  const damaged = await damage(program, file);
  await waitFor(() => {
    program.clock.pass(SWEEP);
    expect(program.process.exitCode).toBe(2);
  });
  // A process may be gone before the last of its log was read.
  await waitFor(() => program.process.stderr?.readableEnded === true);
  expect(program.logged('level=error', 'is damaged', 'hint=')).toHaveLength(1);
  expect(readFileSync(file).equals(damaged)).toBe(true);
});
