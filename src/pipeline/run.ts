import type { Day, Instant } from '../catalog/day.ts';
import type { Platform } from '../catalog/platform.ts';
import type { OrgSettings } from '../catalog/settings.ts';
import { type ApiRequest, IncompleteListing, type Source, UnexpectedAnswer } from '../catalog/source.ts';
import type { Instruments } from '../exposition/instruments.ts';
import type { Logger } from '../log/logger.ts';
import type { Progress } from '../log/progress.ts';
import { NotStored } from '../store/database.ts';
import { ForeignAnswer, type Store } from '../store/store.ts';
import { messageOf, PlatformError } from '../text/errors.ts';
import type { Clock } from '../work/clock.ts';
import type { Turns, Urgency } from '../work/turns.ts';
import type { FieldWatch } from './field-watch.ts';
import type { Publisher } from './publisher.ts';
import type { RunStates } from './run-states.ts';

/** Dependencies of a runner: the settings of one configuration, and state that outlives it. */
export interface RunnerParts {
  readonly history: Store;
  readonly historyStart: Day;
  /** How many of the newest days are kept; 0 or undefined keeps all. */
  readonly retentionDays?: number;
  /** How many of the newest days are fetched again once a day. */
  readonly revisionDays: number;
  /** The first day to fetch of expensive datasets; by default only their newest days are fetched. */
  readonly expensiveFrom?: Day | undefined;
  readonly publisher: RunPublisher;
  readonly runs: RunStates;
  /** Limits the work under way over all organizations; unlimited by default. */
  readonly turns?: Pick<Turns, 'take'>;
  /** Aborted on shutdown: runs end after the request in flight. */
  readonly stopping?: AbortSignal;
  readonly instruments: Instruments;
  readonly progress?: Progress | undefined;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The part of the publisher that runs use. */
export type RunPublisher = Pick<Publisher, 'publish' | 'showsIdle'>;

/** Context of one collector run. */
export interface Run {
  readonly org: OrgSettings;
  readonly platform: Pick<Platform, 'readers'>;
  readonly source: Source;
  /** What its answers so far show of fields. */
  readonly fields: Pick<FieldWatch, 'seen'>;
  readonly deps: RunnerParts;
  /** Its turns: it lets waiting work run first; the newest day of an organization is urgent. */
  readonly lane: { giveWay(urgency: Urgency): Promise<void> };
  /** When a scheduled run is due at the latest after an instant; undefined without a schedule. */
  readonly dueAfter: ((at: Instant) => Instant | undefined) | undefined;
  /** Marks the newest data as attempted, and as published if it arrived. */
  tried(): void;
  /** Counts unusable records of an answer; they are logged when the run ends. */
  note(fetched: AnswerNotes): void;
  stopping(): boolean;
  /** Whether the run was abandoned: nothing of it may be stored or counted. */
  retired(): boolean;
}

/** Problems found in an answer. */
export interface AnswerNotes {
  readonly rejected: number;
  readonly remarks: Iterable<string>;
}

/** What to do about a listing that does not end well. */
export const PAGING_HINT =
  'Earlier complete data is kept. The platform pages incorrectly; if that persists, contact its operator.';

/** Converts anything thrown by a run into a `PlatformError` with a reason. */
export function failureOf(thrown: unknown, log: Logger): PlatformError {
  if (thrown instanceof PlatformError) return thrown;
  if (thrown instanceof NotStored) {
    const { detail, hint } = thrown.details;
    return new PlatformError('store', `the store cannot be used: ${detail}`, { hint });
  }
  if (thrown instanceof UnexpectedAnswer) {
    return new PlatformError('schema', thrown.message, {
      hint: 'The answers do not match the description of the API: look for a proxy or another service at this address, and for a newer release of the exporter.',
    });
  }
  if (thrown instanceof IncompleteListing) {
    return new PlatformError(thrown.end === 'page-cap' ? 'limit' : 'schema', thrown.message, {
      hint: PAGING_HINT,
    });
  }
  if (thrown instanceof ForeignAnswer) return new PlatformError('organization', thrown.message);
  log.error('Unexpected collector failure', { error: thrown });
  return new PlatformError('schema', `unforeseen: ${messageOf(thrown)}`);
}

/** A source that adds a signal, or when to retry, to each of its requests. */
export function withRequests(source: Source, more: Pick<ApiRequest, 'signal' | 'retryOn'>): Source {
  return {
    ...source,
    get: (request) => source.get({ ...request, ...more }),
    lines: (request) => source.lines({ ...request, ...more }),
    pages: (request, onItems) => source.pages({ ...request, ...more }, onItems),
  };
}
