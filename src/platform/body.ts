import type { Readable } from 'node:stream';
import { createJsonMeter, type JsonBounds } from '../runtime/json-meter.ts';

/** A body, or which bound it exceeds: its length in bytes, or one of its structure. */
export type Body =
  | { readonly text: string; readonly bytes: number }
  | { readonly exceeds: 'bytes' | keyof JsonBounds };

/** Deeper than any answer of the platform, and no work for whoever reads it. */
const MAX_DEPTH = 64;
/**
 * A body may have one value for so many of the bytes that it may have: a value takes more than that with its name, and
 * one without, such as an empty object, takes twenty times its text in memory.
 */
const BYTES_PER_VALUE = 16;

/** How much of an error's body is read: enough for its first sentences. */
const ERROR_BODY_BYTES = 16 * 1024;

/**
 * Reads a JSON body of at most `limit` bytes (after decompression) and stops at the first byte beyond, or where its
 * structure is beyond all bounds; throws what the stream throws where it breaks off.
 */
export async function readBody(stream: Readable, limit: number): Promise<Body> {
  const chunks: Buffer[] = [];
  const meter = createJsonMeter({ depth: MAX_DEPTH, values: Math.ceil(limit / BYTES_PER_VALUE) });
  let bytes = 0;
  for await (const chunk of stream) {
    bytes += chunk.length;
    if (bytes > limit) return { exceeds: 'bytes' };
    const exceeds = meter.read(chunk);
    if (exceeds !== undefined) return { exceeds };
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
