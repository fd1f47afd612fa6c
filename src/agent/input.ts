import type { Readable } from 'node:stream';
import { type HookEvent, type InvalidEvent, parseEvent } from './event.ts';

/** Maximum number of bytes kept of the input; no event is that large. */
const maxBytes = 33_554_432;
/** After a complete event, reading ends once no byte has come for this time, in ms: the agent may keep the pipe open. */
const quietMs = 100;

/** The command's standard input, read from the moment it is opened. */
export type EventInput = ReturnType<typeof openInput>;

/** Starts reading a stream. */
export function openInput(stream: Readable) {
  const parts: Buffer[] = [];
  let bytes = 0;
  let quiet: NodeJS.Timeout | undefined;
  const ended = Promise.withResolvers<void>();
  stream.on('data', (part: Buffer) => {
    bytes += part.length;
    if (bytes <= maxBytes) parts.push(part);
    clearTimeout(quiet);
    quiet = setTimeout(() => {
      if (!('problem' in event())) ended.resolve();
    }, quietMs);
  });
  stream.on('end', ended.resolve).on('error', ended.resolve).on('close', ended.resolve);

  function event(): HookEvent | InvalidEvent {
    return parseEvent(decoded(Buffer.concat(parts)), bytes > maxBytes);
  }

  /** After CPU starvation, a process finds its timer due before it could read the available input: read first. */
  function stop(): void {
    const before = bytes;
    setImmediate(() => {
      if (bytes === before || bytes > maxBytes) ended.resolve();
      else stop();
    });
  }

  return {
    /**
     * The event at the end of the stream, or what has arrived `limitMs` after this call. Longer input is consumed, so that
     * the agent never writes to a closed pipe; of more than 32 MiB, only the beginning counts.
     */
    async read(limitMs: number): Promise<HookEvent | InvalidEvent> {
      const timer = setTimeout(stop, limitMs);
      await ended.promise;
      clearTimeout(timer);
      clearTimeout(quiet);
      return event();
    },
    /** Ends reading with what has arrived. */
    stop,
  };
}

/** UTF-8, or UTF-16 as shells of Windows write it, possibly followed by the NUL of a C string. */
function decoded(bytes: Buffer): string {
  const start = bytes.subarray(0, 2).toString('latin1');
  // JSON begins with an ASCII character.
  const encoding = /^(?:\xff\xfe|[^\0]\0)/.test(start)
    ? 'utf-16le'
    : /^(?:\xfe\xff|\0[^\0])/.test(start)
      ? 'utf-16be'
      : 'utf-8';
  return new TextDecoder(encoding).decode(bytes).replace(/\0+$/, '');
}
