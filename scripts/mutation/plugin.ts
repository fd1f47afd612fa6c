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
  private chosen: ReadonlySet<string> = new Set();

  async init(): Promise<void> {}

  /** Called once, with all mutants. */
  async group(mutants: readonly Mutant[]): Promise<readonly (readonly string[])[]> {
    const { MUTATION_SIZE = '400', MUTATION_SEED = '1', MUTATION_AGAIN } = process.env;
    this.chosen = sampleOf(mutants, Number(MUTATION_SIZE), MUTATION_SEED);
    if (MUTATION_AGAIN !== undefined) {
      const again = new Set(JSON.parse(MUTATION_AGAIN) as readonly string[]);
      this.chosen = new Set(mutants.filter((mutant) => again.has(keyOf(mutant))).map(({ id }) => id));
    }
    return [mutants.map(({ id }) => id)];
  }

  async check(mutants: readonly Mutant[]): Promise<Readonly<Record<string, Status>>> {
    const statusOf = (id: string): Status =>
      this.chosen.has(id) ? { status: 'passed' } : { status: 'compileError', reason: 'not in the sample' };
    return Object.fromEntries(mutants.map(({ id }) => [id, statusOf(id)]));
  }
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
