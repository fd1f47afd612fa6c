import * as z from 'zod';
import type { DayReader, Window } from '../../catalog/collector.ts';
import { withRejected } from '../../catalog/dataset.ts';
import { isObject } from '../../catalog/object.ts';
import { type Source, UnexpectedAnswer } from '../../catalog/source.ts';
import { preciseSumOfUsable } from '../../collectors/counts.ts';
import type { ModelTokens, TokensRow } from '../../collectors/tokens/dataset.ts';
import { mergedModels, SOME_MODEL } from '../../collectors/tokens/models.ts';
import { apiContractOf, pathsIn } from '../api-contract.ts';
import { breakdownOf, element, rejected, requiredAmount, requiredElementAmount, text } from '../fields.ts';
import { readDays } from '../shared.ts';
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
  unread: pathsIn(
    'costCenter user model product ' +
      'usageItems.{product,sku,unitType,pricePerUnit,discountQuantity,discountAmount,netQuantity}',
  ),
});

/** Asks for the bill of each day: that of a month does not say which day was how large. */
async function fetchDays(source: Source, window: Window) {
  const account = accountOf(source);
  let orgId = account.identity;
  const days = await readDays(window, async (of) => {
    const [year = '', month = '', day = ''] = of.split('-').map((part) => String(Number(part)));
    const { body, bytes } = await source.get({
      endpoint: 'tokens',
      host: 'api',
      path: `${account.billing}/settings/billing/ai_credit/usage`,
      query: { year, month, day },
    });
    if (!isObject(body) || !Array.isArray(body['usageItems']))
      throw new UnexpectedAnswer('an object with an array usageItems', body);
    if (dayIn(body) !== of)
      throw new UnexpectedAnswer('the usage of the day that was asked for', body['timePeriod']);
    source.compare?.(billContract, [body]);
    const isUnready = body['usageItems'].length === 0;
    const { row, rejected, members } = salvage(bill, body);
    const named = account.isEnterprise ? row?.enterprise : row?.organization;
    if (named !== undefined) orgId = account.identityOf(named);
    if (row?.usageItems === undefined) return { bytes, rejected, isUnready, lost: 1 };
    const faulty = members.flatMap(() => PART_OF_ITEMS);
    return { bytes, rejected, isUnready, row: isUnready ? undefined : withRejected(row.usageItems, faulty) };
  });
  return { ...days, orgId };
}

/** The day that a bill is about; undefined if it is about more than one. */
function dayIn({ timePeriod }: Readonly<Record<string, unknown>>): string | undefined {
  const { data } = period.safeParse(timePeriod);
  if (data === undefined) return undefined;
  const two = (part: number) => String(part).padStart(2, '0');
  return `${data.year}-${two(data.month)}-${two(data.day)}`;
}

type Items = readonly z.output<typeof item>[];

/** Used, its value, and what is billed of it: the rest is covered by what seats include. */
function rowOf(items: Items): TokensRow {
  return { ...sumsOf(items), byModel: modelsOf(items) };
}

function sumsOf(items: Items) {
  const sum = (name: 'grossQuantity' | 'grossAmount' | 'netAmount') =>
    preciseSumOfUsable(items.map((one) => one[name]));
  return { credits: sum('grossQuantity'), cost: sum('grossAmount'), billedCost: sum('netAmount') };
}

/** A model has an item for each SKU; what has no model stays unattributed. */
function modelsOf(items: Items): readonly ModelTokens[] {
  const sums = [...Map.groupBy(items, ({ model }) => model)].flatMap(([model, ofModel]): ModelTokens | [] => {
    if (model === undefined) return [];
    if (model === null) return { ...SOME_MODEL, cost: null, billedCost: null };
    const { credits = null, cost = null, billedCost = null } = sumsOf(ofModel);
    return { model, credits, cost, billedCost };
  });
  return mergedModels(sums);
}
