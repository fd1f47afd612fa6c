import { describe, expect, test } from 'vitest';
import { dataPanels, type Panel, readDashboards } from '../../scripts/dashboards/dashboard.ts';
import { collectors } from '../../src/collectors/index.ts';

const LEFT_OUT = 'agent_platform_exporter_families_excluded';
const families = collectors.flatMap((collector) => collector.families.map(({ name }) => String(name)));
const textOf = ({ targets = [] }: Panel) => targets.map(({ expr }) => expr).join('\n');
const reads = (panel: Panel) => families.some((name) => new RegExp(`\\b${name}\\b`).test(textOf(panel)));
const isList = (panel: Panel) => textOf(panel).startsWith(`max by (family) (${LEFT_OUT}{job=~"$job"})`);

test('which metrics are left out is listed on the dashboard of the exporter’s health alone', () => {
  const lists = readDashboards().flatMap(({ file, dashboard }) =>
    dataPanels(dashboard)
      .filter(isList)
      .map((panel) => ({ file, noValue: panel.fieldConfig?.defaults.noValue })),
  );
  expect(lists).toEqual([{ file: 'health.json', noValue: expect.stringMatching(/nothing is left out/) }]);
});

describe.each(readDashboards())('$file', ({ dashboard }) => {
  test('says of every panel without a value that it may not be published, where there is room for it', () => {
    const silent = dataPanels(dashboard).filter((panel) => {
      const { noValue = '' } = panel.fieldConfig?.defaults ?? {};
      return panel.type !== 'stat' && reads(panel) && !/not published|^–$/.test(noValue);
    });
    expect(silent.map(({ title }) => title)).toEqual([]);
  });
});
