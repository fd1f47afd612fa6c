/** Maximum time that work may block the event loop, in milliseconds. */
const SLICE_MS = 3;

/** Small steps between two checks of the clock. */
const SMALL_STEPS = 256;

/** What work yields after a step that may have taken milliseconds. */
export const LARGE = 'large';

/** The place of work that has begun and should end. */
const FIRST = 0;

interface Waiting {
  readonly place: number;
  resume(): void;
}

/** Divides work that must not block the event loop into slices. */
export type Slices = ReturnType<typeof createSlices>;

/** Creates slices of `budgetMs` milliseconds each. */
export function createSlices(clock: { elapsed(): number }, budgetMs = SLICE_MS) {
  let startedAt = clock.elapsed();
  const waiting: Waiting[] = [];
  let places = FIRST;
  const over = () => clock.elapsed() - startedAt >= budgetMs;

  function begin(): void {
    startedAt = clock.elapsed();
    admit();
  }

  /** Lets the first caller continue, and the next one in the same slice if the first leaves something of it. */
  function admit(): void {
    waiting.shift()?.resume();
    // After what the caller does at once, which is microtasks.
    if (waiting.length > 0) queueMicrotask(() => process.nextTick(admitNext));
  }

  function admitNext(): void {
    if (over()) setImmediate(begin);
    else admit();
  }

  return {
    /** Whether the current slice is used up, so that the caller should pause. */
    over,
    /**
     * Resolves at once during the current slice; otherwise lets all other pending work run first. Several callers
     * continue one after another, in order, and share a slice: slices of their own would add up. Those with a place wait for
     * all without one.
     */
    async next(place = FIRST): Promise<void> {
      if (!over() && waiting.length === 0) return;
      await new Promise<void>((resume) => {
        const before = waiting.findLastIndex((other) => other.place <= place);
        waiting.splice(before + 1, 0, { place, resume });
        if (waiting.length === 1) setImmediate(begin);
      });
    },
    /**
     * A place behind all before, for what is better done one after the other: the less has begun, the less memory it
     * occupies.
     */
    place(): number {
      places += 1;
      return places;
    },
  };
}

/**
 * Runs a generator to its end, and lets other work run every few milliseconds. It checks the clock after this many
 * steps, 1 if any of them can be large, and after each that yields `LARGE`. Once the signal is aborted, it stops there and
 * rejects with the signal's reason.
 */
export async function runInSlices<Result>(
  work: Generator<unknown, Result>,
  { slices }: { readonly slices: Slices },
  stepsPerLook = SMALL_STEPS,
  signal?: AbortSignal,
): Promise<Result> {
  for (let steps = 1; ; steps++) {
    const step = work.next();
    if (step.done === true) return step.value;
    // Without a promise for each step.
    if ((steps % stepsPerLook !== 0 && step.value !== LARGE) || !slices.over()) continue;
    await slices.next();
    if (signal?.aborted === true) {
      // Releases what the generator holds, such as a statement of a database.
      work.return(undefined as never);
      throw signal.reason;
    }
  }
}
