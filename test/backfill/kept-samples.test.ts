import { describe, expect, test } from 'vitest';
import { createSampleKeeper } from '../../src/backfill/kept-samples.ts';
import type { Day } from '../../src/catalog/day.ts';
import { type DayFamily, dayFamily } from '../../src/catalog/family.ts';
import type { View } from '../../src/catalog/view.ts';
import { dayNamed } from '../support/day.ts';

const today = dayNamed('2026-03-10');
const yesterday = dayNamed('2026-03-09');

/** A family of `count` samples that lists the days for which they were computed. */
function counting(count: number) {
  const computed: Day[] = [];
  const family = dayFamily({
    name: 'agent_platform_test_by_model',
    help: 'h',
    unit: 'credits',
    source: 's',
    labels: ['model'],
    aggregation: 'additive',
    *samplesOf(_, day) {
      computed.push(day);
      for (let index = 0; index < count; index++) yield { labels: { model: `m${index}` }, value: index };
    },
  });
  const keeper = createSampleKeeper(100);
  const [kept] = keeper.keeping([family]);
  return { computed, family, keeper, kept: kept as DayFamily };
}

function samplesOf(family: DayFamily, view: View, day: Day) {
  return [...(family.samplesOf(view, day) ?? [])];
}

describe('kept samples', () => {
  test.each([0, 1, 100, 101, 5000])('are those of the family, however many: %i', (count) => {
    const { family, kept } = counting(count);
    const view = {} as View;
    const expected = samplesOf(family, view, today);
    for (let time = 0; time < 3; time++) expect(samplesOf(kept, view, today)).toEqual(expected);
  });

  test('are computed once for the day of a view, and again for another day or view', () => {
    const { computed, kept } = counting(3);
    const view = {} as View;
    for (const day of [today, today, yesterday, today]) samplesOf(kept, view, day);
    expect(computed).toEqual([today, yesterday]);
    samplesOf(kept, {} as View, today);
    expect(computed).toEqual([today, yesterday, today]);
  });

  test.each([100, 101])('are projected as the same array until another view, if few: %i', (count) => {
    const { family, keeper } = counting(count);
    const view = {} as View;
    const project = () => family.samplesOf(view, today) ?? [];
    const first = [...keeper.projected(family, view, project)];
    const again = keeper.projected(family, view, project);
    expect([...again]).toEqual(first);
    expect(keeper.projected(family, view, project) === again).toBe(count === 100);
    expect(keeper.projected(family, {} as View, project)).not.toBe(again);
  });

  test('belong to one keeper: the family itself stays as it is', () => {
    const { keeping } = createSampleKeeper();
    const { computed, family } = counting(1);
    expect(keeping([family])[0]).toBe(keeping([family])[0]);
    samplesOf(family, {} as View, today);
    expect(computed).toEqual([today]);
  });
});
