import { getHeapStatistics } from 'node:v8';

/** The memory that an answer may take: this much per byte of the maximum body, and at most this part of the heap. */
const MEMORY_PER_BYTE = 8;
const HEAP_PART = 0.25;

/** The share of memory that one answer takes while it is read, parsed and used. */
export interface MemoryShare {
  /** The maximum share, in bytes. */
  readonly most: number;
  /** Resolves once the share is that large in total; rejects with the signal's reason on abort. */
  grow(bytes: number, signal: AbortSignal): Promise<void>;
  /** Gives the memory back; further calls have no effect. */
  end(): void;
}

/** Limits the memory of all answers that are read, parsed or used at the same time. */
export type ReadingMemory = ReturnType<typeof createReadingMemory>;

/**
 * Creates the memory limit: twice the maximum of one answer. All answers share the first half. The first answer that finds too
 * little left there gets the second half for itself, so that one answer can always continue. When memory is given back, the waiting
 * owner that holds the least goes first.
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

  /** Resolves when another answer has given memory back. */
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
    /** Opens an empty share for an answer to this owner (an organization) with a body of at most `maxBytes` bytes. */
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
