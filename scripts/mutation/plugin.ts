// Loaded by Stryker (scripts/mutation/main.ts): tests a sample of the mutants, and ignores what is logged.
import { keyOf, type Mutant, sampleOf } from './sample.ts';

/** The part of Babel's path to a node that is read. */
interface NodePath {
  readonly node: { readonly type: string; readonly callee?: Callee };
}
interface Callee {
  readonly object?: { readonly name?: string; readonly property?: { readonly name?: string } };
}

type Status = { readonly status: 'passed' } | { readonly status: 'compileError'; readonly reason: string };

/** Stryker leaves out of the score what a checker rejects. */
class Sample {
  async init(): Promise<void> {}

  /** One group, so that whichever process checks it knows all mutants. */
  async group(mutants: readonly Mutant[]): Promise<readonly (readonly string[])[]> {
    return [mutants.map(({ id }) => id)];
  }

  async check(mutants: readonly Mutant[]): Promise<Readonly<Record<string, Status>>> {
    const chosen = chosenOf(mutants);
    const statusOf = (id: string): Status =>
      chosen.has(id) ? { status: 'passed' } : { status: 'compileError', reason: 'not in the sample' };
    return Object.fromEntries(mutants.map(({ id }) => [id, statusOf(id)]));
  }
}

function chosenOf(mutants: readonly Mutant[]): ReadonlySet<string> {
  const { MUTATION_SIZE = '400', MUTATION_SEED = '1', MUTATION_AGAIN } = process.env;
  if (MUTATION_AGAIN === undefined) return sampleOf(mutants, Number(MUTATION_SIZE), MUTATION_SEED);
  const again = new Set(JSON.parse(MUTATION_AGAIN) as readonly string[]);
  return new Set(mutants.filter((mutant) => again.has(keyOf(asReported(mutant)))).map(({ id }) => id));
}

/** Reports count lines and columns from 1, what is checked from 0. */
function asReported(mutant: Mutant): Mutant {
  const { line, column } = mutant.location.start;
  return { ...mutant, location: { start: { line: line + 1, column: column + 1 } } };
}

const logIgnorer = {
  shouldIgnore({ node: { type, callee } }: NodePath): string | undefined {
    const { name, property } = callee?.object ?? {};
    return type === 'CallExpression' && (name ?? property?.name) === 'log' ? 'log text' : undefined;
  },
};

export const strykerPlugins = [
  { kind: 'Checker', name: 'sample', injectableClass: Sample },
  { kind: 'Ignore', name: 'log', value: logIgnorer },
];
