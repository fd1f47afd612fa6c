import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { ServiceStatus } from '../page/status.ts';
import type { Clock } from '../work/clock.ts';
import { createSerialQueue } from '../work/serial-queue.ts';

/** The body of an answer, the same for every client. */
export interface SharedBody {
  readonly bytes: Buffer;
  /** The bytes compressed, which happens at most once. */
  gzip(): Promise<Buffer>;
}

interface Snapshot {
  readonly at: number;
  readonly status: ServiceStatus;
  readonly bodies: Map<string, Promise<SharedBody>>;
}

/** How old an answer may be, in milliseconds. Nothing is published more often. */
const FRESH_MS = 1000;

/** The state of the service and the answers rendered from it, at most a second old. */
export type SharedAnswers = ReturnType<typeof shareAnswers>;

/**
 * Shares answers among clients. Renders one answer at a time, and lets other requests be answered in between: clients that request
 * one page after the other must not delay a scrape.
 */
export function shareAnswers(readStatus: () => ServiceStatus, clock: Pick<Clock, 'elapsed'>) {
  const rendering = createSerialQueue();
  let last: Snapshot | undefined;

  function current(): Snapshot {
    const now = clock.elapsed();
    if (last === undefined || now - last.at >= FRESH_MS) {
      last = { at: now, status: readStatus(), bodies: new Map() };
    }
    return last;
  }

  return {
    status: () => current().status,
    /** The text that `render` resolves with; all requests for the same key share the body. */
    bodyOf(key: string, render: () => Promise<string>): Promise<SharedBody> {
      const { bodies } = current();
      const known = bodies.get(key);
      if (known !== undefined) return known;
      const made = rendering.run(async () => {
        await setImmediate();
        return bodyFrom(await render());
      });
      bodies.set(key, made);
      return made;
    },
  };
}

function bodyFrom(text: string): SharedBody {
  const bytes = Buffer.from(text);
  let compressed: Promise<Buffer> | undefined;
  return {
    bytes,
    gzip() {
      compressed ??= promisify(gzip)(bytes);
      return compressed;
    },
  };
}
