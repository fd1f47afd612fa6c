import { test } from 'vitest';
import { liveThroughPairs } from './pairs.ts';

test('the promises hold under each pair of faults, the other half', () =>
  liveThroughPairs('odd', 'npx vitest run --project storm test/storm/more-faults.test.ts'));
