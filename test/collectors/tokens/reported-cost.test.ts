import { describe, expect, test } from 'vitest';
import { hasActivity, idleRowWith } from '../../../src/catalog/dataset.ts';
import { addDays, endOf } from '../../../src/catalog/day.ts';
import { spendFamilies } from '../../../src/collectors/spend/collector.ts';
import { tokenFamilies } from '../../../src/collectors/tokens/collector.ts';
import { tokensDataset } from '../../../src/collectors/tokens/dataset.ts';
import { mergedModels } from '../../../src/collectors/tokens/models.ts';
import { describeRevisions } from '../../../src/pipeline/revisions.ts';
import { createView } from '../../../src/pipeline/view.ts';
import { mergeRow } from '../../../src/store/merge.ts';
import { BOTH, COST } from '../../support/money.ts';
import { storedOrg } from '../../support/store.ts';
import { createFakeView, DAY } from '../fakes.ts';

const { parts = {} } = tokensDataset;
const before = { cost: 10, listCost: 12, byModel: [{ model: 'a', tier: 'unknown', cost: 9 }] };

describe('the reported cost of a stored day', () => {
  test('is replaced together with its breakdown, and that is a revision', () => {
    const after = { cost: 8, listCost: 10, byModel: [{ model: 'a', tier: 'unknown', cost: 7 }] };
    expect(mergeRow(before, after, parts)).toEqual({ row: after, isRevised: true, missing: 0 });
    expect(describeRevisions(tokensDataset, [{ day: DAY, before, after }])).toEqual({
      days: DAY,
      totals: `${DAY}: 10 -> 8`,
    });
  });

  test('stays whole where an answer lacks a part of it, and its breakdown with it', () => {
    const after = { cost: 8, byModel: [{ model: 'a', tier: 'unknown', cost: 7 }] };
    expect(mergeRow(before, after, parts).row).toMatchObject(before);
  });

  test('of a model is added up over its entries, and unknown with an unusable one', () => {
    const entry = (cost: number | null) => ({ model: 'a', tier: 's', cost });
    expect(mergedModels([entry(0.1), entry(0.2)])[0]?.cost).toBeCloseTo(0.3, 12);
    expect(mergedModels([entry(0.1), entry(null)])[0]?.cost).toBeNull();
  });

  test('is activity', () => {
    expect(hasActivity(tokensDataset, { cost: 0 })).toBe(false);
    expect(hasActivity(tokensDataset, { cost: 0.01 })).toBe(true);
  });
});

test.each([
  [COST, ['cost', 'listCost'], { cost: 0, list: 0, billed: undefined, credits: undefined }],
  [BOTH, ['credits', 'cost', 'billedCost'], { cost: 0, list: undefined, billed: 0, credits: 0 }],
])(
  'a day without activity of a platform with %j has zeros of what it reports',
  (money, members, expected) => {
    const day = addDays(DAY, -1);
    const rows = new Map<typeof DAY, unknown>([
      [DAY, { cost: 1 }],
      [day, undefined],
    ]);
    const view = createView(
      {
        history: storedOrg({ days: (name) => (name === 'tokens' ? rows : undefined) }),
        settings: {
          ...createFakeView({}).settings,
          money,
          idleRows: { tokens: idleRowWith(tokensDataset, members) },
        },
        datasets: [tokensDataset],
        historyStart: day,
      },
      endOf(DAY),
    );
    const valueIn = ({ samplesOf }: typeof spendFamilies.dailyCost | typeof tokenFamilies.dailyCredits) =>
      [...(samplesOf(view, day) ?? [])][0]?.value;
    expect({
      cost: valueIn(spendFamilies.dailyCost),
      list: valueIn(spendFamilies.dailyListCost),
      billed: valueIn(spendFamilies.dailyBilledCost),
      credits: valueIn(tokenFamilies.dailyCredits),
    }).toEqual(expected);
  },
);
