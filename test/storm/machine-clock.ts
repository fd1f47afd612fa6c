import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { waitFor } from '../support/wait-for.ts';

/** The clock of the machine that a program runs on, controlled by a test. */
export interface MachineClock {
  /** The argument of Node with which a program uses it. */
  readonly nodeArgument: string;
  /** The true time, as on all other clocks, in milliseconds since the epoch. */
  now(): number;
  /** Sets the clock: only its wall time changes; meanwhile, time may pass, of which no program sees one without the other. */
  step(ms: number, passing?: number): void;
  /** Lets time pass: wall time and monotonic time advance, and timers that are due fire. */
  pass(ms: number): void;
  /** Resolves once a program has seen the time as it was last set, and its timers that were due have fired. */
  followed(): Promise<void>;
}

/** Shorter timers are not schedules and use the real clock, in milliseconds. */
const SCHEDULE_MS = 1_000;
/** How often the program reads the time set by the test, in milliseconds. */
const LOOK_MS = 20;

/** Runs in the program before anything else: its clocks and its longer timers follow a file. */
const FOLLOW = (file: string) => `
  import { readFileSync, writeFileSync } from 'node:fs';
  const file = ${JSON.stringify(file)};
  const wall = Date.now.bind(Date);
  const uptime = process.uptime.bind(process);
  const set = globalThis.setTimeout;
  let offsets;
  let looksSince = 0;
  const look = () => {
    const next = JSON.parse(readFileSync(file, 'utf8'));
    looksSince = next.serial === offsets?.serial ? looksSince + 1 : 0;
    offsets = next;
    // Timers with the interval of this one take turns with it: each has fired since the time was seen.
    if (looksSince === 2) writeFileSync(file + '.seen', String(offsets.serial));
  };
  look();
  setInterval(look, ${LOOK_MS}).unref();
  Date.now = () => wall() + offsets.wall;
  const elapsed = () => uptime() * 1000 + offsets.monotonic;
  process.uptime = () => elapsed() / 1000;
  globalThis.setTimeout = (run, ms, ...args) => {
    if (!(ms >= ${SCHEDULE_MS})) return set(run, ms, ...args);
    const due = elapsed() + ms;
    const timer = setInterval(() => {
      if (elapsed() < due) return;
      clearInterval(timer);
      run(...args);
    }, ${LOOK_MS});
    return timer;
  };`;

/** Creates a clock with this time, in milliseconds since the epoch, which is right until the test sets it. */
export function createMachineClock(begins: number): MachineClock {
  const folder = mkdtempSync(path.join(tmpdir(), 'exporter-clock-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = path.join(folder, 'offsets.json');
  const offset = begins - Date.now();
  let [passed, stepped, serial] = [0, 0, 0];

  function save(): void {
    serial += 1;
    const set = { wall: offset + passed + stepped, monotonic: passed, serial };
    // The program never reads a partial write.
    writeFileSync(`${file}.new`, JSON.stringify(set));
    renameSync(`${file}.new`, file);
  }

  save();
  return {
    nodeArgument: `--import=data:text/javascript,${encodeURIComponent(FOLLOW(file))}`,
    now: () => Date.now() + offset + passed,
    step(ms, passing = 0) {
      stepped += ms;
      passed += passing;
      save();
    },
    pass(ms) {
      passed += ms;
      save();
    },
    followed: () =>
      waitFor(() => expect(readFileSync(`${file}.seen`, 'utf8')).toBe(String(serial)), {
        what: 'the program follows its clock',
      }),
  };
}
