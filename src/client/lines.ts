import type { Readable } from 'node:stream';
import type { FailureReason } from '../text/errors.ts';
import type { Slices } from '../work/slices.ts';
import { createJsonScale, parseText } from './json-text.ts';
import type { MemoryShare } from './reading-memory.ts';

/** Maximum size of a line and of a body after decompression, in bytes, and number of lines in a body, also blank ones. */
const MAX_LINE = 1024 * 1024;
const MAX_BODY = 1024 * MAX_LINE;
const MAX_LINES = 1_000_000;
/** The maximum memory of a parsed row, in bytes. A real row needs about ten times its size; more would take too long to parse. */
const MAX_WEIGHT = 24 * MAX_LINE;
const NEWLINE = 0x0a;
/** After this many chunks of an unfinished line, they are joined: a chunk of a single byte takes a hundred bytes of memory. */
const MAX_PARTS = 1_024;

/** Takes the rows of a body. */
export interface RowSink {
  /** Whether a body without rows is valid; by default it is a fault. */
  readonly mayBeEmpty?: boolean | undefined;
  /** Called before the first row of each attempt; rows of earlier attempts do not count. */
  begin(): void;
  add(row: unknown): void;
}

/** The result of reading a body: its size, and the fault if it cannot be used. */
export interface LinesRead {
  readonly bytes: number;
  readonly fault?: Fault;
  /** The error that the sink has thrown, which ended the reading. */
  readonly thrown?: unknown;
}

interface Fault {
  readonly reason: Extract<FailureReason, 'schema' | 'limit'>;
  readonly words: string;
  /** Whether the body ends too early. */
  readonly isCut?: boolean;
}

interface Reading {
  readonly memory: MemoryShare;
  readonly signal: AbortSignal;
  readonly slices: Slices;
}

/**
 * Reads a body with one JSON value per line, and passes each value on before it reads the next: memory holds one line and one chunk
 * of the stream. Skips blank lines. A last line without a line end is a row if it is JSON; otherwise the body was cut. Throws the
 * stream's error if it is interrupted.
 */
export async function readLines(
  stream: Readable,
  sink: RowSink,
  { memory, signal, slices }: Reading,
): Promise<LinesRead> {
  const place = slices.place();
  let bytes = 0;
  let lines = 0;
  let rows = 0;
  sink.begin();
  for await (const line of linesOf(stream)) {
    await slices.next(place);
    bytes += line.size;
    if (line.size > 0) lines += 1;
    const excess = excessOf(line, bytes, lines);
    if (excess !== undefined) return { bytes, fault: tooMuch(excess) };
    const text = line.content.toString('utf8');
    if (text.trim() === '') continue;
    rows += 1;
    const weight = createJsonScale()(line.content);
    if (weight > Math.min(MAX_WEIGHT, memory.most))
      return { bytes, fault: tooMuch(`row ${rows}, which is too large`) };
    await memory.grow(weight, signal);
    const parsed = parseText(text);
    if (!('value' in parsed)) return { bytes, fault: faultOf(rows, line.isLast && parsed.isCut) };
    try {
      sink.add(parsed.value);
    } catch (thrown) {
      return { bytes, thrown };
    }
  }
  return rows === 0 && sink.mayBeEmpty !== true
    ? { bytes, fault: { reason: 'schema', words: 'an empty body' } }
    : { bytes };
}

function excessOf({ content }: Line, bytes: number, lines: number): string | undefined {
  if (content.length > MAX_LINE) return `a line of more than ${MAX_LINE} bytes`;
  if (bytes > MAX_BODY) return `more than ${MAX_BODY} bytes`;
  return lines > MAX_LINES ? `more than ${MAX_LINES} lines` : undefined;
}

function tooMuch(words: string): Fault {
  return { reason: 'limit', words };
}

function faultOf(row: number, isCut: boolean): Fault {
  const words = isCut ? 'an incomplete last line' : `row ${row}, which is not JSON`;
  return { reason: 'schema', words, isCut };
}

interface Line {
  readonly content: Buffer;
  /** Size in bytes, including the line end. */
  readonly size: number;
  /** Whether the body ends without a line end after this line. */
  readonly isLast: boolean;
}

/** Splits a body into lines. Yields only the beginning of a line that is too long. The last line may be empty. */
async function* linesOf(stream: AsyncIterable<Buffer>): AsyncGenerator<Line> {
  let parts: Buffer[] = [];
  let begun = 0;
  for await (const chunk of stream) {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      const content = Buffer.concat([...parts, chunk.subarray(from, at)]);
      yield { content, size: content.length + 1, isLast: false };
      from = at + 1;
      parts = [];
      begun = 0;
    }
    parts.push(chunk.subarray(from));
    begun += chunk.length - from;
    if (begun > MAX_LINE) break;
    if (parts.length > MAX_PARTS) parts = [Buffer.concat(parts)];
  }
  yield { content: Buffer.concat(parts), size: begun, isLast: true };
}
