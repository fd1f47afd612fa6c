import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { dataPanels, readDashboards } from '../dashboards/files.ts';
import { chosen } from './dashboard-queries.ts';
import { createPrograms } from './programs.ts';
import { requireTool } from './tools.ts';

const EXCLUDED =
  '{__name__="agent_platform_exporter_families_excluded",job="ape",instance="a",family="agent_platform_credits_month_to_date"}';
const OTHER = EXCLUDED.replace('month_to_date', 'month_forecast');
const CREDITS = ['agent_platform_credits_month_to_date', 'agent_platform_daily_credits'].map(
  (name) => `{__name__="${name}",job="ape",instance="a",org="acme"}`,
);

/** The query of a panel of the credits dashboard. */
function queryOf(panel: string): string {
  const credits = readDashboards().find(({ file }) => file === 'credits.json');
  const found = dataPanels(credits?.dashboard ?? { title: '', panels: [], templating: { list: [] } }).find(
    ({ title }) => title === panel,
  );
  return chosen(found?.targets?.[0]?.expr ?? '', '1d');
}

test.runIf(requireTool('promtool'))(
  'a number is shown where there is one, and that it is not published only where that is why',
  async () => {
    const programs = createPrograms();
    const tile = queryOf('Credits this month');
    const list = queryOf('Metrics of this dashboard that are left out');
    const family = `{family="agent_platform_credits_month_to_date"}`;
    const cases = [
      {
        given: [...CREDITS, OTHER],
        tile: [{ labels: '{}', value: 1 }],
        list: [{ labels: family.replace('month_to_date', 'month_forecast'), value: 1 }],
      },
      {
        given: [EXCLUDED],
        tile: [{ labels: '{}', value: -987_654_321 }],
        list: [{ labels: family, value: 1 }],
      },
      { given: [], tile: [], list: [] },
    ];
    const tests = cases.map(({ given, ...expected }) => ({
      interval: '1m',
      input_series: given.map((series) => ({ series, values: '1x10' })),
      promql_expr_test: [
        { expr: tile, eval_time: '5m', exp_samples: expected.tile },
        { expr: list, eval_time: '5m', exp_samples: expected.list },
      ],
    }));
    const file = join(programs.folder(), 'tests.yaml');
    await writeFile(file, stringify({ evaluation_interval: '1m', tests }));
    const { code, stdout, stderr } = await programs.run('promtool', ['test', 'rules', file]);
    expect(code, stdout + stderr).toBe(0);
  },
);
