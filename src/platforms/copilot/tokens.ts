import * as z from 'zod';
import type { FetchedDays } from '../../catalog/collector.ts';
import { withRejected } from '../../catalog/dataset.ts';
import { type Day, daysFrom } from '../../catalog/day.ts';
import { isObject } from '../../catalog/object.ts';
import type { DayReader } from '../../catalog/platform.ts';
import { type Source, UnexpectedAnswer } from '../../catalog/source.ts';
import { preciseSumOfUsable } from '../../collectors/counts.ts';
import type { ModelTokens, TokensRow } from '../../collectors/tokens/dataset.ts';
import { mergedModels, SOME_MODEL } from '../../collectors/tokens/models.ts';
import { apiContractOf } from '../api-contract.ts';
import { breakdownOf, element, rejected, requiredAmount, requiredElementAmount, text } from '../fields.ts';
import { salvage } from '../usable-row.ts';
import { accountOf } from './account.ts';

export const reader: DayReader<TokensRow> = { fetchDays };

/** An item of the bill: what a model was used for under one SKU. */
const item = element({
  model: z.union([text, rejected]),
  grossQuantity: requiredElementAmount,
  grossAmount: requiredElementAmount,
  netAmount: requiredElementAmount,
});

const period = z.object({ year: requiredAmount, month: requiredAmount, day: requiredAmount });

const bill = z.compile(
  z.object({
    timePeriod: period,
    organization: text,
    enterprise: text,
    usageItems: breakdownOf(item, rowOf),
  }),
);

const PART_OF_ITEMS = ['total', 'cost', 'models'];

const billContract = apiContractOf({
  schema: bill,
  whenOf: dayIn,
  dayOf: dayIn,
  unread: [
    ...['costCenter', 'user', 'model', 'product'],
    ...[
      'product',
      'sku',
      'unitType',
      'pricePerUnit',
      'discountQuantity',
      'discountAmount',
      'netQuantity',
    ].map((name) => `usageItems.${name}`),
  ],
});

/** Asks for the bill of each day: that of a month does not say which day was how large. */
async function fetchDays(source: Source, { from, to }: { from: Day; to: Day }) {
  const account = accountOf(source);
  const rows = new Map<Day, TokensRow>();
  const unready = new Set<Day>();
  const all = { rows, unready, rejected: 0, lost: 0, bytes: 0, remarks: [], orgId: account.identity };
  for (const day of daysFrom(from, to).toReversed()) {
    const [year = '', month, date] = day.split('-').map((part) => String(Number(part)));
    const { body, bytes } = await source.get({
      endpoint: 'tokens',
      host: 'api',
      path: `${account.billing}/settings/billing/ai_credit/usage`,
      query: { year, month: month ?? '', day: date ?? '' },
    });
    all.bytes += bytes;
    if (!isObject(body) || !Array.isArray(body['usageItems']))
      throw new UnexpectedAnswer('an object with an array usageItems', body);
    if (dayIn(body) !== day)
      throw new UnexpectedAnswer('the usage of the day that was asked for', body['timePeriod']);
    source.compare?.(billContract, [body]);
    if (body['usageItems'].length === 0) unready.add(day);
    const { row, rejected, members } = salvage(bill, body);
    all.rejected += rejected;
    const named = account.isEnterprise ? row?.enterprise : row?.organization;
    if (named !== undefined) all.orgId = account.identityOf(named);
    if (row?.usageItems === undefined) all.lost += 1;
    else if (!unready.has(day))
      rows.set(
        day,
        withRejected(
          row.usageItems,
          members.flatMap(() => PART_OF_ITEMS),
        ),
      );
  }
  return all satisfies FetchedDays<TokensRow>;
}

/** The day that a bill is about; undefined if it is about more than one. */
function dayIn({ timePeriod }: Readonly<Record<string, unknown>>): string | undefined {
  const { data } = period.safeParse(timePeriod);
  if (data === undefined) return undefined;
  const two = (part: number) => String(part).padStart(2, '0');
  return `${data.year}-${two(data.month)}-${two(data.day)}`;
}

/** Used, its value, and what is billed of it: the rest is covered by what seats include. */
function rowOf(items: readonly z.output<typeof item>[]): TokensRow {
  return {
    credits: preciseSumOfUsable(items.map(({ grossQuantity }) => grossQuantity)),
    cost: preciseSumOfUsable(items.map(({ grossAmount }) => grossAmount)),
    billedCost: preciseSumOfUsable(items.map(({ netAmount }) => netAmount)),
    byModel: modelsOf(items),
  };
}

/** A model has an item for each SKU; what has no model stays unattributed. */
function modelsOf(items: readonly z.output<typeof item>[]): readonly ModelTokens[] {
  const sums = [...Map.groupBy(items, ({ model }) => model)].flatMap(([model, ofModel]): ModelTokens | [] => {
    if (model === undefined) return [];
    if (model === null) return { ...SOME_MODEL, cost: null };
    const credits = preciseSumOfUsable(ofModel.map(({ grossQuantity }) => grossQuantity)) ?? null;
    const cost = preciseSumOfUsable(ofModel.map(({ grossAmount }) => grossAmount)) ?? null;
    return { model, credits, cost };
  });
  return mergedModels(sums);
}
