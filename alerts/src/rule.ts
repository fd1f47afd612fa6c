import type { LinkedPanel } from '../../dashboards/src/linked-panels.ts';
import type { ThresholdName } from './thresholds.ts';

type Severity = 'critical' | 'warning' | 'info';

/** Settings of the rules. */
export interface RuleSettings {
  /** A threshold's value as text: a number or a marker. */
  threshold(name: ThresholdName): string;
  /** URL of the runbook, without an anchor. */
  readonly runbookUrl: string;
  /** Base URL of the Grafana with the dashboards, without a slash at the end; without it, alerts have no links to them. */
  readonly dashboardUrl?: string;
  /** Replaces a declared duration such as `15m`; by default it is used unchanged. */
  duration?(said: string, use: DurationUse): string;
}

/** The use of a duration: `for`, `keep_firing_for`, or the step of a subquery. */
type DurationUse = 'for' | 'keep_firing_for' | 'step';

/** An alert as its group declares it. */
export interface AlertDeclaration {
  /** Without the common prefix. */
  readonly name: string;
  /** Alerts if it has results: one series per problem. */
  readonly expr: string;
  readonly severity: Severity;
  /** How long the expression holds before the alert fires. */
  readonly for: string;
  /** How long the alert keeps firing without the expression, to bridge restarts and days without data. */
  readonly keepFiringFor?: string;
  /** Constant, so that receivers can group by it. */
  readonly summary: string;
  /** A Prometheus template: the problem, its location and its extent. */
  readonly description: string;
  /** The labels of its series. */
  readonly labels: readonly string[];
  /** Labels that select nothing on the dashboard, although it has a variable for them. */
  readonly unselected?: readonly string[];
  /** Shows its cause. */
  readonly panel: LinkedPanel;
}

/** Alerts that are evaluated together. */
export interface RuleGroup {
  readonly name: string;
  readonly alerts: readonly AlertDeclaration[];
}

/** Not `team`: operators often give all alerts a label of that name, to route them, and it would replace this one. */
export const TEAM_LABEL = 'budget_team';

const ALERT_PREFIX = 'AgentPlatform';

/** A duration according to the settings. */
export function durationOf({ duration }: RuleSettings, said: string, use: DurationUse): string {
  return duration?.(said, use) ?? said;
}

/**
 * How long alerts about days and reports keep firing without data: over restarts and a gap in scraping of three hours,
 * after which they would notify again.
 */
export const OVER_GAPS = '4h';

/**
 * How long alerts about states of weeks keep firing without data: over a day that the platform or the exporter is down
 * and the night after it. They resolve as much later, which costs nothing: none of them is repeated meanwhile.
 */
export const OVER_OUTAGES = '2d';

/** The full name of an alert. */
export function alertName({ name }: Pick<AlertDeclaration, 'name'>): string {
  return `${ALERT_PREFIX}${name}`;
}
