import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { DayDataset } from '../../src/catalog/dataset.ts';
import { addDays, type Day, startOf } from '../../src/catalog/day.ts';
import { currentFamily, dayFamily, type Family, type Sample } from '../../src/catalog/family.ts';
import { labelValue } from '../../src/catalog/label.ts';
import type { View } from '../../src/catalog/view.ts';
import { familiesOverBudget } from '../../src/pipeline/budget.ts';
import { measureCardinality, projectFamily } from '../../src/pipeline/cardinality.ts';
import { foldAll } from '../../src/pipeline/folding.ts';
import { createView } from '../../src/pipeline/view.ts';
import { runInSlices } from '../../src/work/slices.ts';
import { dayNamed } from '../support/day.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { storedOrg } from '../support/store.ts';

type Row = {
  readonly models?: readonly (readonly [string, number])[];
  readonly rejected?: Readonly<Record<string, number>>;
};

const start = dayNamed('2026-03-01');
const dataset: DayDataset<Row> = { kind: 'days', name: 'tokens', idle: {} };
const meta = { help: 'h', unit: 'credits', source: 's' } as const;

const byModel = dayFamily({
  ...meta,
  name: 'agent_platform_test_by_model',
  labels: ['model'],
  aggregation: 'additive',
  breakdown: true,
  samplesOf: (view, day) =>
    view.row(dataset, day)?.models?.map(([model, value]) => ({ labels: { model }, value })),
});
const ratioByModel = dayFamily({
  ...meta,
  name: 'agent_platform_test_ratio',
  labels: ['model'],
  aggregation: 'ratio',
  breakdown: true,
  samplesOf: (view, day) =>
    view.row(dataset, day)?.models?.map(([model]) => ({ labels: { model }, value: 0.5 })),
});

function viewOf(days: readonly Row[]): View {
  const rows = new Map<Day, unknown>(days.map((row, index) => [addDays(start, index), row]));
  return createView(
    {
      history: storedOrg({ days: () => rows }),
      settings: {
        name: 'acme',
        readiness: { branches: [], cleanOnly: false, levelRule: 'none', criterionCounts: true },
      },
      datasets: [dataset],
      historyStart: start,
    },
    startOf(addDays(start, days.length)),
  );
}

async function project(families: readonly Family[], days: readonly Row[], limit = 200) {
  const view = viewOf(days);
  const cardinality = await runInSlices(
    measureCardinality(families, dataset, view, () => limit),
    createFakeClock(0),
  );
  const samples: Record<string, Record<string, number>> = {};
  const folded: Record<string, number> = {};
  for (const measured of cardinality.families) {
    // A label value may be called `__proto__`.
    const of: Record<string, number> = Object.create(null);
    for (const sample of projectFamily(measured, cardinality.kept, dataset, view)) {
      const key = Object.values(sample.labels).join('|');
      expect(Object.hasOwn(of, key), `two samples for ${key}`).toBe(false);
      of[key] = sample.value;
    }
    samples[measured.family.name] = of;
    folded[measured.family.name] = measured.folded;
  }
  return { samples, folded };
}

const name = byModel.name;

describe('zeros', () => {
  test('a label value of the preceding 28 days that is missing today is 0', async () => {
    const { samples } = await project([byModel], [{ models: [['a', 1]] }, { models: [['b', 2]] }]);
    expect(samples[name]).toEqual({ a: 0, b: 2 });
  });

  test('a label value last seen 29 days ago is absent', async () => {
    const quiet: Row[] = Array.from({ length: 28 }, () => ({ models: [] }));
    expect(
      (await project([byModel], [{ models: [['a', 1]] }, ...quiet.slice(1), { models: [] }])).samples[name],
    ).toEqual({
      a: 0,
    });
    expect(
      (await project([byModel], [{ models: [['a', 1]] }, ...quiet, { models: [] }])).samples[name],
    ).toEqual({});
  });

  test('a row without the breakdown gives no series, not zeros', async () => {
    expect((await project([byModel], [{ models: [['a', 1]] }, {}])).samples).toEqual({});
  });

  test('a row of which something was rejected is not filled: what is missing may be that', async () => {
    const models = [['b', 2]] as const;
    const days = (rejected: number) => [
      { models: [['a', 1]] as const },
      { models, rejected: { credits: rejected } },
    ];
    expect((await project([byModel], days(1))).samples[name]).toEqual({ b: 2 });
    expect((await project([byModel], days(0))).samples[name]).toEqual({ a: 0, b: 2 });
  });

  test('ratios are not filled', async () => {
    const { samples } = await project([ratioByModel], [{ models: [['a', 1]] }, { models: [['b', 1]] }]);
    expect(samples[ratioByModel.name]).toEqual({ b: 0.5 });
  });
});

