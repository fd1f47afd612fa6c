import { expect, test } from 'vitest';
import { describeExport, type ExportOutcome } from '../../src/export/export.ts';
import { dayNamed } from '../support/day.ts';

const outcome: ExportOutcome = {
  rows: 62,
  unknown: new Map(),
  omitted: new Map(),
  provisional: new Map(),
  interrupted: false,
};
const describe = (changes: Partial<ExportOutcome>, corrections?: number) =>
  describeExport({ ...outcome, ...changes }, ['unknown: acme/tokens on 1 day'], '2026-03', corrections);

test('an export says how many rows it has written, and what is missing', () => {
  expect(describe({})).toBe('62 rows of 2026-03\nunknown: acme/tokens on 1 day\n');
  expect(describe({}, 0)).toMatch(/^0 corrections of 2026-03\n/);
});

test('an export says once for each organization which rows may still change, and until when', () => {
  const provisional = new Map([['acme', { rows: 5, until: dayNamed('2026-05-01') }]]);
  expect(describe({ provisional })).toContain(
    '\nprovisional: 5 rows of acme, which its platform may revise until 2026-05-01\n',
  );
});

test('an interrupted export says so', () => {
  expect(describe({})).not.toContain('interrupted');
  expect(describe({ interrupted: true })).toMatch(/\ninterrupted; the output is incomplete\n$/);
});

test('an export of days that may still change says that nothing is written, and what to do', () => {
  const open = new Map([['acme/tokens', [dayNamed('2026-03-30'), dayNamed('2026-03-31')]]]);
  expect(describe({ open })).toBe(`nothing is written of 2026-03: not all of its days are stored and final
unknown: acme/tokens on 1 day
may still change: acme/tokens on 2 days, 2026-03-30 to 2026-03-31
serve stores and revises days; --storage.path=:memory: takes them from the platform instead
`);
});
