import type { Readable } from 'node:stream';

/** All that waits in a stream, as text: since Node 26, one call of `read` returns one chunk. */
export function writtenTo(stream: Readable): string {
  const chunks: unknown[] = [];
  for (let chunk: unknown = stream.read(); chunk !== null; chunk = stream.read()) chunks.push(chunk);
  return chunks.join('');
}
