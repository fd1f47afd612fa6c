import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import {
  alertName,
  composeSettings,
  defaultSettings,
  markerSettings,
  ruleGroups,
  rulesDocument,
  type ThresholdName,
  thresholds,
} from '../../alerts/src/index.ts';
import { recordingDocument } from '../../dashboards/src/recording-rules.ts';
import { LATE_DAYS } from '../../src/catalog/day-rules.ts';
import { aboutFamilies, collectors } from '../../src/collectors/index.ts';
import { ownMetrics } from '../../src/exposition/own-metrics.ts';
import { hookMetrics } from '../../src/intake/metrics.ts';

const groups = ruleGroups(defaultSettings);
const alerts = groups.flatMap((group) => group.alerts);
const METRIC = /(?<![\w:])agent_platform_\w+/g;

const platformMetrics = [...collectors.flatMap(({ families }) => families), ...aboutFamilies];
const labelsByMetric = new Map<string, readonly string[]>([
  ...platformMetrics.map(({ name, labels }) => [name, ['org', ...labels]] as const),
  ...[...Object.values(ownMetrics), ...Object.values(hookMetrics)].map(
    ({ name, labels }) => [name, [...labels]] as const,
  ),
]);

describe('the alerts', () => {
  test('have unique names', () => {
    const names = alerts.map(alertName);
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^AgentPlatform([A-Z][a-z]+)+$/);
  });

  test.each(alerts.map((alert) => [alertName(alert), alert] as const))(
    '%s says what is wrong: constant summary, description of one sentence or more',
    (_name, { summary, description, severity, for: wait, keepFiringFor }) => {
      expect(summary).toMatch(/^[A-Z][^{}]*[^.{}]$/);
      expect(description).toMatch(/^[A-Z{].*\.(\{\{ end \}\})*$/);
      expect(['critical', 'warning', 'info']).toContain(severity);
      expect([wait, keepFiringFor ?? '0m'].join(' ')).toMatch(/^\d+[mh] \d+[mhd]$/);
    },
  );

  test.each(alerts.map((alert) => [alertName(alert), alert] as const))(
    '%s names the subject and the object of the problem, and only labels that its series have',
    (_name, { description, labels }) => {
      const named = [...description.matchAll(/\$labels\.(\w+)/g)].map(([, label = '']) => label);
      expect(new Set(named)).toEqual(new Set(labels));
    },
  );

  test('use only metrics and labels of the catalogue', () => {
    const texts = alerts.flatMap(({ expr, description }) => [expr, description]);
    const asked = new Set(texts.flatMap((text) => text.match(METRIC) ?? []));
    expect(asked.size).toBeGreaterThan(15);
    expect([...asked].filter((name) => !labelsByMetric.has(name))).toEqual([]);
    for (const text of texts) {
      for (const [, name = '', matchers = ''] of text.matchAll(/(agent_platform_\w+)\{([^}]*)\}/g)) {
        const labels = [...matchers.matchAll(/(\w+)(?:=~|!~|!=|=)/g)].map(([, label = '']) => label);
        expect(
          // Prometheus names a label so if the target has one of its name.
          labels.filter((label) => !labelsByMetric.get(name)?.includes(label.replace(/^exported_/, ''))),
          name,
        ).toEqual([]);
      }
    }
  });

  test('use no recorded series, and no more than seven days of history', () => {
    for (const { expr } of alerts) {
      expect(expr).not.toMatch(/\w:agent_platform|agent_platform:/);
      for (const [, days] of expr.matchAll(/\[(\d+)d/g)) expect(Number(days)).toBeLessThanOrEqual(7);
    }
  });

  test('find the last of samples that are 15 minutes apart, as recording rules do', () => {
    const texts = alerts.flatMap(({ expr, description }) => [expr, description]);
    for (const text of [...texts, recordingDocument()]) {
      // A text may use an argument more than once.
      expect(text).not.toContain('%q');
      for (const [instant] of text.matchAll(/\bagent_platform_\w+\b(\{[^}]*\})?(?![{[]).{0,30}/g))
        expect(instant).toMatch(/^\S+( offset \w+)? or \(last_over_time\(/);
    }
  });

  test('never use the future', () => {
    for (const { expr } of alerts) expect(expr).not.toMatch(/offset\s+-|@\s*\d/);
  });

  test('do not derive days or months from the clock', () => {
    for (const { expr } of alerts)
      expect(expr).not.toMatch(/(day|month|year|week)[a-z_]*\((time\(\)|vector\(time|\))/);
  });
});

describe('the thresholds', () => {
  const names = Object.keys(thresholds) as ThresholdName[];

  test('are all used', () => {
    const used = new Set<ThresholdName>();
    ruleGroups({
      ...defaultSettings,
      threshold(name) {
        used.add(name);
        return defaultSettings.threshold(name);
      },
    });
    expect([...used].sort()).toEqual([...names].sort());
  });

  test('of old data come from the rule for days without rows', () => {
    // The day after the newest one is published on its fourth day, and rows are up to six hours late.
    expect(thresholds.dataStaleHours.default).toBe(24 * (LATE_DAYS + 2) + 6);
    expect(thresholds.dataStaleHours.default).toBe(126);
  });

  test('are documented, and formatted identically by every tool', () => {
    for (const name of names) {
      const { default: value, unit, description } = thresholds[name];
      expect(`${name} ${description}`).toMatch(/^[a-zA-Z]+ [A-Z].*\.$/);
      expect(unit).not.toBe('');
      expect(value).toBeGreaterThanOrEqual(0);
      expect(value).toBeLessThan(1e6);
    }
  });

  test('can be filled into the document with markers, which is then the same as the one without', () => {
    const filled = names
      .reduce(
        (text, name) => text.replaceAll(`@${name}@`, String(thresholds[name].default)),
        rulesDocument(markerSettings),
      )
      .replaceAll('@runbookUrl@', defaultSettings.runbookUrl)
      .replaceAll('@dashboardUrl@', composeSettings.dashboardUrl ?? '');
    expect(filled).toBe(rulesDocument(composeSettings));
    expect(filled).not.toMatch(/@\w+@/);
  });
});

describe('the rule file', () => {
  test.each([
    ['alerts/agent-platform-exporter.rules.yaml', []],
    // Only there is it known where the dashboards are.
    ['compose/alerts.rules.yaml', ['dashboard_url']],
  ])('keeps what its groups say: %s', (path, links) => {
    const file = readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
    const written = (
      parse(file) as { groups: { rules: { alert?: string; annotations?: object }[] }[] }
    ).groups
      .flatMap(({ rules }) => rules)
      .filter(({ alert }) => alert !== undefined);
    expect(written.map(({ alert }) => alert)).toEqual(alerts.map(alertName));
    for (const { annotations } of written) {
      expect(Object.keys(annotations ?? {})).toEqual(['summary', 'description', ...links, 'runbook_url']);
    }
  });
});
