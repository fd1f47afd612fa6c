import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';

/** The clock of the machine that a program runs on, controlled by a test. */
export interface MachineClock {
  /** The argument of Node with which a program uses it. */
  readonly nodeArgument: string;
  /** The true time, as on all other clocks, in milliseconds since the epoch. */
  now(): number;
  /** Sets the clock: only its wall time changes. */
  step(ms: number): void;
  /** Lets time pass: wall time and monotonic time advance, and timers that are due fire. */
  pass(ms: number): void;
}

/** Shorter timers are not schedules and use the real clock, in milliseconds. */
const SCHEDULE_MS = 1_000;
/** How often the program reads the time set by the test, in milliseconds. */
const LOOK_MS = 20;

/** Runs in the program before anything else: its clocks and its longer timers follow a file. */
const FOLLOW = (file: string) => `
  import { readFileSync } from 'node:fs';
  const file = ${JSON.stringify(file)};
  const wall = Date.now.bind(Date);
  const monotonic = performance.now.bind(performance);
  const set = globalThis.setTimeout;
  let offsets;
  const look = () => {
    offsets = JSON.parse(readFileSync(file, 'utf8'));
  };
  look();
  setInterval(look, ${LOOK_MS}).unref();
  Date.now = () => wall() + offsets.wall;
  const elapsed = () => monotonic() + offsets.monotonic;
  performance.now = elapsed;
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
  let [passed, stepped] = [0, 0];

  function save(): void {
    // The program never reads a partial write.
    writeFileSync(`${file}.new`, JSON.stringify({ wall: offset + passed + stepped, monotonic: passed }));
    renameSync(`${file}.new`, file);
  }

  save();
  return {
    nodeArgument: `--import=data:text/javascript,${encodeURIComponent(FOLLOW(file))}`,
    now: () => Date.now() + offset + passed,
    step(ms) {
      stepped += ms;
      save();
    },
    pass(ms) {
      passed += ms;
      save();
    },
  };
}
