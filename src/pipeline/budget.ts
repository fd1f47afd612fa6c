import type { DropPriority } from '../catalog/family.ts';

/** A family of one organization and the number of series it would publish. */
export interface FamilySize {
  readonly family: string;
  readonly dropPriority: DropPriority;
  readonly labelled: boolean;
  readonly series: number;
}

/** The series budget of one organization: an equal share of the limit. */
export function seriesBudgetOf(seriesLimit: number, orgs: number): number {
  return Math.floor(seriesLimit / Math.max(1, orgs));
}

const ORDER: Readonly<Record<DropPriority, number>> = { detail: 0, breakdown: 1, main: 2 };

/**
 * The families to drop so that an organization's series fit its budget: details first, then breakdowns, then the main
 * ones, each in declared order. A family without labels is one series and is never dropped.
 */
export function familiesOverBudget(sizes: readonly FamilySize[], budget: number): ReadonlySet<string> {
  // A family that exceeds the budget alone is dropped in any case.
  const dropped = new Set(
    sizes.filter((size) => size.labelled && size.series > budget).map(({ family }) => family),
  );
  const fitting = sizes.filter(({ family }) => !dropped.has(family));
  let series = fitting.reduce((sum, size) => sum + size.series, 0);
  const candidates = fitting
    .filter((size) => size.labelled && size.series > 0)
    .sort((a, b) => ORDER[a.dropPriority] - ORDER[b.dropPriority]);
  for (const candidate of candidates) {
    if (series <= budget) break;
    dropped.add(candidate.family);
    series -= candidate.series;
  }
  return dropped;
}
