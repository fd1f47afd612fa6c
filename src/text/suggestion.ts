/** The known name that a mistyped one most likely means; undefined if none is similar. */
export function nearest(name: string, known: Iterable<string>): string | undefined {
  const typed = name.slice(0, 100);
  let best: string | undefined;
  let bestDistance = Math.max(1, Math.floor(typed.length / 3)) + 1;
  for (const candidate of known) {
    const distance = distanceBetween(typed.toLowerCase(), candidate.toLowerCase());
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** `did you mean …?` for a mistyped name, if a known one is similar. */
export function suggestion(typed: string, known: Iterable<string>): string | undefined {
  const name = nearest(typed, known);
  return name === undefined ? undefined : `did you mean ${name}?`;
}

/** Number of edits (insert, delete, replace, swap of neighbours) between two texts. */
function distanceBetween(a: string, b: string): number {
  let twoAgo: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1];
      let best = Math.min(
        (previous[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (previous[column - 1] ?? 0) + (same ? 0 : 1),
      );
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      if (swapped) best = Math.min(best, (twoAgo[column - 2] ?? 0) + 1);
      current.push(best);
    }
    twoAgo = previous;
    previous = current;
  }
  return previous[b.length] ?? 0;
}