describe('the samples of a family', () => {
  test.each([
    ['few', 1024, 1],
    ['many', 1025, 2],
  ])('are computed only once if they are %s', async (_, number, computed) => {
    let times = 0;
    const family = currentFamily({
      ...{ ...meta, name: 'agent_platform_test_numbers', labels: ['n'], aggregation: 'additive' },
      *samplesOf() {
        times += 1;
        for (let n = 0; n < number; n++) yield { labels: { n: String(n) }, value: n };
      },
    });
    const { samples } = await project([family], [{}], 2000);
    expect(Object.keys(samples[family.name] ?? {})).toHaveLength(number);
    expect(times).toBe(computed);
  });
});

describe('measuring', () => {
  function* counted<Result>(work: Generator<unknown, Result>): Generator<number, Result> {
    for (let steps = 1; ; steps++) {
      const step = work.next();
      if (step.done === true) return step.value;
      yield steps;
    }
  }

  function measure(days: readonly Row[], limit: number, samplesPerStep?: number) {
    const given = samplesPerStep === undefined ? {} : { samplesPerStep };
    const steps = counted(measureCardinality([byModel], dataset, viewOf(days), () => limit, given));
    let last = 0;
    for (;;) {
      const step = steps.next();
      if (step.done === true) return { ...step.value, steps: last };
      last = step.value;
    }
  }

  test('counts the samples before folding, zeros included', () => {
    const days: Row[] = [
      {
        models: [
          ['a', 1],
          ['b', 1],
        ],
      },
      { models: [['c', 1]] },
    ];
    expect(measure(days, 200).samples).toBe(3);
    expect(measure(days, 1)).toMatchObject({ samples: 3, foldedCounts: new Map([['model', 2]]) });
  });

  test('lets other work run after each sample, or after so many', () => {
    const models = Array.from({ length: 320 }, (_, index): readonly [string, number] => [`m${index}`, 1]);
    const [each, some] = [measure([{ models }], 400).steps, measure([{ models }], 400, 16).steps];
    expect(each - some).toBe(320 - 320 / 16);
    expect(some).toBeGreaterThanOrEqual(320 / 16);
  });

  test('reads no newest day for families without one', async () => {
    const family = currentFamily({
      ...{ ...meta, name: 'agent_platform_test_now', labels: ['model'], aggregation: 'additive' },
      samplesOf: () => [{ labels: { model: 'a' }, value: 3 }],
    });
    const measured = await runInSlices(
      measureCardinality([family, byModel], undefined, viewOf([{ models: [['b', 1]] }]), () => 200),
      createFakeClock(0),
    );
    expect(measured.families.map(({ family: { name: found } }) => found)).toEqual([family.name]);
    const [only] = measured.families;
    expect(only && [...projectFamily(only, measured.kept, undefined, viewOf([]))]).toEqual([
      { labels: { model: 'a' }, value: 3 },
    ]);
  });
});

