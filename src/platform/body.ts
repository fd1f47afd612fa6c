import type { Readable } from 'node:stream';

export type Body = { readonly text: string; readonly bytes: number } | 'too-large';

/** How much of an error's body is read: enough for its first sentences. */
const ERROR_BODY_BYTES = 16 * 1024;

/**
 * Reads a body of at most `limit` bytes (after decompression) and stops at the first byte beyond;
 * throws what the stream throws where it breaks off.
 */
export async function readBody(stream: Readable, limit: number): Promise<Body> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    bytes += chunk.length;
    if (bytes > limit) return 'too-large';
    chunks.push(chunk);
  }
  return { text: Buffer.concat(chunks).toString('utf8'), bytes };
}

/** Reads the beginning of an error's body; empty where it breaks off, since half a word may be half a secret. */
export async function readErrorBody(stream: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of stream) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > ERROR_BODY_BYTES) break;
    }
  } catch {
    return '';
  }
  return Buffer.concat(chunks).toString('utf8');
}
