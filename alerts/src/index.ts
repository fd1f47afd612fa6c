import { recent } from '../../dashboards/src/recent.ts';
import { documentUrl, project } from '../../scripts/project/project.ts';
import { renderRules } from './document.ts';
import { adoptionGroup } from './groups/adoption.ts';
import { budgetGroup } from './groups/budget.ts';
import { collectionGroup } from './groups/collection.ts';
import { exporterGroup } from './groups/exporter.ts';
import { readinessGroup } from './groups/readiness.ts';
import { spendGroup } from './groups/spend.ts';
import type { RuleGroup, RuleSettings } from './rule.ts';
import { marker, type ThresholdName, thresholds } from './thresholds.ts';

export { alertName, type RuleGroup } from './rule.ts';
export { marker, type Threshold, type ThresholdName, thresholds } from './thresholds.ts';

/** The default thresholds and the published runbook, without links to dashboards, whose Grafana nobody knows. */
export const defaultSettings: RuleSettings = {
  threshold: (name: ThresholdName) => String(thresholds[name].default),
  runbookUrl: documentUrl(project, 'docs/runbook.md'),
};

/** The same with the Grafana of the compose stack. */
export const composeSettings: RuleSettings = { ...defaultSettings, dashboardUrl: 'http://localhost:3000' };

/** Markers such as `@dataStaleHours@` and `@runbookUrl@` instead of values, which the chart replaces. */
export const markerSettings: RuleSettings = {
  threshold: marker,
  runbookUrl: marker('runbookUrl'),
  dashboardUrl: marker('dashboardUrl'),
};

/** Every group of rules. */
export function ruleGroups(settings: RuleSettings): readonly RuleGroup[] {
  return [exporterGroup, collectionGroup, spendGroup, budgetGroup, adoptionGroup, readinessGroup]
    .map((group) => group(settings))
    .map(({ name, alerts }) => ({
      name,
      alerts: alerts.map((alert) => ({
        ...alert,
        expr: recent(alert.expr),
        description: recent(alert.description),
      })),
    }));
}

/** The text of a rule file with these settings. */
export function rulesDocument(settings: RuleSettings): string {
  return renderRules(ruleGroups(settings), settings);
}
