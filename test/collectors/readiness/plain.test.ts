import fc from 'fast-check';
import { expect, test } from 'vitest';
import { plainReport, reportElement } from '../../../src/collectors/readiness/schema.ts';

const CREATED = Date.parse('2026-03-09T12:00:00Z');

/** A usual value most of the time, otherwise one of the unusual ones. */
function mostly(usual: fc.Arbitrary<unknown>, ...unusual: unknown[]) {
  return fc.oneof({ weight: 60, arbitrary: usual }, fc.constantFrom(...unusual));
}

const name = fc.string({ minLength: 1 });
const text = mostly(name, '', ' ', null, 7, 'x'.repeat(513), '\u0000');
const flag = mostly(fc.boolean(), 'true', null, 1);
const result = mostly(
  fc.record({
    numerator: mostly(fc.oneof(fc.nat(3), fc.constant(null)), -1, '2', 2 ** 54, true, undefined),
    denominator: mostly(fc.integer({ min: 3, max: 5 }), 0, 1, null, '4', Number.NaN),
    rationale: name,
  }),
  ...[null, 'passed', [], {}],
);
const element = fc.record(
  {
    reportId: mostly(name, '', null, 7),
    createdAt: mostly(fc.integer({ min: 1, max: CREATED }), '2026-03-09', 0, -1, 9e15, null),
    repoUrl: mostly(
      fc.constantFrom('https://github.com/Acme/App.git', 'git@h.tld:a'),
      ...['/home/x', 'https://u:p@h.tld/b', null],
    ),
    apps: mostly(fc.dictionary(name, fc.constant({ description: 'An application' })), null, [], 'app'),
    report: mostly(fc.dictionary(name, result, { maxKeys: 4 }), null, [], 7),
    commitHash: text,
    branch: text,
    hasLocalChanges: flag,
    hasNonRemoteCommits: flag,
    modelUsed: mostly(
      fc.record({ id: text, reasoningEffort: text }, { requiredKeys: [] }),
      ...['a-model', null, 7, ['a-model']],
    ),
    droidVersion: text,
  },
  { requiredKeys: ['reportId', 'createdAt', 'repoUrl', 'apps', 'report'] },
);

test('the fast path has the same result as the schema', () => {
  let read = 0;
  fc.assert(
    fc.property(element, (row) => {
      const short = plainReport(row);
      if (short === undefined) return;
      read++;
      const long = reportElement.parse(row);
      expect(short).toEqual(long);
      // What is stored is compared as text.
      expect(JSON.stringify(short)).toBe(JSON.stringify(long));
    }),
    { numRuns: 2000 },
  );
  expect(read).toBeGreaterThan(100);
});

test('a report as the API describes it uses the fast path', () => {
  const report = {
    reportId: 'r1',
    createdAt: CREATED,
    repoUrl: 'https://github.com/acme/app',
    apps: { '.': { description: 'An application' } },
    report: {
      readme: { numerator: 1, denominator: 1, rationale: 'It is there' },
      lint: { numerator: null, denominator: 1, rationale: 'Does not apply' },
    },
  };
  expect(plainReport(report)).toMatchObject({
    repo: 'github.com/acme/app',
    applications: 1,
    criteria: [
      { id: 'lint', skipped: true },
      { id: 'readme', skipped: false, passed: 1, evaluated: 1 },
    ],
  });
});

test.each([
  undefined,
  null,
  7,
  'report',
  [],
  {},
  { reportId: 'r1', createdAt: CREATED, repoUrl: 'h.tld/a', apps: { a: {} } },
])('%j does not use the fast path', (row) => {
  expect(plainReport(row)).toBeUndefined();
});

test.each(['apps', 'report'])('too many members of %s are left to the schema', (member) => {
  const many = Object.fromEntries(Array.from({ length: 5_001 }, (_, at) => [`m${at}`, { numerator: null }]));
  const report = {
    reportId: 'r1',
    createdAt: CREATED,
    repoUrl: 'h.tld/a',
    apps: {},
    report: {},
    [member]: many,
  };
  expect(plainReport(report)).toBeUndefined();
  expect(reportElement.safeParse(report).success).toBe(false);
});
