import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { strykerPlugins } from '../../scripts/mutation/plugin.ts';
import { keyOf, type Mutant, sampleOf } from '../../scripts/mutation/sample.ts';
import { lateOf, scoreOf } from '../../scripts/mutation/score.ts';

const location = { start: { line: 1, column: 2 } };
const mutants: readonly Mutant[] = Array.from({ length: 100 }, (_, index) => ({
  ...{ id: String(index), fileName: '/copy/src/agent/event.ts', mutatorName: 'BooleanLiteral', location },
  replacement: String(index),
}));

test('a sample depends on the seed, not on the order or the place of the copy', () => {
  const first = sampleOf(mutants, 30, '1');
  expect(first.size).toBe(30);
  const elsewhere = mutants.map((mutant) => ({ ...mutant, fileName: '/other/src/agent/event.ts' }));
  expect([...sampleOf(elsewhere.toReversed(), 30, '1')].sort()).toEqual([...first].sort());
  expect([...sampleOf(mutants, 30, '2')].sort()).not.toEqual([...first].sort());
  expect(sampleOf(mutants, 400, '1').size).toBe(100);
});

test('the score is the share that the tests detected, with its Wilson interval', () => {
  const statuses = [
    ...Array.from({ length: 80 }, () => 'Killed'),
    ...['Timeout', 'Survived', 'NoCoverage'],
    ...['CompileError', 'Ignored', 'RuntimeError'],
  ];
  const mutants = statuses.map((status, id) => ({
    ...{ id: String(id), status, mutatorName: 'BooleanLiteral', replacement: 'tr\nue', location },
  }));
  const { tested, score, low, high, survivors } = scoreOf({ files: { 'src/a.ts': { mutants } } });
  expect(tested).toBe(83);
  expect([score, low, high].map((percent) => percent.toFixed(2))).toEqual(['97.59', '91.63', '99.34']);
  expect(survivors).toEqual(Array.from({ length: 2 }, () => 'src/a.ts:1:2 BooleanLiteral -> tr ue'));
});

test('a mutant that is late is tested again, and detected only if it is late again; a loop without end is detected', () => {
  const one = { mutatorName: 'BooleanLiteral', location };
  const reportOf = (statuses: readonly string[], statusReason?: string) => ({
    files: {
      'src/a.ts': {
        mutants: statuses.map((status, index) => ({
          ...{ id: String(index), status, ...one, replacement: `${statusReason}${index}` },
          ...(statusReason !== undefined && { statusReason }),
        })),
      },
    },
  });
  const first = reportOf(['Timeout', 'Killed', 'Timeout', 'Timeout', 'Survived']);
  expect(lateOf(reportOf(['Timeout'], 'Hit limit reached (501/500)'))).toEqual([]);
  expect(lateOf(first)).toHaveLength(3);
  const again = reportOf(['Survived', 'CompileError', 'Timeout', 'Killed', 'CompileError']);
  const { tested, score, survivors } = scoreOf(first, again);
  expect([tested, score]).toEqual([5, 60]);
  expect(survivors.map((line) => line.at(-1))).toEqual(['0', '4']);
});

test('of the mutants, the checker passes the sample, and what is logged is ignored', async () => {
  const [checker, ignorer] = strykerPlugins;
  const { injectableClass: Sample } = checker as { injectableClass: new () => SampleChecker };
  const sample = new Sample();
  const many = Array.from({ length: 5 }, () => mutants)
    .flat()
    .map((mutant, id) => ({ ...mutant, id: String(id) }));
  const [all = []] = await sample.group(many);
  expect(all).toHaveLength(500);
  const statuses = Object.values(await sample.check(many)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 'passed')).toHaveLength(400);
  // A report counts lines and columns from 1.
  const reported = { ...mutants[7], location: { start: { line: 2, column: 3 } } } as Mutant;
  vi.stubEnv('MUTATION_AGAIN', JSON.stringify([keyOf(reported)]));
  onTestFinished(() => void vi.unstubAllEnvs());
  const passed = Object.entries(await sample.check(mutants)).filter(([, { status }]) => status === 'passed');
  expect(passed.map(([id]) => id)).toEqual(['7']);
  const { value } = ignorer as { value: { shouldIgnore(path: object): string | undefined } };
  const call = (object: object) => ({ node: { type: 'CallExpression', callee: { object } } });
  expect(value.shouldIgnore(call({ name: 'log' }))).toBe('log text');
  expect(value.shouldIgnore(call({ property: { name: 'log' } }))).toBe('log text');
  expect(value.shouldIgnore(call({ name: 'spool' }))).toBeUndefined();
});

interface SampleChecker {
  group(mutants: readonly Mutant[]): Promise<readonly (readonly string[])[]>;
  check(mutants: readonly Mutant[]): Promise<Readonly<Record<string, { readonly status: string }>>>;
}

test.each([
  [['--only=nowhere'], 'error: --only nowhere: the rooms are store, exposition, '],
  [['--only=agent', '--files=nothing.ts'], 'error: --files: there is no such file in src/agent'],
  [['--mutants=few'], 'error: --mutants: must be a positive number'],
  [['--colour'], "error: Unknown option '--colour'"],
])('%j ends in one line', (args, message) => {
  const script = path.resolve(import.meta.dirname, '../../scripts/mutation/main.ts');
  const { status, stderr } = spawnSync(process.execPath, [script, ...args], { encoding: 'utf8' });
  expect(stderr).toContain(message);
  expect(stderr.trim().split('\n')).toHaveLength(1);
  expect(status).toBe(1);
});