describe('folding', () => {
  test('the largest values stay, the rest is summed into other, ties go by name', async () => {
    const { samples, folded } = await project(
      [byModel],
      [
        {
          models: [
            ['d', 1],
            ['c', 1],
            ['b', 5],
            ['a', 1],
          ],
        },
      ],
      2,
    );
    expect(samples[name]).toEqual({ b: 5, a: 1, other: 2 });
    expect(folded[name]).toBe(2);
  });

  test('changes nothing where nothing is folded', () => {
    const samples: readonly Sample[] = [{ labels: { model: 'a' }, value: 1 }];
    expect(foldAll(byModel, samples, new Map())).toBe(samples);
    expect(foldAll(byModel, samples, new Map([['model', new Set(['a'])]]))).toBe(samples);
  });

  test('a real value named other is summed into the fold', async () => {
    const { samples } = await project(
      [byModel],
      [
        {
          models: [
            ['other', 9],
            ['b', 5],
            ['a', 1],
          ],
        },
      ],
      1,
    );
    expect(samples[name]).toEqual({ b: 5, other: 10 });
  });

  test('a real value named other stays as it is where nothing is folded', async () => {
    const { samples } = await project(
      [byModel],
      [
        {
          models: [
            ['other', 9],
            ['b', 5],
          ],
        },
      ],
    );
    expect(samples[name]).toEqual({ other: 9, b: 5 });
  });

  test('a real value named other is not folded, and does not make the others too many', async () => {
    const models = [
      ['other', 9],
      ['b', 5],
      ['a', 1],
    ] as const;
    const fitting = await project([byModel, ratioByModel], [{ models }], 2);
    expect(fitting.samples[name]).toEqual({ other: 9, b: 5, a: 1 });
    expect(fitting.samples[ratioByModel.name]).toEqual({ other: 0.5, b: 0.5, a: 0.5 });
    expect(fitting.folded).toEqual({ [name]: 0, [ratioByModel.name]: 0 });
    const { folded } = await project([byModel, ratioByModel], [{ models }], 1);
    expect(folded).toEqual({ [name]: 1, [ratioByModel.name]: 1 });
  });

  test('zeros beyond the limit belong to other', async () => {
    const { samples } = await project(
      [byModel],
      [
        { models: [['z', 1]] },
        {
          models: [
            ['a', 3],
            ['b', 4],
          ],
        },
      ],
      2,
    );
    expect(samples[name]).toEqual({ a: 3, b: 4, other: 0 });
  });

  test('ratios of folded values are left out and the others rank by the main number', async () => {
    const { samples } = await project(
      [byModel, ratioByModel],
      [
        {
          models: [
            ['a', 1],
            ['b', 5],
          ],
        },
      ],
      1,
    );
    expect(samples[ratioByModel.name]).toEqual({ b: 0.5 });
  });

  test('shares alone rank by themselves: the largest stay', async () => {
    const shares = dayFamily({
      ...meta,
      name: 'agent_platform_test_share',
      labels: ['model'],
      aggregation: 'ratio',
      breakdown: true,
      samplesOf: () =>
        ['a', 'b', 'c'].map((model) => ({ labels: { model }, value: model === 'c' ? 0.8 : 0.1 })),
    });
    // Declared, but without a price it has no samples.
    const cost: Family = { ...byModel, name: 'agent_platform_test_cost', samplesOf: () => undefined };
    const { samples } = await project([shares, cost], [{}], 1);
    expect(samples[shares.name]).toEqual({ c: 0.8 });
  });

  test('values are weighed by the first family, even if only a later one has too many of them', async () => {
    const later = dayFamily({
      ...meta,
      name: 'agent_platform_test_later',
      labels: ['model'],
      aggregation: 'additive',
      samplesOf: () =>
        ['a', 'b', 'c', 'd'].map((model) => ({ labels: { model }, value: model === 'd' ? 9 : 1 })),
    });
    const models = [
      ['b', 1],
      ['c', 2],
    ] as const;
    const { samples, folded } = await project([byModel, later], [{ models }], 2);
    expect(samples).toEqual({ [name]: { b: 1, c: 2 }, [later.name]: { b: 1, c: 1, other: 10 } });
    expect(folded).toEqual({ [name]: 0, [later.name]: 2 });
  });

  test('what is more than one can hold is weighed too', async () => {
    const many = Array.from({ length: 6000 }, (_, index): readonly [string, number] => [`m${index}`, index]);
    const { samples, folded } = await project([byModel], [{ models: many }], 5999);
    expect(samples[name]).toMatchObject({ other: 0, m1: 1, m5999: 5999 });
    expect(folded[name]).toBe(1);
  });

  test('values that differ after the 256th character, or in invisible characters, stay distinct', async () => {
    const long = 'x'.repeat(256);
    const models = [
      [long, 1] as const,
      [`${long}a`, 2] as const,
      [`${long}b`, 3] as const,
      ['a\u200b', 4] as const,
    ];
    const { samples } = await project([byModel, ratioByModel], [{ models }]);
    const labels = [long, labelValue(`${long}a`), labelValue(`${long}b`), labelValue('a\u200b')];
    expect(Object.keys(samples[ratioByModel.name] ?? {}).toSorted()).toEqual(labels.toSorted());
    expect(samples[name]).toEqual(Object.fromEntries(labels.map((label, index) => [label, index + 1])));
  });

  test('a value that is spelt like a changed one is not the same series twice', async () => {
    const changed = labelValue('a\u200b');
    const models = [[changed, 1] as const, ['a\u200b', 2] as const];
    const { samples } = await project([byModel], [{ models }]);
    expect(samples[name]).toEqual({ [changed]: 3 });
  });

  test('a day that was stored with the original text does not add a zero to its label', async () => {
    const days = [{ models: [['a\u0001', 1] as const] }, { models: [[labelValue('a\u0001'), 2] as const] }];
    expect((await project([byModel], days)).samples[name]).toEqual({ [labelValue('a\u0001')]: 2 });
  });

  test('sums never change', async () => {
    const models = fc.uniqueArray(fc.tuple(fc.string(), fc.nat(1000)), { selector: ([model]) => model });
    await fc.assert(
      fc.asyncProperty(
        fc.array(models, { minLength: 1, maxLength: 4 }),
        fc.integer({ min: 1, max: 5 }),
        async (days, limit) => {
          const { samples } = await project(
            [byModel],
            days.map((models) => ({ models })),
            limit,
          );
          const published = Object.values(samples[name] ?? {});
          const newest = days.at(-1) ?? [];
          expect(published.reduce((a, b) => a + b, 0)).toBe(
            newest.reduce((sum, [, value]) => sum + value, 0),
          );
          expect(published.length).toBeLessThanOrEqual(limit + 1);
        },
      ),
    );
  });

  test('labels of a closed set are not limited, those beside them are', async () => {
    const byKind = dayFamily({
      ...meta,
      name: 'agent_platform_test_by_kind',
      labels: ['model', 'kind'],
      fixedLabels: ['kind'],
      aggregation: 'additive',
      samplesOf: () =>
        ['a', 'b', 'c'].flatMap((model) =>
          ['input', 'output', 'cache'].map((kind) => ({ labels: { model, kind }, value: 1 })),
        ),
    });
    const { samples, folded } = await project([byKind], [{}], 1);
    expect(samples[byKind.name]).toEqual({
      ...{ 'a|input': 1, 'a|output': 1, 'a|cache': 1 },
      ...{ 'other|input': 2, 'other|output': 2, 'other|cache': 2 },
    });
    expect(folded[byKind.name]).toBe(2);
  });

  test('labels that only infos have are not limited', async () => {
    const info = currentFamily({
      ...meta,
      name: 'agent_platform_test_info',
      labels: ['model', 'commit'],
      aggregation: 'info',
      *samplesOf(): Iterable<Sample<'model' | 'commit'>> {
        for (const n of ['1', '2', '3']) yield { labels: { model: 'a', commit: n }, value: 1 };
      },
    });
    const { samples } = await project([byModel, info], [{ models: [['a', 1]] }], 1);
    expect(Object.keys(samples[info.name] ?? {})).toHaveLength(3);
  });
});

