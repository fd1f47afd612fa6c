import type { Day, Instant } from '../catalog/day.ts';
import { redactForms } from '../log/redact.ts';
import type { FailureReason } from '../text/errors.ts';
import type { OrgFigures } from './org-figures.ts';

/** `waiting`: has not run yet; `running`: is running; `ok` and `failing`: result of the last run. */
export type CollectorState = 'waiting' | 'running' | 'ok' | 'failing';

export interface CollectorFailure {
  readonly reason: FailureReason;
  /** One short line without secrets. */
  readonly message: string;
  /** What the operator can do about it. */
  readonly hint?: string | undefined;
  /** The end of the first run of the current series of failures. */
  readonly since: Instant;
}

export interface CollectorStatus {
  readonly name: string;
  readonly description: string;
  readonly state: CollectorState;
  /** The day that the published figures describe, for a dataset of days. */
  readonly dataDay?: Day | undefined;
  readonly lastRunAt?: Instant | undefined;
  readonly lastSuccessAt?: Instant | undefined;
  readonly lastDurationSeconds?: number | undefined;
  readonly nextRunAt?: Instant | undefined;
  /** The failure; present until a run succeeds, also while the collector runs again. */
  readonly failure?: CollectorFailure | undefined;
  readonly series: number;
  /** The path that answers, if the platform has several paths for the dataset. */
  readonly path?: string | undefined;
  /** Days since the start of the history that are not known yet. */
  readonly uncoveredDays?: number | undefined;
  /** The number of newest days that the platform usually does not have yet, if it is more than one. */
  readonly awaitedDays?: number | undefined;
  /** All days since the start of the history. */
  readonly historyDays?: number | undefined;
  /** The paths of fields in answers that the exporter cannot read; absent if there are none. */
  readonly unknownFields?: readonly string[] | undefined;
  /** The fields that its rows had and no longer have, as paths; absent if there is none. */
  readonly missingFields?: readonly string[] | undefined;
  /** False once the last good answer is older than the maximum age, so that the series were removed. */
  readonly published: boolean;
}

export interface OrgStatus {
  readonly name: string;
  /** The platform: its configured name and its title for people. Without a title, it is the default platform. */
  readonly platform: { readonly name: string; readonly title?: string | undefined };
  /** The organization's identifier on the platform, once an answer contained it. */
  readonly orgId?: string | undefined;
  readonly apiHost: string;
  /** Requests sent on the current UTC day, and the configured limit; absent until one was sent. */
  readonly requestsToday?: { readonly sent: number; readonly limit?: number | undefined } | undefined;
  readonly collectors: readonly CollectorStatus[];
}

interface StatusLink {
  /** A relative link, which works behind any path prefix. */
  readonly href: string;
  readonly label: string;
  readonly description: string;
}

export interface Readiness {
  readonly ready: boolean;
  /** What is still missing, in plain words; empty when ready. */
  readonly waitingFor: readonly string[];
}

/** The configuration in use. */
export interface ConfigurationStatus {
  /** When the configuration was read. */
  readonly readAt: Instant;
  /** Why the configuration that was read last is not in use; absent if it is. */
  readonly problem?: string | undefined;
}

/** The state of the service at `now`; all instants in milliseconds since the epoch. */
export interface ServiceStatus {
  readonly version: string;
  readonly revision: string;
  readonly startedAt: Instant;
  readonly now: Instant;
  readonly ready: Readiness;
  readonly configuration?: ConfigurationStatus | undefined;
  readonly orgs: readonly OrgStatus[];
  readonly links: readonly StatusLink[];
  /** True for the simulated platform of the demo. */
  readonly simulated: boolean;
  /** Whether the store can be used; absent if it is in memory. */
  readonly storeUp?: boolean | undefined;
  /** For replicas that share a database: whether this one polls. A follower knows nothing about runs. */
  readonly role?: 'leader' | 'follower' | undefined;
  /** The organizations that the polling replica does not have in its configuration; absent if there are none. */
  readonly notPolled?: readonly string[] | undefined;
}

/**
 * Redacts failures: messages by known secrets and by patterns; hints, which are the exporter's own text, by patterns
 * only.
 */
export function redactStatus(status: ServiceStatus, redact: (text: string) => string): ServiceStatus {
  const { configuration } = status;
  return {
    ...status,
    configuration: configuration && {
      ...configuration,
      problem: configuration.problem && redact(configuration.problem),
    },
    orgs: status.orgs.map((org) => ({ ...org, collectors: org.collectors.map(redacted) })),
  };

  function redacted(collector: CollectorStatus): CollectorStatus {
    const { failure } = collector;
    if (failure === undefined) return collector;
    const hint = failure.hint && redactForms(failure.hint);
    return { ...collector, failure: { ...failure, message: redact(failure.message), hint } };
  }
}

/** The names of the fields that hold instants. */
const INSTANT = /^(?:now|since|\w+At)$/;

/** The status and the figures as JSON text, with instants as ISO 8601 in UTC. */
export function statusJson(status: ServiceStatus, figures: ReadonlyMap<string, OrgFigures>): string {
  const text = JSON.stringify(
    { ...status, orgs: status.orgs.map((org) => ({ ...org, ...figuresJson(figures.get(org.name)) })) },
    (key, value: unknown) => (INSTANT.test(key) && typeof value === 'number' ? isoText(value) : value),
    2,
  );
  return `${text}\n`;
}

/** The figures without their trends and parts. */
function figuresJson(all: OrgFigures | undefined): object {
  if (all === undefined) return {};
  const { figures, breakdowns, reason, seats, spends, ...rest } = all;
  const values = figures.map(({ name, family, day, value, weekBefore }) => [
    name,
    { family, day, value, weekBefore },
  ]);
  return { figures: { ...Object.fromEntries(values), ...rest } };
}

/** An instant as ISO 8601 in UTC, or null if it is outside the range of dates. */
export function isoText(instant: Instant): string | null {
  const date = new Date(instant);
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
}
