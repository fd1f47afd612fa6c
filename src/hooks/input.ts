import type { Readable } from 'node:stream';

/** Maximum bytes kept of the input: no event is as large. */
const maxBytes = 33_554_432;

/** The command's standard input, read from the moment it is opened. */
export interface EventInput {
  /**
   * The text at the end of the stream, or what has arrived once `limitMs` have passed since this call: the agent may
   * keep the pipe open. Longer input is read to its end, so that no agent writes into a closed pipe, and cut at 32 MiB.
   */
  read(limitMs: number): Promise<string>;
  /** Ends the reading with what has arrived. */
  stop(): void;
}

/** Starts to read a stream. */
export function openInput(stream: Readable): EventInput {
  const parts: Buffer[] = [];
  let bytes = 0;
  const ended = Promise.withResolvers<void>();
  stream.on('data', (part: Buffer) => {
    bytes += part.length;
    if (bytes <= maxBytes) parts.push(part);
  });
  stream.on('end', ended.resolve).on('error', ended.resolve).on('close', ended.resolve);

  /** A process that got no processor for a while finds its timer due before it could read what is there: read first. */
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
