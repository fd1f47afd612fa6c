import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { dataPanels, readDashboards } from '../../scripts/dashboards/dashboard.ts';

const FOLDER = path.resolve(import.meta.dirname, '../../alerts/tests');

interface RuleTests {
  readonly tests: readonly {
    readonly alert_rule_test?: readonly {
      readonly exp_alerts?: readonly { readonly exp_annotations?: { readonly description?: string } }[];
    }[];
  }[];
}

/** The descriptions that promtool compares with those of Prometheus. */
const rendered = globSync('*.yaml', { cwd: FOLDER }).flatMap((file) => {
  const { tests } = parse(readFileSync(path.join(FOLDER, file), 'utf8')) as RuleTests;
  return tests
    .flatMap(({ alert_rule_test: rules = [] }) => rules.flatMap(({ exp_alerts: alerts = [] }) => alerts))
    .map(({ exp_annotations: annotations }) => annotations?.description ?? '');
});

/** As Grafana's unit `short` writes a number from one on: three significant digits, without zeros at the end. */
function short(value: number): string {
  const thousands = Math.min(4, Math.floor(Math.log10(value) / 3));
  const scaled = Number((value / 1000 ** thousands).toPrecision(3));
  return `${scaled}${['', ' K', ' Mil', ' Bil', ' Tri'][thousands]}`;
}

describe('the numbers in notifications', () => {
  test('are those of the unit of the panels', () => {
    const credits = rendered.flatMap((text) =>
      [...text.matchAll(/([\d.]+)( [KMBT]\w*)? (?:credits|are (?:used|not unusual))/g)].map(
        ([, digits = '', suffix = '']) => ({ digits, suffix }),
      ),
    );
    expect(credits.length).toBeGreaterThan(20);
    expect(new Set(credits.map(({ suffix }) => suffix))).toEqual(new Set([' K', ' Mil']));
    for (const { digits, suffix } of credits) {
      const scale = { '': 1, ' K': 1e3, ' Mil': 1e6, ' Bil': 1e9 }[suffix] ?? Number.NaN;
      expect(`${digits}${suffix}`).toBe(short(Number(digits) * scale));
    }
    const units = readDashboards()
      .flatMap(({ dashboard }) => dataPanels(dashboard))
      .filter(
        ({ title = '', targets = [] }) => /^Credits (by day|this month)$/.test(title) && targets.length > 0,
      )
      .map(({ fieldConfig }) => fieldConfig?.defaults.unit);
    expect(new Set(units)).toEqual(new Set(['short']));
  });
});
