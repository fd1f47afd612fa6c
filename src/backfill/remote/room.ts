/** Memory that is used again: the kernel clears each new page of a large buffer, and V8 collects more often. */
export interface Room {
  /** A buffer of at least this length with any content; the one from the call before must no longer be in use. */
  of(length: number): Buffer;
}

/** Creates room that grows when more is needed. */
export function createRoom(): Room {
  let buffer = Buffer.alloc(0);
  return {
    of(length) {
      if (length > buffer.length) buffer = Buffer.allocUnsafeSlow(length);
      return buffer;
    },
  };
}