describe('the series budget', () => {
  const size = (
    name: string,
    dropPriority: 'detail' | 'breakdown' | 'main',
    series: number,
    isLabelled = true,
  ) => ({ family: { name, dropPriority, labels: isLabelled ? ['model'] : [] }, series });

  test('nothing is dropped while everything fits', () => {
    expect(familiesOverBudget([size('a', 'main', 5)], 5)).toEqual(new Set());
  });

  test('details are dropped first, then breakdowns in declared order, and no more than necessary', () => {
    const sizes = [
      size('b1', 'breakdown', 10),
      size('b2', 'breakdown', 10),
      size('d', 'detail', 10),
      size('m', 'main', 10),
    ];
    expect(familiesOverBudget(sizes, 30)).toEqual(new Set(['d']));
    expect(familiesOverBudget(sizes, 20)).toEqual(new Set(['d', 'b1']));
    expect(familiesOverBudget(sizes, 5)).toEqual(new Set(['d', 'b1', 'b2', 'm']));
  });

  test('a family that does not fit alone drops no other', () => {
    expect(familiesOverBudget([size('d', 'detail', 5), size('b', 'breakdown', 50)], 10)).toEqual(
      new Set(['b']),
    );
  });

  test('a family without labels is never dropped', () => {
    expect(familiesOverBudget([size('m', 'main', 1, false)], 0)).toEqual(new Set());
  });
});
