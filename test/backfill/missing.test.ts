import { expect, test } from 'vitest';
import { missingOf, noteDay } from '../../src/backfill/missing.ts';
import type { Day } from '../../src/catalog/day.ts';
import { dayNamed } from '../support/day.ts';

const days = new Map<string, Day[]>();
noteDay(days, 'acme/tokens', dayNamed('2026-03-01'));
noteDay(days, 'acme/tokens', dayNamed('2026-03-05'));
noteDay(days, 'beta/tools', dayNamed('2026-03-02'));
const [one, two] = [
  'acme/tokens on 2 days, 2026-03-01 to 2026-03-05',
  'beta/tools on 1 day, 2026-03-02 to 2026-03-02',
];
const none = { unknown: new Map(), interrupted: false };

test.each([
  ['nothing', none, [], [], 0],
  ['unknown days', { ...none, unknown: days }, [], [`unknown: ${one}`, `unknown: ${two}`], 1],
  ['prices', { ...none, omitted: days }, [], [`without a price: ${one}`, `without a price: ${two}`], 0],
  ['what failed', none, ['acme/users', 'beta/wiki'], ['failed to fetch: acme/users, beta/wiki'], 1],
  ['what an interruption left', { ...none, interrupted: true }, [], [], 1],
])('missing: %s', (_, missing, failed, lines, code) => {
  expect(missingOf(missing, failed)).toEqual({ lines, code });
});
