import type { Attempt } from './attempt.ts';

/** Lets at most `limit` attempts be under way at a time; the others wait in the order in which they came. */
export function withConcurrency(attempt: Attempt, limit: number): Attempt {
  const waiting: (() => void)[] = [];
  let free = limit;
  return async (request, budgetMs) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await attempt(request, budgetMs);
    } finally {
      // The place goes from hand to hand, so that nobody slips in between.
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    }
  };
}
