import type { Readable } from 'node:stream';

/** What more than this is, is not kept: no event is as large. */
const mostBytes = 33_554_432;

/**
 * The text on a stream at its end, or what there is of it after `patienceMs`: the agent may keep the pipe open.
 * Longer input is read to its end, so that no agent writes into a closed pipe, and cut at 32 MiB.
 */
export function readInput(stream: Readable, patienceMs: number): Promise<string> {
  return new Promise((resolve) => {
    const parts: Buffer[] = [];
    let bytes = 0;
    const timer = setTimeout(done, patienceMs);
    stream.on('data', (part: Buffer) => {
      bytes += part.length;
      if (bytes <= mostBytes) parts.push(part);
    });
    stream.on('end', done).on('error', done).on('close', done);
    function done(): void {
      clearTimeout(timer);
      resolve(Buffer.concat(parts).toString('utf8'));
    }
  });
}
