import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { peerValues } from '../../scripts/chart/peer-values.ts';
import { documentedValues } from '../../scripts/chart/values-docs.ts';

const names = documentedValues(readFileSync(new URL('../../helm/values.yaml', import.meta.url), 'utf8')).map(
  ({ path }) => path.join('.'),
);

test.each(peerValues)('$chart: $theirs has the equivalent that the table names', ({ ours, note }) => {
  for (const own of ours) {
    expect(
      names.some((name) => name === own || name.startsWith(`${own}.`)),
      own,
    ).toBe(true);
  }
  if (ours.length === 0) expect(note).toBeTruthy();
});
