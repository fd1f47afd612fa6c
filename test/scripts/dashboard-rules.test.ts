import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Dashboard } from '../../scripts/dashboards/dashboard.ts';
import { dashboardRules, lintDashboard } from '../../scripts/dashboards/lint.ts';

const text = readFileSync(new URL('../../dashboards/credits.json', import.meta.url), 'utf8');

test.each(dashboardRules)('a dashboard can break “$name”', ({ name, broken }) => {
  const changed = JSON.stringify(broken(JSON.parse(text) as Dashboard));
  expect(
    lintDashboard('credits.json', changed).filter((problem) => problem.includes(`“${name}”`)),
  ).not.toEqual([]);
});

test('a dashboard that breaks no rule has no problem', () => {
  expect(lintDashboard('credits.json', text)).toEqual([]);
});
