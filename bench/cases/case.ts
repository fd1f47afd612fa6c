import { setTimeout as pause } from 'node:timers/promises';
import type { Checkout } from '../checkout.ts';
import type { RecordFigure } from '../figures.ts';
import type { Phase } from '../service.ts';

/** One thing that is measured, on each checkout in turn. */
export interface Case {
  readonly name: string;
  /** What is done, in a sentence of the page. */
  readonly what: string;
  readonly runs: number;
  /** Whether it is measured only if it is named. */
  readonly onRequest?: boolean;
  measure(context: CaseContext): Promise<void>;
}

export interface CaseContext {
  readonly checkout: Checkout;
  /** The program whose simulated platform and helpers are used: the same for both checkouts. */
  readonly helper: Checkout;
  readonly record: RecordFigure;
  /** An empty folder. */
  readonly folder: string;
  /** A folder for CPU profiles, if they are wanted. */
  readonly profiles: string | undefined;
}

/** 99 of 100 answers take at most this, whatever else happens, in milliseconds. */
const ANSWERS = { atMost: 150 };
const MIB = 2 ** 20;
/** After work, until memory is that of a program at rest. */
const REST_MS = 15_000;

/** Records how long a phase took, with bounds for the time by the clock and for the CPU time. */
export function recordTime(
  record: RecordFigure,
  what: string,
  phase: Phase,
  seconds?: number,
  cpuSeconds?: number,
): void {
  record(what, 's', phase.seconds, atMost(seconds));
  record(`${what}, waiting for a core`, 's', phase.waitedSeconds);
  record(`${what}, CPU`, 's', phase.cpuSeconds, atMost(cpuSeconds));
}

/** Records the answers and the longest blocks of the event loop in a phase. */
export function recordAnswers(record: RecordFigure, during: string, phase: Phase, block?: number): void {
  record(`answers during the ${during}, p99`, 'ms', phase.p99, ANSWERS);
  record(`longest block of the loop in the ${during}`, 'ms', phase.longest, atMost(block));
  record(`CPU time of the loop's longest turn in the ${during}`, 'ms', phase.ran);
}

/** Records resident memory at rest, and the most so far. */
export async function recordMemory(
  record: RecordFigure,
  memory: () => { readonly resident: number; readonly peak: number },
  bound?: number,
): Promise<void> {
  await pause(REST_MS);
  const { resident, peak } = memory();
  record('resident at rest', 'MiB', resident / MIB, atMost(bound));
  record('resident at most', 'MiB', peak / MIB);
}

function atMost(bound: number | undefined) {
  return bound === undefined ? undefined : { atMost: bound };
}
