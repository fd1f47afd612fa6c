import type { ThresholdName } from './thresholds.ts';

export type Severity = 'critical' | 'warning' | 'info';

/** What the rules are made with. */
export interface RuleSettings {
  /** A threshold's value as text: a number, or what will be replaced by one. */
  threshold(name: ThresholdName): string;
  /** Address of the runbook, without an anchor. */
  readonly runbookUrl: string;
  /** The duration to use where a rule says `15m`; what it says unless given. */
  duration?(said: string, use: DurationUse): string;
}

/** What a duration is for: `for`, `keep_firing_for`, or how often a subquery looks at the past. */
export type DurationUse = 'for' | 'keep_firing_for' | 'step';

/** An alert as its group declares it. */
export interface AlertDeclaration {
  /** Without the common prefix. */
  readonly name: string;
  /** True expressions alert; one series for each thing that is wrong. */
  readonly expr: string;
  readonly severity: Severity;
  /** How long the expression holds before the alert fires. */
  readonly for: string;
  /** How long the alert goes on without the expression: bridges restarts, and days that say nothing. */
  readonly keepFiringFor?: string;
  /** Constant, so that receivers may group by it. */
  readonly summary: string;
  /** A Prometheus template: what is wrong, where, how much. */
  readonly description: string;
}

/** A recorded series. */
export interface Recording {
  readonly record: string;
  readonly expr: string;
}

/** Rules that are evaluated one after the other: recorded series stand before the alerts that read them. */
export interface RuleGroup {
  readonly name: string;
  readonly recordings?: readonly Recording[];
  readonly alerts: readonly AlertDeclaration[];
}

export const ALERT_PREFIX = 'AgentPlatform';

/** A duration as the settings want it. */
export function durationOf({ duration }: RuleSettings, said: string, use: DurationUse): string {
  return duration?.(said, use) ?? said;
}

/** The full name of an alert. */
export function alertName({ name }: Pick<AlertDeclaration, 'name'>): string {
  return `${ALERT_PREFIX}${name}`;
}
