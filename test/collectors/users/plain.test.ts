import fc from 'fast-check';
import { expect, test } from 'vitest';
import { personRow, plainPerson } from '../../../src/collectors/users/schema.ts';
import { DAY } from '../fakes.ts';

const amount = fc.oneof(
  { weight: 30, arbitrary: fc.oneof(fc.nat(), fc.double({ min: 0, max: 2 ** 53, noNaN: true })) },
  fc.constantFrom(-1, 2 ** 54, Number.NaN, Number.POSITIVE_INFINITY, '7', 'x', null, undefined, true, -0),
);
const text = fc.oneof(
  { weight: 30, arbitrary: fc.string({ minLength: 1 }) },
  fc.constantFrom('', ' ', null, undefined, 7, 'x'.repeat(513)),
);
const amounts = [
  ...['tool_calls', 'billable_tokens', 'files_created', 'files_edited', 'git_commits', 'git_prs_created'],
  ...['mcp_calls', 'skill_calls', 'slash_commands', 'hooks', 'sessions', 'messages', 'user_messages'],
  ...['assistant_messages', 'autonomy_ratio'],
];
const element = fc.record({
  user_id: text,
  user_email: fc.oneof(text, fc.constantFrom(' Ada@Acme.example ', null)),
  date: fc.oneof(
    { weight: 9, arbitrary: fc.constant(DAY) },
    fc.constantFrom(`${DAY}T00:00:00Z`, '2026-03-09', null),
  ),
  primary_model: text,
  primary_model_tier: text,
  delegation_level: text,
  languages: fc.oneof(
    { weight: 9, arbitrary: fc.array(fc.string({ minLength: 1 })) },
    fc.constantFrom(null, [''], [7], 'Go'),
  ),
  ...Object.fromEntries(amounts.map((name) => [name, amount])),
});

test('the fast path has the same result as the schema', () => {
  let read = 0;
  fc.assert(
    fc.property(element, (row) => {
      const short = plainPerson(row, DAY);
      if (short === undefined) return;
      read++;
      expect(personRow.parse(row)).toEqual(short);
    }),
    { numRuns: 2000 },
  );
  expect(read).toBeGreaterThan(100);
});

test.each([undefined, null, 7, 'row', [], {}])('%j does not use the fast path', (row) => {
  expect(plainPerson(row, DAY)).toBeUndefined();
});
