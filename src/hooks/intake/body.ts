import type { IncomingMessage } from 'node:http';
import type { Clock } from '../../runtime/clock.ts';

/** Most bytes of a body. */
export const MOST_BYTES = 1_048_576;

/** A body has to arrive within this, in milliseconds. */
const ARRIVAL_MS = 10_000;

/** Reads a whole body as text; nothing more is read where it is too large, late or cut short. */
export async function readBody(
  request: IncomingMessage,
  clock: Pick<Clock, 'wait'>,
): Promise<{ readonly text: string } | 'too-large' | 'late' | 'cut-short'> {
  if (Number(request.headers['content-length'] ?? 0) > MOST_BYTES) return 'too-large';
  const arrived = new AbortController();
  const reading = collect(request);
  // Rejects when the body was there first, and then nobody waits for it.
  const late = clock.wait(ARRIVAL_MS, arrived.signal).then(
    () => 'late' as const,
    () => 'cut-short' as const,
  );
  const result = await Promise.race([reading, late]);
  arrived.abort();
  return result;
}

function collect(request: IncomingMessage): Promise<{ readonly text: string } | 'too-large' | 'cut-short'> {
  const chunks: Buffer[] = [];
  let size = 0;
  return new Promise((resolve) => {
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > MOST_BYTES) {
        request.pause();
        chunks.length = 0;
        resolve('too-large');
      } else {
        chunks.push(chunk);
      }
    });
    request.once('end', () => resolve({ text: Buffer.concat(chunks).toString('utf8') }));
    // Both come where the connection breaks; neither does after the end.
    request.once('error', () => resolve('cut-short'));
    request.once('close', () => resolve('cut-short'));
  });
}
