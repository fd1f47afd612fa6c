import { getHeapStatistics } from 'node:v8';

/** The memory that an answer may take for each byte that its body may have, and its part of the heap at most. */
const MEMORY_PER_BYTE = 8;
const HEAP_PART = 0.25;

/** The memory of one answer. */
export interface MemoryShare {
  /** What the answer may take at most, in bytes. */
  readonly most: number;
  /** Resolves once the answer has that much in all; rejects with the reason of the signal. */
  grow(bytes: number, signal: AbortSignal): Promise<void>;
  /** Gives it back; further calls have no effect. */
  end(): void;
}

/** The memory of all answers that are read, parsed or used at the same time. */
export type ReadingMemory = ReturnType<typeof createReadingMemory>;

/**
 * Creates the memory of all answers, twice what one of them may take: they share the first half, and one that finds too little
 * left there takes the second for itself, so that one can always go on. Of those that wait, the owner goes first that has
 * the least.
 */
export function createReadingMemory() {
  const waiting = new Map<(value?: unknown) => void, string>();
  const held = new Map<string, number>();
  let shared = 0;
  let single: MemoryShare | undefined;

  const heldBy = (owner: string) => held.get(owner) ?? 0;

  function wake(): void {
    const inTurn = [...waiting].sort(([, one], [, other]) => heldBy(one) - heldBy(other));
    for (const [resume] of inTurn) resume();
  }

  /** Resolves when another answer has left some. */
  async function change(owner: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const { promise, resolve } = Promise.withResolvers<unknown>();
    waiting.set(resolve, owner);
    signal.addEventListener('abort', resolve);
    await promise;
    waiting.delete(resolve);
    signal.removeEventListener('abort', resolve);
    signal.throwIfAborted();
  }

  return {
    /** The memory of an answer to this owner whose body may have that many bytes; nothing is taken yet. */
    open(owner: string, maxBytes: number): MemoryShare {
      const most = Math.min(MEMORY_PER_BYTE * maxBytes, HEAP_PART * getHeapStatistics().heap_size_limit);
      let own = 0;

      function take(bytes: number): void {
        held.set(owner, heldBy(owner) + bytes - own);
        if (single !== share) shared += bytes - own;
        own = bytes;
      }

      const share: MemoryShare = {
        most,
        async grow(bytes, signal) {
          while (single !== share && shared - own + bytes > most) {
            if (single === undefined) {
              shared -= own;
              single = share;
              wake();
            } else await change(owner, signal);
          }
          take(bytes);
        },
        end() {
          take(0);
          if (single === share) single = undefined;
          wake();
        },
      };
      return share;
    },
  };
}
