import type { ApiContract } from '../catalog/api-contract.ts';
import type { FetchedDays, FetchingCollector } from '../catalog/collector.ts';
import type { Day, Instant } from '../catalog/day.ts';
import type { Platform } from '../catalog/platform.ts';
import type { OrgSettings } from '../catalog/settings.ts';
import { type ApiRequest, IncompleteListing, type Source, UnexpectedAnswer } from '../catalog/source.ts';
import type { Instruments } from '../exposition/instruments.ts';
import type { Logger } from '../log/logger.ts';
import type { Progress } from '../log/progress.ts';
import { NotStored } from '../store/database.ts';
import { type AnsweredDays, ForeignAnswer, type Store, type StoredAnswer } from '../store/store.ts';
import { messageOf, PlatformError } from '../text/errors.ts';
import type { Clock } from '../work/clock.ts';
import type { Turns, Urgency } from '../work/turns.ts';
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
  /** Limits the number of runs that work at the same time, over all organizations; unlimited by default. */
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

/** One run of a collector of an organization: its inputs, and how it reports. */
export interface Run {
  readonly org: OrgSettings;
  readonly platform: Pick<Platform, 'readers'>;
  readonly source: Source;
  readonly deps: RunnerParts;
  readonly watchers: readonly Watcher[];
  /** The permission to work; `renew` lets waiting runs go first. A request for the newest day is urgent. */
  readonly turn: { renew(urgency: Urgency): Promise<void> };
  /** The latest time at which the scheduled run after an instant is due; undefined without a schedule. */
  readonly dueAfter: ((at: Instant) => Instant | undefined) | undefined;
  /** Records that the newest data was requested, with success or not; readiness waits for this. */
  markTried(): void;
  stopping(): boolean;
  /** Whether a reload or a removal has abandoned the run: its results must not be stored or counted. */
  retired(): boolean;
}

/** What a watcher reports about: a run of a collector. */
export interface Watched extends Pick<Run, 'org' | 'deps' | 'dueAfter'> {
  readonly collector: FetchingCollector;
}

/** Looks on at a run, and counts or logs what it sees. It changes neither the answers nor the days that are asked for. */
export interface Watcher {
  /** The elements of an answer, before anything changes them. */
  compare?(contract: ApiContract, elements: readonly unknown[]): void;
  /** The run has decided which days to ask for. */
  planned?(days: PlannedDays): void;
  /** An answer has problems. */
  noted?(notes: AnswerNotes): void;
  /** What the store keeps of an answer beside its rows. */
  toStore?(fetched: FetchedDays<unknown>): KeptBeside;
  /** An answer about days was stored. */
  stored?(fetched: FetchedDays<unknown>, stored: StoredAnswer): void;
  /** The run has ended, and was not abandoned. */
  ended?(): void;
}

/** What the store keeps of an answer beside its rows. */
export type KeptBeside = Pick<AnsweredDays, 'lags' | 'seen'>;

/** The days that a run asks for, and what was known before it. */
export interface PlannedDays {
  /** When the run began. */
  readonly now: Instant;
  readonly newest: Day;
  /** When the last run succeeded. */
  readonly succeededAt: Instant | undefined;
  readonly lastPass: Day | undefined;
  /** The number of newest days that are fetched again once a day. */
  readonly comparedDays: number;
}

/** Problems found in an answer. */
export interface AnswerNotes {
  readonly rejected: number;
  readonly remarks: Iterable<string>;
}

/** The hint of an error about a listing that is incomplete. */
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

/** Wraps a source so that each request has this signal, or this retry rule. */
export function withRequests(source: Source, more: Pick<ApiRequest, 'signal' | 'retryOn'>): Source {
  return {
    ...source,
    get: (request) => source.get({ ...request, ...more }),
    lines: (request) => source.lines({ ...request, ...more }),
    pages: (request, onItems) => source.pages({ ...request, ...more }, onItems),
  };
}
