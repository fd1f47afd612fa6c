import fc from 'fast-check';
import { expect, test } from 'vitest';
import { mergedModels, mergedTiers, modelsOf } from '../../../src/collectors/tokens/models.ts';
import { dayNamed } from '../../support/day.ts';
import { createFakeView } from '../fakes.ts';

const day = dayNamed('2026-03-01');

test('the models of a day are merged and sorted, also where the stored row is so already', () => {
  const entry = fc.record({
    model: fc.constantFrom('a', 'a b', 'a!', 'b', 'é', '"'),
    tier: fc.constantFrom('standard', 'premium', undefined),
    credits: fc.nat(9),
  });
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 5 }), (entries) => {
      const stored = mergedModels(entries);
      const view = createFakeView({ rows: new Map([[day, { byModel: stored }]]) });
      // Of a single day there are no other days to find a tier on.
      const tiered = stored.map((each) => ({ ...each, tier: each.tier ?? tierOf(each.model) }));
      expect(modelsOf(view, day)).toEqual(mergedTiers(tiered));

      function tierOf(model: string): string {
        const known = stored.filter((each) => each.model === model && each.tier !== undefined);
        return (
          known.toSorted((one, other) => (other.credits ?? 0) - (one.credits ?? 0))[0]?.tier ?? 'unknown'
        );
      }
    }),
  );
});
