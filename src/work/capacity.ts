interface CapacityLimits {
  /** Maximum total size in progress. */
  readonly total: number;
  /** Maximum of a single owner, so that none takes the room of all; without it, owners share the total. */
  readonly perOwner?: number;
}

/**
 * Bounds what is in progress, over all and for each owner: what finds no room is refused at once, and nothing waits. It
 * remembers only the owners of what is in progress.
 */
export function createCapacity({ total, perOwner = total }: CapacityLimits) {
  const sizes = new Map<string, number>();
  let used = 0;
  return {
    /**
     * Admits work of a `size` (by default 1) and returns what ends it; undefined if it would exceed a limit. Ending it again
     * has no effect.
     */
    enter(owner = '', size = 1): (() => void) | undefined {
      const own = sizes.get(owner) ?? 0;
      if (used + size > total || own + size > perOwner) return undefined;
      used += size;
      sizes.set(owner, own + size);
      let isOver = false;
      return () => {
        if (isOver) return;
        isOver = true;
        used -= size;
        const left = (sizes.get(owner) ?? 0) - size;
        if (left > 0) sizes.set(owner, left);
        else sizes.delete(owner);
      };
    },
  };
}
