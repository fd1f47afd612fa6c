import type { IncomingMessage } from 'node:http';
import type { Clock } from '../work/clock.ts';

/** Maximum size of a body in bytes. */
export const MAX_BYTES = 1_048_576;

/** Time limit for receiving a body, in milliseconds. */
const ARRIVAL_MS = 10_000;

/** Why a body was not read completely. */
export type Unread = 'too-large' | 'late' | 'cut-short';

/** Reads a whole body as text; stops reading once it is too large. */
export async function readBody(
  request: IncomingMessage,
  clock: Pick<Clock, 'wait'>,
): Promise<{ readonly text: string } | Unread> {
  const arrived = new AbortController();
  const reading = collect(request);
  // Rejects if the body arrived first; then the result is not awaited.
  const late = clock.wait(ARRIVAL_MS, arrived.signal).then(
    () => 'late' as const,
    () => 'cut-short' as const,
  );
  const result = await Promise.race([reading, late]);
  arrived.abort();
  return result;
}

async function collect(request: IncomingMessage): Promise<{ readonly text: string } | Unread> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    // What is left is not read, but the request can still be answered.
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      size += chunk.length;
      if (size > MAX_BYTES) return 'too-large';
      chunks.push(chunk);
    }
    // Without a byte order mark, which is not JSON.
    return { text: new TextDecoder().decode(Buffer.concat(chunks)) };
  } catch {
    return 'cut-short';
  }
}
