import type { ThresholdName } from './thresholds.ts';

export type Severity = 'critical' | 'warning' | 'info';

/** Settings of the rules. */
export interface RuleSettings {
  /** A threshold's value as text: a number or a marker. */
  threshold(name: ThresholdName): string;
  /** URL of the runbook, without an anchor. */
  readonly runbookUrl: string;
  /** Replaces a declared duration such as `15m`; by default it is used unchanged. */
  duration?(said: string, use: DurationUse): string;
}

/** The use of a duration: `for`, `keep_firing_for`, or the step of a subquery. */
export type DurationUse = 'for' | 'keep_firing_for' | 'step';

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
}

/** A recorded series. */
export interface Recording {
  readonly record: string;
  readonly expr: string;
}

/** Rules that are evaluated in order: recorded series precede the alerts that use them. */
export interface RuleGroup {
  readonly name: string;
  readonly recordings?: readonly Recording[];
  readonly alerts: readonly AlertDeclaration[];
}

export const ALERT_PREFIX = 'AgentPlatform';

/** A duration according to the settings. */
export function durationOf({ duration }: RuleSettings, said: string, use: DurationUse): string {
  return duration?.(said, use) ?? said;
}

/** The full name of an alert. */
export function alertName({ name }: Pick<AlertDeclaration, 'name'>): string {
  return `${ALERT_PREFIX}${name}`;
}
