/** One load on one server within a round. */
export interface Turn<Name> {
  readonly name: Name;
  readonly milliseconds: number;
  /** What the server has to begin first. */
  readonly begin?: (() => Promise<void>) | undefined;
}

/** What a round contains. */
export interface RoundPlan<Name> {
  /** Servers that take turns in slices, so that their ratios compare the same stretch of time. */
  readonly alternating: readonly Name[];
  /** Servers with one load each, after the others: a single answer may take longer than a slice. */
  readonly whole: readonly Name[];
  /** The load of each of these servers, in milliseconds. */
  readonly milliseconds: number;
  /** A server with one long load, before and after which the alternating servers have their loads. */
  readonly between?: Turn<Name> | undefined;
}

/**
 * About the length of a slice: long against an answer of a bare server, and short against the time for which the machine
 * keeps its speed.
 */
export const SLICE_MS = 80;

/** The loads of a round in their order. */
export function turnsOf<Name>({
  alternating,
  whole,
  milliseconds,
  between,
}: RoundPlan<Name>): readonly Turn<Name>[] {
  const slices = slicesOf(alternating, milliseconds);
  return [
    ...slices,
    ...(between === undefined ? [] : [between, ...slices]),
    ...whole.map((name) => ({ name, milliseconds })),
  ];
}

/**
 * Slices of the same length: A B C, C B A, B C A, A C B, C A B, B A C, and again. Each order is followed by its reverse, so
 * that a steady change of the machine's speed cancels, and each server is equally often followed by itself.
 */
export function slicesOf<Name>(names: readonly Name[], milliseconds: number): readonly Turn<Name>[] {
  if (names.length === 0) return [];
  const cycles = Math.max(1, Math.round(milliseconds / (2 * names.length * SLICE_MS)));
  const slice = milliseconds / (cycles * 2 * names.length);
  return Array.from({ length: cycles * names.length }, (_, turn) => {
    const first = turn % names.length;
    const order = [...names.slice(first), ...names.slice(0, first)];
    return [...order, ...order.toReversed()];
  })
    .flat()
    .map((name) => ({ name, milliseconds: slice }));
}
