import type { Child } from '../child.ts';
import type { Memory, Publishing, Question } from '../messages.ts';
import { median } from '../report/statistics.ts';

/** Several publications, each from parsed rows to published bytes. */
export interface PublishingResult {
  readonly series: number;
  /** The first one, with nothing compiled yet, in milliseconds. */
  readonly first: number;
  /** The median of the others, in milliseconds. */
  readonly again: number;
  /** The longest stall of the event loop in any of them, in milliseconds. */
  readonly stall: number;
  /** Resident memory in bytes: before the first one, with the parsed rows, and after the last. */
  readonly before: number;
  readonly after: number;
  /** The peak up to then. */
  readonly peak: number;
}

/** Has an exporter publish everything this many times. */
export async function measurePublishing(exporter: Child, times: number): Promise<PublishingResult> {
  const before = await exporter.ask<Memory>({ kind: 'memory' } satisfies Question);
  const publishings: Publishing[] = [];
  for (let nth = 0; nth < times; nth++) {
    publishings.push(await exporter.ask<Publishing>({ kind: 'publish' } satisfies Question));
  }
  const after = await exporter.ask<Memory>({ kind: 'memory' } satisfies Question);
  const [first, ...others] = publishings;
  return {
    series: first?.series ?? 0,
    first: first?.milliseconds ?? Number.NaN,
    again: median(others.map(({ milliseconds }) => milliseconds)),
    stall: Math.max(...publishings.map(({ stall }) => stall)),
    before: before.resident,
    after: after.resident,
    peak: after.peak,
  };
}
