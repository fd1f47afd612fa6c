import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addDays, type Day } from '../../src/catalog/day.ts';
import { dayFamily, type Sample } from '../../src/catalog/family.ts';
import type { View } from '../../src/catalog/view.ts';
import { isKnown, labelled, labelsKey } from '../../src/pipeline/folding.ts';
import { type Filled, REMEMBERED_DAYS, Zeros } from '../../src/pipeline/zeros.ts';
import { dayNamed } from '../support/day.ts';

const first = dayNamed('2026-01-01');
// The families read nothing else of a view.
const view = {} as View;

interface Use {
  readonly model: string;
  readonly tier: string;
}

/** A family whose days, from `first` on, have these uses; undefined is a day without data. */
function familyOf(
  days: readonly (readonly Use[] | undefined)[],
  onRead: (day: Day) => void = () => undefined,
) {
  return dayFamily({
    name: 'agent_platform_test_credits_by_model',
    help: 'h',
    unit: 'credits',
    source: 's',
    labels: ['model', 'tier'],
    aggregation: 'additive',
    breakdown: true,
    samplesOf(_, day) {
      onRead(day);
      const uses = days[days.findIndex((__, index) => addDays(first, index) === day)];
      return uses?.map(({ model, tier }) => ({ labels: { model, tier }, value: 7 }));
    },
  });
}

function zerosBy(fill: Zeros['fill'], family: ReturnType<typeof familyOf>, day: Day) {
  const samples = [...(family.samplesOf(view, day) ?? [])].map((sample) => labelled(family, sample));
  const present = new Map(samples.map((sample) => [labelsKey(family, sample), sample]));
  const zeros: Sample[] = [];
  for (const _ of fill([{ family, present, zeros }], view, day));
  return zeros;
}

/** The zeros of a day by the plainest reading: from the samples of all days before it. */
function* fillZeros(families: readonly Filled[], view: View, day: Day): Generator<void> {
  const open = families.map((one) => ({ ...one, seen: new Set<string>() }));
  for (const { present, seen } of open) {
    for (const [key] of present) {
      seen.add(key);
      yield;
    }
  }
  for (let back = 1; back <= REMEMBERED_DAYS; back++) {
    for (const { family, zeros, seen } of open) {
      for (const given of family.samplesOf(view, addDays(day, -back)) ?? []) {
        yield;
        const sample = labelled(family, given);
        const key = labelsKey(family, sample);
        if (seen.has(key) || !isKnown(sample)) continue;
        seen.add(key);
        zeros.push({ labels: sample.labels, value: 0 });
      }
    }
  }
}

describe('zeros of consecutive days', () => {
  const name = fc.constantFrom('a', 'b', 'c', 'd', 'A long\u0000name');
  const uses = fc.array(fc.record({ model: name, tier: fc.constantFrom('', 's') }), { maxLength: 6 });
  const days = fc.array(fc.option(uses, { nil: undefined, freq: 4 }), { maxLength: 80 });
  const steps = fc.array(
    fc.oneof(fc.constant(1), fc.constant(0), fc.nat({ max: 40 }), fc.integer({ min: -9, max: -1 })),
    { maxLength: 40 },
  );

  test('are those of each day alone, in the same order, whichever days are asked for', () => {
    fc.assert(
      fc.property(days, steps, (list, moves) => {
        const family = familyOf(list);
        const zeros = new Zeros();
        let day = first;
        for (const move of moves) {
          day = addDays(day, move);
          expect(zerosBy(zeros.fill.bind(zeros), family, day)).toEqual(zerosBy(fillZeros, family, day));
        }
      }),
    );
  });

  test('read a day once, and none that they were asked for', () => {
    const read: Day[] = [];
    const family = familyOf(
      Array.from({ length: 60 }, (_, index) => [{ model: `m${index % 3}`, tier: 's' }]),
      (day) => read.push(day),
    );
    const zeros = new Zeros();
    for (let index = 0; index < 60; index += 2) {
      for (const _ of zeros.fill([{ family, present: [], zeros: [] }], view, addDays(first, index)));
    }
    const before = Array.from({ length: 28 }, (_, index) => addDays(first, index - 28));
    const between = Array.from({ length: 29 }, (_, index) => addDays(first, 2 * index + 1));
    expect(read).toEqual([...before, ...between]);
  });
});
