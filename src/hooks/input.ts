import type { Readable } from 'node:stream';

/** Maximum number of bytes kept of the input; no event is that large. */
const maxBytes = 33_554_432;

/** The command's standard input, read from the moment it is opened. */
export interface EventInput {
  /**
   * The text at the end of the stream, or what has arrived `limitMs` after this call: the agent may keep the pipe open.
   * Longer input is consumed, so that the agent never writes to a closed pipe, and truncated at 32 MiB.
   */
  read(limitMs: number): Promise<string>;
  /** Ends reading with what has arrived. */
  stop(): void;
}

/** Starts reading a stream. */
export function openInput(stream: Readable): EventInput {
  const parts: Buffer[] = [];
  let bytes = 0;
  const ended = Promise.withResolvers<void>();
  stream.on('data', (part: Buffer) => {
    bytes += part.length;
    if (bytes <= maxBytes) parts.push(part);
  });
  stream.on('end', ended.resolve).on('error', ended.resolve).on('close', ended.resolve);

  /** After CPU starvation, a process finds its timer due before it could read the available input: read first. */
  function stop(): void {
    const before = bytes;
    setImmediate(() => {
      if (bytes === before || bytes > maxBytes) ended.resolve();
      else stop();
    });
  }

  return {
    async read(limitMs) {
      const timer = setTimeout(stop, limitMs);
      await ended.promise;
      clearTimeout(timer);
      return Buffer.concat(parts).toString('utf8');
    },
    stop,
  };
}
