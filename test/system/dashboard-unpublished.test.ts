import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { chosen, panelQueries } from './dashboard-queries.ts';
import { createPrograms } from './programs.ts';
import { requireTool } from './tools.ts';

const FAMILY = 'family="agent_platform_credits_month_to_date"';
const EXCLUDED = `{__name__="agent_platform_exporter_families_excluded",job="ape",instance="a",${FAMILY}}`;

test.runIf(requireTool('promtool'))(
  'the metrics that are left out are listed, and nothing else is',
  async () => {
    const programs = createPrograms();
    const query = panelQueries().find(({ where }) => where === 'health.json “Metrics that are left out” A');
    const tests = [
      { given: [EXCLUDED, EXCLUDED.replace('"a"', '"b"')], listed: [{ labels: `{${FAMILY}}`, value: 1 }] },
      { given: [], listed: [] },
    ].map(({ given, listed }) => ({
      interval: '1m',
      input_series: given.map((series) => ({ series, values: '1x10' })),
      promql_expr_test: [
        { expr: chosen(query?.target.expr ?? '', '1d'), eval_time: '5m', exp_samples: listed },
      ],
    }));
    const file = join(programs.folder(), 'tests.yaml');
    await writeFile(file, stringify({ evaluation_interval: '1m', tests }));
    const { code, stdout, stderr } = await programs.run('promtool', ['test', 'rules', file]);
    expect(code, stdout + stderr).toBe(0);
  },
);
