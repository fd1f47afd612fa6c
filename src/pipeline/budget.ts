import type { DropPriority, Family } from '../catalog/family.ts';

/** A family of one organization and the number of series it would publish. */
export interface FamilySize {
  readonly family: Pick<Family, 'labels' | 'dropPriority'> & { readonly name: string };
  readonly series: number;
}

/** The series budget of one organization: an equal share of the limit. */
export function seriesBudgetOf(seriesLimit: number, orgs: number): number {
  return Math.floor(seriesLimit / Math.max(1, orgs));
}

const ORDER: Readonly<Record<DropPriority, number>> = { detail: 0, breakdown: 1, main: 2 };

/**
 * The names of the families to drop so that an organization's series fit its budget: details first, then breakdowns, then the main
 * ones, each in declared order. A family without labels is one series and is never dropped.
 */
export function familiesOverBudget(sizes: readonly FamilySize[], budget: number): ReadonlySet<string> {
  const dropped = new Set<string>();
  const candidates: FamilySize[] = [];
  let left = 0;
  for (const size of sizes) {
    const { family, series } = size;
    // A family that exceeds the budget alone is dropped in any case.
    if (family.labels.length > 0 && series > budget) dropped.add(family.name);
    else left += series;
    if (family.labels.length > 0 && series > 0 && series <= budget) candidates.push(size);
  }
  candidates.sort((a, b) => ORDER[a.family.dropPriority] - ORDER[b.family.dropPriority]);
  for (const { family, series } of candidates) {
    if (left <= budget) break;
    dropped.add(family.name);
    left -= series;
  }
  return dropped;
}
