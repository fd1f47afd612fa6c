/** The buffers of former files: the next file has the same families, and each needs as much as before. */
export interface UsedBuffers {
  /** A buffer that was given back under this name, if there is one. */
  take(name: string): Buffer | undefined;
  /** Gives back a buffer that nothing refers to any more. */
  give(name: string, buffer: Buffer): void;
}

/** Creates a collection without buffers. It holds no more than were in use at the same time. */
export function createUsedBuffers(): UsedBuffers {
  const byName = new Map<string, Buffer[]>();
  return {
    take: (name) => byName.get(name)?.pop(),
    give(name, buffer) {
      const ofName = byName.get(name);
      if (ofName === undefined) byName.set(name, [buffer]);
      else ofName.push(buffer);
    },
  };
}
