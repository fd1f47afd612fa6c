import { createHash } from 'node:crypto';

/** A mutant as Stryker describes it. */
export interface Mutant {
  readonly id: string;
  readonly fileName: string;
  readonly mutatorName: string;
  readonly replacement: string;
  readonly location: { readonly start: { readonly line: number; readonly column: number } };
}

/** The ids of a sample that depends on nothing but the seed and the mutants themselves. */
export function sampleOf(mutants: readonly Mutant[], size: number, seed: string): ReadonlySet<string> {
  const drawn = mutants.map(({ id, fileName, mutatorName, replacement, location: { start } }) => {
    const file = fileName.slice(fileName.lastIndexOf('/src/') + 1);
    const key = [seed, file, mutatorName, start.line, start.column, replacement].join('\n');
    return { id, rank: createHash('sha256').update(key).digest('hex') };
  });
  drawn.sort((a, b) => (a.rank < b.rank ? -1 : 1));
  return new Set(drawn.slice(0, size).map(({ id }) => id));
}
