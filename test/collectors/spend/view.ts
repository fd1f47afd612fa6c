import { addDays, startOf } from '../../../src/catalog/day.ts';
import type { Contract, CreditPrice } from '../../../src/catalog/settings.ts';
import type { View } from '../../../src/catalog/view.ts';
import { spendCollector } from '../../../src/collectors/spend/collector.ts';
import { type TokensRow, tokensDataset } from '../../../src/collectors/tokens/dataset.ts';
import { dayNamed } from '../../support/day.ts';
import { createFakeView } from '../fakes.ts';

export const MILLION = 1_000_000;

/** A day's credits, a whole row, or a covered day without activity; a day that is not listed is not covered. */
export type KnownDay = number | TokensRow | 'idle';

/** A row of the platform without credits. */
export const WITHOUT_CREDITS: TokensRow = { tokens: { input: 5 } };

/** An organization with some known days, by day or from a first day on. */
export function spendView(days: Readonly<Record<string, KnownDay>>, contract?: Contract): View {
  const rows = new Map(Object.entries(days).map(([day, known]) => [dayNamed(day), rowOf(known)]));
  const view = createFakeView({ rows, asOf: startOf(dayNamed('2030-01-01')) });
  return { ...view, settings: { ...view.settings, contract } };
}

/** Consecutive days; undefined leaves one uncovered. */
export function daysSince(
  first: string,
  known: readonly (KnownDay | undefined)[],
): Readonly<Record<string, KnownDay>> {
  const days: Record<string, KnownDay> = {};
  for (const [index, each] of known.entries()) {
    if (each !== undefined) days[addDays(dayNamed(first), index)] = each;
  }
  return days;
}

/** A price in US dollars per million credits. */
export function dollars(from: string, perMillionCredits: number): CreditPrice {
  return { from: dayNamed(from), currency: 'USD', perMillionCredits };
}

/** All spend figures of a day by name and label values, if any: `daily_cost{USD}`. */
export function spendOn(view: View, day: string): Readonly<Record<string, number>> {
  const figures: Record<string, number> = {};
  for (const family of spendCollector.families) {
    const samples = family.scope === 'day' ? family.samplesOf(view, dayNamed(day)) : family.samplesOf(view);
    for (const { labels, value } of samples ?? []) {
      const values = family.labels.map((label) => labels[label]);
      const name = family.name.replace('agent_platform_', '');
      figures[values.length === 0 ? name : `${name}{${values.join(',')}}`] = value;
    }
  }
  return figures;
}

function rowOf(known: KnownDay): TokensRow {
  if (known === 'idle') return tokensDataset.idle;
  return typeof known === 'number' ? { credits: known } : known;
}
