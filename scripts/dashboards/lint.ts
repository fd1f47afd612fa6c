import type { Dashboard } from './dashboard.ts';
import { queryRules } from './rules-queries.ts';
import { structureRules } from './rules-structure.ts';
import { sumRules } from './rules-sums.ts';

/** Every rule that a dashboard must keep. */
export const dashboardRules = [...structureRules, ...queryRules, ...sumRules];

/** The rules that a dashboard's file breaks, a line for each problem. */
export function lintDashboard(file: string, text: string): readonly string[] {
  const dashboard = JSON.parse(text) as Dashboard;
  return dashboardRules.flatMap(({ name, violations }) =>
    violations(dashboard).map((problem) => `${file} breaks “${name}”: ${problem}`),
  );
}
