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
  const drawn = mutants.map((mutant) => {
    const key = `${seed}\n${keyOf(mutant)}`;
    return { id: mutant.id, rank: createHash('sha256').update(key).digest('hex') };
  });
  drawn.sort((a, b) => (a.rank < b.rank ? -1 : 1));
  return new Set(drawn.slice(0, size).map(({ id }) => id));
}

/** The same in every copy of the project. */
export function keyOf({
  fileName,
  mutatorName,
  replacement,
  location: { start },
}: Omit<Mutant, 'id'>): string {
  const file = fileName.slice(fileName.lastIndexOf('/src/') + 1);
  return [file, mutatorName, start.line, start.column, replacement].join('\n');
}
